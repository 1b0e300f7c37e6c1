"""Numbers of questions, against statsmodels and the interval itself."""

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.proportion import samplesize_confint_proportion

from gamut_eval.stats.bootstrap import bootstrap_mean
from gamut_eval.stats.power import questions_needed, questions_needed_from


@pytest.mark.parametrize("half_width", [0.02, 0.05, 0.1])
def test_for_yes_and_no_it_is_little_more_than_statsmodels_number(half_width):
    # A proportion of 0.5 has a standard deviation of 0.5; statsmodels uses the normal quantile.
    normal = samplesize_confint_proportion(0.5, half_width)
    assert normal < questions_needed(half_width, 0.5).n_questions < normal + 4


@pytest.mark.parametrize(("half_width", "deviation"), [(0.5, 0.2), (0.1, 0.3), (0.02, 0.4), (3.0, 0.1)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_it_is_the_least_that_suffices(half_width, deviation, level):
    def reached(n):
        return scipy.stats.t.isf((1 - level) / 2, n - 1) * deviation / np.sqrt(n)

    n = questions_needed(half_width, deviation, level=level).n_questions
    assert reached(n) <= half_width
    assert n == 2 or reached(n - 1) > half_width


def test_an_interval_over_so_many_is_as_wide_as_wanted():
    rng = np.random.default_rng(0)
    pilot = rng.beta(2, 1, 4000)
    n = questions_needed_from(pilot, 0.03).n_questions
    widths = [bootstrap_mean(rng.beta(2, 1, n), replicates=2000, seed=k).half_width for k in range(20)]
    assert np.mean(widths) == pytest.approx(0.03, rel=0.05)


def test_clusters_ask_for_more():
    scores = np.repeat(np.random.default_rng(0).normal(0, 0.3, 200), 4)
    plain = questions_needed_from(scores, 0.05)
    clustered = questions_needed_from(scores, 0.05, clusters=np.repeat(np.arange(200), 4))
    assert clustered.design_effect == pytest.approx(4, rel=0.02)
    assert clustered.n_questions == pytest.approx(4 * plain.n_questions, rel=0.05)
    assert any("design effect 4" in told for told in clustered.assumes)


def test_single_clusters_have_no_effect():
    scores = np.random.default_rng(0).normal(0, 0.3, 30)
    assert questions_needed_from(scores, 0.05).design_effect == pytest.approx(1)


@pytest.mark.parametrize(
    ("values", "clusters"), [([], None), ([0.1], None), ([0.1, 0.2], ["a", "a"]), ([0.5] * 5, None)]
)
def test_what_is_undefined_is_none_with_a_reason(values, clusters):
    found = questions_needed_from(values, 0.1, clusters=clusters)
    assert found.n_questions is None
    assert "the spread is unknown" in found.why


@pytest.mark.parametrize("numbers", [(0, 0.3), (-0.1, 0.3), (0.1, -1), (0.1, float("nan"))])
def test_numbers_that_make_no_sense_are_refused(numbers):
    with pytest.raises(ValueError, match="half-width"):
        questions_needed(*numbers)
