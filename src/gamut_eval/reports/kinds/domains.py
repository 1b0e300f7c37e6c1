"""Scores by domain, a table a variant and judge."""

from __future__ import annotations

from gamut_eval.analysis.breakdown import domain_means
from gamut_eval.analysis.source import Source
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, facets, main_facets, titled
from gamut_eval.reports.shapes import Column, Section, Table

LEAD = (
    "Mean Gamut over a domain’s questions; the stronger the shade, the higher. Where one of the questions that "
    "count is incomplete, the domain is n/a for that model."
)


def _build(source: Source) -> Section | None:
    if len({question.domain for question in source.questions}) < 2:
        return None
    main = main_facets(source)
    shown = {(facet.variant, facet.judge) for facet in main}
    others = [facet for facet in facets(source) if (facet.variant, facet.judge) not in shown]
    tables = tuple(_table(facet, source, folded=facet in others) for facet in (*main, *others))
    return Section("domains", "Domains", tables, (LEAD,)) if tables else None


def _table(facet: Facet, source: Source, *, folded: bool) -> Table:
    models = [row.model for row in facet.rows]
    columns = (
        Column("Domain"),
        Column("Questions", "count", short="n"),
        *(Column(m, "percent", heat=True) for m in models),
    )
    means = domain_means(source, facet.variant, facet.judge)
    rows = tuple((domain, n, *(own.get(model) for model in models)) for domain, (n, own) in means.items())
    return Table(columns, rows, titled("Gamut, %", facet, source), sortable=True, folded=folded)


REPORT = Kind(order=40, build=_build)
