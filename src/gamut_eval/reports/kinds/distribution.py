"""How scores are spread over questions: a histogram a model."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.reports.figures.histograms import Histogram, draw
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.ranking import Facet, main_facets, shown_only, titled
from gamut_eval.reports.shapes import Cell, Column, Figure, Name, Section, Table, Words
from gamut_eval.reports.ties import extreme, together
from gamut_eval.reports.wording import said

LEAD = (
    "How many questions have which score. The line is the mean of the questions that count, and each model’s tallest "
    "bar has the same height. A model whose scores lie far apart is good on some questions and bad on others."
)
_BIN = 0.1


def _build(source: Source) -> Section | None:
    among = main_facets(source)
    scores = source.scores.questions.select("variant", "judge", "model", "gamut", "complete")
    found = [(facet, _scores(facet, scores)) for facet in among]
    known = [value for _, own in found for values in own.values() for value in values]
    if not known:
        return None
    low = -1.0 if min(known) < -0.5 else -0.5 if min(known) < 0 else 0.0
    figures = tuple(_figure(facet, own, low, source) for facet, own in found if any(own.values()))
    lead = (f"{LEAD} ", *shown_only(source, among))
    return Section("distribution", "Scores of questions", figures, lead)


def _scores(facet: Facet, scores: pl.DataFrame) -> dict[str, list[float]]:
    """Known scores by model."""
    own = scores.filter(variant=facet.variant, judge=facet.judge).drop_nulls("gamut")
    found: dict[str, list[float]] = {row.model: [] for row in facet.rows}
    found |= {model: values for model, values in own.group_by("model").agg("gamut").iter_rows() if model in found}
    return found


def _figure(facet: Facet, scores: dict[str, list[float]], low: float, source: Source) -> Figure:
    edges = np.linspace(low, 1, round((1 - low) / _BIN) + 1)
    models = []
    for row in facet.rows:
        values = np.clip(scores[row.model], low, 1) + 1e-9  # what is on an edge belongs above it, whatever its last bit
        counts = np.histogram(np.minimum(values, 1), edges)[0]
        n_complete, n_all = facet.coverage(row)
        models.append(Histogram(row.model, tuple(counts.tolist()), row.gamut, n_all - n_complete))
    return Figure(
        titled("Number of questions by score", facet, source),
        _reading(facet, scores),
        _table(facet, scores),
        partial(draw, tuple(models), low),
    )


def _table(facet: Facet, scores: dict[str, list[float]]) -> Table:
    columns = (
        *(Column("Model"), Column("Questions", "coverage"), Column("Mean", "percent")),
        *(Column("Lower quartile", "percent"), Column("Median", "percent"), Column("Upper quartile", "percent")),
        *(Column("At 100, %", "percent"), Column("Below 0, %", "percent")),
    )
    rows: list[tuple[Cell, ...]] = []
    for row in facet.rows:
        own = np.array(scores[row.model])
        if not len(own):
            rows.append((row.model, facet.coverage(row), *[None] * 6))
            continue
        quartiles = np.quantile(own, [0.25, 0.5, 0.75]).tolist()
        shares = (float((own >= 1).mean()), float((own < 0).mean()))
        rows.append((row.model, facet.coverage(row), row.gamut, *quartiles, *shares))
    return Table(columns, tuple(rows))


def _reading(facet: Facet, scores: dict[str, list[float]]) -> Words:
    known = [(row.model, _between(scores[row.model])) for row in facet.rows if scores[row.model]]
    if len(known) == 1:
        model, width = known[0]
        if len(scores[model]) == 1:
            return (Name(model), " has a score on one question.")
        return (Name(model), f": the middle half of its scores spans {said(width)} points.")
    widest = extreme(known, lambda pair: pair[1])
    who = together([model for model, _ in widest], len(known), begins=True)
    has = "has" if len(widest) == 1 else "have"
    differ = said(widest[0][1])
    if len(widest) == len(known):
        return (*who, f" have the same spread: the middle half of the scores spans {differ} points.")
    return (*who, f" {has} the widest spread: the middle half of the scores spans {differ} points.")


def _between(values: list[float]) -> float:
    low, high = np.quantile(values, [0.25, 0.75]).tolist()
    return float(high - low)


REPORT = Kind(order=36, build=_build)
