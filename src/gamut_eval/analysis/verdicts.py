"""The verdicts that count."""

from __future__ import annotations

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.scoring.counts import UNIT, Graded, checks_frame, derive_coverage


def effective_verdicts(source: Source) -> pl.DataFrame:
    """The verdicts that count, derived ones in place of asked ones: what `UNIT` has, check_id and verdict."""
    if source.scores.composite != "derive":
        return source.verdicts.select(*UNIT, "check_id", "verdict")
    return derive_coverage(graded_of(source)).verdicts


def graded_of(source: Source) -> Graded:
    """As much of what scoring needs as deriving verdicts takes."""
    nothing = pl.DataFrame()
    verdicts = source.verdicts.select(*UNIT, "check_id", "verdict")
    return Graded(checks_frame(source.checks), nothing, nothing, nothing, verdicts)
