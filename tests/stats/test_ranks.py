"""Ranks, groups by letters, and correlations of rankings."""

from itertools import combinations

import numpy as np
import pytest

from gamut_eval.analysis.places import with_holm
from gamut_eval.stats.bootstrap import bootstrap_means
from gamut_eval.stats.paired import Comparison, compare_pairs
from gamut_eval.stats.ranks import rank_agreement, rank_intervals, significance_groups
from gamut_eval.stats.table import ScoreTable


def table_of(**columns):
    return ScoreTable.joined({name: {f"q{k:03}": x for k, x in enumerate(own)} for name, own in columns.items()})


def compared(table, **options):
    """Each two columns, with Holm's adjustment for all of them."""
    return with_holm(compare_pairs(table, list(combinations(table.columns, 2)), **options))[0]


def models(*means, n=100, noise=0.2, seed=0):
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, 0.3, n)
    return table_of(**{f"m{k}": ease + mean + rng.normal(0, noise, n) for k, mean in enumerate(means)})


def comparison(one, other, *, differ, mean=0.0):
    interval = bootstrap_means(table_of(x=[mean - 0.1, mean + 0.1]))[0]
    none = np.zeros(0)
    return Comparison(one, other, (), (), (), none, interval, 0.5, 0.5, True, None, p_holm=0.01 if differ else 0.5)


def named(*scores):
    return {f"m{k}": score for k, score in enumerate(scores)}


def test_far_apart_models_keep_their_ranks_and_equal_ones_share():
    found = rank_intervals(models(0.9, 0.0, 0.0, -0.9), replicates=2000)
    first, *middle, last = found.ranks
    assert (first.rank, first.low, first.high, first.p_best) == (1, 1, 1, 1.0)
    assert [(rank.low, rank.high) for rank in middle] == [(2, 3), (2, 3)]
    assert (last.rank, last.low, last.high, last.p_best) == (4, 4, 4, 0.0)


def test_chances_of_being_best_add_up_and_ties_share_them():
    same = [0.1, 0.7, 0.3]
    found = rank_intervals(table_of(a=same, b=same, c=[0.0, 0.6, 0.2]))
    assert [(rank.rank, rank.low, rank.high, rank.p_best) for rank in found.ranks] == [
        (1, 1, 2, 0.5),
        (1, 1, 2, 0.5),
        (3, 3, 3, 0.0),
    ]
    assert sum(rank.p_best for rank in rank_intervals(models(0.02, 0.0, 0.01)).ranks) == pytest.approx(1)


def test_ranks_are_over_the_questions_that_all_have():
    table = table_of(a=[0.5, 0.6, 0.7, None], b=[0.4, 0.5, 0.65, 1.0], c=[None, 0.1, 0.2, 0.3])
    found = rank_intervals(table)
    assert (found.n_questions, found.left_out) == (2, ("q000", "q003"))
    assert [rank.mean for rank in found.ranks] == pytest.approx([0.65, 0.575, 0.15])


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"a": [0.1, 0.2]}, "fewer than two models have a score"),
        ({"a": [0.1, None], "b": [None, 0.2]}, "no question is shared by all models"),
        ({"a": [0.1], "b": [0.3]}, "one question, or one cluster of them: there is nothing to resample"),
    ],
)
def test_what_is_undefined_is_none_with_a_reason(columns, why):
    found = rank_intervals(table_of(**columns))
    assert found.why == why
    assert all((rank.low, rank.high, rank.p_best) == (None, None, None) for rank in found.ranks)


def test_ranks_need_replicates():
    found = rank_intervals(models(0.1, 0.2), replicates=1)
    assert found.why.startswith("fewer than two replicates")
    assert [rank.rank for rank in found.ranks] == [2, 1]


def test_letters_of_three_models():
    # R, multcompView: multcompLetters(c("A-B" = FALSE, "A-C" = FALSE, "B-C" = TRUE)) gives A "ab", B "a", C "b".
    found = significance_groups(
        [
            comparison("A", "B", differ=False, mean=-0.1),
            comparison("A", "C", differ=False, mean=0.1),
            comparison("B", "C", differ=True, mean=0.2),
        ]
    )
    assert found.letters == {"A": ("a", "b"), "B": ("a",), "C": ("b",)}
    assert found.groups == (("B", "A"), ("A", "C"))


@pytest.mark.parametrize("seed", range(20))
def test_two_models_share_a_letter_exactly_where_they_do_not_differ(seed):
    rng = np.random.default_rng(seed)
    names = [f"m{k}" for k in range(7)]
    pairs = [comparison(one, other, differ=rng.random() < 0.5) for one, other in combinations(names, 2)]
    found = significance_groups(pairs)
    for pair in pairs:
        share = set(found.letters[pair.one]) & set(found.letters[pair.other])
        assert bool(share) == (pair.p_holm > 0.05)
    assert not any(set(a) < set(b) for a in found.groups for b in found.groups)


def test_letters_stay_few_where_there_are_exponentially_many_largest_groups():
    # 20 pairs that differ and nobody else does: 2^20 largest groups, of which some cover every two that are alike.
    names = [f"m{k:02}" for k in range(40)]
    pairs = [comparison(one, other, differ=other == f"m{int(one[1:]) ^ 1:02}") for one, other in combinations(names, 2)]
    found = significance_groups(pairs)
    assert len(found.groups) < 40
    assert {len(group) for group in found.groups} == {20}
    for pair in pairs:
        assert bool(set(found.letters[pair.one]) & set(found.letters[pair.other])) == (pair.p_holm > 0.05)


def test_no_group_is_there_for_nothing():
    rng = np.random.default_rng(3)
    names = [f"m{k}" for k in range(9)]
    found = significance_groups([comparison(*two, differ=rng.random() < 0.4) for two in combinations(names, 2)])
    together = [set(combinations(sorted(group), 2)) for group in found.groups]
    for place, own in enumerate(together):
        others = set().union(*(pairs for at, pairs in enumerate(together) if at != place))
        assert own - others or len(found.groups[place]) == 1


def test_groups_of_models_from_scores():
    found = significance_groups(compared(models(0.5, 0.48, 0.0, -0.5, noise=0.1)))
    assert [set(group) for group in found.groups] == [{"m0", "m1"}, {"m2"}, {"m3"}]
    assert found.letters == {"m0": ("a",), "m1": ("a",), "m2": ("b",), "m3": ("c",)}


def test_pairs_that_are_absent_are_noticed():
    with pytest.raises(ValueError, match="3 models have 3 pairs; 2"):
        significance_groups([comparison("a", "b", differ=True), comparison("b", "c", differ=True)])


def test_correlations_of_rankings_are_those_of_scipys_documentation():
    # scipy.stats.kendalltau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]) is −0.47140452079103173, with ties in both;
    # scipy.stats.spearmanr([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]) is 0.82078268166812329.
    tied = rank_agreement(named(12, 2, 1, 12, 2), named(1, 4, 7, 1, 0))
    assert tied.kendall_tau_b == pytest.approx(-0.47140452079103173)
    found = rank_agreement(named(1, 2, 3, 4, 5), named(5, 6, 7, 8, 7))
    assert found.spearman == pytest.approx(0.82078268166812329)


def test_scores_that_differ_by_rounding_only_are_tied():
    # The mean of the same three scores, added up in another order.
    one, other = (0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3
    assert one != other
    found, tied = (rank_agreement(named(x, y, 0.1), named(0.5, 0.4, 0.3)) for x, y in ((one, other), (0.2, 0.2)))
    assert (found.kendall_tau_b, found.spearman) == (tied.kendall_tau_b, tied.spearman)
    assert rank_agreement(named(one, other), named(0.5, 0.4)).why == "a judge gives every model the same score"


def test_the_papers_first_two_judges_rank_alike():
    # Only the order counts: any two judges that rank identically have 1.
    scores = {"gemini-3.1-pro": 58.7, "gemini-3-flash": 57.9, "opus-4.8": 53.1, "gpt-4o": 34.2}
    found = rank_agreement(scores, {model: score - 1.8 for model, score in scores.items()})
    assert (found.kendall_tau_b, found.spearman) == (pytest.approx(1), pytest.approx(1))


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ({"a": 1.0}, {"a": 2.0}, "fewer than two models have a score by both"),
        ({"a": 1.0, "b": float("nan")}, {"a": 2.0, "b": 1.0}, "fewer than two models have a score by both"),
        ({"a": 1.0, "b": None}, {"a": 2.0, "b": 1.0}, "fewer than two models have a score by both"),
        ({"a": 1.0, "b": 1.0}, {"a": 2.0, "b": 1.0}, "a judge gives every model the same score"),
    ],
)
def test_correlations_that_are_undefined_are_none_with_a_reason(one, other, why):
    found = rank_agreement(one, other)
    assert (found.kendall_tau_b, found.spearman, found.why) == (None, None, why)


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"a": {}, "b": {}},
        {"a": {"q": 0.1}},
        {"a": {"q": None}, "b": {"q": 0.1}},
        {"a": {"q": 0.1}, "b": {"q": 0.1}},
    ],
)
@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_tables_with_next_to_nothing_have_reasons_and_no_errors(columns, method):
    table = ScoreTable.joined(columns)
    assert all(interval.why for interval in bootstrap_means(table, method=method))
    pairs = compared(table, method=method)
    assert all(pair.why and pair.p_holm is None for pair in pairs)
    assert significance_groups(pairs).groups == ((tuple(columns),) if pairs else ())
    assert rank_intervals(table).why
