from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut_eval.benchmark.settings import ScoringSettings, TierWeights
from gamut_eval.scoring.formula import gamut_score, tier_scores

NAN = float("nan")
COUNTS = st.lists(st.integers(0, 30), min_size=4, max_size=4)
LAMBDAS = st.floats(0, 1)
MUS = st.floats(-50, -0.5)


def settings(lambda_=0.5, mu=-2.0, weights=(0.6, 0.3, 0.1)):
    names = ("answer_critical", "valuable", "context")
    return ScoringSettings(lambda_=lambda_, mu=mu, weights=TierWeights(**dict(zip(names, weights, strict=True))))


@pytest.mark.parametrize(
    ("counts", "lambda_", "mu", "score"),
    [
        ((1, 0, 0, 0), 0.5, -2.0, 1.0),
        ((0, 1, 0, 0), 0.5, -2.0, 0.5),
        ((0, 0, 1, 0), 0.5, -2.0, 0.0),
        ((0, 0, 0, 1), 0.5, -2.0, -1.0),
        ((3, 1, 1, 0), 0.5, -2.0, 0.7),  # 3.5 / 5
        ((1, 0, 0, 1), 0.5, -2.0, -1 / 3),  # -1 / 3
        ((2, 1, 1, 1), 0.5, -2.0, 1 / 12),  # 0.5 / 6
        ((0, 0, 3, 1), 0.5, -2.0, -0.4),  # -2 / 5
        ((1, 0, 0, 1), 0.5, -0.5, 1 / 3),  # 0.5 / 1.5
        ((1, 1, 1, 1), 0.25, -1.0, 0.0625),  # 0.25 / 4
        ((1, 3, 0, 0), 0.0, -2.0, 0.25),
        ((1, 3, 0, 0), 1.0, -2.0, 1.0),
    ],
)
def test_a_tier_s_score_as_computed_by_hand(counts, lambda_, mu, score):
    assert tier_scores(np.array(counts), settings(lambda_, mu)) == pytest.approx(score, abs=1e-15)


def test_a_tier_without_checks_has_no_score():
    assert np.isnan(tier_scores(np.zeros(4), settings()))


@pytest.mark.parametrize(
    ("tiers", "weights", "score"),
    [
        ((1.0, 0.0, -1.0), (0.6, 0.3, 0.1), 0.5),
        ((0.5, 1.0, NAN), (0.6, 0.3, 0.1), 2 / 3),  # 0.6 / 0.9
        ((NAN, 1.0, 0.0), (0.6, 0.3, 0.1), 0.75),  # 0.3 / 0.4
        ((NAN, NAN, -0.25), (0.6, 0.3, 0.1), -0.25),
        ((1.0, 0.0, 0.0), (3, 1, 0), 0.75),
        ((1.0, 0.0, 1.0), (3, 1, 0), 0.75),
        ((NAN, 0.0, 1.0), (3, 1, 0), 0.0),
    ],
)
def test_an_absent_tier_gives_its_weight_to_the_others_in_proportion(tiers, weights, score):
    assert gamut_score(np.array(tiers), settings(weights=weights)) == pytest.approx(score, abs=1e-15)


@pytest.mark.parametrize(("tiers", "weights"), [((NAN, NAN, NAN), (0.6, 0.3, 0.1)), ((NAN, NAN, 1.0), (3, 1, 0))])
def test_without_a_tier_of_weight_there_is_no_score(tiers, weights):
    assert np.isnan(gamut_score(np.array(tiers), settings(weights=weights)))


@given(COUNTS, LAMBDAS, MUS)
def test_a_tier_s_score_agrees_with_exact_fractions_and_stays_in_range(counts, lambda_, mu):
    m, p, s, c = counts
    total = m + p + s + abs(Fraction(mu)) * c
    score = float(tier_scores(np.array(counts), settings(lambda_, mu)))
    if not total:
        assert np.isnan(score)
        return
    assert score == pytest.approx(float((m + Fraction(lambda_) * p + Fraction(mu) * c) / total), abs=1e-12)
    assert -1 <= score <= 1


@given(COUNTS, LAMBDAS, MUS, st.sampled_from([(3, 2), (2, 1), (1, 0), (3, 1), (3, 0), (2, 0)]))
def test_a_better_verdict_in_place_of_a_worse_one_never_lowers_a_score(counts, lambda_, mu, change):
    worse, better = change
    counts[worse] += 1
    after = counts.copy()
    after[worse] -= 1
    after[better] += 1
    low, high = tier_scores(np.array([counts, after]), settings(lambda_, mu))
    assert high >= low - 1e-12


@given(st.lists(COUNTS, min_size=3, max_size=3), LAMBDAS, MUS, st.lists(st.floats(0.01, 100), min_size=3, max_size=3))
def test_a_question_s_score_lies_between_its_tiers_and_depends_only_on_the_ratios_of_weights(c, lambda_, mu, weights):
    tiers = tier_scores(np.array(c), settings(lambda_, mu))
    score = gamut_score(tiers, settings(weights=weights))
    if np.isnan(tiers).all():
        assert np.isnan(score)
        return
    assert np.nanmin(tiers) - 1e-12 <= score <= np.nanmax(tiers) + 1e-12
    assert score == pytest.approx(gamut_score(tiers, settings(weights=[7 * w for w in weights])), abs=1e-12)
