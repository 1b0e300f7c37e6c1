"""The flat checklist against the two levels: the same answers by both, and what makes the difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gamut_eval.analysis.source import Source
from gamut_eval.analysis.two_levels import CAUSES, LevelContest, Levels, ModelLevels, QuestionLevels, levels
from gamut_eval.reports.columns import interval_column, limits
from gamut_eval.reports.ranking import Facet, main_facets, with_shown_only
from gamut_eval.reports.shapes import Column, Name, Table, Words, listed
from gamut_eval.reports.table_kind import TableKind, Tabulated, Wanted
from gamut_eval.reports.wording import counted, number, said

CAUSE_NAMES = {"lists": "Lists", "order": "Order", "insights": "Insights", "other": "Other"}
_CAUSES_SAID = {
    "lists": "that enough of a flexible list is asked for, not each option",
    "order": "that the order of steps is graded",
    "insights": "that insights are graded",
    "other": "what is left: interplay, edits, checks judged anew",
}
_MOST_NAMED = 3
_SHARES = tuple(Column(CAUSE_NAMES[name], "percent", group="What makes it") for name in CAUSES)
_QUESTIONS = (
    Column("Question"),
    Column("Two-level", "percent", group="Gamut"),
    Column("Flat", "percent", group="Gamut"),
    Column("Difference", "percent"),
    Column("Mostly"),
    Column("Longest list", "count"),
    *_SHARES,
)


def _build(source: Source, wanted: Wanted) -> Tabulated | None:
    found = levels(source, source.flat)
    about, level, among = _about(found), source.inference.level, main_facets(source)
    shown = list(_shown(source, among, found))
    tables = [
        replace(table, of=facet.words)
        for contest, facet in shown
        for table in (_models(contest, about, level), _questions(contest, wanted.most))
    ]
    if not tables:
        tables.append(Table(_model_columns(level), (), ("Flat checklist against two levels",), about))
    usual = [facet for _, facet in shown if facet in among]
    return Tabulated(with_shown_only(tables, source, usual), _data(found))


def _shown(source: Source, among: Sequence[Facet], found: Levels) -> Iterator[tuple[LevelContest, Facet]]:
    """A contest a variant, and whose it is: of the judge who goes first, or of the first that judged both ways."""
    contests = {(contest.variant, contest.judge): contest for contest in found.contests}
    for facet in among:
        judges = [judge for variant, judge in contests if variant == facet.variant]
        if facet.judge in judges:
            yield contests[facet.variant, facet.judge], facet
        elif judges:
            (other,) = main_facets(source.where(variant=facet.variant, judges=judges))
            yield contests[other.variant, other.judge], other


def _about(found: Levels) -> Words:
    """Over what the comparison is, and what was left out."""
    n = f"{found.n_questions:,} of {found.n_all:,} questions"
    notes = tuple(f"{note} " for note in found.notes)
    if found.judged:
        return (f"The runs share answers to {n}. ", *notes)
    if found.n_questions == found.n_all:
        return ("This run has judged all flat checks. ", *notes)
    lead = (
        f"Over the {n} whose flat checks this run has judged all"
        if found.n_questions
        else ("No question has all of its flat checks judged in this run")
    )
    return (f"{lead}; 'gamut judge --flat' judges the others, and 'gamut compare' takes both runs. ", *notes)


def _model_columns(level: float) -> tuple[Column, ...]:
    return (
        Column("Model"),
        Column("Two-level", "percent", group="Gamut"),
        Column("Flat", "percent", group="Gamut"),
        Column("Difference", "percent", group="Two-level less flat"),
        interval_column(level, group="Two-level less flat"),
        Column("Rank, two-level", "count", short="Two-level", group="Rank"),
        Column("Rank, flat", "count", short="Flat", group="Rank"),
        Column("Correlation of question scores", "number", short="r"),
        *_SHARES,
    )


def _models(contest: LevelContest, about: Words, level: float) -> Table:
    rows = tuple(
        (
            one.model,
            one.two_level,
            one.flat,
            one.two_level - one.flat,
            limits(one.difference.interval),
            one.rank_two_level,
            one.rank_flat,
            one.correlation,
            *(one.causes[name] for name in CAUSES),
        )
        for one in contest.models
    )
    title, note = ("Flat checklist against two levels, %",), (*_reading(contest), *about)
    return Table(_model_columns(level), rows, title, note, sortable=True)


def _reading(contest: LevelContest) -> Words:
    return (*_order(contest), *_sizes(contest), f"Means over {counted(contest.n_questions, 'question')}. ")


def _order(contest: LevelContest) -> Words:
    """Whether the two rubrics rank models alike."""
    moved = [one for one in contest.models if one.rank_two_level != one.rank_flat]
    n = len(contest.models)
    if n < 2:
        return ()
    tau = contest.agreement.kendall_tau_b
    told = f" (Kendall’s tau {number(tau).replace('-', '−')})" if tau is not None else ""
    if not moved:
        return (f"Both rubrics rank the {n:,} models alike{told}. ",)
    named: list[Words] = [
        (Name(one.model), f" ({one.rank_flat} → {one.rank_two_level})") for one in moved[:_MOST_NAMED]
    ]
    if len(moved) > _MOST_NAMED:
        named.append((f"{len(moved) - _MOST_NAMED:,} more",))
    return ("From flat to two levels ranks change: ", *listed(named), f"{told}. ")


def _sizes(contest: LevelContest) -> Words:
    """How far the scores differ, for how many models surely, and why."""
    mean = float(np.mean([one.two_level - one.flat for one in contest.models]))
    causes = _mean_causes(contest)
    largest = max(CAUSES, key=lambda name: abs(causes[name]))
    pairs = [limits(one.difference.interval) for one in contest.models]
    sure = sum(pair is not None and (pair[0] > 0 or pair[1] < 0) for pair in pairs)
    n, level = len(contest.models), contest.models[0].difference.interval.level
    direction = "higher" if mean >= 0 else "lower"
    lead = f"By two levels scores are {said(abs(mean))} points {direction} on average"
    if abs(mean) < 0.0005:
        lead = "On average both rubrics give the same score"
    why = f" The largest part, {said(causes[largest])}, is {_CAUSES_SAID[largest]}." if causes[largest] else ""
    return (f"{lead}; the {level * 100:g}% interval excludes 0 for {sure or 'none'} of {counted(n, 'model')}.{why} ",)


def _mean_causes(contest: LevelContest) -> Mapping[str, float]:
    return {name: float(np.mean([one.causes[name] for one in contest.models])) for name in CAUSES}


def _differing(contest: LevelContest) -> list[QuestionLevels]:
    """Those whose difference is one also as it is shown."""
    return [one for one in contest.questions if one.cause is not None and said(abs(one.difference)) != "0.0"]


def _questions(contest: LevelContest, most: int) -> Table:
    shown = _differing(contest)[:most]
    rows = tuple(
        (
            one.question_id,
            one.two_level,
            one.flat,
            one.difference,
            CAUSE_NAMES[one.cause or ""],
            one.longest or None,
            *(one.causes[name] for name in CAUSES),
        )
        for one in shown
    )
    title = ("Questions that the two rubrics score most differently, %",)
    return Table(_QUESTIONS, rows, title, _questions_reading(contest, len(shown)), sortable=True)


def _questions_reading(contest: LevelContest, n_shown: int) -> Words:
    differing = _differing(contest)
    n = len(differing)
    if not n:
        return ("No question is scored differently.",)
    counts = {name: sum(one.cause == name for one in differing) for name in CAUSES}
    parts = listed((f"{CAUSE_NAMES[name].lower()} ({counts[name]:,})",) for name in CAUSES if counts[name])
    shown = f" The {n_shown:,} largest are shown." if n_shown < n else ""
    over = "; means over the models." if len(contest.models) > 1 else "."
    return (f"{n:,} of {contest.n_questions:,} questions differ, mainly by ", *parts, f"{over}{shown}")


def _data(found: Levels) -> dict[str, Any]:
    return {
        "judged": found.judged,
        "n_questions": found.n_questions,
        "n_all": found.n_all,
        "notes": list(found.notes),
        "contests": [_contest_data(contest) for contest in found.contests],
    }


def _contest_data(contest: LevelContest) -> dict[str, Any]:
    return {
        "variant": contest.variant,
        "judge": contest.judge,
        "n_questions": contest.n_questions,
        "kendall_tau_b": contest.agreement.kendall_tau_b,
        "untold": contest.agreement.why,
        "models": [_model_data(one) for one in contest.models],
        "questions": [_question_data(one) for one in contest.questions],
    }


def _model_data(one: ModelLevels) -> dict[str, Any]:
    pair = limits(one.difference.interval)
    return {
        "model": one.model,
        "two_level": one.two_level,
        "flat": one.flat,
        "difference": one.two_level - one.flat,
        "interval": list(pair) if pair else None,
        "why": one.difference.why,
        "rank_two_level": one.rank_two_level,
        "rank_flat": one.rank_flat,
        "correlation": one.correlation,
        "causes": dict(one.causes),
    }


def _question_data(one: QuestionLevels) -> dict[str, Any]:
    return {
        "question_id": one.question_id,
        "two_level": one.two_level,
        "flat": one.flat,
        "difference": one.difference,
        "cause": one.cause,
        "longest_list": one.longest or None,
        "causes": dict(one.causes),
    }


TABLE = TableKind(
    order=80,
    summary="the flat checklist against the two levels on the same answers, and what makes the difference",
    build=_build,
)
