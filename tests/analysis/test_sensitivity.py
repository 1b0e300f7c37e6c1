"""Rescoring under other constants."""

import pytest

from gamut_eval.analysis.sensitivity import named_weights, sensitivities, settings_grid
from gamut_eval.benchmark.settings import ScoringSettings, TierWeights

M, P, S, C = "meets", "partially_meets", "missing", "contradicts"


@pytest.fixture
def graded(source_of, question, answer):
    """Verdicts by model, judge and question, one a tier in order."""

    def make(of, tiers=("answer_critical", "valuable", "context"), **options):
        names = list(dict.fromkeys(q for *_, q in of))
        answers = [answer(q, m) for m in dict.fromkeys(m for m, *_ in of) for q in names]
        rows = [(q, m, f"c{at}", j, v) for (m, j, q), given in of.items() for at, v in enumerate(given)]
        return source_of([question(q, tiers) for q in names], answers, rows, **options)

    return make


def at(found, lambda_, mu, weights):
    (one,) = (
        one for one in found.grid
        if (one.setting.lambda_, one.setting.mu, one.setting.weights) == (lambda_, mu, weights)
    )  # fmt: skip
    return one


TWO = {("a", "j", "q"): (P, P, P), ("b", "j", "q"): (M, C, S)}


def test_scores_under_a_setting_are_those_of_the_formula(graded):
    (found,) = sensitivities(graded(TWO))
    assert found.own.scores == {"a": pytest.approx(0.5), "b": pytest.approx(0.6 - 0.3)}
    assert at(found, 0.0, -2.0, "paper").scores == {"a": 0.0, "b": pytest.approx(0.3)}
    assert at(found, 0.5, -2.0, "equal").scores["b"] == pytest.approx(0.0)
    assert at(found, 0.5, -2.0, "answer-critical only").scores == {"a": 0.5, "b": 1.0}
    # one check that contradicts has the score μ/|μ| = −1 whatever μ is
    assert at(found, 0.5, -4.0, "paper").scores["b"] == pytest.approx(0.3)


def test_pairs_that_swap_are_told_with_their_settings(graded):
    (found,) = sensitivities(graded(TWO))
    assert found.models == ("a", "b")
    assert at(found, 0.0, -2.0, "paper").swapped == (("a", "b"),)
    assert at(found, 0.0, -2.0, "paper").ranking.kendall_tau_b == pytest.approx(-1.0)
    assert at(found, 1.0, -2.0, "paper").swapped == ()
    (pair,) = found.swaps
    assert pair == ("a", "b")
    assert all(found.swaps[pair].count(one.setting) == bool(one.swapped) for one in found.grid)
    assert (found.n_stable, found.span("a")) == (0, ((0.0, 1.0), (1, 2)))


def test_an_order_that_nothing_changes_is_stable(graded):
    (found,) = sensitivities(graded({("a", "j", "q"): (M, M, M), ("b", "j", "q"): (S, S, S)}))
    assert (found.n_stable, found.swaps, len(found.grid)) == (2, {}, 80)


INCOMPLETE = {
    ("a", "j", "q"): (M, P, S), ("a", "j", "r"): (M, C, M), ("b", "j", "q"): (P, P, P), ("b", "j", "r"): (M, None, M),
}  # fmt: skip


def test_under_the_run_s_own_constants_it_is_the_leaderboard(mixed):
    source = mixed()
    found = {(s.variant, s.judge, m): score for s in sensitivities(source) for m, score in s.own.scores.items()}
    rows = [row for row in source.scores.rows if row.gamut is not None and row.judge != "consensus"]
    assert found == {(row.variant, row.judge, row.model): pytest.approx(row.gamut, abs=1e-12) for row in rows}
    assert {judge for _, judge, _ in found} == {"x/large", "x/small", "panel"}


def test_it_is_over_the_questions_that_the_leaderboard_is_over(graded):
    (strict,) = sensitivities(graded(INCOMPLETE))
    assert strict.models == ("a",)
    assert strict.own.scores["a"] == pytest.approx(((0.6 + 0.15) + (0.6 - 0.3 + 0.1)) / 2)
    (partly,) = sensitivities(graded(INCOMPLETE, allow_incomplete=True))
    assert partly.own.scores == {"a": pytest.approx(0.75), "b": pytest.approx(0.5)}


def test_samples_repeats_and_judges_are_averaged_as_the_leaderboard_does(source_of, question, answer):
    answers = [answer("q", "a", f"Answer {sample}.", sample=sample) for sample in range(2)] + [answer("r", "a")]
    given = [("q", 0, 0, M), ("q", 0, 1, S), ("q", 1, 0, P), ("q", 1, 1, C), ("r", 0, 0, P), ("r", 0, 1, M)]
    rows = [
        (q, "a", "c0", j, v if j == "x" else M, {"sample": sample, "repeat": repeat})
        for q, sample, repeat, v in given
        for j in "xy"
    ]
    source = source_of([question("q", ["context"]), question("r", ["context"])], answers, rows, repeats=2)
    found = {s.judge: s.own.scores["a"] for s in sensitivities(source)}
    # q: ((1 + 0)/2 + (0.5 − 1)/2)/2 = 0.125; r: 0.75
    assert found == {"x": pytest.approx(0.4375), "y": pytest.approx(1.0), "panel": pytest.approx(0.71875)}
    assert {row.judge: row.gamut for row in source.scores.rows if row.judge in found} == found


def test_a_question_without_a_weighing_tier_is_left_out_and_counted(graded):
    (found,) = sensitivities(graded({("a", "j", "q"): (M,), ("b", "j", "q"): (S,)}, tiers=("context",)))
    one = at(found, 0.5, -2.0, "answer-critical only")
    assert (one.scores, one.n_left_out) == ({"a": None, "b": None}, 1)
    assert one.ranking.kendall_tau_b is None


def test_without_a_score_there_is_no_contest(graded):
    assert sensitivities(graded({("a", "j", "q"): (M, None, M)})) == ()


def test_the_run_s_own_constants_join_the_grid():
    own = ScoringSettings(lambda_=0.3, mu=-3.0, weights=TierWeights(answer_critical=0.9, valuable=0.05, context=0.05))
    grid = settings_grid(own)
    assert len(grid) == 6 * 5 * 5
    assert own in [setting.constants for setting in grid]
    assert named_weights(TierWeights(answer_critical=6.0, valuable=3.0, context=1.0)) == "paper"
