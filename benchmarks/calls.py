"""Calls to a model: ours against a bare aiohttp loop and the official SDK; client and endpoint on separate cores."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
Row = tuple[str, float, float, float, str]


def pinned(core: int) -> Callable[[], None] | None:
    """What makes a new process run on one core alone, where the system knows how."""
    if not hasattr(os, "sched_setaffinity") or (os.cpu_count() or 1) < 2:
        return None
    return lambda: os.sched_setaffinity(0, {core})


@contextlib.contextmanager
def endpoint(latency_ms: float) -> Iterator[str]:
    """The address of a mock endpoint on the second core."""
    command = [sys.executable, str(HERE / "mock_endpoint.py"), "0", str(latency_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=pinned(1)) as process:  # noqa: PLW1509
        try:
            port = str(process.stdout.readline() if process.stdout else "").split()[-1]
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def run(client: str, url: str, n: int, connections: int, *options: str) -> dict[str, float]:
    """Seconds, CPU seconds and peak memory of a client on the first core."""
    command = [sys.executable, str(HERE / "call_loops.py"), client, url, str(n), str(connections), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=pinned(0))
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def best(client: str, url: str, n: int, connections: int, times: int = 3) -> dict[str, float]:
    """The least of several runs in each respect: what else the machine does can only add."""
    results = [run(client, url, n, connections) for _ in range(times)]
    return {name: min(result[name] for result in results) for name in results[0]}


def cached_share(url: str) -> float:
    """The share of prompt tokens that the endpoint has had in its prefix cache."""
    with urllib.request.urlopen(f"{url}/stats") as answer:  # noqa: S310 (our own, on loopback)
        stats = json.load(answer)
    return float(stats["cached"] / stats["prompt"])


def at_once(_: Path) -> list[Row]:
    """An endpoint that answers at once: what a call costs."""
    n = 12_000
    with endpoint(0) as url:
        ours, bare = best("gamut", url, n, 256), best("aiohttp", url, n, 256)
        few, many = best("gamut", url, n, 32), best("gamut", url, n, 1000)
        sdk = run("openai", url, 1500, 256)
    rate, sdk_rate = n / ours["seconds"], 1500 / sdk["seconds"]
    per_call = [1e3 * one["cpu_s"] / n for one in (ours, bare, few, many)]
    note = f"{rate:,.0f} calls/s; SDK {sdk_rate:,.0f}"
    return [
        ("CPU ms a call / bare aiohttp loop on uvloop", per_call[0], per_call[1], 1.6, f"{n:,} calls, 256 connections"),
        ("CPU ms a call with 1,000 connections / with 32", per_call[3], per_call[2], 1.7, ""),
        ("seconds for the same calls / bare loop", ours["seconds"], bare["seconds"], 1 / 0.55, note),
        ("seconds a call / official SDK", 1 / rate, 1 / sdk_rate, 1 / 4, ""),
        ("peak memory, MB / bare loop", ours["peak_mb"], bare["peak_mb"], 2, ""),
    ]


def after_half_a_second(_: Path) -> list[Row]:
    """An endpoint that takes half a second: how well connections are used, and the prefix cache."""
    with endpoint(500) as url:
        ours, bare = run("gamut", url, 10_000, 256), run("aiohttp", url, 10_000, 256)
    with endpoint(500) as url:
        many = run("gamut", url, 20_000, 1000)
        share = cached_share(url)
    with endpoint(500) as url:
        run("gamut", url, 5000, 256, "--no-prime")
        without = cached_share(url)
    ideal = many["n"] / 1000 * 0.5
    note = f"{share:.1%} cached; {without:.1%} without asking the first check alone"
    return [
        ("seconds at 500 ms, 256 connections / bare loop", ours["seconds"], bare["seconds"], 1 / 0.97, "10,000 calls"),
        ("seconds at 500 ms, 1,000 connections / ideal", many["seconds"], ideal, 1 / 0.85, "20,000 calls"),
        ("share of prompt tokens not from the prefix cache / 0.2", 1 - share, 0.2, 1, note),
    ]
