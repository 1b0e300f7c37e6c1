"""A response as the page shows it: its text cut at the quotes, its checks numbered, a strip a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from gamut_eval.records import VERDICTS
from gamut_eval.reports.html.charts import strip
from gamut_eval.reports.html.quotes import Segment, mark_quotes
from gamut_eval.reports.shapes import CheckView, ResponseView
from gamut_eval.rubric.fields import TIERS


@dataclass(frozen=True)
class Strip:
    """One judge's verdicts on all checks, drawn, and in words."""

    judge: str
    drawing: Markup
    n_met: int
    n_checks: int


@dataclass(frozen=True)
class Answer:
    """A response for the template.

    Checks are known by their place in ``view.checks``, as text; ``anchors`` leads from there to
    the place of the first of ``segments`` that the check's quotes cover.
    """

    view: ResponseView
    segments: tuple[Segment, ...]
    anchors: dict[str, int]
    strips: tuple[Strip, ...]


def answer(view: ResponseView) -> Answer:
    """Prepare a response."""
    quotes = ((str(place), opinion.quote) for place, check in enumerate(view.checks) for opinion in check.opinions)
    segments = mark_quotes(view.text, quotes) if view.text is not None else []
    anchors: dict[str, int] = {}
    for place, segment in enumerate(segments):
        for check in segment.checks:
            anchors.setdefault(check, place)
    return Answer(view, tuple(segments), anchors, _strips(view))


def _strips(view: ResponseView) -> tuple[Strip, ...]:
    judges = dict.fromkeys(opinion.judge for check in view.checks for opinion in check.opinions)
    return tuple(_strip(view.checks, judge) for judge in judges)


def _strip(checks: Sequence[CheckView], judge: str) -> Strip:
    verdicts = [(check.tier, _verdict(check, judge)) for check in checks]
    tiers = [[verdict for tier, verdict in verdicts if tier == wanted] for wanted in TIERS]
    n_met = sum(verdict == "meets" for _, verdict in verdicts)
    return Strip(judge, strip(tiers), n_met, len(checks))


def _verdict(check: CheckView, judge: str) -> str | None:
    return majority([opinion.verdict for opinion in check.opinions if opinion.judge == judge])


def majority(verdicts: Sequence[str | None]) -> str | None:
    """One verdict for several repeats: the most frequent, the worse one of equals; None while any is open.

    >>> majority(["meets", "missing"])
    'missing'
    """
    if not verdicts or None in verdicts:
        return None
    worst_first = [verdict.value for verdict in reversed(VERDICTS)]
    return max(worst_first, key=verdicts.count)
