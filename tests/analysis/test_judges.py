"""Judges compared: agreement from counts, leniency, and a judge of its own answers."""

import pytest

from gamut_eval.analysis.judges import alike_by_all, judges_compared, pairs
from gamut_eval.stats.agreement import VERDICT_ORDER, VERDICTS_APART, agreement, krippendorff_alpha

M, P, S, C = "meets", "partially_meets", "missing", "contradicts"
SCORE = {M: 1.0, P: 0.5, S: 0.0, C: -1.0}


@pytest.fixture
def judged(source_of, question, answer):
    """Questions with one check each: verdicts by judge and model, a letter a question."""

    def make(of, **options):
        n = len(next(iter(of.values())))
        names = [f"q{place}" for place in range(n)]
        models = dict.fromkeys(model for _, model in of)
        rows = [(q, m, "c0", j, v) for (j, m), given in of.items() for q, v in zip(names, given, strict=True)]
        answers = [answer(q, m) for m in models for q in names]
        return source_of([question(q, ["answer_critical"]) for q in names], answers, rows, **options)

    return make


ONE = {("x", "a"): [M, M, S, C], ("x", "b"): [P, S, S, M], ("y", "a"): [M, P, S, S], ("y", "b"): [P, M, S, M]}


def test_agreement_is_that_of_the_labels(judged):
    (found,) = judges_compared(judged(ONE))
    (pair,) = found.pairs
    x, y = [*ONE["x", "a"], *ONE["x", "b"]], [*ONE["y", "a"], *ONE["y", "b"]]
    expected = agreement(x, y, order=VERDICT_ORDER, apart=VERDICTS_APART)
    assert pair.pair.n == 8
    assert pair.pair.same == 5 / 8
    assert pair.pair.kappa == pytest.approx(expected.kappa.value)
    assert pair.weighted_kappa.value == pytest.approx(expected.weighted_kappa.value)
    assert found.alpha.value == pytest.approx(
        krippendorff_alpha([x, y], order=VERDICT_ORDER, apart=VERDICTS_APART).value
    )
    assert pair.pair.counts == {(M, M): 2, (M, P): 1, (S, S): 2, (C, S): 1, (P, P): 1, (S, M): 1}


def test_leniency_is_the_paired_difference_over_questions(judged):
    (found,) = judges_compared(judged(ONE))
    leniency = found.pairs[0].leniency
    # by question, the mean over both models: x has 0.75, 0.5, 0, 0; y has 0.75, 0.75, 0, 0.5
    assert leniency.differences.tolist() == pytest.approx([0.0, -0.25, 0.0, -0.5])
    assert leniency.interval.estimate == pytest.approx(-0.1875)
    assert (leniency.one, leniency.other, found.pairs[0].models) == ("x", "y", ("a", "b"))


def test_rankings_are_compared_by_the_leaderboard_s_scores(judged):
    (found,) = judges_compared(judged(ONE))
    assert found.scores("x") == {"a": pytest.approx(0.25), "b": pytest.approx(0.375)}
    assert found.scores("y") == {"a": pytest.approx(0.375), "b": pytest.approx(0.625)}
    assert found.pairs[0].ranking.kendall_tau_b == pytest.approx(1.0)


def test_a_judge_s_own_answers_are_held_against_the_other_judges_and_its_leniency(judged):
    of = {("x", "x"): [M, M], ("x", "b"): [P, P], ("y", "x"): [P, S], ("y", "b"): [P, S]}
    (found,) = judges_compared(judged(of))
    (view,) = found.selves
    assert (view.judge, view.own, view.others) == ("x", 1.0, 0.25)
    assert view.difference.estimate == pytest.approx(0.75)
    assert view.elsewhere.estimate == pytest.approx(0.25)
    assert view.excess.estimate == pytest.approx(0.5)


def test_without_other_models_the_excess_is_undefined_with_a_reason(judged):
    (found,) = judges_compared(judged({("x", "x"): [M, S], ("y", "x"): [P, S]}))
    (view,) = found.selves
    assert view.difference.estimate == pytest.approx(0.25)
    assert (view.excess.estimate, view.excess.why) == (None, "no question has a score")
    assert found.pairs[0].ranking.kendall_tau_b is None
    assert found.pairs[0].ranking.why == "fewer than two models have a score by both"


def test_nobody_judged_itself_and_one_judge_is_not_compared(judged):
    assert judges_compared(judged(ONE))[0].selves == ()
    assert judges_compared(judged({("x", "a"): [M, S]})) == ()


def test_a_failed_verdict_counts_for_no_pair_and_its_question_for_no_leniency(judged):
    source = judged(ONE | {("y", "a"): [None, P, S, S]})
    (pair,) = pairs(source)
    assert (pair.n, pair.table.n_left_out) == (7, 1)
    assert alike_by_all(source) == (7, 4)
    (found,) = judges_compared(source)
    assert found.pairs[0].leniency.shared == ("q1", "q2", "q3")
    assert found.scores("y")["a"] is None
    assert found.pairs[0].ranking.left_out == ("a",)


def test_identical_judges_have_no_interval_and_say_why(judged):
    (found,) = judges_compared(judged({(j, m): [M, S, P] for j in "xy" for m in "ab"}))
    pair = found.pairs[0]
    assert (pair.pair.same, pair.pair.kappa, pair.leniency.interval.estimate) == (1.0, 1.0, 0.0)
    assert pair.leniency.why == "both have the same score on every shared question"
    assert pair.ranking.why == "a judge gives every model the same score"


def test_without_the_extra_weighted_kappa_says_what_to_install(judged, monkeypatch):
    import sys

    for name in ("statsmodels", "statsmodels.stats", "statsmodels.stats.inter_rater"):
        monkeypatch.setitem(sys.modules, name, None)
    (found,) = judges_compared(judged(ONE))
    assert found.pairs[0].weighted_kappa.value is None
    assert "gamut-eval[stats]" in found.pairs[0].weighted_kappa.why
    assert found.pairs[0].pair.kappa is not None


def test_empty_answers_and_refusals_are_no_agreement_since_no_judge_saw_them(source_of, question, answer):
    names = [f"q{place}" for place in range(10)]
    of = {"x": [M, S], "y": [S, P]}
    rows = [(q, "a", "c0", judge, v) for judge, given in of.items() for q, v in zip(names, given, strict=False)]
    texts = [answer(q, "a") for q in names[:2]]
    blank = [*(answer(q, "a", " ") for q in names[2:6]), *(answer(q, "a", "No.", refusal=True) for q in names[6:])]
    source = source_of([question(q, ["valuable"]) for q in names], [*texts, *blank], rows)
    (pair,) = pairs(source)
    assert (pair.n, pair.same) == (2, 0.0)
    assert alike_by_all(source) == (2, 0)
    (found,) = judges_compared(source)
    assert found.alpha.n == 2
    # each of them counts in the scores all the same
    assert found.scores("x") == {"a": pytest.approx(0.1)}


def test_an_answer_that_all_judges_found_lacking_is_agreement(judged):
    (pair,) = pairs(judged({("x", "a"): [S, S], ("y", "a"): [S, M]}))
    assert (pair.n, pair.same) == (2, 0.5)
