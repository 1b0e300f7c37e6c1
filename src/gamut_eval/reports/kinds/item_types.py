"""Which kinds of checks models meet: facts, list items, coverage, steps, order, relationships, insights."""

from __future__ import annotations

from collections import Counter

from gamut_eval.analysis.missed import Counts, Tallies, tallies
from gamut_eval.analysis.source import Source
from gamut_eval.records import Verdict
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, main_facets, shown_only, titled
from gamut_eval.reports.shapes import Cell, Column, Section, Table, Words, listed, plain
from gamut_eval.reports.ties import extreme
from gamut_eval.reports.wording import KIND_NAMES, KIND_PLURALS, kinds_in_order, said

LEAD = "The share of verdicts that are “meets”, by kind of check; the stronger the shade, the more are met."


def _build(source: Source) -> Section | None:
    if len({check.kind for check in source.checks}) < 2:
        return None
    among = main_facets(source)
    counted = [(facet, tallies(source, facet.variant, facet.judge)) for facet in among]
    tables = tuple(_table(facet, own, source) for facet, own in counted if not own.cells.is_empty())
    lead = (f"{LEAD} ", *shown_only(source, among))
    return Section("kinds", "Kinds of checks", tables, lead) if tables else None


def _table(facet: Facet, counted: Tallies, source: Source) -> Table:
    given, sizes = counted.by_kind(), Counter(check.kind for check in counted.checks)
    models = [row.model for row in facet.rows]
    shares = {
        kind: [given.get((kind, model), Counts()).share(Verdict.MEETS) for model in models]
        for kind in kinds_in_order(sizes)
    }
    own_columns = (Column(model, "percent", heat=True) for model in models)
    columns = (Column("Kind of check"), Column("Checks", "count"), *own_columns)
    rows: list[tuple[Cell, ...]] = [(_name(kind), sizes[kind], *own) for kind, own in shares.items()]
    return Table(columns, tuple(rows), titled("Share met, %", facet, source), _reading(given), sortable=True)


def _name(kind: str) -> str:
    return KIND_NAMES.get(kind, kind)


def _reading(given: dict[tuple[str, str], Counts]) -> Words:
    """Which kinds are met most and least, over all models."""
    met, every = Counter[str](), Counter[str]()
    for (kind, _), counts in given.items():
        met[kind] += counts.meets
        every[kind] += counts.n
    shares = {kind: met[kind] / n for kind, n in every.items() if n}
    if len(shares) < 2:
        return ()
    kinds = kinds_in_order(shares)
    best, worst = extreme(kinds, shares.__getitem__), extreme(kinds, shares.__getitem__, lowest=True)
    if best == worst:
        return (f"All kinds are met equally often: {said(shares[best[0]])}%.",)
    most = f"Over all models, {_plurals(best)} are met most often ({said(shares[best[0]])}%)"
    return (f"{most}, {_plurals(worst)} least ({said(shares[worst[0]])}%).",)


def _plurals(kinds: list[str]) -> str:
    return plain(listed((KIND_PLURALS.get(kind, f"checks of the kind {kind}"),) for kind in kinds))


REPORT = Kind(order=42, build=_build)
