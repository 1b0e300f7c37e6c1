import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gamut_eval.cli.main import run as run_command

GOLDEN = Path(__file__).parents[1] / "golden"
FACT = {"id": "fact", "type": "simple", "tier": "context", "statement": "It is so."}
QUESTION = {"id": "q1", "domain": "d", "question": "What?", "rubric": {"items": [FACT]}}
NO_UTF8 = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}


@pytest.fixture
def gamut(capsysbinary):
    """Runs the command in this process: exit code, bytes on stdout, text on stderr."""

    def run(*arguments):
        code = run_command([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return code, out, err.decode()

    return run


@pytest.fixture
def bench(tmp_path):
    (tmp_path / "bench.jsonl").write_text(json.dumps(QUESTION))
    return tmp_path / "bench.jsonl"


def process(*arguments, **options):
    """Runs the command as a process of its own."""
    command = [sys.executable, "-m", "gamut_eval", *map(str, arguments)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    options["env"] = os.environ | options.get("env", {})
    return subprocess.run(command, check=False, **options)


class TestInit:
    def test_the_starter_is_a_sound_benchmark_that_can_be_judged_at_once(self, gamut, tmp_path):
        code, out, err = gamut("init", tmp_path / "my bench")
        assert (code, out) == (0, b"")
        assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()) == [
            "my bench/benchmark.yaml",
            "my bench/questions/food-001.yaml",
            "my bench/responses.jsonl",
        ]
        assert gamut("validate", tmp_path / "my bench")[0] == 0
        judge = shlex.split(err.splitlines()[-1].removeprefix("Then: gamut "))
        assert gamut(*judge)[0] == 0

    def test_the_starter_uses_every_item_type(self, gamut, tmp_path):
        gamut("init", tmp_path)
        _, out, _ = gamut("compile", tmp_path)
        kinds = {json.loads(line)["kind"] for line in out.splitlines()}
        assert kinds == {"fact", "list_item", "coverage", "step", "sequence", "relationship", "insight"}

    @pytest.mark.parametrize("taken", ["benchmark.yaml", "responses.jsonl", "questions/food-001.yaml"])
    def test_nothing_that_exists_is_overwritten(self, gamut, tmp_path, taken):
        (tmp_path / taken).parent.mkdir(exist_ok=True)
        (tmp_path / taken).write_text("mine")
        code, _, err = gamut("init", tmp_path)
        assert code == 2
        assert f"already has {taken}; nothing was written, name another folder" in err
        assert [path.read_text() for path in tmp_path.rglob("*") if path.is_file()] == ["mine"]

    @pytest.mark.parametrize("target", ["file", "file/deeper", "folder", "x" * 300])
    def test_a_folder_that_cannot_be_made_is_one_message_and_leaves_nothing(self, gamut, tmp_path, target):
        (tmp_path / "file").touch()
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "questions").touch()
        before = sorted(tmp_path.rglob("*"))
        code, out, err = gamut("init", tmp_path / target)
        assert (code, out) == (2, b"")
        assert re.fullmatch(
            r"error: \S+/questions/food-001\.yaml: (a part of the path is a file.*|file name too long; .*)\n", err
        )
        assert sorted(tmp_path.rglob("*")) == before


class TestSchema:
    @pytest.mark.parametrize(
        ("arguments", "field"), [((), "rubric"), (("question",), "rubric"), (("benchmark",), "scoring")]
    )
    def test_it_is_json_schema_that_knows_the_fields_and_no_others(self, gamut, arguments, field):
        code, out, _ = gamut("schema", *arguments)
        schema = json.loads(out)
        assert code == 0
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert field in schema["properties"]
        assert schema["additionalProperties"] is False

    def test_an_option_or_a_step_may_be_a_bare_text_there(self, gamut):
        definitions = json.loads(gamut("schema")[1])["$defs"]
        for name, field in (("StrictList", "options"), ("FlexibleList", "options"), ("Process", "steps")):
            kinds = {kind.get("type", "mapping") for kind in definitions[name]["properties"][field]["items"]["anyOf"]}
            assert kinds == {"string", "mapping"}

    def test_lambda_has_its_name_in_files(self, gamut):
        scoring = json.loads(gamut("schema", "benchmark")[1])["$defs"]["ScoringSettings"]
        assert sorted(scoring["properties"]) == ["lambda", "mu", "weights"]

    def test_it_can_be_written_to_a_file(self, gamut, tmp_path):
        _, out, _ = gamut("schema")
        assert gamut("schema", "-o", tmp_path / "a" / "s.json") == (0, b"", "")
        assert (tmp_path / "a" / "s.json").read_bytes() == out


class TestValidate:
    def test_all_is_well(self, gamut, tmp_path):
        gamut("init", tmp_path)
        code, out, err = gamut("validate", tmp_path)
        assert code == 0
        assert b"error" not in out
        assert b"warning" not in out
        assert err.startswith("1 question, 12 checks: ")

    def test_json_has_the_shape_of_the_contract(self, gamut, tmp_path):
        gamut("init", tmp_path)
        code, out, err = gamut("validate", tmp_path, "--format", "json")
        found = json.loads(out)
        assert (code, err) == (0, "")
        assert list(found) == ["ok", "n_questions", "findings"]
        assert (found["ok"], found["n_questions"]) == (True, 1)
        assert {finding["severity"] for finding in found["findings"]} <= {"info"}

    def test_a_mistake_is_shown_with_file_line_and_column(self, gamut, tmp_path):
        path = tmp_path / "q.yaml"
        path.write_text(json.dumps(QUESTION, indent=1).replace('"tier": "context"', '"tier": "ctx"'))
        code, out, err = gamut("validate", path)
        message = "rubric.items[0].tier: 'ctx' is not one of answer_critical, valuable, context"
        assert (code, err) == (2, "1 error\n")
        assert out.decode() == f"{path}:10:13: error: {message} [schema]\n"
        code, out, err = gamut("validate", path, "--format", "json")
        assert (code, err) == (2, "")
        assert json.loads(out) == {
            "ok": False,
            "n_questions": 0,
            "findings": [
                {
                    "code": "schema",
                    "severity": "error",
                    "message": message,
                    "file": str(path),
                    "line": 10,
                    "column": 13,
                    "question_id": "q1",
                }
            ],
        }

    def test_a_warning_is_shown_and_exits_1(self, gamut, tmp_path):
        text = (GOLDEN / "jollof.yaml").read_text().replace("min_coverage: 2", "min_coverage: 6")
        (tmp_path / "q.yaml").write_text(text)
        shutil.copytree(GOLDEN / "images", tmp_path / "images")
        code, out, err = gamut("validate", tmp_path / "q.yaml")
        assert code == 1
        (line,) = [line for line in out.decode().splitlines() if line.endswith("[coverage-is-all]")]
        assert line.startswith(f"{tmp_path / 'q.yaml'}:21:21: warning: all 6 options are required")
        assert "warning" in err
        found = json.loads(gamut("validate", tmp_path / "q.yaml", "--format", "json")[1])
        assert (found["ok"], found["n_questions"]) == (True, 1)
        assert {finding["severity"] for finding in found["findings"]} <= {"warning", "info"}

    def test_duplicate_ids_are_found_before_anything_else_and_name_both_places(self, gamut, bench):  # B37
        bench.write_text("\n".join([json.dumps(QUESTION)] * 2))
        code, out, _ = gamut("validate", bench)
        assert code == 2
        errors = [line for line in out.decode().splitlines() if ": error: " in line]
        assert errors == [f"{bench}:2: error: the question id 'q1' is taken: it is also at {bench}:1 [duplicate-id]"]

    @pytest.mark.parametrize("path", ["none", "folder.jsonl", "folder.yaml", "x" * 300])
    def test_what_cannot_be_read_is_one_message(self, gamut, tmp_path, path):
        (tmp_path / "folder.jsonl").mkdir()
        (tmp_path / "folder.yaml").mkdir()
        code, out, err = gamut("validate", tmp_path / path)
        assert (code, err) == (2, "1 error\n")
        assert out.decode().startswith(f"{tmp_path / path}: error: ")
        assert out.count(b"\n") == 1


class TestCompile:
    def test_the_example_gives_the_golden_checks(self, gamut):
        code, out, err = gamut("compile", GOLDEN / "jollof.yaml")
        assert (code, err) == (0, "")
        assert out == (GOLDEN / "jollof.checks.jsonl").read_bytes()

    def test_formats_hold_the_same_checks(self, gamut):
        rows = [json.loads(line) for line in (GOLDEN / "jollof.checks.jsonl").read_bytes().splitlines()]
        assert json.loads(gamut("compile", GOLDEN / "jollof.yaml", "--format", "json")[1]) == rows
        for option in (("--format", "table"), ("--explain",)):
            shown = gamut("compile", GOLDEN / "jollof.yaml", *option)[1].decode()
            assert all(re.search(rf"\b{re.escape(row['id'])}\b", shown) for row in rows)

    def test_explain_shows_each_check_under_its_item(self, gamut):
        lines = gamut("compile", GOLDEN / "jollof.yaml", "--explain")[1].decode().splitlines()
        assert "food-001" in lines[0]
        assert "(10 AC, 3 Val, 7 Ctx)" in lines[0]
        place = {name: next(n for n, line in enumerate(lines) if name in line) for name in ("spices:", "cooking:")}
        thyme = next(n for n, line in enumerate(lines) if "spices/thyme" in line)
        assert place["spices:"] < thyme < place["cooking:"]

    def test_flat_has_no_coverage_sequence_or_insight(self, gamut):
        _, out, _ = gamut("compile", GOLDEN / "jollof.yaml", "--flat")
        kinds = [json.loads(line)["kind"] for line in out.splitlines()]
        assert {kind: kinds.count(kind) for kind in kinds} == {"fact": 1, "list_item": 9, "step": 6, "relationship": 1}

    def test_questions_can_be_picked_by_id(self, gamut, bench):
        bench.write_text("\n".join(json.dumps(QUESTION | {"id": name}) for name in ("food-1", "food-2", "car")))
        _, out, _ = gamut("compile", bench, "--question", "car", "--question", "food-1")
        assert [json.loads(line)["question_id"] for line in out.splitlines()] == ["car", "food-1"]
        assert gamut("compile", bench, "--question", "cat") == (
            *(2, b"", "error: unknown question 'cat' (did you mean 'car'?)\n"),
        )

    def test_what_is_shown_is_not_written_to_a_file_without_a_word(self, gamut, bench, tmp_path):
        for option in (("--explain",), ("--format", "table")):
            code, out, err = gamut("compile", bench, *option, "-o", tmp_path / "out")
            assert (code, out) == (2, b"")
            assert "-o" in err
        assert not (tmp_path / "out").exists()

    def test_a_broken_benchmark_gives_its_mistakes_and_no_half_output(self, gamut, bench, tmp_path):
        bench.write_text(json.dumps(QUESTION) + '\n{"id": 1}')
        (tmp_path / "out").write_text("old")
        code, out, err = gamut("compile", bench, "-o", tmp_path / "out")
        assert (code, out) == (2, b"")
        assert err.startswith(f"error: {bench}:2: id: must be a text, but is 1\n")
        assert (tmp_path / "out").read_text() == "old"

    @pytest.mark.parametrize("target", ["folder", "bench.jsonl/out", "x" * 300])
    def test_an_output_that_cannot_be_written_is_one_message(self, gamut, bench, tmp_path, target):
        (tmp_path / "folder").mkdir()
        code, out, err = gamut("compile", bench, "-o", tmp_path / target)
        assert (code, out) == (2, b"")
        assert err.startswith(f"error: {tmp_path / target}: ")
        assert err.count("\n") == 1

    def test_standard_input_is_read_as_jsonl(self, bench):
        done = process("compile", "-", input=bench.read_bytes())
        assert (done.returncode, json.loads(done.stdout)["id"], done.stderr) == (0, "fact", b"")

    def test_yaml_and_jsonl_give_the_same_bytes_in_processes_with_other_hash_seeds(self, gamut, tmp_path):
        rows = [json.loads(line) for line in (GOLDEN / "jollof.checks.jsonl").read_bytes().splitlines()]
        assert len(rows) == 20
        shutil.copytree(GOLDEN / "images", tmp_path / "images")
        from ruamel.yaml import YAML

        data = YAML(typ="safe", pure=True).load((GOLDEN / "jollof.yaml").read_text())
        (tmp_path / "q.jsonl").write_text(json.dumps(data, default=str))
        for seed in ("1", "2"):
            done = process("compile", tmp_path / "q.jsonl", env={"PYTHONHASHSEED": seed})
            assert done.stdout == (GOLDEN / "jollof.checks.jsonl").read_bytes()


class TestPlaces:
    """Terminals, encodings and disks."""

    @pytest.fixture
    def world(self, tmp_path):
        """A benchmark whose every text and file name has accents, other scripts and emoji."""
        folder = tmp_path / "Prüfung-評価"
        (folder / "質問").mkdir(parents=True)
        (folder / "benchmark.yaml").write_text("name: Prüfung 🍅\nquestions: 質問/\n", encoding="utf-8")
        item = {
            "id": "zutaten",
            "type": "strict_list",
            "tier": "valuable",
            "topic": "Süßes 🍬",
            "options": ["餅", "crème"],
        }
        row = QUESTION | {"question": "何?", "image": {"path": "質問/é.jpg"}, "rubric": {"items": [item]}}
        (folder / "質問" / "é.yaml").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
        (folder / "質問" / "é.jpg").write_bytes(b"jpg")
        return folder

    def test_files_are_utf8_whatever_the_locale(self, world):  # B66
        plain, other = (process("compile", world, env=env) for env in ({"PYTHONUTF8": "1"}, NO_UTF8))
        assert (other.returncode, other.stderr) == (0, b"")
        assert other.stdout == plain.stdout
        ids = [json.loads(line)["id"] for line in other.stdout.decode().splitlines()]
        assert ids == ["zutaten/餅", "zutaten/crème"]

    @pytest.mark.parametrize("arguments", [("compile", "--explain"), ("compile", "--format", "table")])
    def test_a_terminal_without_the_letters_shows_their_codes(self, world, arguments):  # B66
        done = process(arguments[0], world, *arguments[1:], env=NO_UTF8)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"zutaten/\\u9905" in done.stdout
        assert b"cr\\xe8me" in done.stdout

    def test_mistakes_in_such_files_are_told_too(self, world):  # B66
        (world / "質問" / "é.yaml").write_text("id: é\nü: 1\n", encoding="utf-8")
        done = process("validate", world, env=NO_UTF8)
        assert done.returncode == 2
        assert "unknown field 'ü'".encode() in done.stdout
        assert b"Traceback" not in done.stderr
        done = process("validate", world, "--format", "json", env=NO_UTF8)
        found = json.loads(done.stdout)["findings"]
        assert {finding["file"] for finding in found} == {str(world / "質問" / "é.yaml")}
        assert "unknown field 'ü'" in " ".join(finding["message"] for finding in found)

    def test_a_file_name_that_is_no_utf8_is_shown_by_codes(self, gamut, tmp_path):
        path = os.fsencode(tmp_path) + b"/\xff.yaml"
        with open(path, "w") as stream:
            stream.write("id: 1.1")
        code, out, _ = gamut("validate", os.fsdecode(path), "--format", "json")
        assert code == 2
        assert json.loads(out)["findings"][0]["file"] == f"{tmp_path}/\\xff.yaml"

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    @pytest.mark.parametrize(
        "arguments",
        [("compile",), ("compile", "--format", "table"), ("compile", "--explain"), ("validate", "--format", "json")],
    )
    def test_a_full_disk_behind_standard_output_is_one_message(self, bench, arguments):
        with open("/dev/full", "wb") as full:
            done = process(arguments[0], bench, *arguments[1:], stdout=full)
        assert done.returncode == 2
        assert (
            done.stderr == b"error: standard output: the disk is full; free some space and run the same command again\n"
        )

    def test_a_disk_that_fills_up_half_way_leaves_the_old_file(self, tmp_path):
        (tmp_path / "out").write_text("old")
        done = process(
            *("compile", GOLDEN / "jollof.yaml", "-o", tmp_path / "out"),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
            env={"PYTHONDONTWRITEBYTECODE": "1"},
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(f"error: {tmp_path / 'out'}: ".encode())
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "old")]

    @pytest.mark.parametrize("closed", [0, 1, 2])
    def test_a_closed_stream_is_no_crash(self, bench, closed):
        done = process("compile", bench, preexec_fn=lambda: os.close(closed))
        assert done.returncode == 0
        assert b"bug" not in done.stderr

    def test_a_reader_that_has_seen_enough_is_no_error(self, bench):
        bench.write_text("\n".join(json.dumps(QUESTION | {"id": f"q{n}"}) for n in range(2000)))
        command = [sys.executable, "-m", "gamut_eval", "compile", str(bench)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdout.readline()
            child.stdout.close()
            assert (child.stderr.read(), child.wait()) == (b"", 0)
