"""What commands share: data to stdout, everything else to stderr, progress that suits the place."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gamut_eval.cli.main import DONE, DONE_WITH_FINDINGS, code_of
from gamut_eval.cli.main import say as say  # noqa: PLC0414 (commands have it from here)
from gamut_eval.errors import BudgetError, Finding, InputError, pip_install
from gamut_eval.files import write_bytes
from gamut_eval.llm.prices import prices_are_installed
from gamut_eval.reports.wording import visible
from gamut_eval.running.folder import refuse_kept
from gamut_eval.running.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from gamut_eval.analysis.source import Source
    from gamut_eval.benchmark.benchmark import Benchmark
    from gamut_eval.llm.ledger import Spent
    from gamut_eval.reports.shapes import Table

_ENDINGS = {
    "table": (".txt",),
    "json": (".json",),
    "csv": (".csv",),
    "markdown": (".md", ".markdown"),
    "latex": (".tex",),
    "yaml": (".yaml", ".yml"),
}
"""Formats, with the endings of files that they go into."""
_WIDE = 200
"""Columns where there is no terminal: cutting would lose data."""
PLAIN_EVERY_S = 10.0
_MANY_DOUBTS = 0.1
"""The share of a judge's verdicts from which on they are told of in the terminal."""


def read_benchmark(path: str | Path) -> Benchmark:
    """The benchmark; edits that were not applied are named on stderr."""
    from gamut_eval.benchmark.load import load_benchmark

    benchmark = load_benchmark(path)
    for finding in stale_edits(benchmark):
        say(f"warning: {finding}")
    return benchmark


def stale_edits(benchmark: Benchmark) -> list[Finding]:
    """What was found of edits that were not applied."""
    return [finding for finding in benchmark.findings if finding.code == "stale-edit"]


def exit_code(benchmark: Benchmark) -> int:
    """0, or 1 where an edit was not applied."""
    return DONE_WITH_FINDINGS if stale_edits(benchmark) else DONE


def write_data(data: bytes) -> None:
    """Bytes to stdout, in UTF-8 whatever the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def console(*, stderr: bool = False) -> Console:
    """The terminal, for tables and trees."""
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would exit with 1, which is for findings

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else _WIDE
    return Terminal(highlight=False, markup=False, emoji=False, width=width, stderr=stderr)


def plain_text(text: str) -> Text:
    """A text for a table that does nothing but be shown, whoever wrote it."""
    from rich.text import Text

    return Text(visible(text))


def format_option(*choices: str, default: str | None) -> Callable[[Any], Any]:
    """The option ``--format``."""
    return click.option(
        "--format", "form", type=click.Choice(choices), default=default, show_default=True, help="How to print it."
    )


def format_of(form: str | None, output: str, formats: Iterable[str]) -> str:
    """The format that was asked for, or that the file's ending says."""
    if form is not None:
        return form
    if output == "-":
        return "table"
    endings = {ending: name for name in formats for ending in _ENDINGS[name]}
    found = endings.get(Path(output).suffix.lower())
    if found is None:
        raise InputError(f"-o {output}: its ending says no format (known: {', '.join(endings)}); say it with --format")
    return found


def write_printed(show: Callable[[Console], None], output: str) -> None:
    """What is printed on a terminal, there or as text in a file."""
    if output == "-":
        show(console())
        return
    from rich.console import Console

    stream = io.StringIO()
    show(Console(file=stream, width=_WIDE, highlight=False, markup=False, emoji=False))
    write_bytes(output, stream.getvalue().encode())


def print_tables(tables: Iterable[Table], terminal: Console) -> None:
    """One below the other, a blank line between."""
    from gamut_eval.reports.terminal import print_table

    for place, table in enumerate(tables):
        if place:
            terminal.print()
        print_table(table, terminal)


def output_option(text: str, *, metavar: str = "FILE", unless: str = "", **more: Any) -> Callable[[Any], Any]:
    """The option ``-o``, which no command may have without it: it takes no file that a run keeps, but ``unless``."""

    def checked(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
        if value and value != "-" and Path(value).name != unless:
            refuse_kept(value)
        return value

    return click.option("-o", "--output", metavar=metavar, help=text, callback=checked, **more)


def print_leaderboard(source: Source) -> None:
    """The leaderboard on stdout."""
    from gamut_eval.reports.leaderboard import leaderboard_table
    from gamut_eval.reports.terminal import print_table

    print_table(leaderboard_table(source), console())


def say_incomplete(source: Source) -> None:
    """On stderr: whose questions are incomplete, what they lack, and what to do about it."""
    from gamut_eval.reports.kinds.failures import REPORT
    from gamut_eval.reports.shapes import Table
    from gamut_eval.reports.terminal import print_table

    for row in source.scores.incomplete:
        of = row.n_questions + row.n_incomplete
        say(f"{row.n_incomplete} of {of} questions are incomplete: {row.model} ({row.variant}, judge {row.judge})")
    section = REPORT.build(source)
    for block in section.blocks if section else ():
        if isinstance(block, Table):
            print_table(block, console(stderr=True))
    say(
        "While questions are incomplete there is no headline score, only its bounds. The command that made the run "
        "asks again for what has no verdict, 'gamut eval' also for what has no answer; 'gamut judge' takes answers "
        "with --responses. 'gamut score' takes --allow-incomplete for the mean over complete questions, --subset if "
        "questions were left out on purpose."
    )


@contextlib.contextmanager
def showing(progress: Progress) -> Iterator[None]:
    """Progress on stderr while the body runs: a bar on a terminal, else a plain line now and then."""
    stop = threading.Event()
    show = _bar if sys.stderr.isatty() else _lines
    thread = threading.Thread(target=show, args=(progress, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def say_stopped(error: KeyboardInterrupt | BudgetError, progress: Progress) -> int:
    """On stderr: how far it came before somebody or a budget stopped it, and how to go on; the exit code."""
    counted = f"{progress.done} of {progress.total} {progress.stage} are saved."
    saved = counted if progress.total else "What there was before is saved."
    if isinstance(error, BudgetError):
        say(f"Stopped: {error}. {saved}")
        say("The same command with a larger budget goes on from there.")
        return DONE_WITH_FINDINGS
    files = " The files made of them are not all written." if progress.exporting else ""
    say(f"\nInterrupted: {saved}{files} Go on with:")
    say(f"  {shlex.join(['gamut', *sys.argv[1:]])}")
    return code_of(error)


def say_spent(progress: Progress) -> None:
    """On stderr: what the calls of each model and judge came to, and what an endpoint turned out to be."""
    if progress.ledger is None:
        return
    for (role, name), spent in progress.ledger.spent.items():
        say(f"{role} {name}: {', '.join(_spent(spent))}")
        if len(spent.models) > 1:
            served = ", ".join(f"{model} ({n:,})" for model, n in spent.models.items())
            say(f"warning: {name} was answered by several versions in this run: {served}")


def say_doubtful(source: Source) -> None:
    """On stderr: which judges have so many doubtful verdicts that one should look at them before using the scores."""
    from gamut_eval.reports.doubts import doubtful

    for judge, (n, of) in doubtful(source).items():
        if n >= _MANY_DOUBTS * of:
            told = f"{n:,} of {of:,} verdicts of {judge} are doubtful"
            say(f"warning: {told}; see 'Doubtful verdicts' in the report")


def _spent(spent: Spent) -> Iterator[str]:
    usage = spent.usage
    yield f"{spent.calls:,} calls"
    if spent.hits:
        yield f"{spent.hits:,} more from the cache"
    if usage.prompt is not None:
        cached = f" ({usage.cached / usage.prompt:.0%} cached)" if usage.cached and usage.prompt else ""
        yield f"{usage.prompt:,} prompt tokens{cached}"
    if usage.completion is not None:
        reasoning = f" ({usage.reasoning:,} of reasoning)" if usage.reasoning else ""
        yield f"{usage.completion:,} completion tokens{reasoning}"
    if spent.calls:
        yield _price(spent)
    if spent.errors:
        yield "faults: " + ", ".join(f"{n:,} {code}" for code, n in spent.errors.most_common())


def _price(spent: Spent) -> str:
    if spent.unpriced and not spent.cost:
        return "price unknown" if prices_are_installed() else f"price unknown; run: {pip_install('prices')}"
    if spent.calls == spent.errors.total() and not spent.cost:
        return "no reply to pay for"
    more = f" and {spent.unpriced:,} calls of unknown price" if spent.unpriced else ""
    return f"${spent.cost:,.4f}{more}"


def _lines(progress: Progress, stop: threading.Event) -> None:
    while not stop.wait(PLAIN_EVERY_S):
        say(f"{progress.done} of {progress.total} {progress.stage}{_more(progress)}")


def _bar(progress: Progress, stop: threading.Event) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[more]}"))
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task, stage = bar.add_task(progress.stage, total=None, more=""), progress.stage
        started = time.monotonic()
        while True:
            ended = stop.wait(0.1)
            if stage != progress.stage:
                bar.remove_task(task)
                task, stage, started = (
                    bar.add_task(progress.stage, total=None, more=""),
                    progress.stage,
                    time.monotonic(),
                )
            rate = progress.judged / max(time.monotonic() - started, 1e-3)
            more = f"{rate:,.0f}/s{_more(progress)}"
            bar.update(task, completed=progress.done, total=progress.total or None, more=more)
            if ended:
                return


def _more(progress: Progress) -> str:
    if progress.exporting:
        return ", writing what is made of them"
    return f"{_failed(progress)}{_called(progress)}"


def _failed(progress: Progress) -> str:
    return f", {progress.failures.total()} failed" if progress.failures else ""


def _called(progress: Progress) -> str:
    """Calls in flight, faults, tokens and cost so far, where calls are made."""
    ledger = progress.ledger
    if ledger is None or not ledger.spent:
        return ""
    total = ledger.total
    tokens = (total.usage.prompt or 0) + (total.usage.completion or 0)
    parts = [f"{ledger.in_flight} in flight", f"{tokens:,} tokens"]
    parts += [f"{total.hits:,} from the cache"] if total.hits else []
    parts += [f"${total.cost:,.2f}"] if total.cost else []
    parts += [f"{n} {code}" for code, n in total.errors.most_common(3)]
    return "".join(f", {part}" for part in parts)
