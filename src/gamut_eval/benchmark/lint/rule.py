"""What a lint rule is: a code, its documentation, and a look at a question or at the whole benchmark."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.yaml_file import Places
from gamut_eval.errors import Finding, Path
from gamut_eval.rubric.check import Check

LintSeverity = Literal["warning", "info"]


class Hit(NamedTuple):
    """What a rule saw: the place as a path from the question's root, and what is wrong with it.

    ``severity`` is None where it is the rule's own.
    """

    path: Path
    message: str
    severity: LintSeverity | None = None


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One lint rule and its documentation.

    ``triggers`` and ``clean`` are YAML fragments of a question's file: one that the rule finds
    fault with, and the same put right. ``summary`` is a line, ``why`` a paragraph.
    """

    code: str
    severity: LintSeverity
    summary: str
    why: str
    triggers: str
    clean: str

    def check(self, question: Question, checks: Sequence[Check]) -> Iterator[Finding]:
        """The findings in one question, given its compiled checks; paths start at the question."""
        yield from ()

    def check_benchmark(self, benchmark: Benchmark) -> Iterator[Finding]:
        """The findings that only the whole benchmark shows; they have no path."""
        yield from ()

    def check_file(self, text: str, data: Any, places: Places) -> Iterator[Finding]:
        """The findings that only a question's YAML file shows; paths start at the question."""
        yield from ()

    @property
    def explanation(self) -> str:
        """All that ``gamut validate --explain`` prints."""
        why = textwrap.fill(self.why, 96, break_on_hyphens=False)
        head = f"{self.code} ({self.severity}): {self.summary}\n\n{why}"
        return (
            f"{head}\n\nFinds fault with:\n\n{_indented(self.triggers)}\n\nIs content with:\n\n{_indented(self.clean)}"
        )

    def _finding(self, hit: Hit) -> Finding:
        return Finding(self.code, hit.message, hit.severity or self.severity, hit.path)


@dataclass(frozen=True, kw_only=True)
class QuestionRule(Rule):
    """A rule that looks at one question at a time."""

    look: Callable[[Question, Sequence[Check]], Iterable[Hit]]

    def check(self, question: Question, checks: Sequence[Check]) -> Iterator[Finding]:
        return (self._finding(hit) for hit in self.look(question, checks))


@dataclass(frozen=True, kw_only=True)
class FileRule(Rule):
    """A rule that looks at the text of a question's YAML file, and at the place of each value in it."""

    look: Callable[[str, Any, Places], Iterable[Hit]]

    def check_file(self, text: str, data: Any, places: Places) -> Iterator[Finding]:
        return (self._finding(hit) for hit in self.look(text, data, places))


@dataclass(frozen=True, kw_only=True)
class BenchmarkRule(Rule):
    """A rule that looks at all questions together."""

    look: Callable[[Benchmark], Iterable[str]]

    def check_benchmark(self, benchmark: Benchmark) -> Iterator[Finding]:
        return (self._finding(Hit((), message)) for message in self.look(benchmark))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.strip().splitlines())
