"""Reading a benchmark: a folder with ``benchmark.yaml``, one JSONL or Parquet file, or one question's YAML file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.images import image_bytes
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.schema_errors import schema_findings
from gamut_eval.benchmark.settings import CompileSettings, ScoringSettings
from gamut_eval.benchmark.yaml_file import Places, read_yaml
from gamut_eval.errors import Finding, InputError, Path, Place
from gamut_eval.files import json_rows, native, ordinary, shown, why
from gamut_eval.rubric.compile import compile_edited
from gamut_eval.rubric.fields import Model, Text
from gamut_eval.rubric.item import Compiling

M = TypeVar("M", bound=BaseModel)
MANIFEST = "benchmark.yaml"
PASSED_OVER = ("picture",)
"""Columns of a Parquet file that are for others: the images embedded, which ``image`` names."""
_FAULTY = {"image-missing": "path", "image-path": "path", "image-hash": "sha256"}


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
            return model.model_validate(self.data, by_alias=True, by_name=False)
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
        A folder with ``benchmark.yaml``, a ``.jsonl`` file with a question a line, a ``.parquet``
        file with a question a row, or the YAML file of one question.

    Raises
    ------
    InputError
        With every error in every file, each with its line and column (in Parquet, its row).
    """
    benchmark, findings = inspect_benchmark(path)
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors or benchmark is None:
        raise InputError(errors)
    return benchmark


def inspect_benchmark(path: str | FilePath) -> tuple[Benchmark | None, list[Finding]]:
    """Read a benchmark as far as it goes, with all findings; None where there is an error."""
    return Loading(FilePath(path)).result()


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


class Loading:
    """Collects questions and findings, so that one mistake does not hide the next.

    A subclass may look at each question while the places of its values are at hand: `reviewed`.
    """

    def __init__(self, path: FilePath) -> None:
        self.path = path.parent if path.name == MANIFEST else path
        self.findings: list[Finding] = []
        self.questions: dict[str, Question] = {}
        self._first: dict[str, Finding] = {}
        self._image_hashes: dict[str, str] = {}
        self.settings = CompileSettings()

    def result(self) -> tuple[Benchmark | None, list[Finding]]:
        try:
            manifest, source, root = self._manifest()
            self.settings = manifest.compile
            for document in self._documents(source):
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
            description=manifest.description,
            scoring=manifest.scoring,
            compile=manifest.compile,
            image_hashes=self._image_hashes,
            findings=tuple(self.findings),
            places={name: Place(first.file, first.line) for name, first in self._first.items()},
            root=root,
        )
        return benchmark, self.findings

    @property
    def _has_errors(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)

    def _manifest(self) -> tuple[BenchmarkFile, FilePath, FilePath]:
        """The constants, where the questions are, and the folder that image paths start from."""
        if str(self.path) == "-" or not os.path.isdir(self.path):
            return BenchmarkFile.model_construct(name=shown(self.path.stem)), self.path, image_root(self.path)
        file = self.path / MANIFEST
        if not file.exists():
            message = f"has no {MANIFEST}; 'gamut init {self.path}' writes a starter"
            raise InputError([Finding("unreadable", message, file=str(self.path))])
        manifest = Document(*_yaml(ordinary(file))).parse(BenchmarkFile)
        return manifest, self.path / native(manifest.questions), self.path

    def _documents(self, source: FilePath) -> Iterator[Document]:
        if source.suffix == ".jsonl" or str(source) == "-":
            for line, row in json_rows(source):
                yield Document(row, str(source), line=line)
            return
        if source.suffix == ".parquet":
            yield from _parquet_documents(source)
            return
        for file in self._question_files(source):
            try:
                yield Document(*_yaml(file if file == source else ordinary(file)))
            except InputError as error:
                self.findings += error.findings

    def _question_files(self, source: FilePath) -> list[FilePath]:
        if os.path.isdir(source):
            files = sorted(file for file in _files(source) if file.suffix in (".yaml", ".yml"))
            if not files:
                raise InputError([Finding("no-questions", "holds no .yaml file", file=str(source))])
            return files
        if source.suffix not in (".yaml", ".yml") and os.path.exists(source):
            message = "is neither a folder, nor .jsonl, .parquet or .yaml; those are the formats that can be read"
            raise InputError([Finding("unreadable", message, file=str(source))])
        return [source]

    def _add(self, document: Document, root: FilePath) -> None:
        try:
            question = document.parse(Question)
        except InputError as error:
            self.findings += self.reviewed(document, None, list(error.findings))
            return
        problems = [*question.problems, *self._duplicate(document, question), *self._image(question, root)]
        problems += self._unapplied(question)
        found = [replace(document.locate(problem), question_id=question.id) for problem in problems]
        self.findings += self.reviewed(document, question, found)
        self.questions.setdefault(question.id, question)

    def reviewed(self, document: Document, question: Question | None, found: list[Finding]) -> list[Finding]:
        """What to report of a question, from what was found in it. None for the question: it could not be read."""
        return found

    def _unapplied(self, question: Question) -> Iterator[Finding]:
        if not question.rubric.edits or any(problem.severity == "error" for problem in question.problems):
            return
        try:
            edited = compile_edited(question.rubric, Compiling(question.id, self.settings.long_list))
        except InputError as error:
            yield from (replace(finding, path=("rubric", "edits")) for finding in error.findings)
        else:
            yield from (finding.under("rubric") for finding in edited.unapplied)

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
            return
        try:
            data = image_bytes(image, root)
        except InputError as error:
            yield from (replace(one, path=("image", _FAULTY[one.code])) for one in error.findings)
        else:
            self._image_hashes[question.id] = hashlib.sha256(data).hexdigest()


def _parquet_documents(file: FilePath) -> Iterator[Document]:
    from gamut_eval.benchmark.parquet_file import parquet_rows, parsed_column

    for number, row in parquet_rows(file, Question.model_fields, others=PASSED_OVER):
        yield Document(parsed_column(row, "rubric", file, number), str(file), line=number)


def image_root(path: FilePath) -> FilePath:
    """The folder that the image paths of the benchmark at ``path`` start from."""
    return path if os.path.isdir(path) else _home(path)


def _home(file: FilePath) -> FilePath:
    """The folder of the benchmark that a question's file is in, else the file's own."""
    return next((folder for folder in file.absolute().parents if (folder / MANIFEST).is_file()), file.parent)


def _files(folder: FilePath) -> Iterator[FilePath]:
    """Every file in the folder and below; a folder that cannot be listed is an error, not an empty one."""

    def refuse(error: OSError) -> NoReturn:
        raise InputError([Finding("unreadable", why(error), file=str(error.filename))])

    return (FilePath(at) / name for at, _, names in os.walk(folder, onerror=refuse) for name in names)


def _yaml(file: FilePath) -> tuple[Any, str, Places, dict[Path, str]]:
    data, places, spelled = read_yaml(file)
    return data, str(file), places, spelled
