"""How a score is made, told with the constants that were used."""

from __future__ import annotations

from gamut_eval.benchmark.settings import ScoringSettings
from gamut_eval.reports.wording import TIER_MEANS, TIER_NAMES, TIER_SHORT
from gamut_eval.rubric.fields import TIERS

TIERS_EXPLAINED = "; ".join(f"{TIER_NAMES[tier]} ({TIER_SHORT[tier]}): {TIER_MEANS[tier]}" for tier in TIERS)


def made_how(settings: ScoringSettings) -> str:
    """From verdicts to a tier's score, a question's and a model's.

    >>> made_how(ScoringSettings())[:73]
    'A tier’s score is (meets + 0.5 × partially meets − 2 × contradicts) ÷ (me'
    """
    partly, wrong = _short(settings.lambda_), _short(-settings.mu)
    every = f"meets + partially meets + missing + {wrong} × contradicts"
    shares = zip(TIERS, settings.weights.as_tuple(), strict=True)
    weights = ", ".join(f"{TIER_NAMES[tier]} {_short(weight)}" for tier, weight in shares)
    return (
        f"A tier’s score is (meets + {partly} × partially meets − {wrong} × contradicts) ÷ ({every}), in numbers of "
        f"checks (λ = {partly}, μ = −{wrong}). A question’s Gamut is the mean of its tiers, weighted {weights}; "
        "a tier without checks leaves its weight to the others. A model’s scores are means over questions. "
        f"{TIERS_EXPLAINED}."
    )


def _short(number: float) -> str:
    return f"{number:g}"
