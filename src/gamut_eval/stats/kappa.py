"""Agreement of two raters beyond chance."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike


def cohen_kappa(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Cohen's kappa of two raters' labels of the same things, unweighted.

    Parameters
    ----------
    one, other
        Labels, shape (n,) each.

    Returns
    -------
    In [−1, 1]; None where it is undefined: nothing was rated, or chance alone would agree wholly.

    References
    ----------
    J. Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and Psychological
    Measurement 20 (1960).

    Examples
    --------
    >>> round(cohen_kappa("aabb", "aaba"), 6)
    0.5
    """
    if len(one) != len(other):
        raise ValueError(f"the raters have {len(one)} and {len(other)} labels")
    places = {label: place for place, label in enumerate(dict.fromkeys((*one, *other)))}
    table = np.zeros((len(places), len(places)))
    np.add.at(table, ([places[label] for label in one], [places[label] for label in other]), 1)
    return kappa_of_counts(table)


def kappa_of_counts(counts: ArrayLike) -> float | None:
    """The same from how often each label of the one met each of the other, shape (k, k).

    >>> round(kappa_of_counts([[20, 5], [10, 15]]), 6)
    0.4
    """
    table = np.asarray(counts, dtype=np.float64)
    n = float(table.sum())
    if not n:
        return None
    chance = float(table.sum(axis=0) @ table.sum(axis=1)) / n**2
    return None if chance == 1 else (float(np.trace(table)) / n - chance) / (1 - chance)
