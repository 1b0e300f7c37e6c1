"""What the verdicts were: shares of all checks, a bar a model."""

from __future__ import annotations

from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, drawn_and_folded, scores_titled
from gamut_eval.reports.shapes import Name, Section, Series, StackedBars, Words
from gamut_eval.reports.ties import extreme, together
from gamut_eval.reports.wording import VERDICT_NAMES, said
from gamut_eval.scoring.score import ScoreRow

SERIES = tuple(Series(verdict.value, VERDICT_NAMES[verdict]) for verdict in VERDICTS)
LEAD = "Of all checks, how many an answer meets, meets in part, leaves out, or contradicts."


def _build(source: Source) -> Section | None:
    drawn, folded = drawn_and_folded(source)
    charts = tuple(_chart(facet, source) for facet in drawn)
    others = tuple(_chart(facet, source).table(folded=True) for facet in folded)
    return Section("verdicts", "Verdicts", (*charts, *others), (LEAD,)) if charts else None


def _chart(facet: Facet, source: Source) -> StackedBars:
    groups = (facet.group(row, (row.verdicts[verdict] for verdict in VERDICTS)) for row in facet.rows)
    return StackedBars(SERIES, tuple(groups), scores_titled("Share of all checks, %", facet, source), _reading(facet))


def _reading(facet: Facet) -> Words:
    known = [row for row in facet.rows if row.verdicts[Verdict.MISSING] is not None]
    if not known:
        return ("No model has all its verdicts, so there are no shares to show.",)
    if len(known) == 1:
        omits, contradicts = (f"{said(known[0].verdicts[v])}%" for v in (Verdict.MISSING, Verdict.CONTRADICTS))
        return (Name(known[0].model), f" leaves {omits} of all checks missing and contradicts {contradicts}.")
    n_models = len(facet.rows)
    omission = _most(known, Verdict.MISSING, n_models, ("leaves", "leave", " of all checks missing"), begins=True)
    contradiction = _most(known, Verdict.CONTRADICTS, n_models, ("contradicts", "contradict", ""))
    return (
        *(omission or ("No answer leaves a check out",)),
        "; ",
        *(contradiction or ("no answer contradicts a check",)),
        ".",
    )


def _most(
    rows: list[ScoreRow], verdict: Verdict, n_models: int, verb: tuple[str, str, str], *, begins: bool = False
) -> Words:
    """Which models have the largest share of a verdict; nothing where none has it at all."""
    first = extreme(rows, lambda row: row.verdicts[verdict] or 0.0)
    share = said(first[0].verdicts[verdict])
    if not any(row.verdicts[verdict] for row in first):
        return ()
    one, several, of_what = verb
    who = together([row.model for row in first], n_models, begins=begins)
    if len(first) == 1:
        return (*who, f" {one} {share}%{of_what}, the most")
    return (*who, f" {several} {share}%{of_what} each", *(() if len(first) == n_models else (", the most",)))


REPORT = Kind(order=20, build=_build)
