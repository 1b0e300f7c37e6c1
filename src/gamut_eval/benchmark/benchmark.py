"""A benchmark: questions with their rubrics, and the constants to compile and score with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.settings import CompileSettings, ScoringSettings
from gamut_eval.errors import Finding, Place, UnknownNameError
from gamut_eval.hashing import sha256
from gamut_eval.records import Variant
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.compile import compile_rubric
from gamut_eval.rubric.fields import TIERS
from gamut_eval.rubric.item import Compiling


@dataclass(frozen=True)
class Benchmark:
    """Questions by their order, and what compiles and scores them.

    ``image_hashes`` holds the SHA-256 of every image file that was read, by question id; ``root`` is
    the folder that image paths start from.
    ``findings`` are the warnings there were in reading the benchmark,
    ``places`` where each question was read.
    """

    name: str
    questions: tuple[Question, ...]
    version: str | None = None
    license: str | None = None
    scoring: ScoringSettings = field(default_factory=ScoringSettings)
    compile: CompileSettings = field(default_factory=CompileSettings)
    image_hashes: Mapping[str, str] = field(default_factory=dict)
    flat: bool = False
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    places: Mapping[str, Place] = field(default_factory=dict, compare=False)
    description: str | None = None
    root: Path = field(default=Path(), compare=False)

    @cached_property
    def by_id(self) -> dict[str, Question]:
        """Questions by id."""
        return {question.id: question for question in self.questions}

    @property
    def files(self) -> set[str]:
        """The files that its questions were read from."""
        return {place.file for place in self.places.values() if place.file}

    @cached_property
    def checks(self) -> dict[str, tuple[Check, ...]]:
        """The compiled checks of every question, by question id."""
        return {question.id: self.compiled(question, flat=self.flat) for question in self.questions}

    def flattened(self) -> Benchmark:
        """The same questions with the flat rubric to compare the method with, under a name of its own."""
        return replace(self, name=f"{self.name}-flat", flat=True)

    def compiled(self, question: Question, *, flat: bool = False) -> tuple[Check, ...]:
        """The checks of one of the questions; see `compile_rubric`."""
        to = Compiling(question.id, self.compile.long_list)
        return compile_rubric(question.rubric, to, flat=flat)

    def weightless(self) -> Iterator[Finding]:
        """Questions that can have no score, since all their checks are in tiers of weight 0."""
        weights = dict(zip(TIERS, self.scoring.weights.as_tuple(), strict=True))
        for name, checks in self.checks.items():
            if not any(weights[check.tier] for check in checks):
                place = self.places.get(name, Place())
                message = f"question {name!r} has checks only in tiers of weight 0, so it has no score; weigh one"
                yield Finding("weightless", message, file=place.file, line=place.line, question_id=name)

    def question(self, question_id: str) -> Question:
        """The question of that id.

        Raises
        ------
        UnknownNameError
            With near matches.
        """
        if question_id not in self.by_id:
            raise UnknownNameError("question", question_id, self.by_id)
        return self.by_id[question_id]

    def askable(self, variant: Variant) -> list[str]:
        """Ids of the questions that can be asked in that variant."""
        return [question.id for question in self.questions if variant in question.variants]

    @property
    def identity(self) -> dict[str, str | None]:
        """Name, version and hash: which benchmark it is, and in which state."""
        return {"name": self.name, "version": self.version, "hash": self.hash}

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the meaning: what is asked, the checks, the image bytes; not of the file format."""
        return sha256(sorted((self._meaning(question) for question in self.questions), key=lambda row: str(row["id"])))

    def _meaning(self, question: Question) -> dict[str, Any]:
        asked = question.model_dump(include={"id", "domain", "question", "text_only", "subject", "group"})
        checks = [check.to_dict() for check in self.checks[question.id]]
        vouched = question.image.sha256 if question.image else None
        return asked | {"image": self.image_hashes.get(question.id, vouched), "checks": checks}
