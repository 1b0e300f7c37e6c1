"""Progress where nobody looks at a terminal: plain lines now and then, nothing on stdout."""

import re
import time

import pytest

from gamut_eval.cli import output
from gamut_eval.running.progress import Progress


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr(output, "PLAIN_EVERY_S", 0.01)


def test_lines_are_plain_and_on_stderr(often, capsys):
    progress = Progress(total=500)
    with output.showing(progress):
        for _ in range(500):
            progress.judged += 1
            time.sleep(0.0005)
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert lines
    assert all(re.fullmatch(r"\d+ of 500 checks", line) for line in lines)
    assert "\r" not in shown.err
    assert "\x1b" not in shown.err


def test_failures_are_told_while_it_goes_on(often, capsys):
    progress = Progress(total=9, judged=2)
    progress.failures["timeout"] = 3
    with output.showing(progress):
        time.sleep(0.1)
    assert "5 of 9 checks, 3 failed" in capsys.readouterr().err


def test_a_short_run_says_nothing_on_its_way(capsys):
    with output.showing(Progress(total=1)):
        pass
    assert capsys.readouterr().err == ""
