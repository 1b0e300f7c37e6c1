import math

import pytest
from pydantic import ValidationError

from gamut_eval.benchmark.settings import CompileSettings, ScoringSettings, TierWeights


def test_the_defaults_are_the_papers_constants():
    assert ScoringSettings().to_dict() == {
        "lambda": 0.5,
        "mu": -2.0,
        "weights": {"answer_critical": 0.6, "valuable": 0.3, "context": 0.1},
        "missing_tier": "proportional",
    }
    assert (CompileSettings().rules, CompileSettings().long_list) == (1, 8)


@pytest.mark.parametrize(
    "values", [{"lambda_": 0}, {"lambda_": 1}, {"lambda": 0.3}, {"mu": -0.5}, {"mu": -100}], ids=str
)
def test_values_at_the_limits_are_accepted_as_numbers(values):
    settings = ScoringSettings(**values)
    assert isinstance(settings.lambda_, float)
    assert isinstance(settings.mu, float)
    assert {settings.lambda_, settings.mu} & set(values.values())


@pytest.mark.parametrize("value", [-0.001, 1.001, math.nan, math.inf, "0.5", True, None, 10**400])
def test_lambda_is_a_number_from_0_to_1(value):
    with pytest.raises(ValidationError):
        ScoringSettings(lambda_=value)


@pytest.mark.parametrize("value", [-0.499, 0, 2, math.nan, -math.inf, -1e308, "-2", True, None, -(10**400)])
def test_mu_is_a_finite_number_of_at_most_minus_one_half(value):
    with pytest.raises(ValidationError):
        ScoringSettings(mu=value)


@pytest.mark.parametrize("value", [-0.001, math.nan, math.inf, "1", True, None, 10**400])
def test_a_weight_is_a_finite_number_from_0_on(value):
    with pytest.raises(ValidationError):
        TierWeights(valuable=value)


def test_weights_have_a_sum_to_share():
    assert TierWeights(answer_critical=0, valuable=0, context=1).as_tuple() == (0.0, 0.0, 1.0)
    with pytest.raises(ValidationError, match="all 0; give at least one tier a weight"):
        TierWeights(answer_critical=0, valuable=0, context=0)
    with pytest.raises(ValidationError, match="too large to be added up"):
        TierWeights(answer_critical=1e308, valuable=1e308, context=0)
    with pytest.raises(ValidationError, match="neither 0 nor at least 1e-100"):
        TierWeights(answer_critical=5e-324, valuable=5e-324, context=0)


@pytest.mark.parametrize("rules", [0, 2, "1", True, None, 1.5])
def test_unknown_compile_rules_are_refused(rules):
    with pytest.raises(ValidationError):
        CompileSettings(rules=rules)


@pytest.mark.parametrize("long_list", [1, 0, -1, 8.0, "8", True, None])
def test_long_list_is_a_whole_number_from_2_on(long_list):
    with pytest.raises(ValidationError):
        CompileSettings(long_list=long_list)
