import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut_eval.reports.html import charts
from gamut_eval.reports.html.answers import majority

VERDICTS = ["meets", "partially_meets", "missing", "contradicts"]
TIERS = ["answer_critical", "valuable", "context"]


def rects(svg: str) -> list[tuple[str, float, float]]:
    found = re.findall(r'<rect class="([\w-]+)" x="([\d.]+)%" y="\d+" width="([\d.]+)%"', svg)
    return [(css, float(x), float(width)) for css, x, width in found]


def texts(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</text>", svg)


def test_stacked_bar_has_the_shares_end_to_end():
    svg = charts.stacked_bar(VERDICTS, [0.5, 0.2, 0.25, 0.05])
    assert [css for css, _, _ in rects(svg)] == [f"v-{verdict}" for verdict in VERDICTS]
    assert [width / 100 for _, _, width in rects(svg)] == pytest.approx([0.5, 0.2, 0.25, 0.05], abs=1e-3)
    assert [x / 100 for _, x, _ in rects(svg)] == pytest.approx([0, 0.5, 0.7, 0.95], abs=1e-3)
    assert texts(svg) == ["50.0", "20.0", "25.0"]


@pytest.mark.parametrize("place", range(4))
def test_a_small_share_has_no_number_wherever_it_stands(place):
    shares = [0.0] * 4
    shares[place], shares[place - 1] = 0.04, 0.96
    assert texts(charts.stacked_bar(VERDICTS, shares)) == ["96.0"]


def test_undefined_shares_are_not_bars_of_zero():
    svg = charts.stacked_bar(VERDICTS, [None] * 4)
    assert rects(svg) == []
    assert texts(svg) == ["n/a"]


def test_grouped_bars_start_at_zero_and_go_to_the_value():
    svg = charts.grouped_bars(TIERS, [0.5, -0.25, None], (-0.25, 0.75))
    (_, left, width), (_, minus_left, minus_width) = rects(svg)
    assert width == pytest.approx(2 * minus_width, abs=0.02)
    assert minus_left + minus_width == pytest.approx(left, abs=0.02)
    assert texts(svg) == ["50.0", "−25.0", "n/a"]


def test_axis_spans_the_domain():
    assert texts(charts.axis((-0.25, 0.5))) == ["−25", "0", "25", "50"]


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_bars_stay_in_the_picture(values):
    for _, x, width in rects(charts.grouped_bars(TIERS, values, (-1.0, 1.0))):
        assert x >= 0
        assert x + width <= 100.02


def test_score_bar_shows_the_range_only_while_it_is_open():
    assert [css for css, _, _ in rects(charts.score_bar(None, (0.1, 0.4), (0.0, 1.0)))] == ["range"]
    assert [css for css, _, _ in rects(charts.score_bar(0.4, (0.4, 0.4), (0.0, 1.0)))] == ["score"]
    assert rects(charts.score_bar(None, None, (0.0, 1.0))) == []


def test_a_strip_has_a_mark_a_check():
    svg = charts.strip([["meets", "meets", "contradicts"], [], [None]])
    paths = dict(re.findall(r'<path class="m-(\w+)" d="([^"]+)"', svg))
    assert {name: path.count("M") for name, path in paths.items()} == {"meets": 2, "contradicts": 1, "open": 1}


def test_marks_differ_in_shape_not_only_in_colour():
    drawings = {re.sub(r'class="[^"]+"', "", charts.strip([[verdict]])) for verdict in [*VERDICTS, None]}
    assert len(drawings) == 5


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nothing_that_is_no_number_is_drawn(value):
    with pytest.raises(ValueError, match="no place"):
        charts.score_bar(value, None, (0.0, 1.0))


def test_majority_of_repeats():
    assert majority(["meets", "meets", "missing"]) == "meets"
    assert majority(["meets", "contradicts"]) == "contradicts"
    assert majority(["meets", None]) is None
    assert majority([]) is None
