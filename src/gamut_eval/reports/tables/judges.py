"""What several judges make of the same answers: scores and ranks side by side, agreement, leniency, judging oneself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gamut_eval.analysis.judges import JudgePair, JudgesOf, SelfView, judges_compared
from gamut_eval.analysis.places import places
from gamut_eval.analysis.source import Source
from gamut_eval.reports.columns import interval_column, limits
from gamut_eval.reports.contest_words import between, cautions, method, where
from gamut_eval.reports.numbers import comparison_data, inference_data, interval_data, ranking_data
from gamut_eval.reports.shapes import Cell, Column, Name, Table, Words
from gamut_eval.reports.table_kind import TableKind, Tabulated, Wanted
from gamut_eval.reports.wording import number, percent, said
from gamut_eval.stats.bootstrap import Interval


def _build(source: Source, wanted: Wanted) -> Tabulated | None:
    among = judges_compared(source)
    if not among:
        return None
    tables = [table for judges in among for table in _tables(judges, source)]
    data = {"inference": inference_data(source.inference), "variants": [_data(judges) for judges in among]}
    return Tabulated(tuple(tables), data)


def _tables(judges: JudgesOf, source: Source) -> list[Table]:
    tables = [_scores(judges), _pairs(judges, source)]
    return [*tables, _selves(judges, source)] if judges.selves else tables


def _models(judges: JudgesOf) -> list[str]:
    """By the first judge's score, best first; those without one last."""
    models = dict.fromkeys(model for _, model in judges.rows)
    scores = judges.scores(judges.judges[0])
    known = {model: score for model in models if (score := scores.get(model)) is not None}
    return sorted(models, key=lambda model: (model not in known, -known.get(model, 0.0), model))


def _scores(judges: JudgesOf) -> Table:
    ranks = {judge: places(judges.scores(judge)) for judge in judges.judges}
    columns = [Column("Model")]
    for judge in judges.judges:
        columns.append(Column("Gamut", "percent", group=judge, best="highest"))
        columns.append(Column("Rank", "count", group=judge, beyond_paper=True))
    rows = [
        (model, *(cell for judge in judges.judges for cell in (_gamut(judges, judge, model), ranks[judge].get(model))))
        for model in _models(judges)
    ]
    of = where(judges.variant, None)
    return Table(tuple(columns), tuple(rows), ("Gamut by judge, %",), _order(judges), sortable=True, of=of)


def _gamut(judges: JudgesOf, judge: str, model: str) -> float | None:
    row = judges.rows.get((judge, model))
    return None if row is None else row.gamut


def _order(judges: JudgesOf) -> Words:
    """Whether the judges rank the models alike."""
    taus = [pair.ranking.kendall_tau_b for pair in judges.pairs]
    known = [tau for tau in taus if tau is not None]
    incomplete = any(row.gamut is None for row in judges.rows.values())
    told = "n/a: a question lacks an answer or a verdict, or the judge was not asked. " if incomplete else ""
    if not known:
        why = judges.pairs[0].ranking.why if judges.pairs else "there are no two judges"
        return (f"Whether they rank alike is n/a: {why}. {told}",)
    every = f"The {len(judges.judges):,} judges" if len(judges.judges) > 2 else "The two judges"
    if min(known) == 1:
        return (f"{every} rank the models in the same order. {told}",)
    span = number(known[0]) if len(known) == 1 else f"{number(min(known))} to {number(max(known))}, by pairs"
    return (f"{every} do not rank the models in the same order: Kendall’s tau {span}. {told}",)


def _pairs(judges: JudgesOf, source: Source) -> Table:
    columns = (
        *(Column("Judge"), Column("With"), Column("Checks", "count")),
        Column("Same verdict, %", "percent", "same"),
        Column("Cohen’s kappa", "number", "kappa"),
        Column("Weighted kappa", "number", "weighted"),
        Column("Score difference", "percent", "points", "More lenient by"),
        interval_column(source.inference.level, group="More lenient by"),
        Column("Kendall’s tau", "number", "tau", "Order of models"),
        Column("Spearman’s rho", "number", "rho", "Order of models"),
    )
    rows = tuple(map(_row, judges.pairs))
    of, note = where(judges.variant, None), _agreement_note(judges, source)
    return Table(columns, rows, ("Agreement of judges",), note, sortable=True, of=of)


def _row(compared: JudgePair) -> tuple[Cell, ...]:
    pair, lenient = compared.pair, compared.leniency.interval
    verdicts = (pair.n, pair.same, pair.kappa, compared.weighted_kappa.value)
    ranking = (compared.ranking.kendall_tau_b, compared.ranking.spearman)
    return (pair.one, pair.other, *verdicts, lenient.estimate, limits(lenient), *ranking)


def _agreement_note(judges: JudgesOf, source: Source) -> Words:
    alpha = judges.alpha
    value = number(alpha.value) if alpha.value is not None else f"n/a ({alpha.why})"
    reasons = dict.fromkeys(pair.weighted_kappa.why for pair in judges.pairs if pair.weighted_kappa.why)
    intervals = [pair.leniency.interval for pair in judges.pairs]
    return (
        *_lenient(judges),
        f"Krippendorff’s alpha over all judges and {alpha.n:,} checks: {value}. ",
        "Weighted kappa and alpha count a step between missing, partially meets and meets as a part of a disagreement, "
        "and contradicts against any other as a whole one. ",
        *(f"Where weighted kappa is n/a: {reason}. " for reason in reasons),
        "More lenient by: the first judge’s scores less the second’s, paired by question, over the models that both "
        "graded. ",
        method(source.inference),
        cautions(intervals),
    )


def _lenient(judges: JudgesOf) -> Words:
    """The two judges whose scores are furthest apart."""
    known = [pair for pair in judges.pairs if pair.leniency.interval.estimate is not None]
    if not known:
        return ("No question has been scored by two judges for all models. ",)
    widest = max(known, key=lambda pair: abs(pair.leniency.interval.estimate or 0))
    estimate = widest.leniency.interval.estimate or 0
    one, other = (widest.pair.one, widest.pair.other) if estimate > 0 else (widest.pair.other, widest.pair.one)
    if said(estimate) in ("0.0", "−0.0"):
        return ("No judge is more lenient than another. ",)
    most = "Furthest apart: " if len(known) > 1 else ""
    percents = f"{percent(widest.pair.same)}%" if widest.pair.same is not None else "n/a"
    sure = between(widest.leniency.interval if estimate > 0 else _turned(widest.leniency.interval))
    return (
        *(most, Name(one), " scores ", f"{said(abs(estimate))} points higher", f"{sure} than ", Name(other)),
        f"; these two gave the same verdict on {percents} of {widest.pair.n:,} checks. ",
    )


def _turned(found: Interval) -> Interval:
    """The interval seen from the other judge."""
    return found if found.low is None or found.high is None else replace(found, low=-found.high, high=-found.low)


def _selves(judges: JudgesOf, source: Source) -> Table:
    columns = (
        Column("Judge of its own answers"),
        Column("By itself", "percent", group="Its answers"),
        Column("By the others", "percent", group="Its answers"),
        Column("Difference", "percent", group="Its answers"),
        interval_column(source.inference.level, group="Its answers"),
        Column("Difference", "percent", group="Other models’ answers"),
        Column("Excess", "percent"),
        interval_column(source.inference.level),
    )
    rows = tuple(
        (
            *(view.judge, view.own, view.others, view.difference.estimate, limits(view.difference)),
            *(view.elsewhere.estimate, view.excess.estimate, limits(view.excess)),
        )
        for view in judges.selves
    )
    note = (
        *(word for view in judges.selves for word in _self_words(view)),
        "By the others: the mean of the other judges’ scores over the same questions. Excess: the difference on "
        "its own answers less that on the other models’, which is how lenient it is anyway. ",
        method(source.inference),
        cautions(interval for view in judges.selves for interval in (view.difference, view.excess)),
    )
    return Table(columns, rows, ("Judges that graded their own answers, %",), note, of=where(judges.variant, None))


def _self_words(view: SelfView) -> Words:
    if view.excess.estimate is None:
        return (Name(view.judge), f": whether it prefers its own answers is n/a ({view.excess.why}). ")
    low, high = view.excess.low, view.excess.high
    chance = " (which may be chance)" if low is None or high is None or low <= 0 <= high else ""
    more = "more" if view.excess.estimate >= 0 else "less"
    points = f"{said(abs(view.excess.estimate))} points {more}{chance}"
    return (Name(view.judge), " gives its own answers ", points, " than its leniency towards other models explains. ")


def _data(judges: JudgesOf) -> dict[str, Any]:
    return {
        "variant": judges.variant,
        "judges": list(judges.judges),
        "scores": [
            {"judge": judge, "model": model, "gamut": row.gamut, "n_questions": row.n_questions}
            for (judge, model), row in judges.rows.items()
        ],
        "pairs": [_pair_data(pair) for pair in judges.pairs],
        "krippendorff_alpha": {"value": judges.alpha.value, "n_checks": judges.alpha.n, "why": judges.alpha.why},
        "own_answers": [
            {
                "judge": view.judge,
                "by_itself": view.own,
                "by_others": view.others,
                "difference": interval_data(view.difference),
                "elsewhere": interval_data(view.elsewhere),
                "excess": interval_data(view.excess),
            }
            for view in judges.selves
        ],
    }


def _pair_data(compared: JudgePair) -> dict[str, Any]:
    pair, weighted = compared.pair, compared.weighted_kappa
    return {
        "one": pair.one,
        "other": pair.other,
        "n_checks": pair.n,
        "same": pair.same,
        "kappa": pair.kappa,
        "weighted_kappa": {"value": weighted.value, "why": weighted.why},
        "verdicts": {"labels": list(pair.table.labels), "counts": pair.table.counts.tolist()},
        "leniency": comparison_data(compared.leniency),
        "ranking": ranking_data(compared.ranking),
        "models": list(compared.models),
    }


TABLE = TableKind(
    order=40,
    summary="Judges side by side: scores and ranks, agreement on verdicts, leniency, and judging oneself.",
    build=_build,
    unasked=True,
    needs="two judges of one variant; 'gamut judge' with another --judge and the same --run adds one",
)
