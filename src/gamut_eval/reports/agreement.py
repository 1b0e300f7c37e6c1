"""How often several judges say the same of a check."""

from __future__ import annotations

from itertools import combinations

import polars as pl

from gamut_eval.reports.shapes import Name, Words, listed
from gamut_eval.reports.source import Source
from gamut_eval.reports.views import effective_verdicts
from gamut_eval.reports.wording import percent
from gamut_eval.scoring.counts import RESPONSE

_CHECK = [*RESPONSE, "repeat", "check_id"]


def agreement(source: Source) -> Words:
    """The share of checks on which all judges gave the same verdict, in words; by pairs for three judges or more.

    It is over the checks of an answer that all of its judges judged. Nothing for a single judge.
    """
    asked = pl.DataFrame(source.asked, schema=["model", "variant", "judge", "repeats"], orient="row")
    several = asked.group_by("model", "variant").agg(pl.len().alias("n_judges")).filter(pl.col("n_judges") > 1)
    if several.is_empty():
        return ()
    given = effective_verdicts(source).filter(pl.col("verdict").is_not_null())
    n_all, n_same = _alike(given.join(several, on=["model", "variant"]))
    if not n_all:
        return ("No check has been judged by all judges yet, so their agreement is n/a.",)
    whole = f"All judges gave the same verdict on {percent(n_same / n_all)}% of the {n_all:,} checks that all judged"
    return (whole, *_pairs(given, sorted(set(asked["judge"]))), ".")


def _pairs(given: pl.DataFrame, judges: list[str]) -> Words:
    phrases: list[Words] = []
    for one, other in combinations(judges, 2) if len(judges) > 2 else ():
        both = given.filter(pl.col("judge").is_in([one, other])).with_columns(n_judges=pl.lit(2))
        n_all, n_same = _alike(both)
        share = f" {percent(n_same / n_all)}%" if n_all else " n/a"
        phrases.append((Name(one), " with ", Name(other), share))
    return ("; by pairs: ", *listed(phrases)) if phrases else ()


def _alike(given: pl.DataFrame) -> tuple[int, int]:
    """How many checks all judges judged, and on how many of them they gave the same verdict."""
    checks = given.group_by(_CHECK).agg(
        (pl.col("judge").n_unique() == pl.col("n_judges").first()).alias("all"),
        (pl.col("verdict").n_unique() == 1).alias("same"),
    )
    judged = checks.filter(pl.col("all"))
    return len(judged), int(judged["same"].sum())
