"""Lines from column to column, one a model: its rank by each judge, or its score in each variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gamut_eval.reports.figures.plot import (
    FULL,
    GROUND,
    INK,
    LABEL,
    LINE,
    MAIN,
    SLIM,
    SMALL,
    SOFT,
    TEXT,
    Plot,
    label,
    labels,
    room,
    spread,
)

_NARROWEST, _SLIMMEST = 90, 56
_SHORT = 15
"""Characters of a name in a slim figure."""
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


def draw(
    columns: Sequence[str], lines: Sequence[Line], height: float, total: float = FULL, *, slim: bool = False
) -> Any:
    """The chart, with names at both ends and what lines have in common with each column above it.

    A slim one has only values at the right end.
    """
    short = labels([line.name for line in lines], _SHORT if slim else LABEL)
    first = [f"{text}  {line.values[0]}" for line, text in zip(lines, short, strict=True)]
    last = [line.values[-1] if slim else f"{line.values[-1]}  {text}" for line, text in zip(lines, short, strict=True)]
    left, right = room(first) + 16, max(room(last) + 16, 44)
    least, total = (_SLIMMEST, SLIM) if slim else (_NARROWEST, total)
    width = max(least * (len(columns) - 1), total - left - right)
    staggered = _staggered(columns, width)
    plot = Plot(width, height, left, right, bottom=12, top=52 if staggered else 34)
    xs = [width * at / (len(columns) - 1) for at in range(len(columns))]
    ys = [[None if place is None else round(place * height, 2) for place in line.places] for line in lines]
    return plot.chart(
        [
            plot.rules([{"x": x, "y": 0, "y2": height} for x in xs], color=LINE),
            *(_lines(plot, lines, xs, ys, marked=marked) for marked in (False, True)),
            *(_dots(plot, lines, columns, xs, ys, marked=marked) for marked in (False, True)),
            *_labels(plot, lines, first, ys, 0),
            *_labels(plot, lines, last, ys, -1),
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


def _labels(plot: Plot, lines: Sequence[Line], told: Sequence[str], ys: Places, at: int) -> list[Any]:
    """What is told of lines beside an end, apart from each other; a thread leads to the dot where one had to move."""
    left = at == 0
    known = [(text, y) for text, own in zip(told, ys, strict=True) if (y := own[at]) is not None]
    places = spread([y for _, y in known], _GAP, (0, plot.height))
    end, step = (0.0, -1) if left else (plot.width, 1)
    texts, threads = [], []
    for (text, y), place in zip(known, places, strict=True):
        texts.append({"x": end + 14 * step, "y": place, "text": text})
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
    rows = []
    for n, (x, column) in enumerate(zip(xs, columns, strict=True)):
        text = label(column, most)
        half = room([text], SMALL) / 2
        within = max(min(x, plot.width + plot.right - half), half - plot.left)
        rows.append({"x": within, "y": -38 if staggered and n % 2 else -20, "text": text})
    return [plot.texts(rows, color=SOFT, size=SMALL, align="center")]
