"""The run folder: one process at a time, and a manifest that says what made it."""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from gamut_eval import __version__
from gamut_eval.errors import Finding, InputError, RunBusyError, RunError
from gamut_eval.files import dump_json, why, write_bytes
from gamut_eval.running.journal import FILE

LOCK = "run.lock"
MANIFEST = "manifest.json"
VERDICTS, SCORES, REPORT = "verdicts.parquet", "scores.json", "report.html"
EXPORTS = (VERDICTS, SCORES, REPORT)
KEPT = (FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal", LOCK, MANIFEST, *EXPORTS)
"""What commands keep in a run folder: the journal with what SQLite has beside it, and the files made of it."""


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """The folder, made if need be, for this process alone; the claim ends with the process, however it ends.

    Raises
    ------
    RunBusyError
        A living process is at work in it.
    InputError
        It cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / FILE).exists() and any(entry.name != LOCK for entry in folder.iterdir()):
            message = "is not empty and holds no run; name a new folder with --run"
            raise InputError([Finding("run-folder", message, file=str(folder))])
        lock = FileLock(folder / LOCK, timeout=0)
        lock.acquire()
    except Timeout:
        message = f"{folder} is in use by another process; wait for it to end, or name another folder with --run"
        raise RunBusyError(message) from None
    except OSError as error:
        raise InputError([Finding("unwritable", why(error), file=str(folder))]) from None
    try:
        yield
    finally:
        lock.release()


def existing(folder: Path) -> Path:
    """The folder, if it holds a run."""
    if not (folder / FILE).is_file():
        known = "is not a folder" if not folder.is_dir() else f"holds no run (no {FILE})"
        raise RunError(f"{folder} {known}; 'gamut judge … --run {folder}' makes one")
    return folder


def refuse_kept(output: str | Path) -> None:
    """Raise an `InputError` if a file to be written is one of those that commands keep in a run folder."""
    path = Path(os.path.realpath(output))  # which is where a link is written to
    if path.name.casefold() in KEPT and (path.parent / FILE).exists():
        message = "belongs to the run in that folder; name another file with -o"
        raise InputError([Finding("unwritable", message, file=str(output))])


def write_manifest(folder: Path, facts: dict[str, Any]) -> None:
    """Write `MANIFEST`: the facts of the run, and the versions that made it. No secrets are among them."""
    packages = ("aiohttp", "numpy", "orjson", "polars", "pydantic", "ruamel.yaml", "snowballstemmer")
    made_by = {
        "gamut_eval": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: version(name) for name in packages},
    }
    write_bytes(folder / MANIFEST, dump_json(facts | {"made_by": made_by}))
