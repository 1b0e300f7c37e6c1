"""Completeness at equal length: how long answers are, whether length goes with score, and scores of their first words.

An answer's first words are scored from the verdicts on the whole answer, by where their quotes stand (`lengths` has the
rules). That asks no judge again, and is an estimate; ``gamut judge --first-words N`` asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

import polars as pl

from gamut_eval.analysis.contests import cluster_keys
from gamut_eval.analysis.places import by_contest, gamut_of, places
from gamut_eval.analysis.rescoring import KEY, rescored
from gamut_eval.analysis.source import Source
from gamut_eval.errors import InputError
from gamut_eval.records import Verdict
from gamut_eval.scoring.counts import CONSENSUS, PANEL, RESPONSE, RESPONSE_TYPES, UNIT
from gamut_eval.scoring.score import ScoreRow, leaderboard_rows
from gamut_eval.stats.length import PartialCorrelation, partial_correlation
from gamut_eval.stats.table import cluster_numbers
from gamut_eval.words import first_words, n_words

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
    made = _Made(source, cut, _read(source, verdicts), _open_shares(verdicts), _mean_words(cut))
    rows = (row for row in source.scores.rows if row.judge != CONSENSUS and row.variant in budgets)
    return tuple(_contest(made, own, budgets[variant]) for (variant, _), own in by_contest(rows).items())


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
    return pl.DataFrame(rows, RESPONSE_TYPES | {"text": pl.String, "n_words": pl.Int64}, orient="row")


def answer_words(source: Source) -> pl.DataFrame:
    """How many words answers have, as a mean over samples: question_id, model, variant, ``words``."""
    rows = [(*response.key, n_words(response.text or "")) for response in source.responses if response.answered]
    return _mean_words(pl.DataFrame(rows, RESPONSE_TYPES | {"n_words": pl.Int64}, orient="row"))


def _mean_words(answers: pl.DataFrame) -> pl.DataFrame:
    by = ["question_id", "model", "variant"]
    return answers.group_by(by, maintain_order=True).agg(words=pl.col("n_words").mean())


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
    asked = made.source.scores.averaged.filter(variant=variant, judge=judge).select(KEY)
    after = {
        name: {row.model: row for row in leaderboard_rows(made.readings[name].join(asked, on=KEY, how="semi"))}
        for name in _READINGS
    }
    likely = {row.model: after["likely"][row.model].gamut for row in rows}
    ranks = places(gamut_of(rows)), places(likely)
    models = tuple(
        AtLength(
            row.model,
            *_sizes(made.cut, variant, row.model),
            row.gamut,
            likely[row.model],
            (after["worst"][row.model].bounds[0], after["best"][row.model].bounds[1]),
            made.open_shares.get((variant, judge, row.model)),
            ranks[0][row.model],
            ranks[1][row.model],
        )
        for row in rows
    )
    scored = scored_words(made.source, made.words, variant, judge)
    correlations = (length_correlation(made.source, scored, given=given) for given in ("question_id", "model"))
    return LengthContest(variant, judge, n, models, *correlations)


def _sizes(cut: pl.DataFrame, variant: str, model: str) -> tuple[float | None, int, int]:
    """Median words, how many answers, how many of them are cut."""
    own = cut.filter(pl.col("variant") == variant, pl.col("model") == model)
    words = own["n_words"].to_list()
    return (float(median(words)) if words else None), len(words), own["end"].count()


def scored_words(source: Source, words: pl.DataFrame, variant: str, judge: str) -> pl.DataFrame:
    """The scores of a variant and judge's questions beside the ``words`` of `answer_words`; empty answers have none."""
    chosen = source.scores.questions.filter(variant=variant, judge=judge)
    joined = chosen.join(words, on=["question_id", "model", "variant"]).filter(pl.col("words") > 0)
    return joined.sort("question_id", "model")  # draws go by place: the order of a join would be chance


def length_correlation(
    source: Source, scored: pl.DataFrame, *, given: Literal["question_id", "model"]
) -> PartialCorrelation:
    """How scores go with the logarithm of the length; questions that share an image or a group are drawn together.

    Parameters
    ----------
    source
        Where from.
    scored
        What `scored_words` gives.
    given
        What is held fixed.
    """
    questions, keys = scored["question_id"].to_list(), cluster_keys(source.questions)
    names = list(dict.fromkeys(questions))
    cluster = dict(zip(names, cluster_numbers([keys[name] for name in names]).tolist(), strict=True))
    return partial_correlation(
        scored["gamut"].to_list(),
        scored["words"].log().to_list(),
        scored[given].to_list(),
        clusters=[cluster[question] for question in questions],
        level=source.inference.level,
        replicates=source.inference.replicates,
        seed=source.inference.seed,
    )
