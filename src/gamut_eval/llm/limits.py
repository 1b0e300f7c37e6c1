"""How many calls may be under way at an endpoint, and how many a minute."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time


class Limits:
    """Lets calls through: at most so many at once, so many a minute, so many tokens a minute.

    A server that is overloaded (429, 5xx) halves how many are let through at once, at most once a
    second; each round of successes lets one more in ten through again, up to where it began. What
    a server asks to wait holds back every call. Calls of several event loops may share them.
    """

    def __init__(self, connections: int, rpm: int | None = None, tpm: int | None = None) -> None:
        self.connections = connections
        self.now = connections
        self.in_flight = 0
        self._good = 0
        self._halved_at = float("-inf")
        self._closed_until = 0.0
        self._rates = [_Rate(n) for n in (rpm,) if n] + [_Rate(n, by_tokens=True) for n in (tpm,) if n]
        self._lock = threading.Lock()
        self._doors: dict[asyncio.AbstractEventLoop, _Door] = {}

    async def enter(self, tokens: int = 0) -> None:
        """Wait until a call of about so many tokens may start."""
        door = self._door()
        if not door.turn.locked():  # nobody waits
            with self._lock:
                if self.in_flight < self.now and not self._closed_until and not self._rates:
                    self.in_flight += 1
                    return
        async with door.turn:  # in the order of coming
            while True:
                door.opened.clear()
                wait_s = self._wait_s(tokens)
                if wait_s is None:
                    await door.opened.wait()
                elif wait_s:
                    await asyncio.sleep(wait_s)
                else:
                    return

    def _wait_s(self, tokens: int) -> float | None:
        """How long to wait for a place, None until there is one, 0 when it is taken."""
        with self._lock:
            if self.in_flight >= self.now:
                return None
            delay = self._delay_s(tokens) if self._closed_until or self._rates else 0.0
            if not delay:
                self.in_flight += 1
                for rate in self._rates:
                    rate.take(tokens)
            return delay

    def leave(self) -> None:
        """A call has ended."""
        with self._lock:
            self.in_flight -= 1
        self._open()

    def succeeded(self) -> None:
        """Grow back after a round of successes; `leave` lets the next in."""
        if self.now < self.connections:
            self._good += 1
            if self._good >= self.now:
                self._good = 0
                self.now = min(self.connections, self.now + max(1, self.now // 10))

    def overloaded(self, wait_s: float | None = None) -> None:
        """Halve, and hold everything back for as long as the server asked."""
        now = time.monotonic()
        if now - self._halved_at >= 1:
            self._halved_at = now
            self._good = 0
            self.now = max(1, self.now // 2)
        if wait_s:
            self._closed_until = max(self._closed_until, now + wait_s)

    def _delay_s(self, tokens: int) -> float:
        closed = self._closed_until - time.monotonic()
        if closed <= 0:
            self._closed_until = 0.0
        return max(0.0, closed, *(rate.delay_s(tokens) for rate in self._rates))

    def _door(self) -> _Door:
        loop = asyncio.get_running_loop()
        if loop not in self._doors:
            with self._lock:
                open_ones = {one: door for one, door in self._doors.items() if not one.is_closed()}
                self._doors = open_ones | {loop: _Door()}
        return self._doors[loop]

    def _open(self) -> None:
        """Let whoever is first at each loop's door look again."""
        here = asyncio.get_running_loop() if len(self._doors) > 1 else None
        for loop, door in self._doors.items():
            if loop is here or here is None:
                door.opened.set()
            elif door.turn.locked():
                with contextlib.suppress(RuntimeError):  # that loop has ended meanwhile
                    loop.call_soon_threadsafe(door.opened.set)


class _Door:
    """Where the calls of one event loop wait: one at a time looks for a place."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.opened = asyncio.Event()


class _Rate:
    """A bucket that fills evenly over a minute."""

    def __init__(self, a_minute: int, *, by_tokens: bool = False) -> None:
        self._a_second = a_minute / 60
        self._most = max(1.0, a_minute / 6)  # ten seconds' worth may go at once
        self._left = self._most
        self._at = time.monotonic()
        self._by_tokens = by_tokens

    def delay_s(self, tokens: int) -> float:
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._at) * self._a_second)
        self._at = now
        # A call of more tokens than the bucket holds would wait for ever: a full one lets it through.
        lacking = min(self._size(tokens), self._most) - self._left
        return max(0.0, lacking / self._a_second)

    def take(self, tokens: int) -> None:
        self._left -= self._size(tokens)

    def _size(self, tokens: int) -> float:
        return tokens if self._by_tokens else 1
