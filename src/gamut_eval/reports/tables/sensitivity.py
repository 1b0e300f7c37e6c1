"""Whether the ranking holds under other scoring constants than the run's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gamut_eval.analysis.sensitivity import Rescored, Sensitivity, Setting, sensitivities
from gamut_eval.analysis.source import Source
from gamut_eval.reports.contest_words import where
from gamut_eval.reports.numbers import ranking_data
from gamut_eval.reports.ranking import main_facets, with_shown_only
from gamut_eval.reports.shapes import Cell, Column, Name, Table, Words, listed
from gamut_eval.reports.table_kind import INCOMPLETE_TOO, TableKind, Tabulated, Wanted

_PAIRS_NAMED = 3


def _build(source: Source, wanted: Wanted) -> Tabulated | None:
    every = [found for found in sensitivities(source) if len(found.models) > 1]
    if not every:
        return None
    main = {(facet.variant, facet.judge): facet for facet in main_facets(source)}
    shown = [found for found in every if (found.variant, found.judge) in main] or every
    tables = [table for found in shown for table in _tables(found, wanted.most)]
    told = with_shown_only(tables, source, [main[key] for f in shown if (key := (f.variant, f.judge)) in main])
    return Tabulated(told, {"contests": [_data(found) for found in every]})


def _tables(found: Sensitivity, most: int) -> list[Table]:
    tables = [_models(found), _settings(found)]
    return [*tables, _swaps(found, most)] if found.swaps else tables


def _models(found: Sensitivity) -> Table:
    columns = (
        *(Column("Model"), Column("Gamut", "percent", best="highest")),
        Column("Gamut, any setting", "interval", "any setting"),
        *(Column("Rank", "count"), Column("Rank, any setting", "ranks", "any setting")),
    )
    rows: list[tuple[Cell, ...]] = []
    for model in found.models:
        scores, ranks = found.span(model)
        rows.append((model, found.own.scores[model], scores, found.own.places[model], ranks))
    title, of = ("Under other scoring constants",), where(found.variant, found.judge)
    note: Words = (*_reading(found), f"Rescored from the same verdicts, under {_grid(found.grid)}.")
    return Table(columns, tuple(rows), title, note, sortable=True, of=of)


def _grid(grid: Sequence[Rescored]) -> str:
    lambdas = ", ".join(f"{value:g}" for value in sorted({one.setting.lambda_ for one in grid}))
    mus = ", ".join(_minus(value) for value in sorted({one.setting.mu for one in grid}, reverse=True))
    weights = "; ".join(dict.fromkeys(one.setting.weights for one in grid))
    return f"all {len(grid):,} combinations of λ\u00a0{lambdas}; μ\u00a0{mus}; weights {weights}"


def _minus(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _reading(found: Sensitivity) -> Words:
    n, k = len(found.grid), found.n_stable
    if k == len(found.models):
        return (f"The order of all {k:,} models is the same under all {n:,} settings. ",)
    first: Words = (f"The order of the first {k:,} models is the same under all {n:,} settings", "; ")
    if k == 1:
        first = (Name(found.models[0]), f" is first under all {n:,} settings", "; ")
    if not found.swaps:  # models that are level under one setting
        level = "under some of them models are level. "
        return (*first, level) if k else (f"Of {n:,} settings {level}",)
    pairs = list(found.swaps.items())[:_PAIRS_NAMED]
    told = listed(
        (Name(one), " and ", Name(other), f" (under {len(settings):,} of {n:,}{_what(settings, found)})")
        for (one, other), settings in pairs
    )
    more = f" and {len(found.swaps) - len(pairs):,} more pairs" if len(found.swaps) > len(pairs) else ""
    begin = (*first, "places change") if k else ("Places change",)
    return (*begin, " between ", *told, f"{more}. ")


def _what(settings: Sequence[Setting], found: Sensitivity) -> str:
    """What those settings have in common that not all of the grid have; nothing where they have nothing."""
    whole = [one.setting for one in found.grid]
    common = []
    for name, own, of_all in (
        ("λ", {f"{s.lambda_:g}" for s in settings}, {f"{s.lambda_:g}" for s in whole}),
        ("μ", {_minus(s.mu) for s in settings}, {_minus(s.mu) for s in whole}),
        ("weights", {s.weights for s in settings}, {s.weights for s in whole}),
    ):
        if own != of_all and len(own) <= 2:
            common.append(f"{name}\u00a0{' or '.join(sorted(own))}")
    return f", all with {', '.join(common)}" if common else ""


def _settings(found: Sensitivity) -> Table:
    """One constant changed at a time."""
    columns = (
        *(Column("Changed"), Column("Kendall’s tau", "number", "tau"), Column("Pairs swapped", "count", "swapped")),
        *(Column("First"), Column("Mean change", "percent", "change"), Column("Left out", "count")),
    )
    own = found.own
    rows = [_setting_row(changed, one, own) for changed, one in _one_at_a_time(found)]
    left_out = any(one.n_left_out for one in found.grid)
    note: Words = (
        f"The run’s own: {_constants(own.setting)}. One constant is changed at a time. Kendall’s tau is of the ranking "
        "with that of the run’s own constants; change: of the mean over models, in points. ",
        "Left out: questions without a check in a tier that weighs anything there, so without a score."
        if left_out
        else "",
    )
    return Table(columns, tuple(rows), ("One constant changed",), note, of=where(found.variant, found.judge))


def _constants(setting: Setting) -> str:
    return f"λ {setting.lambda_:g}, μ {_minus(setting.mu)}, weights {setting.weights}"


def _one_at_a_time(found: Sensitivity) -> Iterable[tuple[str, Rescored]]:
    own = found.own.setting
    base = (own.lambda_, own.mu, own.weights)
    for place in range(3):
        for one in found.grid:
            key = (one.setting.lambda_, one.setting.mu, one.setting.weights)
            if [at for at in range(3) if key[at] != base[at]] == [place]:
                yield (f"λ {key[0]:g}", f"μ {_minus(key[1])}", f"weights {key[2]}")[place], one


def _setting_row(changed: str, one: Rescored, own: Rescored) -> tuple[Cell, ...]:
    leaders = [model for model, place in one.places.items() if place == 1]
    pairs = [(one.scores[model], score) for model, score in own.scores.items()]
    changes = [now - was for now, was in pairs if now is not None and was is not None]
    mean = sum(changes) / len(changes) if changes else None
    return (changed, one.ranking.kendall_tau_b, len(one.swapped), ", ".join(leaders) or None, mean, one.n_left_out)


def _swaps(found: Sensitivity, most: int) -> Table:
    columns = (Column("Better under the run’s own"), Column("Than"), Column("Settings", "count"), Column("Under"))
    pairs = list(found.swaps.items())
    rows = tuple((one, other, len(settings), _first_settings(settings)) for (one, other), settings in pairs[:most])
    more = f" The first {most:,} of {len(pairs):,} are shown." if len(pairs) > most else ""
    note = (f"Settings: under how many of {len(found.grid):,} the second is ahead of the first.{more}",)
    return Table(columns, rows, ("Pairs that change places",), note, of=where(found.variant, found.judge))


def _first_settings(settings: Sequence[Setting]) -> str:
    more = f" and {len(settings) - 1:,} more" if len(settings) > 1 else ""
    return f"{_constants(settings[0])}{more}"


def _data(found: Sensitivity) -> dict[str, Any]:
    return {
        "variant": found.variant,
        "judge": found.judge,
        "n_stable": found.n_stable,
        "own": _rescored(found.own),
        "grid": [_rescored(one) for one in found.grid],
    }


def _rescored(one: Rescored) -> dict[str, Any]:
    return {
        "scoring": one.setting.constants.to_dict(),
        "weights": one.setting.weights,
        "scores": dict(one.scores),
        "ranks": dict(one.places),
        "ranking": ranking_data(one.ranking),
        "swapped": [list(pair) for pair in one.swapped],
        "n_left_out": one.n_left_out,
    }


TABLE = TableKind(
    order=60,
    summary="Whether the ranking holds under other values of lambda, mu and the tier weights.",
    build=_build,
    needs=f"two models that one judge scored {INCOMPLETE_TOO}",
)
