"""The command `gamut`: finds commands by name, and turns what they raise into messages and exit codes."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from typing import TextIO, cast

import click

from gamut_eval import __version__
from gamut_eval.errors import GamutError, InputError, did_you_mean
from gamut_eval.files import why

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
DONE, DONE_WITH_FINDINGS, WRONG_INPUT, OUR_BUG, INTERRUPTED, TERMINATED = 0, 1, 2, 70, 130, 143

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("gamut_eval.cli.demo", "Judge and score the bundled benchmark, offline, in a few seconds."),
    "init": ("gamut_eval.cli.authoring", "Write a commented starter benchmark."),
    "schema": ("gamut_eval.cli.authoring", "Print the JSON Schema of a question or of benchmark.yaml."),
    "validate": ("gamut_eval.cli.authoring", "Check a benchmark's files, naming every mistake's place."),
    "compile": ("gamut_eval.cli.authoring", "Compile meta-rubrics to checks."),
    "edit": ("gamut_eval.cli.editing", "Write an edit of one check into its question's file."),
    "stats": ("gamut_eval.cli.statistics", "Print what a benchmark is made of, in the paper's figures."),
    "answer": ("gamut_eval.cli.answering", "Let models answer a benchmark's questions."),
    "judge": ("gamut_eval.cli.judging", "Judge responses to a benchmark, check by check."),
    "eval": ("gamut_eval.cli.judging", "Let models answer a benchmark, judge their answers, and score them."),
    "score": ("gamut_eval.cli.results", "Score a run's verdicts; nothing is judged again."),
    "report": ("gamut_eval.cli.results", "Write a report on a run, or on several, as one HTML page."),
    "compare": ("gamut_eval.cli.comparing", "Compare models, in one run or several, and say how sure that is."),
    "power": ("gamut_eval.cli.power", "Say how many questions it takes, and what differences those at hand find."),
    "view": ("gamut_eval.cli.viewing", "Look at runs in the browser, question by question and verdict by verdict."),
    "gaps": ("gamut_eval.cli.gaps", "List what several models' answers state and no check covers."),
    "export": ("gamut_eval.cli.exporting", "Write what a benchmark or a run holds to a file."),
    "import": ("gamut_eval.cli.importing", "Read an outside data set."),
}
"""Where each command is, and what it is for: `gamut --help` imports none of them."""


class Terminated(KeyboardInterrupt):
    """The system asks the process to end: stop in order, as on Ctrl-C."""


class LazyGroup(click.Group):
    """Imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        if hasattr(signal, "siginterrupt"):
            # Polars, once imported, has Ctrl-C restart what waits for input instead of ending it.
            signal.siginterrupt(signal.SIGINT, True)
        return cast(click.Command, getattr(module, f"{cmd_name}_command"))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no command {args[0]!r}{did_you_mean(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with 'gamut demo'. Each command has examples in its --help.",
)
@click.version_option(__version__, prog_name="gamut")
def gamut() -> None:
    """Measure whether a long answer says everything it should (the GAMUT method)."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)
    sys.exit(run(arguments))


def _terminate(*_: object) -> None:
    raise Terminated


def run(arguments: Sequence[str] | None = None) -> int:  # noqa: PLR0911 (one a kind of ending)
    """Run the command line; the exit code."""
    _degrade_output()
    try:
        code = gamut.main(arguments, prog_name="gamut", standalone_mode=False)
        sys.stdout.flush()
        return int(code or DONE)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        with contextlib.suppress(OSError):
            error.show()
        return WRONG_INPUT
    except (KeyboardInterrupt, click.Abort) as stopped:
        say("\nInterrupted. What was done is saved; the same command goes on from there.")
        return code_of(stopped.__cause__ or stopped)
    except GamutError as error:
        show_error(error)
        return WRONG_INPUT
    except BrokenPipeError:
        _give_up(sys.stdout)  # whoever read our output has seen enough
        return DONE
    except OSError as error:
        return _refused_by_system(error, arguments)
    except MemoryError:
        say("error: the memory is not enough for this; give it less at once, or more memory")
        return WRONG_INPUT
    except Exception:
        return _report_bug(arguments)


def code_of(stopped: BaseException) -> int:
    """The exit code of a process that was told to stop."""
    return TERMINATED if isinstance(stopped, Terminated) else INTERRUPTED


def say(message: str) -> None:
    """A message for people, on stderr. Where nobody can be told, the work goes on all the same."""
    from gamut_eval.reports.wording import visible

    try:
        click.echo(visible(message), err=True)
    except OSError:
        _give_up(sys.stderr)


def _give_up(stream: TextIO) -> None:
    """Python would complain once more at exit about what it could not write."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _refused_by_system(error: OSError, arguments: Sequence[str] | None) -> int:
    """The system's refusal of a path that we were given, or to take our output; anything else is a bug."""
    if error.filename is not None:
        say(f"error: {os.fsdecode(error.filename)}: {why(error)}")
    elif error.errno in _NO_ROOM:
        _give_up(sys.stdout)
        say(f"error: standard output: {why(error)}")
    elif not _in_a_folder():
        say("error: the folder that this was called in is gone; change to another one")
    else:
        return _report_bug(arguments)
    return WRONG_INPUT


def _in_a_folder() -> bool:
    try:
        return bool(os.getcwd())
    except OSError:
        return False


def show_error(error: GamutError, most: int = 20) -> None:
    """The error on stderr, a line a finding."""
    lines = [str(finding) for finding in error.findings] if isinstance(error, InputError) else [str(error)]
    for line in lines[:most]:
        say(f"error: {line}")
    if len(lines) > most:
        say(f"error: … and {len(lines) - most} more")


def _degrade_output() -> None:
    """Where the terminal's encoding lacks a character, show its code instead of failing."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (open as long as we run)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _report_bug(arguments: Sequence[str] | None) -> int:
    words = " ".join(arguments if arguments is not None else sys.argv[1:])
    trace = traceback.format_exc()
    text = f"gamut {__version__}, Python {sys.version}\ngamut {words}\n\n{trace}"
    try:
        # Of a name that nobody can foresee: others may write to this folder, too.
        log, where = tempfile.mkstemp(".log", time.strftime("gamut-bug-%Y%m%d-%H%M%S-"))
        with open(log, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except OSError:
        where = f"could not be written either:\n{text}"
    last = trace.strip().splitlines()[-1]
    say(f"bug: this should not have happened: {last}\nPlease send us the log file: {where}")
    return OUR_BUG
