"""Scores of a source's answers by other verdicts or other checks than its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.rubric.check import Check
from gamut_eval.scoring.counts import CONSENSUS, UNIT, checks_frame
from gamut_eval.scoring.score import score_graded

KEY = ["question_id", "model", "variant", "judge"]


def rescored(source: Source, verdicts: pl.DataFrame, checks: Iterable[Check] | None = None) -> pl.DataFrame:
    """Scores of the questions that the source has scores of, as `Scores.questions` has them, without the consensus.

    Parameters
    ----------
    source
        Answers, judges, and constants.
    verdicts
        The columns of `UNIT`, check_id and verdict, in place of the source's own.
    checks
        In place of the source's own. Questions that have none are left out.
    """
    checks = source.checks if checks is None else list(checks)
    asked = pl.col("question_id").is_in(list({check.question_id for check in checks}))
    own = source.scores.questions.filter(asked, pl.col("judge") != CONSENSUS)
    if own.is_empty():
        return own
    graded = replace(
        source.graded,
        checks=checks_frame(checks),
        responses=source.graded.responses.filter(asked),
        askable=source.graded.askable.filter(asked),
        verdicts=verdicts.select(*UNIT, "check_id", "verdict"),
    )
    scores = score_graded(graded, source.scores.settings, composite=source.scores.composite)
    return scores.questions.join(own.select(KEY), on=KEY, how="semi", maintain_order="left")
