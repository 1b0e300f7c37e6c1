"""The leaderboard's rows, best first, and split by what can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from gamut_eval.analysis.places import by_contest
from gamut_eval.analysis.source import Source
from gamut_eval.reports.shapes import Group, Name, Table, Words, listed
from gamut_eval.reports.wording import VARIANT_NAMES, counted, coverage
from gamut_eval.scoring.counts import CONSENSUS, PANEL
from gamut_eval.scoring.score import ScoreRow

_MOST_DRAWN = 2
_ADDED_FIRST = "the judge added first"


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
        return (_variant(self), ", judged by ", Name(self.judge))

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


def facets(source: Source, *, combined: bool = False) -> list[Facet]:
    """The leaderboard by variant and judge, in its order.

    Parameters
    ----------
    source
        The run.
    combined
        With the panel and the consensus of several judges.
    """
    chosen = (row for row in source.scores.rows if combined or row.judge not in (PANEL, CONSENSUS))
    complete = _complete(source)
    return [
        Facet(
            variant,
            judge,
            tuple(rows),
            {row.model: complete.get((row.model, variant, judge), 0) for row in rows},
        )
        for (variant, judge), rows in by_contest(chosen).items()
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


def headline(source: Source) -> Facet | None:
    """The facet that the report's first sentence is about, of the main ones that which rests on most questions."""
    main = [facet for facet in main_facets(source) if facet.rows[0].gamut is not None]
    led = main or [facet for facet in facets(source) if facet.rows[0].gamut is not None]
    return max(led, key=lambda facet: facet.rows[0].n_questions, default=None)  # the first of equals


def headline_first(source: Source) -> list[Facet]:
    """All facets: that of the headline, the other main ones, the others.

    A consensus without any score is left out where there is another judge's.
    """
    first, main = headline(source), main_facets(source)
    every = [facet for facet in facets(source, combined=True) if not _empty_consensus(facet)]
    return sorted(every or facets(source, combined=True), key=lambda facet: (facet != first, facet not in main))


def _empty_consensus(facet: Facet) -> bool:
    return facet.judge == CONSENSUS and all(row.gamut is None for row in facet.rows)


def lost_consensus(source: Source) -> str:
    """That there is no score by consensus, and why; nothing where there is one, or there is a single judge."""
    empty = [facet for facet in facets(source, combined=True) if _empty_consensus(facet)]
    if not empty:
        return ""
    where = "" if len(empty) == len(main_facets(source)) else f" ({', '.join(_variant(facet) for facet in empty)})"
    return f"consensus{where} is left out: for every model there are checks on which no verdict has a majority. "


def _variant(facet: Facet) -> str:
    return VARIANT_NAMES.get(facet.variant, facet.variant)


def why_first(source: Source, facet: Facet) -> Words:
    """Why it is this judge whom the headline, and all that names one judge, goes by; nothing for a single judge."""
    own = _judges(source, facet)
    if len(own - {PANEL}) < 2:
        return ()
    rank = _rank(source, facet)
    noted = any(source.judges[judge]["note"] for judge in own - {PANEL})
    mixed = "judges with a warning" if noted else "recorded verdicts and judges that were asked here"
    passed = rank == _ADDED_FIRST and PANEL in own
    return (Name(facet.judge), f", {rank}, goes first", f"; a panel of {mixed} does not. " if passed else ". ")


def shown_only(source: Source, among: Sequence[Facet], more: str = "") -> Words:
    """That only these facets' judges are shown, and why they; nothing where there are no others.

    ``more`` ends the sentence.
    """
    led = {facet.judge: _rank(source, facet) for facet in among if _judges(source, facet) - {PANEL, facet.judge}}
    each = listed((Name(judge), f" ({rank})") for judge, rank in led.items())
    return ("Only as judged by ", *each, f"{more}. ") if led else ()


def with_shown_only(tables: Sequence[Table], source: Source, among: Sequence[Facet]) -> tuple[Table, ...]:
    """Tables of `gamut compare`, the first of which says that only these judges are shown, and how to see another."""
    told = shown_only(source, among, "; '--judge NAME' shows another")
    return tuple(replace(table, note=(*told, *table.note)) if table is tables[0] else table for table in tables)


def _judges(source: Source, facet: Facet) -> set[str]:
    """The judges of a facet's variant, and the panel."""
    scored = {row.judge for row in source.scores.rows if row.variant == facet.variant}
    return scored.intersection({PANEL, *source.judges})


def _rank(source: Source, facet: Facet) -> str:
    """What puts a facet's judge first."""
    if facet.judge == PANEL:
        return "the mean of all judges"
    own = _judges(source, facet) - {PANEL}
    unnoted = [judge for judge in own if not source.judges[judge]["note"]]
    if facet.judge not in unnoted or len(unnoted) == len(own):
        return _ADDED_FIRST
    return f"the {'only' if len(unnoted) == 1 else 'first'} judge without a warning"


def unasked(source: Source, facet: Facet) -> str:
    """Why a variant has fewer questions than the benchmark; nothing where it has all."""
    rows = source.scores.questions.filter(variant=facet.variant, judge=facet.judge)
    asked = set(rows["question_id"])
    absent = [question for question in source.questions if question.id not in asked]
    n = sum(facet.variant not in question.variants for question in absent)
    without = "cannot be asked without " + ("its image" if n == 1 else "their images")
    without = f"{'has' if n == 1 else 'have'} no image" if facet.variant == "image" else without
    reasons = [f"{counted(n, 'question')} {without}"] if n else []
    rest = len(absent) - n
    reasons += [f"{counted(rest, 'question')} {'was' if rest == 1 else 'were'} not put to the models"] if rest else []
    return f"Not in it ({_variant(facet)}): {' and '.join(reasons)}. " if reasons else ""


def drawn_and_folded(source: Source) -> tuple[list[Facet], list[Facet]]:
    """The judges’ own facets: the drawn ones, and those that a reader opens. Two are drawn, of more the main ones."""
    main = {(facet.variant, facet.judge) for facet in main_facets(source)}
    own = sorted(facets(source), key=lambda facet: (facet.variant, facet.judge) not in main)
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


def several_facets(source: Source) -> bool:
    """Whether numbers have to say which variant and judge they are of, be the others shown beside them or not."""
    return len(source.judges) > 1 or len({row.variant for row in source.scores.rows}) > 1


def titled(title: str, facet: Facet, source: Source) -> Words:
    """A title, which names the facet where there are several."""
    return (title, ": ", *facet.words) if several_facets(source) else (title,)


def scores_titled(title: str, facet: Facet, source: Source) -> Words:
    """The same for numbers of the leaderboard: it also says what they are means over."""
    return (*titled(title, facet, source), *((f", {facet.over}",) if facet.over else ()))
