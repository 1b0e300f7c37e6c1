"""`gamut judge` with a model as the judge, killed at random moments: the journal is all that is left.

``GAMUT_KILLS=50 pytest tests/cli/test_killed.py`` kills more often than the suite does.
"""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict

import polars as pl
import pytest

import stub_server as s
from model_study import check_in, fair, questions, text_of, write_rows

KILLS = int(os.environ.get("GAMUT_KILLS", "12"))
N, N_CHECKS, CONNECTIONS = 50, 8, 8
PROMISED_S = 0.05
SCHEDULING_S = 0.15
"""How long, on a busy machine, a reply may be on its way or a process wait for its turn."""


class Counting:
    """A fair judge that takes its time, and knows when each call came and when it was answered."""

    def __init__(self, stub):
        self.stub, self.came, self.answered = stub, defaultdict(list), {}
        self.now_and_then = random.Random(3)
        stub.script = self

    def __call__(self, body, seen):
        key = (text_of(body), check_in(body))
        delay_s = self.now_and_then.choice((0.002, 0.01, 0.03))
        self.came[key].append(time.monotonic())
        self.answered[key, len(self.came[key])] = time.monotonic() + delay_s
        return s.replace(fair(body, seen), delay_s=delay_s)

    @property
    def n(self):
        return sum(map(len, self.came.values()))


class Study:
    def __init__(self, folder, stub):
        self.folder, self.run, self.stub = folder, folder / "run", stub
        self.bench = write_rows(folder / "bench.jsonl", questions(N, N_CHECKS))
        rows = [
            {"question_id": f"q{n:03}", "model": "m", "variant": "text_only", "response": f"Answer {n}."}
            for n in range(N)
        ]
        self.answers = write_rows(folder / "answers.jsonl", rows)

    @contextlib.contextmanager
    def started(self):
        command = ["judge", self.bench, "--responses", self.answers, "--judge", "stub/j", "--run", str(self.run)]
        command += ["--judge-base-url", self.stub.base_url, "--no-cache", "--max-connections", str(CONNECTIONS)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
        with subprocess.Popen([sys.executable, "-m", "gamut_eval", *command], **pipes) as process:
            try:
                yield process
            finally:
                process.kill()

    def results(self):
        verdicts = pl.read_parquet(self.run / "verdicts.parquet").drop("at")
        return verdicts.rows(), (self.run / "scores.json").read_bytes()


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    stub = s.StubServer()
    counting = Counting(stub)
    study = Study(tmp_path_factory.mktemp("uninterrupted"), stub)
    with study.started() as process:
        _, err = process.communicate(timeout=60)
    stub.close()
    assert process.returncode == 0, err
    assert {len(times) for times in counting.came.values()} == {1}
    assert counting.n == N * N_CHECKS
    return study.results()


def killed_in_the_middle(study, counting, chance):
    """The moment of the kill, somewhere in the run's share of what is still to be done; None if it ended before."""
    before = counting.n
    left = N * N_CHECKS - before
    enough = before + chance.randrange(max(1, 2 * left // KILLS))
    with study.started() as process:
        while process.poll() is None and counting.n <= enough:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.03))
        moment = time.monotonic()
        process.kill()
        process.communicate()
    return moment if process.returncode == -signal.SIGKILL else None


def test_a_run_killed_again_and_again_ends_as_one_that_was_not_and_repeats_what_it_may(tmp_path, stub, uninterrupted):
    counting, chance = Counting(stub), random.Random(KILLS)
    study = Study(tmp_path, stub)
    moments = [killed_in_the_middle(study, counting, chance) for _ in range(KILLS)]
    with study.started() as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert study.results() == uninterrupted
    with contextlib.closing(sqlite3.connect(study.run / "run.sqlite")) as db:
        assert db.execute("SELECT count(*), count(verdict) FROM verdict_log").fetchone() == (N * N_CHECKS,) * 2
    kills = sorted(filter(None, moments))
    assert len(kills) > KILLS // 2
    lost_s = []
    for key, times in counting.came.items():
        for number, came in enumerate(times[:-1], 1):
            killed = next(moment for moment in kills if moment >= came - SCHEDULING_S)
            lost_s.append(killed - counting.answered[key, number])  # below 0: it was under way
    longest = max(lost_s, default=0.0)
    print(f"{len(kills)} kills, {len(lost_s)} calls repeated, of those answered {1000 * longest:.0f} ms before at most")
    assert longest <= PROMISED_S + SCHEDULING_S
