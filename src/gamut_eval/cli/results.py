"""Commands that read a run: score, report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gamut_eval.benchmark.load import Document
from gamut_eval.benchmark.settings import ScoringSettings
from gamut_eval.cli.main import DONE, DONE_WITH_FINDINGS, say
from gamut_eval.cli.output import format_option, print_leaderboard, say_incomplete, write_data
from gamut_eval.errors import InputError, did_you_mean
from gamut_eval.files import dump_json, refuse_overwriting, write_bytes
from gamut_eval.reports.html.page import render_page
from gamut_eval.rubric.fields import TIERS
from gamut_eval.run import Run
from gamut_eval.running.journal import FILE
from gamut_eval.scoring.score import Scores

RUN = click.argument("run", metavar="RUN", type=click.Path(path_type=Path))


def scoring_options(command: Any) -> Any:
    """The options that change how verdicts are scored."""
    options = (
        click.option(
            "--lambda", "lambda_", type=float, help="Credit for 'partially meets', 0 to 1.  [default: as the run]"
        ),
        click.option("--mu", type=float, help="Value of 'contradicts', at most -0.5.  [default: as the run]"),
        click.option(
            "--weights", metavar="TIER=W,…", help="Tier weights, the others as the run: answer_critical=.6,valuable=.3"
        ),
        click.option("--allow-incomplete", is_flag=True, help="Give the mean over complete questions."),
        click.option(
            "--subset/--no-subset",
            default=None,
            help="Unanswered questions were left out on purpose.  [default: as the run]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("score")
@RUN
@scoring_options
@format_option("table", "json", default="table")
def score_command(run: Path, form: str, **options: Any) -> int:
    """Score a run's verdicts; nothing is judged again.

    While a question is incomplete there is no headline score, only its bounds, and the exit code is 1.

    \b
    Examples:
      gamut score runs/first
      gamut score runs/first --mu -1 --weights answer_critical=1,valuable=1,context=1 --format json
    """
    with Run.open(run) as opened:
        scores = _scores(opened, **options)
        if form == "json":
            write_data(dump_json(opened.scores_dict(scores)))
        if not scores.rows:
            say(f"{run} holds no answer and no verdict yet; the command that made it goes on from there.")
            return DONE_WITH_FINDINGS
        if form == "table":
            print_leaderboard(opened.source(scores))
        return _exit_code(opened, scores, options["allow_incomplete"])


@click.command("report")
@RUN
@click.option("-o", "--output", help="File to write.  [default: report.html in the run folder]")
@click.option(
    "--question", "only", multiple=True, metavar="ID", help="Show only this question in full; may be repeated."
)
@scoring_options
def report_command(run: Path, *, output: str | None, only: tuple[str, ...], **options: Any) -> int:
    """Write a run's report as one HTML page.

    The page is self-contained: it needs no network, and shows each verdict with the words it rests on. Of a large run
    it shows the first questions in full; --question chooses others.

    \b
    Examples:
      gamut report runs/first -o first.html
      gamut report runs/first --question food-001 -o food.html
    """
    target = output or str(run / "report.html")
    refuse_overwriting([run / FILE], target)
    with Run.open(run) as opened:
        scores = _scores(opened, **options)
        page = render_page(opened.source(scores, only)).encode()
        if target == "-":
            write_data(page)
        else:
            write_bytes(target, page)
            click.echo(f"Report: {target}")
        return _exit_code(opened, scores, options["allow_incomplete"])


def _exit_code(run: Run, scores: Scores, allow_incomplete: bool) -> int:
    if not scores.incomplete or allow_incomplete:
        return DONE
    say_incomplete(run.source(scores))
    return DONE_WITH_FINDINGS


def _scores(
    run: Run,
    *,
    lambda_: float | None,
    mu: float | None,
    weights: str | None,
    allow_incomplete: bool,
    subset: bool | None,
) -> Scores:
    constants = run.scoring.model_dump(by_alias=True)
    constants |= {name: value for name, value in (("lambda", lambda_), ("mu", mu)) if value is not None}
    if weights is not None:
        constants["weights"] |= _weights(weights)
    try:
        settings = Document(constants, "options").parse(ScoringSettings)
    except InputError as error:
        raise InputError("; ".join(f"--{finding.message}" for finding in error.findings)) from None
    if settings != run.scoring:
        say(f"Scored with {_constants(settings)}; the run's own are {_constants(run.scoring)}.")
    return run.scores(settings, allow_incomplete=allow_incomplete, subset=subset)


def _constants(settings: ScoringSettings) -> str:
    weights = "/".join(f"{weight:g}" for weight in settings.weights.as_tuple())
    return f"λ {settings.lambda_:g}, μ {settings.mu:g}, weights {weights}"


def _weights(text: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name.strip() not in list(TIERS):
            raise InputError(f"--weights: unknown tier {name.strip()!r}{did_you_mean(name.strip(), list(TIERS))}")
        try:
            weights[name.strip()] = float(value)
        except ValueError:
            raise InputError(f"--weights: {value!r} is not a number; write answer_critical=.6,valuable=.3") from None
    return weights
