"""Statistics of a benchmark of GAMUT's size against bare NumPy: ``python benchmarks/statistics_speed.py``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np

from gamut_eval.stats.bootstrap import bootstrap_means, resample
from gamut_eval.stats.paired import Comparison, compare_pairs, holm
from gamut_eval.stats.ranks import rank_intervals
from gamut_eval.stats.table import ScoreTable

Row = tuple[str, float, float, float, str]
N, MODELS, JUDGES, REPLICATES = 1813, 14, 3, 10_000
_ROWS = 500


def scores(n_columns: int, missing: float = 0.0) -> ScoreTable:
    """Scores as a benchmark has them: questions are hard or easy for all."""
    rng = np.random.default_rng(0)
    values = np.clip(rng.normal(0.3, 0.4, (N, 1)) + rng.normal(0, 0.3, (N, n_columns)), -1, 1)
    values[rng.random(values.shape) < missing] = np.nan
    names = tuple(f"model-{k:02}" for k in range(n_columns))
    return ScoreTable(values, tuple(f"q-{k:05}" for k in range(N)), names, np.arange(N))


def bare(values: np.ndarray) -> None:
    """Draws and products alone; which question was drawn how often is not even counted."""
    rng = np.random.default_rng(0)
    counts = np.ones((_ROWS, N))
    for _ in range(REPLICATES // _ROWS):
        rng.integers(0, N, (_ROWS, N))
        counts @ values


def counted(values: np.ndarray) -> None:
    """The shortest way to the same means: `multinomial` counts, times the scores."""
    rng = np.random.default_rng(0)
    for _ in range(REPLICATES // _ROWS):
        rng.multinomial(N, np.full(N, 1 / N), _ROWS) @ values


def least_s(*works: Callable[[], object], times: int = 7) -> list[float]:
    """Least CPU seconds of each, run in turn: what else the machine does can only add."""
    found = [[] for _ in works]
    for _ in range(times):
        for seconds, work in zip(found, works, strict=True):
            start = time.process_time()
            work()
            seconds.append(time.process_time() - start)
    return [min(seconds) for seconds in found]


def peak_mb(work: Callable[[], object]) -> float:
    """The most that a call holds at a time, beyond what there was."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def tested(table: ScoreTable) -> tuple[tuple[Comparison, ...], list[float | None]]:
    """Each two columns, and their p adjusted for all of them."""
    pairs = compare_pairs(table, list(combinations(table.columns, 2)), replicates=REPLICATES)
    return pairs, holm([pair.p_permutation for pair in pairs])


def measured() -> list[Row]:
    """10,000 paired replicates of 14 models by 3 judges over 1,813 questions, and what is made of them."""
    full, gaps = scores(MODELS * JUDGES), scores(MODELS * JUDGES, missing=0.1)
    one_judge = scores(MODELS)
    ours, whole, missing, draws, multinomial = least_s(
        lambda: resample(full, replicates=REPLICATES),
        lambda: bootstrap_means(full, replicates=REPLICATES),
        lambda: bootstrap_means(gaps, replicates=REPLICATES),
        lambda: bare(full.scores),
        lambda: counted(full.scores),
    )
    compared, against = least_s(
        lambda: (tested(one_judge), rank_intervals(one_judge, replicates=REPLICATES)),
        lambda: bare(one_judge.scores),
        times=3,
    )
    memory = max(peak_mb(lambda: bootstrap_means(gaps, replicates=REPLICATES)), peak_mb(lambda: tested(one_judge)))
    note = f"{REPLICATES:,} replicates, {MODELS} models x {JUDGES} judges, {N:,} questions"
    return [
        ("CPU s, bootstrap replicates / bare draws and product", ours, draws, 2, note),
        ("CPU s, intervals / bare draws and product", whole, draws, 2, ""),
        ("CPU s, intervals / multinomial and product", whole, multinomial, 1, ""),
        ("CPU s, 10 % of scores missing, intervals / bare", missing, draws, 4, ""),
        ("CPU s, all pairs, tests and ranks / bare", compared, against, 12, "14 models, 91 pairs, one judge"),
        ("memory of these, MB / 1,000", memory, 1000, 1, ""),
    ]


def in_one_thread(script: str) -> list[Row]:
    """A script's rows, measured in a process of its own with one thread: threads that wait for a core would count."""
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, script, "--json"], env=alone, capture_output=True, text=True, check=True)
    return [tuple(row) for row in json.loads(done.stdout)]


def show(script: str, measured: Callable[[], list[Row]]) -> None:
    """The rows for people, or as JSON for whoever runs the script in a process of its own."""
    if "--json" in sys.argv:
        print(json.dumps(measured()))
        return
    for name, ours, against, limit, note in in_one_thread(script):
        print(f"{name:<52} {ours:>9.3f} {against:>9.3f} {ours / against:>7.2f} {limit:>7}  {note}")


def statistics(_: Path) -> list[Row]:
    """The rows."""
    return in_one_thread(__file__)


if __name__ == "__main__":
    show(__file__, measured)
