"""Sentences and list lines, as places in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Marker = Literal["", "bullet", "number"]

_LINE = re.compile(r"[^\n\r\x0b\x0c\x85\u2028\u2029]+")
_MARKER = re.compile(
    r"[ \t>]*(?:\#{1,6}[ \t]+)?[*_]{0,3}(?:"
    r"(?P<number>(?:step[ \t]+)?\d{1,3}[*_]{0,3}(?:[.):][*_]{0,3}[ \t]+|[、．])|\(\d{1,3}\)[ \t]+|step[ \t]+[a-z]+:[ \t]+)"
    r"|(?P<bullet>(?:[-+•‣◦·–—]|\*(?!\*))[ \t]+))?",
    re.IGNORECASE,
)
# The lookbehind lets a run of stops be tried only from its first one, which keeps a text of stops linear.
_STOP = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]*_]*(?=\s|$)|[。！？।؟]+[」』”）]*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:approx|ca|c|no|st|dr|mr|mrs|ms|prof|vs|fig|dept|etc|e\.g|i\.e|[A-Z])\.)$", re.IGNORECASE
)
_LONGEST_ABBREVIATION = 8


class Span(NamedTuple):
    """A sentence's place in the text, the list marker in front of it, and whether it is a question."""

    start: int
    end: int
    marker: Marker
    asks: bool


def spans(text: str) -> list[Span]:
    """The sentences in order; markers and white space around them are left out.

    >>> [(span.marker, "1. Fry it. Stir.\\n- Salt"[span.start : span.end]) for span in spans("1. Fry it. Stir.\\n- Salt")]
    [('number', 'Fry it.'), ('number', 'Stir.'), ('bullet', 'Salt')]
    """
    found: list[Span] = []
    for line in _LINE.finditer(text):
        new = list(_in_line(text, line.start(), line.end()))
        if found and new and _goes_on(text, found[-1], new[0]):
            before = found.pop()
            new[0] = Span(before.start, new[0].end, before.marker, new[0].asks)
        found.extend(new)
    return found


def _in_line(text: str, start: int, end: int) -> Iterator[Span]:
    marker: Marker = ""
    if match := _MARKER.match(text, start, end):
        marker = "number" if match["number"] else "bullet" if match["bullet"] else ""
        start = match.end() if marker else start
    for stop in _STOP.finditer(text, start, end):
        if _ends(text, stop, end):
            yield from _span(text, start, stop.end(), marker)
            start = stop.end()
    yield from _span(text, start, end, marker)


def _ends(text: str, stop: re.Match[str], end: int) -> bool:
    """A full stop before a small letter or after an abbreviation ends nothing."""
    if stop[0][0] != ".":
        return True
    following = text[stop.end() : min(stop.end() + 3, end)].lstrip()
    if following[:1].islower():
        return False
    return not _ABBREVIATION.search(text, max(0, stop.start() + 1 - _LONGEST_ABBREVIATION), stop.start() + 1)


def _span(text: str, start: int, end: int, marker: Marker) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Span(start, end, marker, text[start:end].rstrip("\"'”’»)]*_」』）").endswith(("?", "？", "؟")))


def _goes_on(text: str, before: Span, after: Span) -> bool:
    """A line that starts small, after one without a stop, goes on with its sentence."""
    gap = text[before.end : after.start]
    return (
        not after.marker
        and gap.count("\n") <= 1
        and text[after.start].islower()
        and text[before.end - 1] not in ".!?:;…。！？"
    )
