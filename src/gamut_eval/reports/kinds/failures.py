"""What could not be judged, and why: it is in no mean, and in no verdict share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.records import Response
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.shapes import Cell, Column, Section, Table
from gamut_eval.reports.views import NO_RESPONSE, NOT_JUDGED, Joined
from gamut_eval.reports.wording import VARIANT_NAMES

LEAD = "An error is never a verdict. What is listed here leaves its question incomplete."
_EXAMPLE_LENGTH = 240


def _build(source: Source) -> Section | None:
    joined = Joined(source)
    tables = [table for table in (_judges(source, joined), _answers(joined)) if table.rows]
    return Section("failures", "What could not be judged", tuple(tables), (LEAD,)) if tables else None


def _judges(source: Source, joined: Joined) -> Table:
    """Errors by judge and code, most first; then the checks that no judge has been asked yet."""
    failed = source.verdicts.filter(pl.col("error").is_not_null())
    counted = failed.group_by("judge", "error", maintain_order=True).agg(
        pl.len().alias("n"), pl.col("error_message").first()
    )
    rows = [
        (row["judge"], row["error"], row["n"], _short(row["error_message"])) for row in counted.iter_rows(named=True)
    ]
    rows.sort(key=lambda row: (row[0], -row[2], row[1]))
    waiting = [(judge, NOT_JUDGED, n, "No verdict yet; the same command goes on.") for judge, n in _waiting(joined)]
    columns = (Column("Judge"), Column("Error"), Column("Checks", "count"), Column("Example"))
    return Table(columns, (*rows, *waiting), ("Verdicts",))


def _waiting(joined: Joined) -> Iterator[tuple[str, int]]:
    """How many checks of answers each judge has no row for."""
    counts = dict.fromkeys(sorted(joined.source.judges), 0)
    for response in joined.source.responses:
        if response.answered:
            for judge, n in _absent(joined, response):
                counts[judge] = counts.get(judge, 0) + n
    yield from ((judge, n) for judge, n in counts.items() if n)


def _absent(joined: Joined, response: Response) -> Iterator[tuple[str, int]]:
    repeats = joined.repeats[response.model, response.variant]
    for check in joined.checks[response.question_id]:
        if (response.question_id, check.id) in joined.composite:
            continue
        given = [opinion.judge for opinion in joined.opinions.get((*response.key, check.id), ())]
        yield from ((judge, max(0, n - given.count(judge))) for judge, n in repeats.items())


@dataclass
class _Lost:
    n: int = 0
    example: str | None = None


def _answers(joined: Joined) -> Table:
    """Answers that are errors or absent, by model and variant."""
    lost: dict[tuple[str, str, str], _Lost] = {}
    for triple in joined.scores:
        for error, message in _unanswered(joined, triple):
            entry = lost.setdefault((triple[1], triple[2], error), _Lost(0, _short(message)))
            entry.n += 1
    columns = (Column("Model"), Column("Variant"), Column("Error"), Column("Answers", "count"), Column("Example"))
    rows: list[tuple[Cell, ...]] = [
        (model, VARIANT_NAMES.get(variant, variant), error, entry.n, entry.example)
        for (model, variant, error), entry in sorted(lost.items(), key=lambda item: item[0])
    ]
    return Table(columns, tuple(rows), ("Answers",))


def _unanswered(joined: Joined, triple: tuple[str, str, str]) -> Iterator[tuple[str, str | None]]:
    responses = joined.responses.get(triple, [])
    if not responses:
        yield "no_response", NO_RESPONSE
    yield from (("answer_error", response.error) for response in responses if not response.answered)


def _short(message: str | None) -> str | None:
    if message is None or len(message) <= _EXAMPLE_LENGTH:
        return message
    return message[: _EXAMPLE_LENGTH - 1] + "…"


REPORT = Kind(order=50, build=_build)
