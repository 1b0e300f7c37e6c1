"""With the image and without it: the paper's last column, with how sure the difference is and what becomes of ranks."""

from __future__ import annotations

from typing import Any

from gamut_eval.analysis.source import Source
from gamut_eval.analysis.variants import NO_SCORE, VariantShift, VariantShifts, variant_shifts
from gamut_eval.reports.columns import interval_column, limits
from gamut_eval.reports.contest_words import cautions, method, named, over, where
from gamut_eval.reports.numbers import comparison_data, inference_data, ranking_data
from gamut_eval.reports.shapes import Cell, Column, Table, Words
from gamut_eval.reports.table_kind import INCOMPLETE_TOO, TableKind, Tabulated, Wanted
from gamut_eval.reports.wording import number, said


def _build(source: Source, wanted: Wanted) -> Tabulated | None:
    among = [shifts for shifts in variant_shifts(source) if any(shift.difference for shift in shifts.shifts)]
    if not among:
        return None
    data = {"inference": inference_data(source.inference), "judges": [_data(shifts) for shifts in among]}
    return Tabulated(tuple(_table(shifts, source) for shifts in among), data)


def _table(shifts: VariantShifts, source: Source) -> Table:
    columns = (
        Column("Model"),
        Column("With image", "percent", best="highest"),
        Column("Text only", "percent", best="highest"),
        Column("Difference", "percent"),
        interval_column(source.inference.level, beyond_paper=True),
        Column("p (Holm)", "p", beyond_paper=True),
        Column("Shared questions", "count", short="shared", beyond_paper=True),
        Column("With image", "count", "image", "Rank", beyond_paper=True),
        Column("Text only", "count", "text only", "Rank", beyond_paper=True),
    )
    title, of = ("Gamut with image and text only, %",), where(None, shifts.judge)
    return Table(columns, tuple(map(_row, shifts.shifts)), title, _note(shifts, source), sortable=True, of=of)


def _row(shift: VariantShift) -> tuple[Cell, ...]:
    pair = shift.difference
    tested: tuple[Cell, ...] = (None, None, None, None)
    if pair is not None:
        tested = (pair.interval.estimate, limits(pair.interval), pair.p_holm, len(pair.shared))
    return (shift.model, shift.image.gamut, shift.text_only.gamut, *tested, *shift.ranks)


def _note(shifts: VariantShifts, source: Source) -> Words:
    pairs = [shift.difference for shift in shifts.shifts if shift.difference is not None]
    without = [shift.model for shift in shifts.shifts if shift.difference is None]
    holm = f"p (Holm): adjusted for the {len(pairs):,} models. " if len(pairs) > 1 else ""
    return (
        *_reading(shifts, source.inference.alpha),
        *_ranking(shifts),
        "Difference: text only less image, over the questions that both have. ",
        over(pair.interval for pair in pairs),
        f"p (Holm) is n/a: {shifts.untested}. " if shifts.untested else holm,
        method(source.inference),
        cautions(pair.interval for pair in pairs),
        *((*named(without), f": n/a, since {NO_SCORE}. ") if without else ()),
    )


def _reading(shifts: VariantShifts, alpha: float) -> Words:
    """By how much text-only differs, and of how many models that is sure."""
    pairs = [shift.difference for shift in shifts.shifts if shift.difference is not None]
    values = [pair.interval.estimate for pair in pairs if pair.interval.estimate is not None]
    if not values:
        return ("No question counts in both variants. ",)
    low, high = min(values), max(values)
    verb = "raises" if low > 0 else "lowers" if high < 0 else "changes"
    low, high = sorted((abs(low), abs(high))) if verb == "lowers" else (low, high)
    by = f"by {said(low)} points" if said(low) == said(high) else f"by {said(low)} to {said(high)} points"
    sure = sum(pair.p_holm is not None and pair.p_holm <= alpha for pair in pairs)
    whom = "the model" if len(pairs) == 1 else f"the {len(pairs):,} models"
    certain = "" if shifts.untested else f"; for {sure:,} of {len(pairs):,} that is no chance (p ≤ {alpha:.3g})"
    return (f"Text only {verb} the score of {whom} {by}{certain}. ",)


def _ranking(shifts: VariantShifts) -> Words:
    """Whether text-only keeps the ranking."""
    tau = shifts.ranking.kendall_tau_b
    if tau is None:
        return (f"Whether the ranking holds is n/a: {shifts.ranking.why}. ",)
    moved = [shift.model for shift in shifts.shifts if None not in shift.ranks and len(set(shift.ranks)) > 1]
    if not moved:
        return (f"The ranking is the same in both (Kendall’s tau {number(tau)}). ",)
    said_so = f"Of {shifts.ranking.n:,} models these have another rank without the image: "
    return (said_so, *named(moved), f" (Kendall’s tau {number(tau)}). ")


def _data(shifts: VariantShifts) -> dict[str, Any]:
    models = [
        {
            "model": shift.model,
            "image": shift.image.gamut,
            "text_only": shift.text_only.gamut,
            "ranks": {"image": shift.ranks[0], "text_only": shift.ranks[1]},
            "difference": None if shift.difference is None else comparison_data(shift.difference),
            "why": None if shift.difference else NO_SCORE,
        }
        for shift in shifts.shifts
    ]
    ranking = ranking_data(shifts.ranking)
    return {"judge": shifts.judge, "models": models, "ranking": ranking, "untested": shifts.untested}


TABLE = TableKind(
    order=30,
    summary="With image against text only: paired difference, ranks in both, and whether the ranking holds.",
    build=_build,
    unasked=True,
    needs=f"a model with a score in both variants, with the image and text only, by one judge {INCOMPLETE_TOO}",
)
