"""How far raters agree on labels: people or judges, two or more, with labels missing.

Cohen's kappa by itself is in `gamut_eval.stats.kappa`, which needs no extra.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from gamut_eval.extras import needed
from gamut_eval.stats.kappa import kappa_of_counts
from gamut_eval.stats.table import Floats, Ints

Weights = Literal["linear", "quadratic"]
Labels = Sequence[Hashable | None]

VERDICT_ORDER = ("missing", "partially_meets", "meets")
"""The three verdicts that are steps of one scale, worst first."""
VERDICTS_APART = ("contradicts",)
"""What is on no scale with them: an error is not less than an omission."""


@dataclass(frozen=True)
class Coefficient:
    """A number in [−1, 1], or None with the reason in ``why``; ``n`` things were rated by enough raters to count."""

    value: float | None
    n: int
    why: str | None = None


@dataclass(frozen=True, eq=False)
class Confusion:
    """``counts``, shape (k, k): how often ``one`` gave the row's label where ``other`` gave the column's.

    ``n`` things were labelled by both; ``n_left_out`` by one of them or none.
    """

    labels: tuple[Hashable, ...]
    counts: Ints
    n_left_out: int

    @property
    def n(self) -> int:
        """How many things both labelled."""
        return int(self.counts.sum())


@dataclass(frozen=True)
class Agreement:
    """Two raters: the share of same labels in [0, 1], Cohen's kappa, weighted kappa where there is an order."""

    confusion: Confusion
    same: Coefficient
    kappa: Coefficient
    weighted_kappa: Coefficient | None


def agreement(
    one: Labels,
    other: Labels,
    *,
    order: Sequence[Hashable] | None = None,
    apart: Sequence[Hashable] = (),
    weights: Weights = "linear",
) -> Agreement:
    """All that is said of two raters' labels of the same things.

    Parameters
    ----------
    one, other
        Labels, shape (n,); None where there is none.
    order, apart, weights
        As in `weighted_kappa`; without an order there is none.

    Examples
    --------
    Proposed edits of a reply, moved or kept:

    >>> found = agreement(["move", "move", "keep", "keep"], ["move", "keep", "keep", None])
    >>> found.confusion.counts.tolist(), round(found.same.value, 4), round(found.kappa.value, 4)
    ([[1, 1], [0, 1]], 0.6667, 0.4)
    """
    known = (pair for pair in _pairs(one, other) if None not in pair)
    labels = (*order, *apart) if order is not None else tuple(dict.fromkeys(label for pair in known for label in pair))
    table = confusion(one, other, labels)
    return agreement_of(table, n_ordered=None if order is None else len(order), weights=weights)


def agreement_of(table: Confusion, *, n_ordered: int | None = None, weights: Weights = "linear") -> Agreement:
    """The same as `agreement` where it is counted already which labels meet.

    Parameters
    ----------
    table
        Its labels in the order of the scale, those that are on none last.
    n_ordered
        How many of the labels are on the scale; None for none, then there is no weighted kappa.
    weights
        As in `weighted_kappa`.

    Examples
    --------
    >>> counts = np.array([[5, 2, 0], [0, 4, 1], [1, 0, 7]])
    >>> found = agreement_of(Confusion(("low", "middle", "high"), counts, 0), n_ordered=3)
    >>> round(found.same.value, 4), round(found.kappa.value, 4), round(found.weighted_kappa.value, 4)
    (0.8, 0.697, 0.7283)
    """
    same, n = int(np.trace(table.counts)), table.n
    kappa = kappa_of_counts(table.counts)
    return Agreement(
        table,
        Coefficient(same / n, n) if n else Coefficient(None, 0, _NONE),
        Coefficient(kappa, n, None if kappa is not None else _ONE_LABEL if n else _NONE),
        None if n_ordered is None else _weighted_kappa(table, n_ordered, weights),
    )


_NONE = "nothing was labelled by both"
_ONE_LABEL = "both gave one same label throughout"


def _pairs(one: Labels, other: Labels) -> list[tuple[Hashable | None, Hashable | None]]:
    if len(one) != len(other):
        raise ValueError(f"the raters have {len(one)} and {len(other)} labels")
    return list(zip(one, other, strict=True))


def confusion(one: Labels, other: Labels, labels: Sequence[Hashable]) -> Confusion:
    """Count which labels meet.

    Parameters
    ----------
    one, other
        Shape (n,); None where there is none.
    labels
        In the order of rows and columns, shape (k,).

    Raises
    ------
    ValueError
        The raters have not as many labels, or one is not in ``labels``.

    Examples
    --------
    >>> confusion("aabb", "abbb", "ab").counts.tolist()
    [[1, 1], [0, 2]]
    """
    places = {label: place for place, label in enumerate(labels)}
    counts = np.zeros((len(places), len(places)), dtype=np.int64)
    n_left_out = 0
    for a, b in _pairs(one, other):
        if a is None or b is None:
            n_left_out += 1
        else:
            counts[_place(places, a), _place(places, b)] += 1
    return Confusion(tuple(places), counts, n_left_out)


def _place(places: dict[Hashable, int], label: Hashable) -> int:
    if label not in places:
        raise ValueError(f"unknown label {label!r}; known are {', '.join(map(repr, places))}")
    return places[label]


def weighted_kappa(
    one: Labels,
    other: Labels,
    *,
    order: Sequence[Hashable] = VERDICT_ORDER,
    apart: Sequence[Hashable] = VERDICTS_APART,
    weights: Weights = "linear",
) -> Coefficient:
    """Cohen's weighted kappa (statsmodels), with labels that are on no scale.

    Parameters
    ----------
    one, other
        Labels, shape (n,); None where there is none: then the thing does not count.
    order
        The scale. Two labels of it disagree by the distance of their places, as a share of the longest one.
    apart
        Labels off the scale: one of these and any other label disagree wholly, by 1, as the scale's two ends do
        (our choice: *contradicts* is no step below *missing*).
    weights
        ``quadratic`` squares the distances.

    Raises
    ------
    ValueError
        The raters have not as many labels, or one is unknown.
    MissingExtraError
        statsmodels is not installed.

    References
    ----------
    J. Cohen, "Weighted kappa", Psychological Bulletin 70 (1968).

    Examples
    --------
    >>> one = ["meets", "missing", "meets", "contradicts", "missing"]
    >>> other = ["partially_meets", "missing", "meets", "contradicts", "partially_meets"]
    >>> round(weighted_kappa(one, other).value, 4)
    0.6875
    """
    return _weighted_kappa(confusion(one, other, (*order, *apart)), len(order), weights)


def _weighted_kappa(table: Confusion, n_ordered: int, weights: Weights) -> Coefficient:
    if weights not in get_args(Weights):
        raise ValueError(f"unknown weights {weights!r}; they are one of {', '.join(get_args(Weights))}")
    if not table.n:
        return Coefficient(None, 0, _NONE)
    distance = _distances(n_ordered, len(table.labels) - n_ordered) ** (2 if weights == "quadratic" else 1)
    used = table.counts.sum(axis=0) @ distance @ table.counts.sum(axis=1)
    if not used:
        return Coefficient(None, table.n, _ONE_LABEL)
    kappas = needed("statsmodels.stats.inter_rater", "weighted kappa")
    return Coefficient(float(kappas.cohens_kappa(table.counts, weights=distance, return_results=False)), table.n)


def _distances(n_ordered: int, n_apart: int) -> Floats:
    """Between labels, shape (k, k), in [0, 1]."""
    n = n_ordered + n_apart
    distance = 1.0 - np.eye(n)
    places = np.arange(n_ordered) / max(1, n_ordered - 1)
    distance[:n_ordered, :n_ordered] = np.abs(places[:, None] - places)
    return distance


def krippendorff_alpha(
    ratings: Sequence[Labels], *, order: Sequence[Hashable] | None = None, apart: Sequence[Hashable] = ()
) -> Coefficient:
    """Krippendorff's alpha (the package krippendorff), for any number of raters and labels that are missing.

    Parameters
    ----------
    ratings
        For each rater a label a thing, shape (raters, n); None where there is none. A thing with fewer than two labels
        does not count.
    order
        The scale, lowest first, for the ordinal alpha; without it labels are nominal. One that nobody gave changes
        nothing.
    apart
        Labels off the scale. Then Krippendorff's ordinal metric does not apply, and the distances are the squares of
        those that `weighted_kappa` has (our choice).

    Raises
    ------
    ValueError
        Raters have not as many labels, or one is unknown.
    MissingExtraError
        The package is not installed.

    References
    ----------
    K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011).

    Examples
    --------
    >>> round(krippendorff_alpha(["aabbcc", "aabbca", ["a", None, "b", "b", "c", "c"]]).value, 4)
    0.8333
    """
    if len({len(rater) for rater in ratings}) > 1:
        raise ValueError(f"raters have {', '.join(str(len(rater)) for rater in ratings)} labels; as many are needed")
    given = (label for rater in ratings for label in rater if label is not None)
    labels = tuple(dict.fromkeys(given)) if order is None else (*order, *apart)
    return alpha_of_counts(_value_counts(ratings, labels), n_ordered=None if order is None else len(order))


def alpha_of_counts(counts: Ints, *, n_ordered: int | None = None) -> Coefficient:
    """The same as `krippendorff_alpha` where it is counted already how often each thing got each label.

    Parameters
    ----------
    counts
        Shape (n, k); the labels in the order of the scale, those that are on none last.
    n_ordered
        How many of the labels are on the scale; None where labels are nominal.

    Examples
    --------
    >>> round(alpha_of_counts(np.array([[3, 0, 0], [2, 0, 0], [0, 3, 0], [0, 3, 0], [0, 0, 3], [1, 0, 2]])).value, 4)
    0.8333
    """
    counts = counts[counts.sum(axis=1) >= 2]
    if not len(counts):
        return Coefficient(None, 0, "nothing has two labels")
    if np.count_nonzero(counts.sum(axis=0)) < 2:
        return Coefficient(None, len(counts), "one same label was given throughout")
    level: Any = "nominal" if n_ordered is None else "ordinal"
    if n_ordered is not None and (n_apart := counts.shape[1] - n_ordered):
        distance = _distances(n_ordered, n_apart) ** 2
        level = lambda v1, v2, i1, i2, n_v, dtype: distance[i1, i2]  # noqa: E731 (the package's own signature)
    package = needed("krippendorff", "Krippendorff's alpha")
    return Coefficient(float(package.alpha(value_counts=counts, level_of_measurement=level)), len(counts))


def _value_counts(ratings: Sequence[Labels], labels: Sequence[Hashable]) -> Ints:
    """How often each thing got each label, shape (n, k)."""
    places = {label: place for place, label in enumerate(labels)}
    counts = np.zeros((len(ratings[0]) if ratings else 0, len(places)), dtype=np.int64)
    for rater in ratings:
        for thing, label in enumerate(rater):
            if label is not None:
                counts[thing, _place(places, label)] += 1
    return counts
