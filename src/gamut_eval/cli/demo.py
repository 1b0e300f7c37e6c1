"""The first thing to try."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

import click

from gamut_eval.analysis.judges import pairs
from gamut_eval.api import evaluate
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.cli.judging import carried_out
from gamut_eval.cli.main import DONE
from gamut_eval.cli.output import console, read_benchmark, say
from gamut_eval.records import Response, read_responses
from gamut_eval.reports.shapes import Column, Table
from gamut_eval.reports.terminal import print_table
from gamut_eval.reports.wording import number
from gamut_eval.run import Run
from gamut_eval.running.progress import Progress

_JUDGES = ("lexical", "reference")
_WRITTEN = "written-"


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

    Answers of three small language models to the questions of gamut_mini go through compile, judge, score and report
    with the embedded judge 'lexical', which matches words. Beside it stand the reference verdicts, which a language
    model gave by careful reading; and, for ten questions, answers that were written to be complete, half complete and
    wrong. It shows the tool, and ranks nothing.

    \b
    Example:
      gamut demo --run /tmp/demo
    """
    with as_file(files("gamut_eval.data") / "gamut_mini") as bundled:
        benchmark = read_benchmark(bundled)
        responses = read_responses(sorted((bundled / "responses").glob("*.jsonl")))
        judges = [_JUDGES[0], f"recorded:{bundled / 'verdicts' / 'reference.jsonl'}"]
        n_checks = sum(len(checks) for checks in benchmark.checks.values())
        counts = f"{len(benchmark.questions)} questions, {n_checks} checks, {len(responses)} responses"
        say(f"{benchmark.name} {benchmark.version}: {counts}")
        models = [response for response in responses if not response.model.startswith(_WRITTEN)]
        with carried_out(benchmark, models, judges, folder, Progress()) as run:
            print_table(_table(run, "Answers of three small models"), console())
            click.echo()
            with _held_out(benchmark, responses, judges) as written:
                print_table(_table(written, "The ten held-out questions, with answers written for them"), console())
            click.echo()
            for line in _agreement(run):
                click.echo(line)
    click.echo(f"Report: {folder / 'report.html'}")
    return DONE


def _held_out(benchmark: Benchmark, responses: Sequence[Response], judges: Sequence[str]) -> Run:
    """The questions that have written answers, with those of the models."""
    names = {question.id for question in benchmark.questions if question.split == "heldout"}
    answers = [response for response in responses if response.question_id in names]
    return evaluate(benchmark, answers, judges, subset=True)


def _table(run: Run, title: str) -> Table:
    """A row a model, a score a judge, best by the reference first."""
    scores = {(row.model, row.judge): row.gamut for row in run.scores().rows}
    models = sorted({model for model, _ in scores}, key=lambda model: -(scores[model, _JUDGES[1]] or 0))
    rows = tuple((model, *(scores[model, judge] for judge in _JUDGES)) for model in models)
    return Table((Column(title), *(Column(f"Gamut, {judge}", "percent") for judge in _JUDGES)), rows)


def _agreement(run: Run) -> list[str]:
    """How far the two judges agree on verdicts."""
    (pair,) = pairs(run.source(run.scores()))
    kappa = number(pair.kappa)
    return [
        f"lexical gives the reference's verdict on {pair.same or 0:.0%} of {pair.n:,} checks (Cohen's kappa {kappa}).",
        "The reference is a language model's careful reading. lexical matches words and cannot tell a confident error "
        "from a fact: for real work take a model as the judge.",
    ]
