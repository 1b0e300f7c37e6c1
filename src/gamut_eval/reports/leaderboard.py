"""The leaderboard as a table: a row a model, variant and judge."""

from __future__ import annotations

from collections.abc import Iterator

from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS
from gamut_eval.reports.agreement import agreement
from gamut_eval.reports.columns import TIER_COLUMNS, VERDICT_COLUMNS
from gamut_eval.reports.ranking import (
    Facet,
    headline_first,
    lost_consensus,
    unasked,
)
from gamut_eval.reports.shapes import Cell, Column, Name, Table, Words, listed
from gamut_eval.reports.wording import VARIANT_NAMES
from gamut_eval.rubric.fields import TIERS
from gamut_eval.scoring.counts import CONSENSUS, PANEL
from gamut_eval.scoring.score import ScoreRow

COMBINED_NOTES = {
    PANEL: "panel: the mean of the judges’ scores. ",
    CONSENSUS: "consensus: scored on what more than half of the judges said; a check without that is open. ",
}
INCOMPLETE = "This run is incomplete: some questions lack an answer or a verdict. "
UNDEFINED = "A mean over some of the questions is not given: Gamut is n/a, and its bounds say what it can still become."
BOUNDED = "Bounds are over all questions."


def leaderboard_table(source: Source, among: list[Facet] | None = None, *, agreed: bool = True) -> Table:
    """A row a model, variant and judge, best first; bounds only where a question is incomplete.

    ``agreed``: the note says how far judges agree.
    """
    among = headline_first(source) if among is None else among
    rows = [(row, facet) for facet in among for row in facet.rows]
    bounded = any(row.n_incomplete for row, _ in rows)
    cells = tuple(tuple(cell for cell, _ in _cells(*pair, bounded=bounded)) for pair in rows)
    columns = tuple(column for _, column in _cells(*rows[0], bounded=bounded)) if rows else ()
    told = (*over(among), *(unasked(source, facet) for facet in _by_variant(among)), *_explained(among))
    if agreed:
        told = (*told, lost_consensus(source), *agreement(source))
    return Table(columns, cells, note=told, sortable=True)


def _by_variant(among: list[Facet]) -> list[Facet]:
    return list({facet.variant: facet for facet in reversed(among)}.values())[::-1]


def over(among: list[Facet]) -> Words:
    """What the means are over, where that is not simply all questions."""
    different = dict.fromkeys(facet.over for facet in among)
    if len(different) == 1:
        return tuple(f"Scores are {over}. " for over in different if over)
    several = listed((_counted(facet), " (", *facet.words, ")") for facet in among)
    return ("Scores are over those questions that are complete for every model: ", *several, ". ")


def _counted(facet: Facet) -> str:
    return "{} of {}".format(*facet.shared) if facet.shared else "all"


def _explained(among: list[Facet]) -> Words:
    judges = {facet.judge for facet in among}
    explained = tuple(text for judge, text in COMBINED_NOTES.items() if judge in judges)
    own = dict.fromkeys(row.model for facet in among for row in facet.rows if row.model == row.judge)
    judging_itself: Words = (*listed((Name(name),) for name in own), " judged its own answers here. ") if own else ()
    return (*explained, *judging_itself)


def _cells(row: ScoreRow, facet: Facet, *, bounded: bool) -> Iterator[tuple[Cell, Column]]:
    yield row.model, Column("Model")
    yield VARIANT_NAMES.get(row.variant, row.variant), Column("Variant", aside=True)
    yield row.judge, Column("Judge", aside=True)
    yield row.gamut, Column("Gamut", "percent", bar=True)
    if bounded:
        yield row.bounds, Column("Bounds (all questions)", "interval", short="Bounds")
    yield facet.coverage(row), Column("Questions", "coverage", short="n")
    yield from zip((row.tiers[tier] for tier in TIERS), TIER_COLUMNS, strict=True)
    yield from zip((row.verdicts[verdict] for verdict in VERDICTS), VERDICT_COLUMNS, strict=True)
