"""Flat against two-level: the same answers by the flat checklist and by the two-level rubric, and what differs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from gamut_eval.analysis.contests import cluster_keys
from gamut_eval.analysis.joining import set_up
from gamut_eval.analysis.places import alike, places
from gamut_eval.analysis.rescoring import KEY, rescored
from gamut_eval.analysis.source import Source
from gamut_eval.benchmark.question import Question
from gamut_eval.errors import InputError
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.compile import compile_rubric
from gamut_eval.rubric.item import Compiling
from gamut_eval.scoring.counts import CONSENSUS, PANEL, UNIT
from gamut_eval.stats.paired import Comparison, compare_pairs
from gamut_eval.stats.ranks import RankAgreement
from gamut_eval.stats.table import Floats, ScoreTable

_SAME = 1e-12
LISTS, ORDER, INSIGHTS, OTHER = "lists", "order", "insights", "other"
CAUSES = (LISTS, ORDER, INSIGHTS, OTHER)
"""What sets the two rubrics apart; `Causes` says how much of the difference each makes."""

Causes = Mapping[str, float]
"""Points of the two-level score less the flat one.

``lists``: enough of a flexible list is asked for, instead of each option at the list's tier. ``order``: the order of
steps is graded. ``insights``: insights are. Each is what the flat score changes by when it alone is graded the
two-level way; ``other`` is the rest: their interplay, people's edits, and checks that were judged anew and otherwise.
"""


@dataclass(frozen=True)
class ModelLevels:
    """One model by both rubrics, over the same questions: scores in [−1, 1], ranks from 1, ties sharing the better.

    ``difference`` is the two-level score less the flat one. ``correlation`` is Pearson's, of its questions' scores;
    None where it is undefined.
    """

    model: str
    two_level: float
    flat: float
    rank_two_level: int
    rank_flat: int
    difference: Comparison
    correlation: float | None
    causes: Causes


@dataclass(frozen=True)
class QuestionLevels:
    """A question's mean difference over the models, two-level less flat, and what makes it.

    ``longest`` is how many options its longest flexible list has; 0 without one.
    """

    question_id: str
    two_level: float
    flat: float
    causes: Causes
    n_models: int
    longest: int

    @property
    def difference(self) -> float:
        """Two-level less flat."""
        return self.two_level - self.flat

    @property
    def cause(self) -> str | None:
        """What moves it most in the direction of the difference; None where there is no difference."""
        if abs(self.difference) <= _SAME:
            return None
        sign = 1 if self.difference >= 0 else -1
        return max(self.causes, key=lambda name: sign * self.causes[name])


@dataclass(frozen=True)
class LevelContest:
    """The models of one variant under one judge, best by two levels first, over questions that all have both ways.

    ``questions`` has those that differ most first. ``agreement`` is of the two orders of models.
    """

    variant: str
    judge: str
    n_questions: int
    models: tuple[ModelLevels, ...]
    questions: tuple[QuestionLevels, ...]
    agreement: RankAgreement


@dataclass(frozen=True)
class Levels:
    """All contests. ``judged``: the flat checks were judged in a run of their own, not taken from the two-level one.

    ``n_questions`` are those that could be compared, of the ``n_all`` with scores. ``notes`` say what was left out.
    """

    contests: tuple[LevelContest, ...]
    judged: bool
    n_questions: int
    n_all: int
    notes: tuple[str, ...]


def levels(two_level: Source, flat: Source | None = None) -> Levels:
    """Compare the two rubrics on answers that were judged by both.

    Parameters
    ----------
    two_level
        A run by the two-level rubric.
    flat
        A run of the same answers by the flat one (``gamut judge --flat``). Answers that differ are left out, and judges
        that were set up differently. Without it, only those questions are compared whose flat checks the two-level run
        has all judged: a tier changes no verdict.

    Raises
    ------
    InputError
        The runs are scored with different constants.
    """
    checks = _flat_checks(two_level.questions)
    if flat is None:
        judged = {(check.question_id, check.hash) for check in two_level.checks}
        whole = {id for id, own in checks.items() if all((id, check.hash) in judged for check in own)}
        pair = _Pair(two_level, two_level, {id: checks[id] for id in checks if id in whole})
        same = two_level.scores.questions.select(KEY).filter(pl.col("question_id").is_in(list(whole)))
        lone = _graded_once(two_level, two_level, same, list(two_level.judges)) if len(same) else []
        return _compared(pair, same, judged=False, notes=(*_flat_already(two_level.checks, checks), *lone))
    if two_level.scores.settings != flat.scores.settings:
        raise InputError("the two runs are scored with different constants; score them with the same ones first")
    checks, told = _as_judged(checks, two_level, flat)
    same, changed = _same_answers(two_level, flat, checks)
    judges, other = _same_judges(two_level, flat)
    same = same.filter(pl.col("judge").is_in(judges))
    notes = (*told, *changed, *other, *_graded_once(two_level, flat, same, judges))
    return _compared(_Pair(two_level, flat, checks), same, judged=True, notes=notes)


@dataclass(frozen=True)
class _Pair:
    """Two sources, and the flat checks of the questions that can be compared."""

    two_level: Source
    flat: Source
    checks: Mapping[str, tuple[Check, ...]]


def _flat_checks(questions: Iterable[Question]) -> dict[str, tuple[Check, ...]]:
    found = {}
    for question in questions:
        with contextlib.suppress(InputError):  # it has nothing that a flat checklist would ask
            found[question.id] = compile_rubric(question.rubric, Compiling(question.id), flat=True)
    return found


def _flat_already(checks: Iterable[Check], flat: Mapping[str, Iterable[Check]]) -> tuple[str, ...]:
    known = {(check.question_id, check.hash, check.tier) for own in flat.values() for check in own}
    if not all((check.question_id, check.hash, check.tier) in known for check in checks):
        return ()
    return ("The run’s own checks are a flat checklist, so there is nothing to compare it with.",)


def _as_judged(
    checks: Mapping[str, tuple[Check, ...]], two_level: Source, flat: Source
) -> tuple[dict[str, tuple[Check, ...]], list[str]]:
    """The questions that the flat run asks as the other one does, by the flat checklist of the same rubric."""
    theirs: dict[str, set[tuple[str, str]]] = {}
    for check in flat.checks:
        theirs.setdefault(check.question_id, set()).add((check.hash, check.tier))
    texts = {question.id: (question.question, question.text_only) for question in flat.questions}
    kept = {
        question.id: checks[question.id]
        for question in two_level.questions
        if question.id in checks
        and texts.get(question.id) == (question.question, question.text_only)
        and theirs.get(question.id) == {(check.hash, check.tier) for check in checks[question.id]}
    }
    n = len(two_level.questions) - len(kept)
    why = "since the flat run lacks them, or grades them by another rubric’s flat checklist"
    return kept, [f"Left out, {why}: {_counted(n, 'question')}."] if n else []


def _same_answers(
    two_level: Source, flat: Source, checks: Mapping[str, tuple[Check, ...]]
) -> tuple[pl.DataFrame, list[str]]:
    """Which questions, models, variants and judges have scores of the same answers in both."""
    one, other = (_hashes(source) for source in (two_level, flat))
    by = ["question_id", "model", "variant"]
    both = one.join(other, on=by, suffix="_flat").filter(pl.col("question_id").is_in(list(checks)))
    same = both.filter(pl.col("hashes") == pl.col("hashes_flat"))
    scored = two_level.scores.questions.select(KEY).join(flat.scores.questions.select(KEY), on=KEY)
    n = len(both) - len(same)
    told = [f"Left out, since they differ between the runs: {_counted(n, 'answer')}."] if n else []
    return scored.join(same.select(by), on=by, how="semi", maintain_order="left"), told


def _hashes(source: Source) -> pl.DataFrame:
    """By question, model and variant: the answers' hashes, with their samples, in one text."""
    rows = [(*response.key, response.hash) for response in source.responses]
    columns = {"question_id": pl.String, "model": pl.String, "variant": pl.String}
    frame = pl.DataFrame(rows, columns | {"sample": pl.Int64, "hash": pl.String}, orient="row").sort("sample")
    named = pl.format("{}:{}", "sample", "hash").str.join(",").alias("hashes")
    return frame.group_by(list(columns), maintain_order=True).agg(named)


def _same_judges(two_level: Source, flat: Source) -> tuple[list[str], list[str]]:
    names = [*two_level.judges, *(name for name in flat.judges if name not in two_level.judges)]
    same = [
        name
        for name in names
        if name in two_level.judges and name in flat.judges and set_up(two_level, name) == set_up(flat, name)
    ]
    if same == names:
        return [*same, PANEL], []
    left = ", ".join(name for name in names if name not in same)
    return same, [f"Left out, since they did not judge both runs, set up alike: {left}."]


def _graded_once(two_level: Source, flat: Source, same: pl.DataFrame, judges: Sequence[str]) -> list[str]:
    """Which models have nothing to compare by these judges, all in all or in one variant under one judge."""
    columns = ["model", "variant", "judge"]
    both = set(same.select(columns).iter_rows())
    graded = pl.concat([source.scores.questions.select(columns) for source in (two_level, flat)])
    own = graded.filter(pl.col("judge").is_in([name for name in judges if name != PANEL])).unique(maintain_order=True)
    lone = [key for key in own.iter_rows() if key not in both]
    known = {model for model, *_ in both}
    names = dict.fromkeys(f"{model} ({', '.join(about)})" if model in known else model for model, *about in lone)
    return [f"Left out, since no answer of theirs was graded by both rubrics: {', '.join(names)}."] if names else []


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _compared(pair: _Pair, same: pl.DataFrame, *, judged: bool, notes: tuple[str, ...]) -> Levels:
    source = pair.two_level
    same = same.filter(pl.col("judge") != CONSENSUS)
    frames = _frames(pair, same) if len(same) else {}
    told: list[str] = []
    contests: list[LevelContest] = []
    for variant, judge in dict.fromkeys(same.select("variant", "judge").iter_rows()):
        graded = set(same.filter(variant=variant, judge=judge)["model"])
        of_contest = [row for row in source.scores.rows if (row.variant, row.judge) == (variant, judge)]
        rows = [row for row in of_contest if row.model in graded]
        models = [row.model for row in rows if row.gamut is not None]
        open_ones = [row.model for row in rows if row.gamut is None]
        if open_ones:
            told.append(f"Left out of {variant}, {judge}, since a question is incomplete: {', '.join(open_ones)}.")
        chosen = {name: _pivoted(frame, variant, judge, models) for name, frame in frames.items()}
        if contest := _contest(pair, (variant, judge), chosen):
            contests.append(contest)
        elif models:
            told.append(
                f"Nothing is left of {variant}, {judge}: no question has a score of every model by both rubrics."
            )
    n, n_all = (frame["question_id"].n_unique() for frame in (same, source.scores.questions))
    return Levels(tuple(contests), judged, n, n_all, (*notes, *told))


def _frames(pair: _Pair, same: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Scores by two levels, by the flat checks, and by the flat checks with one thing graded the two-level way."""
    two_level, flat = pair.two_level, pair.flat
    asked = [check for own in pair.checks.values() for check in own]
    ids = pl.DataFrame(
        [(check.question_id, check.id) for check in asked],
        {"question_id": pl.String, "check_id": pl.String},
        orient="row",
    )
    columns = [*UNIT, "check_id", "verdict"]
    by_id = ["question_id", "check_id"]
    own = flat.verdicts.select(columns).join(ids, on=by_id, how="semi")
    verdicts = pl.concat([own, two_level.verdicts.select(columns).join(ids, on=by_id, how="anti")])
    mixed = _mixed(asked, [check for check in two_level.checks if check.question_id in pair.checks])
    found = {"two_level": two_level.scores.questions, "flat": rescored(two_level, own, asked)}
    found |= {cause: rescored(two_level, verdicts, checks) for cause, checks in mixed.items()}
    return {name: frame.join(same, on=KEY, how="semi", maintain_order="left") for name, frame in found.items()}


def _mixed(flat: Sequence[Check], two_level: Sequence[Check]) -> dict[str, list[Check]]:
    """By cause: the flat checks, with that alone as the two-level rubric has it. Causes without checks are left out."""
    pools = {(check.question_id, check.item_id) for check in two_level if check.kind == "coverage"}
    found = {}
    if pools:
        outside = [check for check in flat if (check.question_id, check.item_id) not in pools]
        found[LISTS] = outside + [check for check in two_level if (check.question_id, check.item_id) in pools]
    for cause, kind in ((ORDER, "sequence"), (INSIGHTS, "insight")):
        if more := [check for check in two_level if check.kind == kind]:
            found[cause] = [*flat, *more]
    return found


def _pivoted(
    frame: pl.DataFrame, variant: str, judge: str, models: Sequence[str]
) -> dict[str, dict[str, float | None]]:
    """By model: scores by question."""
    found: dict[str, dict[str, float | None]] = {model: {} for model in models}
    own = frame.filter(pl.col("variant") == variant, pl.col("judge") == judge, pl.col("model").is_in(list(models)))
    for model, question, gamut in own.select("model", "question_id", "gamut").iter_rows():
        found[model][question] = gamut
    return found


Scored = Mapping[str, Mapping[str, Mapping[str, float | None]]]
"""By rubric, then model, then question."""


def _contest(pair: _Pair, about: tuple[str, str], scored: Scored) -> LevelContest | None:
    columns = {f"{name} {place}": own for name in scored for place, own in enumerate(scored[name].values())}
    table = ScoreTable.joined(columns, cluster_keys(pair.two_level.questions)).complete_only()
    complete = np.logical_and.reduce(table.present, axis=1)
    models = list(scored["two_level"])
    if not models or not complete.any():
        return None
    scores = {
        name: np.stack([table.scores[complete, table.column(f"{name} {at}")] for at in range(len(models))], axis=1)
        for name in scored
    }
    causes = _causes(scored.keys(), scores)
    pairs = [(f"two_level {place}", f"flat {place}") for place in range(len(models))]
    tested = compare_pairs(table, pairs, **pair.two_level.inference.options)
    rows = _models(models, scores, causes, tested)
    names = [name for name, kept in zip(table.questions, complete, strict=True) if kept]
    questions = _questions(names, scores, causes, pair.two_level.checks)
    agreement = alike({row.model: row.two_level for row in rows}, {row.model: row.flat for row in rows})
    return LevelContest(*about, len(names), rows, questions, agreement)


def _causes(names: Iterable[str], scores: Mapping[str, Floats]) -> dict[str, Floats]:
    """What each cause changes, shape (questions, models), and what is left."""
    found = {name: scores[name] - scores["flat"] for name in names if name in CAUSES}
    left = scores["two_level"] - scores["flat"] - sum(found.values(), np.zeros_like(scores["flat"]))
    return {name: found.get(name, np.zeros_like(left)) for name in CAUSES if name != OTHER} | {OTHER: left}


def _models(
    models: Sequence[str], scores: Mapping[str, Floats], causes: Mapping[str, Floats], tested: Sequence[Comparison]
) -> tuple[ModelLevels, ...]:
    means = [dict(zip(models, scores[name].mean(axis=0).tolist(), strict=True)) for name in ("two_level", "flat")]
    ranks = [places(own) for own in means]
    rows = [
        ModelLevels(
            model,
            means[0][model],
            means[1][model],
            ranks[0][model] or 0,
            ranks[1][model] or 0,
            replace(tested[at], one="two-level", other="flat"),
            _pearson(scores["two_level"][:, at], scores["flat"][:, at]),
            {name: float(own[:, at].mean()) for name, own in causes.items()},
        )
        for at, model in enumerate(models)
    ]
    return tuple(sorted(rows, key=lambda row: (row.rank_two_level, row.model)))


def _pearson(one: Floats, other: Floats) -> float | None:
    if len(one) < 3 or np.ptp(one) <= _SAME or np.ptp(other) <= _SAME:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _questions(
    names: Sequence[str], scores: Mapping[str, Floats], causes: Mapping[str, Floats], checks: Iterable[Check]
) -> tuple[QuestionLevels, ...]:
    longest: dict[str, int] = {}
    for check in checks:
        if check.kind == "coverage":
            longest[check.question_id] = max(longest.get(check.question_id, 0), len(check.options))
    found = [
        QuestionLevels(
            name,
            float(scores["two_level"][at].mean()),
            float(scores["flat"][at].mean()),
            {cause: float(own[at].mean()) for cause, own in causes.items()},
            scores["flat"].shape[1],
            longest.get(name, 0),
        )
        for at, name in enumerate(names)
    ]
    return tuple(sorted(found, key=lambda one: (-round(abs(one.difference), 12), one.question_id)))
