import sqlite3

import pytest

from gamut_eval.sqlite_rows import insert_rows


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 64, 100])
def test_every_row_gets_in_once_and_in_order(n):
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE t (a INTEGER, b TEXT)")
    rows = [(k, f"text, ({k})") for k in range(n)]
    insert_rows(db, "INSERT INTO t VALUES (?, ?)", rows)
    assert db.execute("SELECT * FROM t ORDER BY rowid").fetchall() == rows
    db.close()


def test_later_rows_replace_earlier_ones_of_the_same_key_as_one_by_one():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE t (a INTEGER UNIQUE, b INTEGER)")
    insert_rows(db, "INSERT OR REPLACE INTO t VALUES (?, ?)", [(k % 7, k) for k in range(70)])
    assert dict(db.execute("SELECT * FROM t")) == {k: 63 + k for k in range(7)}
    db.close()
