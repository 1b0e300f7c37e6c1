"""Scores by domain, a table a variant and judge."""

from __future__ import annotations

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, facets, main_facets, titled
from gamut_eval.reports.shapes import Cell, Column, Section, Table

LEAD = (
    "Mean Gamut over a domain’s questions; the stronger the shade, the higher. A domain with an incomplete question is "
    "n/a for that model."
)


def _build(source: Source) -> Section | None:
    domains = {question.id: question.domain for question in source.questions}
    if len(set(domains.values())) < 2:
        return None
    domain = pl.col("question_id").replace_strict(domains, return_dtype=pl.String).alias("domain")
    scored = source.scores.questions.with_columns(domain)
    main = main_facets(source)
    shown = {(facet.variant, facet.judge) for facet in main}
    others = [facet for facet in facets(source) if (facet.variant, facet.judge) not in shown]
    among = [*main, *others]
    tables = tuple(_table(facet, among, scored, folded=facet in others) for facet in among)
    return Section("domains", "Domains", tables, (LEAD,)) if tables else None


def _table(facet: Facet, among: list[Facet], scored: pl.DataFrame, *, folded: bool) -> Table:
    rows = scored.filter(pl.col("variant") == facet.variant, pl.col("judge") == facet.judge)
    means = rows.group_by("domain", "model").agg(
        pl.when(pl.col("complete").all()).then(pl.col("gamut").mean()).alias("gamut"),
        pl.col("question_id").n_unique().alias("n"),
    )
    found = {(row["domain"], row["model"]): row for row in means.iter_rows(named=True)}
    models = [row.model for row in facet.rows]
    columns = (
        Column("Domain"),
        Column("Questions", "count", short="n"),
        *(Column(m, "percent", heat=True) for m in models),
    )
    cells = tuple(_row(domain, models, found) for domain in sorted({domain for domain, _ in found}))
    return Table(columns, cells, titled("Gamut, %", facet, among), sortable=True, folded=folded)


def _row(domain: str, models: list[str], found: dict[tuple[str, str], dict[str, float | None]]) -> tuple[Cell, ...]:
    own = [found.get((domain, model), {}) for model in models]
    return (domain, max((row["n"] or 0 for row in own if row), default=0), *(row.get("gamut") for row in own))


REPORT = Kind(order=40, build=_build)
