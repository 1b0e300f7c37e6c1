"""How often several judges say the same of a check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.reports.shapes import Name, Words, listed
from gamut_eval.reports.views import effective_verdicts
from gamut_eval.reports.wording import number, percent
from gamut_eval.scoring.counts import RESPONSE
from gamut_eval.stats.kappa import cohen_kappa

_CHECK = [*RESPONSE, "repeat", "check_id"]


@dataclass(frozen=True)
class Pair:
    """Two judges, and how often each pair of verdicts, the one's and the other's, was given on one check."""

    one: str
    other: str
    counts: Mapping[tuple[str, str], int]

    @property
    def n(self) -> int:
        """How many checks both judged."""
        return sum(self.counts.values())

    @property
    def same(self) -> float | None:
        """On what share of them they gave the same verdict."""
        same = sum(n for (one, other), n in self.counts.items() if one == other)
        return same / self.n if self.n else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where it is undefined."""
        cells = [cell for cell, n in self.counts.items() for _ in range(n)]
        return cohen_kappa([one for one, _ in cells], [other for _, other in cells])


def pairs(source: Source) -> list[Pair]:
    """Each two of a run's judges, over the checks of the same answers that both judged."""
    given = _given(source)
    own = {judge: given.filter(pl.col("judge") == judge) for judge in sorted({judge for *_, judge, _ in source.asked})}
    return [Pair(one, other, _counts(own[one], own[other])) for one, other in combinations(own, 2)]


def _given(source: Source) -> pl.DataFrame:
    return effective_verdicts(source).filter(pl.col("verdict").is_not_null())


def _counts(one: pl.DataFrame, other: pl.DataFrame) -> Counter[tuple[str, str]]:
    both = one.join(other, on=_CHECK, suffix="_other").select("verdict", "verdict_other")
    return Counter(both.iter_rows())


def agreement(source: Source) -> Words:
    """The share of checks on which all judges gave the same verdict, in words, with Cohen's kappa by pairs.

    It is over the checks of an answer that all of its judges judged. Nothing for a single judge.
    """
    asked = pl.DataFrame(source.asked, schema=["model", "variant", "judge", "repeats"], orient="row")
    several = asked.group_by("model", "variant").agg(pl.len().alias("n_judges")).filter(pl.col("n_judges") > 1)
    if several.is_empty():
        return ()
    n_all, n_same = _alike(_given(source).join(several, on=["model", "variant"]))
    if not n_all:
        return ("No check has been judged by all judges yet, so their agreement is n/a.",)
    whole = f"All judges gave the same verdict on {percent(n_same / n_all)}% of the {n_all:,} checks that all judged"
    return (whole, *_beyond_chance(pairs(source)), ".")


def _beyond_chance(every: list[Pair]) -> Words:
    if len(every) == 1:
        return (f" (Cohen's kappa {number(every[0].kappa)})",)
    phrases: list[Words] = [
        (Name(pair.one), " with ", Name(pair.other), f" {_share(pair.same)} ({number(pair.kappa)})") for pair in every
    ]
    return ("; by pairs, with Cohen's kappa: ", *listed(phrases))


def _share(value: float | None) -> str:
    return percent(value) if value is None else f"{percent(value)}%"


def _alike(given: pl.DataFrame) -> tuple[int, int]:
    """How many checks all judges judged, and on how many of them they gave the same verdict."""
    checks = given.group_by(_CHECK).agg(
        (pl.col("judge").n_unique() == pl.col("n_judges").first()).alias("all"),
        (pl.col("verdict").n_unique() == 1).alias("same"),
    )
    judged = checks.filter(pl.col("all"))
    return len(judged), int(judged["same"].sum())
