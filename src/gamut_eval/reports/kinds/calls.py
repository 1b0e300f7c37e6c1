"""What was sent to models, and what it took: calls, tokens, cost, faults, and which versions answered."""

from __future__ import annotations

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.shapes import Column, Name, Note, Section, Table

LEAD = (
    "Calls of all commands in this run folder. Replies from the cache cost nothing and are not among the tokens. "
    "Cached tokens are those of prompts that the server had read before."
)
UNKNOWN = (
    " An unknown price is not a zero: genai-prices, which knows prices, is not installed "
    '(pip install "gamut-eval[prices]"), or it does not know the model, such as one on a server of yours.'
)
_TAKEN = ("prompt_tokens", "completion_tokens")


def _build(source: Source) -> Section | None:
    if source.calls.is_empty():
        return None
    sent, hit = ~pl.col("from_cache"), pl.col("from_cache")
    # A call that failed and took no tokens has nothing to be priced.
    taken = sent & (pl.col("error").is_null() | pl.any_horizontal(pl.col(*_TAKEN).is_not_null()))
    counted = source.calls.group_by("role", "name", maintain_order=True).agg(
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
            _dollars(**{name: row[name] for name in ("cost", "calls", "taken", "unpriced")}),
            row["faults"],
            ", ".join(row["served"]) or None,
        )
        for row in counted.iter_rows(named=True)
    ]
    counts = ("Calls", "From cache", "Prompt tokens", "of these cached", "Completion tokens", "of these reasoning")
    columns = (Column("As"), Column("Name"), *(Column(title, "count") for title in counts))
    columns = (*columns, Column("US$"), Column("Faults", "count"), Column("Answered by"))
    lead = LEAD + (UNKNOWN if any("unknown" in row[len(counts) + 2] for row in rows) else "")
    return Section("calls", "Calls and cost", (*_changed(counted), Table(columns, tuple(rows))), (lead,))


def _changed(counted: pl.DataFrame) -> list[Note]:
    """A model that answered in several versions: its verdicts are not all of one judge."""
    return [
        Note((Name(row["name"]), " was answered by several versions: ", Name(", ".join(row["served"])), "."))
        for row in counted.iter_rows(named=True)
        if len(row["served"]) > 1
    ]


def _dollars(cost: float, calls: int, taken: int, unpriced: int) -> str:
    """The price, as far as it is known; unknown where no call that took anything has one."""
    if calls and unpriced == taken:
        return "unknown"
    return f"{cost:,.4f}" + (f", {unpriced:,} call{'' if unpriced == 1 else 's'} unknown" if unpriced else "")


REPORT = Kind(order=58, build=_build)
