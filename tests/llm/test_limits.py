import asyncio
import threading

import pytest

from gamut_eval.llm.limits import Limits


async def settle():
    for _ in range(20):
        await asyncio.sleep(0)


def entering(limits, count, tokens=0):
    """Tasks that enter one after the other, and the order in which they got in."""
    order = []

    async def enter(n):
        await limits.enter(tokens)
        order.append(n)

    return [asyncio.ensure_future(enter(n)) for n in range(count)], order


def test_calls_pass_up_to_the_limit_and_in_the_order_of_coming():
    async def main():
        limits = Limits(2)
        _, order = entering(limits, 6)
        await settle()
        assert order == [0, 1]
        limits.leave()
        await settle()
        assert order == [0, 1, 2]
        limits.leave()
        limits.leave()
        await settle()
        assert order == [0, 1, 2, 3, 4]
        limits.leave()
        await settle()
        assert order == list(range(6))
        assert limits.in_flight == 2

    asyncio.run(main())


def test_several_that_leave_at_once_let_as_many_in_and_no_more():
    async def main():
        limits = Limits(4)
        tasks, _ = entering(limits, 40)
        most = 0
        while not all(task.done() for task in tasks):
            await settle()
            most = max(most, limits.in_flight)
            for _ in range(limits.in_flight):
                limits.succeeded()
                limits.leave()
        assert most == 4

    asyncio.run(main())


def test_one_that_gives_up_loses_nobody_s_place():
    async def main():
        limits = Limits(1)
        tasks, order = entering(limits, 5)
        await settle()
        tasks[1].cancel()  # first in the queue
        tasks[3].cancel()
        await settle()
        limits.leave()
        tasks[2].cancel()  # in the moment when it is let in
        await settle()
        assert order in ([0, 4], [0, 2])
        if order == [0, 2]:
            limits.leave()
            await settle()
        assert order[-1] == 4
        limits.leave()
        assert limits.in_flight == 0

    asyncio.run(main())


def test_overload_halves_at_most_once_a_second_and_never_below_one(clock):
    limits = Limits(32)
    limits.overloaded()
    limits.overloaded()
    assert limits.now == 16
    clock.now += 0.9
    limits.overloaded()
    assert limits.now == 16
    for _ in range(10):
        clock.now += 1
        limits.overloaded()
    assert limits.now == 1


def test_rounds_of_successes_grow_it_back_and_never_above_the_start(clock):
    limits = Limits(32)
    limits.overloaded()
    for _ in range(15):
        limits.succeeded()
    assert limits.now == 16
    limits.succeeded()
    assert limits.now == 17
    limits.now, limits._good = 30, 0
    for _ in range(30):
        limits.succeeded()
    assert limits.now == 32
    for _ in range(100):
        limits.succeeded()
    assert limits.now == 32


def test_growth_lets_the_waiting_in():
    async def main():
        limits = Limits(2)
        limits.overloaded()
        _, order = entering(limits, 3)
        await settle()
        assert order == [0]
        limits.succeeded()
        limits.leave()
        await settle()
        assert order == [0, 1, 2]

    asyncio.run(main())


def test_halving_lets_nobody_in_until_enough_have_left(clock):
    async def main():
        limits = Limits(4)
        await asyncio.gather(*entering(limits, 4)[0])
        limits.overloaded()
        _, order = entering(limits, 1)
        for _ in range(2):
            limits.leave()
            await settle()
            assert order == []
        limits.leave()
        await settle()
        assert order == [0]

    asyncio.run(main())


def test_what_a_server_asks_holds_back_everybody_and_nobody_is_stuck_afterwards(clock):
    async def main():
        limits = Limits(1)
        await limits.enter()
        tasks, order = entering(limits, 3)
        await settle()
        limits.overloaded(30)
        limits.overloaded(5)  # the longer one counts
        limits.leave()
        await settle()
        assert sum(clock.waits) == pytest.approx(30)
        for _ in tasks:
            await settle()
            limits.leave()
        await asyncio.wait_for(asyncio.gather(*tasks), 1)
        assert order == [0, 1, 2]
        assert sum(clock.waits) == pytest.approx(30)

    asyncio.run(main())


def test_a_wait_that_is_given_up_takes_no_place(clock):
    async def main():
        limits = Limits(1)
        limits.overloaded(30)
        (task,), order = entering(limits, 1)
        await asyncio.sleep(0)
        task.cancel()
        await settle()
        assert (order, limits.in_flight) == ([], 0)
        await limits.enter()

    asyncio.run(main())


def seconds_for(calls, clock, tokens=0, **limits):
    async def main():
        one = Limits(1000, **limits)
        start = clock.now
        for _ in range(calls):
            await one.enter(tokens)
        return clock.now - start

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("calls", "tokens", "limits", "seconds"),
    [
        (10, 0, {"rpm": 60}, 0),  # ten seconds' worth at once
        (70, 0, {"rpm": 60}, 60),
        (2, 0, {"rpm": 1}, 60),
        (4, 100, {"tpm": 600}, 30),
        (2, 1000, {"tpm": 600}, 100),  # more than fits at once passes when the bucket is full, and is paid for
        (10, 0, {"tpm": 60}, 0),
        (11, 60, {"rpm": 60, "tpm": 600}, 56),
    ],
)
def test_no_more_calls_and_tokens_a_minute_than_allowed(clock, calls, tokens, limits, seconds):
    assert seconds_for(calls, clock, tokens, **limits) == pytest.approx(seconds)


def test_the_same_limits_serve_one_event_loop_after_another():
    limits = Limits(1)

    async def main():
        tasks, order = entering(limits, 3)
        for _ in tasks:
            await settle()
            limits.leave()
        assert order == [0, 1, 2]

    for _ in range(3):
        asyncio.run(main())
    assert len(limits._doors) == 1


def test_event_loops_on_several_threads_share_them():
    limits = Limits(3)
    now, most, done, lock = 0, 0, 0, threading.Lock()

    async def call():
        nonlocal now, most, done
        await limits.enter()
        with lock:
            now += 1
            most = max(most, now)
        await asyncio.sleep(0.0005)
        with lock:
            now -= 1
            done += 1
        limits.leave()

    async def main():
        await asyncio.wait_for(asyncio.gather(*(call() for _ in range(20))), 5)

    threads = [threading.Thread(target=lambda: asyncio.run(main())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (done, most, limits.in_flight) == (80, 3, 0)
