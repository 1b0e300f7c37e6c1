"""Scores of questions and benchmarks, with bounds where something is missing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl

from gamut_eval.benchmark.settings import ScoringSettings
from gamut_eval.errors import InputError
from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.rubric.fields import TIERS, Tier
from gamut_eval.scoring.counts import (
    CONSENSUS,
    PANEL,
    UNIT,
    Composite,
    Graded,
    Tally,
    count_verdicts,
    derive_coverage,
)
from gamut_eval.scoring.formula import Floats, gamut_score, tier_scores

LEADERBOARD = ["model", "variant", "judge"]
QUESTION = ["question_id", *LEADERBOARD]
_VALUES = ["gamut", "low", "high", *TIERS]
_SHARES = [verdict.value for verdict in VERDICTS]
_SHARED = pl.col("complete").all().over("question_id", "variant", "judge")


@dataclass(frozen=True)
class ScoreRow:
    """One line of the leaderboard. All scores are in [−1, 1]; None is undefined.

    ``gamut``, ``tiers`` and ``verdicts`` (shares of all checks) are over ``n_questions``;
    ``bounds`` are over all questions, with every open verdict at its worst and at its best.
    """

    model: str
    variant: str
    judge: str
    n_questions: int
    n_incomplete: int
    gamut: float | None
    bounds: tuple[float, float]
    tiers: dict[str, float | None]
    verdicts: dict[str, float | None]

    def to_dict(self) -> dict[str, Any]:
        """As `scores.json` has it."""
        return {
            "model": self.model,
            "variant": self.variant,
            "judge": self.judge,
            "n_questions": self.n_questions,
            "n_incomplete": self.n_incomplete,
            "gamut": self.gamut,
            "bounds": list(self.bounds),
            "tiers": self.tiers,
            "verdicts": self.verdicts,
        }


@dataclass(frozen=True)
class Scores:
    """The scores of a run.

    ``questions`` has a row a question, model, variant and judge: the columns of `QUESTION`,
    ``gamut``, ``low``, ``high``, one a tier, ``complete``, and one a
    verdict: how many checks got it, averaged over samples and repeats. ``allow_incomplete``: see `score_graded`.
    """

    settings: ScoringSettings
    composite: Composite
    rows: tuple[ScoreRow, ...]
    questions: pl.DataFrame
    allow_incomplete: bool = False

    @classmethod
    def of(
        cls, settings: ScoringSettings, composite: Composite, questions: pl.DataFrame, *, allow_incomplete: bool
    ) -> Self:
        """With the rows that the questions make."""
        rows = leaderboard_rows(questions, allow_incomplete=allow_incomplete)
        return cls(settings, composite, tuple(rows), questions, allow_incomplete)

    @cached_property
    def averaged(self) -> pl.DataFrame:
        """The part of ``questions`` that means are taken over: all, or those complete for every model of a contest."""
        return self.questions.filter(_SHARED) if self.allow_incomplete else self.questions

    @cached_property
    def counted(self) -> pl.DataFrame:
        """The same without the rows that have no mean, since one of the questions is incomplete."""
        return self.averaged.filter(pl.col("complete").all().over(LEADERBOARD))

    def where(
        self, *, variant: str | None = None, judges: Collection[str] = (), models: Collection[str] = ()
    ) -> Scores:
        """Those of this variant, these judges and these models only; by default of all.

        The means are over the questions that are complete for the models that are left.
        """
        wanted = {"variant": () if variant is None else (variant,), "judge": judges, "model": models}
        inside = [pl.col(name).is_in(list(names)) for name, names in wanted.items() if names]
        questions = self.questions.filter(inside) if inside else self.questions
        if models:
            return Scores.of(self.settings, self.composite, questions, allow_incomplete=self.allow_incomplete)
        rows = [row for row in self.rows if all(not own or getattr(row, name) in own for name, own in wanted.items())]
        return replace(self, rows=tuple(rows), questions=questions)

    @property
    def incomplete(self) -> list[ScoreRow]:
        """The rows of judges (and panels) that lack a question; an undecided consensus does not count."""
        return [row for row in self.rows if row.n_incomplete and row.judge != CONSENSUS]

    def leaderboard(self) -> pl.DataFrame:
        """The rows as a frame: scores, bounds (``low``, ``high``), a column a tier, and a share of checks a verdict."""
        flat = [
            (
                *(row.model, row.variant, row.judge, row.n_questions, row.n_incomplete),
                *(row.gamut, *row.bounds, *row.tiers.values(), *row.verdicts.values()),
            )
            for row in self.rows
        ]
        texts, counts = dict.fromkeys(LEADERBOARD, pl.String), dict.fromkeys(("n_questions", "n_incomplete"), pl.Int64)
        numbers = dict.fromkeys([*map(str, _VALUES), *_SHARES], pl.Float64)
        return pl.DataFrame(flat, schema={**texts, **counts, **numbers}, orient="row")

    def _repr_html_(self) -> str:
        with pl.Config(tbl_rows=-1, tbl_cols=-1):
            return self.leaderboard()._repr_html_()

    def question_rows(self) -> list[dict[str, Any]]:
        """As `scores.json` has them."""
        return [
            {
                **{name: row[name] for name in QUESTION},
                "gamut": row["gamut"],
                "tiers": {tier.value: row[tier] for tier in TIERS},
                "complete": row["complete"],
                "bounds": [row["low"], row["high"]],
            }
            for row in self.questions.iter_rows(named=True)
        ]


def score_graded(
    graded: Graded,
    settings: ScoringSettings,
    *,
    composite: Composite = "ask",
    allow_incomplete: bool = False,
) -> Scores:
    """Score everything that a run holds.

    Parameters
    ----------
    graded
        Checks, responses and verdicts.
    settings
        λ, μ and the tier weights.
    composite
        ``derive`` takes coverage verdicts from their parts instead of from the judge.
    allow_incomplete
        Give the mean over the questions that are complete for every model of the same variant
        and judge, instead of none.

    Raises
    ------
    InputError
        A question's checks are all in tiers of weight 0, so that it has no score.
    """
    graded = derive_coverage(graded) if composite == "derive" else graded
    units = score_units(count_verdicts(graded), settings)
    questions = _over_repeats_and_samples(units)
    judges = list(dict.fromkeys(graded.asked["judge"]))
    questions = in_order(pl.concat([questions, _panel(questions)]), judges)
    return Scores.of(settings, composite, questions, allow_incomplete=allow_incomplete)


def score_checks(
    tiers: Sequence[str], verdicts: Sequence[str | None], settings: ScoringSettings
) -> tuple[float | None, tuple[float, float], dict[str, float | None]]:
    """One response's score, its bounds and its tier scores, from a verdict a check (None: open).

    Examples
    --------
    >>> score_checks(["answer_critical", "valuable"], ["meets", None], ScoringSettings())[:2]
    (None, (0.33333333333333337, 1.0))
    """
    counts, opened = np.zeros((1, len(TIERS), len(VERDICTS)), np.int64), np.zeros((1, len(TIERS)), np.int64)
    for tier, verdict in zip(tiers, verdicts, strict=True):
        row = TIERS.index(Tier(tier))
        if verdict is None:
            opened[0, row] += 1
        else:
            counts[0, row, VERDICTS.index(Verdict(verdict))] += 1
    unit = pl.DataFrame({"question_id": [""]})
    scored = score_units(Tally(unit, counts, opened), settings).row(0, named=True)
    return scored["gamut"], (scored["low"], scored["high"]), {tier.value: scored[tier] for tier in TIERS}


def score_units(tally: Tally, settings: ScoringSettings) -> pl.DataFrame:
    """The score of each response by each judge in each repeat, before anything is averaged.

    Returns
    -------
    The tally's units with ``gamut``, ``low``, ``high``, one column a tier, one a verdict (counts), and ``complete``;
    scores are null where a verdict is open.

    Raises
    ------
    InputError
        A question's checks are all in tiers of weight 0.
    """
    counts, opened = tally.counts, tally.opened
    complete = opened.sum(axis=1) == 0
    tiers = np.where(complete[:, None], tier_scores(counts, settings), np.nan)
    gamut = np.where(complete, gamut_score(tiers, settings), np.nan)
    low, high = gamut.copy(), gamut.copy()
    for bound, verdict in ((low, Verdict.CONTRADICTS), (high, Verdict.MEETS)):
        decided = counts[~complete]
        decided[..., VERDICTS.index(verdict)] += opened[~complete]
        bound[~complete] = gamut_score(tier_scores(decided, settings), settings)
    _refuse_weightless(tally.units, low)
    columns = dict(zip(_VALUES, [gamut, low, high, *tiers.T], strict=True))
    return tally.units.with_columns(
        *(pl.Series(name, values).fill_nan(None) for name, values in columns.items()),
        *(pl.Series(name, n).cast(pl.Float64) for name, n in zip(_SHARES, counts.sum(axis=1).T, strict=True)),
        pl.Series("complete", complete),
    )


def _refuse_weightless(units: pl.DataFrame, low: Floats) -> None:
    if np.isnan(low).any():
        name = units["question_id"][int(np.isnan(low).argmax())]
        raise InputError(
            f"question {name!r} has checks only in tiers of weight 0, so it has no score; give them a weight"
        )


def _over_repeats_and_samples(units: pl.DataFrame) -> pl.DataFrame:
    """Repeats are averaged, then samples; one that is incomplete makes the question so."""
    for level in ("repeat", "sample"):
        if not (units[level] != 0).any():  # nothing to average
            units = units.drop(level)
            continue
        by = [name for name in UNIT if name in units.columns and name != level]
        units = units.group_by(by, maintain_order=True).agg(
            pl.col(_VALUES).mean(), pl.col(_SHARES).mean(), pl.col("complete").all()
        )
    return _blank_incomplete(units).select(*QUESTION, *_VALUES, *_SHARES, "complete")


def _blank_incomplete(questions: pl.DataFrame) -> pl.DataFrame:
    """Polars' mean passes over nulls; where one was, the mean is undefined."""
    scores = ["gamut", *TIERS]
    return questions.with_columns(pl.when(pl.col("complete")).then(pl.col(name)).alias(name) for name in scores)


def _panel(questions: pl.DataFrame) -> pl.DataFrame:
    """The mean of several judges' scores of a question; a question needs them all."""
    by = ["question_id", "model", "variant"]
    judged = questions.filter(pl.col("judge") != CONSENSUS)
    mean = judged.group_by(by, maintain_order=True).agg(
        pl.len().alias("n_judges"),
        pl.col(_VALUES).mean(),
        pl.col(_SHARES).mean(),
        pl.col("complete").all(),
    )
    mean = mean.filter(pl.col("n_judges") > 1).with_columns(pl.lit(PANEL).alias("judge"))
    return _blank_incomplete(mean).select(questions.columns)


def in_order(questions: pl.DataFrame, judges: Sequence[str]) -> pl.DataFrame:
    """Sorted by variant, judge, model and question; by numbers, which sort much faster than texts."""
    orders = {name: questions[name].unique().sort().to_list() for name in QUESTION}
    orders["judge"] = [*(judge for judge in judges if judge != CONSENSUS), PANEL, CONSENSUS]
    key: pl.Expr = pl.lit(0, dtype=pl.Int64)
    for name in ("variant", "judge", "model", "question_id"):
        place = pl.col(name).cast(pl.Enum(orders[name])).to_physical().cast(pl.Int64)
        key = key * len(orders[name]) + place
    return questions.sort(key, maintain_order=True)


def leaderboard_rows(questions: pl.DataFrame, *, allow_incomplete: bool = False) -> list[ScoreRow]:
    """The leaderboard of `Scores.questions`, or of some of its rows.

    Parameters
    ----------
    questions
        As in `Scores`.
    allow_incomplete
        See `score_graded`.
    """
    counted = pl.col("counted")
    shown = questions.with_columns(counted=_SHARED if allow_incomplete else pl.col("complete"))
    groups = shown.group_by(LEADERBOARD, maintain_order=True)
    rows = groups.agg(
        counted.sum().alias("n_questions"),
        (~counted).sum().alias("n_incomplete"),
        pl.col("low", "high").mean(),
        pl.col("gamut", *TIERS).filter(counted).mean(),
        pl.col(_SHARES).filter(counted).sum(),
    )
    return [_row(row, allow_incomplete) for row in rows.iter_rows(named=True)]


def _row(row: dict[str, Any], allow_incomplete: bool) -> ScoreRow:
    known = allow_incomplete or row["n_incomplete"] == 0
    total = sum(row[name] for name in _SHARES)
    return ScoreRow(
        **{name: row[name] for name in LEADERBOARD},
        n_questions=row["n_questions"],
        n_incomplete=row["n_incomplete"],
        gamut=row["gamut"] if known else None,
        bounds=(row["low"], row["high"]),
        tiers={tier.value: row[tier] if known else None for tier in TIERS},
        verdicts={name: row[name] / total if known and total else None for name in _SHARES},
    )
