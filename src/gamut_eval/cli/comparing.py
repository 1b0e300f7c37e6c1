"""Commands that compare models: compare, power."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from gamut_eval.analysis.inference import Inference
from gamut_eval.analysis.power import ContestPlan, plans
from gamut_eval.analysis.source import Source
from gamut_eval.cli.main import DONE_WITH_FINDINGS, say
from gamut_eval.cli.output import console, format_option, write_data
from gamut_eval.cli.results import RUNS, exit_code, joined_source, say_notes, scoring_options
from gamut_eval.comparing import Narrowing, checked, compared, opened, wanted_tables
from gamut_eval.errors import InputError
from gamut_eval.files import dump_json, refuse_overwriting, write_bytes
from gamut_eval.records import VARIANTS
from gamut_eval.reports.compared import ComparedRuns
from gamut_eval.reports.power import assumptions, needed_in_words, power_tables
from gamut_eval.reports.table_kind import REGISTRY, TableKind
from gamut_eval.reports.terminal import print_table
from gamut_eval.reports.wording import visible
from gamut_eval.running.folder import kept_in
from gamut_eval.stats.power import Needed, questions_needed

FORMATS = {
    "table": (".txt",),
    "json": (".json",),
    "csv": (".csv",),
    "markdown": (".md", ".markdown"),
    "latex": (".tex",),
}
"""The formats with the endings of files that they go into."""

_MADE = ("scores.json", "verdicts.parquet", "report.html")
"""What commands put beside a run's journal."""


def narrowing_options(command: Any) -> Any:
    """The options that choose judges and the variant, and how sure intervals are to be."""
    options = (
        click.option("--judge", "judges", multiple=True, metavar="NAME", help="Only this judge; may be repeated."),
        click.option("--variant", type=click.Choice(VARIANTS), help="Only this variant."),
        click.option("--level", type=float, default=95.0, show_default=True, help="Of confidence, in percent."),
    )
    for option in reversed(options):
        command = option(command)
    return command


class Compare(click.Command):
    """Lists the tables below its options; they are not looked for before somebody asks."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        kinds = sorted(((name, REGISTRY.get(name)) for name in REGISTRY.names()), key=lambda pair: pair[1].order)
        with formatter.section("Tables"):
            formatter.write_dl([(name, _summary(kind)) for name, kind in kinds])
        with formatter.indentation():
            formatter.write_text("* shown without --show, where there is anything to show")


def _summary(kind: TableKind) -> str:
    text = kind.summary.rstrip(".")
    return f"{text[:1].upper()}{text[1:]}.{' *' * kind.unasked}"


@click.command("compare", cls=Compare)
@RUNS
@click.option("--show", multiple=True, metavar="TABLE", help="Show this table (list below); may be repeated.")
@click.option("--by", multiple=True, metavar="WHAT", help="Break scores down by domain, tier, kind …; may be repeated.")
@click.option("--words", type=int, metavar="N", help="Table length: cut answers to N words.")
@click.option("--most", type=int, default=20, show_default=True, metavar="N", help="Rows of a list, at most.")
@narrowing_options
@click.option(
    "--method",
    type=click.Choice(["percentile", "BCa"]),
    default="percentile",
    show_default=True,
    help="How intervals come from the bootstrap.",
)
@click.option("--replicates", type=int, default=10_000, show_default=True, help="Resamples of the bootstrap.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resamples.")
@scoring_options
@format_option(*FORMATS, default=None)
@click.option("-o", "--output", default="-", metavar="FILE", help="File, or for CSV a folder; its ending is a format.")
@click.option("--wide", is_flag=True, help="LaTeX: also the columns that the paper's tables do not have.")
def compare_command(runs: tuple[Path, ...], *, output: str, form: str | None, wide: bool, **options: Any) -> int:
    """Compare models, in one run or several, and say how sure that is.

    Runs are joined over the questions that all of them have with the same checks; what was left out or renamed is
    said. All are scored alike, with the first run's constants or those given. CSV holds one table: choose one, or name
    a folder with -o. While a question is incomplete the exit code is 1.

    \b
    Examples:
      gamut compare runs/first
      gamut compare runs/a runs/b --by domain --judge google/gemini-3.1-pro
      gamut compare runs/a --show main --variant image -o main.tex
      gamut compare runs/a runs/a-flat --show levels
      gamut compare runs/a --show judges --show sensitivity --format json
    """
    form = _format(form, output)
    if wide and form != "latex":
        raise click.UsageError("--wide goes with --format latex")
    chosen = {name: options.pop(name) for name in ("by", "words", "most")}
    names, wanted = wanted_tables(options.pop("show"), **chosen)
    inference = _inference(options.pop("level"), *(options.pop(name) for name in ("method", "replicates", "seed")))
    narrowing = Narrowing(options.pop("judges"), options.pop("variant"))
    refuse_overwriting([path for run in runs for path in (*kept_in(run), *(run / name for name in _MADE))], output)
    with opened(runs) as several:
        source = replace(joined_source(several, narrowing=narrowing, **options), inference=inference)
        if _is_empty(source):
            return DONE_WITH_FINDINGS
        found = compared(several, source, names, wanted)
        if form != "table":
            say_notes(source)
        for name in found.absent:
            say(f"{name}: there is nothing to show in it")
        _write(found, form, output, wide=wide)
        return exit_code(source, options["allow_incomplete"])


def _format(form: str | None, output: str) -> str:
    """The format that was asked for, or that the file's ending says."""
    if form is not None:
        return form
    if output == "-":
        return "table"
    ending = Path(output).suffix.lower()
    found = next((name for name, endings in FORMATS.items() if ending in endings), None)
    if found is None:
        known = ", ".join(ending for endings in FORMATS.values() for ending in endings)
        raise InputError(f"-o {output}: its ending says no format (known: {known}); say it with --format")
    return found


def _inference(level: float, method: Any, replicates: int, seed: int) -> Inference:
    if not 1 < level < 100:
        raise InputError(f"--level is {level:g}; it is in percent, between 1 and 100, such as 95")
    try:
        return checked(Inference(level / 100, method, replicates, seed))
    except InputError as error:
        raise InputError(f"--{error}") from None


def _is_empty(source: Source) -> bool:
    if not source.scores.rows:
        say("There is no answer and no verdict yet; the command that made the run goes on from there.")
    return not source.scores.rows


def _write(found: ComparedRuns, form: str, output: str, *, wide: bool) -> None:
    if form == "csv":
        _write_csv(found.to_csv(), output)
    elif form == "json":
        write_bytes(output, dump_json(found.to_dict()))
    elif form == "markdown":
        write_bytes(output, found.to_markdown().encode())
    elif form == "latex":
        write_bytes(output, found.to_latex(wide=wide).encode())
    elif output == "-":
        _print(found, console())
    else:
        stream = io.StringIO()
        _print(found, Console(file=stream, width=200, highlight=False, markup=False, emoji=False))
        write_bytes(output, stream.getvalue().encode())
    if output != "-":
        say(f"Wrote {output}.")


def _print(found: ComparedRuns, terminal: Console) -> None:
    for note in found.notes:
        terminal.print(visible(note))
    if found.notes:
        terminal.print()
    print_tables([table for tables in found.tables.values() for table in tables], terminal)


def print_tables(tables: Sequence[Any], terminal: Console) -> None:
    """One below the other, a blank line between."""
    for place, table in enumerate(tables):
        if place:
            terminal.print()
        print_table(table, terminal)


def _write_csv(texts: dict[str, str], output: str) -> None:
    """One table to a file or to standard output, several to a folder."""
    folder = Path(output)
    if output != "-" and (folder.is_dir() or folder.suffix.lower() != ".csv"):
        for name, text in texts.items():
            write_bytes(folder / f"{name}.csv", text.encode())
    elif len(texts) == 1:
        write_bytes(output, next(iter(texts.values())).encode())
    else:
        told = ", ".join(texts) or "none"
        raise InputError(f"CSV holds one table, these are {len(texts)} ({told}); choose with --show, or -o a folder")


@click.command("power")
@click.argument("runs", metavar="[RUN…]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--half-width", type=float, required=True, metavar="POINTS", help="Wanted: a score ± so many points.")
@click.option("--sd", type=float, metavar="POINTS", help="Without a run: the standard deviation of question scores.")
@narrowing_options
@scoring_options
@format_option("table", "json", default="table")
def power_command(
    runs: tuple[Path, ...], *, half_width: float, sd: float | None, level: float, form: str, **options: Any
) -> int:
    """Say how many questions it takes for intervals of a wanted width.

    For each model's score, and for the difference of each two neighbours in rank, from how much scores spread between
    the questions of a run. Without a run, from a standard deviation.

    \b
    Examples:
      gamut power runs/first --half-width 2
      gamut power --half-width 2 --sd 35
    """
    if not 0.001 <= half_width < 100:
        raise InputError(f"--half-width is {half_width:g}; it is in points, from 0.001 and below 100, such as 2")
    inference = _inference(level, *(Inference.method, Inference.replicates, Inference.seed))
    if (sd is None) == (not runs):
        raise click.UsageError("give either a run, or --sd")
    if sd is not None:
        _print_needed(_needed(half_width, sd, inference.level), form)
        return 0
    narrowing = Narrowing(options.pop("judges"), options.pop("variant"))
    with opened(runs) as several:
        source = replace(joined_source(several, narrowing=narrowing, **options), inference=inference)
        if _is_empty(source):
            return DONE_WITH_FINDINGS
        say_notes(source)
        _print_plans(plans(source, half_width / 100), half_width, level, form)
        return exit_code(source, options["allow_incomplete"])


def _needed(half_width: float, sd: float, level: float) -> Needed:
    if not 0 <= sd <= 100:
        raise InputError(f"--sd is {sd:g}; it is in points, from 0 to 100, such as 35")
    return questions_needed(half_width / 100, sd / 100, level=level)


def _print_needed(needed: Needed, form: str) -> None:
    if form == "json":
        write_data(dump_json(_about(needed.half_width, needed.level) | _facts(needed)))
    else:
        click.echo(f"{needed_in_words(needed)}\n{assumptions(needed.level)}")


def _facts(needed: Needed) -> dict[str, Any]:
    return {
        "n_needed": needed.n_questions,
        "standard_deviation": needed.standard_deviation,
        "design_effect": needed.design_effect,
        "why": needed.why,
    }


def _about(half_width: float, level: float) -> dict[str, Any]:
    return {"half_width": half_width, "level": level, "assumes": assumptions(level)}


def _print_plans(contests: tuple[ContestPlan, ...], half_width: float, level: float, form: str) -> None:
    if form == "json":
        found = [
            {
                "variant": contest.variant,
                "judge": contest.judge,
                "models": [plan.to_dict() for plan in contest.models],
                "neighbours": [plan.to_dict() for plan in contest.neighbours],
            }
            for contest in contests
        ]
        write_data(dump_json(_about(half_width / 100, level / 100) | {"contests": found}))
        return
    print_tables(power_tables(contests, half_width / 100, level / 100), console())
    click.echo(f"\n{assumptions(level / 100)}")
