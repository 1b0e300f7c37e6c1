"""What is said of models side by side: which contest it is, over what, how sure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gamut_eval.analysis.contests import Contest
from gamut_eval.analysis.inference import Inference
from gamut_eval.reports.shapes import Name, Words, listed
from gamut_eval.reports.wording import VARIANT_NAMES, said
from gamut_eval.stats.bootstrap import Interval

_MOST_NAMED = 5


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
    few = [i.n_clusters for i in every if any(note.startswith("only ") for note in i.notes)]
    notes = dict.fromkeys(note for i in every for note in i.notes)
    if len(set(few)) > 1:  # one note in place of one a size
        kept = [note for note in notes if not note.startswith("only ")]
        span = f"only {min(few)} to {max(few)} questions (or clusters): intervals tend to be too narrow"
        notes = dict.fromkeys([span, *kept])
    absent = [f"Where the {what} is n/a: {reason}. " for reason in reasons]
    return "".join([*absent, *(f"Mind: {note}. " for note in notes)])


def standing_words(contest: Contest) -> Words:
    """Who leads, how sure that is, and who cannot be told apart from the leader, after Holm's correction."""
    known = [standing for standing in contest.standings if standing.row.gamut is not None]
    if not known:
        return ()
    leader, *others = known
    score = f"{said(leader.row.gamut)}{between(leader.interval)}"
    if not others:
        return (Name(leader.model), f" scores {score}. ")
    leads: Words = (Name(leader.model), f" is first with {score}. ")
    if contest.groups is None:
        return (*leads, f"Whether the others can be told apart is n/a: {contest.untested}. ")
    pairs = {other.model: contest.pair(leader.model, other.model) for other in others}
    alpha = contest.groups.alpha
    close = [model for model, pair in pairs.items() if pair and (pair.p_holm is None or pair.p_holm > alpha)]
    n = len(contest.pairs)
    corrected = "" if n == 1 else f" after Holm’s correction for {n} pairs"
    if not close:
        return (*leads, f"It can be told apart from every other model (p ≤ {alpha:.3g}{corrected}). ")
    return (*leads, *named(close), f" cannot be told apart from it (p > {alpha:.3g}{corrected}). ")
