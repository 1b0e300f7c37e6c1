"""From what was read to a benchmark, and the benchmark to a folder or a file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.importing.checks import Line, checks_of
from gamut_eval.benchmark.importing.source import Ledger, Request
from gamut_eval.benchmark.importing.table import text_of
from gamut_eval.benchmark.load import Document
from gamut_eval.benchmark.parquet_file import columns_of, write_parquet
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.write import question_row, refuse_taken, write_folder, write_jsonl
from gamut_eval.errors import Finding, InputError, Place
from gamut_eval.files import refuse_overwriting, shown

FOLDER = ""
ANOTHER_ID = "leave one of the two out, or name another column for the id with --column id=NAME"
UNKNOWN_DOMAIN = "unknown"
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass
class Draft:
    """A question as it was read."""

    id: str
    question: str
    place: Place
    lines: list[Line] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)


class Drafts:
    """Collects the questions of a data set, each id once."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._drafts: dict[str, Draft] = {}
        self._cleaned = 0

    def add(self, name: str, draft: Draft) -> None:
        """Add a question under the id that the data has for it (`draft.id` may be spelled otherwise)."""
        first = self._drafts.setdefault(draft.id, draft)
        if first is not draft and replace(draft, place=first.place) == first:
            self._ledger.repeat(name)
        elif first is not draft:
            message = (
                f"the question id {draft.id!r} (here {name!r}) is taken: at {first.place} it has other contents; "
                f"{ANOTHER_ID}"
            )
            raise InputError([Finding("duplicate-id", message, file=draft.place.file, line=draft.place.line)])

    def questions(self) -> tuple[Question, ...]:
        """The questions that have a text and checks; the ledger names the others."""
        found = []
        for draft in self._drafts.values():
            if not draft.question:
                self._ledger.lose("questions without text", draft.id)
            elif not draft.lines:
                self._ledger.lose("questions without checks", draft.id)
            else:
                found.append(self._question(draft))
        if self._cleaned:
            self._ledger.note(f"control characters were taken out of {self._cleaned} texts")
        return tuple(found)

    def _question(self, draft: Draft) -> Question:
        lines = [line for line in draft.lines if line.text]
        if len(lines) < len(draft.lines):
            self._ledger.lose("checks without text", f"{len(draft.lines) - len(lines)} of {draft.id}")
        row = {"id": draft.id, "domain": UNKNOWN_DOMAIN, "question": draft.question, **draft.more}
        row["rubric"] = {"checks": checks_of(lines)}
        return Document(self._clean(row), str(draft.place.file), line=draft.place.line).parse(Question)

    def _clean(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._clean(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self._clean(one) for one in value]
        if isinstance(value, str) and _CONTROL.search(value):
            self._cleaned += 1
            return _CONTROL.sub(" ", value)
        return value


def safe_id(value: Any) -> str:
    """What the data has for an id, with what our ids cannot hold as ``-``; empty where nothing is left.

    >>> safe_id("train/00 17")
    'train-00-17'
    """
    return _NOT_IN_IDS.sub("-", text_of(value)).strip("-._")[:200]


def refuse_output(request: Request, inputs: Sequence[str | Path]) -> str:
    """The ending of what is to be written (empty for a folder), or an `InputError` before anything is read."""
    if request.output == "-":
        return ".jsonl"
    path = Path(request.output)
    folder = request.output.endswith(("/", "\\")) or path.is_dir()
    ending = FOLDER if folder else path.suffix
    if ending not in (FOLDER, ".jsonl", ".parquet"):
        message = f"the ending {ending!r} is none of a benchmark; write a folder (DIR/), .jsonl or .parquet"
        raise InputError([Finding("unwritable", message, file=request.output)])
    if ending == FOLDER:
        refuse_taken(path)
    else:
        refuse_overwriting(inputs, request.output)
    return ending


def write_benchmark(request: Request, benchmark: Benchmark) -> str:
    """Write the questions as the output asks for; the line that says so."""
    if not benchmark.questions:
        raise InputError([Finding("no-questions", "holds no question with checks", file=request.file)])
    benchmark = _named(request, benchmark)
    ending = refuse_output(request, [request.file])
    if ending == FOLDER:
        write_folder(benchmark, Path(request.output))
    elif ending == ".jsonl":
        write_jsonl(request.output, map(question_row, benchmark.questions))
    else:
        write_parquet(request.output, [question_row(one) for one in benchmark.questions], columns_of(Question))
    n_checks = sum(len(question.rubric.checks or ()) for question in benchmark.questions)
    where = "standard output" if request.output == "-" else shown(request.output)
    said = f"Wrote {counted(len(benchmark.questions), 'question')} with {counted(n_checks, 'check')} to {where}."
    if ending != FOLDER and benchmark.license:
        said += f"\nTheir licence is {benchmark.license}; only a folder says so, in its benchmark.yaml."
    return said if request.output == "-" else said + next_step("Next", "gamut validate", request.output)


def next_step(when: str, command: str, *arguments: str) -> str:
    """A line, from its line break on, with a command to go on with."""
    return f"\n{when}: {' '.join((command, *(shlex.quote(shown(one)) for one in arguments)))}"


def _named(request: Request, benchmark: Benchmark) -> Benchmark:
    return replace(benchmark, name=request.options.get("name") or benchmark.name)


def counted(n: int, what: str) -> str:
    """A number and its noun.

    >>> counted(1, "check"), counted(2, "check")
    ('1 check', '2 checks')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"
