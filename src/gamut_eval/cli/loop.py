"""The event loop that commands run on."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

from gamut_eval.llm.background import new_event_loop

T = TypeVar("T")


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run on the fastest event loop that is installed, in a process that is for this alone.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, and when the system asks the process to end: what runs is stopped in order first.
    """
    gc.freeze()  # what is loaded by now stays: looking through it again and again takes a fifth of the time of a call
    gc.set_threshold(50_000, 20, 50)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(_until_told(work))


async def _until_told(work: Coroutine[Any, Any, T]) -> T:
    task, told = asyncio.current_task(), asyncio.Event()

    def stop() -> None:
        told.set()
        if task:
            task.cancel()

    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # not on every system, nor in every thread
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    try:
        return await work
    except asyncio.CancelledError:
        if told.is_set():
            raise KeyboardInterrupt from None
        raise
