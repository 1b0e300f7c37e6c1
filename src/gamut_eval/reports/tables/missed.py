"""What answers miss: what no model met, the checks and items missed most, who leaves out or contradicts, by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from gamut_eval.analysis.missed import MISSED, Counts, MissedCheck, MissedItem, Tallies, missed_items, tallies
from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.reports.columns import SHARE_COLUMNS
from gamut_eval.reports.ranking import Facet, main_facets, with_shown_only
from gamut_eval.reports.shapes import Cell, CheckRef, Column, Table, Words
from gamut_eval.reports.table_kind import TableKind, Tabulated, Wanted
from gamut_eval.reports.ties import extreme, together
from gamut_eval.reports.wording import KIND_NAMES, KIND_PLURALS, TIER_NAMES, counted, kinds_in_order, said
from gamut_eval.rubric.fields import TIERS, Tier

ITEM_NAMES = {
    "simple": "Fact",
    "strict_list": "Strict list",
    "flexible_list": "Flexible list",
    "process": "Process",
    "relationship": "Relationship",
    "insight": "Insight",
}
_CONTRADICTS = Verdict.CONTRADICTS
_CHECK = (
    *(Column("Question"), Column("Check", "check"), Column("Tier", aside=True), Column("Kind", aside=True)),
    Column("Answers", "count"),
)
_SHARES = (Column("Missed", "percent"), Column("Missing", "percent"), Column("Contra.", "percent"))
_MISSED_SAID = "Missed: the answer leaves it out (missing) or contradicts it; shares of the verdicts given, %."


@dataclass(frozen=True)
class _Found:
    """What one variant and judge have to show."""

    facet: Facet
    tallies: Tallies
    unmet: tuple[list[MissedCheck], int]
    missed: tuple[list[MissedCheck], int]
    contradicted: tuple[list[MissedCheck], int]
    items: tuple[list[MissedItem], int]
    kinds: dict[tuple[str, str], Counts]
    models: dict[tuple[str, Tier | None], Counts]

    @property
    def names(self) -> list[str]:
        """The models, best first."""
        return [row.model for row in self.facet.rows]


def _build(source: Source, wanted: Wanted) -> Tabulated | None:
    every = (_found(source, facet, wanted.most) for facet in main_facets(source))
    found = [one for one in every if one is not None]
    if not found:
        return None
    tables = [replace(table, of=one.facet.words) for one in found for table in _tables(one)]
    shown = with_shown_only(tables, source, [one.facet for one in found])
    return Tabulated(shown, [_data(one) for one in found])


def _found(source: Source, facet: Facet, most: int) -> _Found | None:
    counts = tallies(source, facet.variant, facet.judge)
    if counts.cells.is_empty():
        return None
    return _Found(
        facet,
        counts,
        _unmet(counts, most),
        counts.most(*MISSED, at_most=most),
        counts.most(_CONTRADICTS, at_most=most),
        missed_items(source, counts, at_most=most),
        counts.by_kind(),
        counts.by_model(),
    )


def _unmet(counts: Tallies, most: int) -> tuple[list[MissedCheck], int]:
    """The checks that no answer of any model meets by any verdict, and how many these are."""
    n = counts.cells.group_by("check").agg(pl.col("meets").sum()).filter(pl.col("meets") == 0).height
    # All their verdicts are others than "meets", so that they come before every other check.
    others = [verdict for verdict in VERDICTS if verdict != Verdict.MEETS]
    return counts.most(*others, at_most=min(n, most))[0], n


def _tables(found: _Found) -> Iterator[Table]:
    """What all miss comes first."""
    if len(found.names) > 1:
        yield _unmet_table(found)
    yield _checks(found, found.missed, "Checks missed most")
    if found.contradicted[1]:
        yield _checks(found, found.contradicted, "Checks contradicted most")
    if any(item.n_checks > 1 for item in found.items[0]):
        yield _items(found)
    yield _models(found)
    yield _kinds(found)


def _unmet_table(found: _Found) -> Table:
    checks, n = found.unmet
    n_judged = found.tallies.cells["check"].n_unique()
    lead = f"{n:,} of {counted(n_judged, 'check')} {'was' if n == 1 else 'were'} met by no model"
    lead += ", not in any answer or by any verdict. " if n else ". "
    shown = f"The first {len(checks):,} are shown. " if len(checks) < n else ""
    columns = (*_CHECK, Column("Partially", "percent"), Column("Missing", "percent"), Column("Contra.", "percent"))
    rows = tuple(
        (*_about(check, found), *(check.counts.share(verdict) for verdict in VERDICTS[1:])) for check in checks
    )
    return Table(columns, rows, ("Checks that no model met",), (lead, shown, _open(found.tallies)))


def _checks(found: _Found, listed: tuple[list[MissedCheck], int], title: str) -> Table:
    checks, n_all = listed
    rows = tuple((*_about(check, found), *_shares(check.counts)) for check in checks)
    note = (_listed(len(checks), n_all, "checks"), _open(found.tallies))
    return Table((*_CHECK, *_SHARES), rows, (title,), note)


def _about(missed: MissedCheck, found: _Found) -> tuple[Cell, ...]:
    check = missed.check
    ref = CheckRef(check.question_id, check.id, check.text, (*missed.models, *found.names)[0], found.facet.variant)
    kind = KIND_NAMES.get(check.kind, check.kind)
    return check.question_id, ref, TIER_NAMES[check.tier], kind, missed.n_answers


def _shares(counts: Counts) -> tuple[float | None, ...]:
    return counts.missed, counts.share(Verdict.MISSING), counts.share(_CONTRADICTS)


def _listed(n: int, n_all: int, what: str) -> str:
    some = f"The {n:,} worst of {n_all:,}" if n < n_all else f"All {n_all:,}"
    return f"{_MISSED_SAID} {some} {what} of which that is so in any answer."


def _open(counts: Tallies) -> str:
    """What counts nowhere."""
    said_of = []
    if n := counts.n_open:
        said_of.append(f"{counted(n, 'verdict')} {'is' if n == 1 else 'are'} not there (failed, or not asked for yet)")
    if n := counts.n_unanswered:
        said_of.append(f"{counted(n, 'question')} {'has' if n == 1 else 'have'} no answer of a model")
    return f" Not counted: {'; '.join(said_of)}." if said_of else ""


def _items(found: _Found) -> Table:
    items, n_all = found.items
    columns = (
        *(Column("Question"), Column("Item"), Column("Type", aside=True), Column("Tier", aside=True)),
        Column("Checks", "count"),
        *(Column("Answers", "count"), Column("Missed", "percent"), Column("Contra.", "percent")),
        Column("Missed whole", "percent", short="Whole"),
    )
    rows = tuple(
        (
            item.question_id,
            f"{item.item_id}: {item.text}" if item.text else item.item_id,
            ITEM_NAMES.get(item.kind, item.kind),
            *(TIER_NAMES[item.tier], item.n_checks, item.n_answers, item.missed, item.contradicted, item.whole),
        )
        for item in items
    )
    note = "Missed: mean over answers of the share of the item's checks; whole: answers that miss all of them, %. "
    some = f"The {len(items):,} worst of {n_all:,}" if len(items) < n_all else f"All {n_all:,}"
    note = f"{note}{some} items of which any check is missed."
    return Table(columns, rows, ("Items missed most",), (note, _open(found.tallies)))


def _kinds(found: _Found) -> Table:
    """A row a kind of check and model."""
    sizes = Counter(check.kind for check in found.tallies.checks)
    columns = (
        *(Column("Kind of check"), Column("Model", aside=True)),
        *(Column("Checks", "count"), Column("Verdicts", "count")),
    )
    rows = tuple(
        (KIND_NAMES.get(kind, kind), model, sizes[kind], counts.n, *(counts.share(verdict) for verdict in VERDICTS))
        for kind in kinds_in_order(sizes)
        for model in found.names
        if (counts := found.kinds.get((kind, model), Counts()))
    )
    note = (*_kinds_reading(found, list(sizes)), _open(found.tallies))
    return Table((*columns, *SHARE_COLUMNS), rows, ("By kind of check",), note)


def _kinds_reading(found: _Found, kinds: Sequence[str]) -> Words:
    """Which kind is missed most, and which least, over all models."""
    shares: dict[str, float] = {}
    for kind in kinds_in_order(kinds):
        own = [counts for (of, _), counts in found.kinds.items() if of == kind]
        if n := sum(counts.n for counts in own):
            shares[kind] = sum(counts.n_missed for counts in own) / n
    most, least = extreme(shares, shares.__getitem__), extreme(shares, shares.__getitem__, lowest=True)
    if most == least:
        return ("Shares of the verdicts given, %.",)
    worst = f"{_kind_words(most)} are missed most ({said(shares[most[0]])}%)"
    return (f"Over all models, {worst}, {_kind_words(least)} least ({said(shares[least[0]])}%).",)


def _kind_words(kinds: Sequence[str]) -> str:
    return " and ".join(KIND_PLURALS.get(kind, f"checks of the kind {kind}") for kind in kinds)


def _models(found: _Found) -> Table:
    """A row a model: what it leaves out and contradicts, over all tiers and in each."""
    tiers: list[Tier | None] = [None, *(tier for tier in TIERS if any(of == tier for _, of in found.models))]
    columns = [Column("Model")]
    for tier in tiers:
        columns += _balance_columns(tier)
    rows = tuple((model, *(cell for tier in tiers for cell in _balance(found, model, tier))) for model in found.names)
    meaning = " Shares of the verdicts given, %; of missed: contradicted, of all that is missing or contradicted."
    title, note = ("Left out or contradicted, by model and tier",), (*_models_reading(found), meaning)
    return Table(tuple(columns), rows, title, (*note, _open(found.tallies)), sortable=True)


def _balance_columns(tier: Tier | None) -> Iterator[Column]:
    group = "All tiers" if tier is None else TIER_NAMES[tier]
    yield Column("Missing", "percent", "missing", group, best="lowest")
    yield Column("Contradicts", "percent", "contra.", group, best="lowest")
    yield Column("Contradicts of missed", "percent", "of missed", group)


def _balance(found: _Found, model: str, tier: Tier | None) -> tuple[float | None, float | None, float | None]:
    counts = found.models.get((model, tier), Counts())
    return counts.share(Verdict.MISSING), counts.share(_CONTRADICTS), counts.contradicted_of_missed


def _models_reading(found: _Found) -> Words:
    """Who omits most, who errs most, and whose misses are errors rather than omissions."""
    own = {model: counts for model in found.names if (counts := found.models.get((model, None), Counts())).n}
    missing = {model: counts.missing / counts.n for model, counts in own.items()}
    wrong = {model: counts.contradicts / counts.n for model, counts in own.items()}
    of_missed = {model: share for model, counts in own.items() if (share := counts.contradicted_of_missed) is not None}
    parts = [
        _who(missing, ("leaves out most", "leave out most"), len(own), begins=True),
        _who(wrong, ("contradicts most", "contradict most"), len(own)),
    ]
    if of_missed and any(wrong.values()):
        most = extreme(of_missed, of_missed.__getitem__)
        part = f" ({said(of_missed[most[0]])}%)."
        last: Words = (" Of what is missed, the largest part is contradicted by ", *together(most, len(own)), part)
        return (*parts[0], ", ", *parts[1], ".", *last)
    return (*parts[0], "; nothing is contradicted.")


def _who(shares: dict[str, float], verbs: tuple[str, str], among: int, *, begins: bool = False) -> Words:
    most = extreme(shares, shares.__getitem__)
    verb = verbs[0] if len(most) == 1 else verbs[1]
    return (*together(most, among, begins=begins), f" {verb} ({said(shares[most[0]])}%)")


def _data(found: _Found) -> dict[str, Any]:
    return {
        "variant": found.facet.variant,
        "judge": found.facet.judge,
        "n_checks": len(found.tallies.checks),
        "n_open": found.tallies.n_open,
        "n_unanswered": found.tallies.n_unanswered,
        "models": [
            {"model": model, "tier": None if tier is None else tier.value} | _balance_data(counts)
            for model in found.names
            for tier in (None, *TIERS)
            if (counts := found.models.get((model, tier)))
        ],
        "kinds": [
            {"kind": kind, "model": model, "n_verdicts": counts.n} | _verdict_shares(counts)
            for kind in kinds_in_order(kind for kind, _ in found.kinds)
            for model in found.names
            if (counts := found.kinds.get((kind, model)))
        ],
        "n_unmet": found.unmet[1],
        "unmet": [_check_data(check) for check in found.unmet[0]],
        "n_missed": found.missed[1],
        "missed": [_check_data(check) for check in found.missed[0]],
        "n_contradicted": found.contradicted[1],
        "contradicted": [_check_data(check) for check in found.contradicted[0]],
        "n_missed_items": found.items[1],
        "items": [_item_data(item) for item in found.items[0]],
    }


def _verdict_shares(counts: Counts) -> dict[str, float | None]:
    return {verdict.value: counts.share(verdict) for verdict in VERDICTS}


def _balance_data(counts: Counts) -> dict[str, Any]:
    shares = {name: _verdict_shares(counts)[name] for name in map(str, MISSED)}
    return {"n_verdicts": counts.n, **shares, "contradicted_of_missed": counts.contradicted_of_missed}


def _check_data(missed: MissedCheck) -> dict[str, Any]:
    check = missed.check
    about = {"question_id": check.question_id, "check_id": check.id, "item_id": check.item_id, "text": check.text}
    numbers = {"n_answers": missed.n_answers, "n_verdicts": missed.counts.n, "n_open": missed.n_open}
    shares = {"missed": missed.counts.missed, **_verdict_shares(missed.counts)}
    return about | {"tier": check.tier.value, "kind": check.kind} | numbers | shares | {"models": list(missed.models)}


def _item_data(item: MissedItem) -> dict[str, Any]:
    about = {"question_id": item.question_id, "item_id": item.item_id, "tier": item.tier.value, "type": item.kind}
    numbers = {"n_checks": item.n_checks, "n_answers": item.n_answers, "missed": item.missed}
    return about | {"text": item.text} | numbers | {"contradicted": item.contradicted, "whole": item.whole}


TABLE = TableKind(
    order=75,
    summary="What no model met, and what answers leave out or contradict: checks, items, kinds, models.",
    build=_build,
    needs="a verdict",
)
