"""Commands that read a run: score, report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gamut_eval.analysis.source import Source
from gamut_eval.benchmark.load import Document
from gamut_eval.benchmark.settings import ScoringSettings
from gamut_eval.cli.main import DONE, DONE_WITH_FINDINGS, say
from gamut_eval.cli.output import format_option, output_option, print_leaderboard, say_incomplete, write_data
from gamut_eval.comparing import EVERYTHING, Narrowing, OpenRun, constants_in_words, opened, put_together
from gamut_eval.errors import InputError, UnknownNameError, did_you_mean
from gamut_eval.files import dump_json, write_bytes
from gamut_eval.records import VARIANTS
from gamut_eval.reports.html.page import render_page
from gamut_eval.rubric.fields import TIERS
from gamut_eval.run import Run
from gamut_eval.running.folder import REPORT, refuse_kept

RUN = click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
RUNS = click.argument("runs", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))


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
    allow_incomplete, subset = options.pop("allow_incomplete"), options.pop("subset")
    with Run.open(run) as one:
        scores = one.scores(_settings([one], **options), allow_incomplete=allow_incomplete, subset=subset)
        if form == "json":
            write_data(dump_json(one.scores_dict(scores)))
        if not scores.rows:
            say(f"{run} holds no answer and no verdict yet; the command that made it goes on from there.")
            return DONE_WITH_FINDINGS
        source = one.source(scores)
        if form == "table":
            print_leaderboard(source)
        return exit_code(source, allow_incomplete)


def narrowing_options(command: Any) -> Any:
    """The options that choose judges, models and the variant; see `narrowing_of`."""
    options = (
        click.option("--judge", "judges", multiple=True, metavar="NAME", help="Only this judge; may be repeated."),
        click.option(
            "--model",
            "models",
            multiple=True,
            metavar="NAME",
            help="Only this model; may be repeated. Holm's adjustment is then over the pairs of these only.",
        ),
        click.option("--variant", type=click.Choice(VARIANTS), help="Only this variant."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def narrowing_of(options: dict[str, Any]) -> Narrowing:
    """What the options choose; they are taken out."""
    return Narrowing(*(options.pop(name) for name in ("judges", "variant", "models")))


@click.command("report")
@RUNS
@output_option(f"File to write.  [default: {REPORT} in the run folder, where there is one run]", unless=REPORT)
@click.option(
    "--question", "only", multiple=True, metavar="ID", help="Show only this question in full; may be repeated."
)
@click.option("--paper", is_flag=True, help="Put the paper's published results beside one's own.")
@narrowing_options
@scoring_options
def report_command(
    runs: tuple[Path, ...], *, output: str | None, only: tuple[str, ...], paper: bool, **options: Any
) -> int:
    """Write a report on a run, or on several, as one HTML page.

    The page is self-contained: it needs no network, and shows each verdict with the words it rests on. Of a large run
    it shows the first questions in full; --question chooses others. Several runs are joined as 'gamut compare' does.

    \b
    Examples:
      gamut report runs/first -o first.html
      gamut report runs/first --question food-001 -o food.html
      gamut report runs/first runs/second --paper -o both.html
      gamut report runs/first --model mistral/large --model qwen/max --variant image -o two.html
    """
    narrowing = narrowing_of(options)
    if output is None and (len(runs) > 1 or narrowing != EVERYTHING):
        what = "several runs" if len(runs) > 1 else "--judge, --model or --variant"
        raise click.UsageError(f"with {what}, say with -o where the report goes")
    own = str(runs[0] / REPORT)
    target = output or own
    if len(runs) > 1 or os.path.realpath(target) != os.path.realpath(own):
        refuse_kept(target)
    with opened(runs) as several:
        source = joined_source(several, narrowing=narrowing, **options)
        say_notes(source.notes)
        source = replace(source, only=_known(only, source), published=paper)
        page = render_page(source).encode()
        if target == "-":
            write_data(page)
        else:
            write_bytes(target, page)
            click.echo(f"Report: {target}")
        return exit_code(source, options["allow_incomplete"])


def _known(names: Sequence[str], source: Source) -> tuple[str, ...]:
    known = {question.id for question in source.questions}
    for name in names:
        if name not in known:
            raise UnknownNameError("question", name, known)
    return tuple(dict.fromkeys(names))


def joined_source(
    runs: Sequence[OpenRun],
    *,
    lambda_: float | None,
    mu: float | None,
    weights: str | None,
    allow_incomplete: bool,
    subset: bool | None,
    narrowing: Narrowing = EVERYTHING,
) -> Source:
    """Runs together, scored as the options of `scoring_options` say."""
    settings = _settings([run.run for run in runs], lambda_, mu, weights)
    return put_together(runs, settings, allow_incomplete=allow_incomplete, subset=subset, narrowing=narrowing)


def say_notes(notes: Iterable[str]) -> None:
    """On stderr: what was left out, renamed or scored otherwise so that the runs could be joined."""
    for note in notes:
        say(note)


def exit_code(source: Source, allow_incomplete: bool) -> int:
    """0, or 1 where a question is incomplete and that was not allowed for; then stderr says what is missing."""
    if not source.scores.incomplete or allow_incomplete:
        return DONE
    say_incomplete(source)
    return DONE_WITH_FINDINGS


def _settings(runs: Sequence[Run], lambda_: float | None, mu: float | None, weights: str | None) -> ScoringSettings:
    """The first run's constants with the changes that were asked for."""
    own = runs[0].scoring
    constants = own.model_dump(by_alias=True)
    constants |= {name: value for name, value in (("lambda", lambda_), ("mu", mu)) if value is not None}
    if weights is not None:
        constants["weights"] |= _weights(weights)
    try:
        settings = Document(constants, "options").parse(ScoringSettings)
    except InputError as error:
        raise InputError("; ".join(f"--{finding.message}" for finding in error.findings)) from None
    if settings != own and all(run.scoring == own for run in runs):
        whose = "the run's" if len(runs) == 1 else "the runs'"
        say(f"Scored with {constants_in_words(settings)}; {whose} own are {constants_in_words(own)}.")
    return settings


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
