"""How numbers, tiers, verdicts and hostile characters are put before people."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from gamut_eval.records import Verdict
from gamut_eval.reports.shapes import Cell, CheckRef, ColumnKind
from gamut_eval.rubric.fields import Tier

NOT_AVAILABLE = "n/a"
TIER_NAMES = {Tier.ANSWER_CRITICAL: "Answer-Critical", Tier.VALUABLE: "Valuable", Tier.CONTEXT: "Context"}
TIER_MEANS = {
    Tier.ANSWER_CRITICAL: "without it the answer is wrong",
    Tier.VALUABLE: "clearly better with it",
    Tier.CONTEXT: "helpful background",
}
TIER_SHORT = {Tier.ANSWER_CRITICAL: "AC", Tier.VALUABLE: "Val", Tier.CONTEXT: "Ctx"}
VERDICT_NAMES = {
    Verdict.MEETS: "Meets",
    Verdict.PARTIALLY_MEETS: "Partially meets",
    Verdict.MISSING: "Missing",
    Verdict.CONTRADICTS: "Contradicts",
}
VERDICT_NARROW = VERDICT_NAMES | {Verdict.PARTIALLY_MEETS: "Partially"}
VERDICT_SHORT = {
    Verdict.MEETS: "meets",
    Verdict.PARTIALLY_MEETS: "partial",
    Verdict.MISSING: "missing",
    Verdict.CONTRADICTS: "contra.",
}
KIND_NAMES = {
    "fact": "Fact",
    "list_item": "List item",
    "coverage": "Coverage",
    "step": "Step",
    "sequence": "Order",
    "relationship": "Relationship",
    "insight": "Insight",
    "criterion": "Criterion",
}
KIND_PLURALS = {
    "fact": "facts",
    "list_item": "list items",
    "coverage": "coverage checks",
    "step": "steps",
    "sequence": "orders",
    "relationship": "relationships",
    "insight": "insights",
    "criterion": "criteria",
}
DOUBT_NAMES = {
    "quote_not_in_response": "the quote is not in the answer",
    "no_quote": "a verdict other than missing has no quote",
    "verdict_at_odds_with_rationale": "the rationale says another verdict",
    "delimiter_in_response": "the answer imitates the marks that enclose it",
}
"""Why a verdict that stands looks doubtful."""
VARIANT_NAMES = {"image": "with image", "text_only": "text only"}

# Characters that nobody sees but that can end a line, drive a terminal or turn round what follows.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def visible(text: str) -> str:
    r"""The text with its control characters, bidirectional ones too, made visible and harmless.

    Tabs and line feeds stay, and carriage returns before a line feed go.

    >>> visible("a\x1b[1m b\u202e c")
    'a␛[1m b[U+202E] c'
    """
    return _UNSEEN.sub(_stand_in, text.replace("\r\n", "\n"))


def _stand_in(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"[U+{code:04X}]"


def percent(value: float | None) -> str:
    """A fraction as a percentage with one decimal; ``n/a`` where undefined.

    >>> percent(0.587), percent(-0.0001), percent(None)
    ('58.7', '0.0', 'n/a')
    """
    if value is None or math.isnan(value):
        return NOT_AVAILABLE
    shown = f"{value * 100:.1f}"
    return "0.0" if shown == "-0.0" else shown


def number(value: float | None) -> str:
    """A number that is no percentage, with two decimals; ``n/a`` where undefined.

    >>> number(0.366), number(-0.001), number(None)
    ('0.37', '0.00', 'n/a')
    """
    if value is None or math.isnan(value):
        return NOT_AVAILABLE
    shown = f"{value:.2f}"
    return "0.00" if shown == "-0.00" else shown


def said(value: float | None) -> str:
    """A percentage for a sentence or a chart, with a real minus sign.

    >>> said(-0.587)
    '−58.7'
    """
    return percent(value).replace("-", "−")


def interval(bounds: tuple[float, float] | None) -> str:
    """Two percentages, or one where they are the same.

    >>> interval((-0.25, 0.5)), interval((0.5, 0.5))
    ('-25.0 to 50.0', '50.0')
    """
    if bounds is None:
        return NOT_AVAILABLE
    low, high = map(percent, bounds)
    return low if low == high else f"{low} to {high}"


def coverage(pair: tuple[float, float] | None) -> str:
    """How many of how many; of anything less than all it is said that no more are complete.

    >>> coverage((5, 10)), coverage((10, 10))
    ('5 of 10 complete', '10 of 10')
    """
    if pair is None:
        return NOT_AVAILABLE
    return f"{pair[0]:,.0f} of {pair[1]:,.0f}{' complete' if pair[0] < pair[1] else ''}"


def ranks(pair: tuple[float, float] | None) -> str:
    """Two ranks, or one where they are the same.

    >>> ranks((1, 3)), ranks((2, 2))
    ('1 to 3', '2')
    """
    if pair is None:
        return NOT_AVAILABLE
    best, worst = pair
    return f"{best:.0f}" if best == worst else f"{best:.0f} to {worst:.0f}"


def p_value(p: float | None) -> str:
    """A test's p with three decimals.

    >>> p_value(0.0312), p_value(0.0001), p_value(1.0)
    ('0.031', '<0.001', '1.000')
    """
    if p is None:
        return NOT_AVAILABLE
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def check_text(ref: CheckRef | None) -> str:
    """What a check asks."""
    return NOT_AVAILABLE if ref is None else ref.text


def outcome(verdict: str | None) -> str:
    """A verdict's name, or what stands in its place.

    >>> outcome("partially_meets"), outcome("not_judged")
    ('Partially meets', 'not judged')
    """
    if verdict is None:
        return NOT_AVAILABLE
    names = {name.value: title for name, title in VERDICT_NAMES.items()}
    return names.get(verdict, verdict.replace("_", " "))


def counted(n: int, what: str) -> str:
    """So many of something that is regular in the plural.

    >>> counted(1, "question"), counted(2_000, "question")
    ('1 question', '2,000 questions')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def kinds_in_order(kinds: Iterable[str]) -> list[str]:
    """Kinds of checks in the order in which they are told, unknown ones last.

    >>> kinds_in_order({"sequence", "own", "fact"})
    ['fact', 'sequence', 'own']
    """
    own = set(kinds)
    return [kind for kind in KIND_NAMES if kind in own] + sorted(own - set(KIND_NAMES))


_SHOWN: dict[ColumnKind, Callable[[Any], str]] = {
    "text": lambda cell: NOT_AVAILABLE if cell is None else str(cell),
    "percent": percent,
    "number": number,
    "count": lambda cell: NOT_AVAILABLE if cell is None else f"{cell:,.0f}",
    "interval": interval,
    "coverage": coverage,
    "ranks": ranks,
    "p": p_value,
    "check": check_text,
    "verdict": outcome,
}


def shown(cell: Cell, kind: ColumnKind) -> str:
    """A cell as text."""
    return _SHOWN[kind](cell)
