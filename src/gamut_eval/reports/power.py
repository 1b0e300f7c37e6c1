"""How many questions it would take, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from gamut_eval.analysis.power import ContestPlan, Plan
from gamut_eval.reports.shapes import Cell, Column, Name, Table, Words, listed
from gamut_eval.reports.wording import VARIANT_NAMES, number
from gamut_eval.stats.power import Needed

_NUMBERS = (
    Column("Questions now", "count", short="n now"),
    Column("Standard deviation", "percent", short="sd"),
    Column("Design effect", "number", short="deff"),
    Column("Questions needed", "count", short="n needed"),
    Column("Why none"),
)


def power_tables(contests: Sequence[ContestPlan], half_width: float, level: float) -> tuple[Table, ...]:
    """Two a contest: of the models' scores, of the differences of neighbours in rank."""
    told = f"Questions for ±{half_width * 100:g} points at {level * 100:g}%"
    return tuple(table for contest in contests for table in _tables(contest, told))


def _tables(contest: ContestPlan, told: str) -> tuple[Table, ...]:
    where: Words = (": ", VARIANT_NAMES.get(contest.variant, contest.variant), ", judged by ", Name(contest.judge))
    models = Table(
        _columns((Column("Model"), Column("Gamut", "percent")), contest.models),
        tuple((plan.model, *_cells(plan, contest.models)) for plan in contest.models),
        (told, *where),
    )
    columns = (Column("Model"), Column("Next in rank"), Column("Difference", "percent"))
    neighbours = Table(
        _columns(columns, contest.neighbours),
        tuple((plan.model, plan.other, *_cells(plan, contest.neighbours)) for plan in contest.neighbours),
        (f"{told}, difference of neighbours in rank", *where),
        _settled(contest.neighbours),
    )
    return (models, neighbours) if contest.neighbours else (models,)


def _columns(first: tuple[Column, ...], plans: Sequence[Plan]) -> tuple[Column, ...]:
    return (*first, *(_NUMBERS if _unknown(plans) else _NUMBERS[:-1]))


def _cells(plan: Plan, plans: Sequence[Plan]) -> tuple[Cell, ...]:
    needed = plan.needed
    effect = None if needed.standard_deviation is None else needed.design_effect
    cells = (plan.estimate, plan.n_questions, needed.standard_deviation, effect, needed.n_questions)
    return (*cells, needed.why or "") if _unknown(plans) else cells


def _unknown(plans: Sequence[Plan]) -> bool:
    return any(plan.needed.why for plan in plans)


def _settled(plans: Sequence[Plan]) -> Words:
    """Which differences are smaller than the half-width, so that even then it would not be told who is ahead."""
    close = [plan for plan in plans if plan.estimate is not None and abs(plan.estimate) <= plan.needed.half_width]
    if not close:
        return ()
    pairs = listed((Name(plan.model), " and ", Name(plan.other or "")) for plan in close)
    return ("Not farther apart than the half-width, so that an interval as wide would include 0: ", *pairs, ".")


def assumptions(level: float) -> str:
    """What the numbers rest on."""
    return (
        f"Assumed: questions (or clusters of them: an image, a group) are drawn independently from those that the "
        f"score is to stand for; scores spread and cluster as here; means are close to normal. Each interval is a "
        f"{level * 100:g}% one for one score by itself, not adjusted for several comparisons."
    )


def needed_in_words(needed: Needed) -> str:
    """A sentence for a spread that was given.

    >>> from gamut_eval.stats.power import questions_needed
    >>> needed_in_words(questions_needed(0.02, 0.35))
    '1,179 questions for ±2 points at 95%, where scores have a standard deviation of 35 points.'
    """
    if needed.n_questions is None:
        return f"n/a: {needed.why}."
    spread = (needed.standard_deviation or 0.0) * 100
    clustered = "" if needed.design_effect == 1 else f" and a design effect of {number(needed.design_effect)}"
    return (
        f"{needed.n_questions:,} questions for ±{needed.half_width * 100:g} points at {needed.level * 100:g}%, "
        f"where scores have a standard deviation of {spread:g} points{clustered}."
    )
