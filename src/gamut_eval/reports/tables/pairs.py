"""Every two models of a contest, question by question."""

from __future__ import annotations

from gamut_eval.analysis.contests import Contest
from gamut_eval.analysis.source import Source
from gamut_eval.reports.contest_words import cautions, method, titled
from gamut_eval.reports.numbers import comparison_data, inference_data, limits
from gamut_eval.reports.shapes import Cell, Column, Name, Table, Words, listed
from gamut_eval.reports.table_kind import TableKind, Tabulated, Wanted
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
    return Tabulated(tuple(_table(contest, source) for contest in among), data)


def _table(contest: Contest, source: Source) -> Table:
    columns = (
        *(Column("Model"), Column("Less"), Column("Difference", "percent")),
        Column(f"{source.inference.level * 100:g}% interval", "interval"),
        *(Column("p", "p"), Column("p (Holm)", "p")),
        *(Column(title, "count", group="Questions") for title in ("Wins", "Ties", "Losses", "Shared", "Left out")),
    )
    rows = tuple(_row(pair) for pair in contest.pairs)
    title = titled("Differences of scores, % points", contest.variant, contest.judge)
    return Table(columns, rows, title, _note(contest, source), sortable=True)


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
        *_reading(contest, source.inference.alpha),
        "A difference is the first model’s score less the second’s, over the questions that both have. ",
        f"p: sign-flip permutation{', all patterns of signs' if contest.pairs[0].exact else ''}; ",
        f"p (Holm): adjusted for the {len(contest.pairs):,} pairs of this table. ",
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
        return (f"p (Holm) is n/a: {contest.untested}. ",)
    n, open_ = len(contest.pairs), [p for p in contest.pairs if p.p_holm is None or p.p_holm > alpha]
    counted = f"{n - len(open_):,} of {n:,} pairs can be told apart (p ≤ {alpha:.3g} after Holm’s correction)"
    if not open_:
        return (f"{counted}. ",)
    widest = max(open_, key=lambda pair: abs(pair.interval.estimate or 0))
    gap = f" by {said(abs(widest.interval.estimate or 0))} points"
    lead = "the widest gap that could be chance: " if len(open_) > 1 else "not "
    return (f"{counted}; {lead}", Name(widest.one), " and ", Name(widest.other), f", apart{gap}. ")


TABLE = TableKind(
    order=20, summary="Every two models: difference, interval, p with Holm's correction, wins and losses.", build=_build
)
