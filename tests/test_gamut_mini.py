"""The bundled benchmark is what its card says."""

from collections import Counter
from pathlib import Path

import pytest

import gamut_eval
from gamut_eval.benchmark.load import inspect_benchmark
from gamut_eval.records import read_responses, read_verdicts
from gamut_eval.rubric.items import REGISTRY

MINI = Path(gamut_eval.__file__).parent / "data" / "gamut_mini"


@pytest.fixture(scope="module")
def responses():
    return read_responses(sorted((MINI / "responses").glob("*.jsonl")))


@pytest.fixture(scope="module")
def benchmark():
    loaded, findings = inspect_benchmark(MINI)
    assert findings == []
    return loaded


def test_it_is_thirty_questions_in_ten_domains_a_third_of_them_held_out(benchmark):
    domains = Counter(question.domain for question in benchmark.questions)
    assert list(domains.values()) == [3] * 10
    held_out = [question for question in benchmark.questions if question.split == "heldout"]
    assert sorted(question.domain for question in held_out) == sorted(domains)


def test_it_uses_every_item_type_often_with_insights_and_partial_orders(benchmark):
    items = [item for question in benchmark.questions for item in question.rubric.items]
    types = Counter(item.type for item in items)
    assert set(types) == set(REGISTRY.names())
    assert min(types.values()) >= 8
    assert sum(len(question.rubric.insights) for question in benchmark.questions) >= 4
    processes = [item for item in items if item.type == "process"]
    assert len(processes) >= 12
    assert 2 * sum(any(not step.required for step in item.steps) for item in processes) >= len(processes)
    assert sum(item.type == "flexible_list" and len(item.options) >= 8 for item in items) >= 8


def test_processes_have_partial_orders(benchmark):
    sequences = [check for checks in benchmark.checks.values() for check in checks if check.kind == "sequence"]
    chains = [tuple((a.id, b.id) for a, b in zip(c.steps, c.steps[1:], strict=False)) for c in sequences]
    assert sum(check.before != chain for check, chain in zip(sequences, chains, strict=True)) >= 4


def test_rubrics_have_the_size_and_the_tiers_of_the_paper_s(benchmark):
    assert all(10 <= len(checks) <= 20 for checks in benchmark.checks.values())
    tiers = Counter(check.tier for checks in benchmark.checks.values() for check in checks)
    shares = {tier: tiers[tier] / tiers.total() for tier in tiers}
    paper = {"answer_critical": 0.39, "valuable": 0.38, "context": 0.23}
    assert all(abs(shares[tier] - paper[tier]) < 0.03 for tier in paper)


def test_ten_questions_have_an_image_in_an_installed_package_and_one_cannot_do_without(benchmark):
    pictured = [question for question in benchmark.questions if question.image]
    assert len(pictured) >= 8
    assert all(question.image.package and question.image.sha256 and question.image.license for question in pictured)
    (blurred,) = [question for question in pictured if question.text_only is None]
    assert "blurred" in blurred.image.quality


def test_every_line_rests_on_evidence_that_somebody_else_read(benchmark):
    for question in benchmark.questions:
        evidence = {entry.id: entry for entry in question.rubric.evidence}
        for line in (*question.rubric.items, *question.rubric.insights):
            reviews = [review for name in line.evidence for review in evidence[name].reviews]
            assert any(review.supports for review in reviews), f"{question.id}: {line.id}"


def test_evidence_is_web_pages_with_summaries_and_honest_reviewers(benchmark):
    for question in benchmark.questions:
        cited = {name for check in benchmark.checks[question.id] for name in check.evidence}
        for entry in question.rubric.evidence:
            assert entry.url.startswith("https://") or entry.url.startswith("http://")
            assert entry.summary
            assert entry.retrieved
            assert entry.id in cited, f"{question.id}: nobody cites {entry.id}"
            assert all(review.kind == "model" for review in entry.reviews if "model" in review.by)


def test_at_least_ninety_pages_were_read(benchmark):
    pages = {entry.url for question in benchmark.questions for entry in question.rubric.evidence}
    assert len(pages) >= 90


def test_three_models_answered_and_ten_questions_have_written_answers_in_three_qualities(benchmark, responses):
    askable = {question.id for question in benchmark.questions if "text_only" in question.variants}
    held_out = {question.id for question in benchmark.questions if question.split == "heldout"}
    answered = {}
    for response in responses:
        assert response.variant == "text_only"
        assert response.text
        assert bool(response.more.get("written")) == response.model.startswith("written-")
        answered.setdefault(response.model, set()).add(response.question_id)
    written = {model for model in answered if model.startswith("written-")}
    assert written == {"written-complete", "written-half", "written-wrong"}
    assert len(answered) == 6
    assert all(ids == (held_out if model in written else askable) for model, ids in answered.items())


def read(name):
    return read_verdicts([MINI / "verdicts" / f"{name}.jsonl"])


def test_every_check_of_every_response_has_a_reference_verdict_of_two_blind_readers(benchmark, responses):
    wanted = {(*response.key, check.id) for response in responses for check in benchmark.checks[response.question_id]}
    for name in ("first", "second", "reference"):
        assert {row.key[:5] for row in read(name)} == wanted


def test_reference_verdicts_quote_the_response_and_say_who_made_them(benchmark, responses):
    texts = {response.key: response for response in responses}
    checks = {(c.question_id, c.id): c.hash for several in benchmark.checks.values() for c in several}
    for name in ("first", "second", "reference"):
        for row in read(name):
            response = texts[row.key[:4]]
            assert row.outcome.more["kind"] == "model"
            assert (row.check_hash, row.response_hash) == (checks[row.question_id, row.check_id], response.hash)
            quote = row.outcome.quote
            assert bool(quote) == (row.outcome.verdict != "missing")
            assert quote in response.text


def test_the_reference_takes_over_what_both_readers_said(benchmark):
    first, second = ({row.key[:5]: row.outcome.verdict for row in read(name)} for name in ("first", "second"))
    for row in read("reference"):
        both = {first[row.key[:5]], second[row.key[:5]]}
        assert row.outcome.more["adjudicated"] == (len(both) == 2)
        if len(both) == 1:
            assert row.outcome.verdict in both
