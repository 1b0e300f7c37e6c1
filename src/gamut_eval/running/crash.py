"""What a judge or a model raises, as a failure on record: it must not take the others down."""

from __future__ import annotations

import asyncio

from gamut_eval.records import Failure


def crashed(code: str, error: BaseException) -> Failure:
    """The failure; raised again is only the cancellation of the run itself, not one that came up inside."""
    task = asyncio.current_task()
    if isinstance(error, asyncio.CancelledError) and task and task.cancelling():
        raise error
    try:
        message = f"{type(error).__name__}: {error}"
    except Exception:  # its own words fail it, too
        message = type(error).__name__
    return Failure(code, message.encode(errors="backslashreplace").decode())
