"""The leaderboard: every model's score, by variant and judge."""

from __future__ import annotations

from collections.abc import Iterator

from gamut_eval.records import VERDICTS
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, facets
from gamut_eval.reports.shapes import Cell, Column, Name, Note, Section, Table, Words, listed
from gamut_eval.reports.source import Source
from gamut_eval.reports.wording import (
    TIER_NAMES,
    TIER_SHORT,
    VARIANT_NAMES,
    VERDICT_NAMES,
    VERDICT_SHORT,
    percent,
)
from gamut_eval.rubric.fields import TIERS
from gamut_eval.scoring.score import ScoreRow

JUDGE_NOTES = {
    "lexical": "The judge “lexical” matches words. It is for trying the tool; its scores say little about a model.",
}
PARTIAL = (
    "This run is partial: some questions lack an answer or a verdict. Where Gamut is n/a, the bounds say what it "
    "can still become; coverage says how many questions its mean is over."
)


def leaderboard_table(source: Source) -> Table:
    """A row a model, variant and judge, best first; bounds only where a question is incomplete."""
    rows = [row for facet in facets(source, combined=True) for row in facet.rows]
    partial = any(row.n_incomplete for row in rows)
    cells = tuple(tuple(cell for cell, _ in _cells(row, partial=partial)) for row in rows)
    columns = tuple(column for _, column in _cells(rows[0], partial=partial)) if rows else ()
    return Table(columns, cells, sortable=True)


def _cells(row: ScoreRow, *, partial: bool) -> Iterator[tuple[Cell, Column]]:
    yield row.model, Column("Model")
    yield VARIANT_NAMES.get(row.variant, row.variant), Column("Variant")
    yield row.judge, Column("Judge")
    yield row.gamut, Column("Gamut", "percent", bar=True)
    if partial:
        yield row.bounds if row.n_incomplete else None, Column("Bounds", "interval")
    yield (row.n_questions, row.n_questions + row.n_incomplete), Column("Questions", "coverage", short="n")
    for tier in TIERS:
        yield row.tiers[tier], Column(TIER_NAMES[tier], "percent", TIER_SHORT[tier], "Tier score")
    for verdict in VERDICTS:
        title = VERDICT_NAMES[verdict]
        yield row.verdicts[verdict], Column(title, "percent", VERDICT_SHORT[verdict], "Share of all checks")


def _build(source: Source) -> Section:
    notes = [Note((JUDGE_NOTES[judge],), "warning") for judge in source.judges if judge in JUDGE_NOTES]
    if source.scores.incomplete:
        notes.insert(0, Note((PARTIAL,), "warning"))
    return Section("leaderboard", "Leaderboard", (*notes, leaderboard_table(source)), _lead(facets(source)))


def _lead(among: list[Facet]) -> Words:
    """Who leads, in the first comparison that has a leader."""
    led = [facet for facet in among if facet.rows[0].gamut is not None]
    if not led:
        return ("No model has a score yet: every one lacks an answer or a verdict.",)
    where = (" (", *led[0].words, ")") if len(among) > 1 else ()
    first, *others = (row for row in led[0].rows if row.gamut is not None)
    lead: Words = (Name(first.model), f" scores {percent(first.gamut)}")
    if others:
        following = listed((Name(row.model), f" with {percent(row.gamut)}") for row in others[:2])
        lead = (Name(first.model), f" comes first with {percent(first.gamut)}, before ", *following)
    return (*lead, *where, ". All numbers are percentages; a score can be from −100 to 100.")


REPORT = Kind(order=10, build=_build)
