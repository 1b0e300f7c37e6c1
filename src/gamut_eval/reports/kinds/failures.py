"""What could not be judged, and why: it is in no mean, and in no verdict share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.records import Response
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.shapes import Cell, Column, Section, Table
from gamut_eval.reports.views import NO_RESPONSE, NOT_JUDGED
from gamut_eval.reports.wording import VARIANT_NAMES
from gamut_eval.scoring.counts import ASKED_TYPES, RESPONSE, RESPONSE_TYPES

LEAD = "An error is never a verdict. What is listed here leaves its question incomplete."
_EXAMPLE_LENGTH = 240
_CHECK = ["question_id", "check_id"]


def _build(source: Source) -> Section | None:
    tables = [table for table in (_judges(source), _answers(source)) if table.rows]
    return Section("failures", "What could not be judged", tuple(tables), (LEAD,)) if tables else None


def _judges(source: Source) -> Table:
    """Errors by judge and code, most first; then the checks that no judge has been asked yet."""
    failed = source.verdicts.filter(pl.col("error").is_not_null())
    counted = failed.group_by("judge", "error", maintain_order=True).agg(
        pl.len().alias("n"), pl.col("error_message").first()
    )
    rows = [
        (row["judge"], row["error"], row["n"], _short(row["error_message"])) for row in counted.iter_rows(named=True)
    ]
    rows.sort(key=lambda row: (row[0], -row[2], row[1]))
    waiting = [(judge, NOT_JUDGED, n, "No verdict yet; the same command goes on.") for judge, n in _waiting(source)]
    columns = (Column("Judge"), Column("Error"), Column("Checks", "count"), Column("Example"))
    return Table(columns, (*rows, *waiting), ("Verdicts",))


def _waiting(source: Source) -> Iterator[tuple[str, int]]:
    """How many checks of answers each judge has no row for."""
    answers = _keys(response for response in source.responses if response.answered)
    derived = source.derived_frame
    checks = pl.DataFrame(
        [(check.question_id, check.id) for check in source.checks], schema=derived.schema, orient="row"
    ).join(derived, on=_CHECK, how="anti")
    sizes = checks.group_by("question_id").agg(n_checks=pl.len())
    asked = pl.DataFrame(source.asked, schema=ASKED_TYPES, orient="row")
    wanted = answers.join(sizes, on="question_id").join(asked, on=["model", "variant"])
    expected = dict(wanted.group_by("judge").agg((pl.col("n_checks") * pl.col("repeats")).sum()).iter_rows())
    rows = source.verdicts.lazy().select(*RESPONSE, "check_id", "judge", "repeat")
    rows = rows.join(derived.lazy(), on=_CHECK, how="anti").join(answers.lazy(), on=RESPONSE, how="semi")
    rows = rows.join(asked.lazy(), on=["model", "variant", "judge"]).filter(pl.col("repeat") < pl.col("repeats"))
    given = dict(rows.group_by("judge").len().collect().iter_rows())
    for judge in sorted({*source.judges, *expected}):
        if n := expected.get(judge, 0) - given.get(judge, 0):
            yield judge, n


def _keys(responses: Iterable[Response]) -> pl.DataFrame:
    return pl.DataFrame([response.key for response in responses], schema=RESPONSE_TYPES, orient="row")


@dataclass
class _Lost:
    n: int = 0
    example: str | None = None


def _answers(source: Source) -> Table:
    """Answers that are errors or absent, by model and variant."""
    lost: dict[tuple[str, str, str], _Lost] = {}
    for model, variant, error, message in _unanswered(source):
        entry = lost.setdefault((model, variant, error), _Lost(0, _short(message)))
        entry.n += 1
    columns = (
        *(Column("Model"), Column("Variant", aside=True), Column("Error")),
        *(Column("Answers", "count"), Column("Example")),
    )
    rows: list[tuple[Cell, ...]] = [
        (model, VARIANT_NAMES.get(variant, variant), error, entry.n, entry.example)
        for (model, variant, error), entry in sorted(lost.items(), key=lambda item: item[0])
    ]
    return Table(columns, tuple(rows), ("Answers",))


def _unanswered(source: Source) -> Iterator[tuple[str, str, str, str | None]]:
    asked = source.scores.questions.select("question_id", "model", "variant").unique(maintain_order=True)
    absent = asked.join(_keys(source.responses), on=asked.columns, how="anti")
    yield from ((model, variant, "no_response", NO_RESPONSE) for _, model, variant in absent.iter_rows())
    graded = {(model, variant) for model, variant, *_ in source.asked}
    for response in source.responses:
        if not response.answered and (response.model, response.variant) in graded:
            yield response.model, response.variant, "answer_error", response.error


def _short(message: str | None) -> str | None:
    if message is None or len(message) <= _EXAMPLE_LENGTH:
        return message
    return message[: _EXAMPLE_LENGTH - 1] + "…"


REPORT = Kind(order=50, build=_build)
