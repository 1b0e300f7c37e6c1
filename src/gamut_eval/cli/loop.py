"""The event loop that commands run on."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar, cast

from gamut_eval.cli.main import Terminated
from gamut_eval.llm.background import new_event_loop

T = TypeVar("T")


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run on the fastest event loop that is installed, in a process that is for this alone.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C and, as `Terminated`, when the system asks the process to end: what runs is stopped in order first.
    """
    gc.freeze()  # what is loaded by now stays: looking through it again and again takes a fifth of the time of a call
    gc.set_threshold(50_000, 20, 50)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(_until_told(work))


async def _until_told(work: Coroutine[Any, Any, T]) -> T:
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    task = cast("asyncio.Task[Any]", asyncio.current_task())

    def stop(*_: object) -> None:
        told.set()
        task.cancel()
        loop.call_soon_threadsafe(lambda: None)  # it may be waiting

    try:
        with _on_termination(stop):
            done = await work
            if task.cancelling():  # told so in the work's last moments, when it no longer waited for anything
                raise asyncio.CancelledError
            return done
    except asyncio.CancelledError:
        if told.is_set():
            raise Terminated from None
        raise


@contextlib.contextmanager
def _on_termination(act: Any) -> Iterator[None]:
    try:
        former = signal.signal(signal.SIGTERM, act)
    except ValueError:  # not in the main thread, which signals are for
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)
