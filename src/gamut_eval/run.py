"""What a run holds, for reading: questions, checks, responses, verdicts, scores, calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.settings import CompileSettings, ScoringSettings
from gamut_eval.errors import InputError, UnknownNameError
from gamut_eval.files import dump_json, write_bytes, writing
from gamut_eval.records import Response
from gamut_eval.reports.html.page import render_page
from gamut_eval.rubric.check import Check
from gamut_eval.running.folder import existing
from gamut_eval.running.graded import graded
from gamut_eval.running.journal import Journal, legible
from gamut_eval.running.progress import Progress
from gamut_eval.scoring.counts import Composite
from gamut_eval.scoring.score import Scores, score_graded


class Run:
    """What a run holds: its questions, checks, responses, verdicts and scores.

    Examples
    --------
    >>> import gamut_eval
    >>> question = {"id": "q", "domain": "food", "question": "What colour is the sky on a clear day?", "rubric":
    ...     {"items": [{"id": "colour", "type": "simple", "tier": "answer_critical", "statement": "The sky is blue."}]}}
    >>> answer = {"question_id": "q", "model": "me", "variant": "text_only", "response": "The sky is blue."}
    >>> with gamut_eval.evaluate([question], [answer]) as run:
    ...     [row.gamut for row in run.scores().rows]
    [1.0]
    """

    def __init__(self, journal: Journal, folder: Path | None = None, progress: Progress | None = None) -> None:
        self._journal = journal
        self.folder = folder
        self.progress = progress or Progress()
        self.exported: Source | None = None

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Open a run folder for reading, also while a command is at work in it."""
        folder = Path(folder)
        return cls(Journal(existing(folder), readonly=True), folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the journal."""
        self._journal.close()

    @cached_property
    def benchmark(self) -> dict[str, Any]:
        """The benchmark's ``name``, ``version`` and ``hash``."""
        return {name: self._journal.setting(key) for name, key in _BENCHMARK.items()}

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The benchmark's questions."""
        with legible():
            return tuple(Question.model_validate(row) for row in self._journal.questions())

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """All checks, in the order of questions and rubrics."""
        return tuple(self._journal.checks())

    @cached_property
    def compile(self) -> CompileSettings:
        """The settings that the checks were compiled with."""
        with legible():
            return CompileSettings.model_validate(self._journal.setting("compile") or {})

    @cached_property
    def scoring(self) -> ScoringSettings:
        """The benchmark's scoring constants."""
        with legible():
            return ScoringSettings.model_validate(self._journal.setting("scoring") or {})

    @property
    def judges(self) -> dict[str, dict[str, Any]]:
        """Each judge's ``settings`` and ``note``."""
        return self._journal.judges()

    @property
    def asked(self) -> list[tuple[str, str, str, int]]:
        """Which judge was to grade what, and how often: rows of model, variant, judge, repeats."""
        return self._journal.asked()

    def responses(self) -> list[Response]:
        """All responses."""
        return [replace(response, text=response.text) for response in self._journal.responses()]

    def verdicts(self) -> pl.DataFrame:
        """One row a check: the columns of a verdict file, with ``tier``, ``kind``, ``error`` and ``at``."""
        return self._journal.verdicts()

    def calls(self) -> pl.DataFrame:
        """One row a call to a model: role, name, model that answered, error, tokens, cost in US dollars, seconds."""
        return self._journal.calls()

    def scores(
        self,
        settings: ScoringSettings | None = None,
        *,
        allow_incomplete: bool = False,
        subset: bool | None = None,
    ) -> Scores:
        """Score the verdicts there are; nothing is asked.

        Parameters
        ----------
        settings
            λ, μ and weights; by default the benchmark's.
        allow_incomplete
            See `score_graded`.
        subset
            Whether unanswered questions were left out on purpose; by default as the run was made.
        """
        with self._journal.at_once():  # a command that begins meanwhile may change what the run is about
            composite: Composite = self._journal.setting("composite") or "ask"
            subset = bool(self._journal.setting("subset")) if subset is None else subset
            evidence = graded(self._journal, self.questions, subset=subset)
            settings = settings or self.scoring
        return score_graded(evidence, settings, composite=composite, allow_incomplete=allow_incomplete)

    def scores_dict(self, scores: Scores) -> dict[str, Any]:
        """What ``scores.json`` holds (plain data, fractions in [−1, 1], undefined is None)."""
        return {
            "benchmark": self.benchmark,
            "scoring": scores.settings.to_dict(),
            "composite": scores.composite,
            "scores": [row.to_dict() for row in scores.rows],
            "questions": scores.question_rows(),
        }

    def source(self, scores: Scores, only: Sequence[str] = ()) -> Source:
        """All that a report needs; ``only`` are the questions to show in full, empty for all.

        Raises
        ------
        UnknownNameError
            One of ``only`` is not a question of the run.
        """
        known = {question.id for question in self.questions}
        for name in only:
            if name not in known:
                raise UnknownNameError("question", name, known)
        return Source(
            self.benchmark,
            self.questions,
            self.checks,
            self._journal.responses(),
            self.judges,
            self.asked,
            self.verdicts(),
            scores,
            self.calls(),
            tuple(dict.fromkeys(only)),
        )

    def export(self, scores: Scores) -> list[Path]:
        """Write ``verdicts.parquet``, ``scores.json`` and ``report.html``; ``exported`` keeps what they are made of."""
        if self.folder is None:
            raise InputError("this run has no folder; give evaluate() one with run=…")
        source = self.source(scores)
        paths = [self.folder / name for name in ("verdicts.parquet", "scores.json", "report.html")]
        with writing(paths[0]) as stream:
            source.verdicts.write_parquet(stream)
        write_bytes(paths[1], dump_json(self.scores_dict(scores)))
        write_bytes(paths[2], render_page(source).encode())
        self.exported = source
        return paths


_BENCHMARK = {"name": "benchmark", "version": "version", "hash": "hash"}
