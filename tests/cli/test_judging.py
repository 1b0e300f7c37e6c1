import json
from pathlib import Path

import polars as pl
import pytest

MEETS, MISSING = "meets", "missing"


def item(name, statement):
    return {"id": name, "type": "simple", "tier": "answer_critical", "statement": statement}


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def read_rows(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


class Bench:
    """A benchmark of two questions of two checks each, its answers and Ann's verdicts, as files to change."""

    def __init__(self, folder):
        self.folder = folder
        self.run = str(folder / "run")
        self.write()

    def write(self, *, name="bench", statement="Pesto has basil.", text="Basil.", herb=MEETS, drop=(), sample=0):
        questions = [
            {"id": q, "domain": "food", "question": f"What of {q}?"}
            | {"rubric": {"items": [item("herb", statement), item("nuts", "Pesto has nuts.")]}}
            for q in ("q1", "q2")
        ]
        unit = {"model": "m", "variant": "text_only", "sample": sample}
        answers = [unit | {"question_id": q, "response": text} for q in ("q1", "q2")]
        verdicts = [
            unit | {"question_id": q, "check_id": check, "judge": "ann", "verdict": herb if check == "herb" else MEETS}
            for q in ("q1", "q2")
            for check in ("herb", "nuts")
            if (q, check) not in drop
        ]
        self.questions = write_rows(self.folder / f"{name}.jsonl", questions)
        self.answers = write_rows(self.folder / "answers.jsonl", answers)
        self.verdicts = write_rows(self.folder / "verdicts.jsonl", verdicts)

    def judge(self, *more, judge=None):
        judge = judge or f"recorded:{self.verdicts}"
        return ("judge", self.questions, "--responses", self.answers, "--judge", judge, "--run", self.run, *more)

    def exported(self):
        """Verdicts by (question, check) from the Parquet file, and the first row of scores.json."""
        frame = pl.read_parquet(self.folder / "run" / "verdicts.parquet")
        verdicts = {
            (row["question_id"], row["check_id"]): row["verdict"] or row["error"] for row in frame.iter_rows(named=True)
        }
        assert len(verdicts) == len(frame)
        return verdicts, json.loads((self.folder / "run" / "scores.json").read_bytes())["scores"][0]


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_a_complete_run_exits_0_with_its_exports_and_messages_on_stderr(bench, gamut):
    code, out, err = gamut(*bench.judge())
    verdicts, row = bench.exported()
    assert code == 0
    assert verdicts == {(q, check): MEETS for q in ("q1", "q2") for check in ("herb", "nuts")}
    assert row["gamut"] == 1.0
    assert {"run.sqlite", "manifest.json", "report.html"} <= {file.name for file in (bench.folder / "run").iterdir()}
    assert "4 checks: 4 judged." in err
    assert "judged" not in out
    assert "100.0" in out


def test_the_same_command_again_asks_nothing(bench, gamut):
    gamut(*bench.judge())
    code, _, err = gamut(*bench.judge())
    assert (code, "0 judged, 4 known from before" in err) == (0, True)


def test_an_incomplete_run_exits_1_says_so_and_is_completed_by_the_same_command(bench, gamut):
    bench.write(drop=[("q2", "nuts")])
    code, _, err = gamut(*bench.judge())
    verdicts, row = bench.exported()
    assert code == 1
    assert "1 failed (not_recorded)" in err
    assert "1 of 2 questions are incomplete" in err
    assert verdicts["q2", "nuts"] == "not_recorded"
    assert (row["gamut"], row["n_incomplete"]) == (None, 1)
    bench.write()
    code, _, err = gamut(*bench.judge())
    verdicts, row = bench.exported()
    assert (code, row["gamut"], verdicts["q2", "nuts"]) == (0, 1.0, MEETS)


CHANGES = {
    "check": {"statement": "Pesto has fresh basil."},
    "response": {"text": "No basil."},
    "verdicts": {},
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_judged_again_and_changing_back_asks_nothing_and_shows_the_first_verdicts(bench, gamut, what):
    gamut(*bench.judge())
    a = bench.exported()
    bench.write(herb=MISSING, **CHANGES[what])
    gamut(*bench.judge())
    verdicts, row = bench.exported()
    assert [verdicts[q, "herb"] for q in ("q1", "q2")] == [MISSING, MISSING]
    assert row["gamut"] == 0.5
    bench.write()
    code, _, err = gamut(*bench.judge())
    assert "0 judged, 4 known from before" in err
    assert (code, bench.exported()) == (0, a)


def test_more_repeats_ask_only_what_is_new(bench, gamut):
    gamut(*bench.judge())
    code, _, err = gamut(*bench.judge("--repeats", "3"))
    assert code == 1
    assert "8 failed (not_recorded), 4" in err or "4 known from before, 8 failed (not_recorded)" in err


def test_only_the_variant_asked_for_is_judged(bench, gamut):
    code, out, err = gamut(*bench.judge("--variant", "image"))
    assert (code, out) == (2, "")
    assert "'image'" in err
    assert "text_only" in err
    assert gamut(*bench.judge("--variant", "text_only"))[0] == 0
    assert gamut(*bench.judge("--variant", "both"))[0] == 0


def test_several_files_and_several_judges_are_repeated_options(bench, gamut):
    rows = [row | {"judge": "ben"} for row in read_rows(bench.verdicts)]
    ben = write_rows(bench.folder / "ben.jsonl", rows)
    others = [row | {"model": "other"} for row in read_rows(bench.answers)]
    more = write_rows(bench.folder / "more.jsonl", others)
    gamut(*bench.judge("--judge", f"recorded:{ben}", "--responses", more))
    scores = json.loads((bench.folder / "run" / "scores.json").read_bytes())["scores"]
    found = {(row["model"], row["judge"]): row["gamut"] for row in scores}
    assert found == {("m", judge): 1.0 for judge in ("ann", "ben", "panel", "consensus")} | {
        ("other", judge): None for judge in ("ann", "ben", "panel", "consensus")
    }


def refused(bench, gamut, *arguments):
    code, out, err = gamut(*arguments)
    assert (code, out) == (2, "")
    assert not (bench.folder / "run").exists()
    return err


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        ("lexicl", ["'lexicl'", "did you mean 'lexical'"]),
        ("opnai/gpt-5.4", ["'opnai'", "did you mean 'openai'", "--judge-base-url"]),
        ("recorded", ["recorded:verdicts.jsonl"]),
        ("recorded:absent.jsonl", ["absent.jsonl"]),
    ],
)
def test_a_judge_that_cannot_be_had_stops_the_command_before_anything_else(bench, gamut, judge, words):
    err = refused(bench, gamut, *bench.judge(judge=judge))
    assert all(word in err for word in words)


@pytest.mark.parametrize("left_out", ["--responses", "--judge", "--run"])
def test_an_option_that_is_needed_is_named(bench, gamut, left_out):
    arguments = list(bench.judge())
    at = arguments.index(left_out)
    assert left_out in refused(bench, gamut, *arguments[:at], *arguments[at + 2 :])


@pytest.mark.parametrize(("option", "value"), [("--repeats", "0"), ("--composite", "asks"), ("--variant", "text")])
def test_a_wrong_value_is_refused_naming_the_option(bench, gamut, option, value):
    assert option in refused(bench, gamut, *bench.judge(option, value))


def test_a_question_id_that_comes_twice_is_refused_naming_both_places(bench, gamut):
    write_rows(bench.folder / "bench.jsonl", 2 * read_rows(bench.questions))
    err = refused(bench, gamut, *bench.judge())
    assert f"{bench.questions}:3" in err
    assert f"{bench.questions}:1" in err


def test_a_response_that_comes_twice_across_files_is_refused_naming_both_places(bench, gamut):
    again = write_rows(bench.folder / "again.jsonl", read_rows(bench.answers))
    err = refused(bench, gamut, *bench.judge("--responses", again))
    assert f"{again}:1" in err
    assert f"{bench.answers}:1" in err


def test_a_rubric_that_compiles_to_no_check_is_refused_naming_its_place(bench, gamut):
    optional = {"id": "how", "type": "process", "tier": "context", "goal": "making pesto"}
    optional |= {"steps": [{"text": "add salt", "required": False}]}
    row = {"id": "q1", "domain": "food", "question": "How?", "rubric": {"items": [optional]}}
    write_rows(bench.folder / "bench.jsonl", [row])
    assert f"{bench.questions}:1" in refused(bench, gamut, *bench.judge())


@pytest.mark.parametrize(
    ("change", "more", "words"),
    [
        ({"name": "other"}, (), ["benchmark", "'bench'", "'other'"]),
        ({}, ("--composite", "derive"), ["composite", "'ask'", "'derive'"]),
    ],
)
def test_a_folder_of_another_benchmark_or_mode_is_refused_naming_what_differs_and_left_alone(
    bench, gamut, change, more, words
):
    gamut(*bench.judge())
    before = (bench.folder / "run" / "manifest.json").read_bytes(), bench.exported()
    bench.write(**change)
    code, out, err = gamut(*bench.judge(*more))
    assert (code, out) == (2, "")
    assert all(word in err for word in (*words, "--run"))
    bench.write()
    assert ((bench.folder / "run" / "manifest.json").read_bytes(), bench.exported()) == before


def test_a_folder_that_holds_something_else_is_refused_and_left_alone(bench, gamut):
    (bench.folder / "run").mkdir()
    (bench.folder / "run" / "thesis.docx").touch()
    code, out, err = gamut(*bench.judge())
    assert (code, out) == (2, "")
    assert bench.run in err
    assert [file.name for file in (bench.folder / "run").iterdir()] == ["thesis.docx"]


def test_a_damaged_journal_is_refused(bench, gamut):
    (bench.folder / "run").mkdir()
    (bench.folder / "run" / "run.sqlite").write_text("This is not a database at all. " * 100)
    code, out, err = gamut(*bench.judge())
    assert (code, out) == (2, "")
    assert "run.sqlite" in err


def test_the_command_line_is_in_the_manifest(bench, gamut):
    gamut(*bench.judge())
    manifest = json.loads((bench.folder / "run" / "manifest.json").read_bytes())
    assert manifest["command"] == ["gamut", *bench.judge()]
