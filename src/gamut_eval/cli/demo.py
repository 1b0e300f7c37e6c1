"""The first thing to try."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import click

from gamut_eval.cli.judging import judge_and_show
from gamut_eval.cli.output import read_benchmark, say
from gamut_eval.records import read_responses


@click.command("demo")
@click.option(
    "--run",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("gamut-demo"),
    show_default=True,
    help="Run folder.",
)
def demo_command(folder: Path) -> int:
    """Judge and score the bundled benchmark, offline, in a few seconds.

    Answers of two small language models to the questions of gamut_mini go through compile, judge, score and
    report with the embedded judge 'lexical', which matches words: it shows the tool, and ranks nothing.

    \b
    Example:
      gamut demo --run /tmp/demo
    """
    with as_file(files("gamut_eval.data") / "gamut_mini") as bundled:
        benchmark = read_benchmark(bundled)
        responses = read_responses(sorted((bundled / "responses").glob("*.jsonl")))
    n_checks = sum(len(checks) for checks in benchmark.checks.values())
    counts = f"{len(benchmark.questions)} questions, {n_checks} checks, {len(responses)} responses"
    say(f"{benchmark.name} {benchmark.version}: {counts}")
    return judge_and_show(benchmark, responses, ["lexical"], folder)
