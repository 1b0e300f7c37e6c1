"""Reading a benchmark: a folder with ``benchmark.yaml``, one JSONL file, or one question's YAML file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.schema_errors import schema_findings
from gamut_eval.benchmark.settings import CompileSettings, ScoringSettings
from gamut_eval.benchmark.yaml_file import Places, read_yaml
from gamut_eval.errors import Finding, InputError, Path
from gamut_eval.files import json_rows, why
from gamut_eval.rubric.fields import Model, Text

M = TypeVar("M", bound=BaseModel)
MANIFEST = "benchmark.yaml"


class BenchmarkFile(Model):
    """The fields of ``benchmark.yaml``."""

    name: Text
    version: Text | None = None
    license: Text | None = None
    description: Text | None = None
    questions: Text = "questions/"
    scoring: ScoringSettings = ScoringSettings()
    compile: CompileSettings = CompileSettings()


@dataclass(frozen=True)
class Document:
    """One piece of data with the places of its values."""

    data: Any
    file: str
    places: Places = field(default_factory=dict)
    spelled: dict[Path, str] = field(default_factory=dict)
    line: int | None = None

    def locate(self, finding: Finding) -> Finding:
        """The finding with the file, line and column of the value its path leads to, or of the nearest parent."""
        path = finding.path
        while path not in self.places and path:
            path = path[:-1]
        line, column = self.places.get(path, (self.line, None))
        return replace(finding, file=self.file, line=line, column=column)

    def parse(self, model: type[M]) -> M:
        """The data as a model, or an `InputError` with every error of the schema."""
        try:
            return model.model_validate(self.data)
        except ValidationError as error:
            found = schema_findings(error, model, self.data, self.spelled)
            name = self.data.get("id") if isinstance(self.data, dict) else None
            question_id = name if isinstance(name, str) else None
            raise InputError([replace(self.locate(one), question_id=question_id) for one in found]) from None


def load_benchmark(path: str | FilePath) -> Benchmark:
    """Read a benchmark.

    Parameters
    ----------
    path
        A folder with ``benchmark.yaml``, a ``.jsonl`` file with a question a line, or the YAML
        file of one question.

    Raises
    ------
    InputError
        With every error in every file, each with its line and column.
    """
    benchmark, findings = inspect_benchmark(path)
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors or benchmark is None:
        raise InputError(errors)
    return benchmark


def inspect_benchmark(path: str | FilePath) -> tuple[Benchmark | None, list[Finding]]:
    """Read a benchmark as far as it goes, with all findings; None where there is an error."""
    return _Loading(FilePath(path)).result()


def question_from_dict(row: Mapping[str, Any]) -> Question:
    """A question from plain data with the fields of a question file.

    Raises
    ------
    InputError
        With every error of the schema and the structure.
    """
    document = Document(dict(row), "question")
    question = document.parse(Question)
    errors = [problem for problem in question.problems if problem.severity == "error"]
    if errors:
        raise InputError([document.locate(problem) for problem in errors])
    return question


class _Loading:
    """Collects questions and findings, so that one mistake does not hide the next."""

    def __init__(self, path: FilePath) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self.questions: dict[str, Question] = {}
        self._first: dict[str, Finding] = {}
        self._image_hashes: dict[str, str] = {}

    def result(self) -> tuple[Benchmark | None, list[Finding]]:
        try:
            manifest, root = self._manifest()
            for document in self._documents(manifest, root):
                self._add(document, root)
            if not self.questions and not self._has_errors:
                self.findings.append(Finding("no-questions", "holds no question", file=str(self.path)))
        except InputError as error:
            self.findings += error.findings
        if self._has_errors:
            return None, self.findings
        benchmark = Benchmark(
            name=manifest.name,
            questions=tuple(self.questions.values()),
            version=manifest.version,
            license=manifest.license,
            scoring=manifest.scoring,
            compile=manifest.compile,
            image_hashes=self._image_hashes,
        )
        return benchmark, self.findings

    @property
    def _has_errors(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)

    def _manifest(self) -> tuple[BenchmarkFile, FilePath]:
        if not self.path.is_dir():
            return BenchmarkFile(name=self.path.stem or "-", questions=self.path.name), self.path.parent
        file = self.path / MANIFEST
        if not file.exists():
            message = f"has no {MANIFEST}; 'gamut init {self.path}' writes a starter"
            raise InputError([Finding("unreadable", message, file=str(self.path))])
        return Document(*_yaml(file)).parse(BenchmarkFile), self.path

    def _documents(self, manifest: BenchmarkFile, root: FilePath) -> Iterator[Document]:
        source = root / manifest.questions if str(self.path) != "-" else self.path
        if source.suffix == ".jsonl" or str(source) == "-":
            for line, row in json_rows(source):
                yield Document(row, str(source), line=line)
            return
        for file in self._question_files(source):
            try:
                yield Document(*_yaml(file))
            except InputError as error:
                self.findings += error.findings

    def _question_files(self, source: FilePath) -> list[FilePath]:
        if source.is_dir():
            try:
                files = sorted(file for file in source.rglob("*") if file.suffix in (".yaml", ".yml"))
            except OSError as error:
                raise InputError([Finding("unreadable", why(error), file=str(source))]) from None
            if not files:
                raise InputError([Finding("no-questions", "holds no .yaml file", file=str(source))])
            return files
        if source.suffix not in (".yaml", ".yml") and source.exists():
            message = "is neither a folder, nor .jsonl, nor .yaml; those are the formats that can be read"
            raise InputError([Finding("unreadable", message, file=str(source))])
        return [source]

    def _add(self, document: Document, root: FilePath) -> None:
        try:
            question = document.parse(Question)
        except InputError as error:
            self.findings += error.findings
            return
        problems = [*question.problems, *self._duplicate(document, question), *self._image(question, root)]
        self.findings += [replace(document.locate(problem), question_id=question.id) for problem in problems]
        self.questions.setdefault(question.id, question)

    def _duplicate(self, document: Document, question: Question) -> Iterator[Finding]:
        here = document.locate(Finding("place", "", path=("id",)))
        first = self._first.setdefault(question.id, here)
        if first is not here:
            message = f"the question id {question.id!r} is taken: it is also at {first.place}"
            yield Finding("duplicate-id", message, path=("id",))

    def _image(self, question: Question, root: FilePath) -> Iterator[Finding]:
        image = question.image
        if image is None or any(problem.path[:1] == ("image",) for problem in question.problems):
            return
        if image.package:
            self._image_hashes[question.id] = str(image.sha256)
            return
        try:
            found = hashlib.sha256((root / image.path).read_bytes()).hexdigest()
        except OSError as error:
            yield Finding("image-missing", f"{root / image.path}: {why(error)}", path=("image", "path"))
            return
        self._image_hashes[question.id] = found
        if image.sha256 and image.sha256 != found:
            message = f"the file's SHA-256 is {found}; the image was changed, or the hash is wrong"
            yield Finding("image-hash", message, path=("image", "sha256"))


def _yaml(file: FilePath) -> tuple[Any, str, Places, dict[Path, str]]:
    data, places, spelled = read_yaml(file)
    return data, str(file), places, spelled
