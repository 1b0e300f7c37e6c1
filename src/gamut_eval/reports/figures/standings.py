"""The leaderboard drawn: a dot a model, with the interval of its score, and the groups that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gamut_eval.reports.figures.plot import MAIN, ROW, SMALL, SOFT, Plot, label, labels, room, score_ticks
from gamut_eval.reports.wording import NOT_AVAILABLE, said

_WIDE = 590
_SCORE, _LETTERS = 48, 62


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


def draw(places: Sequence[Place], among: Sequence[Place]) -> Any:
    """The chart, in the order given; its axis spans what is ``among`` all that it is compared with."""
    ticks = score_ticks(*_span(among))
    short = labels([place.name for place in places])
    left = room(short) + 14
    right = _LETTERS + max(room((" ".join(place.letters) for place in places), SMALL), 40)
    width = _WIDE - left - right
    plot = Plot(width, ROW * len(places), left, right, (ticks[0], ticks[-1]), ticks, "Gamut, %")
    middles = {place: ROW * n + ROW / 2 for n, place in enumerate(places)}

    def across(place: Place, low: float, high: float) -> dict[str, Any]:
        return {"x": plot.at(low * 100), "x2": plot.at(high * 100), "y": middles[place], "tip": place.told}

    sure = [(p, p.low, p.high) for p in places if p.score is not None and p.low is not None and p.high is not None]
    whiskers = [across(*one) for one in sure]
    ends = [{"x": plot.at(end * 100), "y": middles[p] - 4, "y2": middles[p] + 4} for p, *both in sure for end in both]
    dots = [{"x": plot.at(p.score * 100), "y": middles[p], "tip": p.told} for p in places if p.score is not None]
    still_open = [across(p, *p.bounds) for p in places if p.score is None]
    names = [{"x": -12, "y": middles[p], "text": text} for p, text in zip(places, short, strict=True)]
    scores = [
        {"x": width + _SCORE, "y": middles[p], "text": NOT_AVAILABLE if p.score is None else said(p.score)}
        for p in places
    ]
    letters = [{"x": width + _LETTERS, "y": middles[p], "text": " ".join(p.letters)} for p in places]
    grouped = [(width + _LETTERS, "left", "Group")] if any(p.letters for p in places) else []
    return plot.chart(
        [
            plot.rules(still_open, color=SOFT, width=2, strokeDash=[2, 3]),
            plot.rules(whiskers, color=MAIN, width=2),
            plot.rules(ends, color=MAIN, width=2),
            plot.points(dots, color=MAIN, size=75),
            plot.texts(names, align="right"),
            plot.texts(scores, align="right"),
            plot.texts(letters, align="left", color=SOFT, size=SMALL),
            *plot.headings((width + _SCORE, "right", "Gamut"), *grouped),
        ]
    )


def _span(places: Sequence[Place]) -> tuple[float, float]:
    """From the lowest to the highest that is drawn."""
    drawn = [
        value
        for place in places
        for value in (place.bounds if place.score is None else (place.score, place.low, place.high))
        if value is not None
    ]
    return min(drawn), max(drawn)
