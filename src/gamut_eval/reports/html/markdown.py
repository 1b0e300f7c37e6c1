"""Light Markdown: which characters of an answer are bold, a heading, code, or only marks. None is dropped or moved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

Run = tuple[str, str]
"""Characters, and the names of their styles."""

_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t])")
_BULLET = re.compile(r"[ \t]*(?:[-*+•>]|\d{1,9}[.)])(?=[ \t])")
_RULE = re.compile(r" {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*")
_UNDER_HEADS = re.compile(r"[ \t|:-]+")
_MARKS = re.compile(r"\*+|_+|`|\|")
_INLINE = {"**": "strong", "__": "strong", "*": "em", "_": "em"}
_MOST_RUNS = 4000
"""A text that changes more often is no text for people."""


def styled(text: str) -> list[Run]:
    """The text in runs of one style each; joined they give the text again.

    The styles are ``strong``, ``em``, ``code``, ``heading``, ``cells`` (a table's line), ``bullet``, and ``syntax`` for
    the marks themselves. What is no Markdown, or too much of it, has no style. It takes time in proportion to the
    text's length.

    >>> styled("Fry **the base**.")
    [('Fry ', ''), ('**', 'syntax'), ('the base', 'strong'), ('**', 'syntax'), ('.', '')]
    """
    joined = groupby(_pieces(text), key=lambda run: run[1])
    runs = [("".join(piece for piece, _ in several), css) for css, several in joined]
    return runs if len(runs) <= _MOST_RUNS else [(text, "")]


def _pieces(text: str) -> Iterator[Run]:
    fenced = False
    for line in text.splitlines(keepends=True):
        fence = line.lstrip(" ").startswith(("```", "~~~"))
        pieces = [(line, "code")] if fenced or fence else _line(line)
        yield from ((piece, css) for piece, css in pieces if piece)
        fenced ^= fence


def _line(line: str) -> Iterator[Run]:
    body = line.rstrip("\r\n")
    if heading := _HEADING.match(body):
        yield heading.group(), "syntax"
        yield from _inline(body[heading.end() :], "heading")
    elif _RULE.fullmatch(body):
        yield body, "syntax"
    elif bullet := _BULLET.match(body):
        yield bullet.group(), "bullet"
        yield from _inline(body[bullet.end() :])
    elif body.lstrip(" ").startswith("|"):
        under_heads = _UNDER_HEADS.fullmatch(body)
        yield from [(body, "cells syntax")] if under_heads else _inline(body, "cells")
    else:
        yield from _inline(body)
    yield line[len(body) :], ""


def _inline(body: str, base: str = "") -> Iterator[Run]:
    """A line cut where a style begins or ends; each mark that opens one belongs to the next that closes it."""
    changes: dict[int, Counter[str]] = {}
    for start, end, css in _spans(body, pipes=base == "cells"):
        changes.setdefault(start, Counter())[css] += 1
        changes.setdefault(end, Counter())[css] -= 1
    now, at = Counter[str]({base: 1} if base else {}), 0
    for place in [*sorted(changes), len(body)]:
        yield body[at:place], " ".join(sorted(css for css, n in now.items() if n > 0))
        at = place
        for css, n in changes.get(place, Counter[str]()).items():
            now[css] += n


def _spans(body: str, *, pipes: bool) -> Iterator[tuple[int, int, str]]:
    """Where styles are: start, end, style."""
    last_tick = body.rfind("`")
    opened: dict[str, int] = {}
    for found in _MARKS.finditer(body):
        mark, start, end = found.group(), found.start(), found.end()
        if mark == "|":
            if pipes:
                yield start, end, "syntax"
        elif "`" in opened and mark != "`":
            continue
        elif mark == "`" or mark in _INLINE:
            before, after = body[start - 1 : start], body[end : end + 1]
            if mark in opened and (mark == "`" or _may_close(mark, before, after)):
                begun = opened.pop(mark)
                yield begun - len(mark), begun, "syntax"
                yield begun, start, _INLINE.get(mark, "code")
                yield start, end, "syntax"
            elif start < last_tick if mark == "`" else _may_open(mark, before, after):
                opened[mark] = end


def _may_open(mark: str, before: str, after: str) -> bool:
    return bool(after) and not after.isspace() and (mark == "**" or not before.isalnum())


def _may_close(mark: str, before: str, after: str) -> bool:
    return not before.isspace() and (mark == "**" or not after.isalnum())
