"""Whether judges rank models alike: each model's rank by each judge."""

from __future__ import annotations

from functools import partial
from itertools import combinations

from gamut_eval.analysis.places import alike, gamut_of, places
from gamut_eval.analysis.source import Source
from gamut_eval.reports.figures.plot import FULL
from gamut_eval.reports.figures.slopes import Line, draw
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, facets
from gamut_eval.reports.shapes import Cell, Column, Figure, Name, Section, Table, Words, listed
from gamut_eval.reports.wording import NOT_AVAILABLE, VARIANT_NAMES, number, said

LEAD = "Ranks, 1 the best, by each judge’s scores. A line that stands out is a model that judges place differently."


def _build(source: Source) -> Section | None:
    by_variant: dict[str, list[Facet]] = {}
    for facet in facets(source):
        by_variant.setdefault(facet.variant, []).append(facet)
    several = {variant: own for variant, own in by_variant.items() if _comparable(own)}
    figures = tuple(_figure(variant, own, len(by_variant) > 1) for variant, own in several.items())
    return Section("judges", "Ranks by judge", figures, (LEAD,)) if figures else None


def _comparable(own: list[Facet]) -> bool:
    """Two judges at least gave scores to the same two models at least."""
    known = [{row.model for row in facet.rows if row.gamut is not None} for facet in own]
    return any(len(one & other) > 1 for one, other in combinations(known, 2))


def _figure(variant: str, own: list[Facet], named: bool) -> Figure:
    title = ("Rank by judge", *((f": {VARIANT_NAMES.get(variant, variant)}",) if named else ()))
    models = list(dict.fromkeys(row.model for facet in own for row in facet.rows))
    heights, ranks = [_heights(facet) for facet in own], [places(gamut_of(facet.rows)) for facet in own]
    steps = max(1, max(len(height) for height in heights) - 1)
    lines = tuple(
        Line(
            model,
            tuple(height[model] / steps if model in height else None for height in heights),
            tuple(str(rank.get(model) or NOT_AVAILABLE) for rank in ranks),
            len({rank[model] for rank in ranks if rank.get(model)}) > 1,
        )
        for model in models
    )
    wide = len(own) > 3
    judges, height = tuple(facet.judge for facet in own), max(60, 24 * steps)
    drawing = partial(draw, judges, lines, height, 2 * FULL if wide else FULL)
    return Figure(title, _reading(own), _table(models, own, ranks), drawing, wide=wide)


def _heights(facet: Facet) -> dict[str, int]:
    """Places in the order of scores, each its own."""
    return {row.model: n for n, row in enumerate(row for row in facet.rows if row.gamut is not None)}


def _table(models: list[str], own: list[Facet], ranks: list[dict[str, int | None]]) -> Table:
    scores = [{row.model: row.gamut for row in facet.rows} for facet in own]
    columns = [Column("Model")]
    for facet in own:
        columns += [Column("Rank", "count", group=facet.judge), Column("Gamut", "percent", group=facet.judge)]
    rows: list[tuple[Cell, ...]] = [
        (model, *(cell for s, r in zip(scores, ranks, strict=True) for cell in (r.get(model), s.get(model))))
        for model in models
    ]
    return Table(tuple(columns), tuple(rows))


def _reading(own: list[Facet]) -> Words:
    """How far each two judges agree on the order, and how lenient each is."""
    means = [(facet.judge, _mean(facet)) for facet in own]
    lenient: Words = (
        " Mean score: ",
        *listed((Name(judge), f" {said(mean)}") for judge, mean in means),
        ".",
    )
    phrases = [phrase for one, other in combinations(own, 2) if (phrase := _agree(one, other))]
    if not phrases:
        return ("Agreement of rankings is undefined.", *lenient)
    return ("Kendall’s tau of the rankings (1: the same order): ", *listed(phrases), ".", *lenient)


def _agree(one: Facet, other: Facet) -> Words:
    found = alike(gamut_of(one.rows), gamut_of(other.rows))
    if found.n < 2:
        return ()
    tau = found.kendall_tau_b
    shown = f"n/a ({found.why})" if tau is None else number(tau).replace("-", "−")
    return (Name(one.judge), " and ", Name(other.judge), f" {shown}")


def _mean(facet: Facet) -> float | None:
    known = [row.gamut for row in facet.rows if row.gamut is not None]
    return sum(known) / len(known) if known else None


REPORT = Kind(order=44, build=_build)
