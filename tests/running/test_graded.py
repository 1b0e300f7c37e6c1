import pytest

from gamut_eval.api import as_benchmark
from gamut_eval.records import Failure, Judgement, Response, Verdict
from gamut_eval.running.graded import graded
from gamut_eval.running.journal import Asked, Journal

PICTURE = {"path": "data/coffee.png", "package": "skimage", "sha256": "0" * 64}
ITEM = {"id": "a", "type": "simple", "tier": "valuable", "statement": "A."}


def question(name, **more):
    return {"id": name, "domain": "food", "question": "?", "rubric": {"items": [ITEM]}} | more


BENCHMARK = as_benchmark(
    [question("plain"), question("both", image=PICTURE, text_only="What is pesto?"), question("seen", image=PICTURE)]
)


@pytest.fixture
def journal():
    with Journal(None) as journal:
        journal.set_questions((q.id, q.model_dump(mode="json"), BENCHMARK.checks[q.id]) for q in BENCHMARK.questions)
        journal.set_responses([(Response("both", "m", "text_only", 1, "Basil."), "Q")])
        journal.set_judge("j", "J", {})
        journal.set_asked([("m", "text_only", "j", 2)])
        yield journal


def test_a_journal_without_verdicts_has_everything_that_scoring_joins_on(journal):
    of = graded(journal, BENCHMARK.questions)
    assert of.checks.rows() == [(name, "a", "valuable", None, []) for name in ("plain", "both", "seen")]
    assert of.responses.rows() == [("both", "m", "text_only", 1)]
    assert of.asked.rows() == [("m", "text_only", "j", 2)]
    assert of.verdicts.is_empty()


def test_a_question_is_askable_in_the_variants_that_it_has(journal):
    asked = set(graded(journal, BENCHMARK.questions).askable.iter_rows())
    assert asked == {("text_only", "plain"), ("text_only", "both"), ("image", "both"), ("image", "seen")}


def test_of_a_subset_only_what_was_answered_is_askable(journal):
    assert graded(journal, BENCHMARK.questions, subset=True).askable.rows() == [("text_only", "both")]


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [(Judgement(Verdict.CONTRADICTS, "Mint."), "contradicts"), (Failure("timeout", "30 s"), None)],
)
def test_a_verdict_comes_with_its_unit_and_a_failure_without_one(journal, outcome, verdict):
    (check,) = BENCHMARK.checks["both"]
    asked = Asked("Q", Response("both", "m", "text_only", 1, "Basil."), check, "j", "J", 1)
    journal.record(asked.key, asked, outcome)
    journal.flush()
    rows = graded(journal, BENCHMARK.questions).verdicts.rows()
    assert rows == [("both", "m", "text_only", 1, "j", 1, "a", verdict)]
