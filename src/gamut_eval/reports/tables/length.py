"""Completeness at equal length: what the first words of all answers score, and whether longer answers score higher."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from gamut_eval.analysis.length import AtLength, LengthContest, lengths
from gamut_eval.analysis.source import Source
from gamut_eval.reports.length_words import correlation, tendency
from gamut_eval.reports.ranking import Facet, main_facets, with_shown_only
from gamut_eval.reports.shapes import Column, Name, Table, Words, listed
from gamut_eval.reports.table_kind import TableKind, Tabulated, Wanted
from gamut_eval.reports.wording import counted
from gamut_eval.stats.length import PartialCorrelation

_MOST_NAMED = 3


def _build(source: Source, wanted: Wanted) -> Tabulated | None:
    found = lengths(source, wanted.words)
    if not found:
        return None
    among = main_facets(source)
    by_key = {(one.variant, one.judge): one for one in found}
    tables = [
        _table(by_key[facet.variant, facet.judge], facet) for facet in among if (facet.variant, facet.judge) in by_key
    ]
    return Tabulated(with_shown_only(tables, source, among), [_data(one) for one in found])


def _table(contest: LengthContest, facet: Facet) -> Table:
    n = counted(contest.n_words, "word")
    columns = (
        Column("Model"),
        Column("Words, median", "count", short="Words"),
        Column("Answers cut", "percent", short="Cut"),
        Column("Whole", "percent", group="Gamut"),
        Column(f"At {n}", "percent", group="Gamut"),
        Column("Bounds", "interval", group="Gamut"),
        Column("Change", "percent", group="Gamut"),
        Column("Rank before", "count", short="Before", group="Rank"),
        Column("Rank after", "count", short="After", group="Rank"),
        Column("Open verdicts", "percent", short="Open"),
    )
    rows = tuple(
        (
            one.model,
            one.words,
            one.n_cut / one.n_answers if one.n_answers else None,
            one.whole,
            one.at_length,
            one.bounds,
            one.change,
            one.rank_before,
            one.rank_after,
            one.open_share,
        )
        for one in contest.models
    )
    title = (f"All answers cut to their first {n}, %",)
    return Table(columns, rows, title, _reading(contest, n), sortable=True, of=facet.words)


def _reading(contest: LengthContest, n: str) -> Words:
    if not any(one.n_cut for one in contest.models):
        return (*_correlated(contest), f"No answer has more than {n}. ", _TITLES)
    return (*_correlated(contest), *_moves(contest, n), *_unsettled(contest), _TITLES, _METHOD)


_TITLES = (
    "Words: the median of a model’s answers. Cut: the share of its answers that are longer, %. Open: the share of its "
    "verdicts that the cut leaves open, %. "
)
_METHOD = (
    "Estimated from verdicts on the whole answers: one stands if its quote ends in time, and is missing if it begins "
    "too late. One without a usable quote, and one on coverage or order, is open: the bounds have it at its worst and "
    "best."
)


def _moves(contest: LengthContest, n: str) -> Words:
    """Who gains or loses ranks."""
    known = [one for one in contest.models if one.rank_before is not None and one.rank_after is not None]
    if len(known) < 2:
        return (f"Fewer than two models have a score, so there is no order to compare at {n}. ",)
    risen, fallen = (
        [one for one in known if sign * ((one.rank_before or 0) - (one.rank_after or 0)) > 0] for sign in (1, -1)
    )
    if not risen and not fallen:
        return (f"At {n} no model changes its rank. ",)
    up, down = (listed(_named(some)) or ("none",) for some in (risen, fallen))
    return (f"Cut to {n}, up: ", *up, "; down: ", *down, ". ")


def _named(models: Sequence[AtLength]) -> Iterator[Words]:
    for one in models[:_MOST_NAMED]:
        yield (Name(one.model), f" ({one.rank_before} → {one.rank_after})")
    if len(models) > _MOST_NAMED:
        yield (f"{len(models) - _MOST_NAMED:,} more",)


def _unsettled(contest: LengthContest) -> Words:
    """How much of the new order the bounds leave open."""
    known = [one for one in contest.models if one.at_length is not None]
    pairs = list(combinations(known, 2))
    overlapping = sum(
        one.bounds[0] <= other.bounds[1] and other.bounds[0] <= one.bounds[1] and not _exact(one, other)
        for one, other in pairs
    )
    if not overlapping:
        return ()
    pair = "the pair" if len(pairs) == 1 else f"{overlapping:,} of {len(pairs):,} pairs"
    return (f"The bounds leave the order of {pair} open; 'gamut judge --first-words {contest.n_words}' settles it. ",)


def _exact(*models: AtLength) -> bool:
    return all(one.bounds[0] == one.bounds[1] for one in models)


def _correlated(contest: LengthContest) -> Words:
    """Whether longer answers score higher: among answers to one question, and among answers of one model."""
    question, model = contest.given_question, contest.given_model
    told = f"among answers to one question {correlation(question)}, among answers of one model {correlation(model)}"
    return (f"{tendency(question)}. Correlation of score and log length: {told}. ",)


def _data(contest: LengthContest) -> dict[str, Any]:
    return {
        "variant": contest.variant,
        "judge": contest.judge,
        "words": contest.n_words,
        "models": [
            {
                "model": one.model,
                "median_words": one.words,
                "n_answers": one.n_answers,
                "n_cut": one.n_cut,
                "gamut": one.whole,
                "at_length": one.at_length,
                "bounds": list(one.bounds),
                "change": one.change,
                "rank_before": one.rank_before,
                "rank_after": one.rank_after,
                "open_share": one.open_share,
            }
            for one in contest.models
        ],
        "correlation": {
            "given_question": _plain(contest.given_question),
            "given_model": _plain(contest.given_model),
        },
    }


def _plain(found: PartialCorrelation) -> dict[str, Any]:
    names = ("value", "low", "high", "level", "method", "n", "n_groups", "why")
    return {name: getattr(found, name) for name in names}


TABLE = TableKind(
    order=70,
    summary="scores when all answers are cut to the same number of words, and the correlation of score and length",
    build=_build,
    needs="an answer with a text",
)
