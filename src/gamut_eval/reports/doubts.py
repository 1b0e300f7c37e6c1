"""Verdicts that stand but look doubtful, and why: what their judges' replies were flagged with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import orjson
import polars as pl

from gamut_eval.analysis.source import Source

_PLACE = ("question_id", "model", "variant", "sample", "check_id", "judge")


@dataclass(frozen=True)
class Doubt:
    """A reason to doubt one verdict."""

    question_id: str
    model: str
    variant: str
    sample: int
    check_id: str
    judge: str
    flag: str


def flags_in(more: str | None) -> tuple[str, ...]:
    """The flags in a verdict's other fields, which may come from anyone's file.

    >>> flags_in('{"flags": ["no_quote"]}'), flags_in('{"by": "me"}'), flags_in("[1]"), flags_in(None)
    (('no_quote',), (), (), ())
    """
    try:
        flags = orjson.loads(more or "{}").get("flags")
    except (orjson.JSONDecodeError, AttributeError):
        return ()
    return tuple(dict.fromkeys(flag for flag in flags if isinstance(flag, str))) if isinstance(flags, list) else ()


def doubts(source: Source) -> Iterator[Doubt]:
    """All doubts about verdicts that count, one a flag."""
    marked = counting(source).filter(pl.col("more").is_not_null())
    for place, more in zip(marked.select(_PLACE).iter_rows(named=True), marked["more"], strict=True):
        yield from (Doubt(**place, flag=flag) for flag in flags_in(more))


def doubtful(source: Source) -> dict[str, tuple[int, int]]:
    """By judge: how many of its verdicts that count are doubtful, of how many."""
    judged, marked = Counter[str](), Counter[str]()
    for judge, more in counting(source).select("judge", "more").iter_rows():
        judged[judge] += 1
        marked[judge] += bool(flags_in(more))
    return {judge: (marked[judge], n) for judge, n in judged.items()}


def counting(source: Source) -> pl.DataFrame:
    """The rows of given verdicts, without those in whose place derived ones count."""
    return source.asked_verdicts.filter(pl.col("verdict").is_not_null())
