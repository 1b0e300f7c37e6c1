"""Speed and memory, each as a ratio to something measured in the same run: `make bench`.

The machine's own speed cancels out of a ratio; absolute seconds are shown only to judge the noise.
"""

from __future__ import annotations

import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import synthetic

REPEATS = 5
Row = tuple[str, float, float, float, str]


def median_s(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Median seconds of several runs, after one that does not count."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def start_up() -> Row:
    """`gamut --help` against an empty Python."""
    help_s = median_s(
        lambda: subprocess.run([sys.executable, "-m", "gamut_eval", "--help"], capture_output=True, check=True)
    )
    pass_s = median_s(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    return "gamut --help / python -c pass", help_s, pass_s, 12, ""


def load_and_compile(folder: Path) -> Row:
    """Reading a JSONL benchmark of GAMUT's size and compiling it, against `json.loads` of the same lines."""
    from gamut_eval.benchmark.load import load_benchmark

    file = folder / "synthetic.jsonl"
    file.write_text("".join(json.dumps(question) + "\n" for question in synthetic.questions()))
    lines = file.read_text().splitlines()
    n_checks = sum(map(len, load_benchmark(file).checks.values()))
    ours = median_s(lambda: load_benchmark(file).checks, 3)
    bare = median_s(lambda: [json.loads(line) for line in lines], 3)
    return "load and compile JSONL / json.loads", ours, bare, 8, f"{n_checks:,} checks"


def read_yaml(folder: Path) -> Row:
    """Reading YAML questions, against ruamel's own parse of the same files."""
    from ruamel.yaml import YAML

    from gamut_eval.benchmark.load import load_benchmark

    root = folder / "yaml"
    (root / "questions").mkdir(parents=True)
    (root / "benchmark.yaml").write_text("name: synthetic\n")
    for question in synthetic.questions(30):
        with open(root / "questions" / f"{question['id']}.yaml", "w") as stream:
            YAML().dump(question, stream)
    texts = [file.read_text() for file in (root / "questions").iterdir()]
    ours = median_s(lambda: load_benchmark(root), 3)
    bare = median_s(lambda: [YAML().load(text) for text in texts], 3)
    return "load YAML / ruamel's own load", ours, bare, 1.5, "30 questions"


def lexical(folder: Path) -> list[Row]:
    """The embedded judge over about 100,000 checks: the journal's share of the time, and memory."""
    from gamut_eval.api import as_benchmark, evaluate

    rng = random.Random(1)
    benchmark = as_benchmark(synthetic.questions(400))
    n_models = 17

    def answers(models: int) -> list[dict[str, object]]:
        return [
            {"question_id": q.id, "model": f"m{m}", "variant": "text_only", "response": synthetic.answer(rng)}
            for m in range(models)
            for q in benchmark.questions
        ]

    small, large = answers(2), answers(n_models)
    evaluate(benchmark, small).close()
    before = _peak_mb()
    start = time.perf_counter()
    with evaluate(benchmark, large, run=folder / "lexical") as run:
        total_s = time.perf_counter() - start
        n_checks = run.progress.total
    grown = _peak_mb() - before
    start = time.perf_counter()
    evaluate(benchmark, large, judge=_quick(), run=folder / "quick").close()
    journal_s = time.perf_counter() - start
    return [
        ("plan, engine and journal / whole run with lexical", journal_s, total_s, 0.25, f"{n_checks:,} checks"),
        ("peak memory growth (MB) / 400", grown, 400, 1, "over a run an eighth as long"),
    ]


def _quick() -> object:
    """A judge that answers at once: what remains is planning, engine and journal."""
    import gamut_eval

    class Quick(gamut_eval.Judge):
        name, settings = "quick", {"version": 1}

        async def judge(self, ask: gamut_eval.Ask) -> gamut_eval.Judgement:
            return gamut_eval.Judgement(gamut_eval.Verdict.MISSING)

    return Quick()


def scoring(folder: Path) -> Row:
    """Scoring 1.16 million verdicts (14 models, 3 judges), against reading them from Parquet."""
    from gamut_eval.benchmark.settings import ScoringSettings
    from gamut_eval.scoring.counts import Graded
    from gamut_eval.scoring.score import score_graded

    graded = _million_verdicts(Graded)
    file = folder / "verdicts.parquet"
    graded.verdicts.write_parquet(file)
    ours = median_s(lambda: score_graded(graded, ScoringSettings()), 3)
    bare = median_s(lambda: pl.read_parquet(file), 3)
    return "score verdicts / read them from Parquet", ours, bare, 3, f"{len(graded.verdicts):,} verdicts"


def _million_verdicts(graded_type: type) -> object:
    from gamut_eval.api import as_benchmark

    benchmark = as_benchmark(synthetic.questions())
    rows = [
        (c.question_id, c.id, c.tier.value, c.threshold, list(c.parts)) for cs in benchmark.checks.values() for c in cs
    ]
    schema = {"question_id": pl.String, "check_id": pl.String, "tier": pl.String, "threshold": pl.Int64}
    checks = pl.DataFrame(rows, schema={**schema, "parts": pl.List(pl.String)}, orient="row")
    who = pl.DataFrame({"model": [f"model-{k:02}" for k in range(14)]}).with_columns(variant=pl.lit("image"))
    judges = pl.DataFrame({"judge": ["judge-a", "judge-b", "judge-c"]})
    questions = checks.select("question_id").unique(maintain_order=True)
    verdicts = checks.select("question_id", "check_id").join(who, how="cross").join(judges, how="cross")
    rng = random.Random(0)
    words = rng.choices(["meets", "partially_meets", "missing", "contradicts"], [40, 12, 42, 6], k=len(verdicts))
    zero = pl.lit(0, dtype=pl.Int64)
    verdicts = verdicts.with_columns(pl.Series("verdict", words), sample=zero, repeat=zero)
    columns = ["question_id", "model", "variant", "sample", "judge", "repeat", "check_id", "verdict"]
    return graded_type(
        checks,
        questions.join(who, how="cross").with_columns(sample=zero).select(columns[:4]),
        who.join(judges, how="cross").with_columns(repeats=pl.lit(1, dtype=pl.Int64)),
        questions.select(pl.lit("image").alias("variant"), "question_id"),
        verdicts.select(columns),
    )


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Run everything and print a table; exits 1 if a ratio is above its limit."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for bench in (lexical, load_and_compile, read_yaml, scoring):
            result = bench(folder)
            rows += result if isinstance(result, list) else [result]
        rows.append(start_up())
    print(f"{'ratio':<52} {'ours':>9} {'against':>9} {'ratio':>7} {'limit':>7}")
    for name, ours, against, limit, note in rows:
        mark = "" if ours / against <= limit else "  ABOVE"
        print(f"{name:<52} {ours:>9.3f} {against:>9.3f} {ours / against:>7.2f} {limit:>7}{mark}  {note}")
    sys.exit(any(ours / against > limit for _, ours, against, limit, _ in rows))


if __name__ == "__main__":
    main()
