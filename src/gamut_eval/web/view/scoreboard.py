"""Scores of every question by one judge, as arrays: what lists of questions are sorted and drawn by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gamut_eval.analysis.source import Source
from gamut_eval.reports.ranking import Facet
from gamut_eval.scoring.counts import CONSENSUS, PANEL

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Scoreboard:
    """The questions' scores in one variant by one judge.

    ``models`` are best first. ``gamut``: shape (questions, models), NaN where undefined or not asked. ``open``: the
    same shape, where a score was to be and is not. ``missing`` and ``contradicts``: shape (questions,), how many
    checks got that verdict, over all models. ``disagreement``: shape (questions,), the mean over models of how far
    judges' scores lie apart; NaN with a single judge.
    """

    models: tuple[str, ...]
    gamut: Floats
    open: Mask
    missing: Floats
    contradicts: Floats
    disagreement: Floats

    def mean(self, models: Sequence[str]) -> Floats:
        """By question the mean over models; NaN unless each of those asked has a score."""
        columns = self.columns(models)
        with np.errstate(invalid="ignore"):
            known = ~np.isnan(self.gamut[:, columns])
            mean = np.where(known, self.gamut[:, columns], 0.0).sum(axis=1) / known.sum(axis=1)
        return np.where(self.open[:, columns].any(axis=1), np.nan, mean)

    def spread(self, models: Sequence[str]) -> Floats:
        """By question how far the best and the worst model lie apart; NaN for fewer than two scores."""
        own = self.gamut[:, self.columns(models)]
        known = ~np.isnan(own)
        low, high = np.where(known, own, np.inf).min(axis=1), np.where(known, own, -np.inf).max(axis=1)
        return np.where(known.sum(axis=1) > 1, high - low, np.nan)

    @cached_property
    def asked(self) -> Mask:
        """Shape (questions,): whether any model was to answer it."""
        return self.asked_of(range(len(self.models)))

    def asked_of(self, columns: Sequence[int]) -> Mask:
        """Shape (questions,): whether any of these models was to answer it."""
        there = ~np.isnan(self.gamut[:, list(columns)]) | self.open[:, list(columns)]
        return np.asarray(there.any(axis=1), dtype=np.bool_)

    @cached_property
    def lowest(self) -> float:
        """The lowest score there is; 0 where there is none."""
        known = self.gamut[~np.isnan(self.gamut)]
        return float(known.min()) if len(known) else 0.0

    def columns(self, models: Sequence[str]) -> list[int]:
        """Where models are; all of them where none is named."""
        return [self.models.index(model) for model in models if model in self.models] or list(range(len(self.models)))


def scoreboard(source: Source, facet: Facet) -> Scoreboard:
    """The scores of a facet by question."""
    models = tuple(row.model for row in facet.rows)
    of_variant = source.scores.questions.filter(pl.col("variant") == facet.variant)
    own = of_variant.filter(pl.col("judge") == facet.judge)
    at = _places(own, source), own["model"].cast(pl.Enum(models)).to_physical().to_numpy()
    shape = (len(source.questions), len(models))
    gamut, unknown = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    gamut[at] = own["gamut"].fill_null(np.nan).to_numpy()
    unknown[at] = ~own["complete"].to_numpy()
    sums = {
        name: np.bincount(at[0], own[name].fill_null(0.0).to_numpy(), minlength=shape[0]).astype(np.float64)
        for name in ("missing", "contradicts")
    }
    disagreement = _disagreement(source, of_variant)
    return Scoreboard(models, gamut, unknown, sums["missing"], sums["contradicts"], disagreement)


def _places(rows: pl.DataFrame, source: Source) -> NDArray[Any]:
    ids = pl.Enum([question.id for question in source.questions])
    return rows["question_id"].cast(ids).to_physical().to_numpy()


def _disagreement(source: Source, rows: pl.DataFrame) -> Floats:
    single = rows.filter(~pl.col("judge").is_in([PANEL, CONSENSUS]), pl.col("gamut").is_not_null())
    apart = single.group_by("question_id", "model").agg(
        apart=pl.col("gamut").max() - pl.col("gamut").min(), n_judges=pl.len()
    )
    means = apart.filter(pl.col("n_judges") > 1).group_by("question_id").agg(pl.col("apart").mean())
    found = np.full(len(source.questions), np.nan)
    found[_places(means, source)] = means["apart"].to_numpy()
    return found
