"""The leaderboard: every model's score, by variant and judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS
from gamut_eval.reports.agreement import agreement
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, facets, main_facets
from gamut_eval.reports.shapes import Cell, Column, Name, Note, Section, Table, Words, listed
from gamut_eval.reports.ties import runs, together
from gamut_eval.reports.wording import TIER_NAMES, TIER_SHORT, VARIANT_NAMES, VERDICT_NAMES, VERDICT_SHORT, said
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


_LONG = 30
"""Rows; a longer leaderboard is parted, and other judges' part is opened by whoever wants it."""


def leaderboard_table(source: Source, among: list[Facet] | None = None, *, agreed: bool = True) -> Table:
    """A row a model, variant and judge, best first; bounds only where a question is incomplete.

    ``agreed``: the note says how far judges agree.
    """
    among = facets(source, combined=True) if among is None else among
    rows = [(row, facet) for facet in among for row in facet.rows]
    bounded = any(row.n_incomplete for row, _ in rows)
    cells = tuple(tuple(cell for cell, _ in _cells(*pair, bounded=bounded)) for pair in rows)
    columns = tuple(column for _, column in _cells(*rows[0], bounded=bounded)) if rows else ()
    return Table(
        columns, cells, note=(*_over(among), *_explained(among), *(agreement(source) if agreed else ())), sortable=True
    )


def _over(among: list[Facet]) -> Words:
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
    yield VARIANT_NAMES.get(row.variant, row.variant), Column("Variant")
    yield row.judge, Column("Judge")
    yield row.gamut, Column("Gamut", "percent", bar=True)
    if bounded:
        yield row.bounds, Column("Bounds (all questions)", "interval", short="Bounds")
    yield facet.coverage(row), Column("Questions", "coverage", short="n")
    for tier in TIERS:
        yield row.tiers[tier], Column(TIER_NAMES[tier], "percent", TIER_SHORT[tier], "Tier score")
    for verdict in VERDICTS:
        title = VERDICT_NAMES[verdict]
        yield row.verdicts[verdict], Column(title, "percent", VERDICT_SHORT[verdict], "Share of all checks")


def _build(source: Source) -> Section:
    said_of_judges = dict.fromkeys(about["note"] for about in source.judges.values() if about["note"])
    notes = [Note((note,), "warning") for note in said_of_judges]
    if source.scores.incomplete:
        over = _over(main_facets(source))
        notes.insert(0, Note((INCOMPLETE, *((*over, BOUNDED) if over else (UNDEFINED,))), "warning"))
    return Section("leaderboard", "Leaderboard", (*notes, *_parts(source)), _lead(source))


def _parts(source: Source) -> tuple[Table, ...]:
    every, main = facets(source, combined=True), main_facets(source)
    others = [facet for facet in every if facet not in main]
    if not others or sum(len(facet.rows) for facet in every) <= _LONG:
        return (leaderboard_table(source),)
    rest = replace(leaderboard_table(source, others, agreed=False), title=("By the other judges",), folded=True)
    return leaderboard_table(source, main), rest


def _lead(source: Source) -> Words:
    """Who leads, in the comparison that rests on most questions."""
    among = main_facets(source)
    led = [facet for facet in among if facet.rows[0].gamut is not None]
    led = led or [facet for facet in facets(source) if facet.rows[0].gamut is not None]
    if not led:
        return ("No model has a score yet: every one lacks an answer or a verdict.",)
    chosen = max(led, key=lambda facet: facet.rows[0].n_questions)  # the first of equals
    where: Words = (" (", *chosen.words, ")") if len(among) > 1 or len(source.judges) > 1 else ()
    lead = _ranking([row for row in chosen.rows if row.gamut is not None], len(chosen.rows))
    if chosen.over:
        where = (*where, f", {chosen.over}")
    return (*lead, *where, ". All numbers are percentages; a score can be from −100 to 100.")


def _ranking(rows: list[ScoreRow], n_models: int) -> Words:
    """The first and the next two; of equals all."""
    first, *following = runs(rows, lambda row: row.gamut)
    score = said(first[0].gamut)
    who = together([row.model for row in first], n_models, begins=True)
    if len(rows) == 1:
        return (*who, f" scores {score}")
    if len(first) > 1:
        return (*who, f" come first with {score}" if following else f" score {score}")
    nearest = following[:1] if len(following[0]) > 1 else following[:2]
    return (*who, f" comes first with {score}, before ", *listed(_level(rows, n_models) for rows in nearest))


def _level(rows: list[ScoreRow], n_models: int) -> Words:
    each = " each" if len(rows) > 1 else ""
    return (*together([row.model for row in rows], n_models), f" with {said(rows[0].gamut)}{each}")


REPORT = Kind(order=10, build=_build)
