"""The model ``command:PROGRAM …``: any program that reads a question as JSON and writes an answer as JSON.

One process a question. It reads one object on standard input: ``{"question_id", "question", "variant", "sample",
"image"}``, ``image`` being a ``data:`` address or null. It writes one on standard output: ``{"response": "…"}`` with
any more fields, which are kept, or ``{"error": "…"}``. Another exit code than 0 is an error on record, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
from collections.abc import Mapping
from typing import Any

import orjson

from gamut_eval.answering.answerer import Answer, Answerer, Asking
from gamut_eval.errors import EndpointError, InputError
from gamut_eval.files import native
from gamut_eval.records import Failure

TIMEOUT_S = 600.0
_LONGEST_DYING_S = 5.0
_CLIP = 300
_ASKED = ("question_id", "question", "variant", "sample")
_NOT_KEPT = {*_ASKED, "image", "model", "error"}
"""A program may send back what it was given; the place and the picture of an answer are known."""


class Command(Answerer):
    """Asks a program."""

    workers = 4

    def __init__(self, line: str) -> None:
        try:
            self._words = shlex.split(line)
        except ValueError as error:
            raise InputError(f"command:{line}: {error}") from None
        if not self._words:
            raise InputError("the model 'command' needs a program: command:./my_agent")
        if shutil.which(self._words[0]) is None:
            raise InputError(f"command:{line}: there is no program {self._words[0]!r}, or it may not be run")
        self.name = f"command:{line}"

    @property
    def settings(self) -> Mapping[str, Any]:
        """The command line. What the program does cannot be seen: give a changed one another name."""
        return {"command": self._words}

    async def answer(self, asking: Asking) -> Answer | Failure:
        """What the program writes."""
        image = asking.image()["image_url"]["url"] if asking.image else None
        row = {name: getattr(asking, name) for name in _ASKED} | {"image": image}
        try:
            process = await asyncio.create_subprocess_exec(
                *map(native, self._words),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:  # the next would fare no better
            raise EndpointError(f"{self.name}: the program cannot be started: {error.strerror}") from None
        try:
            out, err = await asyncio.wait_for(process.communicate(orjson.dumps(row)), TIMEOUT_S)
        except TimeoutError:
            await _end(process)
            return Failure("timed_out", f"the program did not answer within {TIMEOUT_S:g} s")
        except BaseException:
            await _end(process)
            raise
        if process.returncode:
            return Failure("command_failed", f"exit code {process.returncode}: {_clip(err)}")
        return _read(out)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill it with all that it started, which would keep its pipes open."""
    with contextlib.suppress(ProcessLookupError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _LONGEST_DYING_S)


def _read(out: bytes) -> Answer | Failure:
    try:
        row = orjson.loads(out)
    except orjson.JSONDecodeError:
        return Failure("bad_reply", f"the program wrote no JSON object: {_clip(out)}")
    if not isinstance(row, dict):
        return Failure("bad_reply", f"the program wrote no JSON object: {_clip(out)}")
    if isinstance(row.get("response"), str):
        return Answer(row.pop("response"), {name: value for name, value in row.items() if name not in _NOT_KEPT})
    if row.get("error") is not None:
        return Failure("command_failed", str(row["error"])[:_CLIP])
    return Failure("bad_reply", "the program's object has neither 'response', a text, nor 'error'")


def _clip(said: bytes) -> str:
    return " ".join(said.decode(errors="replace").split())[-_CLIP:]


def _make(argument: str | None) -> Answerer:
    return Command(argument or "")


ANSWERER = _make
