"""Where the spread of scores comes from: questions, samples of answers, judges, repeats of a judgement."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gamut_eval.stats.table import Floats, Ints, as_vector, labels_as_numbers

COMPONENTS = ("question", "judge", "question × judge", "sample", "sample × judge", "repeat")
"""Samples are within questions; repeats, which are the rest, within a sample and judge."""

METHOD = "method of moments (Henderson's method 1; the analysis of variance where the design is balanced)"
_SAME = 1e-12


@dataclass(frozen=True)
class Component:
    """One source of variance.

    ``variance`` is in squares of the scores' unit, ``share`` its part of the sum, in [0, 1]; ``of_mean`` is what it
    adds to the variance of the mean of all scores. An estimate below 0 is shown as 0, and ``note`` has it. Those that
    cannot be told are None, and ``note`` says why. ``n_levels``: how many questions, judges and so on there are.
    """

    name: str
    variance: float | None
    share: float | None
    of_mean: float | None
    n_levels: int
    note: str | None = None


@dataclass(frozen=True)
class VarianceSplit:
    """All components, in the order of `COMPONENTS`; ``mean`` of ``n`` scores and its standard error, by all of them.

    The standard error is for other questions, judges and answers of the kind. None where it is undefined, and ``why``
    says the reason.
    """

    components: tuple[Component, ...]
    mean: float | None
    standard_error: float | None
    n: int
    method: str = METHOD
    why: str | None = None


def variance_split(
    scores: ArrayLike,
    question: Sequence[Hashable],
    *,
    sample: Sequence[Hashable] | None = None,
    judge: Sequence[Hashable] | None = None,
) -> VarianceSplit:
    """Split the variance of one model's scores.

    The model is score = mean + question + judge + question × judge + sample + sample × judge + repeat, all but the mean
    random and independent: questions and judges are crossed, samples are within questions. Sums of squares are set
    equal to what they are on average; cells need not be of one size, nor all there.

    Parameters
    ----------
    scores
        Shape (n,), a score for each question, sample, judge and repeat; NaN and None are left out.
    question, sample, judge
        Labels, shape (n,). Without samples or judges there is one. Scores with all labels alike are repeats.

    Returns
    -------
    Components that the design cannot tell apart are given together, under the name that comes first.

    Raises
    ------
    ValueError
        Shapes do not fit.

    References
    ----------
    C. R. Henderson, "Estimation of variance and covariance components", Biometrics 9 (1953). S. R. Searle,
    G. Casella, C. E. McCulloch, "Variance Components", Wiley (1992), chapter 5.

    Examples
    --------
    Three questions, two repeats each:

    >>> split = variance_split([0.1, 0.3, 0.6, 0.6, 0.8, 0.9], [1, 1, 2, 2, 3, 3])
    >>> for part in split.components:
    ...     print(part.name, part.variance and round(part.variance, 4), part.note)
    question 0.1033 includes sample, which the design cannot tell from it
    judge None one judge
    question × judge None one judge
    sample None cannot be told from question, which includes it
    sample × judge None one judge
    repeat 0.0083 None
    """
    given = as_vector(scores, "scores")
    labels = {"question": question, "sample": sample, "judge": judge}
    for name, own in labels.items():
        if own is not None and len(own) != len(given):
            raise ValueError(f"{len(given)} scores, but {len(own)} labels of {name}")
    known = np.flatnonzero(~np.isnan(given))
    values, levels = given[known], _levels(labels, known)
    mean = float(values.mean()) if len(values) else None
    why = _why_undefined(values, levels)
    kept = {} if why else _separate(levels, len(values))
    estimates = _estimates(values, {name: levels[name] for name in kept}) if kept else {}
    if kept and estimates is None:
        why, estimates = "the design does not separate the components", {}
    parts = _components(levels, kept, estimates or {})
    added = [part.of_mean for part in parts if part.of_mean is not None]
    error = sqrt(sum(added)) if added else None
    return VarianceSplit(parts, mean, error, len(values), why=why)


def _levels(labels: dict[str, Sequence[Hashable] | None], known: NDArray[np.intp]) -> dict[str, Ints]:
    """Numbers of each component's levels, shape (n,)."""
    own = {
        name: np.zeros(len(known), np.int64) if given is None else labels_as_numbers([given[k] for k in known.tolist()])
        for name, given in labels.items()
    }
    sample = _crossed(own["question"], own["sample"])
    return {
        "question": own["question"],
        "judge": own["judge"],
        "question × judge": _crossed(own["question"], own["judge"]),
        "sample": sample,
        "sample × judge": _crossed(sample, own["judge"]),
        "repeat": np.arange(len(known), dtype=np.int64),
    }


def _crossed(one: Ints, other: Ints) -> Ints:
    return labels_as_numbers(one * (int(other.max(initial=0)) + 1) + other)


def _n_levels(levels: Ints) -> int:
    return int(levels.max(initial=-1)) + 1


def _why_undefined(values: Floats, levels: dict[str, Ints]) -> str | None:
    if len(values) < 2:
        return "fewer than two scores"
    if np.ptp(values) <= _SAME:
        return "every score is the same"
    if _n_levels(levels["question"]) < 2:
        return "one question"
    return None


def _separate(levels: dict[str, Ints], n: int) -> dict[str, list[str]]:
    """Components that can be told, each with those that have the very same levels and are given with it."""
    kept: dict[str, list[str]] = {}
    for name, own in levels.items():
        if _n_levels(own) == 1 and n > 1:
            continue
        twin = next((other for other in kept if np.array_equal(levels[other], own)), None)
        if twin is None:
            kept[name] = []
        else:
            kept[twin].append(name)
    return kept


def _estimates(values: Floats, levels: dict[str, Ints]) -> dict[str, float] | None:
    """Solve for the variances at which the uncorrected sums of squares are what they are on average."""
    n = len(values)
    groupings = {"mean": np.zeros(n, np.int64), **levels}
    centred = values - values.mean()
    squares = [_sum_of_squares(centred, own) for own in groupings.values()]
    expected = [[float(n), *(_expected(own, other) for other in levels.values())] for own in groupings.values()]
    matrix = np.array(expected)
    if np.linalg.matrix_rank(matrix / matrix.max()) < len(matrix):
        return None
    solved = np.linalg.solve(matrix, np.array(squares))
    return dict(zip(levels, solved[1:].tolist(), strict=True))


def _sum_of_squares(values: Floats, groups: Ints) -> float:
    """Of group totals, each over its size."""
    return float((np.bincount(groups, weights=values) ** 2 / np.bincount(groups)).sum())


def _expected(groups: Ints, component: Ints) -> float:
    """How often a component's variance is in that sum on average."""
    pairs, counts = np.unique(groups * _n_levels(component) + component, return_counts=True)
    sizes = np.bincount(groups)[pairs // _n_levels(component)]
    return float((counts**2 / sizes).sum())


def _components(
    levels: dict[str, Ints], kept: dict[str, list[str]], estimates: dict[str, float]
) -> tuple[Component, ...]:
    total = sum(max(0.0, estimate) for estimate in estimates.values())
    inside = {twin: name for name, twins in kept.items() for twin in twins}
    parts = []
    for name in COMPONENTS:
        own = levels[name]
        if name in estimates:
            variance = max(0.0, estimates[name])
            of_mean = variance * float((np.bincount(own) ** 2).sum()) / len(own) ** 2
            share = variance / total if total else None
            parts.append(
                Component(name, variance, share, of_mean, _n_levels(own), _note(estimates[name], kept[name], levels))
            )
        else:
            parts.append(Component(name, None, None, None, _n_levels(own), _why_none(name, inside, levels)))
    return tuple(parts)


def _note(estimate: float, twins: Sequence[str], levels: dict[str, Ints]) -> str | None:
    told = [name for name in twins if _n_levels(levels["judge"]) > 1 or "judge" not in name]
    together = [f"includes {' and '.join(told)}, which the design cannot tell from it"] if told else []
    negative = [f"the estimate is {estimate:.3g}, shown as 0"] if estimate < 0 else []
    return "; ".join([*negative, *together]) or None


def _why_none(name: str, inside: dict[str, str], levels: dict[str, Ints]) -> str:
    if "judge" in name and _n_levels(levels["judge"]) <= 1:
        return "one judge"
    if name in inside:
        return f"cannot be told from {inside[name]}, which includes it"
    return "undefined"
