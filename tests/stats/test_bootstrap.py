"""The bootstrap, against published numbers and SciPy's."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from gamut_eval.stats.bootstrap import bootstrap_mean, bootstrap_means, resample, resampling_counts
from gamut_eval.stats.table import ScoreTable

MOUSE_TREATMENT = [94, 197, 16, 38, 99, 141, 23]
MOUSE_CONTROL = [52, 104, 146, 10, 50, 31, 40, 27, 46]
SCORES = np.random.default_rng(5).beta(2, 1, 40) * 2 - 1


def table_of(**columns):
    return ScoreTable.joined({name: {f"q{k:03}": x for k, x in enumerate(own)} for name, own in columns.items()})


def limits(interval):
    return interval.low, interval.high


def test_standard_errors_of_the_mouse_data():
    # Efron and Tibshirani (1993), table 2.2: 23.36 for the treatment group with B = infinity; the control group's is
    # the same formula, the root of the sum of squared deviations over n (their 5.12).
    found = bootstrap_mean(MOUSE_TREATMENT, replicates=100_000)
    assert found.estimate == pytest.approx(86.86, abs=0.005)
    assert found.standard_error == pytest.approx(23.36, rel=0.01)
    control = bootstrap_mean(MOUSE_CONTROL, replicates=100_000)
    assert control.estimate == pytest.approx(56.22, abs=0.005)
    assert control.standard_error == pytest.approx(np.std(MOUSE_CONTROL) / 3, rel=0.01)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_limits_are_those_of_scipy(method, level):
    data = np.sort(np.random.default_rng(0).exponential(size=30))
    drawn = resample(table_of(a=data), replicates=5000)
    reference = scipy.stats.bootstrap(
        (data,),
        np.mean,
        n_resamples=0,
        confidence_level=level,
        method=method,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=drawn.means[:, 0]),
    ).confidence_interval
    found = bootstrap_means(drawn, method=method, level=level)[0]
    assert limits(found) == pytest.approx((reference.low, reference.high), rel=1e-9)
    assert found.method == method


def test_draws_are_as_good_as_scipys():
    data = np.random.default_rng(0).exponential(size=30)
    reference = scipy.stats.bootstrap((data,), np.mean, n_resamples=20_000, rng=np.random.default_rng(1))
    found = bootstrap_mean(data, replicates=20_000, method="BCa")
    assert found.standard_error == pytest.approx(reference.standard_error, rel=0.03)
    assert limits(found) == pytest.approx(tuple(reference.confidence_interval), abs=0.03)


def test_bca_leans_where_the_scores_do():
    data = np.random.default_rng(0).exponential(size=30)
    plain, corrected = bootstrap_mean(data), bootstrap_mean(data, method="BCa")
    assert corrected.low > plain.low
    assert corrected.high > plain.high


@given(st.randoms(use_true_random=False), st.sampled_from(["percentile", "BCa"]))
def test_the_order_of_questions_does_not_matter(random, method):
    places = list(range(len(SCORES)))
    random.shuffle(places)
    clusters = np.arange(len(SCORES)) // 3
    straight = bootstrap_mean(SCORES, clusters=clusters, method=method, replicates=200)
    assert bootstrap_mean(SCORES[places], clusters=clusters[places], method=method, replicates=200) == straight


def test_a_question_without_a_cluster_stands_alone():
    named = ["photo" if k < 2 else None for k in range(len(SCORES))]
    apart = ["photo" if k < 2 else k for k in range(len(SCORES))]
    assert bootstrap_mean(SCORES, clusters=named) == bootstrap_mean(SCORES, clusters=apart)
    assert bootstrap_mean(SCORES, clusters=named).n_clusters == len(SCORES) - 1


def test_names_of_clusters_do_not_matter():
    clusters = np.arange(len(SCORES)) // 3
    named = [f"photo {9 - number % 10}{number}" for number in clusters]
    assert bootstrap_mean(SCORES, clusters=named) == bootstrap_mean(SCORES, clusters=clusters)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_shifting_and_scaling_scores_does_so_to_the_interval(method):
    own = bootstrap_mean(SCORES, method=method)
    shifted = bootstrap_mean(SCORES + 0.25, method=method)
    assert limits(shifted) == pytest.approx((own.low + 0.25, own.high + 0.25))
    scaled = bootstrap_mean(SCORES * 100, method=method)
    assert limits(scaled) == pytest.approx((own.low * 100, own.high * 100))


def test_a_seed_gives_the_same_numbers_and_another_seed_others():
    assert bootstrap_mean(SCORES, seed=3) == bootstrap_mean(SCORES, seed=3)
    assert bootstrap_mean(SCORES, seed=3).low != bootstrap_mean(SCORES, seed=4).low


def test_missing_questions_are_left_out():
    with_gaps = [*SCORES.tolist(), None, float("nan")]
    assert bootstrap_mean(with_gaps) == bootstrap_mean(SCORES)


def test_clusters_of_one_question_change_nothing():
    assert bootstrap_mean(SCORES, clusters=np.arange(len(SCORES))) == bootstrap_mean(SCORES)


def test_passages_that_are_shared_widen_the_interval():
    # Case B33: 10 passages of 10 questions, alike within a passage: the error is about √10 of the naive one.
    scores = np.repeat(np.random.default_rng(1).normal(0, 0.3, 10), 10)
    clusters = np.repeat(np.arange(10), 10)
    naive, clustered = bootstrap_mean(scores), bootstrap_mean(scores, clusters=clusters)
    assert clustered.n_clusters == 10
    assert clustered.n_questions == 100
    assert clustered.standard_error / naive.standard_error == pytest.approx(np.sqrt(10), rel=0.05)
    assert clustered.notes == (clustered.too_few,) == ("only 10 clusters: the interval tends to be too narrow",)


def test_the_interval_is_of_the_mean_over_questions_which_is_what_is_shown():
    # Case B31: two groups of 10 and 1000 with very different means.
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(0.9, 0.01, 10), rng.normal(0.1, 0.01, 1000)])
    found = bootstrap_mean(scores)
    assert found.estimate == pytest.approx(scores.mean())
    assert found.low < found.estimate < found.high < 0.2


@pytest.mark.parametrize(
    ("values", "clusters", "why"),
    [
        ([], None, "no question has a score"),
        ([None, None], None, "no question has a score"),
        ([0.5], None, "one question: there is nothing to resample"),
        ([0.5, 0.7], ["a", "a"], "all 2 questions are in one cluster: there is nothing to resample"),
        ([0.5] * 9, None, "every question has the same score"),
        ([0.1, 0.9, 0.9, 0.1], ["a", "a", "b", "b"], "every replicate has the same mean"),
    ],
)
@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_what_is_undefined_is_none_with_a_reason(values, clusters, why, method):
    found = bootstrap_mean(values, clusters=clusters, method=method)
    assert (found.low, found.high, found.standard_error) == (None, None, None)
    assert found.why == why
    assert (found.estimate is None) == (found.n_questions == 0)


def test_few_questions_are_named_as_such():
    assert bootstrap_mean([0.1, 0.5, 0.3]).notes == ("only 3 questions: the interval tends to be too narrow",)
    assert bootstrap_mean(SCORES).notes == ()


def test_columns_have_means_over_their_own_questions():
    table = table_of(a=[0.1, 0.5, 0.9, 0.2], b=[0.3, None, 0.8, None])
    a, b = bootstrap_means(table)
    assert (a.estimate, a.n_questions) == (pytest.approx(0.425), 4)
    assert (b.estimate, b.n_questions) == (pytest.approx(0.55), 2)
    assert b.notes[-1].endswith("replicates without a score are left out")
    assert limits(b) == pytest.approx((0.3, 0.8))


def test_a_column_has_the_same_interval_whatever_stands_beside_it():
    alone = bootstrap_means(table_of(a=SCORES))[0]
    beside = bootstrap_means(table_of(b=SCORES[::-1], a=SCORES, c=[*SCORES[:-1], None]))[1]
    assert limits(beside) == pytest.approx(limits(alone), abs=1e-12)


def test_replicates_are_paired():
    drawn = resample(table_of(a=SCORES, b=SCORES + 0.1), replicates=500)
    assert np.allclose(drawn.means[:, 1] - drawn.means[:, 0], 0.1)


@pytest.mark.parametrize("n", [1, 2, 1813, 70_000])
def test_each_replicate_draws_as_many_as_there_are(n):
    chunks = [chunk.copy() for chunk in resampling_counts(n, 40, seed=0)]
    counts = np.concatenate(chunks)
    assert counts.shape == (40, n)
    assert (counts.sum(axis=1) == n).all()
    assert counts.mean() == 1
    if n > 1000:  # a question's count is binomial, of variance 1 − 1/n
        assert counts.var() == pytest.approx(1, rel=0.02)


def test_every_question_is_drawn_as_often_in_many_replicates():
    drawn = sum(chunk.sum(axis=0) for chunk in resampling_counts(50, 20_000, seed=1))
    assert np.abs(drawn / 20_000 - 1).max() < 5 * np.sqrt(1 / 20_000)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "between 0 and 1"),
        ({"method": "basic"}, "percentile, BCa"),
        ({"replicates": 0}, "at least 1"),
        ({"clusters": [1, 2]}, "3 values"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_mean([0.1, 0.2, 0.3], **options)


@pytest.mark.parametrize("values", [[[0.1]], [np.inf, 0.1]])
def test_values_that_make_no_sense_are_refused(values):
    with pytest.raises(ValueError, match=r"shape|infinite"):
        bootstrap_mean(values)


def test_nineteen_in_twenty_intervals_hold_the_mean():
    # 400 data sets at once, as columns; the standard error of a share of 95 % is 1.1 points.
    scores = np.random.default_rng(7).beta(2, 1, (100, 400))
    names = tuple(map(str, range(400)))
    table = ScoreTable(scores, tuple(f"q{k:03}" for k in range(100)), names, np.arange(100))
    held = [one.low <= 2 / 3 <= one.high for one in bootstrap_means(table, replicates=1000)]
    assert 0.92 <= np.mean(held) <= 0.98
