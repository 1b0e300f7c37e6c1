"""Verdicts as a frame are the journal's view, in order, and as of now."""

import gc

import polars as pl
import pytest

from gamut_eval.records import Failure, Judgement, Response, Verdict
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import Tier
from gamut_eval.running import verdict_frame
from gamut_eval.running.journal import Asked, Journal
from gamut_eval.running.tables import OUTCOME_COLUMNS, VERDICT_COLUMNS

CHECKS = {
    q: [Check(q, f"c{n}", Tier.VALUABLE, "fact", f"{q} {n}", "i", "") for n in (10, 2, 1)] for q in ("q2", "q10", "q1")
}
RESPONSES = [
    Response(q, m, v, s, f"{q} {m} {v} {s}")
    for q in CHECKS
    for m in "ba"
    for v in ("image", "text_only")
    for s in (1, 0)
]
JUDGES = ("second", "first")


def fill(journal):
    journal.set_questions((q, {"id": q}, checks) for q, checks in CHECKS.items())
    journal.set_responses((response, f"asked {response.question_id}") for response in RESPONSES)
    for judge in JUDGES:
        journal.set_judge(judge, judge, {})
    for number, response in enumerate(RESPONSES):
        for check in CHECKS[response.question_id]:
            for judge in JUDGES:
                grade(journal, response, check, judge, number)
    journal.flush()


def grade(journal, response, check, judge, number, *, judge_hash=None):
    asked = Asked(f"asked {response.question_id}", response, check, judge, judge_hash or judge, number % 2)
    outcome = (
        Failure("code", "why")
        if number % 5 == 0
        else Judgement(tuple(Verdict)[number % 4], f"“{number}”\n", None, {"n": number})
    )
    journal.record(asked.key, asked, outcome)


def view(journal):
    order = "model, variant, question_id, sample, judge, repeat, check_id"
    rows = journal._rows(f"SELECT {', '.join(VERDICT_COLUMNS)} FROM verdicts ORDER BY {order}")
    return pl.DataFrame(rows, schema=VERDICT_COLUMNS, orient="row")


@pytest.fixture
def journal(tmp_path):
    with Journal(tmp_path) as journal:
        fill(journal)
        yield journal


@pytest.mark.parametrize("together", [1, 7, 10_000])
def test_the_frame_is_the_view_in_order(journal, monkeypatch, together):
    monkeypatch.setattr(verdict_frame, "_TOGETHER", together)
    frame = journal.verdicts()
    assert len(frame) == len(RESPONSES) * 3 * 2
    assert frame.equals(view(journal))
    assert frame.schema == VERDICT_COLUMNS


def test_outcomes_are_the_same_without_texts(journal):
    assert journal.outcomes().equals(view(journal).select(list(OUTCOME_COLUMNS)))


def test_one_question_is_a_part_of_all(journal):
    whole = journal.verdicts()
    assert journal.verdicts("q1").equals(whole.filter(question_id="q1"))


def test_it_is_read_once_while_nothing_is_written(journal):
    assert journal.verdicts() is journal.verdicts()


def test_what_was_written_since_is_in_it(journal):
    before = journal.verdicts()
    journal.set_judge("first", "another hash", {})
    changed = journal.verdicts()
    assert len(changed) == len(before) // 2
    grade(journal, RESPONSES[0], CHECKS["q2"][0], "first", 1, judge_hash="another hash")
    journal.flush()
    assert len(journal.verdicts()) == len(changed) + 1
    assert journal.verdicts().equals(view(journal))


def test_a_reader_sees_what_another_wrote_since(journal, tmp_path):
    with Journal(tmp_path, readonly=True) as reader:
        before = reader.verdicts()
        journal.set_judge("first", "another hash", {})
        assert len(reader.verdicts()) == len(before) // 2


def test_no_verdict_yet():
    with Journal(None) as journal:
        assert journal.verdicts().schema == VERDICT_COLUMNS
        assert journal.verdicts().is_empty()


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_is_collected_afterwards_as_before(journal, enabled):
    (gc.enable if enabled else gc.disable)()
    try:
        journal.verdicts()
        assert gc.isenabled() == enabled
    finally:
        gc.enable()
