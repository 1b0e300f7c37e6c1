"""The leaderboard's rows, best first, and split by what can be compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gamut_eval.reports.shapes import Group, Name, Words
from gamut_eval.reports.source import Source
from gamut_eval.reports.wording import VARIANT_NAMES, coverage
from gamut_eval.scoring.counts import CONSENSUS, PANEL
from gamut_eval.scoring.score import ScoreRow


@dataclass(frozen=True)
class Facet:
    """The rows of one variant and one judge, best first: what one chart can compare."""

    variant: str
    judge: str
    rows: tuple[ScoreRow, ...]

    @property
    def words(self) -> Words:
        """Which facet it is."""
        return (VARIANT_NAMES.get(self.variant, self.variant), ", judged by ", Name(self.judge))


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
    return [Facet(variant, judge, tuple(ranked(rows))) for (variant, judge), rows in grouped.items()]


def group(row: ScoreRow, values: Iterable[float | None]) -> Group:
    """A row's part of a chart, which says so where it is over some of the questions only."""
    asked = row.n_questions + row.n_incomplete
    return Group(row.model, tuple(values), coverage((row.n_questions, asked)) if row.n_incomplete else "")


def titled(title: str, facet: Facet, among: list[Facet]) -> Words:
    """A chart's title, which names the facet where there are several."""
    return (title,) if len(among) == 1 else (title, ": ", *facet.words)
