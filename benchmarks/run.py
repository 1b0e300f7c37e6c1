"""Speed and memory, each as a ratio to something measured in the same run: `make bench`.

The machine's own speed cancels out of a ratio; absolute seconds are shown only to judge the noise.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import calls
import comparing_speed
import polars as pl
import statistics_speed
import synthetic
from ruamel.yaml import YAML

from gamut_eval.api import as_benchmark
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.benchmark.settings import ScoringSettings
from gamut_eval.judging.judge import Ask, Judge, make_judges
from gamut_eval.records import Judgement, Response, Verdict
from gamut_eval.running.journal import Journal
from gamut_eval.running.plan import Plan, carry_out, enter
from gamut_eval.running.progress import Progress
from gamut_eval.scoring.counts import Graded, checks_frame
from gamut_eval.scoring.score import score_graded

Row = tuple[str, float, float, float, str]


def median_s(work: Callable[[], object], repeats: int = 5) -> float:
    """Median seconds of several runs, after one that does not count."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def peak_mb() -> float:
    """The most memory this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def start_up(_: Path) -> list[Row]:
    """`gamut --help` against an empty Python."""
    command = [sys.executable, "-m", "gamut_eval", "--help"]
    help_s = median_s(lambda: subprocess.run(command, capture_output=True, check=True), 9)
    pass_s = median_s(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 9)
    return [("gamut --help / python -c pass", help_s, pass_s, 12, "")]


def load_and_compile(folder: Path) -> list[Row]:
    """Reading a JSONL benchmark of GAMUT's size and compiling it, against `json.loads` of the same lines."""
    file = folder / "synthetic.jsonl"
    file.write_text("".join(json.dumps(question) + "\n" for question in synthetic.questions()))
    lines = file.read_text().splitlines()
    n_checks = sum(map(len, load_benchmark(file).checks.values()))
    ours = median_s(lambda: load_benchmark(file).checks, 3)
    bare = median_s(lambda: [json.loads(line) for line in lines], 3)
    return [("load and compile JSONL / json.loads", ours, bare, 8, f"{len(lines):,} questions, {n_checks:,} checks")]


def read_yaml(folder: Path) -> list[Row]:
    """Reading YAML questions, against ruamel's own parse of the same files."""
    root = folder / "yaml"
    (root / "questions").mkdir(parents=True)
    (root / "benchmark.yaml").write_text("name: synthetic\n")
    for question in synthetic.questions(30):
        with open(root / "questions" / f"{question['id']}.yaml", "w") as stream:
            YAML().dump(question, stream)
    texts = [file.read_text() for file in (root / "questions").iterdir()]
    ours = median_s(lambda: load_benchmark(root), 3)
    bare = median_s(lambda: [YAML().load(text) for text in texts], 3)
    return [("load YAML / ruamel's own load", ours, bare, 1.5, "30 questions")]


def lexical(folder: Path) -> list[Row]:
    """The embedded judge over about 100,000 checks: the journal's share of the time, and memory."""
    rng = random.Random(1)
    benchmark = as_benchmark(synthetic.questions(400))
    answers = [
        Response(question.id, f"m{m:02}", "text_only", text=synthetic.answer(rng))
        for m in range(16)
        for question in benchmark.questions
    ]
    judged(folder / "small", benchmark, answers[: len(answers) // 2], make_judges(["lexical"]))
    before = peak_mb()
    total_s, n_checks = judged(folder / "lexical", benchmark, answers, make_judges(["lexical"]))
    grown = peak_mb() - before
    journal_s, _ = judged(folder / "quick", benchmark, answers, [Quick()])
    return [
        ("plan, engine and journal / the whole with lexical", journal_s, total_s, 0.25, f"{n_checks:,} checks"),
        ("peak memory grown, MB / 50", grown, 50, 1, "against a run half as long"),
    ]


class Quick(Judge):
    """Answers at once: what remains is planning, engine and journal."""

    name = "quick"
    settings: Mapping[str, object] = {"version": 1}

    async def judge(self, ask: Ask) -> Judgement:
        return Judgement(Verdict.MISSING)


def judged(
    folder: Path, benchmark: Benchmark, answers: Sequence[Response], judges: Sequence[Judge]
) -> tuple[float, int]:
    """Seconds and number of checks of a run without its exports."""
    folder.mkdir()
    plan = Plan(benchmark, answers, judges)
    start = time.perf_counter()
    with Journal(folder) as journal:
        enter(plan, journal)
        asyncio.run(carry_out(plan, journal, Progress()))
    return time.perf_counter() - start, plan.n_wanted


def scoring(folder: Path) -> list[Row]:
    """Scoring the verdicts of 14 models by 3 judges, against reading their file."""
    graded = million_verdicts()
    file = folder / "verdicts.parquet"
    as_exported(graded.verdicts).write_parquet(file)
    ours = median_s(lambda: score_graded(graded, ScoringSettings()), 7)
    bare = median_s(lambda: pl.read_parquet(file), 7)
    note = f"{len(graded.verdicts):,} verdicts; peak {peak_mb():,.0f} MB"
    return [("score verdicts / read verdicts.parquet with polars", ours, bare, 3, note)]


def as_exported(verdicts: pl.DataFrame) -> pl.DataFrame:
    """With the other columns of verdicts.parquet, of the sizes that judges give them."""
    place = pl.int_range(pl.len()).cast(pl.String)
    hashed = pl.int_range(pl.len()).hash(seed=1).cast(pl.String)
    return verdicts.with_columns(
        quote=pl.concat_str(pl.lit("a sentence of the answer, some eighty characters long, number "), place),
        rationale=pl.concat_str(
            hashed, pl.lit(" says why in a hundred characters or so, never the same twice "), place
        ),
        check_hash=pl.concat_str(hashed, hashed, hashed),
        response_hash=pl.col("model").hash().cast(pl.String),
        at=pl.lit("2026-11-30T12:00:00.000+00:00"),
    )


def million_verdicts() -> Graded:
    """14 models, 3 judges, GAMUT's number of questions and checks."""
    compiled = as_benchmark(synthetic.questions()).checks.values()
    checks = checks_frame(check for several in compiled for check in several)
    zero = pl.lit(0, dtype=pl.Int64)
    who = pl.DataFrame({"model": [f"model-{k:02}" for k in range(14)]}).with_columns(variant=pl.lit("image"))
    judges = pl.DataFrame({"judge": ["judge-a", "judge-b", "judge-c"]})
    questions = checks.select("question_id").unique(maintain_order=True)
    verdicts = checks.select("question_id", "check_id").join(who, how="cross").join(judges, how="cross")
    shares = {"meets": 40, "partially_meets": 12, "missing": 42, "contradicts": 6}
    words = random.Random(0).choices(list(shares), list(shares.values()), k=len(verdicts))
    verdicts = verdicts.with_columns(pl.Series("verdict", words), sample=zero, repeat=zero)
    columns = ["question_id", "model", "variant", "sample", "judge", "repeat", "check_id", "verdict"]
    return Graded(
        checks,
        questions.join(who, how="cross").with_columns(sample=zero).select(columns[:4]),
        who.join(judges, how="cross").with_columns(repeats=pl.lit(1, dtype=pl.Int64)),
        questions.select(pl.lit("image").alias("variant"), "question_id"),
        verdicts.select(columns),
    )


def main() -> None:
    """Run everything and print a table; exits 1 if a ratio is above its limit."""
    with tempfile.TemporaryDirectory() as name:
        benches = (
            lexical,
            load_and_compile,
            read_yaml,
            scoring,
            start_up,
            calls.at_once,
            calls.after_half_a_second,
            statistics_speed.statistics,
            comparing_speed.comparing,
        )
        rows = [row for bench in benches for row in bench(Path(name))]
    print(f"{'ratio':<52} {'ours':>9} {'against':>9} {'ratio':>7} {'limit':>7}")
    for name, ours, against, limit, note in rows:
        mark = "" if ours / against <= limit else "  ABOVE"
        print(f"{name:<52} {ours:>9.3f} {against:>9.3f} {ours / against:>7.2f} {limit:>7}{mark}  {note}")
    sys.exit(any(ours / against > limit for _, ours, against, limit, _ in rows))


if __name__ == "__main__":
    main()
