"""A bounded number of workers over an iterator of jobs. Knows nothing of judging."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Outcome = TypeVar("Outcome")
_BREATH_S = 0.005


@dataclass(frozen=True, slots=True)
class Job(Generic[Outcome]):
    """One thing to ask; ``sink`` stores what came back."""

    ask: Callable[[], Awaitable[Outcome]]
    sink: Callable[[Outcome], None]


async def run_jobs(jobs: Iterable[Job[Outcome] | Awaitable[object] | None], workers: int) -> None:
    """Work through the jobs, each taken from the iterator only when a worker is free.

    Parameters
    ----------
    jobs
        Asked once each, in order. A None is nothing to ask, only a moment to let others in: an
        iterator that passes over much gives one now and then. An awaitable is waited for, by an
        iterator that has nothing to give until something else is done.
    workers
        How many are under way at once, at least 1.

    Raises
    ------
    Whatever ``ask`` or ``sink`` raises: the other workers are stopped first.
    """
    shared = iter(jobs)
    await all_of(_work(shared) for _ in range(max(1, workers)))


async def all_of(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Do several things at once; when one raises, the others are stopped and that is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None


async def _work(jobs: Iterator[Job[Outcome] | Awaitable[object] | None]) -> None:
    breathed = time.monotonic()
    for job in jobs:
        if isinstance(job, Job):
            job.sink(await job.ask())
        elif job is not None:
            await job
        # A judge that computes instead of waiting would otherwise never let Ctrl-C or the others in.
        if job is None or time.monotonic() - breathed > _BREATH_S:
            await asyncio.sleep(0)
            breathed = time.monotonic()
