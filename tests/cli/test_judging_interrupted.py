"""`gamut judge` as a process: killed, interrupted, out of disk, and gone on with."""

import contextlib
import json
import os
import random
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

PLUGIN = '''
import asyncio, hashlib, os, time
from gamut_eval import Judge, Judgement
from gamut_eval.records import VERDICTS

LOG = os.open(os.environ["SLOW_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
HANG_AFTER = int(os.environ.get("SLOW_HANG_AFTER", 10**9))
LONG = int(os.environ.get("SLOW_LONG", 0))
BUSY = "SLOW_BUSY" in os.environ


def never_ends(owner, name):
    """It does its work, and then computes for ever."""
    work = getattr(owner, name)

    def at_work(*arguments, **options):
        work(*arguments, **options)
        os.write(LOG, f"exports {name}\\n".encode())
        while True:
            pass

    setattr(owner, name, at_work)


match os.environ.get("SLOW_EXPORT"):
    case "verdicts.parquet":
        import polars
        never_ends(polars.DataFrame, "write_parquet")
    case "report.html":
        import gamut_eval.run
        never_ends(gamut_eval.run, "render_page")


class Slow(Judge):
    """Notes every ask and every answer; the verdict depends on what is asked alone."""

    name, workers, settings, n = "slow", 4, {"rule": 1}, 0

    async def judge(self, ask):
        asked = f"{ask.response.question_id} {ask.response.model} {ask.check.id}"
        os.write(LOG, f"asked {asked}\\n".encode())
        self.n += 1
        if self.n > HANG_AFTER:
            await asyncio.sleep(3600)
        if BUSY:
            time.sleep(0.005)
        else:
            await asyncio.sleep(0.004)
        digest = hashlib.sha256(asked.encode()).digest()
        os.write(LOG, f"answered {asked}\\n".encode())
        return Judgement(VERDICTS[digest[0] % 4], None, digest.hex() + "x" * LONG)


def make(argument):
    return [Slow()]
'''
MODELS, N_QUESTIONS, N_CHECKS = ("a", "b"), 12, 10
ALL = {(f"q{n}", model, f"c{at}") for n in range(N_QUESTIONS) for model in MODELS for at in range(N_CHECKS)}
PATIENCE_S = 60


class Study:
    """A benchmark, answers, and a slow judge installed by an entry point, in a folder of files."""

    def __init__(self, folder):
        self.folder = folder
        self.run = folder / "run"
        self.logs = 0
        plugin = folder / "plugin"
        (plugin / "slow_judge-1.0.dist-info").mkdir(parents=True)
        (plugin / "slow_judge.py").write_text(PLUGIN)
        (plugin / "slow_judge-1.0.dist-info" / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: slow-judge\nVersion: 1.0\n"
        )
        (plugin / "slow_judge-1.0.dist-info" / "entry_points.txt").write_text(
            "[gamut_eval.judges]\nslow = slow_judge:make\n"
        )
        tiers = ("answer_critical", "valuable", "context")
        items = [
            {"id": f"c{at}", "type": "simple", "tier": tiers[at % 3], "statement": f"Fact {at}."}
            for at in range(N_CHECKS)
        ]
        self._write(
            "bench.jsonl",
            ({"id": f"q{n}", "domain": "d", "question": "?", "rubric": {"items": items}} for n in range(N_QUESTIONS)),
        )
        self._write("answers.jsonl", (
            {"question_id": f"q{n}", "model": model, "variant": "text_only", "response": f"{model} {n}"}
            for n in range(N_QUESTIONS) for model in MODELS
        ))  # fmt: skip

    def _write(self, name, rows):
        (self.folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def command(self):
        bench, answers = str(self.folder / "bench.jsonl"), str(self.folder / "answers.jsonl")
        return ["judge", bench, "--responses", answers, "--judge", "slow", "--run", str(self.run)]

    @contextlib.contextmanager
    def started(self, *command, **slow):
        """The running command; its judge's notes go to a new log."""
        self.logs += 1
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SLOW_")}
        environment |= {"PYTHONPATH": str(self.folder / "plugin"), "SLOW_LOG": str(self.log)}
        environment |= {f"SLOW_{name.upper()}": str(value) for name, value in slow.items()}
        arguments = [sys.executable, "-m", "gamut_eval", *(command or self.command())]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
        with subprocess.Popen(arguments, env=environment, **pipes) as process:
            try:
                yield process
            finally:
                process.kill()

    def gamut(self, *command, **slow):
        """Exit code, standard output and standard error of a command that is left to end."""
        with self.started(*command, **slow) as process:
            out, err = process.communicate(timeout=PATIENCE_S)
            assert "Traceback" not in out + err
            return process.returncode, out, err

    @property
    def log(self):
        return self.folder / f"log-{self.logs}"

    def noted(self, what):
        """What the judge of the last started command was asked, or answered; each once."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        found = [tuple(line.split()[1:]) for line in lines if line.split()[0] == what]
        assert len(found) == len(set(found))
        return set(found)

    def committed(self):
        """What has a verdict in the journal."""
        path = self.run / "run.sqlite"
        if not path.exists():
            return set()
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            try:
                return set(db.execute("SELECT question_id, model, check_id FROM verdicts WHERE verdict IS NOT NULL"))
            except sqlite3.OperationalError:  # killed before the tables were made
                return set()

    def results(self):
        """All that the exports say, without the time of day and what makes a rationale long."""
        verdicts = pl.read_parquet(self.run / "verdicts.parquet").drop("at")
        short = verdicts.with_columns(pl.col("rationale").str.strip_chars_end("x"))
        return short.rows(), (self.run / "scores.json").read_bytes()


def wait_until(true, process):
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.fixture
def study(tmp_path):
    return Study(tmp_path)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    study = Study(tmp_path_factory.mktemp("uninterrupted"))
    code, _, err = study.gamut()
    assert (code, study.noted("asked")) == (0, ALL), err
    return study.results()


@pytest.fixture
def hanging(study):
    """A run whose judge has given 50 answers, all committed, and will give no more."""
    with study.started(hang_after=50) as process:
        wait_until(lambda: len(study.noted("asked")) == 54, process)
        wait_until(lambda: len(study.committed()) == 50, process)
        assert study.committed() == study.noted("answered")
        yield process


def test_a_run_killed_at_random_moments_ends_as_one_that_was_not(study, uninterrupted):
    chance = random.Random(7)
    kills = 0
    while True:
        known, enough = study.committed(), chance.choice([0, 5, 30, 60, 90])
        with study.started() as process:
            while process.poll() is None and (
                kills >= 5 or len(study.noted("answered")) < enough or not study.log.exists()
            ):
                time.sleep(0.002)
            process.kill()
            _, err = process.communicate()
        assert not known & study.noted("asked")
        if process.returncode != -signal.SIGKILL:
            break
        kills += 1
    assert (process.returncode, kills) == (0, 5)
    assert "Traceback" not in err
    assert "known from before" in err
    assert study.committed() == ALL
    assert study.results() == uninterrupted


def test_after_a_kill_only_what_was_not_answered_is_asked(study, hanging, uninterrupted):
    known = study.committed()
    hanging.kill()
    hanging.wait()
    assert study.committed() == known
    code, _, err = study.gamut()
    assert (code, study.noted("asked")) == (0, ALL - known)
    assert "190 judged, 50 known from before" in err
    assert study.results() == uninterrupted


def test_a_killed_run_can_be_scored_as_it_is(study, hanging):
    hanging.kill()
    hanging.wait()
    code, out, _ = study.gamut("score", str(study.run), "--format", "json")
    scores = json.loads(out)["scores"]
    assert code == 1
    assert [row["gamut"] for row in scores] == [None, None]
    assert {row["n_questions"] + row["n_incomplete"] for row in scores} == {N_QUESTIONS}


@pytest.mark.usefixtures("hanging")
def test_a_run_that_goes_on_can_be_scored_and_is_refused_to_a_second_command(study):
    code, out, _ = study.gamut("score", str(study.run), "--format", "json")
    assert (code, len(json.loads(out)["questions"])) == (1, 2 * N_QUESTIONS)
    code, out, err = study.gamut()
    assert (code, out, study.noted("asked")) == (2, "", set())
    assert "in use" in err
    assert str(study.run) in err


def interrupted(process, told=signal.SIGINT):
    process.send_signal(told)
    out, err = process.communicate(timeout=2)  # the promise is two seconds
    assert (process.returncode, out) == (128 + told, "")
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_a_judge_that_waits_says_how_to_go_on_and_loses_nothing(study, hanging, uninterrupted, told):
    err = interrupted(hanging, told)
    assert "50 of 240" in err
    assert shlex.join(["gamut", *study.command()]) in err
    known = study.committed()
    assert known == study.noted("answered")
    code, _, _ = study.gamut()
    assert (code, study.noted("asked")) == (0, ALL - known)
    assert study.results() == uninterrupted


def test_ctrl_c_stops_a_judge_that_computes_and_loses_nothing(study, uninterrupted):
    with study.started(busy=1) as process:
        wait_until(lambda: len(study.noted("answered")) >= 20, process)
        interrupted(process)
        known = study.committed()
        assert known == study.noted("answered")
    assert known != ALL
    code, _, _ = study.gamut()
    assert (code, study.noted("asked")) == (0, ALL - known)
    assert study.results() == uninterrupted


EXPORTS = ("verdicts.parquet", "scores.json", "report.html")


@pytest.mark.parametrize(("told", "file"), [(signal.SIGINT, "verdicts.parquet"), (signal.SIGTERM, "report.html")])
def test_a_signal_stops_the_exports_says_how_to_go_on_and_leaves_nothing_half_written(study, uninterrupted, told, file):
    with study.started(export=file) as process:
        wait_until(lambda: study.noted("exports"), process)
        err = interrupted(process, told)
    assert "240 of 240 checks are saved. The files made of them are not all written." in err
    assert shlex.join(["gamut", *study.command()]) in err
    whole = set(EXPORTS[: EXPORTS.index(file)])
    assert {path.name for path in study.run.iterdir() if "run." not in path.name} == whole | {"manifest.json"}
    code, _, err = study.gamut()
    assert (code, study.noted("asked")) == (0, set()), err
    assert study.results() == uninterrupted


# --- a full disk ---------------------------------------------------------------------------------


@pytest.fixture
def disk(tmp_path):
    """Mounts a disk, or changes its size or what may be done with it."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = False

    def mount(options):
        nonlocal made
        kind = ["-o", f"remount,{options}"] if made else ["-t", "tmpfs", "-o", options, "none"]
        done = subprocess.run(["/bin/mount", *kind, str(folder)], capture_output=True, check=False)
        if done.returncode and not made:
            pytest.skip(f"cannot mount a disk: {done.stderr.decode().strip()}")
        assert done.returncode == 0
        made = True
        return folder

    yield mount
    if made:
        subprocess.run(["/bin/umount", "-l", str(folder)], check=True)


def fill(path: Path):
    with contextlib.suppress(OSError), open(path, "wb", buffering=0) as file:
        while file.write(b"\0" * 4096):
            pass


def test_a_disk_that_fills_up_stops_the_run_which_goes_on_once_there_is_room(study, disk, uninterrupted):
    study.run = disk("size=400k") / "run"
    code, out, err = study.gamut(long=4000)
    assert (code, out) == (2, "")
    assert "disk is full" in err
    disk("size=64m")
    known = study.committed()
    assert known < study.noted("answered")
    code, _, err = study.gamut(long=4000)
    assert (code, study.noted("asked")) == (0, ALL - known), err
    assert study.results() == uninterrupted


@pytest.mark.parametrize("room", [8, 80])
def test_a_disk_that_is_full_from_the_start_is_a_clear_message(study, disk, room):
    folder = disk("size=1m")
    fill(folder / "junk")
    os.truncate(folder / "junk", (folder / "junk").stat().st_size - room * 1024)
    study.run = folder / "run"
    code, out, err = study.gamut()
    assert (code, out) == (2, ""), err
    assert "disk is full" in err
    (folder / "junk").unlink()
    disk("size=64m")
    assert study.gamut()[0] == 0


def test_a_disk_without_room_for_the_exports_is_a_clear_message_and_nothing_is_asked_again(study, disk, uninterrupted):
    folder = disk("size=16m")
    study.run = folder / "run"
    assert study.gamut()[0] == 0
    for name in ("scores.json", "verdicts.parquet", "report.html"):
        (study.run / name).unlink()
    fill(folder / "junk")
    code, out, err = study.gamut()
    assert (code, out, study.noted("asked")) == (2, "", set()), err
    assert "disk is full" in err
    assert not list(study.run.glob("*.tmp"))
    (folder / "junk").unlink()
    code, _, _ = study.gamut()
    assert (code, study.noted("asked"), study.results()) == (0, set(), uninterrupted)


def test_a_run_on_a_read_only_disk_can_be_scored_but_not_gone_on_with(study, disk):
    study.run = disk("size=16m") / "run"
    assert study.gamut()[0] == 0
    for sidecars in (list(study.run.glob("run.sqlite-*")), []):
        disk("ro")
        code, out, _ = study.gamut("score", str(study.run), "--format", "json")
        assert (code, out.encode()) == (0, (study.run / "scores.json").read_bytes())
        disk("rw")
        for file in sidecars:
            file.unlink()
    disk("ro")
    code, out, err = study.gamut()
    assert (code, out) == (2, "")
    assert "read-only" in err
