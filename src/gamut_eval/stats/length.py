"""Do longer answers score higher? Correlation of score and length within questions, or within models."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gamut_eval.stats.bootstrap import resampling_counts
from gamut_eval.stats.table import Floats, Ints, as_vector, check_level, clusters_of_labels, labels_as_numbers

_SAME = 1e-12


@dataclass(frozen=True)
class PartialCorrelation:
    """Correlation of scores and lengths after the mean of their group is taken off, in [−1, 1], with its interval.

    ``n`` answers in ``n_groups`` groups have a score, a length and another in the group. ``method`` is how the interval
    was made. What is undefined is None, and ``why`` says the reason.
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    n_groups: int
    why: str | None = None
    method: str = "bootstrap of clusters, percentile"


def partial_correlation(
    scores: ArrayLike,
    lengths: ArrayLike,
    given: Sequence[Hashable],
    *,
    clusters: Sequence[Hashable],
    level: float = 0.95,
    replicates: int = 10_000,
    seed: int = 0,
) -> PartialCorrelation:
    """Correlation of score and length, given question or model.

    Given the question: of several answers to one question, do the longer ones score higher? Given the model: do a
    model's longer answers? Neither says that length is the cause.

    Parameters
    ----------
    scores, lengths
        Of answers, shape (n,); NaN and None are left out. Take logarithms of lengths that spread over decades.
    given
        Labels, shape (n,): the question, or the model.
    clusters
        Labels, shape (n,): answers that share one are resampled together for the interval. Name the questions here,
        given the model too: all models answer the same ones.
    level
        Of confidence.
    replicates, seed
        Of the bootstrap.

    Raises
    ------
    ValueError
        Shapes do not fit.

    References
    ----------
    J. M. Bland, D. G. Altman, "Calculating correlation coefficients with repeated observations: Part 1, correlation
    within subjects", BMJ 310 (1995).

    Examples
    --------
    >>> scores, words = [0.2, 0.5, 0.9, 0.1, 0.3, 0.2], [100, 180, 300, 90, 160, 200]
    >>> questions = ["q1", "q1", "q1", "q2", "q2", "q2"]
    >>> found = partial_correlation(scores, words, questions, clusters=questions)
    >>> round(found.value, 3), found.n, found.n_groups
    (0.924, 6, 2)
    """
    check_level(level)
    x, y = as_vector(lengths, "lengths"), as_vector(scores, "scores")
    if not len(x) == len(y) == len(given) == len(clusters):
        sizes = f"{len(y)} scores, {len(x)} lengths, {len(given)} labels, {len(clusters)} clusters"
        raise ValueError(f"{sizes}; as many are needed")
    kept = _in_company(x, y, given)
    x, y = x[kept], y[kept]
    groups = labels_as_numbers([given[place] for place in kept.tolist()])
    n_groups = int(groups.max(initial=-1)) + 1
    dx, dy = _centred(x, groups), _centred(y, groups)
    about = (level, len(x), n_groups)
    if why := _why_undefined(dx, dy, len(x) - n_groups - 1):
        return PartialCorrelation(None, None, None, *about, why)
    value = float(np.clip(dx @ dy / sqrt((dx @ dx) * (dy @ dy)), -1, 1))
    if 1 - value**2 <= _SAME:
        perfect = "the correlation is perfect: how sure it is cannot be told"
        return PartialCorrelation(value, None, None, *about, perfect)
    numbers = clusters_of_labels([clusters[place] for place in kept.tolist()], len(kept))
    low, high, told = _resampled((dx, dy), groups, numbers, level, (replicates, seed))
    return PartialCorrelation(value, low, high, *about, told)


def _in_company(x: Floats, y: Floats, given: Sequence[Hashable]) -> NDArray[np.intp]:
    """Places that have both numbers, in groups where another has."""
    known = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    numbers = labels_as_numbers([given[place] for place in known.tolist()])
    return known[np.bincount(numbers)[numbers] > 1] if len(known) else known


def _centred(values: Floats, groups: Ints) -> Floats:
    if not len(values):
        return values
    return np.asarray(values - (np.bincount(groups, weights=values) / np.bincount(groups))[groups])


def _why_undefined(dx: Floats, dy: Floats, degrees: int) -> str | None:
    if degrees < 1:
        return "too few answers: no degrees of freedom are left"
    if np.abs(dx).max() <= _SAME:
        return "lengths do not differ within any group"
    if np.abs(dy).max() <= _SAME:
        return "scores do not differ within any group"
    return None


def _resampled(
    centred: tuple[Floats, Floats], groups: Ints, clusters: Ints, level: float, draws: tuple[int, int]
) -> tuple[float | None, float | None, str | None]:
    """Percentile limits of the correlation, with groups' means taken anew in each replicate."""
    k = int(clusters.max()) + 1
    if k < 2:
        return None, None, "one cluster: there is nothing to resample"
    dx, dy = centred
    moments = np.stack([np.bincount(clusters, weights=w, minlength=k) for w in (dx * dx, dy * dy, dx * dy)], axis=1)
    within = _nested(groups, clusters)
    sums = [] if within else [_by_group(w, groups, clusters) for w in (np.ones(len(dx)), dx, dy)]
    found = []
    for counts in resampling_counts(k, *draws):
        xx, yy, xy = (counts @ moments).T
        if not within:
            n, sx, sy = (counts @ one for one in sums)
            n = np.maximum(n, 1)
            xx, yy, xy = xx - (sx**2 / n).sum(1), yy - (sy**2 / n).sum(1), xy - (sx * sy / n).sum(1)
        product = xx * yy
        usable = product > _SAME**2
        found.append(xy[usable] / np.sqrt(product[usable]))
    values = np.clip(np.concatenate(found), -1, 1)
    if len(values) < 2:
        return None, None, "no replicate has a correlation"
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), None


def _nested(groups: Ints, clusters: Ints) -> bool:
    """Whether each group lies within one cluster: then its mean is the same in every replicate."""
    first = np.zeros(int(groups.max()) + 1, dtype=np.int64)
    first[groups] = clusters
    return bool((first[groups] == clusters).all())


def _by_group(weights: Floats, groups: Ints, clusters: Ints) -> Floats:
    """Sums by cluster and group, shape (k, g)."""
    k, g = int(clusters.max()) + 1, int(groups.max()) + 1
    return np.asarray(np.bincount(clusters * g + groups, weights=weights, minlength=k * g).reshape(k, g), np.float64)
