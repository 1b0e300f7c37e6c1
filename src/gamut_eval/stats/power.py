"""How many questions it takes to know a score, or to tell two models apart, and what those at hand can tell."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gamut_eval.extras import needed
from gamut_eval.stats.table import Floats, Ints, as_vector, check_level, clusters_of_labels

_MOST = 10**15
_FINER = 6
_SAME = 1e-12
_ALIKE = "every score, or every difference, is the same: the spread is unknown"
_FEW = "fewer than two questions, or clusters of them: the spread is unknown"


@dataclass(frozen=True)
class Spread:
    """How scores, or differences of two models' scores, spread between questions: what a plan rests on.

    ``design_effect`` is the variance of the mean with clusters, as a multiple of that without. Both numbers are None
    where they are unknown, and ``why`` says the reason.
    """

    n_questions: int
    n_clusters: int
    standard_deviation: float | None
    design_effect: float | None
    why: str | None = None

    @property
    def cluster_size(self) -> float:
        """Mean number of questions a cluster; 1 where there are none."""
        return self.n_questions / self.n_clusters if self.n_clusters else 1.0


def spread(values: ArrayLike, clusters: ArrayLike | None = None) -> Spread:
    """Estimate spread and clustering from scores at hand.

    Parameters
    ----------
    values
        Scores of questions, or differences of two models' scores, shape (n,); NaN and None are left out.
    clusters
        Labels, shape (n,); None stands alone.

    Examples
    --------
    >>> found = spread([0.1, 0.3, 0.7, 0.9], clusters=["a", "a", "b", "b"])
    >>> round(found.standard_deviation, 3), round(found.design_effect, 3), found.cluster_size
    (0.365, 2.7, 2.0)
    >>> spread([0.4]).why
    'fewer than two questions, or clusters of them: the spread is unknown'
    """
    given = as_vector(values)
    known = ~np.isnan(given)
    scores, numbers = given[known], clusters_of_labels(clusters, len(given))[known]
    n, k = len(scores), len(np.unique(numbers))
    if k < 2:
        return Spread(n, k, None, None, _FEW)
    if np.ptp(scores) <= _SAME:
        return Spread(n, k, None, None, _ALIKE)
    return Spread(n, k, float(scores.std(ddof=1)), 1.0 if k == n else _design_effect(scores, numbers, k))


def _design_effect(scores: Floats, numbers: Ints, k: int) -> float:
    """The cluster-robust variance of the mean over the plain one."""
    sums = np.bincount(numbers, weights=scores - scores.mean())
    robust = float((sums**2).sum()) * k / (k - 1) / len(scores) ** 2
    return robust / (float(scores.var(ddof=1)) / len(scores))


def questions_needed(
    half_width: float,
    standard_deviation: float,
    *,
    level: float = 0.95,
    design_effect: float = 1.0,
    cluster_size: float = 1.0,
) -> int:
    """Number of questions for an interval of mean ± ``half_width``.

    The least n with t·s·√(d/n) ≤ half-width, t the quantile of Student's distribution with as many degrees of freedom
    as there are clusters, less one.

    Parameters
    ----------
    half_width
        Wanted, above 0, in the scores' unit: 0.02 is two points of a percentage.
    standard_deviation
        s, above 0, of scores between questions; of the differences, where two models are to be compared.
    level
        Of confidence.
    design_effect
        d. One below 1 counts as 1: it comes from few clusters, and a plan should not bet on it.
    cluster_size
        Questions a cluster.

    Raises
    ------
    ValueError
        A number makes no sense, or there would be more than 10^15 questions.
    MissingExtraError
        SciPy is not installed.

    References
    ----------
    W. G. Cochran, "Sampling Techniques", 3rd edition, Wiley (1977), chapters 4 and 9.

    Examples
    --------
    >>> questions_needed(0.02, 0.35)
    1179
    """
    _check(half_width, standard_deviation, level, design_effect, cluster_size)
    t = needed("scipy.stats", "the number of questions").t
    scale = standard_deviation * math.sqrt(max(1.0, design_effect))

    def enough(n: int) -> bool:
        width = t.isf((1 - level) / 2, n / cluster_size - 1) * scale / math.sqrt(n)
        return bool(width <= half_width)

    return _least(enough, math.ceil(2 * cluster_size))


def questions_to_tell(
    difference: float,
    standard_deviation: float,
    *,
    level: float = 0.95,
    power: float = 0.8,
    tests: int = 1,
    design_effect: float = 1.0,
    cluster_size: float = 1.0,
) -> int:
    """Number of questions with which a test finds a true difference of two models with a wanted probability.

    The least n for which a two-sided t test of the paired differences has the ``power`` to find it, in the right
    direction (noncentral t). It is at least so many that the sign-flip test, by which models are compared, is nearly as
    powerful: that its smallest p is a sixth of the one asked for, or less. (By simulation of normal differences it then
    finds in 75 to 80% of the cases what is to be found in 80%; with still fewer questions in as few as 58%.)

    Parameters
    ----------
    difference
        Of the models' mean scores, above 0, in the scores' unit: 0.02 is two points of a percentage.
    standard_deviation
        Of the differences of the two models' scores between questions, above 0.
    level
        The difference is found where p ≤ 1 − ``level``.
    power
        The probability, above 1 − ``level`` and below 1.
    tests
        How many differences are tested together. Each then needs p ≤ (1 − ``level``) / ``tests``, which is the worst
        case of Holm's adjustment (Bonferroni's).
    design_effect, cluster_size
        As in `questions_needed`.

    Raises
    ------
    ValueError
        A number makes no sense, or there would be more than 10^15 questions.
    MissingExtraError
        SciPy is not installed.

    References
    ----------
    J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 2nd edition, Erlbaum (1988), chapter 2.

    Examples
    --------
    One pair, and each of the 91 pairs of 14 models:

    >>> questions_to_tell(0.02, 0.2), questions_to_tell(0.02, 0.2, tests=91)
    (787, 1853)
    """
    _check(difference, standard_deviation, level, design_effect, cluster_size)
    alpha = _alpha(level, power, tests)
    scale = standard_deviation * math.sqrt(max(1.0, design_effect))

    def enough(n: int) -> bool:
        return _power(alpha, n / cluster_size - 1, difference * math.sqrt(n) / scale) >= power

    return _least(enough, math.ceil(_fewest_clusters(alpha) * cluster_size))


def smallest_difference(
    n_questions: int,
    standard_deviation: float,
    *,
    level: float = 0.95,
    power: float = 0.8,
    tests: int = 1,
    design_effect: float = 1.0,
    cluster_size: float = 1.0,
) -> float | None:
    """The smallest true difference that so many questions find with a wanted probability.

    `questions_to_tell` the other way round, with its parameters.

    Returns
    -------
    None where there are so few clusters that the sign-flip test finds a difference by good luck only, however large.

    Examples
    --------
    >>> round(smallest_difference(787, 0.2), 4), round(smallest_difference(100, 0.2), 4), smallest_difference(5, 0.2)
    (0.02, 0.0566, None)
    """
    _check(n_questions, standard_deviation, level, design_effect, cluster_size)
    alpha, n_clusters = _alpha(level, power, tests), round(n_questions / cluster_size, 9)
    if n_clusters < _fewest_clusters(alpha):
        return None
    optimize = needed("scipy.optimize", "the smallest difference")

    def lacking(noncentrality: float) -> float:
        return _power(alpha, n_clusters - 1, noncentrality) - power

    high = 1.0
    while lacking(high) < 0:
        high *= 2
    found = float(optimize.brentq(lacking, 0.0, high))
    return found * standard_deviation * math.sqrt(max(1.0, design_effect) / n_questions)


def _power(alpha: float, freedom: float, noncentrality: float) -> float:
    """How often a two-sided t test finds a difference in the right direction."""
    stats: Any = needed("scipy.stats", "the number of questions")
    return float(stats.nct.sf(stats.t.isf(alpha / 2, freedom), freedom, noncentrality))


def _fewest_clusters(alpha: float) -> int:
    """From how many on the smallest p of a sign-flip test, 2^(1 − k), is small enough for it to be powerful."""
    return math.ceil(1 - math.log2(alpha / _FINER))


def _least(enough: Callable[[int], bool], fewest: int) -> int:
    """The least n that is enough; every greater one is, too."""
    high = fewest
    while not enough(high):
        high *= 2
        if high > _MOST:
            raise ValueError(f"that would take more than {_MOST:,} questions")
    return bisect_left(range(high), True, lo=fewest, key=enough)


def _alpha(level: float, power: float, tests: int) -> float:
    alpha = round(1 - level, 12)
    if not (alpha < power < 1 and tests >= 1):
        raise ValueError(f"power {power} at level {level}, {tests} tests: the power is above {alpha} and below 1")
    return alpha / tests


def _check(wanted: float, deviation: float, level: float, effect: float, size: float) -> None:
    check_level(level)
    if not (0 < wanted < math.inf and 0 < deviation < math.inf and 0 <= effect < math.inf and 1 <= size < math.inf):
        raise ValueError(
            f"{wanted} wanted, standard deviation {deviation}, design effect {effect}, cluster size {size}: "
            "each is finite, the first two above 0, the design effect at least 0, the cluster size at least 1"
        )
