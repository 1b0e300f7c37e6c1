"""Counting verdicts: what was to be graded, what was, and what several judges agree on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from gamut_eval.records import VERDICTS
from gamut_eval.rubric.fields import TIERS

Composite = Literal["ask", "derive"]
RESPONSE = ["question_id", "model", "variant", "sample"]
UNIT = [*RESPONSE, "judge", "repeat"]
CELLS = [f"{tier}/{verdict}" for tier in TIERS for verdict in VERDICTS]
OPEN = [f"{tier}/open" for tier in TIERS]
PANEL, CONSENSUS = "panel", "consensus"


@dataclass(frozen=True)
class Graded:
    """All that scoring needs of a run, as frames.

    ``checks``: question_id, check_id, tier, threshold, parts (ids).
    ``responses``: question_id, model, variant, sample.
    ``asked``: model, variant, judge, repeats: which judges were to grade which responses, how often.
    ``askable``: variant, question_id: what could be asked.
    ``verdicts``: the columns of `UNIT`, check_id, verdict; null where the judge failed.
    """

    checks: pl.DataFrame
    responses: pl.DataFrame
    asked: pl.DataFrame
    askable: pl.DataFrame
    verdicts: pl.DataFrame


def count_verdicts(graded: Graded) -> pl.DataFrame:
    """A row for each (response, judge, repeat) that was to be graded, absent responses too.

    Columns: those of `UNIT`, one of `CELLS` a tier and verdict, one of `OPEN` a tier: the checks
    that have no verdict.
    """
    row = graded.checks.select("question_id", "check_id", row=_code("tier", TIERS) * len(VERDICTS))
    judged = graded.verdicts.filter(pl.col("verdict").is_not_null()).join(row, on=["question_id", "check_id"])
    judged = judged.select(*UNIT, cell=pl.col("row") + _code("verdict", VERDICTS))
    counted = judged.group_by(UNIT).agg((pl.col("cell") == at).sum().alias(name) for at, name in enumerate(CELLS))
    sizes = graded.checks.group_by("question_id").agg((pl.col("tier") == str(t)).sum().alias(f"{t}/all") for t in TIERS)
    units = expected(graded).join(counted, on=UNIT, how="left").join(sizes, on="question_id")
    units = units.with_columns(pl.col(CELLS).fill_null(0).cast(pl.Int64))
    return units.with_columns(
        (pl.col(f"{tier}/all").cast(pl.Int64) - pl.sum_horizontal(f"{tier}/{verdict}" for verdict in VERDICTS)).alias(
            f"{tier}/open"
        )
        for tier in TIERS
    ).select(*UNIT, *CELLS, *OPEN)


def _code(column: str, names: Sequence[str]) -> pl.Expr:
    """The place of each name, as a number: a million of those are counted faster than texts."""
    codes = {str(name): place for place, name in enumerate(names)}
    return pl.col(column).replace_strict(codes, return_dtype=pl.UInt8)


def expected(graded: Graded) -> pl.DataFrame:
    """The units that were to be graded, in `UNIT` columns. A question without a response counts as sample 0."""
    answered = graded.responses.join(graded.asked.select("model", "variant").unique(), on=["model", "variant"])
    could = graded.asked.select("model", "variant").unique().join(graded.askable, on="variant")
    absent = could.join(answered, on=["model", "variant", "question_id"], how="anti")
    absent = absent.with_columns(pl.lit(0, dtype=pl.Int64).alias("sample")).select(RESPONSE)
    responses = pl.concat([answered.select(RESPONSE), absent])
    units = responses.join(graded.asked, on=["model", "variant"])
    repeats = pl.int_ranges(pl.col("repeats")).alias("repeat")
    return units.with_columns(repeats).explode("repeat").select(UNIT)


def derive_coverage(graded: Graded) -> Graded:
    """Coverage verdicts taken from the verdicts of their parts, where a check has all of its parts.

    A part counts when it *meets*. With a part unjudged the verdict stays open, unless the threshold
    is reached without it.
    """
    composite = graded.checks.filter(pl.col("parts").list.len() > 0, pl.col("threshold").is_not_null())
    parts = composite.select("question_id", "check_id", "threshold", pl.col("parts").alias("part")).explode("part")
    judged = graded.verdicts.rename({"check_id": "part"})
    met, answered = pl.col("verdict") == "meets", pl.col("verdict").is_not_null()
    size = pl.len().over("question_id", "check_id").alias("size")
    tallied = (
        parts.with_columns(size)
        .join(judged, on=["question_id", "part"])
        .group_by(*UNIT, "check_id", "threshold", "size")
        .agg(met.sum().alias("n_met"), answered.sum().alias("n_answered"))
    )
    derived = tallied.with_columns(_coverage_verdict().alias("verdict")).select(graded.verdicts.columns)
    asked = graded.verdicts.join(
        composite.select("question_id", "check_id"), on=["question_id", "check_id"], how="anti"
    )
    return Graded(graded.checks, graded.responses, graded.asked, graded.askable, pl.concat([asked, derived]))


def _coverage_verdict() -> pl.Expr:
    reached = pl.col("n_met") >= pl.col("threshold")
    half = 2 * pl.col("n_met") >= pl.col("threshold")
    complete = pl.col("n_answered") == pl.col("size")
    answer = pl.when(half).then(pl.lit("partially_meets")).otherwise(pl.lit("missing"))
    return pl.when(reached).then(pl.lit("meets")).when(complete).then(answer)


def with_consensus(graded: Graded) -> Graded:
    """The same with a judge `CONSENSUS` more: the verdicts that more than half of the judges gave.

    Only for responses that several judges were to grade; repeats that not all of them have are left out.
    """
    several = graded.asked.group_by("model", "variant", maintain_order=True).agg(
        pl.len().alias("n_judges"), pl.col("repeats").min()
    )
    several = several.filter(pl.col("n_judges") > 1)
    by = [*RESPONSE, "repeat", "check_id"]
    votes = graded.verdicts.filter(pl.col("verdict").is_not_null()).join(several, on=["model", "variant"])
    votes = votes.group_by(*by, "verdict", "n_judges").agg(pl.len().alias("n_votes"))
    agreed = votes.filter(2 * pl.col("n_votes") > pl.col("n_judges"))
    agreed = agreed.with_columns(pl.lit(CONSENSUS).alias("judge")).select(graded.verdicts.columns)
    asked = several.select("model", "variant", pl.lit(CONSENSUS).alias("judge"), "repeats")
    return Graded(
        graded.checks,
        graded.responses,
        pl.concat([graded.asked, asked.select(graded.asked.columns)]),
        graded.askable,
        pl.concat([graded.verdicts, agreed]),
    )
