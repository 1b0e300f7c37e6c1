"""What the command makes of a hostile place: how it ends, and what it says."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import pytest

from gamut_eval.cli import main
from gamut_eval.cli.main import run as run_command

TOO_LONG = "x" * 300
QUESTION = {"id": "q", "domain": "food", "question": "What?"} | {
    "rubric": {"items": [{"id": "a", "type": "simple", "tier": "answer_critical", "statement": "It is basil."}]}
}
ANSWER = {"question_id": "q", "model": "m", "variant": "text_only", "response": "It is basil."}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.jsonl").write_text(json.dumps(QUESTION), encoding="utf-8")
    (tmp_path / "answers.jsonl").write_text(json.dumps(ANSWER), encoding="utf-8")
    return tmp_path


JUDGE = ("judge", "bench.jsonl", "--responses", "answers.jsonl", "--judge", "lexical", "--run")


def started(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "gamut_eval", *arguments], check=False, timeout=60, **options)


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", TOO_LONG),
        ("report", TOO_LONG),
        ("export", TOO_LONG, "--scores", "-o", "-"),
        ("export", "bench.jsonl", "--questions", "-o", f"{TOO_LONG}.jsonl"),
        (*JUDGE, TOO_LONG),
    ],
)
def test_a_path_that_the_system_refuses_is_wrong_input(place, capsys, arguments):
    assert run_command(list(arguments)) == main.WRONG_INPUT
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert TOO_LONG in err
    assert "shorten it" in err


def test_a_working_folder_that_is_gone_is_no_bug_of_ours(place, capsys, monkeypatch):
    gone = place / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run_command(["validate", "x.yaml"]) == main.WRONG_INPUT
    assert "folder that this was called in is gone" in capsys.readouterr().err


def test_too_little_memory_is_no_bug_of_ours(place, capsys, monkeypatch):
    def no_memory(*_, **__):
        raise MemoryError

    monkeypatch.setattr(main.gamut, "main", no_memory)
    assert run_command(["validate", "bench.jsonl"]) == main.WRONG_INPUT
    assert "more memory" in capsys.readouterr().err


def test_a_bug_in_a_command_with_a_path_that_is_not_utf8_has_its_log(place, capsys, monkeypatch):
    def bug(*_, **__):
        raise ValueError("ours")

    monkeypatch.setattr(main.gamut, "main", bug)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    assert run_command(["score", "caf\udce9"]) == main.OUR_BUG
    (log,) = place.glob("gamut-bug-*.log")
    assert str(log) in capsys.readouterr().err
    assert "caf\\udce9" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [(*JUDGE, "run"), ("judge",), ("score", "nowhere")])
def test_messages_that_nobody_can_be_told_change_nothing(place, arguments):
    with open("/dev/full", "wb") as full:
        ended = started(*arguments, stderr=full, stdout=subprocess.DEVNULL)
    done = arguments[-1] == "run"
    assert ended.returncode == (main.DONE if done else main.WRONG_INPUT)
    assert not done or (place / "run" / "scores.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
def test_work_goes_on_when_nobody_reads_its_messages_and_its_table(place):
    reading, writing = os.pipe()
    os.close(reading)
    ended = started(*JUDGE, "run", stderr=writing, stdout=writing)
    os.close(writing)
    assert ended.returncode == main.DONE
    assert (place / "run" / "scores.json").exists()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are text there")
def test_names_that_are_not_utf8_can_be_judged(place):
    name = "caf\udce9"
    Path(f"{name}.jsonl").write_bytes(Path("answers.jsonl").read_bytes())
    ended = started(*JUDGE[:3], f"{name}.jsonl", *JUDGE[4:], name, capture_output=True)
    assert ended.returncode == main.DONE, ended.stderr
    assert json.loads((Path(name) / "manifest.json").read_bytes())["command"][-1] == "caf\\xe9"


@pytest.mark.parametrize(
    ("check", "words", "message"),
    [
        ("bad id", ("--add", "x", "--tier", "valuable", "--author", "Ada"), "has no white space"),
        ("ok", ("--add", "x", "--tier", "valuable", "--author", ""), "author: must not be empty"),
        ("ok", ("--add", "\x1b", "--tier", "valuable", "--author", "Ada"), "U+001B"),
        ("a", ("--reword", "", "--author", "Ada"), "needs 'text'"),
    ],
)
def test_an_edit_that_no_file_could_hold_is_wrong_input(place, capsys, check, words, message):
    before = (place / "bench.jsonl").read_bytes()
    assert run_command(["edit", "bench.jsonl", "q", check, *words, "--reason", "r"]) == main.WRONG_INPUT
    assert message in capsys.readouterr().err
    assert (place / "bench.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "command",
    [
        ("compile", "@", "--format", "table"),
        ("compile", "@", "--explain"),
        ("compile", "@", "--diff", "bench.jsonl"),
        ("stats", "@"),
        ("validate", "@"),
    ],
)
def test_what_a_benchmark_holds_drives_no_terminal(place, capsys, command):
    hostile = "It \x9b31m is \u202ebasil."
    rubric = {"items": [QUESTION["rubric"]["items"][0] | {"statement": hostile}] * 2}
    rubric["items"][1] = rubric["items"][1] | {"id": "b"}
    row = QUESTION | {"question": hostile, "domain": hostile, "rubric": rubric}
    name = "a\x1b[31m.jsonl"
    (place / name).write_text(json.dumps(row), encoding="utf-8")
    run_command([name if word == "@" else word for word in command])
    out, err = capsys.readouterr()
    assert not {"\x9b", "\u202e", "\x1b"} & set(out + err)


@pytest.mark.parametrize(
    "command",
    [
        ("compile", "bench.jsonl", "-o", "bench.jsonl"),
        ("export", "bench.jsonl", "--checks", "-o", "./bench.jsonl"),
        ("export", "run", "--verdicts", "-o", "journal.jsonl"),
        ("report", "run", "-o", "run/scores.json"),
        ("report", "run", "run", "-o", "run/report.html"),
        ("report", "other", "-o", "run/report.html"),
    ],
)
def test_what_a_command_reads_it_does_not_write_over(place, capsys, command):
    assert run_command([*JUDGE, "run"]) == main.DONE
    (place / "journal.jsonl").symlink_to(place / "run" / "run.sqlite")
    capsys.readouterr()
    assert run_command(list(command)) == main.WRONG_INPUT
    assert "name another file with -o" in capsys.readouterr().err
    assert run_command([*JUDGE, "run"]) == main.DONE


def writers(command=main.gamut, *names):
    """The names of all commands that have -o, as they are called."""
    if isinstance(command, click.Group):
        for name in command.list_commands(None):
            yield from writers(command.get_command(None, name), *names, name)
    elif any("-o" in option.opts for option in command.params):
        yield names


@pytest.mark.parametrize("command", list(writers()), ids=" ".join)
def test_no_command_writes_over_what_a_run_keeps(tmp_path, capsys, command):
    run, link = tmp_path / "run", tmp_path / "link"
    run.mkdir()
    link.symlink_to(run / "run.sqlite")
    (run / "run.sqlite").touch()
    for name in ("run.sqlite", "run.sqlite-wal", "run.lock", "manifest.json", "verdicts.parquet", "scores.json"):
        assert run_command([*command, "-o", str(run / name)]) == main.WRONG_INPUT
        assert f"{run / name}: belongs to the run in that folder" in capsys.readouterr().err
    assert run_command([*command, "-o", str(link)]) == main.WRONG_INPUT
    assert f"{link}: belongs to the run in that folder" in capsys.readouterr().err
    run_command([*command, "-o", str(run / "report.html")])
    assert ("belongs to the run" in capsys.readouterr().err) == (command != ("report",))
    run_command([*command, "-o", str(tmp_path / "scores.json")])
    assert "belongs to the run" not in capsys.readouterr().err


def test_a_report_takes_its_own_place_in_the_run_folder(place):
    assert run_command([*JUDGE, "run"]) == main.DONE
    (place / "run" / "report.html").unlink()
    assert run_command(["report", "run", "-o", "./run/report.html"]) == main.DONE
    assert (place / "run" / "report.html").exists()
