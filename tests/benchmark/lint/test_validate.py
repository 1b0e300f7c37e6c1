"""`gamut validate`: what it prints, and the exit code."""

import json

import pytest

from gamut_eval.benchmark.lint import inspect_and_lint
from gamut_eval.benchmark.lint.github import workflow_command
from gamut_eval.cli.main import run
from gamut_eval.errors import Finding

ITEM = {"id": "a", "type": "simple", "tier": "answer_critical", "statement": "Tea is brewed hot.", "evidence": ["e"]}
REVIEW = {"by": "Ada", "kind": "person", "at": "2026-11-30", "supports": True}
PAGE = {"id": "e", "url": "https://example.org/tea", "reviews": [REVIEW]}


def row(item=ITEM, page=PAGE, name="q1"):
    return {"id": name, "domain": "d", "question": "What is tea?", "rubric": {"items": [item], "evidence": [page]}}


CLEAN = row()
INFO = row(page=PAGE | {"reviews": []})
WARNING = row(ITEM | {"tier": "valuable"})
ERROR = row(ITEM | {"evidence": ["f"]})


@pytest.fixture
def validate(tmp_path, capsys):
    def call(rows, *options):
        file = tmp_path / "b.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in rows))
        code = run(["validate", str(file), *options])
        out, err = capsys.readouterr()
        return code, out.replace(str(file), "b.jsonl"), err.replace(str(file), "b.jsonl")

    return call


@pytest.mark.parametrize(
    ("question", "code", "strict"), [(CLEAN, 0, 0), (INFO, 0, 1), (WARNING, 1, 1), (ERROR, 2, 2)], ids="cliwe"[:4]
)
@pytest.mark.parametrize("form", ["table", "json", "github"])
def test_exit_codes(validate, question, code, strict, form):
    assert validate([question], "--format", form)[0] == code
    assert validate([question], "--format", form, "--strict")[0] == strict


def test_the_table_and_the_summary(validate):
    _, out, err = validate([CLEAN, row(name="q2", page=PAGE | {"reviews": []})])
    assert out == (
        "b.jsonl:2: info: nobody has reviewed the evidence 'e'; have a second reader open the page "
        "[unreviewed-evidence]\n"
    )
    assert err == "2 questions, 2 checks: 1 info\n"
    assert validate([CLEAN])[2] == "1 question, 1 check: all is well\n"
    assert validate([WARNING])[2] == "1 question, 1 check: 1 warning\n"


def test_json_keeps_its_shape(validate):
    _, out, err = validate([WARNING], "--format", "json")
    found = json.loads(out)
    assert err == ""
    assert found["ok"] is True
    assert found["n_questions"] == 1
    (finding,) = found["findings"]
    assert list(finding) == ["code", "severity", "message", "file", "line", "column", "question_id"]
    assert (finding["code"], finding["severity"], finding["line"]) == ("no-answer-critical", "warning", 1)
    assert finding["question_id"] == "q1"


def test_github(validate):
    _, out, _ = validate([INFO], "--format", "github")
    assert out.startswith("::notice file=b.jsonl,line=1,title=unreviewed-evidence::nobody has reviewed")
    assert validate([WARNING], "--format", "github")[1].startswith("::warning file=b.jsonl,line=1,title=no-answer-")
    assert validate([ERROR], "--format", "github")[1].startswith("::error file=b.jsonl,line=1,title=unknown-evidence::")


def test_github_escapes():
    finding = Finding("x", "50%, a: b\r\nc", "warning", file="C:\\a,b%.yaml", line=3, column=4)
    expected = "::warning file=C%3A\\a%2Cb%25.yaml,line=3,col=4,title=x::50%25, a: b%0D%0Ac"
    assert workflow_command(finding) == expected
    assert workflow_command(Finding("x", "m")) == "::error title=x::m"


def test_errors_do_not_hide_the_warnings_of_other_questions(validate):
    code, out, _ = validate([row(ITEM | {"tier": "valuable"}), row(ITEM | {"evidence": ["f"]}, name="q2")])
    assert code == 2
    assert "[no-answer-critical]" in out
    assert "[unknown-evidence]" in out


def test_a_question_that_compiles_to_nothing_is_an_error_and_no_bug(validate):
    process = {"id": "p", "type": "process", "tier": "context", "goal": "tea", "evidence": ["e"]}
    question = row(process | {"steps": [{"text": "stir", "required": False}]})
    assert validate([question])[0] == 2


def test_explain(capsys):
    assert run(["validate", "--explain", "vague-words"]) == 0
    assert capsys.readouterr().out.startswith("vague-words (warning): ")
    assert run(["validate", "--explain", "vague-word"]) == 2
    assert "did you mean 'vague-words'?" in capsys.readouterr().err


def test_a_benchmark_is_needed_without_explain(capsys):
    assert run(["validate"]) == 2
    assert "name a BENCHMARK to check" in capsys.readouterr().err


def test_findings_of_the_whole_benchmark_name_its_path(tmp_path):
    file = tmp_path / "b.jsonl"
    file.write_text("".join(json.dumps(row(name=f"q{n}")) + "\n" for n in range(20)))
    (finding,) = inspect_and_lint(file)[1]
    assert (finding.code, finding.file, finding.line, finding.path) == ("tier-balance", str(file), None, ())
