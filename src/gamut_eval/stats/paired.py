"""Two models on the questions that both have: how they differ, and whether that could be chance."""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gamut_eval.extras import needed
from gamut_eval.stats.bootstrap import Interval, Method, Resampled, bootstrap_means, cluster_totals, resample
from gamut_eval.stats.table import Floats, ScoreTable

MOST_EXACT = 15
"""Up to this many clusters all 2^k patterns of signs are tried."""
FEWEST_FLIPS, MOST_FLIPS = 10_000, 200_000
"""Random patterns of signs, where there are too many to try all."""

_PATTERNS_AT_BAR = 20
"""How many random patterns should reach the mean of a pair whose adjusted p is just at the level."""
_RADEMACHER = 1 / (2 * math.erfc(1.0))
"""What bounds sums of random signs by the normal tail: 1 / (4 P(Z ≥ √2)), about 3.178."""
_CHUNK = 2**20
_SAME = 1e-12
_CONSTANT = "the difference is the same on every shared question, which does not tell how far others would differ"


@dataclass(frozen=True, eq=False)
class Comparison:
    """The scores of ``one`` less those of ``other``, question by question.

    ``shared`` are the ids of the questions that both have, ``differences`` theirs, shape (n,); ``only_one`` and
    ``only_other`` are the ids of those that were left out since the other has no score. ``interval`` is of the mean
    difference. ``p_permutation`` and ``p_bootstrap`` are two-sided, in (0, 1], for one pair by itself; ``p_holm`` is
    ``p_permutation`` adjusted for all pairs that were compared together. Those that are undefined are None, and
    ``why`` says the reason. ``exact`` says that all patterns of signs were tried.
    """

    one: str
    other: str
    shared: tuple[str, ...]
    only_one: tuple[str, ...]
    only_other: tuple[str, ...]
    differences: Floats
    interval: Interval
    p_permutation: float | None
    p_bootstrap: float | None
    exact: bool
    why: str | None
    p_holm: float | None = None

    @property
    def wins(self) -> int:
        """On how many shared questions ``one`` has the higher score."""
        return int((self.differences > _SAME).sum())

    @property
    def losses(self) -> int:
        """On how many ``other`` has."""
        return int((self.differences < -_SAME).sum())

    @property
    def ties(self) -> int:
        """On how many they have the same."""
        return len(self.differences) - self.wins - self.losses


def compare_pair(
    table: ScoreTable,
    one: str,
    other: str,
    *,
    level: float = 0.95,
    method: Method = "percentile",
    replicates: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare two columns of a table.

    Two tests. *Sign-flip permutation*: were the models alike, each cluster's differences could as well have the other
    sign; p is the share of patterns of signs with a mean at least as far from 0. *Paired bootstrap*: the share of
    replicates whose mean is at least as far from the estimate as the estimate is from 0. The first is exact for
    differences that are symmetric about 0, and is the one that Holm's adjustment uses.

    Parameters
    ----------
    table
        Scores with ids.
    one, other
        Columns.
    level, method, replicates, seed
        As in `bootstrap_mean`.

    Returns
    -------
    No interval and no p where less than two clusters are shared, or all differences are 0. Where they are all the
    same but not 0, there is no interval and no ``p_bootstrap``, since every replicate has the same mean; the
    permutation test needs no spread and stands.

    Raises
    ------
    ValueError
        There is no such column, or a setting makes no sense.

    References
    ----------
    R. A. Fisher, "The Design of Experiments", Oliver & Boyd (1935), section 21.
    B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall (1993), chapter 16.

    Examples
    --------
    >>> table = ScoreTable.joined(
    ...     {"a": {"q1": 0.9, "q2": 0.5, "q3": 0.7, "q4": 0.1}, "b": {"q4": 0.2, "q3": 0.3, "q2": 0.1, "q5": 1.0}}
    ... )
    >>> found = compare_pair(table, "a", "b")
    >>> found.shared, found.only_one, found.only_other, found.wins, found.losses
    (('q2', 'q3', 'q4'), ('q1',), ('q5',), 2, 1)
    >>> round(found.interval.estimate, 4), found.p_permutation
    (0.2333, 0.5)
    """
    return compare_pairs(table, [(one, other)], level=level, method=method, replicates=replicates, seed=seed)[0]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P values adjusted by Holm's procedure (statsmodels); None stays None and does not count.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    known = [p for p in p_values if p is not None]
    if not known:
        return list(p_values)
    multipletests = needed("statsmodels.stats.multitest", "Holm's adjustment").multipletests
    with _nothing_to_collect():
        adjusted = iter(multipletests(known, method="holm")[1].tolist())
    return [None if p is None else next(adjusted) for p in p_values]


@contextmanager
def _nothing_to_collect() -> Iterator[None]:
    """What runs inside has all garbage collected (statsmodels): seconds, beside the objects of a large run."""
    if gc.get_freeze_count():  # somebody else's, who alone may thaw them
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def flips_for(n_pairs: int, alpha: float) -> int:
    """Random patterns of signs for pairs that are tested together, so that Holm's smallest bar can be reached.

    >>> flips_for(1, 0.05), flips_for(91, 0.05), flips_for(4950, 0.05)
    (10000, 36400, 200000)
    """
    return min(MOST_FLIPS, max(FEWEST_FLIPS, math.ceil(round(_PATTERNS_AT_BAR * n_pairs / alpha, 6))))


def smallest_p(n_clusters: int) -> float:
    """The smallest p that a sign-flip test of so many clusters can have: all differences have one sign.

    >>> smallest_p(4), smallest_p(0)
    (0.125, 1.0)
    """
    return min(1.0, 2.0 ** (1 - n_clusters))


def sign_flip_p(
    sums: Floats, pairs: Sequence[tuple[int, int]] | None = None, *, flips: int = FEWEST_FLIPS, seed: int = 0
) -> tuple[Floats, bool]:
    """Two-sided p of the sign-flip test for several columns of differences at once.

    Parameters
    ----------
    sums
        Sums by cluster, shape (k, c), 0 where a cluster has none: of differences, or of scores if there are ``pairs``.
    pairs
        Columns of ``sums``, the second's scores taken from the first's; None where columns are differences already.
    flips, seed
        Number of random patterns, where there are too many to try all.

    Returns
    -------
    p, a number for each pair or column, and whether all patterns were tried. Of random ones the observed one counts
    as one more, so that p is never 0. Where p is so small that no random pattern is to be expected as far out, it is
    an upper bound instead: 3.18 times that of a normal distribution, which holds for all sums of random signs.

    References
    ----------
    B. Phipson, G. K. Smyth, "Permutation P-values should never be zero", Statistical Applications in Genetics and
    Molecular Biology 9 (2010).
    V. K. Bentkus, D. Dzindzalieta, "A tight Gaussian bound for weighted sums of Rademacher random variables",
    Bernoulli 21 (2015), 1231-1237.

    Examples
    --------
    >>> sign_flip_p(np.array([[1.0], [2.0], [3.0]]))
    (array([0.25]), True)
    """
    k = len(sums)
    exact = k <= MOST_EXACT
    n = 2**k if exact else flips
    whole, own = sums.sum(axis=0), _differences(sums, pairs)
    rounding = _SAME * (1 + np.abs(sums).sum(axis=0).max(initial=0.0))
    bars = np.abs(own.sum(axis=0)) - rounding
    reached = np.zeros(len(bars), dtype=np.int64)
    draw = np.random.default_rng(seed)
    for start, rows in _chunks(n, k):
        bits = _patterns(start, rows, k) if exact else _random_bits(draw, rows, k)
        flipped = whole - 2.0 * (bits.astype(np.float64) @ sums)
        reached += (np.abs(_differences(flipped, pairs)) >= bars).sum(axis=0)
    if exact:
        return reached / n, exact
    bound = flip_bound(own)
    return np.where(bound * 10 * (n + 1) < 1, bound, (reached + 1) / (n + 1)), exact


def _differences(columns: Floats, pairs: Sequence[tuple[int, int]] | None) -> Floats:
    if pairs is None:
        return columns
    ones, others = ([pair[side] for pair in pairs] for side in (0, 1))
    return np.asarray(columns[:, ones] - columns[:, others])


def flip_bound(differences: Floats) -> Floats:
    """An upper bound of the two-sided p of each column, shape (c,), of sums of differences by cluster, shape (k, c).

    That of a normal distribution, `_RADEMACHER` times. It may be above 1.
    """
    length = np.sqrt((differences**2).sum(axis=0))
    far = np.abs(differences.sum(axis=0))
    standardised = np.divide(far, length, out=np.zeros_like(far), where=length > 0)
    tail = np.array([math.erfc(z / math.sqrt(2)) for z in standardised.tolist()])
    return np.maximum(_RADEMACHER * tail, sys.float_info.min)


def _patterns(start: int, rows: int, k: int) -> NDArray[np.integer[Any]]:
    return np.arange(start, start + rows)[:, None] >> np.arange(k) & 1


def _random_bits(draw: np.random.Generator, rows: int, k: int) -> NDArray[np.integer[Any]]:
    packed = draw.integers(0, 256, (rows, -(-k // 8)), dtype=np.uint8)
    return np.unpackbits(packed, axis=1, count=k)


def _chunks(n: int, width: int) -> list[tuple[int, int]]:
    """Where chunks of rows begin, and how many rows each has."""
    rows = max(1, _CHUNK // max(1, width))
    return [(start, min(rows, n - start)) for start in range(0, n, rows)]


def compare_pairs(
    table: ScoreTable | Resampled,
    pairs: Sequence[tuple[str, str]],
    *,
    level: float = 0.95,
    method: Method = "percentile",
    replicates: int = 10_000,
    seed: int = 0,
    flips: int | None = None,
) -> tuple[Comparison, ...]:
    """Compare some pairs of columns by one set of draws, without an adjustment.

    `compare_pair` says how, and has the parameters.

    Parameters
    ----------
    table
        Scores, or what `resample` made of them; then its own replicates and seed count.
    pairs
        Names of columns; the second's scores are taken from the first's.
    level, method, replicates, seed
        As there.
    flips
        Random patterns of signs; by default as many as `flips_for` these pairs at 1 − level.

    Returns
    -------
    One for each pair, in their order.

    Examples
    --------
    >>> table = ScoreTable.joined({"a": {"q1": 0.9, "q2": 0.5}, "b": {"q1": 0.1, "q2": 0.6}, "c": {"q1": 0.3}})
    >>> [(found.one, found.other, len(found.shared)) for found in compare_pairs(table, [("a", "b"), ("c", "a")])]
    [('a', 'b', 2), ('c', 'a', 1)]
    """
    each = table if isinstance(table, Resampled) else resample(table, replicates=replicates, seed=seed)
    places = [(each.table.column(one), each.table.column(other)) for one, other in pairs]
    drawn = _paired(each, places)
    intervals = bootstrap_means(drawn, level=level, method=method)
    flipped = _flipped(each, drawn, places, flips or flips_for(len(pairs), 1 - level))
    return tuple(
        _comparison(each.table, pair, intervals[place], drawn.means[:, place], float(flipped[place]))
        for place, pair in enumerate(places)
    )


def _flipped(each: Resampled, drawn: Resampled, places: Sequence[tuple[int, int]], flips: int) -> Floats:
    """P of each pair; over the same questions a column of each model does, instead of one of each pair."""
    if _same_questions(each, places):
        return sign_flip_p(each.totals.sums, places, flips=flips, seed=each.seed)[0]
    return sign_flip_p(drawn.totals.sums, flips=flips, seed=each.seed)[0]


def _same_questions(each: Resampled, places: Sequence[tuple[int, int]]) -> bool:
    ones, others = ([pair[side] for pair in places] for side in (0, 1))
    pattern = each.totals.pattern
    return np.array_equal(pattern[ones], pattern[others])


def _paired(each: Resampled, places: Sequence[tuple[int, int]]) -> Resampled:
    """The differences of pairs of columns, by the same draws."""
    table = each.table
    ones, others = ([pair[side] for pair in places] for side in (0, 1))
    differences = table.scores[:, ones] - table.scores[:, others]
    paired = ScoreTable(differences, table.questions, tuple(map(str, range(len(places)))), table.clusters)
    if not _same_questions(each, places):
        return resample(paired, replicates=len(each.means), seed=each.seed)
    # Over the same questions, the mean of differences is the difference of the means that are known already.
    return Resampled(paired, cluster_totals(paired), each.means[:, ones] - each.means[:, others], each.seed)


def _comparison(
    table: ScoreTable, pair: tuple[int, int], interval: Interval, means: Floats, p_flip: float
) -> Comparison:
    one, other = pair
    has_one, has_other = table.present[:, one], table.present[:, other]
    own = (table.scores[:, one] - table.scores[:, other])[has_one & has_other]
    interval = replace(interval, why=_why_no_interval(interval, own))
    none = interval.n_clusters < 2 or (np.abs(own) <= _SAME).all()
    return Comparison(
        table.columns[one],
        table.columns[other],
        _ids(table, has_one & has_other),
        _ids(table, has_one & ~has_other),
        _ids(table, has_other & ~has_one),
        own,
        interval,
        None if none else p_flip,
        None if interval.why else _bootstrap_p(interval.estimate or 0.0, means[~np.isnan(means)]),
        table.n_clusters <= MOST_EXACT,
        interval.why,
    )


def _bootstrap_p(estimate: float, means: Floats) -> float:
    far = np.abs(means - estimate) >= abs(estimate) - _SAME
    return float((far.sum() + 1) / (len(means) + 1))


def _ids(table: ScoreTable, which: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(table.questions[place] for place in np.flatnonzero(which))


def _why_no_interval(interval: Interval, differences: Floats) -> str | None:
    """Why the interval is undefined, in the words of a difference."""
    if interval.n_clusters < 2:
        return interval.why if interval.n_questions else "no question is shared"
    if np.ptp(differences) <= _SAME:
        alike = abs(differences[0]) <= _SAME
        return "both have the same score on every shared question" if alike else _CONSTANT
    return interval.why
