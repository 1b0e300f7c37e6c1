"""Does the ranking hold under other scoring constants? Everything rescored from the same verdicts.

A benchmark's score is linear in the scores of single responses, so that counts and weights are taken once, and each
setting costs two formulas.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np
import polars as pl

from gamut_eval.analysis.places import alike, by_contest, places
from gamut_eval.analysis.source import Source
from gamut_eval.benchmark.settings import ScoringSettings, TierWeights
from gamut_eval.scoring.counts import CONSENSUS, PANEL, UNIT
from gamut_eval.scoring.formula import Floats, gamut_score, tier_scores
from gamut_eval.scoring.score import LEADERBOARD, QUESTION
from gamut_eval.stats.ranks import RankAgreement
from gamut_eval.stats.table import Ints

LAMBDAS = (0.0, 0.25, 0.5, 0.75, 1.0)
MUS = (-0.5, -1.0, -2.0, -4.0)
WEIGHTS = {
    "paper": TierWeights(),
    "equal": TierWeights(answer_critical=1.0, valuable=1.0, context=1.0),
    "answer-critical only": TierWeights(answer_critical=1.0, valuable=0.0, context=0.0),
    "0.5 / 0.3 / 0.2": TierWeights(answer_critical=0.5, valuable=0.3, context=0.2),
}
OWN_WEIGHTS = "the run's own"
_SAME = 1e-12


@dataclass(frozen=True)
class Setting:
    """Scoring constants with the name of their weights."""

    weights: str
    constants: ScoringSettings

    @property
    def lambda_(self) -> float:
        """The credit for *partially meets*."""
        return self.constants.lambda_

    @property
    def mu(self) -> float:
        """The value of *contradicts*."""
        return self.constants.mu


@dataclass(frozen=True)
class Rescored:
    """The models' scores and places under a setting, and how far the order is that of the run's own constants.

    ``swapped`` are the pairs, the run's better model first, that stand the other way round. ``n_left_out`` questions
    have no check in a tier that weighs anything there, and so no score.
    """

    setting: Setting
    scores: Mapping[str, float | None]
    places: Mapping[str, int | None]
    ranking: RankAgreement
    swapped: tuple[tuple[str, str], ...]
    n_left_out: int


@dataclass(frozen=True)
class Sensitivity:
    """One variant and judge: ``models``, best first, under the run's ``own`` constants and under a grid of others."""

    variant: str
    judge: str
    models: tuple[str, ...]
    own: Rescored
    grid: tuple[Rescored, ...]

    @cached_property
    def n_stable(self) -> int:
        """How many models, from the first on, stand in the same order under all settings, before all others."""
        stable = 0
        for place, model in enumerate(self.models, 1):
            if any(rescored.places[model] != self.own.places[model] for rescored in (self.own, *self.grid)):
                break
            stable = place
        return stable

    @cached_property
    def swaps(self) -> dict[tuple[str, str], tuple[Setting, ...]]:
        """Pairs, the run's better model first, with the settings under which they change places; most often first."""
        found: dict[tuple[str, str], list[Setting]] = {}
        for rescored in self.grid:
            for pair in rescored.swapped:
                found.setdefault(pair, []).append(rescored.setting)
        order = {pair: place for place, pair in enumerate(combinations(self.models, 2))}
        ordered = sorted(found.items(), key=lambda item: (-len(item[1]), order[item[0]]))
        return {pair: tuple(settings) for pair, settings in ordered}

    def span(self, model: str) -> tuple[tuple[float, float] | None, tuple[int, int] | None]:
        """The lowest and highest score of a model under any setting, and its best and worst place."""
        scores = [score for one in self.grid if (score := one.scores[model]) is not None]
        ranks = [place for one in self.grid if (place := one.places[model]) is not None]
        return (min(scores), max(scores)) if scores else None, (min(ranks), max(ranks)) if ranks else None


def settings_grid(own: ScoringSettings) -> list[Setting]:
    """All combinations of the constants, the run's own weights among them.

    >>> len(settings_grid(ScoringSettings())), settings_grid(ScoringSettings())[0].weights
    (80, 'paper')
    """
    weights = dict(WEIGHTS)
    if _ratios(own.weights) not in map(_ratios, weights.values()):
        weights[OWN_WEIGHTS] = own.weights
    lambdas, mus = (tuple(dict.fromkeys((*given, one))) for given, one in ((LAMBDAS, own.lambda_), (MUS, own.mu)))
    return [
        Setting(name, ScoringSettings(lambda_=lambda_, mu=mu, weights=given))
        for (name, given), mu, lambda_ in product(weights.items(), mus, lambdas)
    ]


def named_weights(weights: TierWeights) -> str:
    """What the grid calls these weights."""
    return next((name for name, known in WEIGHTS.items() if _ratios(known) == _ratios(weights)), OWN_WEIGHTS)


def _ratios(weights: TierWeights) -> tuple[float, ...]:
    whole = sum(weights.as_tuple())
    return tuple(round(weight / whole, 12) for weight in weights.as_tuple())


def sensitivities(source: Source) -> tuple[Sensitivity, ...]:
    """One entry a variant and judge, the panel too, in which a model has a score.

    Under the run's own constants the scores are those of the leaderboard.
    """
    parts = _linear(source)
    own = source.scores.settings
    settings = [Setting(named_weights(own.weights), own), *settings_grid(own)]
    scored = _scores(source, parts, settings)
    known = (row for row in source.scores.rows if row.gamut is not None and row.judge != CONSENSUS)
    models = {contest: [row.model for row in rows] for contest, rows in by_contest(known).items()}
    return tuple(_of_contest(*contest, own, settings, scored) for contest, own in models.items())


@dataclass(frozen=True, eq=False)
class _Linear:
    """What the leaderboard's scores are made of: the row ``target`` gets ``weight`` times the score of ``unit``.

    ``n``: how many questions each target is a mean over.
    """

    targets: tuple[tuple[str, str, str], ...]
    n: Ints
    unit: Ints
    target: Ints
    weight: Floats


def _linear(source: Source) -> _Linear:
    """Repeats, samples, (for the panel) judges and questions are averaged, each in turn."""
    within = ["question_id", "model", "variant"]
    n_repeats, n_samples = pl.len().over(UNIT[:-1]), pl.col("sample").n_unique().over(QUESTION)
    units = source.tally.units.with_row_index("unit").filter(pl.col("judge") != CONSENSUS)
    units = units.with_columns(weight=1 / n_repeats / n_samples, n_judges=pl.col("judge").n_unique().over(within))
    panel = units.with_columns(judge=pl.lit(PANEL), weight=pl.col("weight") / pl.col("n_judges"))
    counted = source.scores.counted.filter(pl.col("judge") != CONSENSUS)
    counted = counted.select(*QUESTION, n=pl.len().over(LEADERBOARD))
    targets = counted.select(*LEADERBOARD, "n").unique(maintain_order=True).with_row_index("target")
    parts = pl.concat([units, panel]).join(counted, on=QUESTION).join(targets.drop("n"), on=LEADERBOARD)
    return _Linear(
        tuple(targets.select(LEADERBOARD).iter_rows()),
        targets["n"].cast(pl.Int64).to_numpy(),
        parts["unit"].cast(pl.Int64).to_numpy(),
        parts["target"].cast(pl.Int64).to_numpy(),
        (parts["weight"] / parts["n"]).to_numpy(),
    )


Scored = tuple[dict[tuple[str, str, str], float | None], dict[tuple[str, str, str], int]]
"""Scores by model, variant and judge, and how many questions are left out of each."""


def _scores(source: Source, parts: _Linear, settings: Sequence[Setting]) -> list[Scored]:
    """By setting."""
    counts = source.tally.counts[parts.unit].astype(np.float64)
    tiers: dict[tuple[float, float], Floats] = {}
    found = []
    for setting in settings:
        key = (setting.lambda_, setting.mu)
        if key not in tiers:
            tiers[key] = tier_scores(counts, setting.constants)
        found.append(_summed(parts, gamut_score(tiers[key], setting.constants)))
    return found


def _summed(parts: _Linear, scores: Floats) -> Scored:
    size = len(parts.targets)
    weight = np.where(np.isnan(scores), 0.0, parts.weight)
    whole = np.bincount(parts.target, weights=weight, minlength=size)
    above = np.bincount(parts.target, weights=weight * np.nan_to_num(scores), minlength=size)
    left_out = np.rint((1 - whole) * parts.n).astype(int)
    values = (float(a / b) if b > _SAME else None for a, b in zip(above, whole, strict=True))
    return dict(zip(parts.targets, values, strict=True)), dict(zip(parts.targets, left_out.tolist(), strict=True))


def _of_contest(
    variant: str, judge: str, models: Sequence[str], settings: Sequence[Setting], scored: Sequence[Scored]
) -> Sensitivity:
    scores = [{model: values[model, variant, judge] for model in models} for values, _ in scored]
    left_out = [max((n[model, variant, judge] for model in models), default=0) for _, n in scored]
    rescored = tuple(
        Rescored(setting, own, places(own), alike(scores[0], own), _swapped(models, scores[0], own), n)
        for setting, own, n in zip(settings, scores, left_out, strict=True)
    )
    return Sensitivity(variant, judge, tuple(models), rescored[0], rescored[1:])


def _swapped(
    models: Iterable[str], before: Mapping[str, float | None], after: Mapping[str, float | None]
) -> tuple[tuple[str, str], ...]:
    pairs = [
        (one, other, _gap(before[one], before[other]), _gap(after[one], after[other]))
        for one, other in combinations(models, 2)
    ]
    return tuple((one, other) for one, other, was, now in pairs if was > _SAME and now < -_SAME)


def _gap(one: float | None, other: float | None) -> float:
    return 0.0 if one is None or other is None else one - other
