"""The command that asks judges."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from gamut_eval.api import Run, aevaluate
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.cli.main import DONE_WITH_FINDINGS, INTERRUPTED
from gamut_eval.cli.output import exit_code, print_leaderboard, read_benchmark, say, say_incomplete, shown
from gamut_eval.errors import GamutError, InputError
from gamut_eval.records import Response, read_responses
from gamut_eval.running.plan import Progress
from gamut_eval.scoring.score import Scores


@click.command("judge")
@click.argument("benchmark", type=click.Path())
@click.option(
    "--responses",
    "files",
    multiple=True,
    required=True,
    metavar="FILE",
    help="JSONL of responses; may be repeated; - is stdin.",
)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="NAME",
    help="lexical, or recorded:FILE; may be repeated.",
)
@click.option(
    "--run", "folder", required=True, type=click.Path(path_type=Path), help="Run folder, new or to go on with."
)
@click.option(
    "--variant",
    type=click.Choice(["image", "text_only", "both"]),
    help="Judge only this variant.  [default: those in the responses]",
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How often each judge is asked for each check.",
)
@click.option(
    "--composite",
    type=click.Choice(["ask", "derive"]),
    default="ask",
    show_default=True,
    help="Ask for coverage checks, or derive them from their parts.",
)
@click.option("--subset", is_flag=True, help="Unanswered questions were left out on purpose.")
def judge_command(
    benchmark: str, files: tuple[str, ...], judges: tuple[str, ...], folder: Path, variant: str | None, **options: Any
) -> int:
    """Judge responses to a benchmark, check by check.

    Everything is kept in the run folder as it comes. The same command goes on where it stopped, however it
    stopped; only what is new, changed or failed is asked. On completion the folder has verdicts.parquet,
    scores.json and report.html.

    \b
    Examples:
      gamut judge my-benchmark --responses answers.jsonl --judge lexical --run runs/first
      gamut judge my-benchmark --responses answers.jsonl --judge recorded:people.jsonl --judge lexical --run runs/two
    """
    loaded = read_benchmark(benchmark)
    responses = _of_variant(read_responses(files), variant)
    return judge_and_show(loaded, responses, judges, folder, **options)


def _of_variant(responses: list[Response], variant: str | None) -> list[Response]:
    if variant in (None, "both"):
        return responses
    chosen = [response for response in responses if response.variant == variant]
    if not chosen:
        raise InputError(
            f"no response has the variant {variant!r}; the files have {sorted({r.variant for r in responses})}"
        )
    return chosen


def judge_and_show(
    benchmark: Benchmark, responses: Sequence[Response], judges: Sequence[str], folder: Path, **options: Any
) -> int:
    """Carry a run out with progress, and print its leaderboard; the exit code."""
    former = _former_scores(folder, benchmark)
    progress = Progress()
    work = aevaluate(
        benchmark, responses, judges, run=folder, progress=progress, command=["gamut", *sys.argv[1:]], **options
    )
    try:
        with shown(progress):
            run = asyncio.run(work)
    except KeyboardInterrupt:
        say(f"\nInterrupted: {progress.done} of {progress.total} checks are judged and saved. Go on with:")
        say(f"  {shlex.join(['gamut', *sys.argv[1:]])}")
        return INTERRUPTED
    with run:
        scores = run.exported or run.scores()
        print_leaderboard(run, scores)
        say(_summary(progress))
        for line in _moves(former, scores):
            say(line)
        if scores.incomplete:
            say_incomplete(run, scores)
    click.echo(f"Report: {folder / 'report.html'}")
    return DONE_WITH_FINDINGS if scores.incomplete else exit_code(benchmark)


def _former_scores(folder: Path, benchmark: Benchmark) -> dict[tuple[str, str, str], float | None]:
    """The scores of an earlier version of the benchmark in the same run folder, if there are any."""
    with contextlib.suppress(GamutError), Run.open(folder) as run:
        if run.benchmark["hash"] != benchmark.hash:
            return {(row.model, row.variant, row.judge): row.gamut for row in run.scores().rows}
    return {}


def _moves(former: Mapping[tuple[str, str, str], float | None], scores: Scores) -> Iterator[str]:
    for row in scores.rows:
        before = former.get((row.model, row.variant, row.judge))
        if before is not None and row.gamut is not None:
            change = f"{100 * before:.1f} → {100 * row.gamut:.1f} ({100 * (row.gamut - before):+.1f})"
            yield f"The benchmark has changed: {row.model} ({row.variant}, judge {row.judge}) {change}"


def _summary(progress: Progress) -> str:
    known = f", {progress.known} known from before" if progress.known else ""
    failed = "".join(f", {n} failed ({code})" for code, n in progress.failures.items())
    return f"{progress.total} checks: {progress.judged} judged{known}{failed}."
