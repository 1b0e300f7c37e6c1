"""Whether longer answers score higher, in words."""

from __future__ import annotations

from gamut_eval.reports.wording import number
from gamut_eval.stats.length import PartialCorrelation


def tendency(found: PartialCorrelation) -> str:
    """By the interval, what becomes of the score of answers to one question as they get longer."""
    if found.value is None:
        return "Whether longer answers score higher cannot be said"
    if found.low is None or found.high is None:
        return "Whether longer answers score higher is not sure"
    if found.low > 0:
        return "Of several answers to one question the longer ones score higher"
    if found.high < 0:
        return "Of several answers to one question the longer ones score lower"
    return "There is no sign that longer answers score higher"


def correlation(found: PartialCorrelation) -> str:
    """The correlation of score and log length with its interval, or why there is none."""
    if found.value is None:
        return f"n/a ({found.why})"
    if found.low is None:
        return f"{_signed(found.value)} (no interval: {found.why})"
    return f"{_signed(found.value)} ({found.level * 100:g}% interval {_signed(found.low)} to {_signed(found.high)})"


def _signed(value: float | None) -> str:
    return number(value).replace("-", "−")
