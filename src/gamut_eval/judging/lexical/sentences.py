"""Sentences and list lines, as places in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Marker = Literal["", "bullet", "number"]

_LINE = re.compile(r"[^\n\r\x0b\x0c\x85\u2028\u2029]+")
_MARKER = re.compile(
    r"[ \t>]*(?:\#{1,6}[ \t]+)?[*_]{0,3}(?:"
    r"(?P<number>(?:step[ \t]+)?\d{1,3}[*_]{0,3}(?:[.):][*_]{0,3}[ \t]+|[、．])"
    r"|\(\d{1,3}\)[ \t]+|step[ \t]+[a-z]+:[ \t]+)"
    r"|(?P<bullet>(?:[-+•‣◦·–—]|\*(?!\*))[ \t]+))?",
    re.IGNORECASE,
)
# The lookbehind lets a run of stops be tried only from its first one, which keeps a text of stops linear.
_STOP = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]*_]*(?=\s|$)|[。！？।؟]+[」』”）]*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:approx|ca|c|no|st|dr|mr|mrs|ms|prof|vs|fig|dept|etc|e\.g|i\.e|[A-Z])\.)$", re.IGNORECASE
)
_LONGEST_ABBREVIATION = 8
_CLOSING = "\"'”’»)]*_」』）"
_ASKING = ("?", "？", "؟")


class Span(NamedTuple):
    """A sentence's place in the text.

    ``marker`` is that of the list line it stands on, ``opens`` says whether it is the first there;
    ``asks`` whether it is a question.
    """

    start: int
    end: int
    marker: Marker
    asks: bool
    opens: bool


def spans(text: str) -> list[Span]:
    r"""The sentences in order; markers and white space around them are left out.

    >>> text = "1. Fry it. Stir.\n- Salt"
    >>> [(span.marker, text[span.start : span.end]) for span in spans(text)]
    [('number', 'Fry it.'), ('number', 'Stir.'), ('bullet', 'Salt')]
    """
    found: list[Span] = []
    for line in _LINE.finditer(text):
        new = list(_in_line(text, line.start(), line.end()))
        if found and new and _goes_on(text, found[-1], new[0]):
            before = found.pop()
            new[0] = Span(before.start, new[0].end, before.marker, new[0].asks, before.opens)
        found.extend(new)
    return found


def _in_line(text: str, start: int, end: int) -> Iterator[Span]:
    marker: Marker = ""
    if match := _MARKER.match(text, start, end):
        marker = "number" if match["number"] else "bullet" if match["bullet"] else ""
        start = match.end() if marker else start
    opens = True
    for first, last in _pieces(text, start, end):
        yield Span(first, last, marker, text[first:last].rstrip(_CLOSING).endswith(_ASKING), opens)
        opens = False


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of a line, without white space around them."""
    ends = [stop.end() for stop in _STOP.finditer(text, start, end) if _ends(text, stop, end)]
    for last in [*ends, end]:
        piece = text[start:last]
        if piece.strip():
            yield start + len(piece) - len(piece.lstrip()), last - len(piece) + len(piece.rstrip())
        start = last


def _ends(text: str, stop: re.Match[str], end: int) -> bool:
    """A full stop before a small letter or after an abbreviation ends nothing."""
    if stop[0][0] != ".":
        return True
    following = text[stop.end() : min(stop.end() + 3, end)].lstrip()
    if following[:1].islower():
        return False
    return not _ABBREVIATION.search(text, max(0, stop.start() + 1 - _LONGEST_ABBREVIATION), stop.start() + 1)


def _goes_on(text: str, before: Span, after: Span) -> bool:
    """A line that starts small, after one without a stop, goes on with its sentence."""
    gap = text[before.end : after.start]
    return (
        not after.marker
        and gap.count("\n") <= 1
        and text[after.start].islower()
        and text[before.end - 1] not in ".!?:;…。！？"
    )
