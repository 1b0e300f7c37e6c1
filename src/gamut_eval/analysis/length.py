"""Completeness at equal length: how long answers are, whether length goes with score, and scores of their first words.

An answer's first words are scored from the verdicts on the whole answer, by where their quotes stand (`lengths` has the
rules). That asks no judge again, and is an estimate; ``gamut judge --first-words N`` asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import polars as pl

from gamut_eval.analysis.contests import cluster_keys
from gamut_eval.analysis.rescoring import KEY, rescored
from gamut_eval.analysis.source import Source
from gamut_eval.errors import InputError
from gamut_eval.records import Verdict
from gamut_eval.scoring.counts import CONSENSUS, PANEL, RESPONSE, UNIT
from gamut_eval.scoring.score import ScoreRow, leaderboard_rows
from gamut_eval.stats.length import PartialCorrelation, partial_correlation
from gamut_eval.stats.table import cluster_numbers
from gamut_eval.words import first_words, n_words

_RESPONSES = dict(zip(RESPONSE, (pl.String, pl.String, pl.String, pl.Int64), strict=True))
_READINGS = ("likely", "worst", "best")
_SEVERAL_PLACES = ("coverage", "sequence")


@dataclass(frozen=True)
class AtLength:
    """One model of a contest, by its whole answers and by their first words.

    ``words`` is the median length of its answers, ``n_cut`` how many of its ``n_answers`` are longer than the cut.
    ``whole`` is the leaderboard's score, ``at_length`` the estimate for the first words, both in [−1, 1] and None where
    a question is incomplete; ``bounds`` are the score with the open verdicts at their worst and best.
    ``open_share`` is the share of its verdicts that are open after the cut. Ranks have 1 for the best; ties share it.
    """

    model: str
    words: float | None
    n_answers: int
    n_cut: int
    whole: float | None
    at_length: float | None
    bounds: tuple[float, float]
    open_share: float | None
    rank_before: int | None
    rank_after: int | None

    @property
    def change(self) -> float | None:
        """What the cut takes away, as a negative number."""
        return None if self.whole is None or self.at_length is None else self.at_length - self.whole


@dataclass(frozen=True)
class LengthContest:
    """The models of one variant under one judge, best first by whole answers, and their scores at ``n_words``.

    ``given_question``: of several answers to one question, do the longer ones score higher? ``given_model``: do a
    model's longer answers? Both are correlations of the score with the logarithm of the length.
    """

    variant: str
    judge: str
    n_words: int
    models: tuple[AtLength, ...]
    given_question: PartialCorrelation
    given_model: PartialCorrelation


def lengths(source: Source, words: int | None = None) -> tuple[LengthContest, ...]:
    """One a variant and judge (the panel too), in the leaderboard's order.

    A verdict on an answer that is cut stands if its quote ends within the first words; it becomes *missing* if the
    quote begins beyond them; *missing* stays. It is **open** where the quote is absent, is not in the answer, or
    straddles the cut, and where the check rests on several places of the answer (*coverage*, *sequence*), unless it is
    *missing*. Open verdicts have bounds: a *meets* or *partially meets* may be anything from *missing* to what it is; a
    *contradicts* may stand or be *missing* (of a *sequence*, *partially meets*). The estimate takes an open
    verdict by its quote all the same, and one without a quote as it is.

    Parameters
    ----------
    source
        Texts of its responses are read.
    words
        What answers are cut to; by default, in each variant, the lowest of the models' median lengths.

    Raises
    ------
    InputError
        ``words`` is less than 1.
    """
    if words is not None and words < 1:
        raise InputError(f"answers can be cut to 1 word or more, not to {words}")
    answers = _answers(source)
    budgets = _budgets(answers, words)
    if not budgets:
        return ()
    cut = _cut(answers, budgets)
    verdicts = _after_cut(source, cut)
    words_of = cut.group_by("question_id", "model", "variant").agg(words=pl.col("n_words").mean())
    made = _Made(source, cut, _read(source, verdicts), _open_shares(verdicts), words_of)
    grouped: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in source.scores.rows:
        if row.judge != CONSENSUS and row.variant in budgets:
            grouped.setdefault((row.variant, row.judge), []).append(row)
    return tuple(_contest(made, rows, budgets[variant]) for (variant, _), rows in grouped.items())


def scores_at(source: Source, words: int) -> pl.DataFrame:
    """Scores of questions by the answers' first words, estimated by the rules of `lengths`.

    Returns
    -------
    A row a question, model, variant and judge: ``gamut`` of the whole answer, ``at_length``, and its bounds ``low`` and
    ``high``.
    """
    answers = _answers(source)
    readings = _read(source, _after_cut(source, _cut(answers, _budgets(answers, words))))
    whole = source.scores.questions.select(*KEY, "gamut")
    for name, column, kept in (("likely", "at_length", "gamut"), ("worst", "low", "low"), ("best", "high", "high")):
        whole = whole.join(readings[name].select(*KEY, pl.col(kept).alias(column)), on=KEY, maintain_order="left")
    return whole


def _read(source: Source, verdicts: pl.DataFrame) -> dict[str, pl.DataFrame]:
    return {name: rescored(source, verdicts.with_columns(verdict=name)) for name in _READINGS}


@dataclass(frozen=True)
class _Made:
    """What all contests are made of."""

    source: Source
    cut: pl.DataFrame
    readings: Mapping[str, pl.DataFrame]
    open_shares: Mapping[tuple[str, str, str], float]
    words: pl.DataFrame


def _answers(source: Source) -> pl.DataFrame:
    """A row an answer: its text with all white space made single spaces, which no word's end depends on; its length."""
    rows = []
    for response in source.responses:
        text = response.text
        if text is not None:
            rows.append((*response.key, " ".join(text.split()), n_words(text)))
    return pl.DataFrame(rows, {**_RESPONSES, "text": pl.String, "n_words": pl.Int64}, orient="row")


def _budgets(answers: pl.DataFrame, words: int | None) -> dict[str, int]:
    """The length to cut to, by variant."""
    medians = answers.group_by("variant", "model").agg(pl.col("n_words").median())
    lowest = medians.group_by("variant").agg(pl.col("n_words").min()).iter_rows()
    return {variant: words or max(1, int(n)) for variant, n in lowest}


def _cut(answers: pl.DataFrame, budgets: Mapping[str, int]) -> pl.DataFrame:
    """The same with ``end``: how many bytes of the text its first words take; None where it has no more than those."""
    columns = answers.select("text", "n_words", "variant").iter_rows()
    ends = [len(first_words(text, budgets[v]).encode()) if n > budgets[v] else None for text, n, v in columns]
    return answers.with_columns(pl.Series("end", ends, pl.Int64))


def _after_cut(source: Source, cut: pl.DataFrame) -> pl.DataFrame:
    """The verdicts, with three readings of what they are after the cut, and whether they are ``open``."""
    own = source.verdicts.select(*UNIT, "check_id", "kind", "verdict", "quote").with_row_index("row")
    touched = own.filter(pl.col("verdict") != Verdict.MISSING)
    touched = touched.join(cut.filter(pl.col("end").is_not_null()).select(*RESPONSE, "text", "end"), on=RESPONSE)
    quote = pl.col("quote").str.replace_all(r"\s+", " ").str.strip_chars()
    touched = touched.with_columns(quote=pl.when(quote != "").then(quote))
    touched = touched.with_columns(start=pl.col("text").str.find(pl.col("quote"), literal=True).cast(pl.Int64))
    after = pl.col("start") + pl.col("quote").str.len_bytes()
    touched = touched.with_columns(
        inside=(after <= pl.col("end")).fill_null(value=False),
        beyond=(pl.col("start") >= pl.col("end")).fill_null(value=False),
    )
    opened = pl.col("kind").is_in(_SEVERAL_PLACES) | ~(pl.col("inside") | pl.col("beyond"))
    touched = touched.with_columns(open=opened).with_columns(**_readings()).select("row", *_READINGS, "open")
    every = own.join(touched, on="row", how="left", maintain_order="left")
    return every.with_columns(
        *(pl.coalesce(name, "verdict") for name in _READINGS), pl.col("open").fill_null(value=False)
    )


def _readings() -> dict[str, pl.Expr]:
    verdict, missing = pl.col("verdict"), pl.lit(Verdict.MISSING.value)
    likely = pl.when("beyond").then(missing).otherwise(verdict)
    contradicts = verdict == Verdict.CONTRADICTS
    relieved = pl.when(pl.col("kind") == "sequence").then(pl.lit(Verdict.PARTIALLY_MEETS.value)).otherwise(missing)
    return {
        "likely": likely,
        "worst": pl.when("open").then(pl.when(contradicts).then(verdict).otherwise(missing)).otherwise(likely),
        "best": pl.when("open").then(pl.when(contradicts).then(relieved).otherwise(verdict)).otherwise(likely),
    }


def _open_shares(verdicts: pl.DataFrame) -> dict[tuple[str, str, str], float]:
    """By variant, judge and model, and for the panel over its judges."""
    by = ["variant", "judge", "model"]
    own = verdicts.group_by(by).agg(pl.col("open").mean())
    panel = verdicts.group_by("variant", "model").agg(pl.col("open").mean()).with_columns(judge=pl.lit(PANEL))
    found = pl.concat([panel.select(*by, "open"), own])
    return {(variant, judge, model): share for variant, judge, model, share in found.iter_rows()}


def _contest(made: _Made, rows: Sequence[ScoreRow], n: int) -> LengthContest:
    variant, judge = rows[0].variant, rows[0].judge
    rows = sorted(rows, key=lambda row: (row.gamut is None, -(row.gamut or 0.0), row.model))
    asked = _counted(made.source, rows)
    after = {
        name: {row.model: row for row in leaderboard_rows(made.readings[name].join(asked, on=KEY, how="semi"))}
        for name in _READINGS
    }
    likely = {row.model: after["likely"][row.model].gamut for row in rows}
    ranks = _ranks({row.model: row.gamut for row in rows}), _ranks(likely)
    models = tuple(
        AtLength(
            row.model,
            *_sizes(made.cut, variant, row.model),
            row.gamut,
            likely[row.model],
            (after["worst"][row.model].bounds[0], after["best"][row.model].bounds[1]),
            made.open_shares.get((variant, judge, row.model)),
            ranks[0].get(row.model),
            ranks[1].get(row.model),
        )
        for row in rows
    )
    return LengthContest(variant, judge, n, models, *_correlations(made, variant, judge))


def _counted(source: Source, rows: Sequence[ScoreRow]) -> pl.DataFrame:
    """What the leaderboard's means of a contest are over; all questions, where they are not over fewer on purpose."""
    own = source.scores.questions.filter(pl.col("variant") == rows[0].variant, pl.col("judge") == rows[0].judge)
    if any(row.n_incomplete and row.gamut is not None for row in rows):
        own = own.filter(pl.col("complete").all().over("question_id"))
    return own.select(KEY)


def _ranks(scores: Mapping[str, float | None]) -> dict[str, int]:
    known = {model: round(score, 12) for model, score in scores.items() if score is not None}
    return {model: 1 + sum(other > score for other in known.values()) for model, score in known.items()}


def _sizes(cut: pl.DataFrame, variant: str, model: str) -> tuple[float | None, int, int]:
    """Median words, how many answers, how many of them are cut."""
    own = cut.filter(pl.col("variant") == variant, pl.col("model") == model)
    words = own["n_words"].to_list()
    return (float(median(words)) if words else None), len(words), own["end"].count()


def _correlations(made: _Made, variant: str, judge: str) -> tuple[PartialCorrelation, PartialCorrelation]:
    """Given the question, and given the model; questions that share an image or a group are resampled together."""
    chosen = made.source.scores.questions.filter(pl.col("variant") == variant, pl.col("judge") == judge)
    joined = chosen.join(made.words, on=["question_id", "model", "variant"]).filter(pl.col("words") > 0)
    joined = joined.sort("question_id", "model")  # the draws go by place: the order of a join would be chance
    questions, models = joined["question_id"].to_list(), joined["model"].to_list()
    keys = cluster_keys(made.source.questions)
    names = list(dict.fromkeys(questions))
    cluster = dict(zip(names, cluster_numbers([keys[name] for name in names]).tolist(), strict=True))
    clusters = [cluster[question] for question in questions]
    scores, logs = joined["gamut"].to_list(), joined["words"].log().to_list()
    level, seed = made.source.inference.level, made.source.inference.seed
    by_question, by_model = (
        partial_correlation(scores, logs, given, clusters=clusters, level=level, seed=seed)
        for given in (questions, models)
    )
    return by_question, by_model
