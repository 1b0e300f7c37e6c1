"""Several runs as one, runs that go on, runs that cannot be read; and the command."""

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from gamut_eval.cli.main import run as run_command
from gamut_eval.comparing import run_names
from gamut_eval.errors import InputError
from gamut_eval.web.serving import FIRST_PORT, listening
from view_server import answer, question, study, verdict, viewed, write_run


def test_runs_of_other_models_stand_beside_each_other(tmp_path):
    one, _ = study(tmp_path / "one", models=("a",))
    other, _ = study(tmp_path / "other", models=("b",))
    with viewed(one, other) as site:
        overview = site.get("/").words
        assert "36 verdicts, all there" in overview
        page = site.get("/questions/q1")
        assert re.findall(r'<h2 id="r\d+-model"><bdi>([^<]*)</bdi>', page.text) in (["a", "b"], ["b", "a"])


def test_a_model_that_answered_twice_is_two_each_with_its_own_answers(tmp_path):
    for name in ("one", "other"):
        answers = [answer("q1", "m", f"The answer in {name}."), answer("q2", "m", f"Another in {name}.")]
        said = "meets" if name == "one" else "missing"
        rows = [
            verdict(q, "m", f"c{at}", "j", said, rationale=f"Reason of {name}.")
            for q in ("q1", "q2")
            for at in range(3)
        ]
        write_run(tmp_path / name, [question("q1"), question("q2")], answers, rows)
    with viewed(tmp_path / "one", tmp_path / "other") as site:
        assert "gave different answers" in site.get("/").words
        page = site.get("/questions/q1")
        sides = dict(re.findall(r'<article class="side" [^>]*id="(r\d+)">\s*<h2[^>]*><bdi>([^<]*)', page.text))
        texts = {sides[id_]: page.text.split(f'id="{id_}"')[1].split("</article>")[0] for id_ in sides}
        assert set(texts) == {"m [one]", "m [other]"}
        for name in ("one", "other"):
            assert f"The answer in {name}." in texts[f"m [{name}]"]
        for name, said in (("one", "meets"), ("other", "missing")):
            alone = site.get(f"/questions/q1?models=m+%5B{name}%5D").text.split("<table")[1]
            assert set(re.findall(r'<b class="v (\w+)">', alone)) == {said}
            assert f"Reason of {name}." in alone
        assert site.get("/questions?verdict=missing&model=m+%5Bone%5D").listed == []
        assert site.get("/questions?verdict=missing&model=m+%5Bother%5D").listed == ["q1", "q2"]


def test_runs_are_called_by_as_much_of_their_path_as_tells_them_apart(tmp_path):
    paths = [tmp_path / "a" / "x", tmp_path / "b" / "x", tmp_path / "y"]
    assert run_names(paths) == ["a/x", "b/x", "y"]
    with pytest.raises(InputError, match="twice"):
        run_names([paths[0], tmp_path / "a" / "." / "x"])


def test_a_run_that_goes_on_is_shown_anew_after_a_reload(tmp_path):
    questions = [question("q1"), question("q2")]
    answers = [answer("q1", "m"), answer("q2", "m")]
    folder = write_run(tmp_path / "run", questions, answers, [verdict("q1", "m", "c0", "j", "meets")])
    with viewed(folder) as site:
        before = site.get("/").words
        assert "1 of 6 verdicts" in before
        assert "incomplete" in before
        done = [verdict(q, "m", f"c{at}", "j", "meets") for q in ("q1", "q2") for at in range(3)]
        write_run(folder, questions, answers, done)  # meanwhile, by another command
        page = site.until(lambda page: "6 verdicts, all there" in page.words)
        assert "100.0" in page.words
        assert site.get("/questions/q2").text.count('class="v meets"') == 3


def test_reading_keeps_no_writer_waiting(tmp_path):
    folder, _ = study(tmp_path / "run")
    with viewed(folder) as site:
        stop, slowest = threading.Event(), []

        def write():
            db = sqlite3.connect(folder / "run.sqlite", timeout=0)  # fails at once where it would have to wait
            while not stop.is_set():
                began = time.monotonic()
                with db:
                    db.execute("INSERT OR REPLACE INTO settings VALUES ('note', '1')")
                slowest.append(time.monotonic() - began)
            db.close()

        writer = threading.Thread(target=write)
        writer.start()
        for at in range(20):
            assert site.get(f"/questions/q{at % 6}").status == 200
            assert site.get("/questions?q=says").status == 200
        stop.set()
        writer.join()
        assert slowest


def test_a_run_that_is_damaged_meanwhile_is_said_so_and_the_rest_is_shown(tmp_path):
    folder, _ = study(tmp_path / "run")
    with viewed(folder) as site:
        with sqlite3.connect(folder / "run.sqlite") as db:
            db.execute("UPDATE questions SET json = '{}'")
        page = site.until(lambda page: "cannot be read anew" in page.words)
        assert "damaged" in page.words
        assert page.status == 200
        assert "acme/large" in page.words


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def command(capsys):
    def run(*arguments):
        code = run_command(["view", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, err

    return run


def test_a_folder_without_a_run_is_refused(command, tmp_path):
    code, err = command(tmp_path)
    assert code == 2
    assert "holds no run" in err


def test_a_file_that_is_no_journal_is_refused(command, tmp_path):
    (tmp_path / "run.sqlite").write_bytes(b"not a journal at all" * 100)
    code, err = command(tmp_path)
    assert code == 2
    assert "is not a journal" in err


@pytest.mark.parametrize(("version", "told"), [(1, "run the command that made it again"), (99, "upgrade gamut-eval")])
def test_a_journal_of_another_version_is_refused(command, tmp_path, version, told):
    folder, _ = study(tmp_path / "run")
    with sqlite3.connect(folder / "run.sqlite") as db:
        db.execute(f"PRAGMA user_version = {version}")
    code, err = command(folder)
    assert code == 2
    assert told in err


def test_runs_that_share_no_question_are_refused(command, tmp_path):
    one = write_run(tmp_path / "one", [question("q1")], [answer("q1", "m")], [verdict("q1", "m", "c0", "j", "meets")])
    other = write_run(
        tmp_path / "other", [question("q2")], [answer("q2", "m")], [verdict("q2", "m", "c0", "j", "meets")]
    )
    code, err = command(one, other)
    assert code == 2
    assert "share no question" in err


def test_a_port_that_is_taken_is_refused_and_without_one_the_next_is_taken(command, tmp_path):
    folder, _ = study(tmp_path / "run")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, err = command(folder, "--no-browser", "--port", taken.getsockname()[1])
    assert code == 2
    assert "in use" in err
    with listening(None) as first, listening(None) as second:
        ports = [own.getsockname()[1] for own in (first, second)]
    assert FIRST_PORT <= ports[0] < ports[1]


def test_a_missing_package_is_named_with_what_installs_it(command, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    folder, _ = study(tmp_path / "run")
    code, err = command(folder)
    assert code == 2
    assert 'pip install "gamut-eval[view]"' in err


@pytest.mark.skipif(os.name == "nt", reason="signals are others there")
def test_the_command_serves_until_it_is_interrupted(tmp_path):
    folder, _ = study(tmp_path / "run")
    copy = shutil.copytree(folder, tmp_path / "read-only")
    command = [sys.executable, "-m", "gamut_eval", "view", str(copy), "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            if found := re.search(r"http://127\.0\.0\.1:\d+/", line):
                break
        with urllib.request.urlopen(found[0], timeout=20) as reply:  # noqa: S310 (this computer's)
            assert "read-only" in reply.read().decode()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0
    assert out == ""
    assert "Ended." in err
    assert "Traceback" not in err
