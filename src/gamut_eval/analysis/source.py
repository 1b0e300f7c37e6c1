"""All that a report may draw on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from gamut_eval.analysis.contests import Contest, contest
from gamut_eval.analysis.inference import Inference
from gamut_eval.analysis.places import by_contest
from gamut_eval.benchmark.question import Question
from gamut_eval.records import VERDICTS, Response, Verdict
from gamut_eval.rubric.check import Check
from gamut_eval.scoring.counts import (
    ASKED_TYPES,
    CONSENSUS,
    PANEL,
    RESPONSE,
    RESPONSE_TYPES,
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

_CHECK = {"question_id": pl.String, "check_id": pl.String}


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
        """The models of each variant and judge (panel and consensus too), in the leaderboard's order."""
        return tuple(self.contest(*key) for key in by_contest(self.scores.rows))

    def contest(self, variant: str, judge: str) -> Contest:
        """One of `contests`: its models with intervals, ranks and tests."""
        if (variant, judge) not in self._contests:
            self._contests[variant, judge] = contest(self, variant, judge)
        return self._contests[variant, judge]

    @cached_property
    def _contests(self) -> dict[tuple[str, str], Contest]:
        return {}

    @cached_property
    def graded(self) -> Graded:
        """What scoring takes, derived verdicts in place of asked ones."""
        askable = self.scores.questions.select("variant", "question_id").unique(maintain_order=True)
        responses = [response.key for response in self.responses]
        graded = Graded(
            checks_frame(self.checks),
            pl.DataFrame(responses, schema=RESPONSE_TYPES, orient="row"),
            pl.DataFrame(self.asked, schema=ASKED_TYPES, orient="row"),
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
        unseen = [at for at in all_missing.tolist() if (own := by_key.get(keys[at])) and own.says_nothing]
        said = given.said.copy()
        said[unseen] = -1
        return replace(given, said=said)

    @property
    def said_of_judges(self) -> tuple[str, ...]:
        """What changes how the judges' verdicts may be read, such as that one only matches words."""
        return tuple(dict.fromkeys(about["note"] for about in self.judges.values() if about["note"]))

    @property
    def derived(self) -> set[tuple[str, str]]:
        """Question and check ids of the checks whose verdicts come from those on their parts."""
        if self.scores.composite != "derive":
            return set()
        return {(c.question_id, c.id) for c in self.checks if c.parts and c.threshold is not None}

    @property
    def derived_frame(self) -> pl.DataFrame:
        """The same as a frame: question_id, check_id."""
        return pl.DataFrame(sorted(self.derived), schema=_CHECK, orient="row")

    @property
    def asked_verdicts(self) -> pl.DataFrame:
        """Those of ``verdicts`` that count: no derived verdict stands in their place."""
        return self.verdicts.join(self.derived_frame, on=list(_CHECK), how="anti") if self.derived else self.verdicts

    @property
    def derived_verdicts(self) -> pl.DataFrame:
        """The derived verdicts: the columns of `UNIT`, check_id and verdict."""
        return self.graded.verdicts.join(self.derived_frame, on=list(_CHECK), how="semi")

    def where(
        self,
        *,
        variant: str | None = None,
        judges: Collection[str] = (),
        models: Collection[str] = (),
        questions: Collection[str] | None = None,
    ) -> Source:
        """The same with this variant, these judges, models and questions only; by default with all.

        Models are compared over the questions that are complete for those that are left (`Scores.where`). Where
        questions are left out the leaderboard stays that of all. Panel and consensus rest on what all judges said.
        """
        if questions is not None and {question.id for question in self.questions}.issubset(questions):
            questions = None
        scores = self.scores.where(variant=variant, judges=judges, models=models)
        asked = () if {PANEL, CONSENSUS}.intersection(judges) else judges
        wanted = {"variant": None if variant is None else {variant}, "judge": set(asked) or None}
        wanted |= {"model": set(models) or None, "question_id": None if questions is None else set(questions)}
        inside = {name: own for name, own in wanted.items() if own is not None}
        of_answers = [(name, own) for name, own in inside.items() if name != "judge"]
        named = [(place, inside[name]) for place, name in enumerate(("model", "variant", "judge")) if name in inside]
        found = replace(
            self,
            responses=[one for one in self.responses if all(getattr(one, name) in own for name, own in of_answers)],
            judges={name: about for name, about in self.judges.items() if not asked or name in asked},
            asked=[row for row in self.asked if all(row[place] in own for place, own in named)],
            verdicts=self.verdicts.filter(_in(inside)) if inside else self.verdicts,
            scores=scores,
        )
        if questions is None:
            return found
        only = inside["question_id"]
        return replace(
            found,
            questions=[question for question in self.questions if question.id in only],
            checks=[check for check in self.checks if check.question_id in only],
            scores=replace(scores, questions=scores.questions.filter(_in({"question_id": only}))),
        )


def _in(names: Mapping[str, Collection[str]]) -> list[pl.Expr]:
    return [pl.col(name).is_in(list(own)) for name, own in names.items()]
