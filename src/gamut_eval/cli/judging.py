"""The command that asks judges."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from gamut_eval.api import Budget, Evaluation, exported, planned
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.cli.dry_run import show_estimates
from gamut_eval.cli.loop import run_to_end
from gamut_eval.cli.main import DONE_WITH_FINDINGS
from gamut_eval.cli.model_options import (
    ASKED_VARIANT,
    MODELS,
    VARIANT,
    answer_options,
    answering,
    budget,
    calling,
    judge_options,
    judging,
    with_options,
)
from gamut_eval.cli.output import (
    exit_code,
    print_leaderboard,
    read_benchmark,
    say,
    say_doubtful,
    say_incomplete,
    say_spent,
    say_stopped,
    showing,
)
from gamut_eval.errors import BudgetError, GamutError, InputError
from gamut_eval.records import Response, read_responses
from gamut_eval.run import Run
from gamut_eval.running.folder import claimed
from gamut_eval.running.progress import Progress
from gamut_eval.scoring.score import Scores

_JUDGE = click.option(
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="NAME",
    help="provider/model, lexical, or recorded:FILE; may be repeated.",
)
_RUN = click.option(
    "--run", "folder", required=True, type=click.Path(path_type=Path), help="Run folder, new or to go on with."
)
_HOW = with_options(
    click.option(
        "--repeats",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="How often each judge is asked for each check.",
    ),
    click.option(
        "--composite",
        type=click.Choice(["ask", "derive"]),
        default="ask",
        show_default=True,
        help="Ask for coverage checks, or derive them from their parts.",
    ),
    click.option("--subset", is_flag=True, help="Unanswered questions were left out on purpose."),
)


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
@_JUDGE
@_RUN
@click.option("--variant", type=VARIANT, help="Judge only this variant.  [default: those in the responses]")
@click.option(
    "--first-words", type=click.IntRange(1), metavar="N", help="Judge only the first N words of each response."
)
@click.option("--flat", is_flag=True, help="Judge by the flat checklist, to compare the two levels with.")
@_HOW
@judging
@calling
def judge_command(
    benchmark: str, files: tuple[str, ...], judges: tuple[str, ...], folder: Path, variant: str | None, **options: Any
) -> int:
    """Judge responses to a benchmark, check by check.

    Everything is kept in the run folder as it comes. The same command goes on where it stopped, however it
    stopped; only what is new, changed or failed is asked. On completion the folder has verdicts.parquet,
    scores.json and report.html.

    A judge is a model (provider/model: openai, anthropic, google, openrouter, ollama, vllm, llamacpp and others; any
    other OpenAI-compatible server with --judge-base-url), or lexical, or recorded:FILE. Keys come from the providers'
    usual environment variables, or from --env-file.

    \b
    Examples:
      gamut judge my-benchmark --responses answers.jsonl --judge lexical --run runs/first
      gamut judge my-benchmark --responses answers.jsonl --judge openai/gpt-5.4 --run runs/second
      gamut judge my-benchmark --responses answers.jsonl --judge local/qwen --judge-base-url http://localhost:8080/v1 \\
          --run runs/third
      gamut judge my-benchmark --responses answers.jsonl --judge recorded:people.jsonl --judge lexical --run runs/two
      gamut judge my-benchmark --responses answers.jsonl --judge openai/gpt-5.4 --first-words 150 --run runs/cut
      gamut judge my-benchmark --responses answers.jsonl --judge openai/gpt-5.4 --flat --run runs/flat
    """
    loaded = read_benchmark(benchmark)
    if options.pop("flat"):
        loaded = loaded.flattened()
    responses = _of_variant(read_responses(files), variant)
    return judge_and_show(loaded, responses, judges, folder, **from_options(options))


@click.command("eval")
@click.argument("benchmark", type=click.Path())
@MODELS
@_JUDGE
@_RUN
@ASKED_VARIANT
@_HOW
@answering
@judging
@calling
def eval_command(
    benchmark: str, models: tuple[str, ...], judges: tuple[str, ...], folder: Path, variant: str, **options: Any
) -> int:
    """Let models answer a benchmark, judge their answers, and score them.

    The same as answer, judge, score and report, in one run folder. The same command goes on where it stopped. A
    question without an image is asked text-only; one with an image in both variants, unless --variant says otherwise.

    \b
    Examples:
      gamut eval my-benchmark --model openai/gpt-5.4 --judge google/gemini-3.1-pro --run runs/first
      gamut eval my-benchmark --model ollama/llama3.2 --variant text_only --judge ollama/qwen3 --run runs/local
      gamut eval my-benchmark --model command:./my_agent --judge openai/gpt-5.4 --run runs/agent --dry-run
    """
    loaded = read_benchmark(benchmark)
    asked = {"model": models, "variant": variant, "samples": options.pop("samples")}
    asked["model_options"] = answer_options(options)
    return judge_and_show(loaded, None, judges, folder, **asked, **from_options(options))


def from_options(options: dict[str, Any]) -> dict[str, Any]:
    """The command line's options as `aevaluate` takes them, and ``dry_run``."""
    judged = judge_options(options)
    return {"dry_run": options["dry_run"], **judged, "budget": budget(options), **options}


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
    benchmark: Benchmark,
    responses: Sequence[Response] | None,
    judges: Sequence[str],
    folder: Path,
    *,
    dry_run: bool = False,
    **options: Any,
) -> int:
    """Carry a run out with progress, and print its leaderboard; the exit code."""
    if dry_run:
        return show_estimates(benchmark, responses, judges, folder, **options)
    former = _former_scores(folder, benchmark)
    progress = Progress()
    try:
        run = carried_out(benchmark, responses, judges, folder, progress, **options)
    except (KeyboardInterrupt, BudgetError) as error:
        code = say_stopped(error, progress)
        if isinstance(error, BudgetError):
            say_spent(progress)
        return code
    with run:
        source = run.exported or run.source(run.scores())
        scores = source.scores
        print_leaderboard(source)
        say(_summary(progress))
        say_spent(progress)
        say_doubtful(source)
        for line in _moves(former, scores):
            say(line)
        if scores.incomplete:
            say_incomplete(source)
            say(f"Again: {shlex.join(['gamut', *sys.argv[1:]])}")
    click.echo(f"Report: {folder / 'report.html'}")
    return DONE_WITH_FINDINGS if scores.incomplete else exit_code(benchmark)


def carried_out(
    benchmark: Benchmark,
    responses: Sequence[Response] | None,
    judges: Sequence[str],
    folder: Path,
    progress: Progress,
    *,
    budget: Budget | None = None,
    **options: Any,
) -> Run:
    """All that is asked for done in the run folder, with progress shown: what `aevaluate` does, for a command.

    The exports are made outside of the event loop, which would put off a signal until they are all written.
    """
    work = Evaluation(*planned(benchmark, responses, judges, **options), progress, None, budget or Budget())
    with claimed(folder), showing(progress):
        run_to_end(work.kept_in(folder, ["gamut", *sys.argv[1:]]))
        return exported(folder, progress)


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
