"""The leaderboard: every model's score, by variant and judge."""

from __future__ import annotations

from dataclasses import replace

from gamut_eval.analysis.contests import Contest
from gamut_eval.analysis.source import Source
from gamut_eval.reports.contest_words import told_apart
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.leaderboard import BOUNDED, INCOMPLETE, UNDEFINED, leaderboard_table, over
from gamut_eval.reports.ranking import (
    headline,
    headline_first,
    main_facets,
    several_facets,
    why_first,
)
from gamut_eval.reports.scoring_words import made_how
from gamut_eval.reports.shapes import Name, Note, Section, Table, Words, listed
from gamut_eval.reports.ties import runs, together
from gamut_eval.reports.wording import said
from gamut_eval.scoring.score import ScoreRow

_LONG = 30
"""Rows; a longer leaderboard is parted, and other judges' part is opened by whoever wants it."""


def _build(source: Source) -> Section:
    notes = [Note((note,), "warning") for note in source.said_of_judges]
    if source.scores.incomplete:
        told = over(main_facets(source))
        notes.insert(0, Note((INCOMPLETE, *((*told, BOUNDED) if told else (UNDEFINED,))), "warning"))
    how: Words = (Name("How a score is made"), ": ", made_how(source.scores.settings))
    return Section("leaderboard", "Leaderboard", (*notes, *_parts(source), Note(how)), _lead(source))


def _parts(source: Source) -> tuple[Table, ...]:
    every, main = headline_first(source), main_facets(source)
    others = [facet for facet in every if facet not in main]
    if not others or sum(len(facet.rows) for facet in every) <= _LONG:
        return (leaderboard_table(source),)
    rest = replace(leaderboard_table(source, others, agreed=False), title=("By the other judges",), folded=True)
    return leaderboard_table(source, [facet for facet in every if facet in main]), rest


def _lead(source: Source) -> Words:
    """Who leads, in the comparison that rests on most questions."""
    chosen = headline(source)
    if chosen is None:
        return ("No model has a score yet: every one lacks an answer or a verdict.",)
    where: Words = (" (", *chosen.words, ")") if several_facets(source) else ()
    lead = _ranking([row for row in chosen.rows if row.gamut is not None], len(chosen.rows))
    if chosen.over:
        where = (*where, f", {chosen.over}")
    return (
        *lead,
        *where,
        ". ",
        *_how_sure(source.contest(chosen.variant, chosen.judge)),
        *(why_first(source, chosen) if chosen in main_facets(source) else ()),
        "All numbers are percentages; a score can be from −100 to 100.",
    )


def _how_sure(contest: Contest) -> Words:
    """Who cannot be told apart from the first, where that could be tested."""
    return told_apart(contest) if contest.groups else ()


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
