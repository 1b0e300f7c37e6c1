"""Verdicts that stand but look doubtful: a quote that is not in the answer, a rationale that says otherwise."""

from __future__ import annotations

import orjson
import polars as pl

from gamut_eval.reports.kind import Kind
from gamut_eval.reports.shapes import Column, Section, Table
from gamut_eval.reports.source import Source

LEAD = (
    "These verdicts count as they are. Many of them say that a judge copies badly, or does not follow its own reasons."
)
_SAID = {
    "quote_not_in_response": "the quote is not in the answer",
    "no_quote": "a verdict other than missing has no quote",
    "verdict_at_odds_with_rationale": "the rationale says another verdict",
    "delimiter_in_response": "the answer imitates the marks that enclose it",
}


def _build(source: Source) -> Section | None:
    marked = source.verdicts.filter(pl.col("more").is_not_null(), pl.col("verdict").is_not_null())
    flags = [(judge, flag) for judge, more in marked.select("judge", "more").iter_rows() for flag in _flags(more)]
    if not flags:
        return None
    judged = dict(source.verdicts.filter(pl.col("verdict").is_not_null()).group_by("judge").len().iter_rows())
    counted = pl.DataFrame(flags, schema=["judge", "flag"], orient="row").group_by("judge", "flag").len()
    rows = [
        (judge, _SAID.get(flag, flag), n, n / judged[judge])
        for judge, flag, n in counted.sort("judge", "len", "flag", descending=[False, True, False]).iter_rows()
    ]
    columns = (Column("Judge"), Column("What"), Column("Verdicts", "count"), Column("Share", "percent"))
    return Section("doubts", "Doubtful verdicts", (Table(columns, tuple(rows)),), (LEAD,))


def _flags(more: str) -> list[str]:
    try:
        flags = orjson.loads(more).get("flags")
    except (orjson.JSONDecodeError, AttributeError):
        return []
    return [flag for flag in flags if isinstance(flag, str)] if isinstance(flags, list) else []


REPORT = Kind(order=56, build=_build)
