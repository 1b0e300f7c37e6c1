"""How far judges agree, in words and as a section."""

from itertools import product

import pytest

from gamut_eval.analysis.judges import pairs
from gamut_eval.records import VERDICTS
from gamut_eval.reports.html.page import render_page
from gamut_eval.reports.kind import REGISTRY
from gamut_eval.reports.leaderboard import leaderboard_table
from gamut_eval.reports.shapes import plain
from gamut_eval.stats.kappa import cohen_kappa

MEETS, PARTIALLY, MISSING, CONTRADICTS = (str(verdict) for verdict in VERDICTS)


@pytest.fixture
def judged(source_of, question, answer):
    """One question with a check a verdict, judged by each judge as given."""

    def make(**verdicts_of):
        rows = [("q", "a", f"c{n}", j, v) for j, given in verdicts_of.items() for n, v in enumerate(given)]
        n_checks = len(next(iter(verdicts_of.values())))
        return source_of([question("q", ["valuable"] * n_checks)], [answer("q", "a")], rows)

    return make


def section(source):
    return REGISTRY.get("agreement").build(source)


def test_two_judges_have_kappa_beside_their_agreement(judged):
    x, y = [MEETS, MEETS, MISSING, MISSING], [MEETS, MEETS, MISSING, MEETS]
    note = plain(leaderboard_table(judged(x=x, y=y)).note)
    assert note.endswith("same verdict on 75.0% of the 4 checks that all judged (Cohen's kappa 0.50).")


def test_kappa_is_n_a_where_both_always_said_the_same_one(judged):
    source = judged(x=[MEETS] * 4, y=[MEETS] * 4)
    assert plain(leaderboard_table(source).note).endswith("(Cohen's kappa n/a).")
    assert section(source).blocks[0].rows == (("x", "y", 4, 1.0, None),)


def test_the_section_has_each_pair_and_which_verdicts_met(judged):
    x, y = [MEETS, MEETS, MISSING, CONTRADICTS, None], [MEETS, PARTIALLY, MISSING, MISSING, MEETS]
    summary, crossed = section(judged(x=x, y=y)).blocks
    assert summary.rows == (("x", "y", 4, 0.5, pytest.approx(cohen_kappa(x[:4], y[:4]))),)
    assert plain(crossed.title) == "Number of checks by verdict: x in rows, y in columns"
    assert not crossed.folded
    assert [row[0] for row in crossed.rows] == ["Meets", "Partially meets", "Missing", "Contradicts"]
    assert [row[1:] for row in crossed.rows] == [(1, 1, 0, 0), (0, 0, 0, 0), (0, 0, 1, 0), (0, 0, 1, 0)]
    assert {column.group for column in crossed.columns[1:]} == {"y"}


def test_three_judges_have_three_pairs_and_folded_tables(judged):
    summary, *crossed = section(judged(x=[MEETS, MISSING], y=[MEETS, MEETS], z=[MISSING, None])).blocks
    assert [row[:3] for row in summary.rows] == [("x", "y", 2), ("x", "z", 1), ("y", "z", 1)]
    assert [table.folded for table in crossed] == [True, True, True]


def test_there_is_no_section_without_two_judges_of_one_check(judged):
    assert section(judged(x=[MEETS])) is None
    assert section(judged(x=[MEETS, None], y=[None, MEETS])) is None


def test_kappa_is_that_of_the_labels(judged):
    cells = [cell for n, cell in enumerate(product(VERDICTS, VERDICTS)) for _ in range(n % 3)]
    x, y = [str(a) for a, _ in cells], [str(b) for _, b in cells]
    (pair,) = pairs(judged(x=x, y=y))
    assert pair.n == len(cells)
    assert pair.kappa == pytest.approx(cohen_kappa(x, y))


def test_the_page_shows_it(judged):
    html = render_page(judged(x=[MEETS, MISSING], y=[MEETS, MEETS]))
    assert '<section id="agreement"' in html
    assert 'href="#agreement"' in html
