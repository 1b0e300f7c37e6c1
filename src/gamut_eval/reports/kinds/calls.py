"""What was sent to models, and what it took: calls, tokens, cost, faults, and which versions answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.errors import pip_install
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.shapes import Column, Name, Note, Section, Table
from gamut_eval.reports.wording import counted

LEAD = (
    "Calls of all commands in this run folder. Replies from the cache cost nothing and are not among the tokens. "
    "Cached tokens are those of prompts that the server had read before."
)
UNKNOWN = (
    " An unknown price is not a zero: genai-prices, which knows prices, is not installed, or it does not know the "
    f"model, such as one on a server of yours. To install it: {pip_install('prices')}."
)
_TAKEN = ("prompt_tokens", "completion_tokens")


def _build(source: Source) -> Section | None:
    if source.calls.is_empty():
        return None
    sent, hit = ~pl.col("from_cache"), pl.col("from_cache")
    # A call that failed and took no tokens has nothing to be priced.
    taken = sent & (pl.col("error").is_null() | pl.any_horizontal(pl.col(*_TAKEN).is_not_null()))
    called = source.calls.group_by("role", "name", maintain_order=True).agg(
        sent.sum().alias("calls"),
        hit.sum().alias("hits"),
        *(pl.col(f"{kind}_tokens").filter(sent).sum() for kind in ("prompt", "cached", "completion", "reasoning")),
        pl.col("cost").filter(sent).sum(),
        taken.sum().alias("taken"),
        (taken & pl.col("cost").is_null()).sum().alias("unpriced"),
        pl.col("error").is_not_null().sum().alias("faults"),
        pl.col("model").drop_nulls().unique(maintain_order=True).alias("served"),
    )
    rows = [
        (
            row["role"],
            row["name"],
            row["calls"],
            row["hits"],
            *(row[f"{kind}_tokens"] for kind in ("prompt", "cached", "completion", "reasoning")),
            _dollars(row),
            row["faults"],
            ", ".join(row["served"]) or None,
        )
        for row in called.iter_rows(named=True)
    ]
    counts = ("Calls", "From cache", "Prompt tokens", "of these cached", "Completion tokens", "of these reasoning")
    columns = (Column("As"), Column("Name"), *(Column(title, "count") for title in counts))
    columns = (*columns, Column("US$"), Column("Faults", "count"), Column("Answered by"))
    lead = LEAD + (UNKNOWN if any(map(_is_unknown, called.iter_rows(named=True))) else "")
    return Section("calls", "Calls and cost", (*_changed(called), Table(columns, tuple(rows))), (lead,))


def _changed(called: pl.DataFrame) -> list[Note]:
    """A model that answered in several versions: its verdicts are not all of one judge."""
    return [
        Note((Name(row["name"]), " was answered by several versions: ", Name(", ".join(row["served"])), "."))
        for row in called.iter_rows(named=True)
        if len(row["served"]) > 1
    ]


def _is_unknown(row: Mapping[str, Any]) -> bool:
    """Whether a price is not known, or not whole; it is not where no call that took anything has one."""
    return bool(row["unpriced"]) or bool(row["calls"] and not row["taken"])


def _dollars(row: Mapping[str, Any]) -> str:
    """The price, as far as it is known."""
    if _is_unknown(row) and row["unpriced"] == row["taken"]:
        return "unknown"
    return f"{row['cost']:,.4f}" + (f", {counted(row['unpriced'], 'call')} unknown" if row["unpriced"] else "")


REPORT = Kind(order=58, build=_build)
