"""Where the spread of a model's scores comes from: its questions, its judges, its samples, their repeats."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.scoring.counts import CONSENSUS
from gamut_eval.scoring.score import score_units
from gamut_eval.stats.variance import VarianceSplit, variance_split


@dataclass(frozen=True)
class Spread:
    """One model in one variant: its scores by single judgements, split. ``n_open`` are undefined and left out."""

    variant: str
    model: str
    split: VarianceSplit
    n_open: int


def spreads(source: Source) -> tuple[Spread, ...]:
    """One entry a variant and model, by variant, best mean first.

    A score is one response's by one judge in one repeat. Without a second judge, sample or repeat of anything there
    is nothing to split, and no entry.
    """
    units = score_units(source.tally, source.scores.settings).filter(pl.col("judge") != CONSENSUS)
    if len(units) == units.select("question_id", "model", "variant").n_unique():
        return ()
    groups = units.group_by("variant", "model", maintain_order=True)
    found = [_spread(str(variant), str(model), own) for (variant, model), own in groups]
    return tuple(sorted(found, key=lambda spread: (spread.variant, -(spread.split.mean or -1.0), spread.model)))


def _spread(variant: str, model: str, units: pl.DataFrame) -> Spread:
    known = units.filter(pl.col("gamut").is_not_null())
    split = variance_split(
        known["gamut"].to_numpy(),
        known["question_id"].to_list(),
        sample=known["sample"].to_list(),
        judge=known["judge"].to_list(),
    )
    return Spread(variant, model, split, len(units) - len(known))
