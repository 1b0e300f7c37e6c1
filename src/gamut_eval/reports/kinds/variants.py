"""With image and text only: what seeing costs each model, and whether the ranking holds."""

from __future__ import annotations

from functools import partial

from gamut_eval.analysis.source import Source
from gamut_eval.analysis.variants import ONE, OTHER, VariantShift, VariantShifts, shifts_of
from gamut_eval.reports.figures.slopes import Line, draw
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, main_facets, shown_only
from gamut_eval.reports.shapes import Cell, Column, Figure, Name, Section, Table, Words
from gamut_eval.reports.ties import extreme, together
from gamut_eval.reports.wording import VARIANT_NAMES, number, said

LEAD = (
    "Lines that cross are models that exchange their places. The scores are each variant’s own; a gain is the mean "
    "difference over the questions that count in both, since one that cannot be asked without its image is in one of "
    "them only."
)


def _build(source: Source) -> Section | None:
    main = {facet.variant: facet for facet in main_facets(source)}
    if not {ONE, OTHER} <= set(main) or main[ONE].judge != main[OTHER].judge:
        return None
    shifts = shifts_of(source, main[OTHER].judge)
    both = [shift for shift in shifts.shifts if shift.difference]
    if not both:
        return None
    reading = (*_reading(both), *_order(shifts))
    figure = Figure(_title(source, shifts.judge), reading, _table(main[OTHER], main[ONE], both), _drawing(both))
    return Section("variants", "With image and text only", (figure,), (f"{LEAD} ", *shown_only(source, [main[OTHER]])))


def _title(source: Source, judge: str) -> Words:
    return ("Gamut, %", *((": judged by ", Name(judge)) if len(source.judges) > 1 else ()))


def _drawing(both: list[VariantShift]) -> partial[object]:
    pairs = [(shift.image.gamut or 0.0, shift.text_only.gamut or 0.0) for shift in both]
    values = [value for pair in pairs for value in pair]
    high, span = max(values), max(max(values) - min(values), 1e-9)
    lines = tuple(
        Line(
            shift.model,
            tuple((high - value) / span for value in pair),
            tuple(said(value) for value in pair),
            len(set(shift.ranks)) > 1,
        )
        for shift, pair in zip(both, pairs, strict=True)
    )
    return partial(draw, (VARIANT_NAMES[OTHER], VARIANT_NAMES[ONE]), lines, max(120, 22 * len(both)))


def _table(image: Facet, text_only: Facet, both: list[VariantShift]) -> Table:
    columns = (
        Column("Model"),
        Column("With image", "percent"),
        Column("Text only", "percent"),
        Column("Gain", "percent"),
        Column("Over questions", "count"),
    )
    first, second = ({row.model: row.gamut for row in facet.rows} for facet in (image, text_only))
    gains = {shift.model: (_gain(shift), _n_shared(shift)) for shift in both}
    rows: list[tuple[Cell, ...]] = [
        (model, first.get(model), second.get(model), *gains.get(model, (None, None)))
        for model in dict.fromkeys((*first, *second))
    ]
    return Table(columns, tuple(rows))


def _gain(shift: VariantShift) -> float | None:
    return None if shift.difference is None else shift.difference.interval.estimate


def _n_shared(shift: VariantShift) -> int:
    return 0 if shift.difference is None else len(shift.difference.shared)


def _reading(both: list[VariantShift]) -> Words:
    gains = [(shift.model, gain) for shift in both if (gain := _gain(shift)) is not None]
    if not gains:
        return ("No question counts in both variants.",)
    over = _over({_n_shared(shift) for shift in both if _n_shared(shift)})
    if len(gains) == 1:
        return (Name(gains[0][0]), f" scores {said(gains[0][1])} points more text only than with image, {over}.")
    most, least = extreme(gains, lambda pair: pair[1]), extreme(gains, lambda pair: pair[1], lowest=True)
    if most == least:
        return (f"Text only, each of the {len(gains):,} models scores {said(most[0][1])} points more, {over}.",)
    low: Words = (f"Text only is {said(least[0][1])} (", *together([model for model, _ in least], len(gains)))
    high: Words = (f") to {said(most[0][1])} (", *together([model for model, _ in most], len(gains)))
    return (*low, *high, f") points higher, {over}.")


def _over(sizes: set[int]) -> str:
    low, high = min(sizes), max(sizes)
    if high == 1:
        return "over the 1 question that counts in both"
    return f"over the {f'{low:,} to ' if low < high else ''}{high:,} questions that count in both"


def _order(shifts: VariantShifts) -> Words:
    tau = shifts.ranking.kendall_tau_b
    if tau is None:
        return ()
    if tau > 1 - 1e-9:
        return (" The ranking is the same in both.",)
    return (f" The rankings agree with Kendall’s tau {number(tau).replace('-', '−')} (1: the same).",)


REPORT = Kind(order=34, build=_build)
