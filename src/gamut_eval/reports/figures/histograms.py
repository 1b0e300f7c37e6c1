"""How a model's scores are spread over questions: a small histogram a model, all on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gamut_eval.reports.figures.plot import (
    ABOVE,
    FULL,
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
)
from gamut_eval.reports.wording import NOT_AVAILABLE, said

_ROW, _TALL = 46, 36
_RIGHT = 62


@dataclass(frozen=True)
class Histogram:
    """A model's scores: how many questions are in each bin, from the lowest; their mean, None where it has none."""

    name: str
    counts: tuple[int, ...]
    mean: float | None
    n_open: int = 0


def draw(models: Sequence[Histogram], low: float, *, slim: bool = False) -> Any:
    """The chart: rows in the order given, bins of the same width from ``low`` to 1; a slim one has names above them."""
    ticks = [tick for tick in (-100, -50, 0, 50, 100) if tick >= low * 100]
    short = labels([model.name for model in models], fitting(SLIM - _RIGHT) if slim else LABEL)
    left, row = (20, _ROW + ABOVE) if slim else (room(short) + 14, _ROW)
    title = "Score of a question, %"
    across = (SLIM if slim else FULL) - left - _RIGHT
    plot = Plot(across, row * len(models), left, _RIGHT, (low * 100, 100), ticks, title)
    feet = [row * (n + 1) - 4 for n in range(len(models))]
    bars = [bar for model, foot in zip(models, feet, strict=True) for bar in _bars(plot, model, foot, low)]
    rows = list(zip(models, feet, strict=True))
    means = [
        {"x": plot.at(m.mean * 100), "y": foot - _TALL - 2, "y2": foot + 3} for m, foot in rows if m.mean is not None
    ]
    x, up = (4 - left, row - 12) if slim else (-12, 9)
    names = [{"x": x, "y": foot - up, "text": text} for text, foot in zip(short, feet, strict=True)]
    numbers = [
        {"x": plot.width + 50, "y": foot - 9, "text": NOT_AVAILABLE if m.mean is None else said(m.mean)}
        for m, foot in rows
    ]
    return plot.chart(
        [
            plot.rules([{"x": 0, "x2": plot.width, "y": foot} for foot in feet], color=LINE),
            plot.rects(bars, color=MAIN, opacity=0.75),
            plot.rules(means, color=INK, width=2),
            plot.texts(names, align="left" if slim else "right"),
            plot.texts(numbers, align="right"),
            *plot.headings((plot.width + 50, "right", "Mean")),
            *(
                plot.texts(
                    [{"x": plot.width + 50, "y": foot - 24, "text": f"{m.n_open:,} open"}],
                    color=SOFT,
                    size=SMALL,
                    align="right",
                )
                for m, foot in rows
                if m.n_open
            ),
        ]
    )


def _bars(plot: Plot, model: Histogram, foot: float, low: float) -> list[dict[str, Any]]:
    """Each model's own highest bar is as tall as a row has room for."""
    most, width = max(model.counts, default=0), (1 - low) / len(model.counts)
    total = sum(model.counts)
    return [
        {
            "x": plot.at((low + width * place) * 100) + 0.5,
            "x2": plot.at((low + width * (place + 1)) * 100) - 0.5,
            "y": foot,
            "y2": round(foot - _TALL * n / most, 2),
            "tip": f"{label(model.name, 60)}, {said(low + width * place)} to {said(low + width * (place + 1))}: "
            f"{n:,} of {total:,} questions",
        }
        for place, n in enumerate(model.counts)
        if n
    ]
