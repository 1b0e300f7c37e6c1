"""Counting verdicts: what was to be graded, what was, and what several judges agree on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gamut_eval.records import VERDICTS
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import TIERS

Composite = Literal["ask", "derive"]
RESPONSE_TYPES = {"question_id": pl.String, "model": pl.String, "variant": pl.String, "sample": pl.Int64}
ASKED_TYPES = {"model": pl.String, "variant": pl.String, "judge": pl.String, "repeats": pl.Int64}
RESPONSE = list(RESPONSE_TYPES)
UNIT = [*RESPONSE, "judge", "repeat"]
N_CELLS = len(TIERS) * len(VERDICTS)
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


def checks_frame(checks: Iterable[Check]) -> pl.DataFrame:
    """The frame `Graded.checks`."""
    schema = {
        "question_id": pl.String(),
        "check_id": pl.String(),
        "tier": pl.String(),
        "threshold": pl.Int64(),
        "parts": pl.List(pl.String()),
    }
    rows = [(check.question_id, check.id, check.tier.value, check.threshold, list(check.parts)) for check in checks]
    return pl.DataFrame(rows, schema=schema, orient="row")


@dataclass(frozen=True)
class Tally:
    """How many checks of each unit got which verdict.

    ``units``: n rows, the columns of `UNIT`. ``counts``: shape (n, 3, 4), by tier and verdict.
    ``opened``: shape (n, 3), the checks of each tier that have no verdict.
    """

    units: pl.DataFrame
    counts: NDArray[np.int64]
    opened: NDArray[np.int64]


def count_verdicts(graded: Graded) -> Tally:
    """A unit for each (response, judge, repeat) that was to be graded, absent responses too, and for each consensus.

    The consensus, a judge called `CONSENSUS`, has the verdicts that more than half of the judges of a
    response gave, in the repeats that all of them have; it is only there for several judges.
    """
    units = expected(graded).with_row_index("unit")
    judged = _coded(graded, units)
    ballots = _ballots(graded, units)
    together = ballots.unique("ballot", maintain_order=True).sort("ballot").with_columns(judge=pl.lit(CONSENSUS))
    sizes = graded.checks.group_by("question_id").agg(
        pl.len().alias("n_checks"), *((pl.col("tier") == str(t)).sum().alias(str(t)) for t in TIERS)
    )
    agreed = _agreed(judged, ballots, len(units), _sized(together, sizes)["n_checks"].to_numpy())
    own, shared = _counted(units, judged, sizes), _counted(together, agreed, sizes)
    arrays = ((own.counts, shared.counts), (own.opened, shared.opened))
    return Tally(pl.concat([own.units, shared.units]), *map(np.concatenate, arrays))


@dataclass(frozen=True, eq=False)
class Ballots:
    """What each judge said of each check.

    ``ballots``: n rows, a response and repeat each (question_id, model, variant, sample, repeat). ``judges``: j names.
    ``said``: shape (n, k, j), a verdict's place in `VERDICTS`, −1 where there is none; k checks, those of
    the ballot's question in their order first.
    """

    ballots: pl.DataFrame
    judges: tuple[str, ...]
    said: NDArray[np.int8]


def ballots(graded: Graded) -> Ballots:
    """Every verdict on a response that was to be graded, at its check's place.

    Examples
    --------
    >>> import polars as pl
    >>> from gamut_eval.scoring.counts import Graded
    >>> response = {"question_id": ["q"], "model": ["m"], "variant": ["image"], "sample": [0]}
    >>> checks = {"question_id": ["q", "q"], "check_id": ["a", "b"], "tier": ["context"] * 2}
    >>> asked = {"model": ["m"] * 2, "variant": ["image"] * 2, "judge": ["x", "y"], "repeats": [1, 1]}
    >>> verdict = {"judge": ["y"], "repeat": [0], "check_id": ["b"], "verdict": ["missing"]}
    >>> frames = (checks, response, asked, {"variant": ["image"], "question_id": ["q"]}, response | verdict)
    >>> ballots(Graded(*map(pl.DataFrame, frames))).said.tolist()
    [[[-1, -1], [-1, 2]]]
    """
    units = expected(graded).with_row_index("unit")
    judged = _coded(graded, units)
    judges = tuple(dict.fromkeys(graded.asked["judge"]))
    by = [*RESPONSE, "repeat"]
    shared = units.select(by).unique(maintain_order=True)
    ballot = units.join(shared.with_row_index("ballot"), on=by, how="left", maintain_order="left")["ballot"].to_numpy()
    judge = units["judge"].replace_strict(judges, range(len(judges)), return_dtype=pl.Int64).to_numpy()
    most = int(graded.checks.group_by("question_id").len()["len"].max() or 0)  # type: ignore[arg-type]
    said = np.full((len(shared), most, len(judges)), -1, dtype=np.int8)
    unit = judged["unit"].to_numpy()
    said[ballot[unit], judged["place"].to_numpy(), judge[unit]] = judged["column"].to_numpy()
    return Ballots(shared, judges, said)


def _coded(graded: Graded, units: pl.DataFrame) -> pl.DataFrame:
    """The verdicts as numbers, since a million of those are counted faster than texts.

    Columns: unit, place (which of its question's checks), row (a tier's first cell), column (the verdict).
    """
    numbers = {name: _number(units[name]) for name in UNIT}
    numbers |= {name: _number(graded.checks[name]) for name in ("question_id", "check_id")}
    unit, check = _together(numbers, UNIT), _together(numbers, ["question_id", "check_id"])
    row = pl.col("tier").replace_strict({str(t): n * len(VERDICTS) for n, t in enumerate(TIERS)}, return_dtype=pl.Int64)
    column = pl.col("verdict").cast(pl.Enum([str(v) for v in VERDICTS])).to_physical().cast(pl.Int64)
    place = pl.int_range(pl.len(), dtype=pl.Int64).over("question_id")
    checks = graded.checks.select(check=check, place=place, row=row).lazy()
    given = graded.verdicts.lazy().filter(pl.col("verdict").is_not_null())
    given = given.select(number=unit, check=check, column=column).join(checks, on="check")
    given = given.join(units.select("unit", number=unit).lazy(), on="number")
    return given.select("unit", "place", "row", "column").collect(engine="streaming")


Numbered = tuple[pl.Expr, int]
"""Numbers for the values of a column, null for others, and how many there are."""


def _number(known: pl.Series) -> Numbered:
    values = known.unique(maintain_order=True)
    if values.dtype == pl.String:
        number = pl.col(known.name).cast(pl.Enum(values), strict=False).to_physical().cast(pl.Int64)
    else:
        number = pl.col(known.name).replace_strict(values, range(len(values)), default=None, return_dtype=pl.Int64)
    return number, len(values)


def _together(numbers: Mapping[str, Numbered], names: Sequence[str]) -> pl.Expr:
    """One number for the values of several columns."""
    together: pl.Expr = pl.lit(0, dtype=pl.Int64)
    for number, size in (numbers[name] for name in names):
        together = together * size + number
    return together


def _ballots(graded: Graded, units: pl.DataFrame) -> pl.DataFrame:
    """The units of several judges, with the number of the response and repeat that they share."""
    several = graded.asked.group_by("model", "variant", maintain_order=True).agg(
        pl.len().alias("n_judges"), pl.col("repeats").min()
    )
    several = several.filter(pl.col("n_judges") > 1)
    joint = units.join(several, on=["model", "variant"]).filter(pl.col("repeat") < pl.col("repeats"))
    shared = [*RESPONSE, "repeat"]
    numbered = joint.select(shared).unique(maintain_order=True).with_row_index("ballot")
    return joint.join(numbered, on=shared)


def _agreed(judged: pl.DataFrame, ballots: pl.DataFrame, n_units: int, n_checks: NDArray[np.int64]) -> pl.DataFrame:
    """The verdicts with more than half of the votes; ``n_checks``: shape (ballots,), the checks voted on."""
    ballot_of = np.full(n_units, -1)
    ballot_of[ballots["unit"].to_numpy()] = ballots["ballot"].to_numpy()
    judged = judged if len(ballots) == n_units else judged.filter(pl.col("unit").is_in(ballots["unit"].implode()))
    first = np.concatenate([[0], np.cumsum(n_checks, dtype=np.int64)])  # each check of each ballot has its own slot
    slot = first[ballot_of[judged["unit"].to_numpy()]] + judged["place"].to_numpy()
    votes = np.bincount(slot * len(VERDICTS) + judged["column"].to_numpy(), minlength=first[-1] * len(VERDICTS))
    rows = np.zeros(first[-1], np.int64)
    rows[slot] = judged["row"].to_numpy()
    n_judges = ballots.group_by("ballot").agg(pl.col("n_judges").first()).sort("ballot")["n_judges"].to_numpy()
    slot, column = np.nonzero(2 * votes.reshape(-1, len(VERDICTS)) > np.repeat(n_judges, n_checks)[:, None])
    return pl.DataFrame(
        {"unit": np.repeat(np.arange(len(n_checks)), n_checks)[slot], "row": rows[slot], "column": column}
    )


def _sized(units: pl.DataFrame, sizes: pl.DataFrame) -> pl.DataFrame:
    return units.select("question_id").join(sizes, on="question_id", how="left", maintain_order="left")


def _counted(units: pl.DataFrame, judged: pl.DataFrame, sizes: pl.DataFrame) -> Tally:
    """Units in the order of their numbers, with how many of their checks are in each cell."""
    shape = (len(units), len(TIERS), len(VERDICTS))
    at = (
        judged.select(pl.col("unit").cast(pl.Int64) * N_CELLS + pl.col("row") + pl.col("column")).to_series().to_numpy()
    )
    counts = np.bincount(at, minlength=len(units) * N_CELLS).reshape(shape)
    opened = _sized(units, sizes).select(map(str, TIERS)).to_numpy().astype(np.int64) - counts.sum(axis=2)
    return Tally(units.select(UNIT), counts, opened)


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
    return replace(graded, verdicts=pl.concat([asked, derived]))


def _coverage_verdict() -> pl.Expr:
    reached = pl.col("n_met") >= pl.col("threshold")
    half = 2 * pl.col("n_met") >= pl.col("threshold")
    complete = pl.col("n_answered") == pl.col("size")
    answer = pl.when(half).then(pl.lit("partially_meets")).otherwise(pl.lit("missing"))
    return pl.when(reached).then(pl.lit("meets")).when(complete).then(answer)
