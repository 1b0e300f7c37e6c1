"""Models side by side under one judge: who is ahead, how sure that is, and who cannot be told apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from gamut_eval.analysis.inference import Inference
from gamut_eval.analysis.places import by_contest, with_holm
from gamut_eval.benchmark.question import Question
from gamut_eval.scoring.score import ScoreRow
from gamut_eval.stats.bootstrap import Interval, Resampled, bootstrap_means, resample
from gamut_eval.stats.paired import Comparison, compare_pairs, smallest_p
from gamut_eval.stats.ranks import Groups, Rank, Ranking, rank_intervals, significance_groups
from gamut_eval.stats.table import ScoreTable

if TYPE_CHECKING:
    from gamut_eval.analysis.source import Source

OPEN = "a question lacks an answer or a verdict, so there is no mean"


@dataclass(frozen=True)
class Standing:
    """One model of a contest: its line of the leaderboard, the interval of its score, its rank.

    ``letters`` are those of its groups: models that share one cannot be told apart. Empty where that was not tested.
    """

    row: ScoreRow
    interval: Interval
    rank: Rank
    letters: tuple[str, ...]

    @property
    def model(self) -> str:
        """The model's name."""
        return self.row.model


@dataclass(frozen=True)
class Contest:
    """The models of one variant under one judge, best first.

    ``pairs`` has each two of them, the better one first, tested together (Holm). ``groups`` is None, and ``untested``
    says why, where the tests could not be made. The intervals and ranks are over the questions that the scores are
    means over; ``left_out`` are the ids of the others, which are not complete for every model.
    """

    variant: str
    judge: str
    standings: tuple[Standing, ...]
    pairs: tuple[Comparison, ...]
    ranking: Ranking
    groups: Groups | None
    untested: str | None = None
    left_out: tuple[str, ...] = ()

    def pair(self, one: str, other: str) -> Comparison | None:
        """The comparison of two models, whichever is first; None where there is none."""
        return next((pair for pair in self.pairs if {pair.one, pair.other} == {one, other}), None)


def contest(source: Source, variant: str, judge: str) -> Contest:
    """The models of a variant and judge, a panel or consensus too.

    Raises
    ------
    MissingExtraError
        BCa intervals are wanted, and SciPy is not installed.
    """
    return _contest(source, variant, judge, by_contest(source.scores.rows)[variant, judge])


def _left_out(source: Source, variant: str, judge: str) -> tuple[str, ...]:
    """Questions that no mean of a contest is over, in the benchmark's order; none where there is no mean at all."""
    asked, over = (
        set(frame.filter(variant=variant, judge=judge)["question_id"])
        for frame in (source.scores.questions, source.scores.counted)
    )
    return tuple(question.id for question in source.questions if question.id in asked - over) if over else ()


def cluster_keys(questions: Iterable[Question]) -> dict[str, tuple[Hashable | None, ...]]:
    """For each question what it may share with others, so that they are resampled together: its image, its group."""
    return {question.id: (picture(question), question.group) for question in questions}


def picture(question: Question) -> Hashable | None:
    """What two questions about the same picture share; None without one."""
    image = question.image
    return None if image is None else image.sha256 or (image.package, image.path)


def question_scores(source: Source, variant: str, judge: str) -> dict[str, dict[str, float | None]]:
    """By model: scores by question, of those questions that its mean is over; without a mean, no entry."""
    found: dict[str, dict[str, float | None]] = {}
    own = source.scores.counted.filter(variant=variant, judge=judge)
    for model, question, gamut in own.select("model", "question_id", "gamut").iter_rows():
        found.setdefault(model, {})[question] = gamut
    return found


def _contest(source: Source, variant: str, judge: str, rows: Sequence[ScoreRow]) -> Contest:
    scores = question_scores(source, variant, judge)
    known = [row.model for row in rows if row.gamut is not None]
    how = source.inference
    table = ScoreTable.joined({model: scores[model] for model in known}, cluster_keys(source.questions))
    drawn = resample(table, replicates=how.replicates, seed=how.seed)
    intervals = dict(zip(known, bootstrap_means(drawn, level=how.level, method=how.method), strict=True))
    ranking = rank_intervals(drawn, level=how.level)
    ranks = {rank.model: rank for rank in ranking.ranks}
    pairs, groups, untested = _tested(drawn, source.inference)
    standings = tuple(
        Standing(
            row,
            intervals.get(row.model) or _no_interval(source),
            ranks.get(row.model) or Rank(row.model, None, None, None, None, None),
            groups.letters.get(row.model, ()) if groups else (),
        )
        for row in rows
    )
    return Contest(variant, judge, standings, pairs, ranking, groups, untested, _left_out(source, variant, judge))


def _no_interval(source: Source) -> Interval:
    how = source.inference
    return Interval(None, None, None, None, how.level, how.method, 0, 0, how.replicates, how.seed, OPEN)


def _tested(drawn: Resampled, how: Inference) -> tuple[tuple[Comparison, ...], Groups | None, str | None]:
    models = drawn.table.columns
    if len(models) < 2:
        return (), None, "fewer than two models have a score"
    pairs = compare_pairs(drawn, list(combinations(models, 2)), level=how.level, method=how.method)
    if all(pair.p_permutation is None for pair in pairs):
        return pairs, None, pairs[0].why
    pairs, untested = with_holm(pairs)
    untested = untested or _too_few(pairs, how.alpha)
    return pairs, None if untested else significance_groups(pairs, alpha=how.alpha), untested


def _too_few(pairs: Sequence[Comparison], alpha: float) -> str | None:
    """Why no difference could be found, however large: the smallest p there is, Holm's factor applied, is too large."""
    tested = [pair.interval.n_clusters for pair in pairs if pair.p_permutation is not None]
    if smallest_p(max(tested)) * len(tested) <= alpha:
        return None
    what = "a pair" if len(tested) == 1 else f"{len(tested):,} pairs"
    few = f"{max(tested):,} questions (or clusters of them) are too few"
    return f"{few} to tell {what} apart at p ≤ {alpha:.3g}, however far apart the models are"
