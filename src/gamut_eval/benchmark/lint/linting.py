"""Running the rules: over a benchmark in memory, or over its files with the place of each finding."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path as FilePath

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.lint.catalogue import codes, rules
from gamut_eval.benchmark.lint.silence import Silence
from gamut_eval.benchmark.load import Document, Loading
from gamut_eval.benchmark.question import Question
from gamut_eval.errors import Finding, InputError
from gamut_eval.files import read_text


def lint(benchmark: Benchmark) -> list[Finding]:
    """Every finding of every rule that needs no file; paths start at the question, places are unknown."""
    found = [finding for question in benchmark.questions for finding in lint_question(benchmark, question)]
    return [*found, *lint_whole(benchmark)]


def lint_question(benchmark: Benchmark, question: Question) -> Iterator[Finding]:
    """The findings in one question of the benchmark."""
    checks = benchmark.compiled(question)
    for rule in rules():
        yield from (replace(finding, question_id=question.id) for finding in rule.check(question, checks))


def lint_file(document: Document) -> Iterator[Finding]:
    """The findings that only a question's YAML file shows; none in other formats."""
    if document.places:
        text = read_text(document.file)
        for rule in rules():
            yield from rule.check_file(text, document.data, document.places)


def lint_whole(benchmark: Benchmark) -> Iterator[Finding]:
    """The findings that only all questions together show."""
    for rule in rules():
        yield from rule.check_benchmark(benchmark)


def inspect_and_lint(path: str | FilePath) -> tuple[Benchmark | None, list[Finding]]:
    """`inspect_benchmark`, with what the rules found, and without what comments in the files silence."""
    return _Linting(FilePath(path)).result()


class _Linting(Loading):
    """Lints each question as it is read, while the places of its values are at hand."""

    def result(self) -> tuple[Benchmark | None, list[Finding]]:
        benchmark, findings = super().result()
        if benchmark is not None:
            # Where a question compiles to no check, whoever compiles it says so.
            with contextlib.suppress(InputError):
                findings += [replace(finding, file=str(self.path)) for finding in lint_whole(benchmark)]
        return benchmark, findings

    def reviewed(self, document: Document, question: Question | None, found: list[Finding]) -> list[Finding]:
        if question and not any(finding.severity == "error" for finding in found):
            found = [*found, *self._lint(document, question)]
        return sorted(_heard(document, found), key=lambda one: (one.line or 0, one.column or 0))

    def _lint(self, document: Document, question: Question) -> list[Finding]:
        like = Benchmark("", (), compile=self.settings)
        with contextlib.suppress(InputError):
            found = [replace(finding, question_id=question.id) for finding in lint_file(document)]
            return [document.locate(finding) for finding in [*found, *lint_question(like, question)]]
        return []


def _named(finding: Finding) -> Finding:
    """The finding with its question's id: the number of a row says little, as in Parquet nobody sees it."""
    name = finding.question_id
    if name is None or repr(name) in finding.message:
        return finding
    return replace(finding, message=f"{name!r}: {finding.message}")


def _heard(document: Document, findings: list[Finding]) -> Iterator[Finding]:
    """The findings that no comment silences, and those about the comments."""
    if not document.places:
        yield from map(_named, findings)
        return
    silence = Silence.of(read_text(document.file), document.file)
    yield from (finding for finding in findings if not silence.covers(finding, document.places))
    if not any(finding.severity == "error" for finding in findings):
        yield from silence.leftovers(codes())
