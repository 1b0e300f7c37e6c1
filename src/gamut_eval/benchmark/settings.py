"""The constants a benchmark may set: of scoring (paper's formulas) and of compiling."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, StrictFloat, StrictInt, model_validator

from gamut_eval.rubric.compile import RULES
from gamut_eval.rubric.fields import Model

_LEAST, _LOWEST_MU = 1e-100, -1e6
"""Beyond these, products and sums of floating-point numbers come out as 0 or infinite, and scores wrong."""


class TierWeights(Model):
    """What each tier's score weighs; only their ratios matter."""

    answer_critical: Annotated[StrictFloat, Field(ge=0)] = 0.6
    valuable: Annotated[StrictFloat, Field(ge=0)] = 0.3
    context: Annotated[StrictFloat, Field(ge=0)] = 0.1

    @model_validator(mode="after")
    def _can_be_shared_out(self) -> TierWeights:
        if not any(self.as_tuple()):
            raise ValueError("the weights are all 0; give at least one tier a weight")
        if any(0 < weight < _LEAST for weight in self.as_tuple()):
            raise ValueError(f"a weight is neither 0 nor at least {_LEAST:g}; only their ratios matter")
        if math.isinf(sum(self.as_tuple())):
            raise ValueError("the weights are too large to be added up; only their ratios matter")
        return self

    def as_tuple(self) -> tuple[float, float, float]:
        """The weights in tier order."""
        return (self.answer_critical, self.valuable, self.context)


class ScoringSettings(Model):
    """λ, the credit for *partially meets*; μ, the value of *contradicts*; the tier weights.

    λ is in [0, 1]. μ is at most −0.5: above that, replacing an omission by a contradiction could
    raise a score.
    """

    model_config = ConfigDict(validate_by_name=True)

    lambda_: Annotated[StrictFloat, Field(ge=0, le=1, alias="lambda")] = 0.5
    mu: Annotated[StrictFloat, Field(ge=_LOWEST_MU, le=-0.5)] = -2.0
    weights: TierWeights = TierWeights()

    def to_dict(self) -> dict[str, object]:
        """As `scores.json` records them."""
        weights = dict(zip(("answer_critical", "valuable", "context"), self.weights.as_tuple(), strict=True))
        return {
            "lambda": self.lambda_,
            "mu": self.mu,
            "weights": weights,
            "missing_tier": "proportional",
        }


def _known_rules(value: object) -> object:
    if value != RULES or isinstance(value, bool):
        raise ValueError(f"compile rules {value!r} are not known; this version has rules {RULES}")
    return value


class CompileSettings(Model):
    """The version of the compile rules, and from how many options on a flexible list is long."""

    rules: Annotated[StrictInt, BeforeValidator(_known_rules)] = RULES
    long_list: Annotated[StrictInt, Field(ge=2)] = 8
