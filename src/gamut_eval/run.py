"""What a run holds, for reading: questions, checks, responses, verdicts, scores, calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polars as pl

from gamut_eval.analysis.contests import Contest
from gamut_eval.analysis.frames import pairs_frame, standings_frame
from gamut_eval.analysis.inference import Inference
from gamut_eval.analysis.source import Source
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.settings import CompileSettings, ScoringSettings
from gamut_eval.errors import InputError
from gamut_eval.files import dump_json, write_bytes, writing
from gamut_eval.records import Response
from gamut_eval.reports.html.page import render_page
from gamut_eval.rubric.check import Check
from gamut_eval.running.folder import EXPORTS, existing
from gamut_eval.running.graded import graded
from gamut_eval.running.journal import Journal, legible
from gamut_eval.running.progress import Progress
from gamut_eval.scoring.counts import Composite
from gamut_eval.scoring.score import Scores, score_graded
from gamut_eval.words import n_words


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
        with legible(self.folder):
            return tuple(Question.model_validate(row) for row in self._journal.questions())

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """All checks, in the order of questions and rubrics."""
        return tuple(self._journal.checks())

    @cached_property
    def compile(self) -> CompileSettings:
        """The settings that the checks were compiled with."""
        with legible(self.folder):
            return CompileSettings.model_validate(self._journal.setting("compile") or {})

    @cached_property
    def scoring(self) -> ScoringSettings:
        """The benchmark's scoring constants."""
        with legible(self.folder):
            return ScoringSettings.model_validate(self._journal.setting("scoring") or {})

    @property
    def flat(self) -> bool:
        """Whether the checks are the flat rubric, made to compare the two levels with."""
        return bool(self._journal.setting("flat"))

    @property
    def first_words(self) -> int | None:
        """How many words the responses were cut to before they were judged; None where they are whole."""
        words: int | None = self._journal.setting("first_words")
        return words

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

    def response_frame(self) -> pl.DataFrame:
        """One row a response, with its text or the error in its place, and how many words it has."""
        rows = [(*response.key, response.text, response.error) for response in self._journal.responses()]
        counted = [(*row, None if row[4] is None else n_words(row[4])) for row in rows]
        return pl.DataFrame(counted, schema=_RESPONSE_COLUMNS, orient="row")

    def standings(self, scores: Scores | None = None, inference: Inference | None = None) -> pl.DataFrame:
        """Models best first, by variant and judge, with intervals and ranks; see `standings_frame`.

        Parameters
        ----------
        scores
            By default `scores()`.
        inference
            Level, method, number of resamples, seed.
        """
        return standings_frame(self._contests(scores, inference))

    def pairs(self, scores: Scores | None = None, inference: Inference | None = None) -> pl.DataFrame:
        """Each two models of a variant and judge, tested; see `pairs_frame`. Parameters are those of `standings`."""
        return pairs_frame(self._contests(scores, inference))

    def _contests(self, scores: Scores | None, inference: Inference | None) -> tuple[Contest, ...]:
        source = self.source(scores or self.scores())
        return replace(source, inference=inference or source.inference).contests

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

    def outline(self, *, allow_incomplete: bool = False) -> Source:
        """The run as a source without the texts of verdicts: scores, and `Journal.outcomes` for ``verdicts``.

        It takes a fraction of the memory of `source`, for what looks at all verdicts, but reads few. ``calls`` are
        left out.

        Parameters
        ----------
        allow_incomplete
            See `score_graded`.
        """
        with self._journal.at_once():
            composite: Composite = self._journal.setting("composite") or "ask"
            subset = bool(self._journal.setting("subset"))
            outcomes = self._journal.outcomes()
            evidence = graded(self._journal, self.questions, subset=subset, outcomes=outcomes)
            responses, settings, judges, asked = self._journal.responses(), self.scoring, self.judges, self.asked
        scores = score_graded(evidence, settings, composite=composite, allow_incomplete=allow_incomplete)
        return Source(self.benchmark, self.questions, self.checks, responses, judges, asked, outcomes, scores)

    def question(self, question_id: str) -> tuple[list[Response], pl.DataFrame]:
        """The responses to one question, and the verdicts on them with their texts, as in `verdicts`."""
        with self._journal.at_once():
            return self._journal.responses(question_id), self._journal.verdicts(question_id)

    def texts_of(self, question_id: str) -> Iterator[str]:
        """What models answered to a question, and why judges gave their verdicts, each text once."""
        return self._journal.texts_of(question_id)

    @property
    def state(self) -> int:
        """A number that is another one after a command has written into the run's journal meanwhile."""
        return self._journal.state()

    @property
    def root(self) -> Path | None:
        """The folder that the questions' image paths start from; None where the benchmark came from no file."""
        root = self._journal.setting("root")
        return Path(root) if isinstance(root, str) else None

    def scores_dict(self, scores: Scores) -> dict[str, Any]:
        """What ``scores.json`` holds (plain data, fractions in [−1, 1], undefined is None)."""
        return {
            "benchmark": self.benchmark,
            "scoring": scores.settings.to_dict(),
            "composite": scores.composite,
            "scores": [row.to_dict() for row in scores.rows],
            "questions": scores.question_rows(),
        }

    def source(self, scores: Scores) -> Source:
        """All that a report needs."""
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
        )

    def export(self, scores: Scores) -> list[Path]:
        """Write ``verdicts.parquet``, ``scores.json`` and ``report.html``; ``exported`` keeps what they are made of."""
        if self.folder is None:
            raise InputError("this run has no folder; give evaluate() one with run=…")
        source = self.source(scores)
        paths = [self.folder / name for name in EXPORTS]
        with writing(paths[0]) as stream:
            source.verdicts.write_parquet(stream)
        write_bytes(paths[1], dump_json(self.scores_dict(scores)))
        write_bytes(paths[2], render_page(source).encode())
        self.exported = source
        return paths


_RESPONSE_COLUMNS = {
    "question_id": pl.String,
    "model": pl.String,
    "variant": pl.String,
    "sample": pl.Int64,
    "response": pl.String,
    "error": pl.String,
    "n_words": pl.Int64,
}
_BENCHMARK = {"name": "benchmark", "version": "version", "hash": "hash"}
