import asyncio
import random

import pytest

from gamut_eval.running.engine import Job, run_jobs
from gamut_eval.running.priming import primed


class World:
    """Groups of jobs, and the order in which they were asked and answered."""

    def __init__(self, *sizes, nothing=0, turns=lambda group, n: 3, fails=()):
        self.asked, self.answered = [], []
        self.sizes, self.nothing, self.turns, self.fails = sizes, nothing, turns, fails

    def groups(self):
        return (self._group(group, size) for group, size in enumerate(self.sizes))

    def _group(self, group, size):
        for n in range(size):
            for _ in range(self.nothing):
                yield None
            yield self._job(group, n)
        for _ in range(self.nothing):
            yield None

    def _job(self, group, n):
        async def ask():
            self.asked.append((group, n))
            for _ in range(self.turns(group, n)):
                await asyncio.sleep(0)
            if (group, n) in self.fails:
                raise LookupError
            return (group, n)

        return Job(ask, self.answered.append)

    def run(self, workers):
        asyncio.run(asyncio.wait_for(run_jobs(primed(self.groups()), workers), 5))

    @property
    def everything(self):
        return sorted((group, n) for group, size in enumerate(self.sizes) for n in range(size))


@pytest.mark.parametrize("workers", [1, 2, 3, 50])
@pytest.mark.parametrize("sizes", [(), (1,), (5,), (3, 0, 1, 4), (1, 1, 1), (0, 0), (2,) * 30])
@pytest.mark.parametrize("nothing", [0, 2])
def test_every_job_is_done_once_and_no_other_before_its_group_s_first_is_answered(workers, sizes, nothing):
    world = World(*sizes, nothing=nothing)
    order = []
    original = world._job

    def noting(group, n):
        job = original(group, n)

        async def ask():
            order.append((group, n, (group, 0) in world.answered))
            return await job.ask()

        return Job(ask, job.sink)

    world._job = noting
    world.run(workers)
    assert sorted(world.answered) == world.everything
    assert all(first_answered for _, n, first_answered in order if n > 0)


def test_others_that_may_follow_come_before_a_new_group():
    world = World(4, 4, 4)
    world.run(1)
    assert world.asked == world.everything


def test_workers_are_busy_with_other_groups_meanwhile():
    world = World(3, 3, 3, turns=lambda group, n: 10)
    world.run(3)
    assert world.asked[:3] == [(0, 0), (1, 0), (2, 0)]


def test_a_slow_first_holds_back_its_own_group_only():
    world = World(3, 3, turns=lambda group, n: 200 if (group, n) == (0, 0) else 1)
    world.run(2)
    assert world.answered == [(1, 0), (1, 1), (1, 2), (0, 0), (0, 1), (0, 2)]


@pytest.mark.parametrize("seed", range(5))
def test_any_timing_ends_with_everything_done(seed):
    chance = random.Random(seed)
    sizes = [chance.randrange(6) for _ in range(20)]
    world = World(*sizes, nothing=seed % 2, turns=lambda group, n: chance.randrange(8))
    world.run(chance.randrange(1, 12))
    assert sorted(world.answered) == world.everything


@pytest.mark.parametrize("fails", [(0, 0), (0, 2), (1, 0)])
def test_what_is_raised_stops_it_and_leaves_nobody_waiting(fails):
    with pytest.raises(LookupError):
        World(4, 4, fails={fails}).run(4)


def test_groups_are_taken_only_when_a_worker_is_free():
    taken = []
    world = World(*[2] * 100)

    def groups():
        for n, group in enumerate(world.groups()):
            taken.append(n)
            yield group

    async def main():
        jobs = primed(groups())
        for _ in range(3):
            next(jobs)

    asyncio.run(main())
    assert taken == [0, 1, 2]
