"""From the YAML parser's errors to words that say what an author should do, each with its place."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

_NAMED = re.compile(r"(\s*(?:- )*[\w.-]+:) +((?![\"'\[{]).+?:(?: .*?)?)(?: #.*)?")
_CHECK = "check the indentation, and quote a text that holds ': '"


def why_not_yaml(error: MarkedYAMLError, text: str) -> tuple[str, int | None, int | None]:
    """What is wrong and what to do, with the line and column (from 1)."""
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return error.problem or error.context or "cannot be read", None, None
    trouble = _Trouble(error, (error.problem or error.context or "cannot be read").strip(), mark, text)
    if "quoted scalar" in trouble.context and "end of stream" in trouble.problem:
        mark = error.context_mark or mark
        return f"the quote that opens on line {mark.line + 1} is never closed", mark.line + 1, mark.column + 1
    return trouble.told(), mark.line + 1, mark.column + 1


@dataclass(frozen=True)
class _Trouble:
    """An error, its place, and the text it is in."""

    error: MarkedYAMLError
    problem: str
    mark: Any
    text: str

    def told(self) -> str:
        """What the first rule that fits says, else the parser's own words."""
        told = (explain(self) for pattern, explain in _RULES if pattern.search(self.problem))
        return next((one for one in told if one), self.problem)

    @property
    def context(self) -> str:
        return self.error.context or ""

    @property
    def opened(self) -> Any:
        """Where what the parser was in the middle of began."""
        return self.error.context_mark or self.mark

    @property
    def number(self) -> int:
        return int(self.mark.line) + 1

    def line(self, mark: Any) -> str:
        lines = self.text.split("\n")
        return lines[mark.line].rstrip("\r") if mark.line < len(lines) else ""

    def start(self, mark: Any) -> str:
        """The character at the mark."""
        return repr(self.line(mark)[mark.column : mark.column + 1])

    def quote_it(self, mark: Any) -> str:
        """The parser's words, and that a text must not start with the character at the mark."""
        return f"{self.problem}; if a text starts with {self.start(mark)}, put it in quotes"


def _after_quote(trouble: _Trouble) -> str | None:
    before = None
    # Scanning again comes to the mark before whatever stopped it; further on nothing matters.
    with contextlib.suppress(YAMLError, ValueError):
        for token in YAML(typ="safe", pure=True).scan(trouble.text):
            if token.start_mark.index >= trouble.mark.index:
                break
            before = token
    if before is None or getattr(before, "style", None) not in ("'", '"'):
        return None
    first, after = before.start_mark.line + 1, "text after the closing quote"
    if first != before.end_mark.line + 1:
        return f"{after}; the quote was opened on line {first}: should it have been closed there?"
    if before.style == "'" and before.end_mark.index == trouble.mark.index:
        return f"{after}; write '' for an apostrophe, or put the whole in double quotes"
    return f"{after}; put the whole in quotes, of the other kind"


def _bracket(trouble: _Trouble) -> str:
    opened = trouble.opened
    bracket = trouble.start(opened)
    if trouble.mark.line != opened.line or "stream end" in trouble.problem:
        return f"the {bracket} of line {opened.line + 1} is not closed where it should be"
    if trouble.problem.endswith("got ':'"):
        return f"a text with ': ' must be quoted, here inside {bracket}"
    return f"{trouble.problem}; a text that holds one of , [ ] {{ }} must be quoted"


def _colon(trouble: _Trouble) -> str:
    line, before = trouble.line(trouble.mark), trouble.text.split("\n")[: trouble.mark.line]
    found = _NAMED.fullmatch(line.rstrip())
    if found and found.end(1) <= trouble.mark.column:
        value = found.group(2).rstrip()
        quoted = f"'{value}'" if '"' in value or "\\" in value else f'"{value}"'
        example = f": {found.group(1).strip()} {quoted}" if len(value) <= 80 and "'" not in quoted[1:-1] else ""
        return f"a text with ': ' must be quoted{example}"
    above = next((at for at in range(len(before) - 1, -1, -1) if before[at].strip()), None)
    if above is None:
        return f"{trouble.problem}; {_CHECK}"
    if _indent(before[above]) < _indent(line):
        return f"line {trouble.number} is deeper than line {above + 1}, whose field has its value already; {_CHECK}"
    return f"line {above + 1} is not 'name: value'; write a space after ':'"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _neither(trouble: _Trouble) -> str:
    known = f"line {trouble.opened.line + 1} is neither 'name: value' nor '- text'"
    return f"{known}; indent it if it goes on with the text above, and write a space after ':' and '-'"


def _percent(trouble: _Trouble) -> str | None:
    lines = trouble.text.split("\n")[: trouble.number]
    at = next((at for at, line in enumerate(lines, 1) if line.startswith("%") and not line.startswith("%YAML")), None)
    return f"line {at} starts with '%'; put a text that does in quotes" if at else None


def _dedent(trouble: _Trouble) -> str:
    column = trouble.mark.column
    if "'?'" in trouble.problem and column == trouble.opened.column:
        return f"line {trouble.number} stands where '- ' of a list does, and has none; check the indentation"
    if "'-'" in trouble.problem and column == trouble.opened.column:
        return f"line {trouble.number} begins with '- ' where fields stand; check the indentation"
    return f"the indentation of line {trouble.number} does not match any block above"


_RULES: list[tuple[re.Pattern[str], Callable[[_Trouble], str | None]]] = [
    (re.compile(pattern), explain)
    for pattern, explain in (
        (r"'\\t'", lambda t: f"{t.problem}; indent with spaces, not tabs"),
        (
            r"found another document|but found another",
            lambda _: "holds several documents; keep one, without '---' lines",
        ),
        (r"(?:found|got) '<scalar>'", _after_quote),
        (r"cannot start any token", lambda t: f"a text that starts with {t.start(t.mark)} must be in quotes"),
        (r"undefined alias|expected the node content", lambda t: t.quote_it(t.mark)),
        (r"expected a comment or a line break", lambda t: t.quote_it(t.opened)),
        (
            r"sequence entries are not allowed",
            lambda _: "a list begins on a line of its own; if '- ' is text, quote it",
        ),
        (r"mapping values are not allowed", _colon),
        (r"could not find expected ':'", _neither),
        (r"expected ',' or", _bracket),
        (r"expected '<document start>'", _percent),
        (r"(?:<block end>|<document start>)', but found \(?'(?:<block (?:mapping|sequence) start>|\?|-)'", _dedent),
        (r"expected <block end>, but found '(?:<block (?:mapping|sequence) start>|\?|-)'", _dedent),
        (r"expected <block end>", lambda t: f"{t.problem}; {_CHECK}"),
    )
]
