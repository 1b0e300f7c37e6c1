"""Every verdict of a source as small numbers, so that millions of them can be filtered within one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS
from gamut_eval.reports.doubts import flags_in
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import TIERS
from gamut_eval.scoring.counts import UNIT

_NAMES = [verdict.value for verdict in VERDICTS]


@dataclass(frozen=True)
class Cells:
    """A row a verdict, or a judge's failure.

    ``frame``: question and check (places in the source), tier (a place in `TIERS`), kind, model, variant and judge
    (places in the lists here), verdict (a place in `VERDICTS`; null where there is none), failed, doubtful.
    """

    frame: pl.DataFrame
    models: Sequence[str]
    variants: Sequence[str]
    judges: Sequence[str]
    kinds: Sequence[str]

    @cached_property
    def n_verdicts(self) -> int:
        """How many verdicts there are."""
        return int(self.frame["verdict"].count())

    @cached_property
    def n_failed(self) -> int:
        """How often a judge failed."""
        return int(self.frame["failed"].sum())


def cells_of(source: Source) -> Cells:
    """The verdicts that count: of derived ones those, not what was asked in their place."""
    verdicts = _counting(source)
    models, variants, judges = (verdicts[name].unique().sort().to_list() for name in ("model", "variant", "judge"))
    kinds = sorted({check.kind for check in source.checks})
    coded = (
        verdicts.lazy()
        .with_columns(doubtful=_doubtful(verdicts))
        .join(_places(source, kinds).lazy(), on=["question_id", "check_id"])
        .select(
            "question",
            "check",
            "tier",
            "kind",
            _code("model", models, pl.UInt16),
            _code("variant", variants, pl.UInt8),
            _code("judge", judges, pl.UInt16),
            _code("verdict", _NAMES, pl.UInt8),
            pl.col("error").is_not_null().alias("failed"),
            "doubtful",
        )
    )
    return Cells(coded.collect(engine="streaming"), models, variants, judges, kinds)


def _counting(source: Source) -> pl.DataFrame:
    own = source.asked_verdicts.select(*UNIT, "check_id", "verdict", "error", "more")
    return pl.concat([own, source.derived_verdicts], how="diagonal") if source.derived else own


def _doubtful(verdicts: pl.DataFrame) -> pl.Series:
    """Whether a verdict was flagged; most have nothing to be looked into."""
    flagged = verdicts.select(pl.col("more").str.contains("flags", literal=True).fill_null(False)).to_series()
    given = verdicts["verdict"].is_not_null()
    places = (flagged & given).arg_true()
    doubts = [bool(flags_in(more)) for more in verdicts["more"].gather(places)]
    return pl.zeros(len(verdicts), dtype=pl.Boolean, eager=True).scatter(places, doubts)


def _code(name: str, values: Sequence[str], dtype: type[pl.DataType]) -> pl.Expr:
    return pl.col(name).cast(pl.Enum(values)).to_physical().cast(dtype)


def _places(source: Source, kinds: Sequence[str]) -> pl.DataFrame:
    questions = {question.id: place for place, question in enumerate(source.questions)}
    rows = [(*place, c.question_id, c.id) for c, place in _located(source.checks, questions, kinds)]
    schema = {
        "question": pl.UInt32,
        "check": pl.UInt32,
        "tier": pl.UInt8,
        "kind": pl.UInt8,
        "question_id": pl.String,
        "check_id": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _located(
    checks: Sequence[Check], questions: dict[str, int], kinds: Sequence[str]
) -> list[tuple[Check, tuple[int, int, int, int]]]:
    codes = {kind: code for code, kind in enumerate(kinds)}
    return [
        (check, (questions[check.question_id], place, TIERS.index(check.tier), codes[check.kind]))
        for place, check in enumerate(checks)
    ]
