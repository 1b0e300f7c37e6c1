"""With image and text only: what seeing costs each model, and whether the ranking holds."""

from __future__ import annotations

from functools import partial

from gamut_eval.analysis.source import Source
from gamut_eval.errors import MissingExtraError
from gamut_eval.reports.figures.slopes import Line, draw
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, main_facets
from gamut_eval.reports.shapes import Cell, Column, Figure, Name, Section, Table, Words
from gamut_eval.reports.ties import extreme, together
from gamut_eval.reports.wording import VARIANT_NAMES, number, said
from gamut_eval.stats.ranks import rank_agreement

LEAD = (
    "Lines that cross are models that exchange their places. The scores are each variant’s own; a question that cannot "
    "be asked without its image is in one of them only."
)
_FIRST, _SECOND = "image", "text_only"


def _build(source: Source) -> Section | None:
    main = {facet.variant: facet for facet in main_facets(source)}
    if not {_FIRST, _SECOND} <= set(main) or main[_FIRST].judge != main[_SECOND].judge:
        return None
    first, second = _scores(main[_FIRST]), _scores(main[_SECOND])
    both = [model for model in first if first[model] is not None and second.get(model) is not None]
    if not both:
        return None
    title, reading = _title(source, main[_FIRST].judge), _reading(first, second, both)
    figure = Figure(title, reading, _table(first, second), _drawing(first, second, both))
    return Section("variants", "With image and text only", (figure,), (LEAD,))


def _title(source: Source, judge: str) -> Words:
    return ("Gamut, %", *((": judged by ", Name(judge)) if len(source.judges) > 1 else ()))


Scores = dict[str, float | None]


def _scores(facet: Facet) -> Scores:
    return {row.model: row.gamut for row in facet.rows}


def _drawing(first: Scores, second: Scores, both: list[str]) -> partial[object]:
    pairs = {model: (first[model] or 0.0, second[model] or 0.0) for model in both}
    values = [value for pair in pairs.values() for value in pair]
    low, high = min(values), max(values)
    span = max(high - low, 1e-9)
    orders = [sorted(both, key=lambda model, at=at: -pairs[model][at]) for at in (0, 1)]  # type: ignore[misc]
    lines = tuple(
        Line(
            model,
            tuple((high - value) / span for value in pair),
            tuple(said(value) for value in pair),
            orders[0].index(model) != orders[1].index(model),
        )
        for model, pair in pairs.items()
    )
    return partial(draw, (VARIANT_NAMES[_FIRST], VARIANT_NAMES[_SECOND]), lines, max(120, 22 * len(both)))


def _table(first: Scores, second: Scores) -> Table:
    columns = (
        Column("Model"),
        Column("With image", "percent"),
        Column("Text only", "percent"),
        Column("Gain", "percent"),
    )
    rows: list[tuple[Cell, ...]] = []
    for model in dict.fromkeys((*first, *second)):
        one, other = first.get(model), second.get(model)
        rows.append((model, one, other, None if one is None or other is None else other - one))
    return Table(columns, tuple(rows))


def _reading(first: Scores, second: Scores, both: list[str]) -> Words:
    gains = [(model, (second[model] or 0.0) - (first[model] or 0.0)) for model in both]
    if len(both) == 1:
        return (Name(both[0]), f" scores {said(gains[0][1])} points more text only than with image.")
    most, least = extreme(gains, lambda pair: pair[1]), extreme(gains, lambda pair: pair[1], lowest=True)
    if most == least:
        same = said(most[0][1])
        return (f"Text only, each of the {len(both):,} models scores {same} points more.", *_order(first, second))
    low: Words = (f"Text only is {said(least[0][1])} (", *together([model for model, _ in least], len(both)))
    high: Words = (f") to {said(most[0][1])} (", *together([model for model, _ in most], len(both)))
    spread: Words = (*low, *high, ") points higher.")
    return (*spread, *_order(first, second))


def _order(first: Scores, second: Scores) -> Words:
    try:
        found = rank_agreement(first, second)
    except MissingExtraError:
        return ()
    if found.kendall_tau_b is None:
        return ()
    if found.kendall_tau_b > 1 - 1e-9:
        return (" The ranking is the same in both.",)
    return (f" The rankings agree with Kendall’s tau {number(found.kendall_tau_b).replace('-', '−')} (1: the same).",)


REPORT = Kind(order=34, build=_build)
