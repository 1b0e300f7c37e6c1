"""The bundled benchmark is what its card says."""

from collections import Counter
from pathlib import Path

import pytest

import gamut_eval
from gamut_eval.benchmark.load import inspect_benchmark
from gamut_eval.records import read_responses
from gamut_eval.rubric.items import REGISTRY

MINI = Path(gamut_eval.__file__).parent / "data" / "gamut_mini"


@pytest.fixture(scope="module")
def benchmark():
    loaded, findings = inspect_benchmark(MINI)
    assert findings == []
    return loaded


def test_it_uses_every_item_type_insights_and_partial_orders(benchmark):
    items = [item for question in benchmark.questions for item in question.rubric.items]
    assert {item.type for item in items} == set(REGISTRY.names())
    assert sum(len(question.rubric.insights) for question in benchmark.questions) >= 2
    sequences = [check for checks in benchmark.checks.values() for check in checks if check.kind == "sequence"]
    chains = [tuple((a.id, b.id) for a, b in zip(c.steps, c.steps[1:], strict=False)) for c in sequences]
    assert any(check.before != chain for check, chain in zip(sequences, chains, strict=True))


def test_rubrics_have_the_size_of_a_readable_example(benchmark):
    assert all(10 <= len(checks) <= 20 for checks in benchmark.checks.values())
    tiers = Counter(check.tier for checks in benchmark.checks.values() for check in checks)
    assert all(tiers[tier] / tiers.total() > 0.15 for tier in ("answer_critical", "valuable", "context"))


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


def test_two_models_answered_every_question_text_only(benchmark):
    responses = read_responses(sorted((MINI / "responses").glob("*.jsonl")))
    pairs = {(response.model, response.question_id) for response in responses}
    models = {model for model, _ in pairs}
    assert len(models) == 2
    assert pairs == {(model, question.id) for model in models for question in benchmark.questions}
    assert all(response.variant == "text_only" and response.text for response in responses)
