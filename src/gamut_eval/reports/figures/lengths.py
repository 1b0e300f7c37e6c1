"""Score against length: all answers as a shaded ground, each model's middle with the middle half of its answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
    Plot,
    fitting,
    label,
    labels,
    room,
    spread,
    ticked,
)
from gamut_eval.reports.wording import said

_TALL = 330
_ACROSS, _DOWN = 32, 20
_GAP = 17
_LEFT = 60


@dataclass(frozen=True)
class Middle:
    """A model's answers: quartiles of their length in words and of their score, lowest first."""

    name: str
    words: tuple[float, float, float]
    scores: tuple[float, float, float]

    @property
    def told(self) -> str:
        """The point in words."""
        return f"{label(self.name, 60)}: median {self.words[1]:,.0f} words, score {said(self.scores[1])}"


def draw(words: Sequence[float], scores: Sequence[float], middles: Sequence[Middle], *, slim: bool = False) -> Any:
    """The chart; ``words`` and ``scores`` are of all answers, shape (n,). A slim one has the models' names below."""
    low, high = 10 * math.floor(min(0.0, *scores) * 10), 100
    middles = sorted(middles, key=lambda middle: -middle.scores[1])  # so that their numbers go down the page
    short = labels([middle.name for middle in middles], fitting(SLIM - 60) if slim else LABEL)
    names = [f"{n}  {text}" for n, text in enumerate(short, start=1)]
    right, below = (14, _GAP * len(names) + 12) if slim else (room(names) + 34, 0)
    first, last = max(1, min(words)) * 0.97, max(words) * 1.03
    ticks = _word_ticks(first, last)
    across = (SLIM if slim else FULL) - _LEFT - right
    title = "Words of the answer"
    plot = Plot(across, _TALL, _LEFT, right, (first, last), ticks, title, log=True, bottom=44 + below)

    def up(score: float) -> float:
        return round((high - score * 100) / (high - low) * _TALL, 2)

    sides = [step for step in range(-100, 101, 25) if low <= step <= high]
    return plot.chart(
        [
            plot.rules([{"x": 0, "x2": plot.width, "y": up(s / 100)} for s in sides], color=LINE),
            plot.texts(
                [{"x": -10, "y": up(s / 100), "text": ticked(s)} for s in sides], align="right", color=SOFT, size=SMALL
            ),
            plot.texts(
                [{"x": -44, "y": _TALL / 2, "text": "Score of the answer, %"}],
                angle=270,
                align="center",
                color=SOFT,
                size=SMALL,
            ),
            plot.rects(_ground(plot, words, [up(score) for score in scores]), color=SOFT),
            *_middles(plot, middles, up),
            _key(plot, middles, names, None if slim else up),
        ]
    )


def _middles(plot: Plot, middles: Sequence[Middle], up: Any) -> list[Any]:
    points = [(plot.at(m.words[1]), up(m.scores[1]), m) for m in middles]
    reach = [{"x": plot.at(m.words[0]), "x2": plot.at(m.words[2]), "y": y} for _, y, m in points]
    reach_up = [{"x": x, "y": up(m.scores[0]), "y2": up(m.scores[2])} for x, _, m in points]
    dots = [{"x": x, "y": y, "tip": m.told} for x, y, m in points]
    numbers = [{"x": x, "y": y, "text": str(n)} for n, (x, y, _) in enumerate(points, start=1)]
    return [
        plot.rules(reach, color=MAIN, width=1.5, opacity=0.7),
        plot.rules(reach_up, color=MAIN, width=1.5, opacity=0.7),
        plot.points(dots, color=MAIN, size=230, stroke=GROUND, strokeWidth=1.5),
        plot.texts(numbers, color=GROUND, size=11, align="center", fontWeight="bold"),
    ]


def _key(plot: Plot, middles: Sequence[Middle], names: Sequence[str], up: Any) -> Any:
    """Names at the right, near the heights of their points; where there are no heights, below."""
    x: float = plot.width + 22
    if up:
        places = spread([up(m.scores[1]) for m in middles], _GAP, (4, _TALL - 4))
    else:
        x, places = 10 - _LEFT, [_TALL + 54 + _GAP * n for n in range(len(names))]
    rows = [{"x": x, "y": place, "text": name} for place, name in zip(places, names, strict=True)]
    return plot.texts(rows, align="left", color=INK)


def _ground(plot: Plot, words: Sequence[float], heights: Sequence[float]) -> list[dict[str, Any]]:
    """Boxes, the darker the more answers are in them."""
    counts: dict[tuple[int, int], int] = {}
    for n_words, y in zip(words, heights, strict=True):
        across = min(_ACROSS - 1, int(plot.at(max(1, n_words)) / plot.width * _ACROSS))
        cell = (across, min(_DOWN - 1, int(y / _TALL * _DOWN)))
        counts[cell] = counts.get(cell, 0) + 1
    most = max(counts.values())
    wide, tall = plot.width / _ACROSS, _TALL / _DOWN
    return [
        {
            **{"x": round(wide * across, 2), "x2": round(wide * (across + 1), 2)},
            **{"y": round(tall * down, 2), "y2": round(tall * (down + 1), 2)},
            "opacity": round(0.06 + 0.44 * math.sqrt(n / most), 2),
        }
        for (across, down), n in sorted(counts.items())
    ]


def _word_ticks(first: float, last: float) -> list[float]:
    """Round lengths between two, as many as there is room for."""
    every = [base * 10**power for power in range(6) for base in (1, 1.5, 2, 3, 4, 5, 6, 8)]
    inside = [tick for tick in every if first <= tick <= last and tick == int(tick)]
    while len(inside) > 6:
        inside = inside[::2]
    return inside or [round((first + last) / 2)]
