"""Numbers of questions, against published ones, statsmodels, the interval and the test themselves."""

import math

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import samplesize_confint_proportion

from gamut_eval.stats import power
from gamut_eval.stats.bootstrap import bootstrap_mean
from gamut_eval.stats.paired import sign_flip_p
from gamut_eval.stats.power import questions_needed, questions_to_tell, smallest_difference, spread

# --- an interval's width -------------------------------------------------------------------------


@pytest.mark.parametrize("half_width", [0.02, 0.05, 0.1])
def test_for_yes_and_no_it_is_little_more_than_statsmodels_number(half_width):
    # A proportion of 0.5 has a standard deviation of 0.5; statsmodels uses the normal quantile.
    normal = samplesize_confint_proportion(0.5, half_width)
    assert normal < questions_needed(half_width, 0.5) < normal + 4


@pytest.mark.parametrize(("half_width", "deviation"), [(0.5, 0.2), (0.1, 0.3), (0.02, 0.4), (3.0, 0.1)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("size", [1, 2.5])
def test_it_is_the_least_that_suffices(half_width, deviation, level, size):
    def reached(n):
        return scipy.stats.t.isf((1 - level) / 2, n / size - 1) * deviation * math.sqrt(2 / n)

    n = questions_needed(half_width, deviation, level=level, design_effect=2, cluster_size=size)
    assert reached(n) <= half_width
    assert n == 2 * size or reached(n - 1) > half_width


def test_an_interval_over_so_many_is_as_wide_as_wanted():
    rng = np.random.default_rng(0)
    n = questions_needed(0.03, spread(rng.beta(2, 1, 4000)).standard_deviation)
    intervals = [bootstrap_mean(rng.beta(2, 1, n), replicates=2000, seed=k) for k in range(20)]
    assert np.mean([one.high - one.low for one in intervals]) == pytest.approx(0.06, rel=0.05)


# --- a difference --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("difference", "deviation", "power", "n"),
    [
        # P. Dalgaard, "Introductory Statistics with R", Springer (2002), section 8.3, a paired test: 19.96892.
        (10, 10 * math.sqrt(2), 0.85, 20),
        # R's pwr.t.test(d = 0.4, power = 0.9, type = "paired"), as published in a course: 67.07532.
        (0.4, 1, 0.9, 68),
        # R's pwr.t.test(d = 0.15, power = 0.8, type = "paired"), likewise: 350.7638.
        (0.15, 1, 0.8, 351),
    ],
)
def test_published_numbers(difference, deviation, power, n):
    assert questions_to_tell(difference, deviation, power=power) == n


def test_a_published_smallest_difference():
    # R's pwr.t.test(n = 32, power = 0.8, type = "paired"), as published in a course.
    assert smallest_difference(32, 1) == pytest.approx(0.5112738, abs=2e-6)


def test_a_published_power():
    # R's pwr.t.test(d = 1, n = 30, type = "one.sample"), in statsmodels' tests.
    assert smallest_difference(30, 1, power=0.9995636009612725) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("tests", [1, 6, 91])
@pytest.mark.parametrize("power", [0.8, 0.95])
@pytest.mark.parametrize("size", [0.1, 0.3, 0.7])
def test_as_statsmodels(size, power, tests):
    def reached(n):  # in the right direction, which is all but all of it
        return TTestPower().power(size, n, 0.025 / tests, alternative="larger")

    n = questions_to_tell(size, 1, power=power, tests=tests)
    assert reached(n) >= power > reached(n - 1)


def test_a_difference_as_large_as_the_half_width_is_found_half_of_the_time():
    n = questions_needed(0.02, 0.35)
    assert smallest_difference(n, 0.35, power=0.5) == pytest.approx(0.02, rel=0.01)
    assert questions_to_tell(0.02, 0.35) > 2 * n


@pytest.mark.parametrize(("effect", "size"), [(1, 1), (2.3, 4), (0.4, 3)])
def test_the_other_way_round(effect, size):
    about = {"design_effect": effect, "cluster_size": size, "tests": 5}
    n = questions_to_tell(0.05, 0.3, **about)
    assert smallest_difference(n, 0.3, **about) <= 0.05 < smallest_difference(n - 1, 0.3, **about)


def test_the_sign_flip_test_finds_it_as_often_as_wanted():
    """Clusters of three that share half of their variance: a design effect of 1 + 2 · 0.5."""
    n = questions_to_tell(0.1, 0.3, design_effect=2, cluster_size=3)
    k = math.ceil(n / 3)
    rng = np.random.default_rng(1)
    sums = 3 * rng.normal(0.1, 0.3 * math.sqrt(0.5), (k, 400)) + rng.normal(0, 0.3 * math.sqrt(1.5), (k, 400))
    p, _ = sign_flip_p(sums, flips=2000)
    assert np.mean(p <= 0.05) == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize(("tests", "fewest"), [(1, 8), (91, 15)])
def test_never_fewer_than_the_sign_flip_test_takes(tests, fewest):
    # 2^(1 − 8) = 0.0078 is below 0.05 / 6, 2^(1 − 15) = 0.00006 below 0.05 / 91 / 6 = 0.00009.
    assert questions_to_tell(1, 1e-6, tests=tests) == fewest
    assert questions_to_tell(1, 1e-6, tests=tests, cluster_size=2) == 2 * fewest
    assert smallest_difference(fewest, 0.1, tests=tests) > 0
    assert smallest_difference(fewest - 1, 0.1, tests=tests) is None
    assert smallest_difference(2 * fewest - 1, 0.1, tests=tests, cluster_size=2) is None


def test_huge_numbers_take_few_steps(monkeypatch):
    tried = []
    monkeypatch.setattr(power, "_power", lambda *given, real=power._power: tried.append(given) or real(*given))
    assert questions_to_tell(1e-6, 1) == pytest.approx(7.8489e12, rel=1e-4)  # (1.95996 + 0.84162)² · 10^12
    assert 40 < len(tried) < 100  # it doubles up to 2^43, and halves the rest
    with pytest.raises(ValueError, match="more than 1,000,000"):
        questions_to_tell(1e-300, 1)
    with pytest.raises(ValueError, match="more than 1,000,000"):
        questions_needed(1e-12, 1)


# --- spread and clusters -------------------------------------------------------------------------


def test_clusters_ask_for_more():
    scores = np.repeat(np.random.default_rng(0).normal(0, 0.3, 200), 4)
    found = spread(scores, np.repeat(np.arange(200), 4))
    assert (found.n_questions, found.n_clusters, found.cluster_size) == (800, 200, 4)
    assert found.design_effect == pytest.approx(4, rel=0.02)
    plain = questions_needed(0.05, found.standard_deviation)
    clustered = questions_needed(0.05, found.standard_deviation, design_effect=found.design_effect, cluster_size=4)
    assert clustered == pytest.approx(4 * plain, rel=0.05)


def test_a_design_effect_by_hand():
    # Deviations −.4, −.2, .2, .4: the clusters' sums ∓.6, robust (.36 + .36) · 2/1 / 16 = .09; plain .4/3 / 4 = .0333.
    assert spread([0.1, 0.3, 0.7, 0.9], ["a", "a", "b", "b"]).design_effect == pytest.approx(2.7)


def test_single_clusters_have_no_effect():
    assert spread(np.random.default_rng(0).normal(0, 0.3, 30)).design_effect == 1


def test_a_design_effect_below_1_is_told_and_not_used():
    found = spread([0.1, 0.9, 0.2, 0.8, 0.1, 0.9], ["a", "a", "b", "b", "c", "c"])
    assert found.design_effect == pytest.approx(0)
    for number, wanted in ((questions_needed, 0.05), (questions_to_tell, 0.05), (smallest_difference, 60)):
        assert number(wanted, 0.3, design_effect=0.38) == number(wanted, 0.3)


def test_scores_that_are_absent_do_not_count():
    found = spread([0.1, None, 0.4, float("nan")], ["a", "a", "b", "b"])
    assert (found.n_questions, found.n_clusters, found.design_effect) == (2, 2, 1)


@pytest.mark.parametrize(
    ("values", "clusters"),
    [([], None), ([0.1], None), ([0.1, 0.2], ["a", "a"]), ([0.5] * 5, None), ([0.3, 0.1 + 0.2], None)],
)
def test_what_is_undefined_is_none_with_a_reason(values, clusters):
    found = spread(values, clusters)
    assert (found.standard_deviation, found.design_effect) == (None, None)
    assert "the spread is unknown" in found.why


# --- what makes no sense -------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("numbers", [(0, 0.3), (-0.1, 0.3), (0.1, 0), (0.1, -1), (0.1, NAN), (NAN, 0.1), (0.1, INF)])
@pytest.mark.parametrize("number", [questions_needed, questions_to_tell, smallest_difference])
def test_numbers_that_make_no_sense_are_refused(number, numbers):
    with pytest.raises(ValueError, match="standard deviation"):
        number(*numbers)


@pytest.mark.parametrize(
    "options", [{"power": 1}, {"power": 0.05}, {"power": NAN}, {"tests": 0}, {"level": 95}, {"design_effect": NAN}]
)
@pytest.mark.parametrize("number", [questions_to_tell, smallest_difference])
def test_options_that_make_no_sense_are_refused(number, options):
    with pytest.raises(ValueError, match=r"between 0 and 1|below 1|design effect"):
        number(20, 0.3, **options)


@pytest.mark.parametrize(("n", "tests"), [(8, 1), (12, 10), (15, 91)])
def test_with_the_fewest_clusters_the_sign_flip_test_is_nearly_as_powerful_as_is_said(n, tests):
    detects = smallest_difference(n, 0.2, tests=tests)
    assert smallest_difference(n - 1, 0.2, tests=tests) is None
    differences = np.random.default_rng(n).normal(detects, 0.2, (n, 600))
    p, _ = sign_flip_p(differences)
    found = np.mean((p <= 0.05 / tests) & (differences.sum(axis=0) > 0))
    assert found == pytest.approx(0.77, abs=0.05)  # three standard errors of 600
