"""A source narrowed to some of what it has, and the questions that its means are over."""

import numpy as np
import polars as pl
import pytest

from gamut_eval.analysis.breakdown import breakdowns
from gamut_eval.analysis.contests import contest, question_scores
from gamut_eval.analysis.frames import pairs_frame, standings_frame
from gamut_eval.analysis.length import lengths
from gamut_eval.analysis.missed import tallies
from gamut_eval.analysis.sensitivity import sensitivities
from gamut_eval.analysis.spread import spreads

VERDICTS = ("meets", "partially_meets", "missing", "contradicts")
N = 12
OPEN = {("q3", "c"), ("q4", "b"), ("q5", "c")}


@pytest.fixture
def run_of(source_of, question, answer):
    """A run of models over twelve questions by two judges; what is in ``OPEN`` lacks a verdict of the judge y."""

    def make(models, judges="xy", **options):
        questions = [question(f"q{n}", domain="food" if n % 2 else "animal") for n in range(N)]
        names = [row["id"] for row in questions]
        answers = [answer(q, m, f"{'word ' * (3 + 7 * n % 5)}of {m}.") for n, q in enumerate(names) for m in models]
        rows = [
            (q, m, f"c{place}", judge, None if (q, m) in OPEN and judge == "y" and place == 1 else said)
            for q in names
            for m in models
            for judge in judges
            for place, said in enumerate(_said(q, m, judge))
        ]
        return source_of(questions, answers, rows, **options)

    return make


def _said(question, model, judge):
    seed = [ord(letter) for letter in question + model + judge]
    likely = (0.1 + 0.12 * "abcd".index(model), 0.15, 0.25)
    return np.random.default_rng(seed).choice(VERDICTS, 3, p=(*likely, 1 - sum(likely))).tolist()


def told(source):
    """Intervals, ranks and letters, and the tests with the p that Holm adjusted."""
    return [frame(source.contests).rows() for frame in (standings_frame, pairs_frame)]


@pytest.mark.parametrize("allow_incomplete", [False, True])
@pytest.mark.parametrize("models", ["ab", "ad", "acd"])
def test_some_models_are_what_a_run_of_these_alone_is(run_of, models, allow_incomplete):
    alone = run_of(models, allow_incomplete=allow_incomplete)
    narrowed = run_of("abcd", allow_incomplete=allow_incomplete).where(models=models)
    assert narrowed.scores.rows == alone.scores.rows
    assert told(narrowed) == told(alone)
    for found in (sensitivities, lengths, spreads):
        assert found(narrowed) == found(alone)
    assert breakdowns(narrowed, "domain", [("text_only", "y")]) == breakdowns(alone, "domain", [("text_only", "y")])
    assert tallies(narrowed, "text_only", "y").by_model() == tallies(alone, "text_only", "y").by_model()


def test_without_the_others_more_questions_are_complete_and_fewer_pairs_are_tested_together(run_of):
    every = run_of("abcd", allow_incomplete=True)
    two = every.where(models=["a", "b"])
    wide, narrow = contest(every, "text_only", "y"), contest(two, "text_only", "y")
    assert (wide.left_out, narrow.left_out) == (("q3", "q4", "q5"), ("q4",))
    for found, n in ((wide, 9), (narrow, 11)):
        for standing in found.standings:
            assert (standing.row.n_questions, standing.interval.n_questions) == (n, n)
            assert standing.interval.estimate == pytest.approx(standing.row.gamut)
        order = sorted(found.standings, key=lambda standing: standing.rank.rank)
        assert [standing.row.gamut for standing in order] == sorted((s.row.gamut for s in order), reverse=True)
    by_x = contest(every, "text_only", "x").pair("a", "b"), contest(two, "text_only", "x").pair("a", "b")
    assert by_x[0].p_permutation == by_x[1].p_permutation == by_x[1].p_holm
    assert by_x[0].p_holm > by_x[1].p_holm  # of six pairs, of one


@pytest.mark.parametrize("allow_incomplete", [False, True])
def test_means_are_over_the_questions_that_count(run_of, allow_incomplete):
    scores = run_of("abcd", allow_incomplete=allow_incomplete).scores
    by = scores.counted.group_by("model", "variant", "judge").agg(pl.col("gamut").mean(), n=pl.len())
    means = {tuple(key): (gamut, n) for *key, gamut, n in by.iter_rows()}
    known = [row for row in scores.rows if row.gamut is not None]
    assert means == {(r.model, r.variant, r.judge): (pytest.approx(r.gamut), r.n_questions) for r in known}
    assert len(known) == (12 if allow_incomplete else 8)
    assert len(scores.averaged) == (len(scores.counted) if allow_incomplete else len(scores.questions))


def test_a_variant_and_a_judge(run_of):
    source = run_of("ab")
    narrowed = source.where(variant="text_only", judges=["x"])
    assert narrowed.scores.rows == run_of("ab", "x").scores.rows
    assert set(narrowed.verdicts["judge"]) == set(narrowed.judges) == {"x"}
    assert {judge for _, _, judge, _ in narrowed.asked} == {"x"}
    assert told(narrowed) == told(run_of("ab", "x"))
    assert source.where(variant="image").scores.rows == ()


def test_the_panel_rests_on_what_all_judges_said(run_of):
    source = run_of("ab").where(judges=["panel"])
    assert {row.judge for row in source.scores.rows} == {"panel"}
    assert set(source.verdicts["judge"]) == set(source.judges) == {"x", "y"}


def test_some_questions_leave_the_leaderboard_that_of_all(run_of):
    source = run_of("ab")
    few = source.where(questions=["q1", "q7"])
    assert few.scores.rows == source.scores.rows
    for ids in (few.scores.questions["question_id"], few.verdicts["question_id"]):
        assert set(ids) == {"q1", "q7"}
    parts = ([q.id for q in few.questions], [c.question_id for c in few.checks], [r.question_id for r in few.responses])
    assert all(set(ids) == {"q1", "q7"} for ids in parts)
    assert source.where(questions=[f"q{n}" for n in range(N)]).verdicts is source.verdicts


def test_scores_by_question_have_the_models_with_a_mean(run_of):
    source = run_of("ac")
    assert set(question_scores(source, "text_only", "y")) == {"a"}
    assert set(question_scores(source, "text_only", "x")["c"]) == {f"q{n}" for n in range(N)}


def test_a_derived_verdict_counts_in_place_of_an_asked_one(source_of, answer):
    options = ["thyme", "bay", "nutmeg"]
    item = {"id": "s", "type": "flexible_list", "tier": "valuable", "topic": "spices", "min_coverage": 2}
    rubric = {"items": [item | {"options": options}]}
    row = {"id": "q", "domain": "food", "question": "Which spices?", "rubric": rubric}
    said = {"s/thyme": "meets", "s/bay": "meets", "s/nutmeg": "missing", "s/at-least-2": "contradicts"}
    rows = [("q", "a", check, "j", verdict) for check, verdict in said.items()]
    for composite, counts in (("ask", "contradicts"), ("derive", "meets")):
        source = source_of([row], [answer("q", "a")], rows, composite=composite)
        own = dict(source.graded.verdicts.select("check_id", "verdict").iter_rows())
        assert own == said | {"s/at-least-2": counts}
        apart = (source.asked_verdicts["check_id"].to_list(), source.derived_verdicts["check_id"].to_list())
        assert sorted(apart[0] + apart[1]) == sorted(said)
        assert apart[1] == (["s/at-least-2"] if composite == "derive" else [])
