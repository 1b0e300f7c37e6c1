"""The table ``missed``: what no model met comes first, counted."""

import pytest

from gamut_eval.reports.shapes import plain
from gamut_eval.reports.table_kind import Wanted
from gamut_eval.reports.tables.missed import TABLE

M, P, S, C = "meets", "partially_meets", "missing", "contradicts"


@pytest.fixture
def given(source_of, question, answer):
    """One question, a check a column; verdicts by model and judge."""

    def make(of):
        n = len(next(iter(of.values())))
        rows = [("q", model, f"c{at}", judge, v) for (model, judge), own in of.items() for at, v in enumerate(own)]
        models = dict.fromkeys(model for model, _ in of)
        return source_of([question("q", ["context"] * n)], [answer("q", model) for model in models], rows)

    return make


def built(source, **wanted):
    found = TABLE.build(source, Wanted(**wanted))
    return {plain(table.title): table for table in found.tables}, found.data[0]


def test_what_no_model_met_comes_first_with_how_many_that_are(given):
    tables, data = built(given({("a", "j"): [M, S, P, C], ("b", "j"): [S, C, P, M]}))
    assert list(tables)[:3] == ["Checks that no model met", "Checks missed most", "Checks contradicted most"]
    first = tables["Checks that no model met"]
    assert plain(first.note).startswith("2 of 4 checks were met by no model, not in any answer or by any verdict. ")
    assert [(row[1].check_id, *row[5:]) for row in first.rows] == [("c1", 0.0, 0.5, 0.5), ("c2", 1.0, 0.0, 0.0)]
    assert (data["n_unmet"], [check["check_id"] for check in data["unmet"]]) == (2, ["c1", "c2"])


def test_one_judge_that_says_meets_is_enough(given):
    tables, _ = built(given({(m, j): [S, M if (m, j) == ("b", "y") else S] for m in "ab" for j in "xy"}))
    assert [row[1].check_id for row in tables["Checks that no model met"].rows] == ["c0"]
    assert "1 of 2 checks was met by no model" in plain(tables["Checks that no model met"].note)


def test_of_many_the_first_are_shown(given):
    tables, data = built(given({("a", "j"): [S] * 5, ("b", "j"): [S] * 5}), most=2)
    first = tables["Checks that no model met"]
    assert len(first.rows) == 2
    assert "5 of 5 checks were met by no model" in plain(first.note)
    assert "The first 2 are shown. " in plain(first.note)
    assert data["n_unmet"] == 5


def test_where_each_check_is_met_by_a_model_that_is_said(given):
    tables, _ = built(given({("a", "j"): [M, S], ("b", "j"): [S, M]}))
    assert plain(tables["Checks that no model met"].note) == "0 of 2 checks were met by no model. "


def test_of_one_model_the_table_of_what_it_missed_is_enough(given):
    tables, _ = built(given({("a", "j"): [M, S]}))
    assert next(iter(tables)) == "Checks missed most"
