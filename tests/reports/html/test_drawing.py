"""Figures as parts of the page: what is let through, and what is shown where nothing can be drawn."""

import re
import sys
from dataclasses import replace
from functools import partial

import pytest

from gamut_eval.reports.figures import histograms, lengths, slopes, standings
from gamut_eval.reports.html.drawing import drawings
from gamut_eval.reports.html.page import render_page
from gamut_eval.reports.kind import build_sections
from gamut_eval.reports.shapes import Column, Figure, Table

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e\"' onload=x datum.a&&{{7*7}}\nnext"
NAMES = [HOSTILE, "b"]


def charts(name):
    places = [
        standings.Place(name, 0.5, 0.4, 0.6, (0.5, 0.5), ("a",)),
        standings.Place("b", None, None, None, (-1, 1), ()),
    ]
    lines = [slopes.Line(name, (0.0, 1.0), ("1", "2"), marked=True), slopes.Line("b", (1.0, None), ("2", "n/a"))]
    models = [histograms.Histogram(name, (1, 0, 3), 0.4), histograms.Histogram("b", (0, 0, 0), None, 4)]
    middles = [lengths.Middle(name, (10, 20, 30), (0.1, 0.2, 0.3))]
    return {
        "standings": partial(standings.draw, places, places),
        "slopes": partial(slopes.draw, (name, "y"), lines, 60),
        "histograms": partial(histograms.draw, models, 0.0),
        "lengths": partial(lengths.draw, [5, 20, 400], [0.1, 0.5, -1.0], middles),
    }


def svg_of(draw):
    figure = Figure(("Title ", HOSTILE), ("Reading",), Table((Column("Model"),), ()), draw)
    drawn, lacking = drawings([figure])
    assert lacking is None
    svg = drawn.get(figure)
    assert svg is not None
    return str(svg)


@pytest.mark.parametrize("name", charts("x"))
def test_a_drawing_holds_only_what_a_figure_needs(name):
    svg = svg_of(charts(HOSTILE)[name])
    assert set(re.findall(r"<(\w+)", svg)) <= {"svg", "g", "path", "line", "text", "rect"}
    allowed = "role aria-label class width height viewBox transform fill stroke d x y x1 x2 y1 y2 opacity data-tip"
    allowed += " stroke-width stroke-dasharray stroke-opacity fill-opacity font-size font-weight text-anchor"
    assert set(re.findall(r' ([\w-]+)="', re.sub(r'(aria-label|data-tip)="[^"]*"', r'\1=""', svg))) <= set(
        allowed.split()
    )
    assert "<script" not in svg
    assert not set(svg) & {"\x1b", "\u202e"}
    assert set(re.findall(r'(?:fill|stroke)="([^"]+)"', svg)) <= {"none", "transparent"} | {
        f"var(--{colour})" for colour in ("ink", "soft", "line", "score", "page")
    }


@pytest.mark.parametrize("name", charts("x"))
def test_names_are_shown_as_they_are(name):
    svg = svg_of(charts("a<b>{{c}}")[name])
    assert "a&lt;b&gt;{{c}}" in svg


def test_marks_say_what_they_are():
    svg = svg_of(charts("acme")["standings"])
    assert 'data-tip="acme: 50.0 (40.0 to 60.0)"' in svg
    assert 'data-tip="b: no score yet; it can be −100.0 to 100.0"' in svg
    svg = svg_of(charts("acme")["histograms"])
    assert 'data-tip="acme, 66.7 to 100.0: 3 of 4 questions"' in svg
    assert ">4 open<" in svg
    assert ">n/a<" in svg


def test_a_score_is_where_the_axis_says():
    svg = svg_of(charts("acme")["standings"])
    for width, axis, row in (("full", 70, 13), ("slim", 108, 32)):
        (own,) = re.findall(rf'<svg [^>]*class="drawing {width}".*?</svg>', svg, re.DOTALL)
        at = re.findall(rf'translate\(([-\d.]+),{axis}\)"[^>]*>([−\d]+)<', own)
        numbers = {text: float(x) for x, text in at}
        (dot,) = re.findall(rf'<path transform="translate\(([\d.]+),{row}\)"[^>]*data-tip', own)
        assert float(dot) == pytest.approx((numbers["0"] + numbers["100"]) / 2, abs=0.02)


def letters_of(svg):
    """Places from left to right of each letter's column, in the full drawing."""
    full = svg.partition("</svg>")[0]
    found = re.findall(r'translate\(([\d.]+),[\d.]+\)"[^>]*>([a-z]( [a-z])*)</text>', full)
    return {text: sorted({float(x) for x, own, _ in found if own == text}) for _, text, _ in found}


def test_each_group_is_a_column_of_its_letter():
    groups = (("a",), ("a", "b"), ("b", "c"), ("c",))
    places = [standings.Place(f"M{n}", 0.5, 0.4, 0.6, (0.5, 0.5), own) for n, own in enumerate(groups)]
    columns = letters_of(svg_of(partial(standings.draw, places, places)))
    assert [len(columns[letter]) for letter in "abc"] == [1, 1, 1]
    assert columns["a"] < columns["b"] < columns["c"]


def test_more_groups_than_there_is_room_for_are_letters_side_by_side():
    groups = [tuple("abcdefghijklmnop"[n : n + 2]) for n in range(15)]
    places = [standings.Place(f"M{n}", 0.5, 0.4, 0.6, (0.5, 0.5), own) for n, own in enumerate(groups)]
    columns = letters_of(svg_of(partial(standings.draw, places, places)))
    assert columns["a b"] == columns["o p"]
    assert len(columns) == 15


def without(monkeypatch, package):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_without_the_extra_the_numbers_are_shown_and_one_note_says_what_to_install(mixed, monkeypatch, package):
    source = mixed()
    drawn = render_page(source)
    without(monkeypatch, package)
    page = render_page(source)
    assert 'class="drawing ' not in page
    assert 'class="drawing full"' in drawn
    assert drawn.count('class="drawing slim"') == drawn.count('class="drawing full"')
    assert page.count("gamut-eval[charts]") == 1
    assert page.count('<details class="data" open>') == drawn.count('class="drawing full"')


def test_notes_of_joined_runs_come_first(mixed):
    page = render_page(replace(mixed(), notes=("Left out: <b>q9</b>.",)))
    assert page.index("Left out: &lt;b&gt;q9&lt;/b&gt;.") < page.index('<section id="leaderboard"')


def test_all_figures_of_a_page_are_small(mixed):
    figures = [block for section in build_sections(mixed()) for block in section.blocks if isinstance(block, Figure)]
    drawn, _ = drawings(figures)
    assert len(figures) == 3
    assert all("<svg " in (svg := drawn.get(figure) or "") and len(svg) < 400_000 for figure in figures)


def test_the_ground_of_a_length_figure_stays_small_for_any_number_of_answers():
    words = [10 + n * 7 % 3000 for n in range(25_000)]
    scores = [-1 + 2 * (n * 37 % 1009) / 1009 for n in range(25_000)]
    svg = svg_of(partial(lengths.draw, words, scores, [lengths.Middle("a", (10, 20, 30), (0.1, 0.2, 0.3))]))
    assert len(svg) < 250_000
