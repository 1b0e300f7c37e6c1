"""Models side by side as frames, for notebooks: a row a model, a row a pair of models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from gamut_eval.analysis.contests import Contest, Standing
from gamut_eval.stats.paired import Comparison

_WHO: dict[str, Any] = {"variant": pl.String, "judge": pl.String}
_STANDING = _WHO | {
    "model": pl.String,
    "gamut": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "standard_error": pl.Float64,
    "n_questions": pl.Int64,
    "n_clusters": pl.Int64,
    "rank": pl.Int64,
    "rank_low": pl.Int64,
    "rank_high": pl.Int64,
    "p_best": pl.Float64,
    "groups": pl.List(pl.String),
    "why": pl.String,
}
_PAIR = _WHO | {
    "one": pl.String,
    "other": pl.String,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,
    "p_holm": pl.Float64,
    "p_bootstrap": pl.Float64,
    "n_shared": pl.Int64,
    "wins": pl.Int64,
    "ties": pl.Int64,
    "losses": pl.Int64,
    "why": pl.String,
}


def standings_frame(contests: Iterable[Contest]) -> pl.DataFrame:
    """A row a variant, judge and model, best first.

    ``low`` and ``high`` are the limits of the score's interval, ``rank_low`` and ``rank_high`` of the rank's.
    ``groups`` has the letters of models that cannot be told apart, null where that was not tested. What is undefined
    is null, and ``why`` says the reason.
    """
    rows = [(c.variant, c.judge, *_standing(standing, c)) for c in contests for standing in c.standings]
    return pl.DataFrame(rows, schema=_STANDING, orient="row")


def _standing(standing: Standing, contest: Contest) -> tuple[object, ...]:
    interval, rank = standing.interval, standing.rank
    return (
        *(standing.model, standing.row.gamut, interval.low, interval.high, interval.standard_error),
        *(interval.n_questions, interval.n_clusters, rank.rank, rank.low, rank.high, rank.p_best),
        list(standing.letters) if contest.groups and standing.letters else None,
        interval.why,
    )


def pairs_frame(contests: Iterable[Contest]) -> pl.DataFrame:
    """A row a variant, judge and pair of models, the better one first.

    ``difference`` is the mean over the questions that both have, with its interval; ``p`` is the sign-flip test's,
    ``p_holm`` the same adjusted for all pairs of the variant and judge. What is undefined is null, and ``why`` says the
    reason.
    """
    rows = [(c.variant, c.judge, *_pair(pair)) for c in contests for pair in c.pairs]
    return pl.DataFrame(rows, schema=_PAIR, orient="row")


def _pair(pair: Comparison) -> tuple[object, ...]:
    interval = pair.interval
    return (
        *(pair.one, pair.other, interval.estimate, interval.low, interval.high),
        *(pair.p_permutation, pair.p_holm, pair.p_bootstrap),
        *(len(pair.shared), pair.wins, pair.ties, pair.losses, pair.why),
    )
