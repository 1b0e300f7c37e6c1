"""`gamut answer` with files that are not its own, and options that nobody should give."""

import json

import pytest
from filelock import FileLock

import stub_server as s
from gamut_eval.cli.main import run
from model_study import questions, write_rows

FOREIGN = b'{"question_id": "q", "model": "x", "variant": "text_only", "response": "precious"}'


@pytest.fixture
def gamut(tmp_path, stub, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "bench.jsonl", questions(3))
    stub.answers(s.completion("Rice."))

    def answer(*more, model="stub/m"):
        base = ["answer", "bench.jsonl", "--model", model, "--base-url", stub.base_url, "--no-cache", "-o", "a.jsonl"]
        code = run([*base, *more])
        return code, capsys.readouterr().err

    return answer


@pytest.mark.parametrize(
    "content",
    [
        FOREIGN,
        FOREIGN + b"\n" + FOREIGN.replace(b'"q"', b'"r"'),
        FOREIGN + b'\n{"question_id": "r", "mod',
        b"My notes of a year",
        b'{"question_id": 1}\nnotes',
        FOREIGN[:-1] + b', "answer_key": "zz"}\n',
    ],
    ids=["one row", "rows", "unfinished", "notes", "mixed", "no hash"],
)
@pytest.mark.parametrize("more", [(), ("--dry-run",)], ids=["", "dry run"])
def test_a_file_that_is_not_ours_is_refused_and_left_as_it_is(gamut, tmp_path, stub, content, more):
    (tmp_path / "a.jsonl").write_bytes(content)
    code, said = gamut(*more)
    assert (code, stub.requests) == (2, [])
    assert said.startswith("error: a.jsonl:1")
    assert (tmp_path / "a.jsonl").read_bytes() == content


def test_a_line_that_a_kill_left_unfinished_is_asked_again_and_one_without_its_end_is_kept(gamut, tmp_path, stub):
    file = tmp_path / "a.jsonl"
    assert gamut()[0] == 0
    whole = file.read_bytes()
    for cut, asked in ((-1, 0), (-2, 1), (-60, 1), (whole.rindex(b"\n", 0, -1) + 2, 1)):
        file.write_bytes(whole[:cut])
        stub.requests.clear()
        assert gamut()[0] == 0
        assert (len(stub.requests), file.read_bytes().strip()) == (asked, whole.strip())


def test_a_file_of_which_nothing_but_a_beginning_was_written_is_gone_on_with(gamut, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'{"question_id":"q0')
    assert gamut()[0] == 0
    assert len((tmp_path / "a.jsonl").read_bytes().splitlines()) == 3


def test_two_processes_do_not_write_one_file(gamut, tmp_path, stub):
    with FileLock(tmp_path / ".a.jsonl.lock"):
        code, said = gamut()
    assert (code, stub.requests) == (2, [])
    assert said == "error: a.jsonl is in use by another process; wait for it to end, or name another file with -o\n"
    assert gamut()[0] == 0


@pytest.mark.parametrize("name", ["/dev/null", "."])
def test_what_is_no_file_is_refused(gamut, name):
    code, said = gamut("-o", name)
    assert code == 2
    assert "they need a file; name one" in said


@pytest.mark.parametrize("option", ["--timeout", "--max-cost"])
@pytest.mark.parametrize("value", ["nan", "inf", "-1", "0"])
def test_a_limit_that_is_none_is_refused(gamut, stub, option, value):
    code, said = gamut(option, value)
    assert (code, stub.requests) == (2, [])
    assert option in said


@pytest.mark.parametrize(
    ("argument", "words"),
    [("x=" + "[" * 300 + "]" * 300, "nested too deeply"), ("x=\udcff", "is not UTF-8"), ("\udcff=1", "is not UTF-8")],
)
def test_a_parameter_that_cannot_be_sent_is_refused(gamut, argument, words):
    code, said = gamut("--model-arg", argument)
    assert code == 2
    assert words in said


def test_a_model_is_named_in_utf8_whatever_the_locale(gamut, tmp_path):
    assert gamut(model="stub/\udcc3\udcbc")[0] == 0
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["model"] for row in rows} == {"stub/ü"}
    for wrong in ("stub/\udcff", "command:\udcff"):
        assert gamut(model=wrong)[0] == 2
