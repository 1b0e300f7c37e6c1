"""All that a report may draw on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from gamut_eval.analysis.contests import Contest, contests, question_scores
from gamut_eval.analysis.inference import Inference
from gamut_eval.benchmark.question import Question
from gamut_eval.records import VERDICTS, Response, Verdict
from gamut_eval.rubric.check import Check
from gamut_eval.scoring.counts import (
    RESPONSE,
    UNIT,
    Ballots,
    Graded,
    Tally,
    ballots,
    checks_frame,
    count_verdicts,
    derive_coverage,
)
from gamut_eval.scoring.score import Scores

_TYPES = (pl.String, pl.String, pl.String, pl.Int64)
_ASKED = {"model": pl.String, "variant": pl.String, "judge": pl.String, "repeats": pl.Int64}


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
    ``flat`` is a run of the flat rubric, to compare with. ``published`` asks for the paper's figures beside these.
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
    flat: Source | None = None
    published: bool = False

    @cached_property
    def contests(self) -> tuple[Contest, ...]:
        """The models of each variant and judge, with intervals, ranks and tests."""
        return contests(self)

    @cached_property
    def by_question(self) -> dict[tuple[str, str, str], dict[str, float | None]]:
        """By variant, judge and model: scores of those questions that its mean is over; without a mean, no entry."""
        return question_scores(self)

    @cached_property
    def graded(self) -> Graded:
        """What scoring takes, derived verdicts in place of asked ones."""
        askable = self.scores.questions.select("variant", "question_id").unique(maintain_order=True)
        responses = [response.key for response in self.responses]
        graded = Graded(
            checks_frame(self.checks),
            pl.DataFrame(responses, schema=dict(zip(RESPONSE, _TYPES, strict=True)), orient="row"),
            pl.DataFrame(self.asked, schema=_ASKED, orient="row"),
            askable,
            self.verdicts.select(*UNIT, "check_id", "verdict"),
        )
        return derive_coverage(graded) if self.scores.composite == "derive" else graded

    @cached_property
    def tally(self) -> Tally:
        """How many checks of each response got which verdict from each judge, by tier."""
        return count_verdicts(self.graded)

    @cached_property
    def ballots(self) -> Ballots:
        """What each judge said of each check of each response; nothing of empty ones and refusals, that none saw."""
        given = ballots(self.graded)
        missing = VERDICTS.index(Verdict.MISSING)
        by_key = {response.key: response for response in self.responses}
        keys = given.ballots.select(RESPONSE).rows()
        all_missing = np.flatnonzero(((given.said == missing) | (given.said < 0)).all(axis=(1, 2)))
        unseen = [place for place in all_missing.tolist() if by_key[keys[place]].says_nothing]
        said = given.said.copy()
        said[unseen] = -1
        return replace(given, said=said)

    @property
    def derived(self) -> set[tuple[str, str]]:
        """Question and check ids of the checks whose verdicts come from those on their parts."""
        if self.scores.composite != "derive":
            return set()
        return {(c.question_id, c.id) for c in self.checks if c.parts and c.threshold is not None}

    def narrowed(self, question_ids: Sequence[str]) -> Source:
        """The same for some questions only; the leaderboard stays that of all."""
        names = set(question_ids)
        if names.issuperset(question.id for question in self.questions):
            return self
        inside = pl.col("question_id").is_in(list(names))
        return replace(
            self,
            questions=[question for question in self.questions if question.id in names],
            checks=[check for check in self.checks if check.question_id in names],
            responses=[response for response in self.responses if response.question_id in names],
            verdicts=self.verdicts.filter(inside),
            scores=replace(self.scores, questions=self.scores.questions.filter(inside)),
        )
