"""Scores broken down by what questions, answers and checks are: one function a grouping, all of them in `GROUPINGS`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl

from gamut_eval.analysis.contests import OPEN, cluster_keys
from gamut_eval.analysis.length import answer_words
from gamut_eval.analysis.missed import Counts, Tallies, tallies
from gamut_eval.analysis.source import Source
from gamut_eval.errors import UnknownNameError
from gamut_eval.records import VARIANTS
from gamut_eval.rubric.fields import TIERS
from gamut_eval.scoring.counts import CONSENSUS
from gamut_eval.scoring.score import QUESTION
from gamut_eval.stats.bootstrap import Interval, bootstrap_means
from gamut_eval.stats.table import ScoreTable

NONE = "(none)"
ADDED = "added"
_ROW = [*QUESTION, "complete"]
_KEPT = [*_ROW, "gamut"]


@dataclass(frozen=True)
class Grouped:
    """Scores with their groups: question_id, model, variant, judge, complete, ``group`` and ``value``.

    ``order`` are the groups as they are to be shown; ``note`` says how they were made.
    """

    scores: pl.DataFrame
    order: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class Grouping:
    """Something to break scores down by.

    ``title`` is over the groups' names. ``scores`` puts a source's scores of one variant or judge into groups, whose
    means are taken. ``across`` is the column of the scores that the groups are made of, where they are no part of one
    contest.
    """

    title: str
    scores: Callable[[Source, pl.DataFrame], Grouped]
    across: str | None = None


@dataclass(frozen=True)
class CheckGrouping:
    """Something to break verdicts down by, into shares: ``group_of`` says what group each check is in."""

    title: str
    group_of: Callable[[Source], Mapping[tuple[str, str], str]]


@dataclass(frozen=True)
class Part:
    """One model's mean score in one group. ``n_open`` of its questions lack an answer or a verdict."""

    group: str
    model: str
    interval: Interval
    n_open: int


@dataclass(frozen=True)
class Shares:
    """How often each verdict was given to one model's answers on the checks of one group."""

    group: str
    model: str
    counts: Counts


@dataclass(frozen=True)
class Breakdown:
    """One variant and judge (None where the groups are these), broken down: a `Part` or `Shares` a group and model."""

    by: str
    variant: str | None
    judge: str | None
    groups: tuple[str, ...]
    models: tuple[str, ...]
    parts: Mapping[tuple[str, str], Part]
    shares: Mapping[tuple[str, str], Shares]
    note: str


def breakdowns(source: Source, by: str, contests: Iterable[tuple[str, str]]) -> tuple[Breakdown, ...]:
    """Break the scores down.

    Parameters
    ----------
    source
        Where from.
    by
        A name of `GROUPINGS`.
    contests
        Variant and judge of those to break down.

    Returns
    -------
    One a contest; none where nothing has a group (no question an image's quality, say).

    Raises
    ------
    UnknownNameError
        There is no such grouping.
    """
    if by not in GROUPINGS:
        raise UnknownNameError("grouping", by, GROUPINGS)
    grouping = GROUPINGS[by]
    if isinstance(grouping, CheckGrouping):
        found = [_by_check(source, by, grouping, *key) for key in dict.fromkeys(contests)]
    else:
        keys = dict.fromkeys(_key(grouping, variant, judge) for variant, judge in contests)
        found = [_by_score(source, by, grouping, *key) for key in keys]
    return tuple(one for one in found if set(one.groups) - {NONE})


def _key(grouping: Grouping, variant: str, judge: str) -> tuple[str | None, str | None]:
    return (None if grouping.across == "variant" else variant, None if grouping.across == "judge" else judge)


def _by_check(source: Source, by: str, grouping: CheckGrouping, variant: str, judge: str) -> Breakdown:
    models = _best_first(source, variant, judge)
    groups, shares = _shares(tallies(source, variant, judge), grouping.group_of(source), models)
    return Breakdown(by, variant, judge, groups, models, {}, shares, "")


def _by_score(source: Source, by: str, grouping: Grouping, variant: str | None, judge: str | None) -> Breakdown:
    models = _best_first(source, variant, judge)
    scores = source.scores.questions
    for column, value in (("variant", variant), ("judge", judge)):
        scores = scores if value is None else scores.filter(pl.col(column) == value)
    grouped = grouping.scores(source, scores)
    parts = {(part.group, part.model): part for part in _parts(source, grouped, models)}
    used = {group for group, _ in parts}
    groups = tuple(group for group in grouped.order if group in used)
    return Breakdown(by, variant, judge, groups, models, parts, {}, grouped.note)


def _best_first(source: Source, variant: str | None, judge: str | None) -> tuple[str, ...]:
    """By the mean of the scores there are."""
    found: dict[str, list[float]] = {}
    for row in source.scores.rows:
        if (variant is None or row.variant == variant) and (judge is None or row.judge == judge):
            found.setdefault(row.model, []).extend([] if row.gamut is None else [row.gamut])
    return tuple(sorted(found, key=lambda model: (not found[model], -fmean(found[model] or [0]), model)))


def _parts(source: Source, grouped: Grouped, models: Sequence[str]) -> Iterator[Part]:
    known = grouped.scores.join(source.scores.averaged, on=QUESTION, how="semi")
    keys = cluster_keys(source.questions)
    for (group,), own in known.group_by("group", maintain_order=True):
        columns: dict[str, dict[str, float | None]] = {model: {} for model in models}
        n_open = dict.fromkeys(models, 0)
        for model, question, value, complete in own.select("model", "question_id", "value", "complete").iter_rows():
            columns[model][question] = value if complete else None
            n_open[model] += not complete
        closed = {model: {} if n_open[model] else scores for model, scores in columns.items() if scores}
        for model, interval in _intervals(source, closed, keys).items():
            said = replace(interval, why=OPEN) if n_open[model] else interval
            yield Part(str(group), model, said, n_open[model])


def _intervals(
    source: Source, columns: Mapping[str, Mapping[str, float | None]], keys: Mapping[str, tuple[Any, ...]]
) -> dict[str, Interval]:
    """By model; those with the same questions by one set of draws."""
    together: dict[frozenset[str], list[str]] = {}
    for model, scores in columns.items():
        together.setdefault(frozenset(scores), []).append(model)
    found: dict[str, Interval] = {}
    for several in together.values():
        table = ScoreTable.joined({model: columns[model] for model in several}, keys)
        found |= zip(several, bootstrap_means(table, **source.inference.options), strict=True)
    return {model: found[model] for model in columns}


def _shares(
    counted: Tallies, group_of: Mapping[tuple[str, str], str], models: Sequence[str]
) -> tuple[tuple[str, ...], dict[tuple[str, str], Shares]]:
    groups = [group_of[check.question_id, check.id] for check in counted.checks]
    frame = pl.DataFrame({"group": groups}, schema={"group": pl.String}).with_row_index("check")
    names = list(Counts.__dataclass_fields__)
    sums = counted.cells.join(frame, on="check").group_by("group", "model").agg(pl.col(name).sum() for name in names)
    found = {
        (group, model): Shares(group, model, Counts(*counts))
        for group, model, *counts in sums.select("group", "model", *names).iter_rows()
    }
    used = {group for group, _ in found}
    order = tuple(group for group in dict.fromkeys(groups) if group in used)
    return order, {
        (group, model): found[group, model] for group in order for model in models if (group, model) in found
    }


def domain_means(source: Source, variant: str, judge: str) -> dict[str, tuple[int, dict[str, float | None]]]:
    """By domain: how many of its questions count, and each model's mean, as those of ``breakdowns`` without intervals.

    None where one of the model's questions that count is incomplete.
    """
    domains = {question.id: question.domain for question in source.questions}
    domain = pl.col("question_id").replace_strict(domains, return_dtype=pl.String)
    own = source.scores.averaged.filter(variant=variant, judge=judge).with_columns(domain=domain)
    means = own.group_by("domain", "model").agg(
        gamut=pl.when(pl.col("complete").all()).then(pl.col("gamut").mean()),
        n=pl.col("question_id").n_unique(),
    )
    found: dict[str, tuple[int, dict[str, float | None]]] = {}
    for name, model, gamut, n in means.sort("domain", "model").iter_rows():
        most, of = found.get(name, (0, {}))
        found[name] = (max(most, n), of | {model: gamut})
    return found


# --- what scores can be broken down by ---------------------------------------------------------


def _of_questions(labels: Callable[[Any], Iterable[str]], note: str = "") -> Callable[[Source, pl.DataFrame], Grouped]:
    """Groups made of questions, of which one may be in several."""

    def group(source: Source, scores: pl.DataFrame) -> Grouped:
        rows = [(question.id, label) for question in source.questions for label in labels(question)]
        frame = pl.DataFrame(rows, schema={"question_id": pl.String, "group": pl.String}, orient="row")
        joined = scores.select(_KEPT).join(frame, on="question_id").rename({"gamut": "value"})
        return Grouped(joined, tuple(sorted({label for _, label in rows}, key=lambda name: (name == NONE, name))), note)

    return group


def _qualities(question: Any) -> tuple[str, ...]:
    return (question.image.quality or (NONE,)) if question.image else (NONE,)


def _egocentric(question: Any) -> tuple[str, ...]:
    known = None if question.image is None else question.image.egocentric
    return ({True: "egocentric", False: "not egocentric", None: NONE}[known],)


def _across(column: str, names: Sequence[str] = ()) -> Callable[[Source, pl.DataFrame], Grouped]:
    """Groups that are a column of the scores already."""

    def group(source: Source, scores: pl.DataFrame) -> Grouped:
        rows = scores.select(*_KEPT, group=column).rename({"gamut": "value"}).filter(pl.col("judge") != CONSENSUS)
        found = rows["group"].unique(maintain_order=True).to_list()
        return Grouped(rows, tuple(sorted(found, key=lambda name: names.index(name) if name in names else len(names))))

    return group


def _tiers(source: Source, scores: pl.DataFrame) -> Grouped:
    """A tier's score is undefined for a question that lacks the tier, and for one that is incomplete."""
    has = {(check.question_id, check.tier.value) for check in source.checks}
    frame = pl.DataFrame(sorted(has), schema={"question_id": pl.String, "group": pl.String}, orient="row")
    names = [tier.value for tier in TIERS]
    long = scores.select(*_ROW, *names).unpivot(names, index=_ROW, variable_name="group", value_name="value")
    return Grouped(
        long.join(frame, on=["question_id", "group"]),
        tuple(names),
        "A tier’s score is the mean over the questions that have the tier.",
    )


def _lengths(source: Source, scores: pl.DataFrame) -> Grouped:
    """Quarters of the answers by their number of words, those of all models together."""
    key = ["question_id", "model", "variant"]
    lengths = answer_words(source).join(scores, on=key, how="semi")
    words = lengths["words"].to_numpy()
    limits = np.unique(np.quantile(words if len(words) else [0.0], (0.25, 0.5, 0.75), method="lower")).tolist()
    names = _quarters(limits)
    groups = pl.Series("group", [names[place] for place in np.searchsorted(limits, words)], pl.String)
    joined = scores.select(_KEPT).join(lengths.select(key).with_columns(groups), on=key, how="left")
    joined = joined.with_columns(pl.col("group").fill_null("no answer")).rename({"gamut": "value"})
    note = (
        "Answers by their number of words, in quarters of all models’ answers (samples of one are averaged). A model "
        "has as many questions in each as it has answers of that length: models are not compared on the same questions."
    )
    return Grouped(joined, (*names, "no answer"), note)


def _quarters(limits: Sequence[float]) -> list[str]:
    """Names of the ranges that the limits, each the end of its own, make.

    >>> _quarters([90.0, 120.5])
    ['up to 90 words', 'over 90 to 120.5 words', 'over 120.5 words']
    """
    shown = [f"{limit:g}" for limit in limits]
    between = [f"over {low} to {high} words" for low, high in pairwise(shown)]
    return [f"up to {shown[0]} words", *between, f"over {shown[-1]} words"]


def _kinds(source: Source) -> dict[tuple[str, str], str]:
    return {(check.question_id, check.id): check.kind for check in source.checks}


def _items(source: Source) -> dict[tuple[str, str], str]:
    """The type of the rubric's item that a check was made from."""
    types = {(q.id, item.id): getattr(item, "type", "item") for q in source.questions for item in q.rubric.items}
    types |= {(q.id, insight.id): "insight" for q in source.questions for insight in q.rubric.insights}
    return {
        (check.question_id, check.id): types.get((check.question_id, check.item_id or ""), ADDED)
        if check.source != "imported"
        else "imported"
        for check in source.checks
    }


_SEVERAL = "A question whose image has several qualities counts in each."

GROUPINGS: Mapping[str, Grouping | CheckGrouping] = {
    "domain": Grouping("Domain", _of_questions(lambda question: (question.domain,))),
    "tier": Grouping("Tier", _tiers),
    "kind": CheckGrouping("Kind of check", _kinds),
    "item": CheckGrouping("Type of item", _items),
    "variant": Grouping("Variant", _across("variant", VARIANTS), across="variant"),
    "judge": Grouping("Judge", _across("judge"), across="judge"),
    "length": Grouping("Length of answer", _lengths),
    "image-quality": Grouping("Image quality", _of_questions(_qualities, _SEVERAL)),
    "egocentric": Grouping("Image", _of_questions(_egocentric)),
    "group": Grouping("Group", _of_questions(lambda question: (question.group or NONE,))),
    "split": Grouping("Split", _of_questions(lambda question: (question.split or NONE,))),
}
"""What scores can be broken down by."""
