import asyncio
import time

import pytest

from gamut_eval.running.engine import Job, run_jobs


def run(jobs, workers):
    asyncio.run(run_jobs(jobs, workers))


def returning(value):
    async def ask():
        await asyncio.sleep(0)
        return value

    return ask


@pytest.mark.parametrize("workers", [0, 1, 3, 50])
def test_every_job_is_asked_once_and_its_own_sink_gets_its_outcome(workers):
    got = []
    run((Job(returning(n), lambda outcome, n=n: got.append((n, outcome))) for n in range(20)), workers)
    assert sorted(got) == [(n, n) for n in range(20)]


def test_no_more_jobs_than_workers_are_taken_and_under_way():
    taken, ended, most = 0, 0, []

    async def ask():
        most.append(taken - ended)
        await asyncio.sleep(0.001)

    def sink(_):
        nonlocal ended
        ended += 1

    def jobs():
        nonlocal taken
        for _ in range(30):
            taken += 1
            yield Job(ask, sink)

    run(jobs(), 4)
    assert max(most) == 4


def test_nothing_to_ask_is_passed_over():
    got = []
    run(iter([None, Job(returning(1), got.append), None, None, Job(returning(2), got.append)]), 2)
    assert sorted(got) == [1, 2]


def test_no_jobs_at_all_end_at_once():
    run(iter([]), 4)


@pytest.mark.parametrize("where", ["ask", "sink", "iterator"])
def test_what_is_raised_comes_out_bare_and_stops_the_others(where):
    asked = []

    def refuse(_=None):
        raise LookupError(where)

    async def fail():
        await asyncio.sleep(0)
        refuse()

    def jobs():
        for n in range(1000):
            if n == 5:
                if where == "iterator":
                    refuse()
                yield Job(fail if where == "ask" else returning(n), refuse if where == "sink" else asked.append)
            yield Job(returning(n), asked.append)

    with pytest.raises(LookupError, match=where):
        run(jobs(), 3)
    assert len(asked) < 20


def test_a_judge_that_never_waits_still_lets_others_in():
    ticks = []

    async def tick():
        while True:
            ticks.append(1)
            await asyncio.sleep(0)

    async def at_once():
        time.sleep(0.006)  # noqa: ASYNC251 (it computes, and awaits nothing)
        return 1

    async def both():
        other = asyncio.create_task(tick())
        await run_jobs((Job(at_once, lambda _: None) for _ in range(10)), 1)
        other.cancel()

    asyncio.run(both())
    assert len(ticks) >= 10
