"""Charts as SVG, drawn from numbers alone: no text from outside ever comes in here.

Horizontal places are percentages of the width, so that bars stretch with the page and their
numbers keep their size. Colours are the style sheet's, by class name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from gamut_eval.reports.wording import NOT_AVAILABLE, said

Domain = tuple[float, float]

BAR_HEIGHT = 26
"""Pixels of a stacked bar."""
ROW_HEIGHT = 16
"""Pixels of one bar among several."""
_LABEL_FITS = 0.075
_GUTTER = 9.0
_TICK = 0.25

_RECT = Markup('<rect class="{}" x="{}%" y="{}" width="{}%" height="{}"/>')
_TEXT = Markup('<text class="{}" x="{}%" y="{}" dx="{}" text-anchor="{}">{}</text>')
_LINE = Markup('<line class="{}" x1="{}%" x2="{}%" y1="{}" y2="{}"/>')
_SVG = Markup('<svg class="{}" width="100%" height="{}" aria-hidden="true" focusable="false">{}</svg>')
_NOTHING = Markup("")


def stacked_bar(keys: Sequence[str], shares: Sequence[float | None]) -> Markup:
    """One bar of shares; a share is written into its part where it has room, else nowhere."""
    if any(share is None for share in shares):
        return _SVG.format("bar", BAR_HEIGHT, _not_available(BAR_HEIGHT / 2))
    parts, at = [], 0.0
    for key, share in zip(keys, (share or 0.0 for share in shares), strict=True):
        if share > 0:
            parts.append(_RECT.format(f"v-{key}", _n(at * 100), 0, _n(share * 100), BAR_HEIGHT))
        if share >= _LABEL_FITS:
            parts.append(_share_label(key, share, at))
        at += share
    return _SVG.format("bar", BAR_HEIGHT, _joined(parts))


def _share_label(key: str, share: float, start: float) -> Markup:
    return _TEXT.format(f"on-{key}", _n((start + share / 2) * 100), _n(BAR_HEIGHT / 2), 0, "middle", said(share))


def grouped_bars(keys: Sequence[str], values: Sequence[float | None], domain: Domain) -> Markup:
    """A bar a value, one under the other, from 0, each with its number at its end."""
    height = ROW_HEIGHT * len(keys)
    parts = [_grid(domain, height)]
    for place, (key, value) in enumerate(zip(keys, values, strict=True)):
        top = place * ROW_HEIGHT
        parts.append(_one_bar(f"t-{key}", value, domain, top))
    parts.append(_LINE.format("zero", _x(0, domain), _x(0, domain), 0, height))
    return _SVG.format("bars", height, _joined(parts))


def _one_bar(css: str, value: float | None, domain: Domain, top: float) -> Markup:
    middle = top + ROW_HEIGHT / 2
    if value is None:
        return _not_available(middle, _x(0, domain))
    left, right = _x(min(0.0, value), domain), _x(max(0.0, value), domain)
    bar = _RECT.format(css, left, _n(top + 2), _n(float(right) - float(left)), ROW_HEIGHT - 4)
    if value < 0:
        return bar + _TEXT.format("beside", left, _n(middle), -5, "end", said(value))
    return bar + _TEXT.format("beside", right, _n(middle), 5, "start", said(value))


def axis(domain: Domain) -> Markup:
    """The numbers under grouped bars."""
    ticks = (
        _TEXT.format("tick", _x(tick, domain), 10, 0, "middle", f"{tick * 100:.0f}".replace("-", "−"))
        for tick in _ticks(domain)
    )
    return _SVG.format("axis", 20, _joined(ticks))


def _grid(domain: Domain, height: float) -> Markup:
    return _joined(_LINE.format("grid", _x(t, domain), _x(t, domain), 0, height) for t in _ticks(domain))


def _ticks(domain: Domain) -> list[float]:
    first, last = round(domain[0] / _TICK), round(domain[1] / _TICK)
    return [step * _TICK for step in range(first, last + 1)]


def _x(value: float, domain: Domain) -> str:
    """A value's place in percent of the width; there is room at the ends for numbers."""
    low, high = domain
    left, right = _GUTTER if low < 0 else 1.5, 100 - _GUTTER
    return _n(left + (value - low) / (high - low) * (right - left))


def score_bar(value: float | None, bounds: tuple[float, float] | None, domain: Domain) -> Markup:
    """A small bar for a table's cell; where the score is undefined, the range it can still be in."""
    zero, height = _small_x(0, domain), 10
    parts = []
    if value is not None:
        left, right = sorted((zero, _small_x(value, domain)))
        parts.append(_RECT.format("score" if value >= 0 else "score minus", _n(left), 1, _n(right - left), height - 2))
    if bounds is not None and bounds[0] < bounds[1]:
        low, high = (_small_x(bound, domain) for bound in bounds)
        parts.append(_RECT.format("range", _n(low), 3, _n(high - low), height - 6))
    parts.append(_LINE.format("zero", _n(zero), _n(zero), 0, height))
    return _SVG.format("mini", height, _joined(parts))


def _small_x(value: float, domain: Domain) -> float:
    return 1 + (value - domain[0]) / (domain[1] - domain[0]) * 98


# A mark's shape tells the verdict without its colour: full, half, a line at the foot, a cross; a dot is an open one.
_MARKS = {
    "meets": "M{0} 0h9v14h-9z",
    "partially_meets": "M{0} 7h9v7h-9z",
    "missing": "M{0} 12h9v2h-9z",
    "contradicts": "M{0} 1l1.5-1l3 4.4l3-4.4l1.5 1l-3.4 6l3.4 6l-1.5 1l-3-4.4l-3 4.4l-1.5-1l3.4-6z",
    "open": "M{1} 6h3v3h-3z",
}


def strip(tiers: Iterable[Sequence[str | None]]) -> Markup:
    """A mark a check, a gap between tiers; None is a check without a verdict."""
    paths: dict[str, list[str]] = {key: [] for key in _MARKS}
    at = 0
    for verdicts in tiers:
        for verdict in verdicts:
            key = verdict or "open"
            paths[key].append(_MARKS[key].format(at, at + 3))
            at += 11
        at += 8 if verdicts else 0
    drawn = _joined(
        Markup('<path class="m-{}" d="{}"/>').format(key, "".join(path)) for key, path in paths.items() if path
    )
    width = max(at - 10, 1)
    return Markup('<svg class="strip" width="{0}" height="14" aria-hidden="true" focusable="false">{1}</svg>').format(
        width, drawn
    )


def swatch(css: str) -> Markup:
    """A legend's square."""
    return Markup('<svg class="swatch" width="12" height="12" aria-hidden="true">{}</svg>').format(
        Markup('<rect class="{}" width="12" height="12"/>').format(css)
    )


def _not_available(middle: float, x: str = "0") -> Markup:
    return _TEXT.format("absent", x, _n(middle), 6, "start", NOT_AVAILABLE)


def _n(number: float) -> str:
    """A number as short as it can be written, the same on every machine."""
    if not math.isfinite(number):
        raise ValueError(f"{number} has no place in a chart")
    return f"{number:.2f}".rstrip("0").rstrip(".") or "0"


def _joined(parts: Iterable[Markup]) -> Markup:
    return _NOTHING.join(parts)
