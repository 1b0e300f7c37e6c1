"""A data set on the hub, whose part a small server on this machine plays."""

import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import polars as pl
import pytest

from gamut_eval.benchmark.importing.locate import is_on_hub
from gamut_eval.benchmark.load import load_benchmark

REVISION = "0123456789abcdef0123456789abcdef01234567"


def table(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(rows).write_parquet(path)


@pytest.fixture
def hub(tmp_path):
    """A server with one data set, ``owner/data``, whose files are below ``hub/``; yields its address."""
    files = tmp_path / "hub"
    rubric = [{"tier": "AC", "text": "It is."}]
    table(files / "data" / "test-00000-of-00001.parquet", [{"id": "g1", "question": "What?", "rubric": rubric}])
    table(files / "data" / "test_text_only-00000-of-00001.parquet", [{"id": "g1", "question": "What is tea?"}])
    state = {"status": 200, "card": None}

    class Hub(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_HEAD(self):
            self.do_GET()

        def do_GET(self):
            if self.path.split("?")[0].startswith("/api/datasets/owner/data") and state["status"] == 200:
                names = [path.relative_to(files).as_posix() for path in sorted(files.rglob("*")) if path.is_file()]
                info = {"id": "owner/data", "sha": REVISION, "siblings": [{"rfilename": name} for name in names]}
                self.answer(200, json.dumps(info | {"cardData": state["card"]}).encode())
            elif self.path.startswith(f"/datasets/owner/data/resolve/{REVISION}/"):
                self.answer(200, (files / self.path.split(REVISION + "/")[1].split("?")[0]).read_bytes())
            else:
                self.answer(
                    state["status"] if state["status"] != 200 else 404, b"{}", state.get("error", "RepoNotFound")
                )

        def answer(self, status, body, error=None):
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Repo-Commit", REVISION)
            self.send_header("ETag", f'"{len(body)}-{self.path.count("e")}"')
            if error:
                self.send_header("X-Error-Code", error)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", state, files
    server.shutdown()
    server.server_close()


@pytest.fixture
def gamut(tmp_path):
    def run(address, *arguments, **env):
        env = os.environ | {"HF_ENDPOINT": address, "HF_HOME": str(tmp_path / "cache"), "HF_TOKEN": ""} | env
        command = [sys.executable, "-m", "gamut_eval", "import", *arguments]
        started = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, cwd=tmp_path, timeout=90)
        return done.returncode, done.stderr, time.monotonic() - started

    return run


def test_both_splits_are_fetched_and_joined(hub, gamut, tmp_path):
    code, err, _ = gamut(hub[0], "gamut", "owner/data", "-o", "out")
    assert (code, err.partition("\n")[0]) == (0, "Wrote 1 question with 1 check to out.")
    question = load_benchmark(tmp_path / "out").questions[0]
    assert (question.question, question.text_only) == ("What?", "What is tea?")
    assert f"Imported from owner/data (revision {REVISION})." in (tmp_path / "out" / "benchmark.yaml").read_text()


def test_splits_that_the_card_declares(hub, gamut, tmp_path):
    address, state, files = hub
    (files / "data").rename(files / "elsewhere")
    (files / "elsewhere" / "test-00000-of-00001.parquet").rename(files / "elsewhere" / "a.parquet")
    (files / "elsewhere" / "test_text_only-00000-of-00001.parquet").rename(files / "elsewhere" / "b.parquet")
    state["card"] = {
        "configs": [
            {
                "config_name": "default",
                "data_files": [
                    {"split": "test", "path": "elsewhere/a*"},
                    {"split": "test_text_only", "path": ["elsewhere/b*"]},
                ],
            }
        ]
    }
    code, err, _ = gamut(address, "gamut", "owner/data", "-o", "out")
    assert (code, err.partition("\n")[0]) == (0, "Wrote 1 question with 1 check to out.")


def test_a_split_that_is_not_there(hub, gamut):
    code, err, _ = gamut(hub[0], "gamut", "owner/data", "-o", "out", "--split", "train")
    assert code == 2
    assert "owner/data: has no file of the split 'train': there are data/test-00000-of-00001.parquet" in err


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((404, "RepoNotFound"), "there is no such data set on the hub, or it is private"),
        ((403, "GatedRepo"), "asks to accept its terms first"),
        ((500, None), "cannot be had from the hub"),
    ],
)
def test_refusals_say_what_to_do(hub, gamut, tmp_path, answer, words):
    hub[1].update(zip(("status", "error"), answer, strict=True))
    code, err, seconds = gamut(hub[0], "gamut", "owner/data", "-o", "out")
    assert code == 2
    assert words in err
    assert err.count("\n") == 1
    assert seconds < 60
    assert not (tmp_path / "out").exists()


def test_a_hub_that_cannot_be_reached_says_so_within_seconds(gamut):
    code, err, seconds = gamut("http://127.0.0.1:9", "gamut", "facebook/GAMUT", "-o", "out")
    assert code == 2
    assert err.startswith("error: facebook/GAMUT: cannot be had from the hub (")
    assert err.endswith("check the network, or give the path of a downloaded file\n")
    assert seconds < 15


def test_without_its_client_the_command_is_named(gamut, tmp_path):
    (tmp_path / "less").mkdir()
    (tmp_path / "less" / "huggingface_hub.py").write_text("raise ImportError\n")
    code, err, _ = gamut(
        "http://127.0.0.1:9", "gamut", "facebook/GAMUT", "-o", "out", PYTHONPATH=str(tmp_path / "less")
    )
    assert code == 2
    assert 'huggingface_hub, which is not installed; run: pip install "gamut-eval[hub]"' in err


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("facebook/GAMUT", True),
        ("a.b/c-d_e", True),
        ("data/test.parquet", False),
        ("./data", False),
        ("a/b/c", False),
        ("x.jsonl", False),
        ("-", False),
        ("here/there", False),
    ],
)
def test_a_name_with_one_slash_and_no_such_file_is_on_the_hub(tmp_path, monkeypatch, name, expected):
    (tmp_path / "here" / "there").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert is_on_hub(name) == expected
