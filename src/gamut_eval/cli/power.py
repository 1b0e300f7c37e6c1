"""The command that says how many questions it takes: power."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gamut_eval.analysis.inference import Inference
from gamut_eval.analysis.power import Aim, plans
from gamut_eval.analysis.source import Source
from gamut_eval.cli.comparing import fraction_of, is_empty, level_option
from gamut_eval.cli.main import DONE, DONE_WITH_FINDINGS, say
from gamut_eval.cli.output import console, format_option, print_tables, write_data
from gamut_eval.cli.results import exit_code, joined_source, narrowing_of, narrowing_options, say_notes, scoring_options
from gamut_eval.comparing import opened
from gamut_eval.errors import InputError
from gamut_eval.files import dump_json
from gamut_eval.reports.power import assumptions, planned_in_words, power_tables
from gamut_eval.stats.power import questions_needed, questions_to_tell

_MOST_TESTS = 1_000_000


@click.command("power")
@click.argument("runs", metavar="[RUN…]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--half-width", type=float, metavar="POINTS", help="Wanted: a score ± so many points.")
@click.option("--difference", type=float, metavar="POINTS", help="Wanted: to tell models apart that differ so much.")
@click.option(
    "--power", type=float, default=80.0, show_default=True, help="Probability to find the difference, in percent."
)
@click.option(
    "--tests", type=int, metavar="N", help="Pairs tested together.  [default: all of the run; without a run 1]"
)
@click.option(
    "--sd",
    type=float,
    metavar="POINTS",
    help="Without a run: the standard deviation of question scores; with --difference, of two models' differences.",
)
@narrowing_options
@level_option
@scoring_options
@format_option("table", "json", default="table")
def power_command(runs: tuple[Path, ...], *, sd: float | None, level: float, form: str, **options: Any) -> int:
    """Say how many questions it takes, and what differences those at hand find.

    How large a true difference of each two neighbours in rank has to be for the run's questions to find it; with
    --difference how many find one of that size; with --half-width how many it takes to know each score and difference
    ± so many points. All from how much scores spread between a run's questions, or from a standard deviation.

    \b
    Examples:
      gamut power runs/first
      gamut power runs/first --difference 2
      gamut power runs/first --difference 2 --power 90 --tests 1
      gamut power --half-width 2 --sd 35
      gamut power --difference 2 --sd 25
    """
    aim = _aim(fraction_of(level), *(options.pop(name) for name in ("half_width", "difference", "power", "tests")))
    if (sd is None) == (not runs):
        raise click.UsageError("give either a run, or --sd")
    if sd is not None:
        return _without_a_run(aim, sd, level / 100, form)
    narrowing = narrowing_of(options)
    with opened(runs) as several:
        joined = joined_source(several, narrowing=narrowing, **options)
        source = replace(joined, inference=Inference(level / 100))
        if is_empty(source):
            return DONE_WITH_FINDINGS
        say_notes(source.notes)
        _print_plans(source, aim, form)
        return exit_code(source, options["allow_incomplete"])


def _aim(level: float, half_width: float | None, difference: float | None, power: float, tests: int | None) -> Aim:
    for name, wanted in (("half-width", half_width), ("difference", difference)):
        if wanted is not None and not 0.001 <= wanted < 100:
            raise InputError(f"--{name} is {wanted:g}; it is in points, from 0.001 and below 100, such as 2")
    if not 50 <= power <= 99.9:
        raise InputError(f"--power is {power:g}; it is in percent, from 50 to 99.9, such as 80")
    if power <= (1 - level) * 100:
        raise InputError(f"--power is {power:g}; at --level {level * 100:g} that is no more than by chance")
    if tests is not None and not 1 <= tests <= _MOST_TESTS:
        raise InputError(f"--tests is {tests}; it is a number of pairs, from 1 to {_MOST_TESTS:,}")
    return Aim(_fraction(half_width), _fraction(difference), power / 100, tests)


def _fraction(points: float | None) -> float | None:
    return None if points is None else points / 100


def _without_a_run(aim: Aim, sd: float, level: float, form: str) -> int:
    if aim.half_width is None and aim.difference is None:
        raise click.UsageError("with --sd, say what is wanted: --half-width, --difference or both")
    if not 0.001 <= sd <= 200:
        raise InputError(f"--sd is {sd:g}; it is in points, from 0.001 to 200, such as 35")
    width, gap, tests = aim.half_width, aim.difference, aim.n_tests or 1
    for_width = None if width is None else questions_needed(width, sd / 100, level=level)
    for_gap = None
    if gap is not None:
        for_gap = questions_to_tell(gap, sd / 100, level=level, power=aim.power, tests=tests)
    if form == "json":
        found = {"n_for_half_width": for_width, "n_for_difference": for_gap}
        about = _about(aim, level, of_a_run=False) | {"n_tests": tests, "standard_deviation": sd / 100}
        write_data(dump_json(about | found))
    else:
        click.echo(planned_in_words(aim, sd / 100, level, for_width, for_gap))
        click.echo(assumptions(level, of_a_run=False))
    return DONE


def _about(aim: Aim, level: float, *, of_a_run: bool = True) -> dict[str, Any]:
    return {
        "half_width": aim.half_width,
        "difference": aim.difference,
        "power": aim.power,
        "level": level,
        "assumes": assumptions(level, of_a_run=of_a_run),
    }


def _print_plans(source: Source, aim: Aim, form: str) -> None:
    contests, level = plans(source, aim), source.inference.level
    if aim.half_width is None and not any(contest.neighbours for contest in contests):
        raise InputError("one model differs from no other; --half-width POINTS says how many questions its score takes")
    if form == "json":
        write_data(dump_json(_about(aim, level) | {"contests": [contest.to_dict() for contest in contests]}))
        return
    print_tables(power_tables(source, contests, aim), console())
    click.echo(f"\n{assumptions(level)}")
    known = any(plan.spread.standard_deviation is not None for contest in contests for plan in contest.neighbours)
    if known and aim.half_width is None and aim.difference is None:
        say("How many questions would find a smaller difference: --difference POINTS.")
