"""Scores broken down by what questions, answers and checks are."""

import pytest

from gamut_eval.analysis.breakdown import GROUPINGS, NONE, breakdowns, domain_means
from gamut_eval.analysis.missed import Counts
from gamut_eval.errors import UnknownNameError

M, P, S, C = "meets", "partially_meets", "missing", "contradicts"
KEY = [("text_only", "j")]


@pytest.fixture
def graded(source_of, question, answer):
    """Questions with one check each; verdicts and texts by model."""

    def make(of, *, more=(), texts=None, tiers=("answer_critical",), **options):
        names = [f"q{place}" for place in range(len(next(iter(of.values()))))]
        more = [*more, *({} for _ in names)]
        questions = [question(q, tiers, **own) for q, own in zip(names, more, strict=False)]
        texts = texts or {}
        answers = [answer(q, m, texts.get((q, m), "An answer.")) for m in of for q in names]
        rows = [
            (q, m, f"c{at}", "j", verdict)
            for m, given in of.items()
            for q, row in zip(names, given, strict=True)
            for at, verdict in enumerate([row] if isinstance(row, str) or row is None else row)
        ]
        return source_of(questions, answers, rows, **options)

    return make


def estimates(found):
    return {key: part.interval.estimate for key, part in found.parts.items()}


DOMAINS = [{"domain": "food"}, {"domain": "animal"}, {"domain": "food"}]


def test_by_domain_a_mean_a_group_and_model(graded):
    source = graded({"a": [M, S, P], "b": [S, M, C]}, more=DOMAINS)
    (found,) = breakdowns(source, "domain", KEY)
    assert (found.groups, found.models) == (("animal", "food"), ("a", "b"))
    assert estimates(found) == {
        ("animal", "a"): 0.0, ("animal", "b"): 1.0, ("food", "a"): 0.75, ("food", "b"): -0.5,
    }  # fmt: skip
    food, animal = found.parts["food", "a"].interval, found.parts["animal", "a"].interval
    assert (food.n_questions, food.low, food.high) == (2, 0.5, 1.0)
    assert (animal.low, animal.why) == (None, "one question: there is nothing to resample")


def test_a_group_with_an_open_question_has_no_score_and_says_why(graded):
    source = graded({"a": [M, S, None], "b": [S, M, C]}, more=DOMAINS)
    (found,) = breakdowns(source, "domain", KEY)
    part = found.parts["food", "a"]
    assert (part.interval.estimate, part.n_open) == (None, 1)
    assert "lacks an answer or a verdict" in part.interval.why
    assert found.parts["animal", "a"].interval.estimate == 0.0


def test_allowed_to_be_incomplete_it_is_over_the_questions_that_all_have_complete(graded):
    source = graded({"a": [M, S, None], "b": [S, M, C]}, more=DOMAINS, allow_incomplete=True)
    (found,) = breakdowns(source, "domain", KEY)
    assert found.parts["food", "a"].interval.estimate == 1.0
    assert found.parts["food", "b"].interval.estimate == 0.0
    assert found.parts["food", "b"].interval.n_questions == 1


def test_by_tier_it_is_the_leaderboard_s_tier_score(graded):
    source = graded({"a": [(M, S), (P, M)]}, tiers=("answer_critical", "context"))
    (found,) = breakdowns(source, "tier", KEY)
    (row,) = source.scores.rows
    assert found.groups == ("answer_critical", "context")
    assert estimates(found) == {(tier, "a"): row.tiers[tier] for tier in found.groups}
    assert estimates(found)["answer_critical", "a"] == 0.75


def test_by_kind_it_is_shares_of_the_verdicts_given(graded):
    source = graded({"a": [M, S, None], "b": [C, M, M]})
    (found,) = breakdowns(source, "kind", KEY)
    counts = found.shares["criterion", "a"].counts
    assert (found.groups, counts.n, counts.share("meets")) == (("criterion",), 2, 0.5)
    assert found.shares["criterion", "b"].counts.share("contradicts") == pytest.approx(1 / 3)


def test_shares_come_group_by_group_and_best_model_first(graded):
    source = graded({model: [M, S, C][: 3 - place] + [S] * place for place, model in enumerate("dbac")})
    for _ in range(5):  # Polars groups in an order of its own, another one each time
        (found,) = breakdowns(source, "kind", KEY)
        assert [*found.shares] == [(group, model) for group in found.groups for model in found.models]


def test_by_length_answers_are_in_quarters_with_the_limits_said(graded):
    texts = {(f"q{at}", "a"): "word " * n for at, n in enumerate((10, 20, 30, 40))}
    (found,) = breakdowns(graded({"a": [M, P, S, C]}, texts=texts), "length", KEY)
    assert found.groups == ("up to 10 words", "over 10 to 20 words", "over 20 to 30 words", "over 30 words")
    assert list(estimates(found).values()) == [1.0, 0.5, 0.0, -1.0]


def test_answers_of_one_length_are_one_group(graded):
    (found,) = breakdowns(graded({"a": [M, S]}), "length", KEY)
    assert found.groups == ("up to 2 words",)


def test_an_image_of_several_qualities_counts_in_each(graded):
    images = [
        {"image": {"path": f"{n}.jpg", "quality": q}, "text_only": "t"} for n, q in enumerate((["a", "b"], ["b"], []))
    ]
    (found,) = breakdowns(graded({"m": [M, S, P]}, more=images), "image-quality", KEY)
    assert found.groups == ("a", "b", NONE)
    assert estimates(found) == {("a", "m"): 1.0, ("b", "m"): 0.5, (NONE, "m"): 0.5}


def test_by_judge_the_groups_are_the_judges_and_the_panel(source_of, question, answer):
    rows = [("q", "a", "c0", "x", M), ("q", "a", "c0", "y", S)]
    source = source_of([question("q", ["context"])], [answer("q", "a")], rows)
    (found,) = breakdowns(source, "judge", [("text_only", "panel")])
    assert (found.judge, found.groups) == (None, ("x", "y", "panel"))
    assert estimates(found) == {("x", "a"): 1.0, ("y", "a"): 0.0, ("panel", "a"): 0.5}


def test_where_nothing_has_a_group_there_is_nothing(graded):
    assert breakdowns(graded({"a": [M, S]}), "group", KEY) == ()


OF_ONE_QUESTION = {
    "domain": "food",
    "tier": "answer_critical",
    "kind": "criterion",
    "item": "imported",
    "variant": "text_only",
    "judge": "j",
    "length": "up to 2 words",
    **dict.fromkeys(("image-quality", "egocentric", "group", "split")),
}


@pytest.mark.parametrize("by", GROUPINGS)
def test_every_grouping_takes_an_incomplete_run_of_one_question(graded, by):
    every, group = breakdowns(graded({"a": [None], "b": [M]}), by, KEY), OF_ONE_QUESTION[by]
    if group is None:
        assert every == ()
        return
    (found,) = every
    assert (found.groups, found.models) == ((group,), ("b", "a"))
    if by in ("kind", "item"):
        assert {key: part.counts for key, part in found.shares.items()} == {(group, "b"): Counts(meets=1)}
    else:
        assert estimates(found) == {(group, "b"): 1.0, (group, "a"): None}
        assert all(part.interval.low is None for part in found.parts.values())


def test_an_unknown_grouping_is_refused_with_near_matches(graded):
    with pytest.raises(UnknownNameError, match="did you mean 'domain'"):
        breakdowns(graded({"a": [M]}), "domains", KEY)


def test_the_report_s_means_by_domain_are_those_of_breakdowns(source_of, question, answer):
    """Of two food questions one is open for b: with incomplete ones allowed the other alone counts, for both."""
    questions = [question(f"q{n}", ["valuable"], domain=domain) for n, domain in enumerate(("food", "food", "animal"))]
    given = {"a": ("meets", "missing", "meets"), "b": ("meets", None, "partially_meets")}
    rows = [(f"q{n}", model, "c0", "j", said) for model, own in given.items() for n, said in enumerate(own)]
    answers = [answer(f"q{n}", model) for model in given for n in range(3)]
    for allow, food in ((True, (1, {"a": 1.0, "b": 1.0})), (False, (2, {"a": 0.5, "b": None}))):
        source = source_of(questions, answers, rows, allow_incomplete=allow)
        means = domain_means(source, "text_only", "j")
        assert means == {"animal": (1, {"a": 1.0, "b": 0.5}), "food": food}
        (found,) = breakdowns(source, "domain", [("text_only", "j")])
        for (domain, model), part in found.parts.items():
            assert part.interval.estimate == means[domain][1][model]
