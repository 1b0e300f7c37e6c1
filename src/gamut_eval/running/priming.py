"""The first job of a group alone, the others once it is done: so that they find what they share in a cache."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from gamut_eval.running.engine import Job

Outcome = TypeVar("Outcome")


def primed(groups: Iterable[Iterator[Job[Outcome] | None]]) -> Iterator[Job[Outcome] | Awaitable[object] | None]:
    """The jobs of all groups, in an order that lets a group's others follow its first.

    Jobs that may follow come before the first of a new group, since what they share is fresh in the
    cache then.
    """
    following: deque[Iterator[Job[Outcome] | None]] = deque()
    changed = asyncio.Event()
    locked = 0

    def unlock(others: Iterator[Job[Outcome] | None]) -> None:
        nonlocal locked
        locked -= 1
        following.append(others)
        changed.set()

    def ready() -> Iterator[Job[Outcome] | None]:
        while following:
            job = next(following[0], _END)
            if job is _END:
                following.popleft()
            else:
                yield job  # type: ignore[misc]

    for group in groups:
        yield from ready()
        for job in group:
            if job is None:
                yield None
                continue
            locked += 1
            yield _then(job, unlock, group)
            break
    while locked or following:
        yield from ready()
        if locked:
            changed.clear()
            yield changed.wait()


_END = object()


def _then(
    job: Job[Outcome],
    unlock: Callable[[Iterator[Job[Outcome] | None]], None],
    others: Iterator[Job[Outcome] | None],
) -> Job[Outcome]:
    def sink(outcome: Outcome) -> None:
        job.sink(outcome)
        unlock(others)

    return replace(job, sink=sink)
