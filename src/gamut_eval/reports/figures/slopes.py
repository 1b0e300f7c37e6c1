"""Lines from column to column, one a model: its rank by each judge, or its score in each variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gamut_eval.reports.figures.plot import (
    GROUND,
    INK,
    LINE,
    MAIN,
    SMALL,
    SOFT,
    TEXT,
    Plot,
    label,
    labels,
    room,
    spread,
)

WIDE = 590
"""Pixels of a figure that shares a row of the page."""
_NARROWEST = 90
_GAP = 17


@dataclass(frozen=True)
class Line:
    """A model: where it is in each column, 0 the top and 1 the foot, and what is said of it there; None for no value.

    ``marked`` lines stand out.
    """

    name: str
    places: tuple[float | None, ...]
    values: tuple[str, ...]
    marked: bool = False


def draw(columns: Sequence[str], lines: Sequence[Line], height: float, total: float = WIDE) -> Any:
    """The chart, with names at both ends and what lines have in common with each column above it."""
    short = labels([line.name for line in lines])
    ends = [[f"{text}  {line.values[at]}" for line, text in zip(lines, short, strict=True)] for at in (0, -1)]
    left, right = (room(texts) + 16 for texts in ends)
    width = max(_NARROWEST * (len(columns) - 1), total - left - right)
    staggered = _staggered(columns, width)
    plot = Plot(width, height, left, right, bottom=12, top=52 if staggered else 34)
    xs = [width * at / (len(columns) - 1) for at in range(len(columns))]
    ys = [[None if place is None else round(place * height, 2) for place in line.places] for line in lines]
    return plot.chart(
        [
            plot.rules([{"x": x, "y": 0, "y2": height} for x in xs], color=LINE),
            *(_lines(plot, lines, xs, ys, marked=marked) for marked in (False, True)),
            *(_dots(plot, lines, columns, xs, ys, marked=marked) for marked in (False, True)),
            *_labels(plot, lines, short, ys, 0),
            *_labels(plot, lines, short, ys, -1),
            *_headings(plot, columns, xs, staggered=staggered),
        ]
    )


Places = Sequence[Sequence[float | None]]


def _lines(plot: Plot, lines: Sequence[Line], xs: Sequence[float], ys: Places, *, marked: bool) -> Any:
    rows = [
        {"x": x, "y": y, "x2": x2, "y2": y2}
        for line, own in zip(lines, ys, strict=True)
        for (x, y), (x2, y2) in pairwise(zip(xs, own, strict=True))
        if y is not None and y2 is not None and line.marked == marked
    ]
    return plot.rules(rows, color=MAIN if marked else SOFT, width=2.5 if marked else 1.25, opacity=1 if marked else 0.6)


def _dots(
    plot: Plot, lines: Sequence[Line], columns: Sequence[str], xs: Sequence[float], ys: Places, *, marked: bool
) -> Any:
    rows = [
        {"x": x, "y": y, "tip": f"{label(line.name, 60)}, {label(column, 60)}: {value}"}
        for line, own in zip(lines, ys, strict=True)
        for x, y, column, value in zip(xs, own, columns, line.values, strict=True)
        if y is not None and line.marked == marked
    ]
    return plot.points(rows, color=MAIN if marked else SOFT, size=65 if marked else 45, stroke=GROUND, strokeWidth=1.5)


def _labels(plot: Plot, lines: Sequence[Line], short: Sequence[str], ys: Places, at: int) -> list[Any]:
    """Names beside an end, apart from each other, each with a thread to its dot where it had to move."""
    left = at == 0
    shown = [(line.values[at], text, own[at]) for line, text, own in zip(lines, short, ys, strict=True)]
    known = [(value, text, y) for value, text, y in shown if y is not None]
    places = spread([y for *_, y in known], _GAP, (0, plot.height))
    end, step = (0.0, -1) if left else (plot.width, 1)
    texts, threads = [], []
    for (value, text, y), place in zip(known, places, strict=True):
        texts.append({"x": end + 14 * step, "y": place, "text": f"{text}  {value}" if left else f"{value}  {text}"})
        threads.append({"x": end + 5 * step, "y": y, "x2": end + 12 * step, "y2": place})
    moved = [row for row in threads if abs(row["y"] - row["y2"]) > 1]
    return [
        plot.rules(moved, color=SOFT, width=0.75, opacity=0.6),
        plot.texts(texts, align="right" if left else "left", color=INK, size=TEXT),
    ]


def _staggered(columns: Sequence[str], width: float) -> bool:
    """Whether names are too long to stand side by side."""
    return room(columns, SMALL) > width / max(1, len(columns) - 1)


def _headings(plot: Plot, columns: Sequence[str], xs: Sequence[float], *, staggered: bool) -> list[Any]:
    """A name over each column, every other one a line higher where there is no room beside each other."""
    apart = plot.width / (len(columns) - 1) * (2 if staggered else 1)
    most = max(10, int((apart - 8) / (SMALL * 0.58))) if len(columns) > 2 else 40
    rows = [
        {"x": x, "y": -38 if staggered and n % 2 else -20, "text": label(column, most)}
        for n, (x, column) in enumerate(zip(xs, columns, strict=True))
    ]
    return [plot.texts(rows, color=SOFT, size=SMALL, align="center")]
