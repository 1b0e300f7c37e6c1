"""The three tier scores of every model."""

from __future__ import annotations

import math

from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, facets, scores_titled
from gamut_eval.reports.shapes import Bars, Group, Name, Section, Series, Words
from gamut_eval.reports.source import Source
from gamut_eval.reports.wording import TIER_NAMES, said
from gamut_eval.rubric.fields import TIERS

SERIES = tuple(Series(tier.value, TIER_NAMES[tier]) for tier in TIERS)
LEAD = (
    "Answer-Critical: without it the answer is wrong. Valuable: clearly better with it. Context: helpful background. "
    "Each score is the mean over the questions that have the tier."
)
_TICK = 0.25


def _build(source: Source) -> Section | None:
    among = facets(source)
    domain = _domain([value for facet in among for row in facet.rows for value in row.tiers.values()])
    charts = tuple(_chart(facet, among, domain) for facet in among)
    return Section("tiers", "Tiers", charts, (LEAD,)) if charts else None


def _domain(values: list[float | None]) -> tuple[float, float]:
    """From 0, or below it as far as need be, to the next tick."""
    known = [value for value in values if value is not None] or [1.0]
    low, high = math.floor(min(0.0, *known) / _TICK) * _TICK, math.ceil(max(_TICK, *known) / _TICK) * _TICK
    return low, high


def _chart(facet: Facet, among: list[Facet], domain: tuple[float, float]) -> Bars:
    groups = tuple(facet.group(row, (row.tiers[tier] for tier in TIERS)) for row in facet.rows)
    return Bars(SERIES, groups, scores_titled("Tier score, %", facet, among), _reading(groups), domain)


def _reading(groups: tuple[Group, ...]) -> Words:
    """The model with the widest gap between its best and its worst tier."""
    gaps = [(_gap(group), group) for group in groups if any(value is not None for value in group.values)]
    if not gaps:
        return ("No model has all its verdicts, so there are no tier scores to show.",)
    _, widest = max(gaps, key=lambda pair: pair[0])
    known = [(value, SERIES[place].name) for place, value in enumerate(widest.values) if value is not None]
    (low, worst), (high, best) = min(known), max(known)
    if worst == best:
        return (Name(widest.label), f" scores {said(high)} on {best}, the only tier it has.")
    which = "has the widest gap between tiers" if len(gaps) > 1 else "scores"
    link = ": " if len(gaps) > 1 else " "
    return (Name(widest.label), f" {which}{link}{said(high)} on {best}, {said(low)} on {worst}.")


def _gap(group: Group) -> float:
    known = [value for value in group.values if value is not None]
    return max(known) - min(known)


REPORT = Kind(order=30, build=_build)
