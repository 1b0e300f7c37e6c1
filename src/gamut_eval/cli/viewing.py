"""`gamut view`: runs in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from gamut_eval.benchmark.load import image_root
from gamut_eval.cli.main import DONE
from gamut_eval.cli.output import say
from gamut_eval.comparing import open_runs
from gamut_eval.errors import InputError
from gamut_eval.extras import needed
from gamut_eval.web.serving import FIRST_PORT, address, listening, open_browser, server
from gamut_eval.web.view.app import application
from gamut_eval.web.view.viewing import Viewing


@click.command("view")
@click.argument("runs", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"Port to listen on; 0 for any that is free.  [default: {FIRST_PORT}, or the next free one]",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option(
    "--benchmark",
    type=click.Path(exists=True, path_type=Path),
    help="Where the benchmark's images are.  [default: where it was when the run was made]",
)
@click.option("--allow-incomplete", is_flag=True, help="Give means over complete questions.")
def view_command(
    runs: tuple[Path, ...], port: int | None, no_browser: bool, benchmark: Path | None, allow_incomplete: bool
) -> int:
    """Look at runs in the browser, question by question and verdict by verdict.

    Answers stand side by side, each verdict leads to the words that it rests on, and all texts can be searched. The
    pages are served to this computer alone, load nothing from elsewhere and change nothing in a run; one that goes on
    may be looked at. Several runs are shown as one, over the questions that they share. Ctrl-C ends it.

    \b
    Examples:
      gamut view runs/first
      gamut view runs/first runs/second --no-browser --port 8080
    """
    for package in ("fastapi", "uvicorn"):
        needed(package, "gamut view", "view")
    root = None if benchmark is None else image_root(benchmark).resolve()
    with Viewing(
        lambda: {one.name: one.run for one in open_runs(runs)}, root=root, allow_incomplete=allow_incomplete, tell=say
    ) as viewing:
        if not viewing.look().snapshot.source.scores.rows:
            raise InputError(
                f"{runs[0]} holds no answer and no verdict yet; the command that made it goes on from there"
            )
        with listening(port) as ours:
            url = address(ours)
            say(f"Showing {', '.join(viewing.look().states)} at {url} (Ctrl-C ends it)")
            if not no_browser:
                open_browser(url)
            try:
                server(application(viewing)).run(sockets=[ours])
            except KeyboardInterrupt:
                say("\nEnded.")
    return DONE
