"""The leaderboard drawn: a dot a model, with the interval of its score, and the groups that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gamut_eval.reports.figures.plot import (
    ABOVE,
    FULL,
    LABEL,
    MAIN,
    ROW,
    SLIM,
    SMALL,
    SOFT,
    Plot,
    fitting,
    label,
    labels,
    room,
    score_ticks,
)
from gamut_eval.reports.wording import NOT_AVAILABLE, said

_SCORE, _LETTERS = 48, 62
_STEP, _MOST_COLUMNS = 10.0, 12


@dataclass(frozen=True)
class Place:
    """A model's line: its score with the interval, the range that it can still be in, and the letters of its groups."""

    name: str
    score: float | None
    low: float | None
    high: float | None
    bounds: tuple[float, float]
    letters: tuple[str, ...]

    @property
    def told(self) -> str:
        """The line in words."""
        if self.score is None:
            return f"{label(self.name, 60)}: no score yet; it can be {said(self.bounds[0])} to {said(self.bounds[1])}"
        if self.low is None or self.high is None:
            return f"{label(self.name, 60)}: {said(self.score)}"
        return f"{label(self.name, 60)}: {said(self.score)} ({said(self.low)} to {said(self.high)})"


def draw(places: Sequence[Place], among: Sequence[Place], *, slim: bool = False) -> Any:
    """The chart, in the order given; its axis spans what is ``among`` all that it is compared with.

    A slim one has each name above its line.
    """
    ticks = score_ticks(*_span(among))
    grouped, beside = _letters(places)
    beside = max(beside, 40.0) if beside else 0.0
    right = 14 if slim else _LETTERS + max(beside, 40)
    short = labels([place.name for place in places], fitting(SLIM - _SCORE - beside - 22) if slim else LABEL)
    left = 14 if slim else room(short) + 14
    width = (SLIM if slim else FULL) - left - right
    row = ROW + ABOVE if slim else ROW
    plot = Plot(width, row * len(places), left, right, (ticks[0], ticks[-1]), ticks, "Gamut, %")
    lines = {place: row * n + (row - ROW) + ROW / 2 for n, place in enumerate(places)}
    named = {place: row * n + ABOVE / 2 + 2 if slim else lines[place] for n, place in enumerate(places)}
    at_name = {"x": 2 - left} if slim else {"x": -12}
    score = width + right - beside - (_LETTERS - _SCORE) if slim else width + _SCORE
    group = score + _LETTERS - _SCORE
    names = [at_name | {"y": named[p], "text": text} for p, text in zip(places, short, strict=True)]
    scores = [{"x": score, "y": named[p], "text": NOT_AVAILABLE if p.score is None else said(p.score)} for p in places]
    letters = [
        {"x": group + x, "y": named[p], "text": text} for p, own in zip(places, grouped, strict=True) for text, x in own
    ]
    return plot.chart(
        [
            *_intervals(plot, places, lines),
            plot.texts(names, align="left" if slim else "right"),
            plot.texts(scores, align="right"),
            plot.texts(letters, align="left", color=SOFT, size=SMALL),
            *plot.headings((score, "right", "Gamut"), *([(group, "left", "Group")] if beside else [])),
        ]
    )


def _intervals(plot: Plot, places: Sequence[Place], lines: Mapping[Place, float]) -> list[Any]:
    """Each score with its interval; in place of one that is open what it can still be."""

    def across(place: Place, low: float, high: float) -> dict[str, Any]:
        return {"x": plot.at(low * 100), "x2": plot.at(high * 100), "y": lines[place], "tip": place.told}

    sure = [(p, p.low, p.high) for p in places if p.score is not None and p.low is not None and p.high is not None]
    ends = [{"x": plot.at(end * 100), "y": lines[p] - 4, "y2": lines[p] + 4} for p, *both in sure for end in both]
    dots = [{"x": plot.at(p.score * 100), "y": lines[p], "tip": p.told} for p in places if p.score is not None]
    return [
        plot.rules([across(p, *p.bounds) for p in places if p.score is None], color=SOFT, width=2, strokeDash=[2, 3]),
        plot.rules([across(*one) for one in sure], color=MAIN, width=2),
        plot.rules(ends, color=MAIN, width=2),
        plot.points(dots, color=MAIN, size=75),
    ]


def _letters(places: Sequence[Place]) -> tuple[list[list[tuple[str, float]]], float]:
    """Each model's letters with how far to the right they stand, and the room that all take.

    Each letter has a column of its own, so that a group is a line of them, as far as there is room for so many.
    """
    every = sorted({letter for place in places for letter in place.letters}, key=lambda letter: (len(letter), letter))
    if len(every) <= _MOST_COLUMNS:
        at = {letter: _STEP * n for n, letter in enumerate(every)}
        return [[(letter, at[letter]) for letter in place.letters] for place in places], _STEP * len(every)
    own = [" ".join(place.letters) for place in places]
    return [[(text, 0.0)] for text in own], room(own, SMALL)


def _span(places: Sequence[Place]) -> tuple[float, float]:
    """From the lowest to the highest that is drawn."""
    drawn = [
        value
        for place in places
        for value in (place.bounds if place.score is None else (place.score, place.low, place.high))
        if value is not None
    ]
    return min(drawn), max(drawn)
