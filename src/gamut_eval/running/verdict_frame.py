"""Millions of verdicts from SQLite into a frame: a row brings numbers and its own texts, shared texts come once."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from gamut_eval.garbage import uncollected
from gamut_eval.records import VERDICTS
from gamut_eval.running.tables import IN_FORCE, VERDICT_COLUMNS

_TOGETHER = 8_000
_ORDER = ("model", "variant", "question_id", "sample", "judge", "repeat", "check_id")
_PLACE = {name: f"{name} place" for name in _ORDER if VERDICT_COLUMNS[name] == pl.String}
_SHARED = {
    "checks": ("question_id", "check_id", "tier", "kind", "check_hash"),
    "responses": ("model", "variant", "sample", "response_hash"),
    "judges": ("judge",),
}
"""By table: what all verdicts on one check, on one response, or by one judge share."""


def read_verdicts(db: sqlite3.Connection, columns: Sequence[str] = tuple(VERDICT_COLUMNS)) -> pl.DataFrame:
    """The view ``verdicts``, in a fixed order.

    Parameters
    ----------
    db
        A journal.
    columns
        Some of `VERDICT_COLUMNS`.

    Raises
    ------
    ValueError, TypeError, polars.exceptions.PolarsError
        The tables hold what no journal has.
    """
    shared = {name for names in _SHARED.values() for name in names}
    own = [name for name in columns if name not in shared]
    own += ["repeat"] if "repeat" not in own else []
    selected = ", ".join(f"l.{name}" for name in own)
    keys = dict.fromkeys(_SHARED, pl.Int64)
    frame = _read(db, f"SELECT c.rowid, r.rowid, j.rowid, {selected} {IN_FORCE}", keys | _typed(own))
    for table, names in _SHARED.items():
        rows = _read(db, f"SELECT rowid, {', '.join(names)} FROM {table}", {table: pl.Int64} | _typed(names))
        frame = frame.join(_placed(rows), on=table, how="left", maintain_order="left")
    if "verdict" in columns and not set(frame["verdict"].drop_nulls().unique()) <= set(VERDICTS):
        raise ValueError("a verdict that is none")
    order = frame.select(pl.arg_sort_by(_PLACE.get(name, name) for name in _ORDER)).to_series()
    return frame.select(columns).select(pl.all().gather(order))


def _placed(rows: pl.DataFrame) -> pl.DataFrame:
    """With numbers in the order of the texts: they sort much faster."""
    texts = [name for name in _PLACE if name in rows.columns]
    return rows.with_columns(
        pl.col(name).cast(pl.Enum(rows[name].unique().sort())).to_physical().alias(_PLACE[name]) for name in texts
    )


def _typed(names: Sequence[str]) -> dict[str, Any]:
    return {name: VERDICT_COLUMNS[name] for name in names}


def _read(db: sqlite3.Connection, query: str, schema: Mapping[str, Any]) -> pl.DataFrame:
    cursor = db.execute(query)
    frames = [pl.DataFrame(schema=schema)]
    with uncollected():
        while rows := cursor.fetchmany(_TOGETHER):
            columns = zip(schema.items(), zip(*rows, strict=True), strict=True)
            frames.append(pl.DataFrame([pl.Series(name, values, dtype=kind) for (name, kind), values in columns]))
    return pl.concat(frames)
