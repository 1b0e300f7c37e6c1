"""A response as the page shows it: its text cut at the quotes, its checks numbered, a strip a judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from markupsafe import Markup

from gamut_eval.records import VERDICTS
from gamut_eval.reports.html.charts import strip
from gamut_eval.reports.html.markdown import Run, styled
from gamut_eval.reports.html.quotes import Segment, find_quote, mark_quotes
from gamut_eval.reports.shapes import CheckView, ResponseView
from gamut_eval.rubric.fields import TIERS


@dataclass(frozen=True)
class Strip:
    """One judge's verdicts on all checks, drawn, and in words."""

    drawing: Markup
    n_met: int
    n_checks: int


@dataclass(frozen=True)
class Part:
    """A piece of the text in runs of one style; ``checks`` whose quotes cover it by place in the response, as text."""

    checks: tuple[str, ...]
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Answer:
    """A response for the template.

    ``strips`` has one a judge. ``parts`` are cut wherever a quote begins or ends; ``places`` leads from a quote to the
    place of the part where it begins.
    """

    view: ResponseView
    parts: tuple[Part, ...]
    places: dict[str, int]
    strips: dict[str, Strip]


def answer(view: ResponseView) -> Answer:
    """Prepare a response."""
    opinions = [(str(place), opinion) for place, check in enumerate(view.checks) for opinion in check.opinions]
    quotes = [(place, opinion.quote) for place, opinion in opinions if opinion.quote]
    text = view.text or ""
    segments = mark_quotes(text, quotes)
    places = _places(text, {quote for _, quote in quotes}, segments)
    parts = zip(segments, cut(styled(text), [len(segment.text) for segment in segments]), strict=True)
    return Answer(view, tuple(Part(segment.checks, tuple(runs)) for segment, runs in parts), places, _strips(view))


def cut(runs: Iterable[Run], lengths: Iterable[int]) -> Iterator[list[Run]]:
    """Runs of a text by pieces of it that have these lengths; a run that two share is cut.

    >>> list(cut([("one ", ""), ("two", "strong")], [2, 5]))
    [[('on', '')], [('e ', ''), ('two', 'strong')]]
    """
    left = iter(runs)
    text, css = "", ""
    for length in lengths:
        own: list[Run] = []
        lacking = length
        while lacking:
            if not text:
                text, css = next(left)
            own.append((text[:lacking], css))
            lacking, text = lacking - len(own[-1][0]), text[lacking:]
        yield own


def _places(text: str, quotes: Iterable[str], segments: Sequence[Segment]) -> dict[str, int]:
    starts = accumulate((len(segment.text) for segment in segments), initial=0)
    by_start = {start: place for place, start in enumerate(starts)}
    return {quote: by_start[span[0]] for quote in quotes if (span := find_quote(text, quote))}


def _strips(view: ResponseView) -> dict[str, Strip]:
    judges = dict.fromkeys(opinion.judge for check in view.checks for opinion in check.opinions)
    return {judge: _strip(view.checks, judge) for judge in judges}


def _strip(checks: Sequence[CheckView], judge: str) -> Strip:
    verdicts = [(check.tier, _verdict(check, judge)) for check in checks]
    tiers = [[verdict for tier, verdict in verdicts if tier == wanted] for wanted in TIERS]
    n_met = sum(verdict == "meets" for _, verdict in verdicts)
    return Strip(strip(tiers), n_met, len(checks))


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
