"""What all figures are put together from: marks at places that we set, on a plot with margins for labels.

Names are data: they are in no field's name, no expression and no scale, and what is too long for its place is cut.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from rich.cells import cell_len

from gamut_eval.extras import needed
from gamut_eval.reports.wording import visible

INK, SOFT, LINE = "var(--ink)", "var(--soft)", "var(--line)"
MAIN, GROUND = "var(--score)", "var(--page)"
TEXT, SMALL = 13, 12
"""Sizes of letters, in pixels."""
ROW = 26
"""Pixels of a model's row."""
FULL, SLIM = 590, 352
"""Pixels across: a figure that shares a row of the page, and one for a page as narrow as a telephone."""
ABOVE = 19
"""Pixels of a line with a model's name, where a slim figure has it above the row."""
LABEL = 27
"""Characters of a name beside a mark at most."""

Row = Mapping[str, Any]
Span = tuple[float, float]


def altair() -> Any:
    """Altair.

    Raises
    ------
    MissingExtraError
        It is not installed.
    """
    return needed("altair", "drawing the report's figures", "charts")


def label(name: str, most: int = LABEL) -> str:
    r"""A name as it fits beside a mark: on one line, its middle left out where it is too long.

    >>> label("llama\n3"), label("meta-llama/Llama-4-Maverick-17B-128E-Instruct", 20)
    ('llama 3', 'meta-llam…E-Instruct')
    """
    name = " ".join(visible(name).split())
    if cell_len(name) <= most:
        return name
    head, tail = name[:most], name[-most:]  # of a very long name the rest need not be measured again and again
    while cell_len(head) > (most - 1) // 2:
        head = head[:-1]
    while cell_len(tail) > most // 2:
        tail = tail[1:]
    return f"{head}…{tail}"


def labels(names: Sequence[str], most: int = LABEL) -> list[str]:
    """Labels of several names: where cutting makes two the same, what these have in common is left out first.

    >>> labels(["a-model-name-1-instruct", "a-model-name-2-instruct", "b"], 12)
    ['…1-instruct', '…2-instruct', 'b']
    """
    found = [label(name, most) for name in names]
    for same in [one for one, n in Counter(found).items() if n > 1]:
        places = [place for place, one in enumerate(found) if one == same]
        whole = [label(names[place], sys.maxsize) for place in places]
        head = _shared(whole)
        tail = _shared([name[head:][::-1] for name in whole])
        short = [f"…{name[head:]}" for name in whole]
        if max(map(cell_len, short)) > most:
            short = [f"…{label(name[head : len(name) - tail], most - 2)}…" for name in whole]
        for n, (place, text) in enumerate(zip(places, short, strict=True), start=1):
            found[place] = text if len(set(short)) == len(short) else f"{label(text, most - 4)} #{n}"
    return found


def fitting(pixels: float, size: float = TEXT) -> int:
    """How many characters a label may have at most there; never fewer than five.

    >>> fitting(100), fitting(0)
    (12, 5)
    """
    return max(5, int((pixels - 4) / (size * 0.58)))


def _shared(names: Sequence[str]) -> int:
    """How many characters all begin with."""
    return sum(1 for _ in takewhile(lambda chars: len(set(chars)) == 1, zip(*names, strict=False)))


def room(texts: Iterable[str], size: float = TEXT) -> float:
    """Pixels that labels take at most, in any usual sans-serif.

    >>> room(["llama", "qwen"])
    42.0
    """
    return math.ceil(max(map(cell_len, texts), default=0) * size * 0.58) + 4.0


def spread(wanted: Sequence[float], gap: float, within: Span) -> list[float]:
    """Places as near as can be to those wanted, in their order, no two nearer than ``gap`` where there is room.

    >>> spread([10, 11, 50], 10, (0, 100))
    [5.5, 15.5, 50]
    """
    low, high = within
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    gap = min(gap, (high - low) / max(1, len(order) - 1))
    blocks: list[list[int]] = []
    for place in order:
        blocks.append([place])
        while len(blocks) > 1 and _start(blocks[-2], wanted, gap, within) + gap * len(blocks[-2]) > _start(
            blocks[-1], wanted, gap, within
        ):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    found = list(wanted)
    for block in blocks:
        if len(block) > 1 or not low <= wanted[block[0]] <= high:
            start = _start(block, wanted, gap, within)
            for step, place in enumerate(block):
                found[place] = start + gap * step
    return found


def _start(block: Sequence[int], wanted: Sequence[float], gap: float, within: Span) -> float:
    length = gap * (len(block) - 1)
    middle = sum(wanted[place] for place in block) / len(block)
    return min(max(middle - length / 2, within[0]), within[1] - length)


@dataclass(frozen=True)
class Plot:
    """A plot of ``width`` by ``height`` pixels with margins; marks are placed in pixels from its upper left corner.

    The x axis spans ``domain``, on a logarithmic scale if ``log``; ``ticks`` are where it has a number and a line, and
    ``title`` is under it.
    """

    width: float
    height: float
    left: float
    right: float
    domain: Span = (0, 1)
    ticks: Sequence[float] = ()
    title: str = ""
    log: bool = False
    top: float = 26
    bottom: float = 44

    def at(self, value: float) -> float:
        """Where a value is on the x axis."""
        value, low, high = (math.log(x) if self.log else x for x in (value, *self.domain))
        return round((value - low) / (high - low) * self.width, 2)

    def chart(self, layers: Sequence[Any]) -> Any:
        """The layers on one another, the first at the bottom."""
        margins = {"left": self.left, "right": self.right, "top": self.top, "bottom": self.bottom}
        return (
            altair()
            .layer(*self._axis(), *layers)
            .properties(width=self.width, height=self.height, padding=margins, autosize="none")
            .configure(background="transparent", view={"stroke": None})
        )

    def _axis(self) -> list[Any]:
        """Lines and numbers, drawn like all else."""
        if not self.ticks:
            return []
        lines = [{"x": self.at(tick), "y": 0, "y2": self.height} for tick in self.ticks]
        numbers = [{"x": self.at(tick), "y": self.height + 14, "text": ticked(tick)} for tick in self.ticks]
        title = [{"x": self.width / 2, "y": self.height + 34, "text": self.title}]
        return [self.rules(lines, color=LINE), self.texts([*numbers, *title], color=SOFT, size=SMALL, align="center")]

    def headings(self, *columns: tuple[float, str, str]) -> list[Any]:
        """Small titles over columns of labels: where, how they are aligned, what they say."""
        return [
            self.texts([{"x": x, "y": -14, "text": text}], color=SOFT, size=SMALL, align=align)
            for x, align, text in columns
        ]

    def rules(self, rows: Iterable[Row], *, color: str = INK, width: float = 1, **look: Any) -> Any:
        """Lines from (x, y) to (x2, y2), or straight down or across where one of these is not given."""
        return self._layer("rule", rows, strokeWidth=width, color=color, **look)

    def rects(self, rows: Iterable[Row], *, color: str = MAIN, **look: Any) -> Any:
        """Boxes from (x, y) to (x2, y2)."""
        return self._layer("rect", rows, color=color, **look)

    def points(self, rows: Iterable[Row], *, color: str = MAIN, size: float = 70, **look: Any) -> Any:
        """Marks at (x, y)."""
        return self._layer("point", rows, size=size, **({"filled": True, "opacity": 1, "color": color} | look))

    def texts(self, rows: Iterable[Row], *, color: str = INK, size: float = TEXT, **look: Any) -> Any:
        """The rows' ``text`` at (x, y)."""
        return self._layer("text", rows, color=color, fontSize=size, **({"baseline": "middle"} | look))

    def _layer(self, mark: str, rows: Iterable[Row], **look: Any) -> Any:
        """Of a row, ``tip`` is what a reader is told of its mark; ``color`` and ``opacity`` are its own."""
        alt, values = altair(), list(rows)
        known = set(values[0]) if values else set()
        encoded = {"x": _pixels(alt.X, "x", (0, self.width)), "y": _pixels(alt.Y, "y", (self.height, 0))}
        encoded |= {name: f"{name}:Q" for name in ("x2", "y2") if name in known}
        as_given = {"text": alt.Text, "tip": alt.Description}
        encoded |= {
            channel.__name__.lower(): channel(f"{name}:N") for name, channel in as_given.items() if name in known
        }
        encoded |= {"color": alt.Color("color:N", scale=None, legend=None)} if "color" in known else {}
        encoded |= {"opacity": alt.Opacity("opacity:Q", scale=None, legend=None)} if "opacity" in known else {}
        chart = alt.Chart(alt.InlineData(values=values))
        return getattr(chart, f"mark_{mark}")(aria="tip" in known, **look).encode(**encoded)


def _pixels(channel: Any, name: str, domain: Span) -> Any:
    return channel(f"{name}:Q", title=None, axis=None, scale={"domain": list(domain), "nice": False, "zero": False})


def ticked(tick: float) -> str:
    """A number of an axis.

    >>> ticked(-25), ticked(1500)
    ('−25', '1,500')
    """
    return f"{tick:,.0f}".replace("-", "−")


def score_ticks(low: float, high: float) -> list[float]:
    """Round percentages that span two scores, which are fractions; 0 is among them where it is near.

    >>> score_ticks(0.12, 0.58), score_ticks(-0.3, 0.9), score_ticks(0.5, 0.5)
    ([0, 10, 20, 30, 40, 50, 60], [-50, -25, 0, 25, 50, 75, 100], [45, 50, 55])
    """
    low, high = low * 100, high * 100
    if low >= 0 and low < (high - low):
        low = 0
    if high - low < 1:
        low, high = low - 5, high + 5
    step = next(step for step in (5, 10, 25, 50) if (high - low) / step <= _MOST_TICKS or step == 50)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [step * place for place in range(first, last + 1)]


_MOST_TICKS = 6
