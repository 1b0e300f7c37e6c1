"""How many questions it would take to be as sure as one wants, of a model's score and of who is ahead."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gamut_eval.analysis.contests import OPEN, cluster_keys
from gamut_eval.analysis.source import Source
from gamut_eval.stats.power import Needed, questions_needed_from
from gamut_eval.stats.table import Floats, ScoreTable


@dataclass(frozen=True)
class Plan:
    """What one model, or the difference of two neighbours in rank, needs.

    ``other`` is None for a model's own score, else the next model in rank. ``estimate`` is the score or the difference
    at hand, None where there is none, and ``n_questions`` what it is a mean over. Where a number cannot be said,
    ``needed`` says why.
    """

    model: str
    other: str | None
    estimate: float | None
    n_questions: int
    needed: Needed

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        needed = self.needed
        return {
            "model": self.model,
            "other": self.other,
            "estimate": self.estimate,
            "n_questions": self.n_questions,
            "n_needed": needed.n_questions,
            "standard_deviation": needed.standard_deviation,
            "design_effect": None if needed.standard_deviation is None else needed.design_effect,
            "why": needed.why,
        }


@dataclass(frozen=True)
class ContestPlan:
    """The plans of one variant and judge: models best first, then each two neighbours."""

    variant: str
    judge: str
    models: tuple[Plan, ...]
    neighbours: tuple[Plan, ...]


def plans(source: Source, half_width: float) -> tuple[ContestPlan, ...]:
    """What it takes for intervals of mean ± ``half_width`` (a fraction), a plan a variant and judge.

    Raises
    ------
    MissingExtraError
        SciPy is not installed.
    """
    grouped: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for row in source.scores.rows:
        place = float("inf") if row.gamut is None else -row.gamut
        grouped.setdefault((row.variant, row.judge), []).append((place, row.model))
    best_first = {key: [model for _, model in sorted(rows)] for key, rows in grouped.items()}
    return tuple(_contest(source, *key, models, half_width) for key, models in best_first.items())


def _contest(source: Source, variant: str, judge: str, models: list[str], half_width: float) -> ContestPlan:
    scores = {model: source.by_question.get((variant, judge, model), {}) for model in models}
    table = ScoreTable.joined(scores, cluster_keys(source.questions))
    level = source.inference.level

    def plan(model: str, other: str | None, values: Floats) -> Plan:
        present = values[~np.isnan(values)]
        if not len(present):
            return Plan(model, other, None, 0, Needed(None, half_width, level, None, 1.0, (), OPEN))
        needed = questions_needed_from(values, half_width, clusters=table.clusters, level=level)
        return Plan(model, other, float(present.mean()), len(present), needed)

    columns = {model: table.scores[:, table.column(model)] for model in models}
    return ContestPlan(
        variant,
        judge,
        tuple(plan(model, None, columns[model]) for model in models),
        tuple(plan(one, other, columns[one] - columns[other]) for one, other in pairwise(models)),
    )
