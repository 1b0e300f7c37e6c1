"""The three tier scores of every model."""

from __future__ import annotations

import math

from gamut_eval.analysis.source import Source
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, drawn_and_folded, scores_titled
from gamut_eval.reports.scoring_words import TIERS_EXPLAINED
from gamut_eval.reports.shapes import Bars, Group, Name, Section, Series, Words, listed, plain
from gamut_eval.reports.ties import extreme, together
from gamut_eval.reports.wording import TIER_NAMES, said
from gamut_eval.rubric.fields import TIERS

SERIES = tuple(Series(tier.value, TIER_NAMES[tier]) for tier in TIERS)
LEAD = f"{TIERS_EXPLAINED}. Each score is the mean over the questions that have the tier."
_TICK = 0.25


def _build(source: Source) -> Section | None:
    drawn, folded = drawn_and_folded(source)
    domain = _domain([value for facet in (*drawn, *folded) for row in facet.rows for value in row.tiers.values()])
    charts = tuple(_chart(facet, source, domain) for facet in drawn)
    others = tuple(_chart(facet, source, domain).table(folded=True) for facet in folded)
    return Section("tiers", "Tiers", (*charts, *others), (LEAD,)) if charts else None


def _domain(values: list[float | None]) -> tuple[float, float]:
    """From 0, or below it as far as need be, to the next tick."""
    known = [value for value in values if value is not None] or [1.0]
    low, high = math.floor(min(0.0, *known) / _TICK) * _TICK, math.ceil(max(_TICK, *known) / _TICK) * _TICK
    return low, high


def _chart(facet: Facet, source: Source, domain: tuple[float, float]) -> Bars:
    groups = tuple(facet.group(row, (row.tiers[tier] for tier in TIERS)) for row in facet.rows)
    return Bars(SERIES, groups, scores_titled("Tier score, %", facet, source), _reading(groups), domain)


def _reading(groups: tuple[Group, ...]) -> Words:
    """The models with the widest gap between the best and the worst tier."""
    known = [group for group in groups if _known(group)]
    if not known:
        return ("No model has all its verdicts, so there are no tier scores to show.",)
    if len(known) == 1:
        return (Name(known[0].label), f" scores {_spread(known[0])}.")
    widest = extreme(known, _gap)
    if said(_gap(widest[0])) == "0.0":
        return ("No model has a gap between its tiers.",)
    if len(widest) == 1:
        return (Name(widest[0].label), f" has the widest gap between tiers: {_spread(widest[0])}.")
    who = together([group.label for group in widest], len(groups), begins=True)
    spreads = set(map(_spread, widest))
    of_each = f"{spreads.pop()}, each" if len(spreads) == 1 else f"{said(_gap(widest[0]))} points each"
    widely = "the same gap" if len(widest) == len(groups) else "the widest gap"
    return (*who, f" have {widely} between tiers: {of_each}.")


def _known(group: Group) -> list[tuple[float, str]]:
    return [(value, SERIES[place].name) for place, value in enumerate(group.values) if value is not None]


def _gap(group: Group) -> float:
    values = [value for value, _ in _known(group)]
    return max(values) - min(values)


def _spread(group: Group) -> str:
    """The best and the worst tiers with their scores."""
    known = _known(group)
    best, worst = extreme(known, _score), extreme(known, _score, lowest=True)
    on_best = f"{said(best[0][0])} on {_tiers(best)}"
    if best == worst:
        return on_best + (", the only tier it has" if len(known) == 1 else "")
    return f"{on_best}, {said(worst[0][0])} on {_tiers(worst)}"


def _score(known: tuple[float, str]) -> float:
    return known[0]


def _tiers(known: list[tuple[float, str]]) -> str:
    return plain(listed((name,) for _, name in known))


REPORT = Kind(order=30, build=_build)
