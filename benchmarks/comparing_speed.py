"""Models side by side, at GAMUT's size, against bare NumPy: ``python benchmarks/comparing_speed.py``."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import synthetic
from statistics_speed import JUDGES, MODELS, REPLICATES, Row, bare, in_one_thread, least_s, peak_mb, scores, show

from gamut_eval.analysis.inference import Inference
from gamut_eval.analysis.joining import Named, joined
from gamut_eval.analysis.source import Source
from gamut_eval.api import as_benchmark
from gamut_eval.benchmark.settings import ScoringSettings
from gamut_eval.records import VERDICTS
from gamut_eval.rubric.fields import TIERS
from gamut_eval.scoring.score import QUESTION, Scores, in_order, leaderboard_rows

_JUDGES = tuple(f"judge-{number}" for number in range(JUDGES))


def source() -> Source:
    """A run of 14 models and 3 judges as far as comparing looks at it, its scores drawn at random."""
    benchmark = as_benchmark(synthetic.questions())
    table = scores(MODELS * JUDGES)
    ids = [question.id for question in benchmark.questions][: len(table.questions)]
    gamut = pl.col("gamut")
    several = [
        pl.DataFrame({"question_id": ids, "gamut": table.scores[:, place]}).with_columns(
            model=pl.lit(f"model-{place % MODELS:02}"), judge=pl.lit(_JUDGES[place // MODELS]), variant=pl.lit("image")
        )
        for place in range(MODELS * JUDGES)
    ]
    questions = pl.concat(several).with_columns(
        gamut.alias("low"),
        gamut.alias("high"),
        *(gamut.alias(tier.value) for tier in TIERS),
        *(pl.lit(1.0).alias(verdict.value) for verdict in VERDICTS),
        complete=pl.lit(True),
    )
    questions = in_order(questions.select(*QUESTION, pl.exclude(QUESTION)), _JUDGES)
    rows = tuple(leaderboard_rows(questions))
    checks = [check for several in benchmark.checks.values() for check in several]
    asked = [(f"model-{number:02}", "image", judge, 1) for judge in _JUDGES for number in range(MODELS)]
    judges = {judge: {"settings": {}, "note": None} for judge in _JUDGES}
    verdicts = _verdicts(checks, asked)
    return Source(
        *(benchmark.identity, benchmark.questions, checks, [], judges, asked, verdicts),
        Scores(ScoringSettings(), "ask", rows, questions),
        inference=Inference(replicates=REPLICATES),
    )


def _verdicts(checks: list, asked: list) -> pl.DataFrame:
    of_checks = pl.DataFrame({"question_id": [c.question_id for c in checks], "check_id": [c.id for c in checks]})
    who = pl.DataFrame({"model": [row[0] for row in asked], "judge": [row[2] for row in asked]})
    return of_checks.join(who, how="cross").with_columns(
        variant=pl.lit("image"), sample=pl.lit(0), repeat=pl.lit(0), verdict=pl.lit("meets")
    )


def halves(whole: Source) -> list[Named]:
    """The same as two runs of seven models each."""
    names = sorted({row[0] for row in whole.asked})
    parts = []
    for number, own in enumerate((names[: MODELS // 2], names[MODELS // 2 :])):
        inside = pl.col("model").is_in(own)
        part = replace(
            whole,
            asked=[row for row in whole.asked if row[0] in own],
            verdicts=whole.verdicts.filter(inside),
            scores=replace(whole.scores, questions=whole.scores.questions.filter(inside)),
        )
        parts.append(Named(f"run-{number}", part))
    return parts


def measured() -> list[Row]:
    """Intervals, ranks and all pairs of 14 models under each of 3 judges; and two runs put together."""
    whole = source()
    values = scores(MODELS * JUDGES).scores
    contests, draws = least_s(lambda: replace(whole).contests, lambda: bare(values), times=3)
    start = time.process_time()
    joined(halves(whole))
    together_s = time.process_time() - start
    memory = peak_mb(lambda: replace(whole).contests)
    note = f"{REPLICATES:,} replicates, {MODELS} models x {JUDGES} judges, {len(whole.questions):,} questions"
    n_verdicts = f"{len(whole.verdicts):,} verdicts"
    return [
        ("CPU s, contests / bare draws and product", contests, draws, 20, note),
        ("memory of these, MB / 1,000", memory, 1000, 1, ""),
        ("CPU s, two runs as one / 10", together_s, 10, 1, n_verdicts),
    ]


def comparing(_: Path) -> list[Row]:
    """The rows."""
    return in_one_thread(__file__)


if __name__ == "__main__":
    show(__file__, measured)
