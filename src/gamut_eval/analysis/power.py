"""How many questions it takes to be as sure as one wants, of a model's score and of who is ahead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np

from gamut_eval.analysis.contests import OPEN, cluster_keys, question_scores
from gamut_eval.analysis.places import by_contest
from gamut_eval.analysis.source import Source
from gamut_eval.scoring.counts import CONSENSUS
from gamut_eval.stats.power import Spread, questions_needed, questions_to_tell, smallest_difference, spread
from gamut_eval.stats.table import Floats, ScoreTable

_LARGEST = 2.0
"""Scores lie between −1 and 1."""
_UNDECIDED = "a question lacks a verdict of more than half of the judges, so there is no mean"
_TOO_FEW = "so few questions, or clusters of them, find no difference with such certainty, however large"


@dataclass(frozen=True)
class Aim:
    """What one wants, in fractions.

    Each score ± ``half_width``; two models' ``difference`` found with a probability of ``power``, where ``n_tests``
    pairs are tested together. None is not asked for; of ``n_tests`` it means all pairs of a contest.
    """

    half_width: float | None = None
    difference: float | None = None
    power: float = 0.8
    n_tests: int | None = None


@dataclass(frozen=True)
class Plan:
    """What one model, or the difference of two neighbours in rank, needs.

    ``other`` is None for a model's own score, else the next model in rank. ``estimate`` is the score or the difference
    at hand, None where there is none, and ``spread`` says what it is a mean over. ``detects`` is the smallest true
    difference that the questions at hand find. Where a number cannot be said, ``why`` says the reason.
    """

    model: str
    other: str | None
    estimate: float | None
    spread: Spread
    n_for_half_width: int | None = None
    n_for_difference: int | None = None
    detects: float | None = None
    why: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "model": self.model,
            "other": self.other,
            "estimate": self.estimate,
            "n_questions": self.spread.n_questions,
            "n_clusters": self.spread.n_clusters,
            "standard_deviation": self.spread.standard_deviation,
            "design_effect": self.spread.design_effect,
            "n_for_half_width": self.n_for_half_width,
            "n_for_difference": self.n_for_difference,
            "detects": self.detects,
            "why": self.why,
        }


@dataclass(frozen=True)
class ContestPlan:
    """The plans of one variant and judge: models best first, then each two neighbours, of ``n_tests`` pairs tested."""

    variant: str
    judge: str
    models: tuple[Plan, ...]
    neighbours: tuple[Plan, ...]
    n_tests: int

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "variant": self.variant,
            "judge": self.judge,
            "n_tests": self.n_tests,
            "models": [plan.to_dict() for plan in self.models],
            "neighbours": [plan.to_dict() for plan in self.neighbours],
        }


def plans(source: Source, aim: Aim) -> tuple[ContestPlan, ...]:
    """What it takes, a plan a variant and judge.

    Raises
    ------
    MissingExtraError
        SciPy is not installed.
    """
    return tuple(
        _contest(source, variant, judge, [row.model for row in rows], aim)
        for (variant, judge), rows in by_contest(source.scores.rows).items()
    )


def _contest(source: Source, variant: str, judge: str, models: list[str], aim: Aim) -> ContestPlan:
    known = question_scores(source, variant, judge)
    table = ScoreTable.joined({model: known.get(model, {}) for model in models}, cluster_keys(source.questions))
    level = source.inference.level
    columns = {model: table.scores[:, table.column(model)] for model in models}
    n_tests = aim.n_tests or max(1, comb(len(known), 2))

    def plan(model: str, other: str | None, values: Floats) -> Plan:
        present = values[~np.isnan(values)]
        found = spread(values, table.clusters)
        if not len(present):
            return Plan(model, other, None, found, why=_UNDECIDED if judge == CONSENSUS else OPEN)
        return _planned(Plan(model, other, float(present.mean()), found, why=found.why), aim, level, n_tests)

    return ContestPlan(
        variant,
        judge,
        tuple(plan(model, None, columns[model]) for model in models),
        tuple(plan(one, other, columns[one] - columns[other]) for one, other in pairwise(models)),
        n_tests,
    )


def _planned(plan: Plan, aim: Aim, level: float, n_tests: int) -> Plan:
    """With its numbers, where the spread is known."""
    own = plan.spread
    if own.standard_deviation is None or own.design_effect is None:
        return plan
    about: dict[str, Any] = {
        "standard_deviation": own.standard_deviation,
        "level": level,
        "design_effect": own.design_effect,
        "cluster_size": own.cluster_size,
    }
    if aim.half_width is not None:
        plan = replace(plan, n_for_half_width=questions_needed(aim.half_width, **about))
    if plan.other is None:
        return plan
    about |= {"power": aim.power, "tests": n_tests}
    if aim.difference is not None:
        plan = replace(plan, n_for_difference=questions_to_tell(aim.difference, **about))
    detects = smallest_difference(own.n_questions, **about)
    if detects is None or detects > _LARGEST:
        return replace(plan, why=_TOO_FEW)
    return replace(plan, detects=detects)
