"""Columns that several tables have, and the cells of those."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.reports.shapes import Column
from gamut_eval.reports.wording import TIER_MEANS, TIER_NAMES, TIER_SHORT, VERDICT_NAMES, VERDICT_NARROW, VERDICT_SHORT
from gamut_eval.rubric.fields import TIERS
from gamut_eval.stats.bootstrap import Interval

_BEST: Mapping[Verdict, Literal["highest", "lowest"]] = {
    Verdict.MEETS: "highest",
    Verdict.MISSING: "lowest",
    Verdict.CONTRADICTS: "lowest",
}
TIER_COLUMNS = tuple(
    Column(TIER_NAMES[t], "percent", TIER_SHORT[t], "Tier score", best="highest", about=TIER_MEANS[t].capitalize())
    for t in TIERS
)
VERDICT_COLUMNS = tuple(
    Column(VERDICT_NAMES[v], "percent", VERDICT_SHORT[v], "Share of all checks", best=_BEST.get(v)) for v in VERDICTS
)
SHARE_COLUMNS = tuple(Column(VERDICT_NARROW[v], "percent", VERDICT_SHORT[v], "Share of verdicts") for v in VERDICTS)
"""Of the verdicts given, those of all samples, repeats and judges."""


def interval_column(level: float, *, group: str = "", beyond_paper: bool = False) -> Column:
    """A column of intervals, whose title says how sure they are.

    >>> interval_column(0.95).title
    '95% interval'
    """
    return Column(f"{level * 100:g}% interval", "interval", group=group, beyond_paper=beyond_paper)


def limits(interval: Interval) -> tuple[float, float] | None:
    """The interval's ends as a cell; None where there are none."""
    return None if interval.low is None or interval.high is None else (interval.low, interval.high)
