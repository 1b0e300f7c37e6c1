"""`gamut gaps`: its formats, its options, its refusals."""

import csv
import io
import json

import pytest
from ruamel.yaml import YAML

pytest.importorskip("sklearn")

import gamut_eval

TEXTS = {"a": "=Weddings and parties often serve jollof.", "b": "Jollof is often served at parties and weddings."}


@pytest.fixture
def made(tmp_path):
    """Makes a run of two models and two questions, the second answered alike by nobody."""

    def make(name="run", texts=TEXTS):
        fact = {"id": "rice", "type": "simple", "tier": "answer_critical", "statement": "It is made of rice."}
        questions = [
            {"id": q, "domain": "food", "question": "How is it made?", "rubric": {"items": [fact]}}
            for q in ("q1", "q2")
        ]
        other = {"a": "Volcanoes erupt with lava.", "b": "Violins need humid cellars."}
        answers = [
            {"question_id": q, "model": model, "variant": "text_only", "response": text}
            for q, own in (("q1", texts), ("q2", other))
            for model, text in own.items()
        ]
        gamut_eval.evaluate(questions, answers, "lexical", run=tmp_path / name).close()
        return str(tmp_path / name)

    return make


def test_the_table_lists_gaps_and_warns(made, gamut, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    code, out, _ = gamut("gaps", made())
    assert code == 0
    assert "2 of 2" in out
    assert "Jollof is often served" in out
    assert "Shared does not mean true" in out


def test_the_shared_statement_is_in_the_table_also_where_it_is_the_only_one(made, gamut, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = gamut("gaps", made())
    assert "Shared statement:" not in out
    assert "Question: q1" not in out
    row = out.split("─")[-1].split("1 statement that no check covers")[0]
    assert {"q1", "Jollof", "weddings."} <= set(row.split())


def test_json_has_every_wording(made, gamut):
    code, out, err = gamut("gaps", made(), "--format", "json")
    data = json.loads(out)
    (gap,) = data["gaps"]
    assert code == 0
    assert "1 gap. Shared does not mean true" in err
    assert (gap["question_id"], gap["models"], gap["share"]) == ("q1", ["a", "b"], 1.0)
    assert {wording["text"] for wording in gap["wordings"]} == set(TEXTS.values())
    assert set(gap["nearest"]) == {"check_id", "text", "similarity"}
    assert (data["models"], data["threshold"]) == (2, 0.2)


def test_csv_has_no_formula(made, gamut):
    _, out, _ = gamut("gaps", made(), "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(out))
    assert row["question_id"] == "q1"
    assert (row["n_stating_models"], row["models"]) == ("2", "a, b")
    assert not any(cell.startswith("=") for cell in row.values())
    assert "'=Weddings and parties often serve jollof." in row.values()


@pytest.mark.parametrize(
    ("name", "within"),
    [
        ("gaps.md", "| q1 | "),
        ("gaps.CSV", "question_id,statement,"),
        ("gaps.json", '"threshold": 0.2'),
        ("gaps.yml", "\nq1:"),
        ("gaps.txt", "What answers share"),
    ],
)
def test_a_file_s_ending_says_the_format(made, gamut, tmp_path, name, within):
    code, out, _ = gamut("gaps", made(), "-o", str(tmp_path / name))
    assert (code, out) == (0, "")
    assert within in (tmp_path / name).read_text(encoding="utf-8")


def test_a_format_goes_before_the_ending_and_without_either_there_is_an_error(made, gamut, tmp_path):
    run = made()
    gamut("gaps", run, "--format", "markdown", "-o", str(tmp_path / "gaps.csv"))
    assert "| q1 | " in (tmp_path / "gaps.csv").read_text(encoding="utf-8")
    code, _, err = gamut("gaps", run, "-o", str(tmp_path / "gaps.tex"))
    assert code == 2
    assert "known: .txt, .json, .csv, .md, .markdown, .yaml, .yml); say it with --format" in err


def test_yaml_has_items_that_the_rubric_takes(made, gamut):
    from gamut_eval.rubric.items.simple import Simple

    _, out, _ = gamut("gaps", made(), "--format", "yaml")
    assert out.startswith("# Shared does not mean true")
    (item,) = YAML(typ="safe").load(out)["q1"]
    assert Simple.model_validate(item).statement in TEXTS.values()


def test_questions_and_models_are_chosen(made, gamut):
    run = made()
    assert json.loads(gamut("gaps", run, "--question", "q2", "--format", "json")[1])["gaps"] == []
    assert json.loads(gamut("gaps", run, "--models", "3", "--format", "json")[1])["gaps"] == []
    assert json.loads(gamut("gaps", run, "--variant", "image", "--format", "json")[1])["gaps"] == []
    assert "No statement" in gamut("gaps", run, "--question", "q2")[1]


def test_runs_are_joined(made, gamut):
    first, second = made("first", {"a": TEXTS["a"]}), made("second", {"b": TEXTS["b"]})
    _, out, _ = gamut("gaps", first, second, "--question", "q1", "--format", "json")
    (gap,) = json.loads(out)["gaps"]
    assert gap["n_models"] == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--question", "q3"), "unknown question 'q3'"),
        (("--threshold", "1.5"), "--threshold is 1.5"),
        (("--models", "1"), "--models"),
        (("--models", "1" + 23 * "0"), "is not in the range 2<=x<=9999"),
    ],
)
def test_wrong_options_are_refused(made, gamut, options, said):
    code, _, err = gamut("gaps", made(), *options)
    assert code == 2
    assert said in err
