"""Several judges of the same answers: how far they agree, who is lenient, and who judged itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gamut_eval.analysis.contests import cluster_keys
from gamut_eval.analysis.places import alike, gamut_of
from gamut_eval.analysis.source import Source
from gamut_eval.errors import MissingExtraError
from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.scoring.counts import CONSENSUS, PANEL
from gamut_eval.scoring.score import ScoreRow
from gamut_eval.stats.agreement import (
    VERDICT_ORDER,
    VERDICTS_APART,
    Agreement,
    Coefficient,
    Confusion,
    agreement_of,
    alpha_of_counts,
)
from gamut_eval.stats.bootstrap import Interval, bootstrap_means
from gamut_eval.stats.paired import Comparison, compare_pair
from gamut_eval.stats.ranks import RankAgreement
from gamut_eval.stats.table import Ints, ScoreTable

_SCALE = [VERDICTS.index(Verdict(name)) for name in (*VERDICT_ORDER, *VERDICTS_APART)]
"""Places in `VERDICTS` of the labels in the order of their scale."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two judges, and how often each verdict of the one met each of the other: ``table`` has them as in `VERDICTS`."""

    one: str
    other: str
    table: Confusion

    @cached_property
    def counts(self) -> Mapping[tuple[str, str], int]:
        """How often each pair of verdicts, the one's and the other's, was given on one check."""
        rows = zip(VERDICTS, self.table.counts.tolist(), strict=True)
        return {(one.value, v.value): n for one, row in rows for v, n in zip(VERDICTS, row, strict=True) if n}

    @property
    def n(self) -> int:
        """How many checks both judged."""
        return self.table.n

    @property
    def same(self) -> float | None:
        """On what share of them they gave the same verdict."""
        return self._agreement.same.value

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where it is undefined."""
        return self._agreement.kappa.value

    @cached_property
    def _agreement(self) -> Agreement:
        return agreement_of(self.table)

    @property
    def weighted_kappa(self) -> Coefficient | None:
        """The same by the order of the verdicts' scale, which needs the extra ``stats``."""
        scale = np.ix_(_SCALE, _SCALE)
        table = Confusion((*VERDICT_ORDER, *VERDICTS_APART), self.table.counts[scale], self.table.n_left_out)
        return agreement_of(table, n_ordered=len(VERDICT_ORDER)).weighted_kappa


@dataclass(frozen=True)
class JudgePair:
    """Two judges in one variant.

    ``weighted_kappa`` counts a step between verdicts as half a disagreement. ``leniency`` is how much higher the one
    scores than the other: the mean difference of a question's scores over ``models``, those that both graded.
    ``ranking`` compares the order of the models.
    """

    pair: Pair
    weighted_kappa: Coefficient
    leniency: Comparison
    ranking: RankAgreement
    models: tuple[str, ...]


@dataclass(frozen=True)
class SelfView:
    """A judge and its own answers: its ``own`` score of them, and the mean of the ``others``, over the same questions.

    ``difference`` is the one less the other; ``elsewhere`` the same difference on the other models' answers, which is
    how lenient the judge is anyway; ``excess`` what is left. Undefined ones have a reason.
    """

    judge: str
    own: float | None
    others: float | None
    difference: Interval
    elsewhere: Interval
    excess: Interval


@dataclass(frozen=True)
class JudgesOf:
    """The judges of one variant: ``scores`` by judge and model, each two judges, all together, and each on itself.

    ``alpha`` is Krippendorff's over all judges' verdicts, ``contradicts`` apart from the scale of the others.
    """

    variant: str
    judges: tuple[str, ...]
    rows: Mapping[tuple[str, str], ScoreRow]
    pairs: tuple[JudgePair, ...]
    alpha: Coefficient
    selves: tuple[SelfView, ...]

    def scores(self, judge: str) -> dict[str, float | None]:
        """A judge's scores by model."""
        return gamut_of(row for (by, _), row in self.rows.items() if by == judge)


def pairs(source: Source, variant: str | None = None) -> list[Pair]:
    """Each two of a run's judges, over the checks of the same answers that both judged.

    Parameters
    ----------
    source
        The run.
    variant
        Only answers in this one.
    """
    said = _said(source, variant)
    places = combinations(range(said.shape[2]), 2)
    return [_pair(source.ballots.judges, said, one, other) for one, other in places]


def _said(source: Source, variant: str | None) -> NDArray[np.int8]:
    """Verdicts by ballot, check and judge; see `Ballots`."""
    ballots = source.ballots
    own = slice(None) if variant is None else (ballots.ballots["variant"] == variant).to_numpy()
    return np.asarray(ballots.said[own])


def _pair(judges: Sequence[str], said: NDArray[np.int8], one: int, other: int) -> Pair:
    a, b = said[..., one].ravel(), said[..., other].ravel()
    both = (a >= 0) & (b >= 0)
    n = len(VERDICTS)
    cells = np.bincount(a[both].astype(np.int64) * n + b[both], minlength=n * n).reshape(n, n)
    n_left_out = int(((a >= 0) ^ (b >= 0)).sum())
    return Pair(judges[one], judges[other], Confusion(tuple(map(str, VERDICTS)), cells, n_left_out))


def alike_by_all(source: Source) -> tuple[int, int]:
    """How many checks all judges of an answer judged, where there are several, and on how many all said the same."""
    ballots = source.ballots
    asked = {(model, variant, judge) for model, variant, judge, _ in source.asked}
    answers = ballots.ballots.select("model", "variant").rows()
    judging = np.array([[(*answer, judge) in asked for judge in ballots.judges] for answer in answers], dtype=bool)
    several = judging.sum(axis=1) > 1 if len(judging) else np.zeros(0, dtype=bool)
    said, own = ballots.said[several], judging[several][:, None, :]
    complete = ((said >= 0) | ~own).all(axis=2)
    highest, lowest = np.where(own, said, -1).max(axis=2), np.where(own, said, len(VERDICTS)).min(axis=2)
    return int(complete.sum()), int((complete & (highest == lowest)).sum())


def judges_compared(source: Source) -> tuple[JudgesOf, ...]:
    """One entry for each variant that several judges graded."""
    variants = dict.fromkeys(row.variant for row in source.scores.rows)
    found = (_of_variant(source, variant) for variant in variants)
    return tuple(compared for compared in found if len(compared.judges) > 1)


def _of_variant(source: Source, variant: str) -> JudgesOf:
    rows = {
        (row.judge, row.model): row
        for row in source.scores.rows
        if row.variant == variant and row.judge not in (PANEL, CONSENSUS)
    }
    judges = tuple(dict.fromkeys(judge for judge, _ in rows))
    if len(judges) < 2:
        return JudgesOf(variant, judges, rows, (), Coefficient(None, 0, "one judge"), ())
    scored = _Scored(source, variant)
    of_each = {judge: gamut_of(row for (by, _), row in rows.items() if by == judge) for judge in judges}
    compared = tuple(
        _compared(pair, scored, of_each) for pair in pairs(source, variant) if {pair.one, pair.other} <= set(judges)
    )
    selves = tuple(_itself(scored, judge, judges, of_each) for judge in judges if (judge, judge) in rows)
    return JudgesOf(variant, judges, rows, compared, _alpha(_said(source, variant)), selves)


def _compared(pair: Pair, scored: _Scored, of_each: Mapping[str, dict[str, float | None]]) -> JudgePair:
    one, other = of_each[pair.one], of_each[pair.other]
    models = tuple(model for model in one if model in other)
    weighted = _attempted(lambda: pair.weighted_kappa, pair.n)
    return JudgePair(pair, weighted, scored.leniency(pair.one, pair.other, models), alike(one, other), models)


def _attempted(coefficient: Callable[[], Coefficient | None], n: int) -> Coefficient:
    try:
        return coefficient() or Coefficient(None, n)
    except MissingExtraError as error:
        return Coefficient(None, n, str(error))


def _alpha(said: NDArray[np.int8]) -> Coefficient:
    counts: Ints = np.stack([(said == place).sum(axis=2) for place in _SCALE], axis=-1).reshape(-1, len(_SCALE))
    counts = counts[counts.sum(axis=1) >= 2]
    return _attempted(lambda: alpha_of_counts(counts, n_ordered=len(VERDICT_ORDER)), len(counts))


@dataclass(frozen=True)
class _Scored:
    """The questions' scores of one variant, of those that are complete."""

    source: Source
    variant: str

    @cached_property
    def frame(self) -> pl.DataFrame:
        complete = self.source.scores.questions.filter("complete", variant=self.variant)
        return complete.select("question_id", "model", "judge", "gamut")

    @cached_property
    def clusters(self) -> dict[str, tuple[Hashable | None, ...]]:
        return cluster_keys(self.source.questions)

    def mean(self, judge: str, models: Sequence[str]) -> dict[str, float]:
        """A judge's mean score of these models by question, of the questions that it has scored for all of them."""
        own = self.frame.filter(pl.col("judge") == judge, pl.col("model").is_in(list(models)))
        means = own.group_by("question_id", maintain_order=True).agg(pl.col("gamut").mean(), n=pl.len())
        return dict(means.filter(pl.col("n") == len(models)).select("question_id", "gamut").iter_rows())

    def table(self, columns: Mapping[str, Mapping[str, float | None]]) -> ScoreTable:
        return ScoreTable.joined(columns, self.clusters)

    def leniency(self, one: str, other: str, models: Sequence[str]) -> Comparison:
        table = self.table({judge: self.mean(judge, models) for judge in (one, other)})
        return compare_pair(table, one, other, **self.source.inference.options)


def _itself(
    scored: _Scored, judge: str, judges: Sequence[str], of_each: Mapping[str, dict[str, float | None]]
) -> SelfView:
    others = [other for other in judges if other != judge and judge in of_each[other]]
    rest = [model for model in of_each[judge] if model != judge and all(model in of_each[other] for other in others)]
    own, theirs = scored.mean(judge, [judge]), _mean_of([scored.mean(other, [judge]) for other in others])
    difference = dict(_less(own, theirs))
    elsewhere = dict(_less(scored.mean(judge, rest), _mean_of([scored.mean(other, rest) for other in others])))
    columns = {"difference": difference, "elsewhere": elsewhere, "excess": dict(_less(difference, elsewhere))}
    found = bootstrap_means(scored.table(columns), **scored.source.inference.options)
    shared = [question for question in own if question in theirs]
    mean_own, mean_theirs = (_mean([of[question] for question in shared]) for of in (own, theirs))
    return SelfView(judge, mean_own, mean_theirs, *found)


def _mean_of(several: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """By question, of those that all have."""
    if not several:
        return {}
    shared = [question for question in several[0] if all(question in own for own in several)]
    return {question: sum(own[question] for own in several) / len(several) for question in shared}


def _less(one: Mapping[str, float], other: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    return ((question, score - other[question]) for question, score in one.items() if question in other)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
