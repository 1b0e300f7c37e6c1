import io
import json

import pytest
from PIL import Image

from gamut_eval.benchmark.importing.source import source_names
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.cli.main import run as run_command

RUBRIC = [{"tier": "AC", "text": "It is tea."}, {"tier": "Val", "text": "It is green."}]
JUDGED = [("It is raw.", "Entailment"), ("It may make ill.", "Neutral"), ("It is not safe.", "Contradiction")]
ROWS = [{"id": f"q{n}", "question": f"What is {n}?", "rubric": RUBRIC} for n in (1, 2)]


@pytest.fixture
def gamut(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = run_command([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def picture(kind="JPEG", **options):
    stream = io.BytesIO()
    Image.new("RGB", (64, 64), "red").save(stream, kind, **options)
    return stream.getvalue()


def test_help_lists_every_source_with_its_line(gamut):
    code, out, _ = gamut("import", "--help")
    assert code == 0
    shown = " ".join(out.split())
    assert all(f"{name} " in shown for name in source_names())
    assert "K-QA: must_have and nice_to_have facts" in shown


def test_from_import_to_scores(gamut, tmp_path):
    jsonl(tmp_path / "test.jsonl", ROWS)
    code, out, err = gamut("import", "gamut", "test.jsonl", "-o", "bench", "--name", "mine")
    assert (code, out) == (0, "")
    assert err.endswith(
        "Wrote 2 questions with 4 checks to bench.\nNext: gamut validate bench\n"
        "For its images: gamut import crag-mm crag-mm-2025/crag-mm-single-turn-public -o bench\n"
    )
    assert load_benchmark(tmp_path / "bench").name == "mine"
    assert gamut("validate", "bench")[0] == 0
    answers = [{"qid": row["id"], "output": "It is green tea."} for row in ROWS]
    jsonl(tmp_path / "answers.jsonl", answers)
    command = ["import", "responses", "answers.jsonl", "-o", "r.jsonl", "--benchmark", "bench", "--model", "m"]
    following = "Next: gamut judge bench --responses r.jsonl --judge JUDGE --run DIR\n"
    assert gamut(*command) == (0, "", f"Wrote 2 responses of 1 model to r.jsonl.\n{following}")
    assert gamut("judge", "bench", "--responses", "r.jsonl", "--judge", "lexical", "--run", "run")[0] == 0
    scores = json.loads(gamut("score", "run", "--format", "json")[1])["scores"]
    assert [(row["model"], row["n_questions"], row["n_incomplete"]) for row in scores] == [("m", 2, 0)]


def test_standard_input_and_output(gamut, tmp_path, monkeypatch):
    class Stdin:
        buffer = io.BytesIO("".join(json.dumps(row) + "\n" for row in ROWS).encode())

    monkeypatch.setattr("sys.stdin", Stdin)
    code, out, err = gamut("import", "gamut", "-", "-o", "-")
    assert code == 0
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["q1", "q2"]
    assert "to standard output." in err


def test_of_a_file_the_licence_is_said_since_no_file_has_it(gamut, tmp_path):
    jsonl(tmp_path / "test.jsonl", ROWS)
    assert (
        "Their licence is CC-BY-NC-4.0; only a folder says so"
        in gamut("import", "gamut", "test.jsonl", "-o", "b.jsonl")[2]
    )


def test_judged_answers_of_kqa_are_judged_again(gamut, tmp_path):
    checks = [{"fact": text, "tier": "Must_have", "labels": [label] * 3} for text, label in JUDGED]
    row = {"id": "k1", "question": "Is raw egg safe?", "must_have": ["Not this."], "nice_to_have": []}
    row["judged"] = [{"model": "m", "answer": "Raw egg is safe.", "checks": checks}]
    jsonl(tmp_path / "kqa.jsonl", [row])
    code, out, err = gamut("import", "kqa", "kqa.jsonl", "-o", "bench", "--judged", "judged")
    assert (code, out) == (0, "")
    command = "gamut judge bench --responses judged/responses.jsonl --judge recorded:judged/verdicts.jsonl"
    assert f"To test a judge: {command} --judge JUDGE --subset --run DIR\n" in err
    assert gamut(*command.split()[1:], "--run", "run")[0] == 0
    out = gamut("export", "run", "--verdicts", "-o", "-")[1]
    found = [(row["judge"], row["verdict"]) for row in map(json.loads, out.splitlines())]
    assert sorted(found) == [("physicians (majority)", one) for one in ("contradicts", "meets", "missing")]


def test_what_is_left_out_makes_it_exit_1(gamut, tmp_path):
    jsonl(tmp_path / "test.jsonl", [*ROWS, {"id": "q3", "question": "Why?"}])
    code, _, err = gamut("import", "gamut", "test.jsonl", "-o", "out.parquet")
    assert code == 1
    assert "questions without checks: 1 left out (q3)\n" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gamt", "test.jsonl", "-o", "x"], "unknown source 'gamt' (did you mean 'gamut'?)"),
        (["gamut", "test.jsonl"], "Missing option '-o'"),
        (["gamut", "test.jsonl", "-o", "x", "--column", "checks"], "--column checks: write it as NAME=NAME"),
        (["gamut", "test.jsonl", "-o", "x", "--column", "check=a"], "no field 'check' (did you mean 'checks'?)"),
        (["gamut", "test.jsonl", "-o", "x", "--column", "id=a", "--column", "id=b"], "'id' is given twice"),
        (["gamut", "test.jsonl", "-o", "x", "--column", "id=ids"], "there is no column 'ids' (did you mean 'id'?)"),
        (["gamut", "test.jsonl", "-o", "x", "--tier", "P0=best"], "--tier P0=best: no tier 'best'"),
        (["gamut", "test.jsonl", "-o", "x", "--negatives", "list"], "--negatives says nothing to 'gamut'; it is for h"),
        (
            ["kqa", "test.jsonl", "-o", "x", "--split", "a"],
            "--split says nothing to 'kqa'; it is for crag-mm and gamut",
        ),
        (["responses", "test.jsonl", "-o", "x.jsonl", "--name", "a"], "only sources of benchmarks have it"),
        (["responses", "test.jsonl", "-o", "x.csv"], "responses are written as JSONL"),
        (["gamut", "test.jsonl", "-o", "x.csv"], "the ending '.csv' is none of a benchmark"),
        (["gamut", "none.parquet", "-o", "x"], "none.parquet: no such file or folder"),
        (["crag-mm", "test.jsonl", "-o", "x"], "x: has no benchmark.yaml"),
    ],
)
def test_it_says_what_to_do_and_writes_nothing(gamut, tmp_path, arguments, words):
    jsonl(tmp_path / "test.jsonl", ROWS)
    code, out, err = gamut("import", *arguments)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["test.jsonl"]


class TestLayout:
    def test_export_and_read_back(self, gamut, tmp_path):
        jsonl(tmp_path / "test.jsonl", ROWS)
        gamut("import", "gamut", "test.jsonl", "-o", "bench")
        code, out, err = gamut("export", "bench", "--questions", "--layout", "huggingface", "-o", "hub")
        assert (code, out) == (0, "")
        first, second = err.splitlines()
        assert first == "Wrote 2 questions to hub."
        assert second.startswith("Before you publish it: CC-BY-NC-4.0 forbids commercial use")
        assert load_benchmark(tmp_path / "hub").hash == load_benchmark(tmp_path / "bench").hash
        assert gamut("validate", "hub")[0] == 0

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["--checks", "--layout", "huggingface", "-o", "x"], "--layout goes with --questions"),
            (["--questions", "--with-images", "-o", "x"], "--with-images with --layout"),
            (["--questions", "--layout", "huggingface", "-o", "-"], "writes a folder; name a new one"),
            (["--questions", "--layout", "huggingface", "-o", "test.jsonl"], "writes a folder; name a new one"),
        ],
    )
    def test_wrong_use(self, gamut, tmp_path, arguments, words):
        jsonl(tmp_path / "test.jsonl", ROWS)
        gamut("import", "gamut", "test.jsonl", "-o", "bench.jsonl")
        code, _, err = gamut("export", "bench.jsonl", *arguments)
        assert code == 2
        assert words in " ".join(err.split())


class TestValidateImages:
    @pytest.fixture
    def bench(self, tmp_path):
        def make(**images):
            (tmp_path / "images").mkdir(exist_ok=True)
            rows = []
            for name, data in images.items():
                image = data if isinstance(data, dict) else {"path": f"images/{name}.jpg"}
                if not isinstance(data, dict):
                    (tmp_path / "images" / f"{name}.jpg").write_bytes(data)
                page = {"id": "e", "url": "https://example.org/a"}
                item = {"id": "a", "type": "simple", "tier": "answer_critical", "statement": "Tea is brewed hot."}
                rubric = {"items": [item | {"evidence": ["e"]}], "evidence": [page]}
                more = {"text_only": f"What is the colour of {name}?", "domain": "d", "rubric": rubric}
                rows.append({"id": name, "question": f"What is this, {name}?", "image": image} | more)
            return jsonl(tmp_path / "b.jsonl", rows)

        return make

    def found(self, out):
        return {
            one["question_id"]: (one["code"], one["severity"], one["line"])
            for one in json.loads(out)["findings"]
            if one["code"].startswith("image-")
        }

    def test_one_finding_a_question_and_none_without_the_option(self, gamut, bench):
        missing = {"package": "not_installed_at_all", "path": "a.png", "sha256": "0" * 64}
        good = picture()
        file = bench(good=good, png=picture("PNG"), cut=good[:200], text=b"no image", gone=missing)
        code, out, _ = gamut("validate", file, "--images", "--format", "json")
        assert code == 2
        assert self.found(out) == {
            "cut": ("image-unreadable", "error", 3),
            "text": ("image-unreadable", "error", 4),
            "gone": ("image-package", "warning", 5),
        }
        assert json.loads(out)["ok"] is False
        code, out, _ = gamut("validate", file, "--format", "json")
        assert self.found(out) == {}
        assert code == 0

    def test_all_is_well(self, gamut, bench):
        assert gamut("validate", bench(good=picture()), "--images")[0] == 0

    def test_without_pillow_place_hash_and_type_are_looked_at(self, gamut, bench, monkeypatch):
        from gamut_eval.benchmark import images

        find = images.importlib.util.find_spec
        monkeypatch.setattr(images.importlib.util, "find_spec", lambda name: None if name == "PIL" else find(name))
        code, out, _ = gamut("validate", bench(good=picture(), text=b"x"), "--images", "--format", "json")
        assert code == 2
        assert self.found(out) == {None: ("image-package", "warning", None), "text": ("image-unreadable", "error", 2)}
        assert 'pip install \\"gamut-eval[images]\\"' in out

    @pytest.mark.parametrize("code", ["image-package", "image-unreadable"])
    def test_the_codes_are_explained(self, gamut, code):
        assert gamut("validate", "--explain", code)[1].startswith(f"{code} (")


def test_stats_counts_splits(gamut, tmp_path):
    rows = [row | {"split": "heldout"} for row in ROWS[:1]] + ROWS[1:]
    jsonl(tmp_path / "test.jsonl", rows)
    gamut("import", "gamut", "test.jsonl", "-o", "b.parquet")
    figures = json.loads(gamut("stats", "b.parquet", "--format", "json")[1])
    assert figures["splits"] == {"n": 1, "questions": {"heldout": 1}, "without": 1}
    shown = gamut("stats", "b.parquet")[1].splitlines()
    assert [line.split() for line in shown if line.startswith(("splits", "  heldout", "  in none"))] == [
        ["splits", "1"],
        ["heldout", "1"],
        ["in", "none", "1"],
    ]
