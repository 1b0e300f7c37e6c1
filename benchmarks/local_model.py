"""A model of your own as model and judge of a part of gamut_mini: ``make local-model BASE_URL=… MODEL=…``.

Prints the leaderboard, and which share of the judge's prompt tokens the server took from its prefix cache, with and
without priming. At most 500 calls. It fetches nothing: the server has to be running.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import as_file, files
from typing import Any

import polars as pl

from gamut_eval import AnswerOptions, CallOptions, GamutError, JudgeOptions, Run, evaluate
from gamut_eval.api import Budget
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.cli.output import print_leaderboard
from gamut_eval.judging.prompt import INSTRUCTIONS

MOST_CALLS = 500
CONNECTIONS = 8
MOST_TOKENS = 400
"""Of an answer and of a verdict: a very small model may never come to an end."""


def part(benchmark: Benchmark) -> Benchmark:
    """As many questions as can be answered once and judged twice; those with fewest checks first."""
    chosen, calls = [], 0
    for question in sorted(benchmark.questions, key=lambda question: len(benchmark.checks[question.id])):
        calls += 1 + 2 * len(benchmark.checks[question.id])
        if "text_only" in question.variants and calls <= MOST_CALLS:
            chosen.append(question)
    return replace(benchmark, questions=tuple(chosen))


def judged(benchmark: Benchmark, name: str, calls: CallOptions, most: int, *, prime: bool, **what: Any) -> Run:
    """A run. Its instructions begin in a way of their own: what one run has left in a cache serves no other."""
    options = JudgeOptions(calls, f"[{'primed' if prime else 'not primed'}]\n{INSTRUCTIONS}", prime=prime)
    return evaluate(benchmark, judge=name, judge_options=options, budget=Budget(most), subset=True, **what)


def share_cached(run: Run) -> str:
    """Of the judge's prompt tokens."""
    calls = run.calls().filter(pl.col("role") == "judge")
    prompt, cached = calls["prompt_tokens"].sum(), calls["cached_tokens"]
    return f"{cached.sum() / prompt:.1%}" if prompt and cached.null_count() < len(cached) else "the server does not say"


def main(base_url: str, model: str) -> None:
    name = f"local/{model}"
    calls = CallOptions(base_url=base_url, connections=CONNECTIONS, args={"max_tokens": MOST_TOKENS})
    with as_file(files("gamut_eval.data") / "gamut_mini") as folder:
        benchmark = part(load_benchmark(folder))
    asked: Mapping[str, Any] = {"model": name, "variant": "text_only", "model_options": AnswerOptions(calls)}
    with judged(benchmark, name, calls, MOST_CALLS, prime=True, **asked) as primed:
        n_calls = len(primed.calls())
        answers = primed.responses()
        with judged(benchmark, name, calls, MOST_CALLS - n_calls, prime=False, responses=answers) as plain:
            print_leaderboard(primed.source(primed.scores(allow_incomplete=True)))
            print(f"{len(benchmark.questions)} questions, {n_calls + len(plain.calls())} calls")
            print(f"Cached share of the judge's prompt tokens: {share_cached(primed)} primed")
            print(f"                                           {share_cached(plain)} not primed")


if __name__ == "__main__":
    if len(sys.argv) != 3 or not all(sys.argv[1:]):
        sys.exit("usage: make local-model BASE_URL=http://localhost:8080/v1 MODEL=name")
    try:
        main(*sys.argv[1:])
    except GamutError as error:
        sys.exit(f"error: {error}")
