import csv
import io
from pathlib import Path

import pytest

from gamut_eval.reports.shapes import Column, Table
from gamut_eval.reports.writers.csv import csv_text

GOLDEN = Path(__file__).parents[2] / "golden" / "writers"


def read(table):
    return list(csv.reader(io.StringIO(csv_text(table), newline="")))


def test_numbers_are_fractions_at_full_precision():
    columns = (Column("Model"), Column("Gamut", "percent"), Column("n", "count"), Column("p", "number"))
    table = Table(columns, (("a", 1 / 3, 1234567.0, 1e-9), ("b", -0.5, 2, None), ("c", None, None, -0.25)))
    assert read(table) == [
        ["Model", "Gamut", "n", "p"],
        ["a", "0.3333333333333333", "1234567", "1e-09"],
        ["b", "-0.5", "2", ""],
        ["c", "", "", "-0.25"],
    ]


def test_pairs_and_checks_become_several_columns(hostile):
    table = Table((Column("Gamut", "interval"), Column("n", "coverage")), (((-0.25, 0.5), (5.0, 10.0)), (None, None)))
    assert read(table) == [["Gamut low", "Gamut high", "n complete", "n all"], ["-0.25", "0.5", "5", "10"], [""] * 4]
    head, first, *_ = read(hostile)
    about = dict(zip(head, first, strict=True))
    assert (about["Check id"], about["Check question"]) == ("c/1", "'=q")


def test_titles_that_come_twice_have_their_groups():
    columns = (Column("n", "count"), Column("Gamut", "percent", group="a"), Column("Gamut", "percent", group="b"))
    assert read(Table(columns, ())) == [["n", "a: Gamut", "b: Gamut"]]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@A1", "\tx", "=a\nb"])
def test_no_text_is_a_formula_wherever_it_stands(text):
    head, row = read(Table((Column(text), Column("x")), (("a", text),)))
    assert (head[0], row[1]) == (f"'{text}", f"'{text}")


def test_a_negative_number_stays_one():
    assert csv_text(Table((Column("x", "percent"),), ((-0.1,),))).endswith("\r\n-0.1\r\n")


def test_the_golden_file(hostile):
    text = csv_text(hostile)
    assert text.encode() == (GOLDEN / "hostile.csv").read_bytes()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert len({len(row) for row in read(hostile)}) == 1
