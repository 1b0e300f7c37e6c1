"""What the answers left out or got wrong, most important first: a row a check, a column a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.outcomes import Fate, facet_verdicts, fates, kind_shares
from gamut_eval.reports.ranking import Facet, facets, main_facets, titled
from gamut_eval.reports.shapes import Cell, CheckRef, Column, Name, Section, Table, Words, listed
from gamut_eval.reports.ties import together
from gamut_eval.reports.wording import KIND_NAMES, TIER_NAMES, VERDICT_NARROW
from gamut_eval.rubric.fields import TIERS, Tier

LEAD = (
    "A check is missed by a model whose answer leaves it out or contradicts it. Checks that every model meets are "
    "not listed."
)
SEVERAL = " Of several verdicts on a check the most frequent counts, the worse of equals."
MOST_ROWS = 100
"""More rows than this nobody reads on a page; ``verdicts.parquet`` has them all."""
_MOST_NAMED = 3


def _build(source: Source) -> Section | None:
    among = main_facets(source)
    others = [f for f in facets(source) if (f.variant, f.judge) not in {(m.variant, m.judge) for m in among}]
    every = [*among, *others]
    blocks = [table for facet in every for table in _tables(source, facet, every, folded=facet in others)]
    several = len(source.judges) > 1 or any(response.sample for response in source.responses)
    several = several or any(repeats > 1 for *_, repeats in source.asked)
    lead = LEAD + (SEVERAL if several else "")
    return Section("missed", "What was missed, most important first", tuple(blocks), (lead,)) if blocks else None


def _tables(source: Source, facet: Facet, among: list[Facet], *, folded: bool) -> Iterator[Table]:
    given = facet_verdicts(source, facet)
    if given["verdict"].drop_nulls().is_empty():
        return
    every = list(fates(source, facet, given))
    if not folded:
        yield _kinds(source, facet, given, every, titled("By kind of check, share of verdicts, %", facet, among))
    yield _matrix(every, facet, titled("Check by check", facet, among), folded=folded)


def _matrix(every: list[Fate], facet: Facet, title: Words, *, folded: bool) -> Table:
    """The checks that some model does not meet, by tier, then by how many miss them."""
    flawed = [fate for fate in every if fate.flawed]
    flawed.sort(key=lambda fate: (TIERS.index(fate.check.tier), -len(fate.missed_by), -_short_of(fate)))
    models = [row.model for row in facet.rows]
    columns = (Column("Check", "check"), Column("Tier"), Column("Missed by", "count"))
    rows = tuple(_row(fate, models, facet.variant) for fate in flawed[:MOST_ROWS])
    more = len(flawed) - len(rows)
    note = f" {more:,} more checks that some model does not meet are in verdicts.parquet." if more else ""
    outcomes = tuple(Column(model, "verdict") for model in models)
    return Table((*columns, *outcomes), rows, title, (*_reading(every, models), _open(every), note), folded=folded)


def _open(every: Sequence[Fate]) -> str:
    n_open = sum(outcome not in VERDICTS for fate in every for outcome in fate.outcomes.values())
    return f" {n_open:,} outcome{' is' if n_open == 1 else 's are'} not known and not counted." if n_open else ""


def _short_of(fate: Fate) -> int:
    return sum(outcome == "partially_meets" for outcome in fate.outcomes.values())


def _row(fate: Fate, models: Sequence[str], variant: str) -> tuple[Cell, ...]:
    check = fate.check
    short = [model for model, outcome in fate.outcomes.items() if outcome == "partially_meets"]
    example = (*fate.missed_by, *short)[0]
    ref = CheckRef(check.question_id, check.id, check.text, example, variant)
    return (ref, TIER_NAMES[check.tier], len(fate.missed_by), *(fate.outcomes.get(model) for model in models))


def _reading(every: Sequence[Fate], models: Sequence[str]) -> Words:
    """How many checks of the most important tier each model misses, and how many all of them miss."""
    tier = next(tier for tier in TIERS if any(fate.check.tier == tier for fate in every))
    own = [fate for fate in every if fate.check.tier == tier]
    counts = sorted(((sum(m in fate.missed_by for fate in own), m) for m in models), key=lambda pair: -pair[0])
    size = f"Of {len(own):,} {_tier(tier)} check{'' if len(own) == 1 else 's'}, "
    if len(models) == 1:
        return (size, Name(models[0]), f" misses {counts[0][0]:,}.")
    by_all = sum(len(fate.missed_by) == len(models) for fate in own)
    everyone = f"; {by_all:,} {'is' if by_all == 1 else 'are'} missed by every model."
    if len(models) <= _MOST_NAMED:
        return (size, *listed((Name(m), f" misses {n:,}") for n, m in counts), everyone)
    most, fewest = counts[0][0], counts[-1][0]
    if most == fewest:
        return (size, f"every model misses {most:,}", everyone)
    worst, best = [m for n, m in counts if n == most], [m for n, m in counts if n == fewest]
    misses = " misses most (" if len(worst) == 1 else " miss most ("
    return (
        *(size, *together(worst, len(models)), f"{misses}{_each(most, worst)}), "),
        *(*together(best, len(models)), f" fewest ({_each(fewest, best)})", everyone),
    )


def _each(n: int, models: Sequence[str]) -> str:
    return f"{n:,}{' each' if len(models) > 1 else ''}"


def _tier(tier: Tier) -> str:
    return TIER_NAMES[tier].lower()


def _kinds(source: Source, facet: Facet, given: pl.DataFrame, every: list[Fate], title: Words) -> Table:
    """A row a kind of check that was asked here, a column a model and verdict."""
    shares = kind_shares(given, source.checks)
    counts = Counter(fate.check.kind for fate in every)
    models = [row.model for row in facet.rows]
    kinds = [kind for kind in KIND_NAMES if kind in counts] + sorted(set(counts) - set(KIND_NAMES))
    columns = [Column("Kind of check"), Column("Checks", "count")]
    columns += [Column(VERDICT_NARROW[verdict], "percent", group=model) for model in models for verdict in VERDICTS]
    rows = (
        (
            KIND_NAMES.get(kind, kind),
            counts[kind],
            *(shares.get((kind, model, v)) for model in models for v in VERDICTS),
        )
        for kind in kinds
    )
    return Table(tuple(columns), tuple(rows), title, sortable=True)


REPORT = Kind(order=55, build=_build)
