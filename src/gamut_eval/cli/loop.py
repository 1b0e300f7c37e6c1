"""The event loop that commands run on."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any, TypeVar

from gamut_eval.llm.background import new_event_loop

T = TypeVar("T")


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run on the fastest event loop that is installed, in a process that is for this alone."""
    gc.freeze()  # what is loaded by now stays: looking through it again and again takes a fifth of the time of a call
    gc.set_threshold(50_000, 20, 50)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(work)
