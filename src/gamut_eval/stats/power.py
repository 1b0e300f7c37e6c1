"""How many questions it takes for an interval of a wanted width."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gamut_eval.extras import needed
from gamut_eval.stats.table import Floats, Ints, as_vector, check_level, clusters_of_labels


@dataclass(frozen=True)
class Needed:
    """Number of questions for an interval of mean ± ``half_width``, or None with the reason in ``why``.

    ``standard_deviation`` is that of scores between questions, ``design_effect`` by how much clusters enlarge the
    variance of the mean. ``assumes`` says what has to hold.
    """

    n_questions: int | None
    half_width: float
    level: float
    standard_deviation: float | None
    design_effect: float
    assumes: tuple[str, ...]
    why: str | None = None


def questions_needed(
    half_width: float, standard_deviation: float, *, level: float = 0.95, design_effect: float = 1.0
) -> Needed:
    """Number of questions for a wanted half-width, from the spread of scores.

    The least n with t·s·√(d/n) ≤ half-width, t the quantile of Student's distribution with n − 1 degrees of freedom.

    Parameters
    ----------
    half_width
        Wanted, above 0, in the scores' unit: 0.02 is two points of a percentage.
    standard_deviation
        s, of scores between questions; of the differences, where two models are to be compared.
    level
        Of confidence.
    design_effect
        d: variance of the mean with clusters, as a multiple of that without.

    Raises
    ------
    ValueError
        A number makes no sense.
    MissingExtraError
        SciPy is not installed.

    References
    ----------
    W. G. Cochran, "Sampling Techniques", 3rd edition, Wiley (1977), chapters 4 and 9.

    Examples
    --------
    >>> questions_needed(0.02, 0.35).n_questions
    1179
    """
    check_level(level)
    if not (half_width > 0 and standard_deviation >= 0 and design_effect > 0):
        raise ValueError(f"half-width {half_width}, deviation {standard_deviation}, design effect {design_effect}")
    told = (
        "questions, or clusters of them, are drawn independently from those that the score is to stand for",
        f"scores spread as here: standard deviation {standard_deviation:.3g}",
        f"questions are clustered as here: design effect {design_effect:.3g}",
        "the mean is close to normal",
    )
    about = (half_width, level, standard_deviation, design_effect, told)
    if standard_deviation == 0:
        return Needed(None, *about, "every score is the same: the spread is unknown")
    stats = needed("scipy.stats", "the number of questions")
    scale = design_effect * (standard_deviation / half_width) ** 2
    n = max(2, math.ceil(scale * float(stats.norm.isf((1 - level) / 2)) ** 2))
    while scale * float(stats.t.isf((1 - level) / 2, n - 1)) ** 2 > n:
        n += 1  # few steps: the t quantile asks for a handful more than the normal one
    return Needed(n, *about)


def questions_needed_from(
    values: ArrayLike, half_width: float, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> Needed:
    """The same, with spread and clustering estimated from scores at hand.

    Parameters
    ----------
    values
        Scores of questions, or differences of two models' scores, shape (n,); NaN and None are left out.
    half_width
        Wanted.
    clusters
        Labels, shape (n,); None stands alone.
    level
        Of confidence.

    Examples
    --------
    >>> found = questions_needed_from([0.1, 0.3, 0.7, 0.9], 0.1, clusters=["a", "a", "b", "b"])
    >>> found.n_questions, round(found.standard_deviation, 3), round(found.design_effect, 3)
    (141, 0.365, 2.7)
    >>> questions_needed_from([0.4], 0.1).why
    'fewer than two questions, or clusters of them: the spread is unknown'
    """
    check_level(level)
    given = as_vector(values)
    known = ~np.isnan(given)
    scores, numbers = given[known], clusters_of_labels(clusters, len(given))[known]
    if len(np.unique(numbers)) < 2:
        why = "fewer than two questions, or clusters of them: the spread is unknown"
        return Needed(None, half_width, level, None, 1.0, (), why)
    deviation = float(scores.std(ddof=1)) if np.ptp(scores) > 0 else 0.0
    effect = _design_effect(scores, numbers) if deviation else 1.0
    return questions_needed(half_width, deviation, level=level, design_effect=effect)


def _design_effect(scores: Floats, numbers: Ints) -> float:
    """The cluster-robust variance of the mean over the plain one; 1 where every question is its own cluster."""
    sums = np.bincount(numbers, weights=scores - scores.mean())
    k = len(np.unique(numbers))
    robust = float((sums**2).sum()) * k / (k - 1) / len(scores) ** 2
    plain = float(scores.var(ddof=1)) / len(scores)
    return robust / plain
