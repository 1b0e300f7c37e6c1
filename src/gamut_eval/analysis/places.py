"""Models in order of a score, and how far two orders are alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gamut_eval.errors import MissingExtraError
from gamut_eval.scoring.score import ScoreRow
from gamut_eval.stats.paired import Comparison, holm
from gamut_eval.stats.ranks import RankAgreement, rank_agreement

_SAME = 1e-12


def places(scores: Mapping[str, float | None]) -> dict[str, int | None]:
    """Each model's place, 1 the highest score; equal ones share the better place, and without a score there is none.

    >>> places({"a": 0.2, "b": 0.5, "c": 0.2, "d": None, "e": 0.1})
    {'a': 2, 'b': 1, 'c': 2, 'd': None, 'e': 4}
    """
    known = [score for score in scores.values() if score is not None]
    return {
        model: None if score is None else 1 + sum(other > score + _SAME for other in known)
        for model, score in scores.items()
    }


def best_first(rows: Iterable[ScoreRow]) -> list[ScoreRow]:
    """By score; what has none comes last, by what it can still reach."""
    return sorted(rows, key=lambda row: (row.gamut is None, -(row.gamut or 0.0), -row.bounds[1], row.model))


def by_contest(rows: Iterable[ScoreRow]) -> dict[tuple[str, str], list[ScoreRow]]:
    """The leaderboard's rows by variant and judge, in its order, each best first."""
    found: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in rows:
        found.setdefault((row.variant, row.judge), []).append(row)
    return {key: best_first(own) for key, own in found.items()}


def gamut_of(rows: Iterable[ScoreRow]) -> dict[str, float | None]:
    """The leaderboard's scores by model."""
    return {row.model: row.gamut for row in rows}


def alike(one: Mapping[str, float | None], other: Mapping[str, float | None]) -> RankAgreement:
    """`rank_agreement`, with a reason in place of the error where SciPy is not installed."""
    try:
        return rank_agreement(one, other)
    except MissingExtraError as error:
        n = sum(score is not None and other.get(model) is not None for model, score in one.items())
        return RankAgreement(None, None, n, (), str(error))


def with_holm(pairs: Iterable[Comparison]) -> tuple[tuple[Comparison, ...], str | None]:
    """Comparisons with p adjusted for all of them, and why there is none where statsmodels is not installed."""
    pairs = tuple(pairs)
    try:
        adjusted = holm([pair.p_permutation for pair in pairs])
    except MissingExtraError as error:
        return pairs, str(error)
    return tuple(replace(pair, p_holm=p) for pair, p in zip(pairs, adjusted, strict=True)), None
