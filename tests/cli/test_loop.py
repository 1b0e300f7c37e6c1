"""A process that the system asks to end stops in order: what it started ends with it."""

import os
import signal
import subprocess
import sys

import pytest

_RUN = """
import asyncio, sys, time
from gamut_eval.cli.loop import run_to_end
from gamut_eval.cli.main import code_of

async def waiting():
    print("at work", flush=True)
    try:
        await asyncio.sleep(60)
    finally:
        print("put away", flush=True)

async def ending():
    print("at work", flush=True)
    for _ in range(50):
        time.sleep(0.01)
    print("put away", flush=True)

try:
    run_to_end({work}())
except KeyboardInterrupt as stopped:
    sys.exit(code_of(stopped))
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")


@pytest.mark.parametrize(("told", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("work", ["waiting", "ending"])
def test_a_signal_to_end_stops_the_work_in_order_also_in_its_last_moments(told, code, work):
    with subprocess.Popen([sys.executable, "-c", _RUN.replace("{work}", work)], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"at work\n"
        os.kill(process.pid, told)
        assert process.stdout.read() == b"put away\n"
    assert process.returncode == code


@pytest.mark.parametrize(("told", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_to_end_stops_what_no_loop_runs(told, code, tmp_path):
    pipe = tmp_path / "bench.jsonl"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "gamut_eval", "validate", str(pipe)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process, open(pipe, "wb"):
        os.kill(process.pid, told)  # while it waits for something to read
        _, err = process.communicate(timeout=10)
    assert process.returncode == code
    assert err.strip() == "Interrupted. What was done is saved; the same command goes on from there."
