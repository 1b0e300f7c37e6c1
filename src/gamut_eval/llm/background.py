"""An event loop on a thread of its own, for calls made from outside a run."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """Started at first use; ended, with what it holds, when the process ends."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._at_end: list[Callable[[], Awaitable[None]]] = []

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work there, and wait for it here."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._started()))

    def at_end(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do this before the loop ends."""
        self._at_end.append(work)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = new_event_loop()
                thread = threading.Thread(target=self._loop.run_forever, name="gamut-calls", daemon=True)
                thread.start()
                atexit.register(self._stop, thread)
            return self._loop

    def _stop(self, thread: threading.Thread) -> None:
        loop = self._loop
        if loop is None:
            return
        with contextlib.suppress(Exception):
            asyncio.run_coroutine_threadsafe(self._closed(), loop).result(timeout=5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=5)
        if not thread.is_alive():
            loop.close()

    async def _closed(self) -> None:
        for work in self._at_end:
            await work()


def new_event_loop() -> asyncio.AbstractEventLoop:
    """The fastest event loop that is installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


BACKGROUND = Background()
"""That of this process."""
