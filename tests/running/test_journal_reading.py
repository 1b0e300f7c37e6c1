"""What is read of a journal piece by piece, as the viewer does."""

import sqlite3

import pytest

from gamut_eval.run import Run
from gamut_eval.running.tables import OUTCOME_COLUMNS
from view_server import study


@pytest.fixture
def folder(tmp_path):
    return study(tmp_path / "run")[0]


def test_the_rows_of_one_question_are_those_of_all_that_are_its(folder):
    with Run.open(folder) as run:
        verdicts = run.verdicts()
        responses, own = run.question("q3")
        assert own.equals(verdicts.filter(question_id="q3"))
        assert [(r.key, r.text) for r in responses] == [
            (r.key, r.text) for r in run.responses() if r.question_id == "q3"
        ]
        assert len(responses) == 2
        assert run.question("none")[1].is_empty()


def test_the_outline_scores_as_the_run_does_without_texts(folder):
    with Run.open(folder) as run:
        scores = run.scores()
        outline = run.outline()
        assert outline.scores.rows == scores.rows
        assert outline.scores.questions.equals(scores.questions)
        assert outline.verdicts.columns == list(OUTCOME_COLUMNS)
        both = [
            frame.select(list(OUTCOME_COLUMNS)).sort(list(OUTCOME_COLUMNS))
            for frame in (outline.verdicts, run.verdicts())
        ]
        assert both[0].equals(both[1])


def test_texts_come_once_each(folder):
    with Run.open(folder) as run:
        texts = list(run.texts_of("q1"))
    assert sorted(texts) == sorted(
        [
            "acme/large says of q1: fact zero. Then fact one.",
            "acme/small says of q1: fact zero. Then fact one.",
            "Because of c0.",
            "Because of c1.",
            "Because of c2.",
        ]
    )


def test_the_state_changes_when_somebody_else_writes(folder):
    with Run.open(folder) as run:
        before = run.state
        assert run.state == before
        with sqlite3.connect(folder / "run.sqlite") as db:
            db.execute("INSERT INTO settings VALUES ('note', '1')")
        assert run.state != before


def test_a_run_says_where_its_benchmark_is_only_if_it_came_from_files(folder):
    with Run.open(folder) as run:
        assert run.root is None
