"""How far a mean over questions could be off, had other questions of the kind been asked: the bootstrap.

Questions are drawn with replacement, as many as there are; those of one cluster (an image, a group) together. One set
of draws serves all columns of a table, so that their differences are paired.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gamut_eval.extras import needed
from gamut_eval.stats.table import Floats, Ints, ScoreTable, as_vector, check_level, clusters_of_labels

Method = Literal["percentile", "BCa"]
FEW_CLUSTERS = 30
"""With fewer clusters an interval says that it may be too narrow."""

_CHUNK = 2**20
"""Most counts held at a time, 8 MB. Draws depend on it: a change changes the numbers of a seed."""
_IN_CACHE = 2**15
_SAME = 1e-12


@dataclass(frozen=True)
class Interval:
    """A mean over questions, each counted once, and its bootstrap interval.

    ``estimate``, ``low``, ``high`` and ``standard_error`` have the scores' unit; those that are undefined are None, and
    ``why`` says the reason. ``method`` is how the interval was made. ``n_questions`` are those with a score,
    ``n_clusters`` how many clusters they are in. ``n_empty`` replicates had no score and are left out.
    """

    estimate: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    level: float
    method: Method
    n_questions: int
    n_clusters: int
    replicates: int
    seed: int
    why: str | None = None
    n_empty: int = 0

    @property
    def too_few(self) -> str | None:
        """What to mind where the interval rests on few clusters."""
        if self.why is not None or self.n_clusters >= FEW_CLUSTERS:
            return None
        what = "questions" if self.n_questions == self.n_clusters else "clusters"
        return f"only {self.n_clusters} {what}: the interval tends to be too narrow"

    @property
    def notes(self) -> tuple[str, ...]:
        """All cautions."""
        empty = f"{self.n_empty} replicates without a score are left out" if self.why is None and self.n_empty else None
        return tuple(note for note in (self.too_few, empty) if note)


@dataclass(frozen=True, eq=False)
class Totals:
    """What is resampled: for each cluster and column the sum of scores, shape (k, m), and the number of questions.

    ``sizes`` has shape (k, u), one column for each pattern of missing scores; ``pattern``, shape (m,), says whose.
    """

    sums: Floats
    sizes: Floats
    pattern: Ints

    @property
    def n(self) -> Floats:
        """Number of questions of each column, shape (m,)."""
        return np.asarray(self.sizes.sum(axis=0)[self.pattern])

    def means(self, weights: Floats) -> Floats:
        """Means with each cluster counted as often as the weights say.

        ``weights``: shape (b, k). Returns shape (b, m); NaN where a column has none of the questions.
        """
        n = (weights @ self.sizes)[:, self.pattern]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((weights @ self.sums) / n)

    def without_each(self) -> Floats:
        """Means with one cluster left out in turn (the jackknife), shape (k, m)."""
        sizes = self.sizes[:, self.pattern]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((self.sums.sum(axis=0) - self.sums) / (sizes.sum(axis=0) - sizes))


@dataclass(frozen=True, eq=False)
class Resampled:
    """Means of all columns in each replicate of the questions, by one set of draws.

    ``means``: shape (replicates, m); NaN where a replicate has none of a column's questions.
    """

    table: ScoreTable
    totals: Totals
    means: Floats
    seed: int


def bootstrap_mean(
    values: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    method: Method = "percentile",
    replicates: int = 10_000,
    seed: int = 0,
) -> Interval:
    """The mean of one model's scores with its bootstrap interval. The order of the questions does not matter.

    Parameters
    ----------
    values
        A score a question, shape (n,); NaN and None are left out.
    clusters
        Labels, shape (n,): questions that share one are resampled together; None is shared with nobody.
    level
        Of confidence.
    method
        ``percentile``, or ``BCa``: corrected for bias and skewness, which needs the extra ``stats``.
    replicates
        Number of resamples.
    seed
        The same seed gives the same numbers.

    Returns
    -------
    Without limits, but with a reason, for fewer than two clusters or identical values.

    Raises
    ------
    ValueError
        Shapes do not fit, or the level, the method or the number of replicates makes no sense.
    MissingExtraError
        BCa is asked for, and SciPy is not installed.

    References
    ----------
    B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall (1993), chapters 13 and 14.
    C. A. Field, A. H. Welsh, "Bootstrapping clustered data", Journal of the Royal Statistical Society B 69 (2007).

    Examples
    --------
    >>> interval = bootstrap_mean([0.2, 0.9, 0.4, 0.7, 0.6, 0.5])
    >>> round(interval.estimate, 3), round(interval.low, 3), round(interval.high, 3)
    (0.55, 0.367, 0.733)
    >>> bootstrap_mean([0.5]).low is None, bootstrap_mean([0.5]).why
    (True, 'one question: there is nothing to resample')
    """
    given = as_vector(values)
    labels = clusters_of_labels(clusters, len(given))
    order = _canonical(given, labels)
    numbers = _renumbered(labels[order])
    names = tuple(f"{place:09}" for place in range(len(order)))
    table = ScoreTable(given[order][:, None], names, ("mean",), numbers)
    return bootstrap_means(table, level=level, method=method, replicates=replicates, seed=seed)[0]


def _canonical(values: Floats, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places of the values there are, by cluster, in an order that depends on values and not on where they stood."""
    known = np.flatnonzero(~np.isnan(values))
    known = known[np.lexsort((values[known], labels[known]))]
    runs: dict[int, list[int]] = {}
    for place in known.tolist():
        runs.setdefault(int(labels[place]), []).append(place)
    ordered = sorted(runs.values(), key=lambda run: values[run].tolist())
    return np.array([place for run in ordered for place in run], dtype=np.int64)


def _renumbered(labels: NDArray[np.int64]) -> Ints:
    """Runs of one label, numbered from 0."""
    return np.cumsum(np.diff(labels, prepend=labels[:1]) != 0, dtype=np.int64)


def bootstrap_means(
    table: ScoreTable | Resampled,
    *,
    level: float = 0.95,
    method: Method = "percentile",
    replicates: int = 10_000,
    seed: int = 0,
) -> tuple[Interval, ...]:
    """The mean of each column over the questions it has, with its interval, all by one set of draws.

    Parameters
    ----------
    table
        Scores, or what `resample` made of them; then its own replicates and seed count.
    level, method, replicates, seed
        As in `bootstrap_mean`.

    Returns
    -------
    One for each column, in their order.

    Examples
    --------
    >>> table = ScoreTable.joined({"a": {"q1": 1.0, "q2": 0.0, "q3": 0.5}, "b": {"q1": 0.5, "q2": 0.5}})
    >>> for interval in bootstrap_means(table):
    ...     print(interval.estimate, interval.low, interval.high, interval.n_questions, interval.why)
    0.5 0.0 1.0 3 None
    0.5 None None 2 every question has the same score
    """
    check_level(level)
    if method not in get_args(Method):
        raise ValueError(f"unknown method {method!r}; it is one of {', '.join(get_args(Method))}")
    drawn = table if isinstance(table, Resampled) else resample(table, replicates=replicates, seed=seed)
    left_out = drawn.totals.without_each() if method == "BCa" else None
    return tuple(
        _interval(drawn, place, level, method, None if left_out is None else left_out[:, place])
        for place in range(len(drawn.table.columns))
    )


def resample(table: ScoreTable, *, replicates: int = 10_000, seed: int = 0) -> Resampled:
    """Draw the questions anew, and take all columns' means each time.

    Tables with the same number of clusters and the same seed get the same draws.

    Raises
    ------
    ValueError
        There is not at least one replicate.

    Examples
    --------
    >>> table = ScoreTable.joined({"a": {"q1": 1.0, "q2": 0.0}, "b": {"q1": 0.9, "q2": 0.1}})
    >>> resample(table, replicates=1000).means.shape
    (1000, 2)
    """
    if replicates < 1:
        raise ValueError(f"{replicates} replicates; at least 1 is needed")
    totals = cluster_totals(table)
    means = np.full((replicates, len(table.columns)), np.nan)
    start = 0
    for counts in resampling_counts(table.n_clusters, replicates, seed):
        means[start : start + len(counts)] = totals.means(counts)
        start += len(counts)
    return Resampled(table, totals, means, seed)


def cluster_totals(table: ScoreTable) -> Totals:
    """Sums of scores and numbers of questions by cluster."""
    patterns, pattern = np.unique(table.present, axis=1, return_inverse=True)
    return Totals(
        _summed(np.nan_to_num(table.scores), table.clusters, table.n_clusters),
        _summed(patterns.astype(np.float64), table.clusters, table.n_clusters),
        pattern.reshape(-1).astype(np.int64),
    )


def _summed(values: Floats, clusters: Ints, n_clusters: int) -> Floats:
    """Sums by cluster, shape (k, m)."""
    if n_clusters == len(clusters) and np.array_equal(clusters, np.arange(n_clusters)):
        return values
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    return np.asarray(np.add.reduceat(values[order], starts, axis=0))


def resampling_counts(n: int, replicates: int, seed: int) -> Iterator[Floats]:
    """How often each of n clusters is drawn when n are drawn with replacement, in chunks of shape (b, n)."""
    if not n:
        return
    draw = np.random.default_rng(seed)
    kind = np.uint16 if n < 2**16 else np.int64
    rows = min(max(1, _CHUNK // n), replicates)
    step = max(1, _IN_CACHE // n)
    offsets = (np.arange(step, dtype=np.int64) * n)[:, None]
    counts = np.empty((rows, n))
    for start in range(0, replicates, rows):
        chunk = counts[: min(rows, replicates - start)]
        drawn = draw.integers(0, n, chunk.shape, dtype=kind)
        for first in range(0, len(chunk), step):
            part = drawn[first : first + step]
            within = (part + offsets[: len(part)]).ravel()
            chunk[first : first + step] = np.bincount(within, minlength=len(part) * n).reshape(part.shape)
        yield chunk


def _interval(drawn: Resampled, place: int, level: float, method: Method, left_out: Floats | None) -> Interval:
    table, totals = drawn.table, drawn.totals
    sizes = totals.sizes[:, totals.pattern[place]]
    n, n_clusters = int(sizes.sum()), int(np.count_nonzero(sizes))
    estimate = float(totals.sums[:, place].sum() / n) if n else None
    means = drawn.means[:, place]
    found = means[~np.isnan(means)]
    scores = table.scores[table.present[:, place], place]
    why = _why_undefined(scores, n_clusters, found)
    low = high = error = None
    if why is None and estimate is not None:
        tails = ((1 - level) / 2, (1 + level) / 2)
        if left_out is not None:
            tails = _corrected(tails, estimate, found, left_out[sizes > 0])
        low, high = (float(limit) for limit in np.quantile(found, tails))
        error = float(found.std(ddof=1))
    about = (level, method, n, n_clusters, len(means), drawn.seed)
    return Interval(estimate, low, high, error, *about, why, len(means) - len(found))


def _why_undefined(scores: Floats, n_clusters: int, found: Floats) -> str | None:
    reasons = {
        "no question has a score": not len(scores),
        "one question: there is nothing to resample": len(scores) == 1,
        f"all {len(scores)} questions are in one cluster: there is nothing to resample": n_clusters == 1,
        "every question has the same score": _spread(scores) <= _SAME,
        "fewer than two replicates": len(found) < 2,
        "every replicate has the same mean": _spread(found) <= _SAME,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _spread(values: Floats) -> float:
    return float(np.ptp(values)) if len(values) else 0.0


def _corrected(tails: Sequence[float], estimate: float, found: Floats, left_out: Floats) -> tuple[float, float]:
    """The tails that BCa takes in place of the nominal ones (Efron and Tibshirani, equations 14.9 to 14.15)."""
    normal = needed("scipy.special", "the BCa interval")
    tied = np.abs(found - estimate) <= _SAME
    below = (found < estimate) & ~tied
    share = np.clip(below.mean() + tied.mean() / 2, 1 / len(found), 1 - 1 / len(found))
    bias = normal.ndtri(share)
    skew = left_out.mean() - left_out
    acceleration = (skew**3).sum() / (6 * (skew**2).sum() ** 1.5)
    z = bias + normal.ndtri(np.asarray(tails))
    low, high = normal.ndtr(bias + z / (1 - acceleration * z))
    return float(low), float(high)
