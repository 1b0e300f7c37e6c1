"""The same models asked with the image and without it: what seeing costs them, and whether the ranking holds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gamut_eval.analysis.contests import cluster_keys, question_scores
from gamut_eval.analysis.places import alike, best_first, gamut_of, places, with_holm
from gamut_eval.analysis.source import Source
from gamut_eval.scoring.score import ScoreRow
from gamut_eval.stats.paired import Comparison, compare_pairs
from gamut_eval.stats.ranks import RankAgreement
from gamut_eval.stats.table import ScoreTable

ONE, OTHER = "text_only", "image"
NO_SCORE = "the model has no score in one of the variants"


@dataclass(frozen=True)
class VariantShift:
    """One model by one judge: its line of either leaderboard, its rank there among the models that are in both.

    ``difference`` is text-only less image, over the questions that count in both; None where a score is undefined.
    """

    image: ScoreRow
    text_only: ScoreRow
    ranks: tuple[int | None, int | None]
    difference: Comparison | None

    @property
    def model(self) -> str:
        """The model's name."""
        return self.image.model


@dataclass(frozen=True)
class VariantShifts:
    """All models that one judge graded in both variants, by their score with the image, best first.

    ``ranking`` says how far the two rankings are alike; ``untested`` why there is no adjusted p.
    """

    judge: str
    shifts: tuple[VariantShift, ...]
    ranking: RankAgreement
    untested: str | None


def variant_shifts(source: Source) -> tuple[VariantShifts, ...]:
    """One entry a judge, panel and consensus too; those that have no model in both variants are left out."""
    judges = dict.fromkeys(row.judge for row in source.scores.rows)
    found = (shifts_of(source, judge) for judge in judges)
    return tuple(shifts for shifts in found if shifts.shifts)


def shifts_of(source: Source, judge: str) -> VariantShifts:
    """One of `variant_shifts`; without shifts where no model was graded in both variants."""
    own = best_first(row for row in source.scores.rows if row.judge == judge)
    image, text_only = ({row.model: row for row in own if row.variant == variant} for variant in (OTHER, ONE))
    both = [model for model in image if model in text_only]
    before, after = (gamut_of(of[model] for model in both) for of in (image, text_only))
    ranks = places(before), places(after)
    differences, untested = _differences(source, judge, [m for m in both if None not in (before[m], after[m])])
    shifts = tuple(
        VariantShift(image[model], text_only[model], (ranks[0][model], ranks[1][model]), differences.get(model))
        for model in both
    )
    return VariantShifts(judge, shifts, alike(before, after), untested)


def _differences(source: Source, judge: str, models: list[str]) -> tuple[dict[str, Comparison], str | None]:
    if not models:
        return {}, None
    columns = {(model, variant): f"{place} {variant}" for place, model in enumerate(models) for variant in (ONE, OTHER)}
    of = {variant: question_scores(source, variant, judge) for variant in (ONE, OTHER)}
    found = compare_pairs(
        ScoreTable.joined(
            {name: of[variant][model] for (model, variant), name in columns.items()}, cluster_keys(source.questions)
        ),
        [(columns[model, ONE], columns[model, OTHER]) for model in models],
        **source.inference.options,
    )
    named = (replace(pair, one=ONE, other=OTHER) for pair in found)
    adjusted, untested = with_holm(named)
    return dict(zip(models, adjusted, strict=True)), untested
