"""A comment that cuts a text short: what follows `` #`` in a text without quotes is lost, and nobody is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gamut_eval.benchmark.lint.rule import FileRule, Hit
from gamut_eval.benchmark.yaml_file import Places
from gamut_eval.errors import Path, brief

_FIELDS = frozenset(
    "question text_only subject statement topic goal options steps text aliases title summary snippet note".split()
)
# A comment at the end of a line is nothing to speak of; these are the signs that a sentence goes on in it.
_NUMBER = re.compile(r"#\d")
_GOES_ON = re.compile(r"# ?(?:and|nor|than|of)\b(?!:)|# ?[a-z][^:]*[^.][.!?]$")
_HANGS = re.compile(r"\b(?:a|an|the|and|or|of|with|by|from|than|is|are|hashtag|issue)$", re.IGNORECASE)
_ENDED = tuple(".!?…:;。！？")
_IGNORE = re.compile(r"#\s*gamut:")


def _cut(text: str, data: Any, places: Places) -> Iterator[Hit]:
    if " #" not in text:
        return
    lines = text.split("\n")
    for path, value in _texts(data, ()):
        if path in places and (comment := _comment_after(value, lines, *places[path])) and _goes_on(value, comment):
            message = f"ends before {brief(comment, 60)}, which YAML reads as a comment"
            yield Hit(path, f"{message}; put the whole text in quotes, or more space before a comment")


def _texts(data: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Every text that people read, with its path."""
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _texts(value, (*path, key))
    elif (
        isinstance(data, str)
        and data.strip()
        and next((key for key in path[::-1] if isinstance(key, str)), "") in _FIELDS
    ):
        yield path, data


def _comment_after(value: str, lines: list[str], line: int, column: int) -> str:
    """The comment one space after a text without quotes; empty without one, or in a column of them."""
    words = value.split()
    written = "\n".join([lines[line - 1][column - 1 :], *lines[line : line + len(words)]])  # it may take several lines
    if not written.startswith(words[0]):
        return ""
    found = re.match(r"\s+".join(map(re.escape, words)) + r" (#[^\n]*)", written)
    if not found:
        return ""
    last = line - 1 + found.group().count("\n")
    at = len(lines[last].rstrip("\r")) - len(found.group(1).rstrip("\r"))
    beside = [lines[near] for near in (last - 1, last + 1) if 0 <= near < len(lines)]
    return "" if any(other[at - 1 : at + 1] == " #" for other in beside) else found.group(1).strip()


def _goes_on(value: str, comment: str) -> bool:
    if value.endswith(_ENDED) or _IGNORE.match(comment):
        return False
    hangs = _HANGS.search(value) or value.count("(") > value.count(")")
    return bool(hangs or _NUMBER.match(comment) or _GOES_ON.match(comment))


_STATEMENT = """rubric:
  items:
    - id: order
      type: simple
      tier: answer_critical
      statement: %s
"""

RULES = (
    FileRule(
        code="cut-by-comment",
        severity="warning",
        summary="a text without quotes seems to go on in a comment",
        why=(
            "In YAML a '#' after a space starts a comment, so the rest of a text without quotes is lost in silence, "
            "and answers are graded by what is left. Found where the text has no full stop and hangs in the air, or "
            "the comment, one space behind it, starts with a digit or with 'and', or ends as a sentence does. "
            "JSONL has no comments."
        ),
        triggers=_STATEMENT % "Sort issues by label # and by date.",
        clean=_STATEMENT % "'Sort issues by label # and by date.'",
        look=_cut,
    ),
)
