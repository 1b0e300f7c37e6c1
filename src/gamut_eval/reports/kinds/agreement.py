"""How far judges agree: for each two, the share of same verdicts, Cohen's kappa, and which verdicts meet which."""

from __future__ import annotations

from gamut_eval.analysis.judges import Pair, pairs
from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.shapes import Cell, Column, Name, Section, Table
from gamut_eval.reports.wording import VERDICT_NAMES, VERDICT_NARROW

LEAD = (
    "Over the checks of the same answers that both judges judged, without empty answers and refusals, which no judge "
    "sees. Cohen's kappa is agreement beyond chance: 1 is full "
    "agreement, 0 what chance would give; it is n/a where both always gave one same verdict."
)


def _build(source: Source) -> Section | None:
    every = [pair for pair in pairs(source) if pair.n]
    if not every:
        return None
    columns = (
        *(Column("Judge"), Column("With"), Column("Checks", "count")),
        *(Column("Same verdict, %", "percent"), Column("Cohen's kappa", "number")),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple((pair.one, pair.other, pair.n, pair.same, pair.kappa) for pair in every)
    crossed = (_crossed(pair, folded=len(every) > 1) for pair in every)
    return Section("agreement", "Agreement of judges", (Table(columns, rows), *crossed), (LEAD,))


def _crossed(pair: Pair, *, folded: bool) -> Table:
    """How often each verdict of the one, a row, met each of the other, a column."""
    columns = (Column(pair.one), *(Column(VERDICT_NARROW[v], "count", group=pair.other) for v in VERDICTS))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (VERDICT_NAMES[one], *(pair.counts.get((one, other), 0) for other in VERDICTS)) for one in VERDICTS
    )
    title = ("Number of checks by verdict: ", Name(pair.one), " in rows, ", Name(pair.other), " in columns")
    return Table(columns, rows, title, folded=folded)


REPORT = Kind(order=45, build=_build)
