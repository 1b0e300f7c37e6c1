"""Every two models of a contest, question by question."""

from __future__ import annotations

import math

from gamut_eval.analysis.contests import Contest
from gamut_eval.analysis.source import Source
from gamut_eval.reports.columns import interval_column, limits
from gamut_eval.reports.contest_words import between, cautions, method, where
from gamut_eval.reports.numbers import comparison_data, inference_data
from gamut_eval.reports.shapes import Cell, Column, Name, Table, Words, listed
from gamut_eval.reports.table_kind import INCOMPLETE_TOO, TableKind, Tabulated, Wanted
from gamut_eval.reports.wording import said
from gamut_eval.stats.paired import Comparison

_MOST_NAMED = 5


def _build(source: Source, wanted: Wanted) -> Tabulated | None:
    among = [contest for contest in source.contests if contest.pairs]
    if not among:
        return None
    contests = [
        {
            "variant": contest.variant,
            "judge": contest.judge,
            "untested": contest.untested,
            "left_out": list(contest.left_out),
            "pairs": [comparison_data(pair) for pair in contest.pairs],
        }
        for contest in among
    ]
    data = {"inference": inference_data(source.inference), "contests": contests}
    return Tabulated(tuple(_table(contest, source, wanted.most) for contest in among), data)


def _table(contest: Contest, source: Source, most: int) -> Table:
    """The nearest pairs first: they are what is in doubt."""
    columns = (
        *(Column("Model"), Column("Less"), Column("Difference", "percent")),
        interval_column(source.inference.level),
        *(Column("p", "p"), Column("p (Holm)", "p")),
        *(Column(title, "count", group="Questions") for title in ("Wins", "Ties", "Losses", "Shared", "Left out")),
    )
    rows = tuple(_row(pair) for pair in sorted(contest.pairs, key=_nearest))
    title, of = ("Differences of scores, % points",), where(contest.variant, contest.judge)
    note = (*_reading(contest, source.inference.alpha), _shown(len(rows), most), *_note(contest, source))
    return Table(columns, rows, title, note, sortable=True, of=of, most=most)


def _nearest(pair: Comparison) -> float:
    estimate = pair.interval.estimate
    return math.inf if estimate is None else abs(estimate)


def _shown(n: int, most: int) -> str:
    return f"The first {most:,} of {n:,} pairs, the nearest first. " if n > most else ""


def _row(pair: Comparison) -> tuple[Cell, ...]:
    left_out = len(pair.only_one) + len(pair.only_other)
    questions = (pair.wins, pair.ties, pair.losses, len(pair.shared), left_out)
    return (
        *(pair.one, pair.other, pair.interval.estimate, limits(pair.interval)),
        *(pair.p_permutation, pair.p_holm),
        *questions,
    )


def _note(contest: Contest, source: Source) -> Words:
    undefined = [pair for pair in contest.pairs if pair.why]
    no_p = dict.fromkeys(pair.why for pair in undefined if pair.p_permutation is None)
    no_interval = dict.fromkeys(pair.why for pair in undefined if pair.p_permutation is not None)
    return (
        "A difference is the first model’s score less the second’s, over the questions that both have. ",
        f"p: sign-flip permutation{', all patterns of signs' if contest.pairs[0].exact else ''}. ",
        f"p (Holm): adjusted for the {len(contest.pairs):,} pairs of this table. " if len(contest.pairs) > 1 else "",
        method(source.inference),
        *(f"Where p is n/a: {reason}. " for reason in no_p),
        *(f"Where only the interval is n/a: {reason}. " for reason in no_interval),
        *_left_out(contest),
        cautions(pair.interval for pair in contest.pairs if not pair.why),
    )


def _left_out(contest: Contest) -> Words:
    ids = contest.left_out
    if not ids:
        return ()
    more = f" and {len(ids) - _MOST_NAMED:,} more" if len(ids) > _MOST_NAMED else ""
    named = listed([(Name(id),) for id in ids[:_MOST_NAMED]])
    return (f"Not complete for every model, and left out: {len(ids):,} (", *named, f"{more}). ")


def _reading(contest: Contest, alpha: float) -> Words:
    """How many pairs can be told apart, and the closest that cannot."""
    if contest.untested:
        unknown = all(pair.p_holm is None for pair in contest.pairs)
        return (f"{'p (Holm) is n/a' if unknown else 'No two can be told apart'}: {contest.untested}. ",)
    n, open_ = len(contest.pairs), [p for p in contest.pairs if p.p_holm is None or p.p_holm > alpha]
    if n == 1:
        (pair,) = contest.pairs
        can = f"cannot be told apart (p > {alpha:.3g})" if open_ else f"can be told apart (p ≤ {alpha:.3g})"
        apart = f"{said(abs(pair.interval.estimate or 0))} points"
        return (Name(pair.one), " and ", Name(pair.other), f" {can}: they are {apart} apart{between(pair.interval)}. ")
    counted = f"{n - len(open_):,} of {n:,} pairs can be told apart (p ≤ {alpha:.3g} after Holm’s correction)"
    if not open_:
        return (f"{counted}. ",)
    widest = max(open_, key=lambda pair: abs(pair.interval.estimate or 0))
    gap = f" by {said(abs(widest.interval.estimate or 0))} points"
    lead = "the widest gap that could be chance: " if len(open_) > 1 else "not "
    return (f"{counted}; {lead}", Name(widest.one), " and ", Name(widest.other), f", apart{gap}. ")


TABLE = TableKind(
    order=20,
    summary="Every two models: difference, interval, p with Holm's correction, wins and losses.",
    build=_build,
    needs=f"two models that one judge scored {INCOMPLETE_TOO}",
)
