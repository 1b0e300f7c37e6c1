"""The leaderboard as the paper lays it out, with how sure each number is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gamut_eval.analysis.contests import Contest, Standing
from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS
from gamut_eval.reports.columns import TIER_COLUMNS, VERDICT_COLUMNS, interval_column, limits
from gamut_eval.reports.contest_words import cautions, method, named, over, standing_words, where
from gamut_eval.reports.leaderboard import COMBINED_NOTES
from gamut_eval.reports.numbers import inference_data, interval_data
from gamut_eval.reports.ranking import facets, unasked
from gamut_eval.reports.shapes import Cell, Column, Table, Words
from gamut_eval.reports.table_kind import TableKind, Tabulated, Wanted
from gamut_eval.rubric.fields import TIERS
from gamut_eval.scoring.counts import CONSENSUS


def _build(source: Source, wanted: Wanted) -> Tabulated | None:
    if not source.contests:
        return None
    tables = tuple(leaderboard(contest, source) for contest in source.contests if not _is_empty(contest, source))
    data = {
        "inference": inference_data(source.inference),
        "notes": list(source.notes),
        "contests": [_data(contest) for contest in source.contests],
    }
    return Tabulated(tables, data)


def _is_empty(contest: Contest, source: Source) -> bool:
    """Whether it is a consensus without any score; beside other contests that says nothing of the models."""
    others = {other.judge for other in source.contests if other.variant == contest.variant} - {CONSENSUS}
    return contest.judge == CONSENSUS and bool(others) and all(s.row.gamut is None for s in contest.standings)


def leaderboard(contest: Contest, source: Source) -> Table:
    """One contest, best first; bounds only where a question is incomplete."""
    bounded = any(standing.row.n_incomplete for standing in contest.standings)
    lines = [tuple(_cells(standing, bounded=bounded)) for standing in contest.standings]
    columns = tuple(column for _, column in lines[0])
    rows = tuple(tuple(cell for cell, _ in line) for line in lines)
    of = where(contest.variant, contest.judge)
    return Table(columns, rows, ("Gamut, %",), _note(contest, source), sortable=True, of=of)


def _cells(standing: Standing, *, bounded: bool) -> Iterator[tuple[Cell, Column]]:
    row, rank = standing.row, standing.rank
    ranks = None if rank.low is None or rank.high is None else (rank.low, rank.high)
    yield row.model, Column("Model")
    yield row.gamut, Column("Gamut", "percent", bar=True, best="highest")
    yield limits(standing.interval), interval_column(standing.interval.level, beyond_paper=True)
    if bounded:
        yield row.bounds, Column("Bounds (all questions)", "interval", short="Bounds", beyond_paper=True)
    yield _letters(standing.letters), Column("Alike", beyond_paper=True)
    yield ranks, Column("Rank", "ranks", beyond_paper=True)
    yield rank.p_best, Column("P(best), %", "percent", short="P(best)", beyond_paper=True)
    yield from zip((row.tiers[tier] for tier in TIERS), TIER_COLUMNS, strict=True)
    yield from zip((row.verdicts[verdict] for verdict in VERDICTS), VERDICT_COLUMNS, strict=True)
    coverage = (row.n_questions, row.n_questions + row.n_incomplete)
    yield coverage, Column("Questions", "coverage", short="n", beyond_paper=True)


def _letters(letters: tuple[str, ...]) -> str | None:
    return ("" if all(len(letter) == 1 for letter in letters) else " ").join(letters) or None


def _note(contest: Contest, source: Source) -> Words:
    known = [standing for standing in contest.standings if standing.row.gamut is not None]
    told: Words = (*standing_words(contest), *_incomplete(contest), _mean_over(known), _unasked(contest, source))
    if known:
        told = (*told, method(source.inference), cautions(standing.interval for standing in known))
    told = (*told, COMBINED_NOTES.get(contest.judge, ""), *_left_out(contest, source))
    return (*told, *_explained(contest)) if contest is source.contests[0] else told


def _unasked(contest: Contest, source: Source) -> str:
    """Why the contest has fewer questions than the benchmark."""
    among = facets(source, combined=True)
    return next((unasked(source, f) for f in among if (f.variant, f.judge) == (contest.variant, contest.judge)), "")


def _left_out(contest: Contest, source: Source) -> Words:
    """That there is no consensus; said where the last contest of the variant is that stands."""
    of_variant = [other for other in source.contests if other.variant == contest.variant]
    empty = [other for other in of_variant if _is_empty(other, source)]
    if not empty or contest is not [other for other in of_variant if other not in empty][-1]:
        return ()
    why = _lacking(empty[0].standings, CONSENSUS)
    return (f"No model has a score by consensus ({why}), so it is left out; '--judge consensus' shows its bounds. ",)


def _explained(contest: Contest) -> Words:
    """What the columns mean that the paper does not have; said once."""
    letters = "Alike: models that share a letter cannot be told apart. " if contest.groups is not None else ""
    ranks = "Rank: the best and the worst of the interval. P(best): in what share of resamples a model is first. "
    left_out = f"Ranks are over the {contest.ranking.n_questions:,} questions that all models have. "
    ranks = ranks if contest.ranking.why is None else f"Rank is n/a: {contest.ranking.why}. "
    return (letters, ranks, left_out if contest.ranking.left_out else "")


def _mean_over(known: Sequence[Standing]) -> str:
    """What the numbers are means over, and which questions these are where they are not all."""
    told = over(standing.interval for standing in known)
    if any(standing.row.n_incomplete for standing in known):
        return f"{told}These are the questions that are complete for every model. "
    return told


def _incomplete(contest: Contest) -> Words:
    """Who has no score, and why."""
    without = [standing for standing in contest.standings if standing.row.gamut is None]
    if not without:
        return ()
    who: Words = ("No model has a score",)
    if len(without) < len(contest.standings) or len(without) == 1:
        who = (*named([standing.model for standing in without]), f" {'has' if len(without) == 1 else 'have'} no score")
    return (*who, f": {_lacking(without, contest.judge)}. Bounds say what a score can still become. ")


def _lacking(without: Sequence[Standing], judge: str) -> str:
    """How many questions these models lack, and what of."""
    most = max(standing.row.n_incomplete for standing in without)
    asked = max(standing.row.n_questions + standing.row.n_incomplete for standing in without)
    what = "a verdict of more than half of the judges" if judge == CONSENSUS else "an answer or a verdict"
    upto = "up to " if len(without) > 1 else ""
    return f"{upto}{most:,} of {asked:,} questions {'lacks' if most == 1 and not upto else 'lack'} {what}"


def _data(contest: Contest) -> dict[str, Any]:
    groups = contest.groups
    return {
        "variant": contest.variant,
        "judge": contest.judge,
        "groups": None if groups is None else [list(group) for group in groups.groups],
        "untested": contest.untested,
        "ranks_undefined": contest.ranking.why,
        "models": [_standing(standing) for standing in contest.standings],
    }


def _standing(standing: Standing) -> dict[str, Any]:
    rank = standing.rank
    ranks = {"rank": rank.rank, "low": rank.low, "high": rank.high, "p_best": rank.p_best}
    scored = standing.row.to_dict()
    del scored["variant"], scored["judge"]
    return scored | {"interval": interval_data(standing.interval), "rank": ranks, "alike": list(standing.letters)}


TABLE = TableKind(
    order=10,
    summary="The leaderboard in the paper's layout, with intervals, ranks, and who cannot be told apart.",
    build=_build,
    unasked=True,
)
