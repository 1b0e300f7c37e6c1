"""Where a model stands among others, and how sure that is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from gamut_eval.extras import needed
from gamut_eval.stats.bootstrap import Resampled, resample
from gamut_eval.stats.paired import Comparison
from gamut_eval.stats.table import Floats, ScoreTable, check_level

_SAME = 1e-12


@dataclass(frozen=True)
class Rank:
    """A model's place, 1 the best. ``low`` is the best rank of its interval, ``high`` the worst.

    Models with the same mean share the better rank. ``p_best`` is the share of replicates in which it is first, in
    [0, 1]; ties share it. None where they are undefined.
    """

    model: str
    mean: float | None
    rank: int | None
    low: int | None
    high: int | None
    p_best: float | None


@dataclass(frozen=True)
class Ranking:
    """Ranks over the questions that all models have, in the columns' order; ``left_out`` are the ids of the others.

    ``why`` says the reason where they are undefined.
    """

    ranks: tuple[Rank, ...]
    n_questions: int
    left_out: tuple[str, ...]
    why: str | None


def rank_intervals(
    table: ScoreTable | Resampled, *, level: float = 0.95, replicates: int = 10_000, seed: int = 0
) -> Ranking:
    """Ranks of all columns in each bootstrap replicate of the questions.

    The draws are those of `bootstrap_means` with the same seed. Models that are close exchange ranks, so an interval
    spans at least those that could pass; for many models that are nearly equal it can still be too narrow
    (Mogstad and others): what `significance_groups` leaves open is the careful answer.

    Parameters
    ----------
    table
        Scores, or what `resample` made of them; then its own replicates and seed count. Ranks are over the questions
        that every column has.
    level, replicates, seed
        As in `bootstrap_mean`.

    Raises
    ------
    ValueError
        A setting makes no sense.

    References
    ----------
    H. Goldstein, D. J. Spiegelhalter, "League tables and their limitations", Journal of the Royal Statistical Society
    A 159 (1996). M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm, "Inference for Ranks", Review of Economic
    Studies 91 (2024).

    Examples
    --------
    >>> scores = {"a": [0.9, 0.8, 0.7, 0.9], "b": [0.1, 0.9, 0.3, 0.8], "c": [0.0, 0.1, 0.1, 0.0]}
    >>> table = ScoreTable.joined({name: {f"q{k}": x for k, x in enumerate(own)} for name, own in scores.items()})
    >>> [(rank.model, rank.rank, rank.low, rank.high) for rank in rank_intervals(table).ranks]
    [('a', 1, 1, 2), ('b', 2, 1, 2), ('c', 3, 3, 3)]
    """
    check_level(level)
    drawn, table = _over_shared(table, replicates, seed)
    complete = table.present.all(axis=1)
    n, n_clusters = int(complete.sum()), len(np.unique(table.clusters[complete]))
    means = drawn.means[~np.isnan(drawn.means).any(axis=1)]
    why = _why_undefined(table, n, n_clusters)
    if why is None and len(means) < 2:
        why = "fewer than two replicates have a question that all models share"
    left_out = tuple(table.questions[place] for place in np.flatnonzero(~complete & table.present.any(axis=1)))
    own = table.scores[complete].mean(axis=0) if n else np.full(len(table.columns), np.nan)
    ranks = _ranks(table.columns, own, None if why else means, level)
    return Ranking(ranks, n, left_out, why)


def _over_shared(given: ScoreTable | Resampled, replicates: int, seed: int) -> tuple[Resampled, ScoreTable]:
    """Draws of the questions that every column has, and the table with all questions."""
    if isinstance(given, Resampled):
        if given.table.present.all():
            return given, given.table
        replicates, seed, given = len(given.means), given.seed, given.table
    return resample(given.complete_only(), replicates=replicates, seed=seed), given


def _why_undefined(table: ScoreTable, n: int, n_clusters: int) -> str | None:
    if len(table.columns) < 2:
        return "fewer than two models have a score"
    if not n:
        return "no question is shared by all models"
    if n_clusters < 2:
        return "one question, or one cluster of them: there is nothing to resample"
    return None


def _ranks(names: Sequence[str], own: Floats, means: Floats | None, level: float) -> tuple[Rank, ...]:
    known = not np.isnan(own).any()
    place = _better(own[None, :])[0] + 1 if known and len(names) > 1 else None
    values = own.tolist() if known else [None] * len(names)
    if means is None or place is None:
        none = [None] * len(names)
        places = none if place is None else place.tolist()
        return tuple(Rank(*row, None, None, None) for row in zip(names, values, places, strict=True))
    better = _better(means)
    worst = means.shape[1] - _better(-means)
    tails = ((1 - level) / 2, (1 + level) / 2)
    low = np.quantile(better + 1, tails[0], axis=0, method="lower")
    high = np.quantile(worst, tails[1], axis=0, method="higher")
    first = better == 0
    p_best = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    columns = (place.tolist(), low.tolist(), high.tolist(), p_best.tolist())
    return tuple(Rank(*row) for row in zip(names, values, *columns, strict=True))


def _better(means: Floats) -> NDArray[np.int64]:
    """How many columns are better, shape (b, m)."""
    count = np.zeros(means.shape, dtype=np.int64)
    for place in range(means.shape[1]):
        count += means[:, [place]] > means + _SAME
    return count


@dataclass(frozen=True)
class Groups:
    """Models that cannot be told apart.

    ``groups``: each as large as can be, no two models of one differ, and so many that two that do not differ are in one
    together; the best model's first. ``letters``: for each
    model the letters of its groups; models that share one do not differ.
    """

    groups: tuple[tuple[str, ...], ...]
    letters: Mapping[str, tuple[str, ...]]
    alpha: float


def significance_groups(comparisons: Sequence[Comparison], *, alpha: float = 0.05) -> Groups:
    """Groups of models that do not differ after Holm's adjustment, by letters.

    Parameters
    ----------
    comparisons
        Of all pairs, with ``p_holm``. A pair without one is not told apart.
    alpha
        Models differ where the adjusted p is at most this.

    References
    ----------
    H.-P. Piepho, "An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons", Journal of
    Computational and Graphical Statistics 13 (2004).
    J. Gramm and others, "Algorithms for compact letter displays: Comparison and evaluation", Computational Statistics &
    Data Analysis 52 (2007): letters as a cover by cliques, here a greedy one.

    Raises
    ------
    ValueError
        A pair is absent.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from gamut_eval.stats.paired import compare_pairs, holm
    >>> rng = np.random.default_rng(0)
    >>> ease = rng.uniform(-0.5, 0.5, 40)
    >>> scores = {"a": ease + 0.4, "b": ease + 0.39 + rng.normal(0, 0.1, 40), "c": ease + rng.normal(0, 0.1, 40)}
    >>> table = ScoreTable.joined({name: {f"q{k}": x for k, x in enumerate(own)} for name, own in scores.items()})
    >>> pairs = compare_pairs(table, [("a", "b"), ("a", "c"), ("b", "c")])
    >>> adjusted = holm([pair.p_permutation for pair in pairs])
    >>> found = significance_groups([replace(pair, p_holm=p) for pair, p in zip(pairs, adjusted, strict=True)])
    >>> found.letters
    {'a': ('a',), 'b': ('a',), 'c': ('b',)}
    """
    check_level(alpha)
    models = list(dict.fromkeys(name for pair in comparisons for name in (pair.one, pair.other)))
    differing = [pair for pair in comparisons if pair.p_holm is not None and pair.p_holm <= alpha]
    if len(comparisons) != len(models) * (len(models) - 1) // 2:
        raise ValueError(f"{len(models)} models have {len(models) * (len(models) - 1) // 2} pairs; {len(comparisons)}")
    order = _best_first(models, comparisons)
    groups = _covering(order, [(pair.one, pair.other) for pair in differing])
    names = _letters(len(groups))
    letters = {
        model: tuple(name for name, group in zip(names, groups, strict=True) if model in group) for model in models
    }
    return Groups(groups, letters, alpha)


def _best_first(models: Sequence[str], comparisons: Sequence[Comparison]) -> list[str]:
    """By the sum of the mean differences to the others."""
    total = dict.fromkeys(models, 0.0)
    for pair in comparisons:
        total[pair.one] += pair.interval.estimate or 0
        total[pair.other] -= pair.interval.estimate or 0
    return sorted(models, key=lambda model: -total[model])


def _covering(order: Sequence[str], differing: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """So many largest sets without two that differ that every two that do not are together in one.

    All such sets can be exponentially many; these are at most as many as there are pairs, and mostly few.
    """
    apart = {frozenset(pair) for pair in differing}
    near = {model: {other for other in order if frozenset((model, other)) not in apart} for model in order}
    open_ = {model: near[model] - {model} for model in order}  # with whom it is in no set yet
    groups: list[set[str]] = []
    for model in order:
        while open_[model] or not any(model in group for group in groups):
            group = _grown(model, order, near, open_)
            for member in group:
                open_[member] -= group
            groups.append(group)
    places = {model: place for place, model in enumerate(order)}
    ordered = (tuple(sorted(group, key=places.__getitem__)) for group in _needed(groups))
    return tuple(sorted(ordered, key=lambda group: [places[model] for model in group]))


def _grown(first: str, order: Sequence[str], near: Mapping[str, set[str]], open_: Mapping[str, set[str]]) -> set[str]:
    """A largest set with a model, grown by whoever is in no set yet with the most of its members."""
    group, candidates = {first}, near[first] - {first}
    while candidates:
        best = max((model for model in order if model in candidates), key=lambda model: len(open_[model] & group))
        group.add(best)
        candidates = (candidates & near[best]) - {best}
    return group


def _needed(groups: Sequence[set[str]]) -> list[set[str]]:
    """Without the sets all of whose pairs are together in others."""
    often = Counter(pair for group in groups for pair in _pairs(group))
    kept = []
    for group in reversed(groups):
        if all(often[pair] > 1 for pair in _pairs(group)):
            often.subtract(_pairs(group))
        else:
            kept.append(group)
    return kept


def _pairs(group: set[str]) -> list[tuple[str, str]]:
    """Each two members, and each with itself, so that a set of one counts."""
    return list(combinations_with_replacement(sorted(group), 2))


def _letters(n: int) -> list[str]:
    """a, b, … z, a2, b2, …"""
    return [ascii_lowercase[place % 26] + (str(place // 26 + 1) if place >= 26 else "") for place in range(n)]


@dataclass(frozen=True)
class RankAgreement:
    """How far two judges rank models alike: Kendall's tau-b and Spearman's rho, in [−1, 1].

    ``n`` models have a score by both; ``left_out`` are the others. None where it is undefined; ``why`` says the reason.
    """

    kendall_tau_b: float | None
    spearman: float | None
    n: int
    left_out: tuple[str, ...]
    why: str | None


def rank_agreement(one: Mapping[str, float | None], other: Mapping[str, float | None]) -> RankAgreement:
    """Compare two judges' scores of the same models, by their order alone (SciPy).

    Parameters
    ----------
    one, other
        Scores by model; None and NaN are no score. Two that differ by rounding only are tied.

    Raises
    ------
    MissingExtraError
        SciPy is not installed.

    References
    ----------
    M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945).

    Examples
    --------
    >>> found = rank_agreement({"a": 0.6, "b": 0.5, "c": 0.1}, {"a": 0.7, "b": 0.8, "c": 0.2})
    >>> round(found.kendall_tau_b, 4), round(found.spearman, 4)
    (0.3333, 0.5)
    >>> rank_agreement({"a": 0.6, "b": 0.6}, {"a": 0.1, "b": 0.2}).why
    'a judge gives every model the same score'
    """
    every = list(dict.fromkeys((*one, *other)))
    pairs = {name: (one.get(name), other.get(name)) for name in every}
    known = {name: pair for name, pair in pairs.items() if all(x is not None and not math.isnan(x) for x in pair)}
    left_out = tuple(name for name in every if name not in known)
    n = len(known)
    if n < 2:
        return RankAgreement(None, None, n, left_out, "fewer than two models have a score by both")
    first, second = (_steps(np.array([pair[side] for pair in known.values()], dtype=np.float64)) for side in (0, 1))
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return RankAgreement(None, None, n, left_out, "a judge gives every model the same score")
    stats = needed("scipy.stats", "the correlation of rankings")
    tau, rho = stats.kendalltau(first, second, variant="b").statistic, stats.spearmanr(first, second).statistic
    return RankAgreement(float(tau), float(rho), n, left_out, None)


def _steps(values: Floats) -> Floats:
    """The values as numbers from 0 on in the same order; equal are those that differ by rounding only."""
    order = np.argsort(values, kind="stable")
    steps = np.empty(len(values))
    steps[order] = np.cumsum(np.diff(values[order], prepend=values[order][:1]) > _SAME)
    return steps
