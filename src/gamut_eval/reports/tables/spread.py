"""Where the spread of scores comes from, and so what to add for surer means: questions, judges, samples, repeats."""

from __future__ import annotations

from typing import Any

from gamut_eval.analysis.source import Source
from gamut_eval.analysis.spread import Spread, spreads
from gamut_eval.reports.contest_words import where
from gamut_eval.reports.shapes import Column, Name, Table, Words
from gamut_eval.reports.table_kind import TableKind, Tabulated, Wanted
from gamut_eval.reports.wording import said
from gamut_eval.stats.variance import COMPONENTS, METHOD, Component


def _build(source: Source, wanted: Wanted) -> Tabulated | None:
    found = spreads(source)
    if not found:
        return None
    variants = dict.fromkeys(spread.variant for spread in found)
    tables = tuple(_table([s for s in found if s.variant == variant], variant) for variant in variants)
    return Tabulated(tables, {"method": METHOD, "models": [_data(spread) for spread in found]})


def _table(found: list[Spread], variant: str) -> Table:
    columns = (
        *(
            Column("Model"),
            Column("Scores", "count"),
            Column("Mean", "percent"),
            Column("Standard error", "percent", "SE"),
        ),
        *(Column(name.capitalize(), "percent", name, "Share of the variance") for name in COMPONENTS),
    )
    rows = tuple(
        (
            *(spread.model, spread.split.n, spread.split.mean, spread.split.standard_error),
            *(part.share for part in spread.split.components),
        )
        for spread in found
    )
    return Table(columns, rows, ("Where scores spread, %",), _note(found), sortable=True, of=where(variant, None))


def _note(found: list[Spread]) -> Words:
    told: Words = tuple(word for spread in found[:1] for word in _reading(spread))
    notes = dict.fromkeys(
        f"{part.name}: {part.note}. " for spread in found for part in spread.split.components if part.note
    )
    alike = [note for note in notes if "the estimate is" not in note]
    negative = sum("the estimate is" in (p.note or "") for spread in found for p in spread.split.components)
    reasons = dict.fromkeys(spread.split.why for spread in found if spread.split.why)
    n_open = sum(spread.n_open for spread in found)
    return (
        *told,
        "Each score is of one answer by one judge in one repeat. SE: of the mean, for other questions, judges and "
        "answers of the kind. ",
        *alike,
        f"{negative:,} estimates below 0 are shown as 0. " if negative else "",
        *(f"Where all is n/a: {reason}. " for reason in reasons),
        f"{n_open:,} scores are open and left out. " if n_open else "",
        f"Method: {METHOD}.",
    )


def _reading(spread: Spread) -> Words:
    """What makes the mean of the first model unsure, by what it adds to its variance."""
    parts = [part for part in spread.split.components if part.of_mean]
    if not parts:
        return ()
    most = max(parts, key=_of_mean)
    share = _of_mean(most) / sum(map(_of_mean, parts))
    spreads_most = max(parts, key=lambda part: part.share or 0.0)
    return (
        *("Scores of ", Name(spread.model), f" spread most by {spreads_most.name} ({said(spreads_most.share)}%); "),
        f"what leaves its mean unsure is mostly {most.name} ({said(share)}% of the variance of the mean). ",
    )


def _of_mean(part: Component) -> float:
    return part.of_mean or 0.0


def _data(spread: Spread) -> dict[str, Any]:
    split = spread.split
    return {
        "variant": spread.variant,
        "model": spread.model,
        "mean": split.mean,
        "standard_error": split.standard_error,
        "n_scores": split.n,
        "n_open": spread.n_open,
        "why": split.why,
        "components": [
            {
                "name": part.name,
                "variance": part.variance,
                "share": part.share,
                "of_mean": part.of_mean,
                "n_levels": part.n_levels,
                "note": part.note,
            }
            for part in split.components
        ],
    }


TABLE = TableKind(
    order=65,
    summary="How much of the spread of scores is due to questions, judges, samples, repeats.",
    build=_build,
    needs="several scores of one question: a second judge, --samples or --repeats",
)
