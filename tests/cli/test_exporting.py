import csv
import io
import json
import os
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import gamut_eval
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.cli.main import run as run_command

MINI = Path(gamut_eval.__file__).parent / "data" / "gamut_mini"
NO_UTF8 = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
HERB = {"id": "herb", "type": "simple", "tier": "answer_critical", "statement": "=Basil is in pesto."}
POOL = {
    "id": "pool",
    "type": "flexible_list",
    "tier": "valuable",
    "topic": "nuts",
    "min_coverage": 1,
    "options": ["pine nuts", "walnuts", "almonds"],
}
QUESTION = {"id": "q1", "domain": "food", "question": "What is in pesto?", "rubric": {"items": [HERB, POOL]}}
ANSWER = {
    "question_id": "q1",
    "model": "m",
    "variant": "text_only",
    "response": "Pesto has basil and pine nuts.",
    "seed": 7,
}


@pytest.fixture
def gamut(capsysbinary):
    """Runs the command in this process: exit code, bytes on stdout, text on stderr."""

    def run(*arguments):
        code = run_command([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return code, out, err.decode()

    return run


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def bench(tmp_path):
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "benchmark.yaml").write_text("name: pesto\nversion: 1.0.0\nquestions: q.jsonl\n")
    (tmp_path / "bench" / "q.jsonl").write_text(json.dumps(QUESTION))
    return tmp_path / "bench"


@pytest.fixture
def run_folder(tmp_path, bench, gamut):
    """A run with a verdict of the built-in judge for every check, and with an answer that failed."""
    rows = [ANSWER, {"question_id": "q1", "model": "n", "variant": "text_only", "error": "timeout"}]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    gamut("judge", bench, "--responses", tmp_path / "answers.jsonl", "--judge", "lexical", "--run", tmp_path / "run")
    return tmp_path / "run"


class TestOfABenchmark:
    def test_through_every_format_and_back_the_checks_are_the_same_bytes(self, gamut, tmp_path):
        shutil.copytree(MINI, tmp_path / "mini")
        food = tmp_path / "mini" / "questions" / "food-001.yaml"
        text = food.read_text(encoding="utf-8").replace(
            "statement: The drink is an espresso.", 'statement: "Es\\ufeffpresso\\r\\n\\u2028漢字 कॉफ़ी ☕."'
        )
        food.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
        before = load_benchmark(tmp_path / "mini")
        assert "☕" in before.by_id["food-001"].rubric.items[0].statement
        stations = [tmp_path / name for name in ("mini", "a.jsonl", "b.parquet", "c", "d.jsonl")]
        for source, target in pairwise(stations):
            command = [sys.executable, "-m", "gamut_eval", "export", source, "--questions", "-o", target]
            subprocess.run(command, check=True, capture_output=True, env=os.environ | NO_UTF8)
        compiled = {gamut("compile", station)[1] for station in stations}
        assert len(compiled) == 1
        assert {load_benchmark(station).hash for station in stations} == {before.hash}
        assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "d.jsonl").read_bytes()

    def test_a_folder_has_its_constants_and_a_file_says_that_they_are_left(self, gamut, tmp_path, bench):
        (bench / "benchmark.yaml").write_text("name: pesto\nquestions: q.jsonl\ncompile: {rules: 1, long_list: 3}\n")
        code, _, err = gamut("export", bench, "--questions", "-o", tmp_path / "out/")
        assert (code, err) == (0, f"Wrote 1 question to {tmp_path / 'out'}.\n")
        assert load_benchmark(tmp_path / "out").compile.long_list == 3
        _, _, err = gamut("export", bench, "--questions", "-o", tmp_path / "out.jsonl")
        assert "'scoring' and 'compile' settings are not in the file" in err
        assert "questions: out.jsonl" in err

    def test_images_go_along_into_a_folder_and_a_file_says_where_they_are(self, gamut, tmp_path, bench):
        (bench / "a.jpg").write_bytes(b"image")
        (bench / "q.jsonl").write_text(json.dumps(QUESTION | {"image": {"path": "a.jpg"}}))
        _, _, err = gamut("export", bench, "--questions", "-o", tmp_path / "out/")
        assert err.endswith(", with 1 image.\n")
        assert (tmp_path / "out" / "a.jpg").read_bytes() == b"image"
        _, _, err = gamut("export", bench, "--questions", "-o", tmp_path / "out.parquet")
        assert f"1 image in {bench}: copy" in err
        _, _, err = gamut("export", bench, "--questions", "-o", bench / "more.parquet")
        assert "copy" not in err
        assert load_benchmark(bench / "more.parquet").hash == load_benchmark(bench).hash

    def test_embedded_images_are_counted_and_those_in_packages_said_to_stay(self, gamut, tmp_path, bench):
        (bench / "a.jpg").write_bytes(b"image")
        (bench / "q.jsonl").write_text(json.dumps(QUESTION | {"image": {"path": "a.jpg", "license": "CC0"}}))
        layout = ("--questions", "--layout", "huggingface")
        err = gamut("export", bench, *layout, "--with-images", "-o", tmp_path / "with")[2]
        assert f"Wrote 1 question to {tmp_path / 'with'}, with 1 image embedded and 1 image file.\n" in err
        err = gamut("export", MINI, *layout, "-o", tmp_path / "mini")[2]
        assert f"Wrote 30 questions to {tmp_path / 'mini'}.\n" in err
        assert "10 images inside packages: not in the folder; --with-images embeds them.\n" in err

    @pytest.mark.parametrize("output", ["out.jsonl", "out.parquet", "out/", "hub"])
    def test_comments_that_are_lost_are_said_to_be(self, gamut, tmp_path, bench, output):
        (bench / "questions").mkdir()
        text = "# gamut: ignore vague-words\n" + json.dumps(QUESTION)
        (bench / "questions" / "q1.yaml").write_text(text)
        (bench / "benchmark.yaml").write_text("name: b\nlicense: CC0\n")
        layout = ["--layout", "huggingface"] if output == "hub" else []
        err = gamut("export", bench, "--questions", *layout, "-o", tmp_path / output.rstrip("/"))[2]
        assert "1 comment '# gamut: ignore' not taken along" in err

    def test_findings_in_parquet_name_the_question(self, gamut, tmp_path, bench):
        gamut("export", bench, "--questions", "-o", tmp_path / "b.parquet")
        out = gamut("validate", tmp_path / "b.parquet")[1].decode()
        assert "b.parquet:1: " in out
        assert all("'q1'" in line for line in out.splitlines())

    def test_checks_as_jsonl_are_those_of_compile(self, gamut, tmp_path, bench):
        gamut("export", bench, "--checks", "-o", tmp_path / "checks.jsonl")
        compiled = gamut("compile", bench)[1]
        assert (tmp_path / "checks.jsonl").read_bytes() == compiled
        code, out, err = gamut("export", bench, "--checks", "-o", "-")
        assert (code, out, err) == (0, compiled, "Wrote 5 checks to standard output.\n")

    def test_checks_as_parquet_have_their_structure(self, gamut, tmp_path, bench):
        gamut("export", bench, "--checks", "-o", tmp_path / "checks.parquet")
        frame = pl.read_parquet(tmp_path / "checks.parquet")
        assert frame["id"].to_list() == ["herb", "pool/at-least-1", "pool/pine-nuts", "pool/walnuts", "pool/almonds"]
        assert frame["text"][0] == "=Basil is in pesto."
        assert frame["threshold"].to_list() == [None, 1, None, None, None]
        assert [option["text"] for option in frame["options"][1]] == ["pine nuts", "walnuts", "almonds"]

    def test_checks_as_csv_run_no_formula(self, gamut, tmp_path, bench):
        gamut("export", bench, "--checks", "-o", tmp_path / "checks.csv")
        rows = list(csv.DictReader(io.StringIO((tmp_path / "checks.csv").read_bytes().decode(), newline="")))
        assert [row["id"] for row in rows][:2] == ["herb", "pool/at-least-1"]
        assert rows[0]["text"] == "'=Basil is in pesto."
        assert (rows[0]["tier"], rows[0]["kind"], rows[0]["evidence"]) == ("answer_critical", "fact", "")


class TestOfARun:
    def test_verdicts_read_back_as_recorded_give_the_same_scores(self, gamut, tmp_path, bench, run_folder):
        code, _, err = gamut("export", run_folder, "--verdicts", "-o", tmp_path / "v.jsonl")
        assert (code, err) == (0, f"Wrote 5 verdicts to {tmp_path / 'v.jsonl'}.\n")
        judge = ["--judge", f"recorded:{tmp_path / 'v.jsonl'}", "--run", tmp_path / "again"]
        gamut("judge", bench, "--responses", tmp_path / "answers.jsonl", *judge)
        first, again = (gamut("score", folder, "--format", "json")[1] for folder in (run_folder, tmp_path / "again"))
        assert first == again
        gamut("export", tmp_path / "again", "--verdicts", "-o", tmp_path / "w.jsonl")
        assert (tmp_path / "v.jsonl").read_bytes() == (tmp_path / "w.jsonl").read_bytes()
        assert set(lines(tmp_path / "v.jsonl")[0]) == {
            *("question_id", "model", "variant", "sample", "check_id", "judge", "repeat"),
            *("verdict", "quote", "rationale", "check_hash", "response_hash"),
        }

    def test_a_failed_judge_s_row_stays_an_error(self, gamut, tmp_path, bench):
        verdict = {**{name: ANSWER[name] for name in ("question_id", "model", "variant")}, "judge": "ann"}
        (tmp_path / "v.jsonl").write_text(
            json.dumps(verdict | {"check_id": "herb", "error": {"code": "slow", "message": "30 s"}})
        )
        (tmp_path / "a.jsonl").write_text(json.dumps(ANSWER))
        judge = ["--judge", f"recorded:{tmp_path / 'v.jsonl'}", "--run", tmp_path / "run"]
        gamut("judge", bench, "--responses", tmp_path / "a.jsonl", *judge)
        gamut("export", tmp_path / "run", "--verdicts", "-o", tmp_path / "w.jsonl")
        errors = {row["check_id"]: row["error"] for row in lines(tmp_path / "w.jsonl")}
        assert errors["herb"] == {"code": "slow", "message": "30 s"}
        assert errors["pool/walnuts"]["code"] == "not_recorded"
        assert all("verdict" not in row for row in lines(tmp_path / "w.jsonl"))

    def test_verdicts_as_parquet_are_those_of_the_run_folder(self, gamut, tmp_path, run_folder):
        gamut("export", run_folder, "--verdicts", "-o", tmp_path / "v.parquet")
        assert pl.read_parquet(tmp_path / "v.parquet").equals(pl.read_parquet(run_folder / "verdicts.parquet"))

    def test_responses_keep_their_other_fields(self, gamut, tmp_path, run_folder):
        gamut("export", run_folder, "--responses", "-o", tmp_path / "r.jsonl")
        answered, failed = lines(tmp_path / "r.jsonl")
        assert answered == ANSWER | {"sample": 0}
        assert failed["error"] == "timeout"
        gamut("export", run_folder, "--responses", "-o", tmp_path / "r.parquet")
        frame = pl.read_parquet(tmp_path / "r.parquet")
        assert frame["response"].to_list() == [ANSWER["response"], None]
        assert (frame["more"].to_list(), frame["error"].to_list()) == (['{"seed":7}', None], [None, "timeout"])

    def test_scores_are_those_of_the_run_folder_and_exit_1_while_incomplete(self, gamut, tmp_path, run_folder):
        code, _, err = gamut("export", run_folder, "--scores", "-o", tmp_path / "s.json")
        assert code == 1
        assert "1 of 1 questions are incomplete: n" in err
        assert (tmp_path / "s.json").read_bytes() == (run_folder / "scores.json").read_bytes()
        expected = json.loads((tmp_path / "s.json").read_bytes())["scores"]
        assert gamut("export", run_folder, "--scores", "-o", tmp_path / "s.jsonl")[0] == 1
        assert lines(tmp_path / "s.jsonl") == expected
        gamut("export", run_folder, "--scores", "-o", tmp_path / "s.parquet")
        assert pl.read_parquet(tmp_path / "s.parquet").to_dicts() == expected

    def test_its_questions_and_checks_are_those_of_its_benchmark(self, gamut, tmp_path, bench, run_folder):
        for what in ("questions", "checks"):
            for source, name in ((bench, "a.jsonl"), (run_folder, "b.jsonl")):
                assert gamut("export", source, f"--{what}", "-o", tmp_path / name)[0] == 0
            assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
        _, _, err = gamut("export", run_folder, "--questions", "-o", tmp_path / "out/")
        again = load_benchmark(tmp_path / "out")
        assert (again.name, again.version, again.hash) == ("pesto", "1.0.0", load_benchmark(bench).hash)
        assert err == f"Wrote 1 question to {tmp_path / 'out'}.\n"

    def test_its_compile_settings_go_along_into_a_folder(self, gamut, tmp_path, bench):
        (bench / "benchmark.yaml").write_text("name: pesto\nquestions: q.jsonl\ncompile: {rules: 1, long_list: 3}\n")
        (tmp_path / "a.jsonl").write_text(json.dumps(ANSWER))
        gamut("judge", bench, "--responses", tmp_path / "a.jsonl", "--judge", "lexical", "--run", tmp_path / "run")
        assert gamut("export", tmp_path / "run", "--questions", "-o", tmp_path / "out/")[0] == 0
        assert gamut("compile", tmp_path / "out")[1] == gamut("compile", bench)[1]
        assert load_benchmark(tmp_path / "out").compile.long_list == 3


class TestWrongUse:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["-o", "x.jsonl"], "choose one of --questions, --checks, --responses, --verdicts, --scores"),
            (["--questions", "--checks", "-o", "x.jsonl"], "choose one of"),
            (["--questions"], "Missing option '-o'"),
            (
                ["--questions", "-o", "x.csv"],
                "--questions cannot be written to the ending '.csv'; choose .jsonl or .parquet",
            ),
            (["--checks", "-o", "x"], "--checks cannot be written to a folder; choose .jsonl or .parquet or .csv"),
            (["--checks", "-o", "x.xlsx"], "the ending '.xlsx'"),
            (["--verdicts", "-o", "x.jsonl"], "is a benchmark; name a run folder (one with run.sqlite)"),
            (["--questions", "-o", "bench"], "is not empty; nothing was written"),
        ],
    )
    @pytest.mark.usefixtures("bench")
    def test_it_says_what_to_do_and_writes_nothing(self, gamut, tmp_path, monkeypatch, arguments, words):
        monkeypatch.chdir(tmp_path)
        before = sorted(tmp_path.rglob("*"))
        code, out, err = gamut("export", "bench", *arguments)
        assert (code, out) == (2, b"")
        assert words in " ".join(err.split())
        assert sorted(tmp_path.rglob("*")) == before
