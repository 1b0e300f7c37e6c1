"""Do intervals hold the truth as often as they say, and do tests reject as rarely? ``python benchmarks/coverage.py``.

Simulated benchmarks: a question's checks of one tier get verdicts by how hard it is; what is hard is shared by the
questions of a cluster; a tier is absent more often where questions are easy. Exits 1 where a share is out of its range.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gamut_eval.benchmark.settings import ScoringSettings
from gamut_eval.scoring.formula import tier_scores
from gamut_eval.stats.bootstrap import bootstrap_means, resample
from gamut_eval.stats.paired import compare_pairs, holm
from gamut_eval.stats.table import ScoreTable

Floats = NDArray[np.float64]
STRUCTURES, EACH, REPLICATES = 40, 50, 2000
CAUTIOUS, BOLD = (0.0, -3.5), (0.9, -1.7)
"""Two models by how they meet and contradict: log odds where questions are of middling difficulty."""


@dataclass(frozen=True)
class World:
    """What is simulated: number of questions, most questions a cluster, share of difficulty that it shares."""

    n: int
    largest: int = 1
    shared: float = 0.5
    missing: bool = False

    @property
    def name(self) -> str:
        extras = [*(["clusters"] if self.largest > 1 else []), *(["missing tiers"] if self.missing else [])]
        return f"n = {self.n:,}" + (f", {' and '.join(extras)}" if extras else "")

    def clusters(self, rng: np.random.Generator) -> NDArray[np.int64]:
        sizes = rng.integers(1, self.largest + 1, self.n)
        return np.repeat(np.arange(self.n), sizes)[: self.n]

    def ease(self, rng: np.random.Generator, clusters: NDArray[np.int64], n_sets: int) -> Floats:
        """How easy questions are, standard normal, shape (n, n_sets)."""
        common = rng.normal(size=(clusters.max() + 1, n_sets))[clusters]
        own = rng.normal(size=(len(clusters), n_sets))
        weight = self.shared if self.largest > 1 else 0.0
        return np.sqrt(weight) * common + np.sqrt(1 - weight) * own

    def gaps(self, rng: np.random.Generator, ease: Floats) -> NDArray[np.bool_]:
        """Where the tier is absent: a fifth of the questions or so."""
        return (rng.random(ease.shape) < expit(ease - 1.5)) & self.missing


def expit(x: Floats | float) -> Floats:
    return 1 / (1 + np.exp(-np.asarray(x)))


def scores(rng: np.random.Generator, ease: Floats, model: tuple[float, float]) -> Floats:
    """Tier scores of a model, shape of ``ease``: verdicts of 1 to 10 checks."""
    meets, contradicts = expit(model[0] + ease), expit(model[1] - ease)
    shares = np.stack([meets, 0.4 * (1 - meets), 0.6 * (1 - meets), contradicts], axis=-1)
    counts = rng.multinomial(rng.integers(1, 11, ease.shape), shares / shares.sum(axis=-1, keepdims=True))
    return tier_scores(counts, ScoringSettings())


def truth(world: World, model: tuple[float, float]) -> float:
    """The mean over very many questions. Clusters change nothing about it."""
    rng = np.random.default_rng(99)
    ease = rng.normal(size=(2_000_000, 1))
    return float(scores(rng, ease, model)[~world.gaps(rng, ease)].mean())


def tables(world: World, *models: tuple[float, float], shifts: tuple[float, ...]) -> Iterator[ScoreTable]:
    """Data sets, `EACH` a table; the columns of one data set stand together."""
    for structure in range(STRUCTURES):
        rng = np.random.default_rng((world.n, world.largest, world.missing, structure))
        clusters = world.clusters(rng)
        ease = world.ease(rng, clusters, EACH)
        gaps = world.gaps(rng, ease)
        own = [np.where(gaps, np.nan, scores(rng, ease, m) + shift) for m, shift in zip(models, shifts, strict=True)]
        values = np.stack(own, axis=2).reshape(world.n, -1)
        names = tuple(map(str, range(values.shape[1])))
        yield ScoreTable(values, tuple(f"q{k:05}" for k in range(world.n)), names, clusters)


def coverage(world: World) -> Iterator[tuple[str, float, tuple[float, float], str]]:
    """How often a nominal 95 % interval holds the truth, of 2,000 data sets."""
    mean = truth(world, BOLD)
    held: dict[str, list[bool]] = {"percentile": [], "BCa": [], "percentile, clusters ignored": []}
    for seed, table in enumerate(tables(world, BOLD, shifts=(0.0,))):
        drawn = resample(table, replicates=REPLICATES, seed=seed)
        for method in ("percentile", "BCa"):
            held[method] += [one.low <= mean <= one.high for one in bootstrap_means(drawn, method=method)]
        if world.largest > 1:
            naive = ScoreTable(table.scores, table.questions, table.columns, np.arange(world.n))
            every = bootstrap_means(naive, replicates=REPLICATES, seed=seed)
            held["percentile, clusters ignored"] += [one.low <= mean <= one.high for one in every]
    for method, those in held.items():
        if those:
            wanted = (0.93, 0.97) if "ignored" not in method else (0.0, 1.0)
            yield f"95 % interval, {method}: {world.name}", float(np.mean(those)), wanted, f"{len(those):,} data sets"


def level(world: World, what: str, one: tuple[float, float], other: tuple[float, float]) -> Iterator[tuple]:
    """How often the tests of two models with the same mean reject at 5 %."""
    gap = truth(world, one) - truth(world, other)
    rejected: dict[str, list[bool]] = {"sign-flip": [], "paired bootstrap": [], "paired interval without 0": []}
    for seed, table in enumerate(tables(world, one, other, shifts=(0.0, gap))):
        pairs = [(str(2 * k), str(2 * k + 1)) for k in range(EACH)]
        for found in compare_pairs(table, pairs, replicates=REPLICATES, seed=seed):
            rejected["sign-flip"].append(found.p_permutation <= 0.05)
            rejected["paired bootstrap"].append(found.p_bootstrap <= 0.05)
            rejected["paired interval without 0"].append(not found.interval.low <= 0 <= found.interval.high)
    for test, those in rejected.items():
        # Three standard errors of 2,000 data sets above 5 %; bootstrap ones are a little liberal with few questions.
        wanted = (0.0, 0.065 if test == "sign-flip" else 0.07)
        yield f"5 % level, {test}, {what}: {world.name}", float(np.mean(those)), wanted, f"{len(those):,} data sets"


def family(n_models: int, times: int, n: int = 200) -> Iterator[tuple]:
    """How often any pair of equal models is told apart after Holm's adjustment."""
    world, wrong = World(n, largest=4), 0
    for seed in range(times):
        rng = np.random.default_rng((7, seed))
        clusters = world.clusters(rng)
        ease = world.ease(rng, clusters, 1)
        values = np.concatenate([scores(rng, ease, BOLD) for _ in range(n_models)], axis=1)
        names = tuple(map(str, range(n_models)))
        table = ScoreTable(values, tuple(f"q{k:05}" for k in range(n)), names, clusters)
        pairs = compare_pairs(table, list(combinations(names, 2)), replicates=1000, seed=seed)
        wrong += any(p <= 0.05 for p in holm([pair.p_permutation for pair in pairs]))
    yield (
        f"any of {n_models} equal models told apart (Holm): {world.name}",
        wrong / times,
        (0.0, 0.05 + 3 * (0.05 * 0.95 / times) ** 0.5),
        f"{times} families",
    )


def rows() -> Iterator[tuple[str, float, tuple[float, float], str]]:
    worlds = [
        World(n, largest, missing=missing) for n in (200, 1813) for largest in (1, 4) for missing in (False, True)
    ]
    for world in worlds:
        yield from coverage(world)
    for world in worlds:
        yield from level(world, "like models", BOLD, BOLD)
    for world in worlds[::3]:
        yield from level(world, "bold and cautious", BOLD, CAUTIOUS)
    for n_models, times in ((5, 600), (14, 300)):
        yield from family(n_models, times)


def main() -> None:
    start, outside = time.perf_counter(), 0
    for name, share, (low, high), note in rows():
        out = not low <= share <= high
        outside += out
        wanted = f"{low:.1%} to {high:.1%}" if (low, high) != (0, 1) else ""
        print(f"{name:<82} {share:>6.1%}  {wanted:<16}{'OUTSIDE ' if out else ''} {note}", flush=True)
    print(f"{time.perf_counter() - start:.0f} s")
    sys.exit(outside > 0)


if __name__ == "__main__":
    main()
