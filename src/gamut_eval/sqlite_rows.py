"""Many rows into an SQLite table while another thread works."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import Any

_TOGETHER = 32


def insert_rows(db: sqlite3.Connection, statement: str, rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows by a statement that ends in the ``VALUES (?, …)`` of one.

    Dozens go in with one statement: for each one by itself Python's lock would change hands twice, which costs a
    busy thread beside it more than the insertion takes.
    """
    at = 0
    if len(rows) >= _TOGETHER:
        one = statement[statement.rindex("(") :]
        many = statement + f", {one}" * (_TOGETHER - 1)
        for at in range(0, len(rows) - _TOGETHER + 1, _TOGETHER):
            db.execute(many, tuple(chain.from_iterable(rows[at : at + _TOGETHER])))
        at += _TOGETHER
    db.executemany(statement, rows[at:])
