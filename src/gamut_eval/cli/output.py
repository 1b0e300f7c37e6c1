"""What commands share: data to stdout, everything else to stderr, progress that suits the place."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gamut_eval.cli.main import DONE, DONE_WITH_FINDINGS
from gamut_eval.cli.main import say as say  # noqa: PLC0414 (commands have it from here)
from gamut_eval.errors import Finding
from gamut_eval.reports.wording import visible
from gamut_eval.running.plan import Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from gamut_eval.api import Run
    from gamut_eval.benchmark.benchmark import Benchmark
    from gamut_eval.scoring.score import Scores

PLAIN_EVERY_S = 10.0


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


def console() -> Console:
    """The terminal, for tables and trees on stdout."""
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would exit with 1, which is for findings

    # In a pipe there is no width to keep to, and cutting would lose data.
    width = None if sys.stdout.isatty() else 200
    return Terminal(highlight=False, markup=False, emoji=False, width=width)


def plain_text(text: str) -> Text:
    """A text for a table that does nothing but be shown, whoever wrote it."""
    from rich.text import Text

    return Text(visible(text))


def format_option(*choices: str, default: str) -> Callable[[Any], Any]:
    """The option ``--format``."""
    return click.option(
        "--format", "form", type=click.Choice(choices), default=default, show_default=True, help="How to print it."
    )


def print_leaderboard(run: Run, scores: Scores) -> None:
    """The leaderboard on stdout."""
    from gamut_eval.reports.kinds.leaderboard import leaderboard_table
    from gamut_eval.reports.terminal import print_table

    print_table(leaderboard_table(run.source(scores)), console())


def incomplete_message(scores: Scores) -> str:
    """How many questions lack a verdict or a response, and what to do about it."""
    worst = max(scores.incomplete, key=lambda row: row.n_incomplete)
    of = worst.n_questions + worst.n_incomplete
    whose = f"{worst.model} ({worst.variant}, judge {worst.judge})"
    return (
        f"{worst.n_incomplete} of {of} questions are incomplete for {whose}, so there is no headline score, only its "
        "bounds. Run the same 'gamut judge' again to retry what failed. 'gamut score' takes --allow-incomplete for "
        "the mean over complete questions, and --subset if questions were left out on purpose."
    )


@contextlib.contextmanager
def shown(progress: Progress) -> Iterator[None]:
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


def _lines(progress: Progress, stop: threading.Event) -> None:
    while not stop.wait(PLAIN_EVERY_S):
        say(f"judged {progress.done} of {progress.total} checks{_failed(progress)}")


def _bar(progress: Progress, stop: threading.Event) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("judging"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[more]}"))
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("judging", total=None, more="")
        started = time.monotonic()
        while True:
            ended = stop.wait(0.1)
            rate = progress.judged / max(time.monotonic() - started, 1e-3)
            more = f"{rate:,.0f}/s{_failed(progress)}"
            bar.update(task, completed=progress.done, total=progress.total or None, more=more)
            if ended:
                return


def _failed(progress: Progress) -> str:
    return f", {progress.failures.total()} failed" if progress.failures else ""
