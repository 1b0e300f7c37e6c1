"""The leaderboard's rows, best first, and split by what can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.reports.shapes import Group, Name, Words
from gamut_eval.reports.wording import VARIANT_NAMES, coverage
from gamut_eval.scoring.counts import CONSENSUS, PANEL
from gamut_eval.scoring.score import ScoreRow

_MOST_DRAWN = 2


@dataclass(frozen=True)
class Facet:
    """The rows of one variant and one judge, best first: what one chart can compare.

    ``complete`` has how many of its own questions each model has complete.
    """

    variant: str
    judge: str
    rows: tuple[ScoreRow, ...]
    complete: Mapping[str, int]

    @property
    def words(self) -> Words:
        """Which facet it is."""
        return (VARIANT_NAMES.get(self.variant, self.variant), ", judged by ", Name(self.judge))

    @property
    def shared(self) -> tuple[int, int] | None:
        """How many questions, of how many, the scores are means over, where that is not simply all of a model's."""
        for row in self.rows:
            if row.n_incomplete and (row.gamut is not None or row.n_questions < self.complete[row.model]):
                return row.n_questions, row.n_questions + row.n_incomplete
        return None

    @property
    def over(self) -> str:
        """The same in words; nothing where it is all questions."""
        return "over {} of {} questions (those complete for every model)".format(*self.shared) if self.shared else ""

    def coverage(self, row: ScoreRow) -> tuple[int, int]:
        """How many of its own questions a row has complete, of how many."""
        return self.complete[row.model], row.n_questions + row.n_incomplete

    def group(self, row: ScoreRow, values: Iterable[float | None]) -> Group:
        """A row's part of a chart, which says so where the model itself is incomplete."""
        n_complete, n_all = self.coverage(row)
        return Group(row.model, tuple(values), coverage((n_complete, n_all)) if n_complete < n_all else "")


def ranked(rows: Iterable[ScoreRow]) -> list[ScoreRow]:
    """Best first; what has no score comes last, by what it can still reach."""
    return sorted(rows, key=_rank)


def _rank(row: ScoreRow) -> tuple[bool, float, float, str]:
    return (row.gamut is None, -(row.gamut or 0.0), -row.bounds[1], row.model)


def facets(source: Source, *, combined: bool = False) -> list[Facet]:
    """The leaderboard by variant and judge, in its order.

    Parameters
    ----------
    source
        The run.
    combined
        With the panel and the consensus of several judges.
    """
    grouped: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in source.scores.rows:
        if combined or row.judge not in (PANEL, CONSENSUS):
            grouped.setdefault((row.variant, row.judge), []).append(row)
    complete = _complete(source)
    return [
        Facet(
            variant,
            judge,
            tuple(ranked(rows)),
            {row.model: complete.get((row.model, variant, judge), 0) for row in rows},
        )
        for (variant, judge), rows in grouped.items()
    ]


def main_facets(source: Source) -> list[Facet]:
    """One facet a variant, for what names one judge: the panel's where its judges are of a kind, else a judge's own.

    Judges are of a kind where none has a note (as ``lexical`` has) and either all or none are recorded:
    the mean of a judge that is tried out and one that it is held against says nothing. In the panel's
    place comes the first judge, in the order in which they were added, that has no note.
    """
    grouped: dict[str, dict[str, Facet]] = {}
    for facet in facets(source, combined=True):
        grouped.setdefault(facet.variant, {})[facet.judge] = facet
    return [_main(several, source.judges) for several in grouped.values()]


def drawn_and_folded(source: Source) -> tuple[list[Facet], list[Facet]]:
    """The judges’ own facets: the drawn ones, and those that a reader opens. Two are drawn, of more the main ones."""
    own = facets(source)
    main = {(facet.variant, facet.judge) for facet in main_facets(source)}
    drawn = [facet for facet in own if len(own) <= _MOST_DRAWN or (facet.variant, facet.judge) in main]
    drawn = drawn or main_facets(source)
    return drawn, [facet for facet in own if facet not in drawn]


def _main(several: Mapping[str, Facet], judges: Mapping[str, Mapping[str, Any]]) -> Facet:
    own = [judge for judge in judges if judge in several]
    noted = {judge for judge in own if judges[judge]["note"]}
    recorded = {judge for judge in own if "recorded" in judges[judge]["settings"]}
    if PANEL in several and not noted and recorded in (set(), set(own)):
        return several[PANEL]
    ranked_judges = [*(judge for judge in own if judge not in noted), *own, *several]
    return several[ranked_judges[0]]


def _complete(source: Source) -> dict[tuple[str, str, str], int]:
    counted = source.scores.questions.group_by("model", "variant", "judge").agg(pl.col("complete").sum())
    return {(model, variant, judge): n for model, variant, judge, n in counted.iter_rows()}


def titled(title: str, facet: Facet, among: list[Facet]) -> Words:
    """A title, which names the facet where there are several."""
    return (title,) if len(among) == 1 else (title, ": ", *facet.words)


def scores_titled(title: str, facet: Facet, among: list[Facet]) -> Words:
    """The same for numbers of the leaderboard: it also says what they are means over."""
    return (*titled(title, facet, among), *((f", {facet.over}",) if facet.over else ()))
