"""Scores broken down: by domain, tier, kind of check, variant, length, image quality and more."""

from __future__ import annotations

from statistics import median
from typing import Any

from gamut_eval.analysis.breakdown import GROUPINGS, NONE, Breakdown, breakdowns
from gamut_eval.analysis.source import Source
from gamut_eval.errors import UnknownNameError
from gamut_eval.records import VERDICTS
from gamut_eval.reports.columns import SHARE_COLUMNS, interval_column, limits
from gamut_eval.reports.contest_words import cautions, method, where
from gamut_eval.reports.numbers import inference_data, interval_data
from gamut_eval.reports.ranking import main_facets, with_shown_only
from gamut_eval.reports.shapes import Cell, Column, Name, Table, Words
from gamut_eval.reports.table_kind import TableKind, Tabulated, Wanted
from gamut_eval.reports.tables.missed import ITEM_NAMES
from gamut_eval.reports.wording import KIND_NAMES, TIER_NAMES, VARIANT_NAMES, counted, said

UNASKED = ("domain", "tier", "kind")
"""What scores are broken down by where nothing is chosen."""
_NAMES: dict[str, dict[str, str]] = {
    "tier": {tier.value: name for tier, name in TIER_NAMES.items()},
    "kind": KIND_NAMES,
    "item": ITEM_NAMES,
    "variant": dict(VARIANT_NAMES),
}


def _build(source: Source, wanted: Wanted) -> Tabulated | None:
    chosen = tuple(dict.fromkeys(wanted.by or UNASKED))
    for by in chosen:
        if by not in GROUPINGS:
            raise UnknownNameError("grouping", by, GROUPINGS)
    among = main_facets(source)
    if not among:
        return None
    tables: list[Table] = []
    data = []
    contests = [(facet.variant, facet.judge) for facet in among]
    for by in chosen:
        found = breakdowns(source, by, contests)
        tables += [table for one in found for table in _tables(one, source)] if found else [_nothing(by)]
        data += [_data(one) for one in found]
    shown = with_shown_only(tables, source, among)
    return Tabulated(shown, {"inference": inference_data(source.inference), "breakdowns": data})


def _nothing(by: str) -> Table:
    column = Column(GROUPINGS[by].title)
    return Table(
        (column,), (), (f"By {by}",), (f"Nothing to break down: no question says its {GROUPINGS[by].title.lower()}.",)
    )


def _tables(found: Breakdown, source: Source) -> tuple[Table, ...]:
    return (_shares(found),) if found.shares else (_overview(found), _details(found, source))


def _ordered(found: Breakdown) -> list[str]:
    """Groups with names of their own in the order of these, others as they come."""
    names = list(_NAMES.get(found.by, {}))
    return sorted(found.groups, key=lambda group: names.index(group) if group in names else len(names))


def _name(found: Breakdown, group: str) -> str:
    return _NAMES.get(found.by, {}).get(group, group)


def _overview(found: Breakdown) -> Table:
    """Models in rows, groups in columns."""
    groups = _ordered(found)
    columns = (Column("Model"), *(Column(_name(found, group), "percent", best="highest") for group in groups))
    parts = found.parts
    rows = tuple(
        (model, *(parts[group, model].interval.estimate if (group, model) in parts else None for group in groups))
        for model in found.models
    )
    title, of = (f"{_score(found)} by {found.by}, %",), where(found.variant, found.judge)
    return Table(columns, rows, title, (*_reading(found), _noise(found)), sortable=True, of=of)


def _noise(found: Breakdown) -> str:
    """How far a score of one group could be off, so that nobody takes every difference for one."""
    sizes = [part.interval.n_questions for part in found.parts.values() if part.interval.n_questions]
    ends = [pair for part in found.parts.values() if (pair := limits(part.interval)) is not None]
    if not ends:
        return ""
    low, high = min(sizes), max(sizes)
    span = counted(low, "question") if low == high else f"{low:,} to {high:,} questions"
    half = median((high - low) / 2 for low, high in ends)
    level = next(iter(found.parts.values())).interval.level
    return (
        f" A score here is of {span} and about ±{said(half)} points ({level * 100:g}% interval): small differences "
        "between groups, and ranks within one, may be chance. "
    )


def _score(found: Breakdown) -> str:
    return "Tier score" if found.by == "tier" else "Gamut"


def _details(found: Breakdown, source: Source) -> Table:
    """A row a group and model, with its interval."""
    columns = (
        *(Column(GROUPINGS[found.by].title), Column("Model", aside=True), Column("Questions", "count", short="n")),
        Column(_score(found), "percent", bar=True),
        interval_column(source.inference.level),
    )
    rows: list[tuple[Cell, ...]] = []
    for group in _ordered(found):
        for model in found.models:
            if (part := found.parts.get((group, model))) is not None:
                n = part.interval.n_questions or part.n_open
                rows.append((_name(found, group), model, n, part.interval.estimate, limits(part.interval)))
    intervals = [part.interval for part in found.parts.values()]
    n_open = sum(part.n_open > 0 for part in found.parts.values())
    note = (
        method(source.inference),
        "Resampled within each group. ",
        f"{n_open:,} scores are n/a, since a question of the group lacks an answer or a verdict. " if n_open else "",
        cautions(intervals),
    )
    title, of = (f"{_score(found)} by {found.by} with intervals, %",), where(found.variant, found.judge)
    return Table(columns, tuple(rows), title, note, sortable=True, folded=True, of=of)


def _reading(found: Breakdown) -> Words:
    """Where the models do best and worst, as a mean over those that have a score in every group."""
    note = f" {found.note}" if found.note else ""
    means = _means(found)
    if len(means) < 2:
        return ("No two groups have scores of the same models to compare.", note)
    (best, high), (worst, low) = max(means.items(), key=lambda g: g[1]), min(means.items(), key=lambda g: g[1])
    n = len(_comparable(found))
    whom: Words = (Name(_comparable(found)[0]),) if n == 1 else (f"Mean over {n:,} models",)
    sizes = _sizes(found)
    return (
        *(*whom, ": highest for ", Name(_name(found, best)), f" ({said(high)}{sizes[best]}), "),
        *("lowest for ", Name(_name(found, worst)), f" ({said(low)}{sizes[worst]}).", note),
    )


def _sizes(found: Breakdown) -> dict[str, str]:
    """How many questions each group has, where that is the same for all models."""
    counts: dict[str, set[int]] = {}
    for part in found.parts.values():
        counts.setdefault(part.group, set()).add(part.interval.n_questions)
    return {group: f", {counted(max(sizes), 'question')}" if len(sizes) == 1 else "" for group, sizes in counts.items()}


def _comparable(found: Breakdown) -> list[str]:
    """Models with a score in every group that has any."""
    scored = {group for (group, _), part in found.parts.items() if part.interval.estimate is not None}
    has = {key for key, part in found.parts.items() if part.interval.estimate is not None}
    return [model for model in found.models if all((group, model) in has for group in scored)] if scored else []


def _means(found: Breakdown) -> dict[str, float]:
    models = _comparable(found)
    means: dict[str, float] = {}
    for group in found.groups:
        own = [found.parts[group, model].interval.estimate for model in models if (group, model) in found.parts]
        known = [score for score in own if score is not None]
        if known and group != NONE:
            means[group] = sum(known) / len(known)
    return means


def _shares(found: Breakdown) -> Table:
    """A row a group and model: how often each verdict was given."""
    columns = (
        *(Column(GROUPINGS[found.by].title), Column("Model", aside=True), Column("Verdicts", "count", short="n")),
        *SHARE_COLUMNS,
    )
    rows: list[tuple[Cell, ...]] = []
    for group in _ordered(found):
        for model in found.models:
            if (shares := found.shares.get((group, model))) is not None:
                counts = shares.counts
                rows.append((_name(found, group), model, counts.n, *(counts.share(verdict) for verdict in VERDICTS)))
    title, of = (f"Verdicts by {GROUPINGS[found.by].title.lower()}, %",), where(found.variant, found.judge)
    return Table(columns, tuple(rows), title, _shares_reading(found), sortable=True, of=of)


def _shares_reading(found: Breakdown) -> Words:
    met: dict[str, list[int]] = {}
    for (group, _), shares in found.shares.items():
        n_met, n = met.get(group, [0, 0])
        met[group] = [n_met + shares.counts.meets, n + shares.counts.n]
    rates = {group: n_met / n for group, (n_met, n) in met.items() if n}
    over = " Shares are of the verdicts given, those of all samples, repeats and (for the panel) judges."
    if len(rates) < 2:
        return (over.strip(),)
    best, worst = max(rates, key=lambda group: rates[group]), min(rates, key=lambda group: rates[group])
    return (
        *("Over all models met most often: ", Name(_name(found, best)), f" ({said(rates[best])}%); "),
        *("least often: ", Name(_name(found, worst)), f" ({said(rates[worst])}%).", over),
    )


def _data(found: Breakdown) -> dict[str, Any]:
    return {
        "by": found.by,
        "variant": found.variant,
        "judge": found.judge,
        "note": found.note or None,
        "scores": [
            {"group": part.group, "model": part.model, **interval_data(part.interval), "n_open": part.n_open}
            for part in found.parts.values()
        ],
        "shares": [
            {
                "group": shares.group,
                "model": shares.model,
                "n_verdicts": shares.counts.n,
                "verdicts": {verdict.value: shares.counts.share(verdict) for verdict in VERDICTS},
            }
            for shares in found.shares.values()
        ],
    }


TABLE = TableKind(
    order=50,
    summary=f"Scores broken down by --by: {', '.join(GROUPINGS)}.",
    build=_build,
)
