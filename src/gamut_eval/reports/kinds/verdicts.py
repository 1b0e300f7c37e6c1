"""What the verdicts were: shares of all checks, a bar a model."""

from __future__ import annotations

from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, facets, scores_titled
from gamut_eval.reports.shapes import Name, Section, Series, StackedBars, Words
from gamut_eval.reports.source import Source
from gamut_eval.reports.wording import VERDICT_NAMES, said
from gamut_eval.scoring.score import ScoreRow

SERIES = tuple(Series(verdict.value, VERDICT_NAMES[verdict]) for verdict in VERDICTS)
LEAD = "Of all checks, how many an answer meets, meets in part, leaves out, or contradicts."


def _build(source: Source) -> Section | None:
    among = facets(source)
    charts = tuple(_chart(facet, among) for facet in among)
    return Section("verdicts", "Verdicts", charts, (LEAD,)) if charts else None


def _chart(facet: Facet, among: list[Facet]) -> StackedBars:
    groups = (facet.group(row, (row.verdicts[verdict] for verdict in VERDICTS)) for row in facet.rows)
    return StackedBars(SERIES, tuple(groups), scores_titled("Share of all checks, %", facet, among), _reading(facet))


def _reading(facet: Facet) -> Words:
    known = [row for row in facet.rows if row.verdicts[Verdict.MISSING] is not None]
    if not known:
        return ("No model has all its verdicts, so there are no shares to show.",)
    omits, contradicts = _most(known, Verdict.MISSING), _most(known, Verdict.CONTRADICTS)
    if len(known) == 1:
        return (
            Name(omits.model),
            f" leaves {_share(omits, Verdict.MISSING)} of all checks missing and contradicts ",
            f"{_share(omits, Verdict.CONTRADICTS)}.",
        )
    omission: Words = (Name(omits.model), f" leaves {_share(omits, Verdict.MISSING)} of all checks missing, the most")
    if not contradicts.verdicts[Verdict.CONTRADICTS]:
        return (*omission, "; no answer contradicts a check.")
    share = _share(contradicts, Verdict.CONTRADICTS)
    return (*omission, "; ", Name(contradicts.model), f" contradicts {share}, the most.")


def _share(row: ScoreRow, verdict: Verdict) -> str:
    return f"{said(row.verdicts[verdict])}%"


def _most(rows: list[ScoreRow], verdict: Verdict) -> ScoreRow:
    return max(rows, key=lambda row: row.verdicts[verdict] or 0.0)


REPORT = Kind(order=20, build=_build)
