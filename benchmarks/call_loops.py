"""The same calls made by our runs and by bare clients: ``python call_loops.py CLIENT URL N CONNECTIONS``.

Prints seconds, CPU seconds and peak memory of the calls alone, as JSON. CLIENT is ``gamut`` (with cache, reply
validation and the journal on disk), ``aiohttp`` (a bare loop of posts), or ``openai`` (the official SDK).
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import orjson
import synthetic
import uvloop

from gamut_eval.api import Budget, Evaluation, as_benchmark
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.cli.loop import run_to_end
from gamut_eval.judging.models import JudgeOptions, model_judge
from gamut_eval.judging.prompt import Prompt
from gamut_eval.llm.endpoint import CallOptions
from gamut_eval.records import Response
from gamut_eval.running.journal import Journal
from gamut_eval.running.plan import Plan
from gamut_eval.running.progress import Progress


def work(n: int) -> tuple[Benchmark, list[Response]]:
    """A benchmark and responses with at least n checks in all, the last response's surplus included."""
    rng = random.Random(1)
    benchmark = as_benchmark(synthetic.questions(200))
    responses, planned = [], 0
    model = 0
    while planned < n:
        for question in benchmark.questions:
            responses.append(Response(question.id, f"m{model}", "text_only", text=synthetic.answer(rng)))
            planned += len(benchmark.checks[question.id])
            if planned >= n:
                break
        model += 1
    return benchmark, responses


def messages(benchmark: Benchmark, responses: list[Response], n: int) -> Iterator[list[dict[str, object]]]:
    """What a judge would be sent, call by call."""
    prompt = Prompt()
    for response in responses:
        question = benchmark.by_id[response.question_id].asked(response.variant)
        for check in benchmark.checks[response.question_id]:
            if n > 0:
                n -= 1
                yield prompt.messages(question, response.text or "", [check])


@contextlib.asynccontextmanager
async def measured(result: dict[str, float]) -> AsyncIterator[None]:
    """Seconds and CPU seconds of the body."""
    start, cpu = time.perf_counter(), time.process_time()
    yield
    result["seconds"], result["cpu_s"] = time.perf_counter() - start, time.process_time() - cpu


async def gamut(url: str, n: int, connections: int, result: dict[str, float]) -> None:
    """Our own runs, as `gamut judge` makes them, without the exports at the end."""
    benchmark, responses = work(n)
    gc.freeze()  # as the command does with what it has loaded
    with tempfile.TemporaryDirectory() as name:
        calls = CallOptions(base_url=url, connections=connections, cache=Path(name) / "cache.sqlite")
        judge = model_judge("mock/judge", JudgeOptions(calls, prime="--no-prime" not in sys.argv))
        plan = Plan(benchmark, responses, [judge])
        result["n"] = plan.n_wanted
        evaluation = Evaluation(plan, None, Progress(), None, Budget())
        async with measured(result):
            journal = await evaluation.carried_out(Journal(Path(name)))
        journal.close()
        if evaluation.progress.judged != plan.n_wanted:
            raise RuntimeError(f"not everything was judged: {evaluation.progress}")


async def bare_aiohttp(url: str, n: int, connections: int, result: dict[str, float]) -> None:
    """Posts and reads JSON, nothing else."""
    import aiohttp

    benchmark, responses = work(n)
    gc.freeze()
    asked, result["n"] = messages(benchmark, responses, n), n

    async def worker(session: aiohttp.ClientSession) -> None:
        for one in asked:
            body = {"model": "judge", "temperature": 0.0, "max_tokens": 4096, "messages": one}
            async with session.post(f"{url}/chat/completions", json=body) as answer:
                verdict((await answer.json())["choices"][0]["message"]["content"])

    async with measured(result):
        connector = aiohttp.TCPConnector(limit=connections)
        async with aiohttp.ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
            for _ in range(connections):
                group.create_task(worker(session))


async def official_sdk(url: str, n: int, connections: int, result: dict[str, float]) -> None:
    """The `openai` package, as its users drive it with asyncio."""
    import openai

    benchmark, responses = work(n)
    asked, result["n"] = messages(benchmark, responses, n), n

    async def worker(client: openai.AsyncOpenAI) -> None:
        for one in asked:
            reply = await client.chat.completions.create(model="judge", temperature=0.0, max_tokens=4096, messages=one)
            verdict(reply.choices[0].message.content)

    async with (
        measured(result),
        openai.AsyncOpenAI(base_url=url, api_key="none") as client,
        asyncio.TaskGroup() as group,
    ):
        for _ in range(connections):
            group.create_task(worker(client))


def verdict(content: str) -> None:
    """Raise unless the reply has a verdict."""
    if orjson.loads(content)["verdict"] != "missing":
        raise ValueError(content)


CLIENTS = {"gamut": gamut, "aiohttp": bare_aiohttp, "openai": official_sdk}


def peak_mb() -> float:
    """The most memory of this program; what the process had before it became this program does not count."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Run one client in a process of its own."""
    name, url, n, connections = sys.argv[1:5]
    result: dict[str, float] = {}
    run = run_to_end if name == "gamut" else uvloop.run  # the others as anybody would run them
    run(CLIENTS[name](url, int(n), int(connections), result))
    result["peak_mb"] = peak_mb()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
