"""What is said of models side by side: which contest it is, over what, how sure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gamut_eval.analysis.contests import Contest, Standing
from gamut_eval.analysis.inference import Inference
from gamut_eval.reports.shapes import Name, Words, listed
from gamut_eval.reports.wording import VARIANT_NAMES, said
from gamut_eval.stats.bootstrap import Interval

_MOST_NAMED = 5
_SAME = 1e-12


def where(variant: str | None, judge: str | None) -> Words:
    """Which variant and judge; either may be left out.

    >>> where("image", "panel"), where(None, "panel")
    (('with image, judged by ', Name(text='panel')), ('judged by ', Name(text='panel')))
    """
    by: Words = () if judge is None else ("judged by ", Name(judge))
    if variant is None:
        return by
    named = VARIANT_NAMES.get(variant, variant)
    return (f"{named}, {by[0]}", *by[1:]) if by else (named,)


def titled(title: str, variant: str | None, judge: str | None) -> Words:
    """A title that says which variant and judge it is about."""
    return (f"{title}: ", *where(variant, judge))


def named(names: Sequence[str]) -> Words:
    """Names as an enumeration; of many the first few and the number of the others.

    >>> from gamut_eval.reports.shapes import plain
    >>> plain(named(["a", "b"])), plain(named([f"m{n}" for n in range(8)]))
    ('a and b', 'm0, m1, m2, m3, m4 and 3 more')
    """
    first: list[Words] = [(Name(name),) for name in names[:_MOST_NAMED]]
    rest: list[Words] = [(f"{len(names) - _MOST_NAMED} more",)] if len(names) > _MOST_NAMED else []
    return listed([*first, *rest])


def between(interval: Interval) -> str:
    """An interval in brackets for a sentence; nothing where there is none.

    >>> from gamut_eval.stats.bootstrap import bootstrap_mean
    >>> between(bootstrap_mean([0.0, 1.0] * 20)), between(bootstrap_mean([0.5]))
    (' (95% interval 35.0 to 65.0)', '')
    """
    if interval.low is None or interval.high is None:
        return ""
    return f" ({interval.level * 100:g}% interval {said(interval.low)} to {said(interval.high)})"


def method(how: Inference) -> str:
    """How intervals were made, as a sentence."""
    return f"Intervals: {how.words}. "


def over(intervals: Iterable[Interval]) -> str:
    """What means are over: how many questions, and clusters where these are fewer.

    >>> from gamut_eval.stats.bootstrap import bootstrap_mean
    >>> over([bootstrap_mean([0.1, 0.2, 0.3], clusters=["photo", "photo", None])])
    'Mean over the 3 questions, in 2 clusters (questions that share an image or a group are resampled together). '
    """
    sizes = dict.fromkeys((i.n_questions, i.n_clusters) for i in intervals if i.n_questions)
    if not sizes:
        return ""
    if len(sizes) > 1:
        low, high = min(n for n, _ in sizes), max(n for n, _ in sizes)
        return f"Mean over each model’s own questions, {f'{low:,} to ' if low < high else ''}{high:,}. "
    ((n, n_clusters),) = sizes
    together = "(questions that share an image or a group are resampled together)"
    clusters = f", in {n_clusters:,} cluster{'' if n_clusters == 1 else 's'} {together}" if n_clusters < n else ""
    return f"Mean over the {n:,} question{'' if n == 1 else 's'}{clusters}. " if n > 1 else "Of 1 question. "


def cautions(intervals: Iterable[Interval], what: str = "interval") -> str:
    """Why an interval is absent, and what to mind of those that there are, each said once."""
    every = list(intervals)
    reasons = dict.fromkeys(i.why for i in every if i.low is None and i.estimate is not None and i.why)
    few = [i.n_clusters for i in every if i.too_few]
    notes = dict.fromkeys(note for i in every for note in i.notes)
    if len(set(few)) > 1:  # one note in place of one a size
        span = f"only {min(few)} to {max(few)} questions (or clusters): intervals tend to be too narrow"
        notes = dict.fromkeys([span, *(note for i in every for note in i.notes if note != i.too_few)])
    absent = [f"Where the {what} is n/a: {reason}. " for reason in reasons]
    return "".join([*absent, *(f"Mind: {note}. " for note in notes)])


def standing_words(contest: Contest) -> Words:
    """Who leads, how sure that is, and who cannot be told apart from the leader, after Holm's correction."""
    first, below = _first_and_below(contest)
    if not first:
        return ()
    score = said(first[0].row.gamut)
    if len(first) > 1:
        return (
            *named([standing.model for standing in first]),
            f" share the first place with {score}. ",
            *told_apart(contest),
        )
    score = f"{score}{between(first[0].interval)}"
    if not below:
        return (Name(first[0].model), f" scores {score}. ")
    return (Name(first[0].model), f" is first with {score}. ", *told_apart(contest))


def told_apart(contest: Contest) -> Words:
    """Who of those below cannot be told apart from the first model; nothing where nobody is below."""
    first, below = _first_and_below(contest)
    if not below:
        return ()
    if contest.groups is None:
        return (f"Whether the others can be told apart is n/a: {contest.untested}. ",)
    leader, alpha, n = first[0].model, contest.groups.alpha, len(contest.pairs)
    close = not_apart(contest, leader, [standing.model for standing in below])
    corrected = "" if n == 1 else f" after Holm’s correction for {n} pairs"
    if not close:
        every = "every other model" if len(first) == 1 else "every model below"
        return (Name(leader), f" can be told apart from {every} (p ≤ {alpha:.3g}{corrected}). ")
    return (*named(close), " cannot be told apart from ", Name(leader), f" (p > {alpha:.3g}{corrected}). ")


def not_apart(contest: Contest, model: str, others: Iterable[str]) -> list[str]:
    """Which of the others cannot be told apart from a model, where there are groups."""
    pairs = {other: contest.pair(model, other) for other in others}
    alpha = contest.groups.alpha if contest.groups else 0.0
    return [other for other, pair in pairs.items() if pair and (pair.p_holm is None or pair.p_holm > alpha)]


def _first_and_below(contest: Contest) -> tuple[list[Standing], list[Standing]]:
    """The models with the highest score, and those with another."""
    known = [standing for standing in contest.standings if standing.row.gamut is not None]
    highest = max((standing.row.gamut or 0.0 for standing in known), default=0.0)
    first = [standing for standing in known if (standing.row.gamut or 0.0) >= highest - _SAME]
    return first, known[len(first) :]
