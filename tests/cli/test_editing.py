"""`gamut edit`, `gamut compile --diff`, and a run that goes on with an edited benchmark."""

import json
import shutil

import pytest

from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.cli.main import run


@pytest.fixture
def starter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["init", "bench"]) == 0
    return tmp_path / "bench"


def edit(*words):
    return run(["edit", "bench", "food-001", *words, "--author", "Ada", "--reason", "a test"])


def checks():
    return {check.id: check for check in load_benchmark("bench").checks["food-001"]}


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (["herb", "--reword", 'Say "basil": ½'], lambda after: after["herb"].text == 'Say "basil": ½'),
        (["herb", "--retier", "context"], lambda after: after["herb"].tier == "context"),
        (["herb", "--drop"], lambda after: "herb" not in after),
        (["oil", "--add", "Pesto has oil.", "--tier", "valuable"], lambda after: after["oil"].source == "added"),
    ],
)
def test_each_operation_is_written_and_takes_effect(starter, words, seen):
    file = starter / "questions" / "food-001.yaml"
    before = file.read_text(encoding="utf-8").splitlines()
    assert edit(*words) == 0
    assert seen(checks())
    after = file.read_text(encoding="utf-8").splitlines()
    assert [line for line in after if line in set(before)] == before  # comments, order and layout are kept


def test_edits_follow_each_other_in_one_list(starter):
    assert edit("herb", "--retier", "valuable") == 0
    assert edit("herb", "--reword", "Basil.") == 0
    after = checks()["herb"]
    assert (after.tier, after.text) == ("valuable", "Basil.")


def test_a_jsonl_benchmark_is_edited_in_its_line(starter, tmp_path):
    assert run(["export", "bench", "--questions", "-o", "flat.jsonl"]) == 0
    words = ["--author", "Ada", "--reason", "r"]
    assert run(["edit", "flat.jsonl", "food-001", "herb", "--drop", *words]) == 0
    assert "herb" not in {check.id for check in load_benchmark("flat.jsonl").checks["food-001"]}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["herbs", "--drop"], "did you mean 'herb'"),
        (["herb", "--reword", " "], "text: must not be empty"),
        (["herb"], "give one of --reword"),
        (["herb", "--drop", "--reword", "x"], "give one of --reword"),
        (["herb", "--add", "x"], "--add and --tier go together"),
        (["herb", "--add", "x", "--tier", "context"], "already has a check 'herb'"),
        (["a b", "--add", "x", "--tier", "context"], "check"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(starter, words, message, capsys):
    file = starter / "questions" / "food-001.yaml"
    before = file.read_bytes()
    assert edit(*words) == 2
    assert message in capsys.readouterr().err
    assert file.read_bytes() == before


def test_a_stale_edit_is_reported_and_exits_1(starter, capsys):
    assert edit("herb", "--retier", "context") == 0
    file = starter / "questions" / "food-001.yaml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("made with fresh basil", "made of basil"), encoding="utf-8"
    )
    for words in (["compile", "bench"], ["validate", "bench"], ["stats", "bench"]):
        assert run(words) == 1
        shown = capsys.readouterr()
        assert "food-001.yaml:" in shown.err + shown.out
        assert "has changed since" in shown.err + shown.out


def test_diff_says_what_a_run_asks_again(starter, capsys):
    shutil.copytree("bench", "old")
    edit("herb", "--retier", "context")
    edit("uses/at-least-2", "--reword", "Names gnocchi.")
    edit("oil", "--add", "Pesto has oil.", "--tier", "valuable")
    edit("gentle", "--drop")
    capsys.readouterr()
    assert run(["compile", "bench", "--diff", "old", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {(c["check_id"], c["what"], c["asked_again"]) for c in found["changes"]} == {
        ("herb", "retiered", False),
        ("uses/at-least-2", "reworded", True),
        ("oil", "added", True),
        ("gentle", "removed", False),
    }
    assert found["n_asked_again"] == 2
    assert set(found["old"]) == set(found["new"]) == {"name", "version", "hash"}


def test_another_question_text_asks_everything_again(starter, capsys):
    shutil.copytree("bench", "old")
    file = starter / "questions" / "food-001.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("What goes into", "What is in"), encoding="utf-8")
    capsys.readouterr()
    run(["compile", "bench", "--diff", "old", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert {c["what"] for c in found["changes"]} == {"question"}
    assert found["n_asked_again"] == len(checks())


def test_a_run_judges_only_what_changed_and_says_how_the_score_moved(starter, capsys):
    words = ["judge", "bench", "--responses", "bench/responses.jsonl", "--judge", "lexical", "--run", "run"]
    assert run(words) == 0
    edit("herb", "--retier", "context")
    capsys.readouterr()
    assert run(words) == 0
    moved = capsys.readouterr().err
    assert "24 checks: 0 judged, 24 known" in moved
    assert "The benchmark has changed: written-short" in moved
    edit("uses/at-least-2", "--reword", "Names gnocchi.")
    assert run(words) == 0
    assert "24 checks: 2 judged, 22 known" in capsys.readouterr().err
