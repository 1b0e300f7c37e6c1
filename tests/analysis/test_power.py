from dataclasses import replace

import pytest

from gamut_eval.analysis.power import Aim, plans
from gamut_eval.stats.power import questions_needed, questions_to_tell, smallest_difference, spread

VERDICTS = {
    "a": ("meets", "meets", "missing", "meets", "meets", "meets", "meets", "meets"),
    "b": ("meets", "missing", "missing", "missing", "meets", "missing", "missing", "meets"),
}
A, B = [1, 1, 0, 1, 1, 1, 1, 1], [1, 0, 0, 0, 1, 0, 0, 1]
GAP = [one - other for one, other in zip(A, B, strict=True)]


def source(source_of, question, answer, *, verdicts=VERDICTS, groups=None):
    names = [f"q{n}" for n in range(8)]
    groups = groups or [None] * 8
    questions = [question(name, ["valuable"], group=group) for name, group in zip(names, groups, strict=True)]
    answers = [answer(name, model) for name in names for model in verdicts]
    rows = [(q, model, "c0", "j", said) for model, own in verdicts.items() for q, said in zip(names, own, strict=True)]
    return source_of(questions, answers, rows)


def test_models_and_neighbours_need_what_their_scores_say(source_of, question, answer):
    (contest,) = plans(source(source_of, question, answer), Aim(half_width=0.1, difference=0.2))
    a, b = contest.models
    (gap,) = contest.neighbours
    assert (contest.variant, contest.judge, contest.n_tests) == ("text_only", "j", 1)
    assert (a.model, a.other, a.estimate, a.spread) == ("a", None, 0.875, spread(A))
    assert a.n_for_half_width == questions_needed(0.1, a.spread.standard_deviation)
    assert b.n_for_half_width == questions_needed(0.1, b.spread.standard_deviation)
    assert (a.n_for_difference, a.detects) == (None, None)
    deviation = spread(GAP).standard_deviation
    assert (gap.model, gap.other, gap.estimate, gap.spread) == ("a", "b", 0.5, spread(GAP))
    assert gap.n_for_half_width == questions_needed(0.1, deviation)
    assert gap.n_for_difference == questions_to_tell(0.2, deviation)
    assert gap.detects == smallest_difference(8, deviation)


def test_only_what_is_asked_for(source_of, question, answer):
    (contest,) = plans(source(source_of, question, answer), Aim())
    (gap,) = contest.neighbours
    assert (gap.n_for_half_width, gap.n_for_difference, gap.why) == (None, None, None)
    assert gap.detects > 0


@pytest.mark.parametrize(("n_models", "n_tests"), [(2, 1), (4, 6)])
def test_all_pairs_are_tested_unless_another_number_is_given(source_of, question, answer, n_models, n_tests):
    verdicts = {f"m{k}": VERDICTS["a" if k % 2 else "b"] for k in range(n_models)}
    own = source(source_of, question, answer, verdicts=verdicts)
    assert plans(own, Aim())[0].n_tests == n_tests
    assert plans(own, Aim(n_tests=2))[0].n_tests == 2


def test_a_model_without_a_score_is_in_no_tested_pair(source_of, question, answer):
    verdicts = VERDICTS | {"c": VERDICTS["b"], "d": (None, *VERDICTS["b"][1:])}
    (contest,) = plans(source(source_of, question, answer, verdicts=verdicts), Aim())
    assert (len(contest.neighbours), contest.n_tests) == (3, 3)


def test_questions_of_a_group_count_together(source_of, question, answer):
    groups = ["g", "h", "g", "h", "i", "j", "i", "j"]
    (contest,) = plans(source(source_of, question, answer, groups=groups), Aim(half_width=0.1, n_tests=1))
    b = contest.models[1]
    assert b.spread == spread(B, groups)
    assert b.spread.design_effect < 1
    assert b.n_for_half_width == questions_needed(0.1, b.spread.standard_deviation, cluster_size=2)
    # 2^(1 − 4) is above 0.05: four clusters find nothing.
    assert (contest.neighbours[0].detects, "find no difference with such certainty" in contest.neighbours[0].why) == (
        None,
        True,
    )
    (contest,) = plans(source(source_of, question, answer, groups=["g"] * 8), Aim(half_width=0.1))
    assert "clusters" in contest.models[0].why
    assert contest.models[0].estimate == 0.875


def test_more_than_the_largest_difference_is_none(source_of, question, answer):
    """With power 0.999 seven degrees of freedom take 9 points of noncentrality: 9 · 1.2 / √8 is above 2."""
    verdicts = {"a": ("meets",) * 4 + ("contradicts",) * 4, "b": ("contradicts",) * 3 + ("meets",) * 5}
    own = source(source_of, question, answer, verdicts=verdicts)
    gap = plans(own, Aim(power=0.999))[0].neighbours[0]
    assert smallest_difference(8, gap.spread.standard_deviation, power=0.999) > 2
    assert (gap.detects, "however large" in gap.why) == (None, True)


def test_the_level_is_the_source_s(source_of, question, answer):
    wide = source(source_of, question, answer)
    narrow = replace(wide, inference=replace(wide.inference, level=0.8))
    aim = Aim(half_width=0.1, difference=0.1)
    few, many = (plans(one, aim)[0] for one in (narrow, wide))
    assert few.models[0].n_for_half_width < many.models[0].n_for_half_width
    assert few.neighbours[0].n_for_difference < many.neighbours[0].n_for_difference
    assert few.neighbours[0].detects < many.neighbours[0].detects


def test_without_a_mean_nothing_is_said(source_of, question, answer):
    open_ = VERDICTS | {"b": (None, *VERDICTS["b"][1:])}
    (contest,) = plans(source(source_of, question, answer, verdicts=open_), Aim(0.1, 0.1))
    a, b = contest.models
    (gap,) = contest.neighbours
    assert a.n_for_half_width is not None
    for plan in (b, gap):
        assert (plan.estimate, plan.n_for_half_width, plan.n_for_difference, plan.detects) == (None,) * 4
        assert "no mean" in plan.why
        assert (plan.to_dict()["n_questions"], plan.to_dict()["design_effect"]) == (0, None)


def test_one_model_has_no_neighbour(source_of, question, answer):
    (contest,) = plans(source(source_of, question, answer, verdicts={"a": VERDICTS["a"]}), Aim(0.1))
    assert (len(contest.models), contest.neighbours, contest.n_tests) == (1, (), 1)


def test_half_the_width_takes_four_times_as_many(source_of, question, answer):
    own = source(source_of, question, answer)
    one, other = (plans(own, Aim(width))[0].models[0].n_for_half_width for width in (0.02, 0.01))
    assert other / one == pytest.approx(4, rel=0.01)
