"""All that a report may draw on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import polars as pl

from gamut_eval.analysis.contests import Contest, contests
from gamut_eval.analysis.inference import Inference
from gamut_eval.benchmark.question import Question
from gamut_eval.records import Response
from gamut_eval.rubric.check import Check
from gamut_eval.scoring.score import Scores


@dataclass(frozen=True)
class Source:
    """One run: the benchmark's ``name``, ``version`` and ``hash``; what was asked, answered and judged; the scores.

    ``judges`` maps a judge's name to its ``settings`` and ``note``; ``asked`` has a row a model,
    variant and judge, with how often it was to be asked. ``verdicts`` has the columns of the journal's
    view: question_id, model, variant, sample, check_id, tier, kind, judge, repeat, verdict (None
    where the judge failed), quote, rationale, error, error_message, check_hash, response_hash, at, more.
    The texts of ``responses`` are read when they are looked at, as long as the run is open. ``calls``
    has a row a call: role, name, model, error, tokens, cost, seconds, from_cache. ``only`` are the
    questions to show in full; empty for all. ``notes`` are what has to be said of runs that were put together.
    """

    benchmark: dict[str, Any]
    questions: Sequence[Question]
    checks: Sequence[Check]
    responses: Sequence[Response]
    judges: dict[str, dict[str, Any]]
    asked: Sequence[tuple[str, str, str, int]]
    verdicts: pl.DataFrame
    scores: Scores
    calls: pl.DataFrame = field(default_factory=pl.DataFrame)
    only: tuple[str, ...] = ()
    inference: Inference = field(default_factory=Inference)
    notes: tuple[str, ...] = ()

    @cached_property
    def contests(self) -> tuple[Contest, ...]:
        """The models of each variant and judge, with intervals, ranks and tests."""
        return contests(self)

    @property
    def derived(self) -> set[tuple[str, str]]:
        """Question and check ids of the checks whose verdicts come from those on their parts."""
        if self.scores.composite != "derive":
            return set()
        return {(c.question_id, c.id) for c in self.checks if c.parts and c.threshold is not None}

    def narrowed(self, question_ids: Sequence[str]) -> Source:
        """The same for some questions only; the leaderboard stays that of all."""
        names = set(question_ids)
        inside = pl.col("question_id").is_in(list(names))
        return replace(
            self,
            questions=[question for question in self.questions if question.id in names],
            checks=[check for check in self.checks if check.question_id in names],
            responses=[response for response in self.responses if response.question_id in names],
            verdicts=self.verdicts.filter(inside),
            scores=replace(self.scores, questions=self.scores.questions.filter(inside)),
        )
