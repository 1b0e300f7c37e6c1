"""The command that compares models: compare."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gamut_eval.analysis.inference import Inference
from gamut_eval.analysis.source import Source
from gamut_eval.cli.main import DONE_WITH_FINDINGS, say
from gamut_eval.cli.output import format_of, format_option, output_option, print_tables, write_printed
from gamut_eval.cli.results import (
    RUNS,
    exit_code,
    joined_source,
    narrowing_of,
    narrowing_options,
    say_notes,
    scoring_options,
)
from gamut_eval.comparing import checked, compared, opened, wanted_tables
from gamut_eval.errors import InputError
from gamut_eval.files import dump_json, write_bytes
from gamut_eval.reports.compared import ComparedRuns
from gamut_eval.reports.table_kind import REGISTRY, TableKind
from gamut_eval.reports.wording import visible

if TYPE_CHECKING:
    from rich.console import Console

FORMATS = ("table", "json", "csv", "markdown", "latex")

level_option = click.option("--level", type=float, default=95.0, show_default=True, help="Of confidence, in percent.")


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
@level_option
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
@output_option("File, or for CSV a folder; its ending is a format.", default="-")
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
      gamut compare runs/a --show pairs --model openai/gpt-5.4 --model google/gemini-3.1-pro
      gamut compare runs/a runs/a-flat --show levels
      gamut compare runs/a --show judges --show sensitivity --format json
    """
    form = format_of(form, output, FORMATS)
    if wide and form != "latex":
        raise click.UsageError("--wide goes with --format latex")
    chosen = {name: options.pop(name) for name in ("by", "words", "most")}
    names, wanted = wanted_tables(options.pop("show"), **chosen)
    inference = _inference(options.pop("level"), *(options.pop(name) for name in ("method", "replicates", "seed")))
    narrowing = narrowing_of(options)
    with opened(runs) as several:
        source = replace(joined_source(several, narrowing=narrowing, **options), inference=inference)
        if is_empty(source):
            return DONE_WITH_FINDINGS
        found = compared(several, source, names, wanted)
        if form != "table":
            say_notes(found.notes)
        for name in found.absent:
            say(f"{name}: nothing to show; it takes {REGISTRY.get(name).needs}")
        _write(found, form, output, wide=wide)
        return exit_code(source, options["allow_incomplete"])


def _inference(level: float, method: Any, replicates: int, seed: int) -> Inference:
    try:
        return checked(Inference(fraction_of(level), method, replicates, seed))
    except InputError as error:
        raise InputError(f"--{error}") from None


def fraction_of(level: float) -> float:
    """A level in percent as a fraction."""
    if not 1 < level < 100:
        raise InputError(f"--level is {level:g}; it is in percent, between 1 and 100, such as 95")
    return level / 100


def is_empty(source: Source) -> bool:
    """Whether there is nothing to compare, which is said on stderr."""
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
    else:
        write_printed(lambda terminal: _print(found, terminal), output)
    if output != "-":
        say(f"Wrote {output}.")


def _print(found: ComparedRuns, terminal: Console) -> None:
    for note in found.notes:
        terminal.print(visible(note))
    if found.notes:
        terminal.print()
    print_tables([table for tables in found.tables.values() for table in tables], terminal)


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
