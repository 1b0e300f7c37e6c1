"""Two models on shared questions, against published numbers and SciPy's."""

import math
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from gamut_eval.analysis.places import with_holm
from gamut_eval.stats.bootstrap import bootstrap_mean, resample
from gamut_eval.stats.paired import compare_pair, compare_pairs, flip_bound, flips_for, holm, sign_flip_p
from gamut_eval.stats.table import ScoreTable

# Heights of 15 pairs of maize plants, crossed less self-fertilized, in eighths of an inch (Darwin 1876).
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def table_of(clusters=None, **columns):
    return ScoreTable.joined(
        {name: {f"q{k:03}": x for k, x in enumerate(own)} for name, own in columns.items()}, clusters
    )


def paired(n=60, gap=0.05, seed=0):
    rng = np.random.default_rng(seed)
    ease = rng.normal(0.3, 0.4, n)
    return ease + gap + rng.normal(0, 0.05, n), ease + rng.normal(0, 0.05, n)


def compared(table, **options):
    """Each two columns, with Holm's adjustment for all of them."""
    return with_holm(compare_pairs(table, list(combinations(table.columns, 2)), **options))[0]


def width(interval):
    return interval.high - interval.low


def test_fishers_count_of_the_maize_plants():
    # Fisher (1935), section 21: of 32,768 patterns of signs 863 have a sum of 314 or more, so 1,726 are as far from 0.
    found = compare_pair(table_of(crossed=MAIZE, own=[0] * 15), "crossed", "own")
    assert found.exact
    assert found.p_permutation == pytest.approx(1726 / 32_768, abs=1e-12)
    assert (found.wins, found.ties, found.losses) == (13, 0, 2)


def test_random_signs_come_close_to_scipys():
    one, other = paired(40, gap=0.02)
    reference = scipy.stats.permutation_test(
        (one, other),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).pvalue
    found = compare_pair(table_of(a=one, b=other), "a", "b", replicates=20_000)
    assert not found.exact
    assert found.p_permutation == pytest.approx(reference, abs=0.01)
    assert found.p_bootstrap == pytest.approx(reference, abs=0.02)


def test_a_random_p_is_never_0():
    found = compare_pair(table_of(a=np.linspace(1, 2, 5000), b=np.zeros(5000)), "a", "b", replicates=999)
    assert found.p_bootstrap == 1 / 1000
    assert 0 < found.p_permutation < 1e-300


def test_far_out_p_is_a_bound_that_is_never_below_the_exact_one():
    # 30 equal differences: only the two patterns of one sign reach the observed mean.
    p, exact = sign_flip_p(np.ones((30, 1)))
    assert not exact
    assert 2**-29 < p[0] < 4 * math.erfc(math.sqrt(15))


@pytest.mark.parametrize("k", [3, 8, 15])
def test_the_bound_holds_for_sums_of_random_signs(k):
    sums = np.random.default_rng(k).normal(0.5, 1, (k, 500))
    p, exact = sign_flip_p(sums)
    bound = flip_bound(sums)
    assert exact
    assert (p <= bound).all()
    assert (p / bound).max() > 0.2  # and it is not idle


def test_flips_suffice_for_a_family_of_any_size():
    for n_pairs, alpha in ((1, 0.05), (91, 0.05), (528, 0.05), (4950, 0.05), (91, 0.001)):
        assert n_pairs / (flips_for(n_pairs, alpha) + 1) < alpha


def test_many_models_that_are_far_apart_differ_whatever_the_replicates():
    noise = np.random.default_rng(5).uniform(-0.2, 0.2, (60, 34))
    table = table_of(**{f"m{place}": noise[:, place] + place for place in range(34)})
    assert all(pair.p_holm < 0.001 for pair in compared(table, replicates=100))


def test_pairs_by_columns_of_models_are_those_by_columns_of_differences():
    scores = np.round(np.random.default_rng(6).random((40, 4)), 1)  # many ties
    pairs = [(0, 1), (2, 3), (3, 0)]
    differences = np.stack([scores[:, one] - scores[:, other] for one, other in pairs], axis=1)
    assert sign_flip_p(scores, pairs)[0].tolist() == sign_flip_p(differences)[0].tolist()


def test_rows_in_another_order_are_joined_and_those_of_one_side_are_listed():
    # Case B35: the same 50 items, the other's rows shuffled and 3 missing, with a small difference.
    rng = np.random.default_rng(2)
    one = {f"q{k:02}": float(x) for k, x in enumerate(rng.normal(0, 0.5, 50))}
    absent = {"q07", "q11", "q42"}
    shuffled = rng.permutation([q for q in one if q not in absent]).tolist()
    other = {question: one[question] + 0.05 + float(rng.normal(0, 0.01)) for question in shuffled}
    found = compare_pair(ScoreTable.joined({"b": other, "a": one}), "b", "a")
    assert len(found.shared) == found.interval.n_questions == 47
    assert (found.only_one, found.only_other) == ((), ("q07", "q11", "q42"))
    assert found.interval.estimate == pytest.approx(0.05, abs=0.01)
    alone = bootstrap_mean([one[question] for question in found.shared])
    assert width(found.interval) < width(alone) / 20
    assert found.interval.low > 0


def test_a_constant_difference_has_no_interval_but_an_estimate_and_a_permutation_test():
    one = np.random.default_rng(0).normal(size=10)
    found = compare_pair(table_of(a=one + 0.02, b=one), "a", "b")
    assert found.interval.estimate == pytest.approx(0.02)
    assert (found.interval.low, found.interval.high, found.interval.standard_error) == (None, None, None)
    assert found.why.startswith("the difference is the same on every shared question")
    assert found.why == found.interval.why
    assert (found.p_permutation, found.p_bootstrap) == (2 / 2**10, None)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_draws_that_are_there_already_give_the_same_as_drawing_anew(missing, method):
    rng = np.random.default_rng(5)
    columns = dict(zip("abc", rng.normal(size=(3, 40)), strict=True))
    columns["b"] = np.where(rng.random(40) < missing, np.nan, columns["b"])
    table = table_of({f"q{k:03}": (k // 2,) for k in range(40)}, **columns)
    names = [("a", "b"), ("c", "a")]
    anew = compare_pairs(table, names, method=method, replicates=500, seed=3)
    known = compare_pairs(resample(table, replicates=500, seed=3), names, method=method)
    for one, other in zip(anew, known, strict=True):
        by_hand = bootstrap_mean(
            one.differences,
            clusters=[int(name[1:]) // 2 for name in one.shared],
            method=method,
            replicates=500,
            seed=3,
        )
        assert one.interval.estimate == pytest.approx(by_hand.estimate)
        assert (one.interval.low, one.interval.high) == pytest.approx((by_hand.low, by_hand.high), abs=0.1)
        assert (one.interval.low, one.interval.high) == (other.interval.low, other.interval.high)
        assert (one.p_permutation, one.p_bootstrap) == (other.p_permutation, other.p_bootstrap)
        assert other.interval.seed == 3
        assert other.interval.replicates == 500


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ([0.1, None], [None, 0.2], "no question is shared"),
        ([0.1, None], [0.5, 0.2], "one question: there is nothing to resample"),
        ([0.1, 0.5, 0.3], [0.1, 0.5, 0.3], "both have the same score on every shared question"),
    ],
)
def test_what_is_undefined_is_none_with_a_reason(one, other, why):
    found = compare_pair(table_of(a=one, b=other), "a", "b")
    assert (found.p_permutation, found.p_bootstrap) == (None, None)
    assert (found.interval.low, found.interval.high) == (None, None)
    assert found.why == why


def test_the_other_way_round_everything_is_mirrored():
    one, other = paired()
    there, back = (compare_pair(table_of(a=one, b=other), *names) for names in (("a", "b"), ("b", "a")))
    assert back.interval.estimate == pytest.approx(-there.interval.estimate)
    assert (back.interval.low, back.interval.high) == pytest.approx((-there.interval.high, -there.interval.low))
    assert (back.p_permutation, back.p_bootstrap) == (there.p_permutation, there.p_bootstrap)
    assert (back.wins, back.ties, back.losses) == (there.losses, there.ties, there.wins)


def test_pairing_narrows_when_questions_differ_more_than_models():
    one, other = paired()
    found = compare_pair(table_of(a=one, b=other), "a", "b")
    apart = [width(bootstrap_mean(own)) for own in (one, other)]
    assert width(found.interval) < np.hypot(*apart) / 4


def test_clusters_change_sign_together():
    one, other = paired(60, gap=0.0, seed=3)
    shared = {f"q{k:03}": (f"photo {k // 10}",) for k in range(60)}
    table = table_of(shared, a=np.repeat(one[:6], 10), b=np.repeat(other[:6], 10))
    found = compare_pair(table, "a", "b")
    assert found.interval.n_clusters == 6
    assert found.exact
    assert found.p_permutation >= 2 / 2**6
    assert compare_pair(table_of(a=np.repeat(one[:6], 10), b=np.repeat(other[:6], 10)), "a", "b").p_permutation < 0.05


def test_wins_losses_and_ties():
    found = compare_pair(table_of(a=[0.5, 0.7, 0.2, 0.3 + 1e-15], b=[0.1, 0.6, 0.9, 0.3]), "a", "b")
    assert (found.wins, found.losses, found.ties) == (2, 1, 1)


def test_holms_adjustment():
    # R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") gives 0.03 0.06 0.06 0.02.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([None, None]) == [None, None]
    assert holm([]) == []


def test_all_pairs_are_adjusted_together_and_undefined_ones_do_not_count():
    one, other = paired(80, gap=0.012)
    found = compared(table_of(a=one, b=other, c=one))
    assert [(pair.one, pair.other) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found[1].p_holm is None
    assert found[0].p_holm == pytest.approx(min(1, 2 * found[0].p_permutation))


def test_a_pair_is_the_same_by_itself_and_among_others():
    one, other = paired()
    table = table_of(a=one, b=other, c=other[::-1])
    alone, among = compare_pair(table, "a", "b"), compared(table)[0]
    assert (among.interval.low, among.interval.high) == pytest.approx((alone.interval.low, alone.interval.high))
    assert (among.p_permutation, among.p_bootstrap) == (alone.p_permutation, alone.p_bootstrap)


def test_the_tests_hold_their_level():
    # 1,000 pairs of equal models at once, as columns; the standard error of a share of 5 % is 0.7 points.
    differences = np.random.default_rng(3).laplace(0, 0.3, (100, 1000))
    p, _ = sign_flip_p(differences, flips=2000)
    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=0.02)
    assert p.mean() == pytest.approx(0.5, abs=0.03)


def test_a_family_of_equal_models_has_a_false_difference_in_5_of_100_tables_at_most():
    # 200 tables of 8 equal models; the standard error of a share of 5 % is 1.5 points.
    draw = np.random.default_rng(8)
    wrong = 0
    for _ in range(200):
        pairs = list(combinations(range(8), 2))
        p, _ = sign_flip_p(draw.laplace(0, 0.3, (30, 8)), pairs, flips=flips_for(len(pairs), 0.05))
        wrong += min(p) * len(pairs) <= 0.05
    assert 0 < wrong / 200 < 0.1


def test_names_with_a_minus_are_no_trouble():
    found = compared(table_of(**{"a": [1, 2, 3], "b − c": [2, 1, 1], "a − b": [0, 1, 0], "c": [1, 1, 0]}))
    assert len(found) == 6
