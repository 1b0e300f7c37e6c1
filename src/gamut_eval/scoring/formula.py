"""The paper's two formulas, over arrays of counts (paper, "Judging and scoring")."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gamut_eval.benchmark.settings import ScoringSettings

Floats = NDArray[np.float64]


def tier_scores(counts: NDArray[Any], settings: ScoringSettings) -> Floats:
    """Each tier's score, (M + λP + μC) / (M + P + S + |μ|C).

    Parameters
    ----------
    counts
        Shape (…, 4): how many checks *meet*, *partially meet*, are *missing*, *contradict*.
    settings
        λ and μ.

    Returns
    -------
    Shape (…), in [−1, 1]; NaN for a tier without checks.

    Examples
    --------
    >>> tier_scores(np.array([[3, 1, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]]), ScoringSettings()).tolist()
    [0.7, -0.3333333333333333, nan]
    """
    meets, partial, missing, contradicts = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    credit = meets + settings.lambda_ * partial + settings.mu * contradicts
    total = meets + partial + missing - settings.mu * contradicts
    return _ratio(credit, total)


def gamut_score(tiers: Floats, settings: ScoringSettings) -> Floats:
    """The weighted mean of the tiers that a question has; an absent tier's weight goes to the others in proportion.

    Parameters
    ----------
    tiers
        Shape (…, 3): Answer-Critical, Valuable, Context; NaN for an absent tier.
    settings
        The tier weights.

    Returns
    -------
    Shape (…), in [−1, 1]; NaN where no tier that is present has a weight.

    Examples
    --------
    >>> round(float(gamut_score(np.array([0.5, 1.0, np.nan]), ScoringSettings())), 6)
    0.666667
    """
    present = ~np.isnan(tiers)
    weights = np.where(present, np.array(settings.weights.as_tuple()), 0.0)
    total = weights.sum(axis=-1)
    weighed = (weights * np.where(present, tiers, 0.0)).sum(axis=-1)
    return _ratio(weighed, total)


def _ratio(above: Floats, below: Floats) -> Floats:
    ratio: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
    return ratio
