"""How sure the ranking is: each score with its interval, and which models cannot be told apart."""

from __future__ import annotations

from functools import partial

from gamut_eval.analysis.contests import Contest, Standing
from gamut_eval.analysis.source import Source
from gamut_eval.reports.contest_words import named, not_apart
from gamut_eval.reports.figures.standings import Place, draw
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import main_facets, scores_titled, shown_only
from gamut_eval.reports.shapes import Cell, Column, Figure, Name, Section, Table, Words
from gamut_eval.reports.wording import p_value, said

LETTERS = (
    "Models that share a letter cannot be told apart after Holm’s correction for {n} (sign-flip "
    "permutation test, level {alpha:g}). "
)


def _build(source: Source) -> Section | None:
    among = main_facets(source)
    if not among:
        return None
    found = {(facet.variant, facet.judge): source.contest(facet.variant, facet.judge) for facet in among}
    drawn = [tuple(map(_place, found[facet.variant, facet.judge].standings)) for facet in among]
    every = tuple(place for places in drawn for place in places)
    figures = tuple(
        Figure(
            scores_titled("Scores with intervals", facet, source),
            _reading(found[facet.variant, facet.judge]),
            _table(found[facet.variant, facet.judge]),
            partial(draw, places, every),
        )
        for facet, places in zip(among, drawn, strict=True)
    )
    lead = (f"Whiskers are intervals: {source.inference.words}. ", *_tests(source, list(found.values())))
    whose = shown_only(source, among)
    return Section("standings", "How sure the ranking is", figures, (*lead, *whose))


def _tests(source: Source, contests: list[Contest]) -> Words:
    sizes = sorted({len(contest.pairs) for contest in contests if contest.groups})
    if not sizes:
        return ()
    counted = f"{' or '.join(f'{size:,}' for size in sizes)} comparison{'' if sizes == [1] else 's'}"
    return (LETTERS.format(n=counted, alpha=source.inference.alpha),)


def _place(standing: Standing) -> Place:
    row, sure = standing.row, standing.interval
    return Place(row.model, row.gamut, sure.low, sure.high, row.bounds, standing.letters)


def _table(contest: Contest) -> Table:
    columns = (
        *(Column("Model"), Column("Gamut", "percent"), Column("Interval", "interval")),
        *(Column("Rank", "count"), Column("Rank interval", "ranks"), Column("Share of resamples first, %", "percent")),
        *(Column("Group"), Column("Questions", "count")),
    )
    return Table(columns, tuple(map(_row, contest.standings)))


def _row(standing: Standing) -> tuple[Cell, ...]:
    sure, rank = standing.interval, standing.rank
    low_high = None if sure.low is None or sure.high is None else (sure.low, sure.high)
    ranks = None if rank.low is None or rank.high is None else (rank.low, rank.high)
    letters = " ".join(standing.letters) or None
    about = (rank.rank, ranks, rank.p_best, letters, sure.n_questions)
    return (standing.model, standing.row.gamut, low_high, *about)


def _reading(contest: Contest) -> Words:
    """Whether the first is ahead of the second, by how much, and whether that is sure."""
    known = [standing for standing in contest.standings if standing.row.gamut is not None]
    if not known:
        return ("No model has a score yet; lines are what each score can still become.",)
    if len(known) == 1:
        return _alone(known[0])
    first, second = known[:2]
    pair = contest.pair(first.model, second.model)
    if pair is None or pair.interval.estimate is None:
        return _alone(first)
    ahead, sure = abs(pair.interval.estimate), pair.interval
    flipped = pair.one != first.model
    who: Words = (Name(first.model), " is ahead of ", Name(second.model), f" by {said(ahead)} points")
    if said(ahead) == "0.0":
        who = (Name(first.model), " and ", Name(second.model), " have the same score")
    if sure.low is None or sure.high is None:
        return (*who, f"; how sure that is cannot be told: {sure.why or contest.untested}.")
    low, high = (-sure.high, -sure.low) if flipped else (sure.low, sure.high)
    interval = f" ({sure.level * 100:g}% interval {said(low)} to {said(high)}), "
    return (*who, interval, _verdict(contest, pair.p_holm), *_alike(contest, [one.model for one in known]))


def _alike(contest: Contest, models: list[str]) -> Words:
    """Who else than the second cannot be told apart from the first; nothing where nobody was tested."""
    if contest.groups is None:
        return ()
    first, _, *others = models
    close = not_apart(contest, first, others)
    return (" ", *named(close), " cannot be told apart from the first either.") if close else ()


def _verdict(contest: Contest, p: float | None) -> str:
    if p is None or contest.groups is None:
        return f"which was not tested: {contest.untested or 'the test is undefined'}."
    significant = "significant" if p <= contest.groups.alpha else "not significant"
    return f"which is {significant} after Holm’s correction (p {'' if p < 0.001 else '= '}{p_value(p)})."


def _alone(standing: Standing) -> Words:
    sure = standing.interval
    score: Words = (Name(standing.model), f" scores {said(standing.row.gamut)}")
    if sure.low is None or sure.high is None:
        return (*score, f"; how sure that is cannot be told: {sure.why}.")
    return (*score, f", {sure.level * 100:g}% interval {said(sure.low)} to {said(sure.high)}.")


REPORT = Kind(order=12, build=_build)
