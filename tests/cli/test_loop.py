"""A process that the system asks to end stops in order: what it started ends with it."""

import os
import signal
import subprocess
import sys

import pytest

_RUN = """
import asyncio, sys
from gamut_eval.cli.loop import run_to_end

async def work():
    print("at work", flush=True)
    try:
        await asyncio.sleep(60)
    finally:
        print("put away", flush=True)

try:
    run_to_end(work())
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_end_stops_the_work_in_order(told):
    with subprocess.Popen([sys.executable, "-c", _RUN], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "at work\n"
        os.kill(process.pid, told)
        assert process.stdout.read() == "put away\n"
    assert process.returncode == 130
