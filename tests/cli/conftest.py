import os
import sys

import pytest

import stub_server as s
from gamut_eval.cli.main import run as run_command
from gamut_eval.llm import client as client_module
from gamut_eval.run import Run
from model_study import fair, judging, questions, write_rows


class Study:
    """A benchmark in a folder, and the commands over it."""

    def __init__(self, folder, stub, n=4, n_checks=3):
        self.folder, self.run, self.stub = folder, folder / "run", stub
        self.file = folder / "answers.jsonl"
        self.write(questions(n, n_checks))
        stub.script = fair
        stub.models = s.of_json({"data": [{"id": "j"}, {"id": "m"}]})

    def write(self, rows):
        self.bench = write_rows(self.folder / "bench.jsonl", rows)

    def eval(self, *more, model="stub/m", judge="stub/j", url=None, judge_url=None):
        urls = ("--base-url", url or self.stub.base_url, "--judge-base-url", judge_url or self.stub.base_url)
        named = ("--model", model, "--judge", judge, "--run", str(self.run))
        return ("eval", self.bench, *named, *urls, "--no-cache", *more)

    def answer(self, *more, model="stub/m", url=None):
        urls = ("--base-url", url or self.stub.base_url)
        return ("answer", self.bench, "--model", model, "-o", str(self.file), *urls, "--no-cache", *more)

    def judge(self, *more, judge="stub/j", url=None):
        named = ("--responses", str(self.file), "--judge", judge, "--run", str(self.run))
        return ("judge", self.bench, *named, "--judge-base-url", url or self.stub.base_url, "--no-cache", *more)

    def calls(self):
        """Calls to the model and to the judge since the last look."""
        n = sum(map(judging, self.stub.bodies))
        counts = len(self.stub.bodies) - n, n
        self.stub.requests.clear()
        return counts

    def verdicts(self):
        with Run.open(self.run) as run:
            rows = list(run.verdicts().iter_rows(named=True))
        found = {(row["question_id"], row["check_id"]): row["verdict"] or row["error"] for row in rows}
        assert len(found) == len(rows)
        return found


@pytest.fixture
def study(tmp_path, stub, monkeypatch):
    monkeypatch.setattr(client_module, "_FIRST_PAUSE_S", 0.002)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    return Study(tmp_path, stub)


@pytest.fixture
def gamut(capsys, monkeypatch):
    """Runs the command in this process: exit code, standard output, standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["gamut", *arguments])
        code = run_command(list(arguments))
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return run
