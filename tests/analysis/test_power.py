from dataclasses import replace

import pytest

from gamut_eval.analysis.power import plans
from gamut_eval.stats.power import questions_needed_from

VERDICTS = {"a": ("meets", "meets", "missing", "meets"), "b": ("meets", "missing", "missing", "missing")}
A, B = [1, 1, 0, 1], [1, 0, 0, 0]


def source(source_of, question, answer, *, verdicts=VERDICTS, **more):
    names = [f"q{n}" for n in range(4)]
    questions = [question(name, ["valuable"], **more) for name in names]
    answers = [answer(name, model) for name in names for model in verdicts]
    rows = [(q, model, "c0", "j", said) for model, own in verdicts.items() for q, said in zip(names, own, strict=True)]
    return source_of(questions, answers, rows)


def test_models_and_neighbours_need_what_their_scores_say(source_of, question, answer):
    (contest,) = plans(source(source_of, question, answer), 0.1)
    a, b = contest.models
    (gap,) = contest.neighbours
    assert (contest.variant, contest.judge, a.model, b.model) == ("text_only", "j", "a", "b")
    assert (a.other, a.estimate, a.n_questions, a.needed) == (None, 0.75, 4, questions_needed_from(A, 0.1))
    assert b.needed == questions_needed_from(B, 0.1)
    difference = [one - other for one, other in zip(A, B, strict=True)]
    assert (gap.model, gap.other, gap.estimate) == ("a", "b", 0.5)
    assert gap.needed == questions_needed_from(difference, 0.1)


def test_questions_of_a_group_count_together(source_of, question, answer):
    (contest,) = plans(source(source_of, question, answer, group="g"), 0.1)
    assert "clusters" in contest.models[0].needed.why
    assert contest.models[0].estimate == 0.75


def test_the_level_is_the_source_s(source_of, question, answer):
    wide = source(source_of, question, answer)
    narrow = replace(wide, inference=replace(wide.inference, level=0.8))
    n_wide, n_narrow = (plans(one, 0.1)[0].models[0].needed.n_questions for one in (wide, narrow))
    assert n_narrow < n_wide


def test_without_a_mean_nothing_is_said(source_of, question, answer):
    open_ = VERDICTS | {"b": ("meets", None, "missing", "missing")}
    (contest,) = plans(source(source_of, question, answer, verdicts=open_), 0.1)
    a, b = contest.models
    (gap,) = contest.neighbours
    assert a.needed.n_questions is not None
    for plan in (b, gap):
        assert (plan.estimate, plan.n_questions, plan.needed.n_questions) == (None, 0, None)
        assert "no mean" in plan.needed.why
        assert plan.to_dict()["design_effect"] is None


def test_one_model_has_no_neighbour(source_of, question, answer):
    (contest,) = plans(source(source_of, question, answer, verdicts={"a": VERDICTS["a"]}), 0.1)
    assert (len(contest.models), contest.neighbours) == (1, ())


def test_half_the_width_takes_four_times_as_many(source_of, question, answer):
    one, other = (plans(source(source_of, question, answer), width)[0].models[0].needed for width in (0.02, 0.01))
    assert other.n_questions / one.n_questions == pytest.approx(4, rel=0.01)
