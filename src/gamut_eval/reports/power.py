"""How many questions it would take, and what those at hand can tell, as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gamut_eval.analysis.power import Aim, ContestPlan, Plan
from gamut_eval.analysis.source import Source
from gamut_eval.reports.contest_words import titled
from gamut_eval.reports.ranking import lost_consensus
from gamut_eval.reports.shapes import Cell, Column, Name, Table, Words
from gamut_eval.reports.wording import said
from gamut_eval.scoring.counts import CONSENSUS

_Row = tuple[Column, Callable[[Plan], Cell]]

_ABOUT: tuple[_Row, ...] = (
    (Column("Questions now", "count", short="n now"), lambda plan: plan.spread.n_questions),
    (Column("Standard deviation", "percent", short="sd"), lambda plan: plan.spread.standard_deviation),
    (Column("Design effect", "number", short="deff"), lambda plan: plan.spread.design_effect),
)
_MODEL: tuple[_Row, ...] = (
    (Column("Model"), lambda plan: plan.model),
    (Column("Gamut", "percent"), lambda plan: plan.estimate),
)
_PAIR: tuple[_Row, ...] = (
    (Column("Model"), lambda plan: plan.model),
    (Column("Next in rank"), lambda plan: plan.other),
    (Column("Difference", "percent"), lambda plan: plan.estimate),
)
_DETECTS: _Row = (Column("Smallest difference found", "percent", short="detects"), lambda plan: plan.detects)
_WHY: _Row = (Column("Why none"), lambda plan: plan.why or "")


def power_tables(source: Source, contests: Sequence[ContestPlan], aim: Aim) -> tuple[Table, ...]:
    """Of each contest: the models' scores, if a half-width is wanted, and the differences of neighbours in rank.

    A consensus without any score is left out where there is another contest; the last note says so.
    """
    level = source.inference.level
    kept = [contest for contest in contests if not _is_lost(contest)] or contests
    found: list[Table] = []
    for contest in kept:
        if aim.half_width is not None:
            found.append(_models(contest, aim, level))
        if contest.neighbours:
            found.append(_neighbours(contest, aim, level))
    if found and len(kept) < len(contests):
        found[-1] = replace(found[-1], note=(*found[-1].note, lost_consensus(source)))
    return tuple(found)


def _is_lost(contest: ContestPlan) -> bool:
    return contest.judge == CONSENSUS and all(plan.estimate is None for plan in contest.models)


def _models(contest: ContestPlan, aim: Aim, level: float) -> Table:
    title = titled("Scores", contest.variant, contest.judge)
    lead = (". ", *_for_half_width("every score", contest.models, aim, level))
    rows = (*_MODEL, *_ABOUT, *_asked(replace(aim, difference=None)))
    return _table(rows, contest.models, (*title, *lead), _clustering(contest.models))


def _neighbours(contest: ContestPlan, aim: Aim, level: float) -> Table:
    plans = contest.neighbours
    title: Words = (*titled("Neighbours in rank", contest.variant, contest.judge), ". ")
    if aim.difference is not None:
        title = (*title, *_for_difference(contest, aim, level), " ")
    if aim.half_width is not None:
        title = (*title, *_for_half_width("every difference", plans, aim, level), " ")
    note = (*_tested(contest), *_clustering(plans), *_close(plans, aim))
    return _table((*_PAIR, *_ABOUT, _DETECTS, *_asked(aim)), plans, (*title, *_detected(contest, aim, level)), note)


def _asked(aim: Aim) -> tuple[_Row, ...]:
    """The columns with the numbers of questions that were asked for."""
    width, gap = aim.half_width, aim.difference
    for_width = Column(f"Questions for ±{points(width)} points", "count", short=f"n for ±{points(width)}")
    for_gap = Column(f"Questions to find {points(gap)} points", "count", short=f"n to find {points(gap)}")
    rows: list[_Row] = [] if width is None else [(for_width, lambda plan: plan.n_for_half_width)]
    return (*rows, *([] if gap is None else [(for_gap, lambda plan: plan.n_for_difference)]))


def _table(rows: Sequence[_Row], plans: Sequence[Plan], title: Words, note: Words) -> Table:
    shown = (*rows, _WHY) if any(plan.why for plan in plans) else rows
    cells = tuple(tuple(cell(plan) for _, cell in shown) for plan in plans)
    return Table(tuple(column for column, _ in shown), cells, title, note)


def _for_half_width(what: str, plans: Sequence[Plan], aim: Aim, level: float) -> Words:
    lead = f"To know {what} within ±{points(aim.half_width)} points at {level * 100:g}%: "
    return (lead, *_most(plans, lambda plan: plan.n_for_half_width))


def _for_difference(contest: ContestPlan, aim: Aim, level: float) -> Words:
    lead = f"To find a true difference of {points(aim.difference)} points {_likely(aim, level, contest.n_tests)}: "
    return (lead, *_most(contest.neighbours, lambda plan: plan.n_for_difference))


def _likely(aim: Aim, level: float, n_tests: int) -> str:
    among = "" if n_tests == 1 else f" among {n_tests:,} pairs"
    return f"with {aim.power * 100:g}% probability (p ≤ {1 - level:.3g}{among})"


def _most(plans: Sequence[Plan], number: Callable[[Plan], int | None]) -> Words:
    """The largest number, and whose it is."""
    known = [(n, plan) for plan in plans if (n := number(plan)) is not None]
    if not known:
        return ("n/a.",)
    most, plan = max(known, key=lambda pair: pair[0])
    whose: Words = () if len(plans) == 1 else (" (", *_named(plan), " needs most)")
    return (f"{most:,} questions", *whose, ".")


def _detected(contest: ContestPlan, aim: Aim, level: float) -> Words:
    """From what true difference on the questions at hand find it."""
    plans = contest.neighbours
    found = sorted(plan.detects for plan in plans if plan.detects is not None)
    if not found:
        return ("What difference the questions at hand find: n/a.",)
    n = {plan.spread.n_questions for plan in plans}
    at_hand = f"the {n.pop():,} questions" if len(n) == 1 else "the questions"
    low, high = said(found[0]), said(found[-1])
    span = f"{low} points" if low == high else f"{low} to {high} points, depending on the pair"
    likely = _likely(aim, level, contest.n_tests)
    return (f"{likely[:1].upper()}{likely[1:]}, {at_hand} at hand find true differences of at least {span}.",)


def _tested(contest: ContestPlan) -> Words:
    """How small p has to be, where several pairs are tested."""
    if contest.n_tests == 1:
        return ()
    return (
        f"Each pair counts as one of {contest.n_tests:,} tested together, in the worst case of Holm’s correction; "
        "for a single pair that was chosen beforehand fewer questions do (--tests 1). ",
    )


def _clustering(plans: Sequence[Plan]) -> Words:
    """That a design effect below 1 was not used."""
    low = [plan.spread for plan in plans if plan.spread.design_effect is not None and plan.spread.design_effect < 1]
    if not low:
        return ()
    few, many = (pick(one.n_clusters for one in low) for pick in (min, max))
    clusters = f"{few:,}" if few == many else f"{few:,} to {many:,}"
    return (f"A design effect below 1 counts as 1: it is an estimate, here from {clusters} clusters. ",)


def _close(plans: Sequence[Plan], aim: Aim) -> Words:
    """Which differences are smaller than the half-width, so that even then it would not be told who is ahead."""
    width = aim.half_width
    if width is None:
        return ()
    close = [plan for plan in plans if plan.estimate is not None and abs(plan.estimate) <= width]
    if not close:
        return ()
    words: Words = ("Not farther apart than the half-width, so that an interval as wide would include 0: ",)
    for place, plan in enumerate(close):
        words = (*words, *(("; ",) if place else ()), *_named(plan))
    return (*words, ".")


def _named(plan: Plan) -> Words:
    """A model, or two so that one sees that they are a pair."""
    return (Name(plan.model),) if plan.other is None else (Name(plan.model), " with ", Name(plan.other))


def points(fraction: float | None) -> str:
    """A fraction in points, as short as it was asked for.

    >>> points(0.07), points(0.125), points(None)
    ('7', '12.5', 'n/a')
    """
    return "n/a" if fraction is None else f"{fraction * 100:g}"


def assumptions(level: float, *, of_a_run: bool = True) -> str:
    """What the numbers rest on."""
    questions = "questions (or clusters of them: an image, a group)" if of_a_run else "questions"
    spread = "scores spread and cluster as here" if of_a_run else "scores spread as said"
    return (
        f"Assumed: {questions} are drawn independently from those that the score is to stand for; {spread}; means are "
        f"close to normal. An interval is a {level * 100:g}% one for one score by itself, not adjusted for several "
        "comparisons. A difference is found where a two-sided paired test has so small a p."
    )


def planned_in_words(aim: Aim, deviation: float, level: float, n_for_width: int | None, n_for_gap: int | None) -> str:
    """A sentence for each number of questions, for a spread that was given.

    >>> print(planned_in_words(Aim(0.02, 0.02), 0.35, 0.95, 1179, 2406))
    1,179 questions for ±2 points at 95%, where scores have a standard deviation of 35 points.
    2,406 questions to find a true difference of 2 points with 80% probability (p ≤ 0.05), where the differences of
    two models’ scores have a standard deviation of 35 points.
    """
    lines = []
    spread = f"have a standard deviation of {points(deviation)} point{'' if points(deviation) == '1' else 's'}."
    if n_for_width is not None:
        width = f"±{points(aim.half_width)} points at {level * 100:g}%"
        lines.append(f"{n_for_width:,} questions for {width}, where scores {spread}")
    if n_for_gap is not None:
        gap = f"{points(aim.difference)} points {_likely(aim, level, aim.n_tests or 1)}"
        lines.append(
            f"{n_for_gap:,} questions to find a true difference of {gap}, "
            f"where the differences of two models’ scores {spread}"
        )
    return "\n".join(lines)
