"""The paper's leaderboard with one's own models in it, marked, and what the two can be compared for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS
from gamut_eval.reports.columns import TIER_COLUMNS, VERDICT_COLUMNS
from gamut_eval.reports.published import JUDGE, N_QUESTIONS, PAPER, PUBLISHED, WARNING, WHERE
from gamut_eval.reports.shapes import Cell, Column, Name, Table
from gamut_eval.reports.table_kind import TableKind, Tabulated, Wanted
from gamut_eval.reports.wording import counted
from gamut_eval.rubric.fields import TIERS
from gamut_eval.scoring.counts import CONSENSUS
from gamut_eval.scoring.score import ScoreRow

OWN, THEIRS = "own", "paper"
_COLUMNS = (
    Column("Model"),
    Column("From", apart=True),
    Column("Judge"),
    Column("Gamut", "percent", bar=True, best="highest"),
    *TIER_COLUMNS,
    *VERDICT_COLUMNS,
    Column("Gamut, text only", "percent", "text only", best="highest"),
)


@dataclass(frozen=True)
class Own:
    """A model of one's own under one judge: its row with the image and its row without; None where there is none."""

    model: str
    judge: str
    image: ScoreRow | None
    text_only: ScoreRow | None

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Its line of the table: tiers and shares are of the answers with the image, as in the paper."""
        row = self.image
        tiers = (None if row is None else row.tiers[tier] for tier in TIERS)
        verdicts = (None if row is None else row.verdicts[verdict] for verdict in VERDICTS)
        return (self.model, OWN, self.judge, _score(row), *tiers, *verdicts, _score(self.text_only))

    def to_dict(self) -> dict[str, Any]:
        """As plain data, with what the paper's rows have, and how many questions each score is over."""
        row = self.image
        return {
            "model": self.model,
            "judge": self.judge,
            "gamut": _score(row),
            "tiers": row.tiers if row else {tier.value: None for tier in TIERS},
            "verdicts": row.verdicts if row else {verdict.value: None for verdict in VERDICTS},
            "text_only": _score(self.text_only),
            "n_questions": {"image": _n(row), "text_only": _n(self.text_only)},
        }


def _score(row: ScoreRow | None) -> float | None:
    return None if row is None else row.gamut


def _n(row: ScoreRow | None) -> int:
    return 0 if row is None else row.n_questions


def own_rows(source: Source) -> tuple[Own, ...]:
    """One a model and judge, the panel too, in the leaderboard's order; the paper has nothing like a consensus."""
    found: dict[tuple[str, str], dict[str, ScoreRow]] = {}
    for row in (row for row in source.scores.rows if row.judge != CONSENSUS):
        found.setdefault((row.model, row.judge), {})[row.variant] = row
    return tuple(Own(*key, rows.get("image"), rows.get("text_only")) for key, rows in found.items())


def paper_table(source: Source) -> Table:
    """All rows, best first, with what has to be known of both kinds as its caution."""
    theirs = (
        (p.model, THEIRS, JUDGE, p.gamut, *p.tiers.values(), *p.verdicts.values(), p.text_only) for p in PUBLISHED
    )
    rows = tuple(sorted((*theirs, *(own.cells for own in own_rows(source))), key=_best_first))
    caution = (WARNING, *(f" {note}" for note in source.said_of_judges))
    title, note = ("The paper’s results, and one’s own",), tuple(_note(source))
    return Table(_COLUMNS, rows, title, note, sortable=True, caution=caution)


def _best_first(cells: tuple[Cell, ...]) -> tuple[float, ...]:
    """By the score with the image, what has none last, by that without."""
    return tuple(-cell if isinstance(cell, int | float) else 2.0 for cell in (cells[3], cells[-1]))


def _note(source: Source) -> Iterator[str | Name]:
    n_with, n_without = N_QUESTIONS.values()
    yield f"paper: {PAPER}; {n_with:,} questions, {n_without:,} of them without the image. "
    yield "own: "
    yield Name(source.benchmark["name"] or "an unnamed benchmark")
    version = source.benchmark["version"]
    yield f"{f' {version}' if version else ''}, {counted(len(source.questions), 'question')}; "
    yield "tiers and shares are of answers with the image. n/a: the paper gives none, or nothing was asked so."


def _build(source: Source, wanted: Wanted) -> Tabulated:
    theirs = {"paper": PAPER, "table": WHERE, "judge": JUDGE, "n_questions": N_QUESTIONS, "warning": WARNING}
    data = theirs | {"published": [row.to_dict() for row in PUBLISHED]}
    return Tabulated((paper_table(source),), data | {"own": [own.to_dict() for own in own_rows(source)]})


TABLE = TableKind(
    order=90, summary="The paper's published results beside one's own rows, which are marked.", build=_build
)
