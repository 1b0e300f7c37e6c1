"""What the answers left out or got wrong, most important first: a row a check, a column a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from gamut_eval.analysis.missed import MISSED, Counts, Outcomes, Tallies, tallies
from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.reports.columns import SHARE_COLUMNS
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, facets, main_facets, titled
from gamut_eval.reports.shapes import Cell, CheckRef, Column, Name, Section, Table, Words, listed
from gamut_eval.reports.ties import together
from gamut_eval.reports.wording import KIND_NAMES, TIER_NAMES, counted, kinds_in_order
from gamut_eval.rubric.fields import TIERS, Tier

LEAD = (
    "A check is missed by a model whose answer leaves it out or contradicts it. Checks that every model meets are "
    "not listed."
)
SEVERAL = " Of several verdicts on a check the most frequent counts, the worse of equals."
MOST_ROWS = 100
"""More rows than this nobody reads on a page; ``verdicts.parquet`` has them all."""
_MOST_NAMED = 3
_MANY_MODELS = 6


def _build(source: Source) -> Section | None:
    among = main_facets(source)
    others = [f for f in facets(source) if (f.variant, f.judge) not in {(m.variant, m.judge) for m in among}]
    blocks = [table for facet in [*among, *others] for table in _tables(source, facet, folded=facet in others)]
    several = len(source.judges) > 1 or any(response.sample for response in source.responses)
    several = several or any(repeats > 1 for *_, repeats in source.asked)
    lead = LEAD + (SEVERAL if several else "")
    return Section("missed", "What was missed, most important first", tuple(blocks), (lead,)) if blocks else None


def _tables(source: Source, facet: Facet, *, folded: bool) -> Iterator[Table]:
    given = tallies(source, facet.variant, facet.judge)
    if given.cells.is_empty():
        return
    models = [row.model for row in facet.rows]
    title = titled("Check by check", facet, source)
    matrix = _matrix(given.outcomes(models), facet, title, folded=folded)
    yield replace(matrix, note=(_unmet(given, len(models)), *matrix.note))
    if not folded:
        yield _kinds(given, models, titled("By kind of check, %", facet, source))


def _unmet(given: Tallies, n_models: int) -> str:
    """How many checks no model met, by any verdict; nothing of a single model."""
    met = given.cells.group_by("check").agg(pl.col(Verdict.MEETS.value).sum()).to_series(1)
    n = int((met == 0).sum())
    were = "was" if n == 1 else "were"
    return f"{n:,} of {counted(len(met), 'check')} {were} met by no model. " if n_models > 1 else ""


def _matrix(every: Outcomes, facet: Facet, title: Words, *, folded: bool) -> Table:
    """The checks that some model does not meet, by tier, then by how many miss them."""
    flawed = every.flawed()
    columns = (Column("Check", "check"), Column("Tier"), Column("Missed by", "count"))
    rows = tuple(_row(every, place, facet.variant) for place in flawed[:MOST_ROWS])
    more = len(flawed) - len(rows)
    note = f" {more:,} more checks that some model does not meet are in verdicts.parquet." if more else ""
    outcomes = tuple(Column(model, "verdict") for model in every.models)
    return Table((*columns, *outcomes), rows, title, (*_reading(every), _open(every), note), folded=folded)


def _open(every: Outcomes) -> str:
    n_open = every.n_open
    return f" {n_open:,} outcome{' is' if n_open == 1 else 's are'} not known and not counted." if n_open else ""


def _row(every: Outcomes, place: int, variant: str) -> tuple[Cell, ...]:
    check, outcomes = every.checks[place], every.of(place)
    missing = [model for model, outcome in outcomes.items() if outcome in MISSED]
    short = [model for model, outcome in outcomes.items() if outcome == Verdict.PARTIALLY_MEETS]
    ref = CheckRef(check.question_id, check.id, check.text, (*missing, *short)[0], variant)
    return (ref, TIER_NAMES[check.tier], len(missing), *(outcomes.get(model) for model in every.models))


def _reading(every: Outcomes) -> Words:
    """How many checks of the most important tier each model misses, and how many all of them miss."""
    models = every.models
    tier = next(tier for tier in TIERS if any(check.tier == tier for check in every.checks))
    own = [place for place, check in enumerate(every.checks) if check.tier == tier]
    counts = sorted(((n, model) for model, n in every.missed_of(tier).items()), key=lambda pair: -pair[0])
    size = f"Of {counted(len(own), f'{_tier(tier)} check')}, "
    if len(models) == 1:
        return (size, Name(models[0]), f" misses {counts[0][0]:,}.")
    by_all = int((every.n_missed[own] == len(models)).sum())
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


def _kinds(tallied: Tallies, models: Sequence[str], title: Words) -> Table:
    """A row a kind of check that was asked here and model; of many models it is folded."""
    given = tallied.by_kind()
    sizes = Counter(check.kind for check in tallied.checks)
    columns = (Column("Kind of check"), Column("Model"), Column("Checks", "count"), *SHARE_COLUMNS)
    rows = (
        (KIND_NAMES.get(kind, kind), model, sizes[kind], *(counts.share(verdict) for verdict in VERDICTS))
        for kind in kinds_in_order(sizes)
        for model in models
        for counts in (given.get((kind, model), Counts()),)
    )
    return Table(columns, tuple(rows), title, sortable=True, folded=len(models) > _MANY_MODELS)


REPORT = Kind(order=55, build=_build)
