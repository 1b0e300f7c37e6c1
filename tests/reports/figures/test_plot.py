from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from gamut_eval.reports.figures import plot
from gamut_eval.reports.figures.plot import Plot, label, labels, score_ticks, spread


@given(st.lists(st.floats(0, 100), min_size=1, max_size=12))
def test_labels_are_spread_in_order_within_their_room(wanted):
    found = spread(wanted, 17, (0, 200))
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    placed = [found[place] for place in order]
    assert all(later - earlier >= 17 - 1e-6 for earlier, later in pairwise(placed))
    assert min(placed) >= -1e-6
    assert max(placed) <= 200 + 1e-6


def test_labels_with_room_stay_where_they_are():
    assert spread([10.0, 60.0, 110.0], 17, (0, 200)) == [10.0, 60.0, 110.0]


def test_labels_without_room_share_it_evenly():
    assert spread([5.0, 5.0, 5.0], 17, (0, 20)) == [0.0, 10.0, 20.0]


@given(st.text(max_size=60))
def test_a_label_is_short_on_one_line_and_harmless(name):
    found = label(name, 20)
    assert cell_len(found) <= 20
    assert not set(found) & {"\n", "\r", "\t", "\x1b", "\u202e"}


def test_a_very_long_name_is_measured_only_where_it_is_cut(monkeypatch):
    measured = []
    monkeypatch.setattr(plot, "cell_len", lambda text: measured.append(len(text)) or cell_len(text))
    assert label("Z" * 100_000, 20) == f"{'Z' * 9}…{'Z' * 10}"
    assert sum(measured) < 200_000


@pytest.mark.parametrize(
    "names",
    [
        [f"organisation/a-very-long-model-name-{n}-instruct-2026-11-30" for n in range(12)],
        [f"a-very-long-model-name-of-an-organisation-{n}" for n in range(3)],
        ["the same name in both of the two runs here", "the same name in both of the two runs here\n"],
    ],
)
def test_labels_of_different_names_differ(names):
    found = labels(names, 20)
    assert len(set(found)) == len(names)
    assert max(map(cell_len, found)) <= 24


def test_axes():
    assert score_ticks(0.6, 0.64) == [60, 65]
    assert score_ticks(-1.0, 1.0) == [-100, -50, 0, 50, 100]
    plot = Plot(200, 10, 0, 0, (1, 100), log=True)
    assert (plot.at(1), plot.at(10), plot.at(100)) == (0.0, 100.0, 200.0)
    assert Plot(200, 10, 0, 0, (-50, 50)).at(0) == 100.0
