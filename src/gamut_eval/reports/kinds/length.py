"""Answer length against score: do longer answers score higher, and how much do models write?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import polars as pl

from gamut_eval.analysis.length import answer_words, length_correlation, scored_words
from gamut_eval.analysis.source import Source
from gamut_eval.reports.figures.lengths import Middle, draw
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.length_words import correlation, tendency
from gamut_eval.reports.ranking import Facet, main_facets, shown_only, titled
from gamut_eval.reports.shapes import Cell, Column, Figure, Section, Table
from gamut_eval.stats.length import PartialCorrelation

LEAD = (
    "Each numbered point is a model’s median answer, its cross the middle half of its answers; the stronger the "
    "shade of the ground, the more answers of all models are there. Words are on a logarithmic scale."
)


def _build(source: Source) -> Section | None:
    among = main_facets(source)
    words = answer_words(source)
    figures = tuple(figure for facet in among if (figure := _figure(source, facet, words)))
    lead = (f"{LEAD} ", *shown_only(source, among))
    return Section("length", "Length of answers", figures, lead) if figures else None


def _figure(source: Source, facet: Facet, words: pl.DataFrame) -> Figure | None:
    scored = scored_words(source, words, facet.variant, facet.judge)
    own = scored.drop_nulls("gamut")
    if own.is_empty():
        return None
    quartiles = _quartiles(own)
    models = [row.model for row in facet.rows if row.model in quartiles]
    middles = tuple(Middle(model, *quartiles[model]) for model in models)
    drawing = partial(draw, own["words"].to_list(), own["gamut"].to_list(), middles)
    reading = _reading(length_correlation(source, scored, given="question_id"))
    return Figure(titled("Score by length", facet, source), (reading,), _table(facet, quartiles), drawing)


Quartiles = tuple[tuple[float, float, float], tuple[float, float, float]]


def _quartiles(own: pl.DataFrame) -> dict[str, Quartiles]:
    """By model: quartiles of words, and of scores."""
    names = [(name, share) for name in ("words", "gamut") for share in (0.25, 0.5, 0.75)]
    found = own.group_by("model").agg(pl.col(n).quantile(q, "linear").alias(f"{n}{q}") for n, q in names)
    return {model: ((a, b, c), (d, e, f)) for model, a, b, c, d, e, f in found.iter_rows()}


def _table(facet: Facet, quartiles: Mapping[str, Quartiles]) -> Table:
    columns = [Column("Model")]
    columns += [Column(title, "count", group="Words") for title in ("Lower quartile", "Median", "Upper quartile")]
    columns += [Column(title, "percent", group="Score") for title in ("Lower quartile", "Median", "Upper quartile")]
    rows: list[tuple[Cell, ...]] = []
    for row in facet.rows:
        words, scores = quartiles.get(row.model, ((None,) * 3, (None,) * 3))
        rows.append((row.model, *words, *scores))
    return Table(tuple(columns), tuple(rows))


def _reading(found: PartialCorrelation) -> str:
    """How score goes with length among the answers to one question."""
    if found.value is None:
        return f"{tendency(found)}: {found.why}."
    told = f"correlation of score and log length given the question {correlation(found)}"
    return f"{tendency(found)} ({told}). That does not say that length is the cause."


REPORT = Kind(order=46, build=_build)
