"""What every source has to keep, those of other distributions too."""

import json
import os
import subprocess
import sys

import pytest

from gamut_eval.benchmark.importing.source import REGISTRY, Ledger, Request, find_source, source_names
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.errors import InputError, UnknownNameError
from gamut_eval.records import read_responses

CHECKS = [{"id": "a", "tier": "context", "text": "It is."}]
QUESTION = {"id": "q1", "domain": "d", "question": "What is it?", "rubric": {"checks": CHECKS}}


def jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def work(tmp_path):
    """Imports a source's example; the output folder is a benchmark already where the source wants one."""

    def run(name, output, rows=None, **options):
        source = find_source(name)
        if source.extends:
            (tmp_path / output).mkdir(exist_ok=True)
            (tmp_path / output / "benchmark.yaml").write_text("name: b\nquestions: q.jsonl\n")
            jsonl(tmp_path / output / "q.jsonl", [QUESTION])
        file = jsonl(tmp_path / "in.jsonl", source.example if rows is None else rows)
        ledger = Ledger()
        said = source.run(Request(str(file), str(tmp_path / output), options=options), ledger)
        return tmp_path / output, said, ledger

    return run


def contents(path):
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return {file.relative_to(path.parent): file.read_bytes() for file in files if file.is_file()}


@pytest.mark.parametrize("name", source_names())
def test_its_example_is_imported_the_same_way_every_time(name, work):
    output = "out.jsonl" if name == "responses" else "out"
    first, said, _ = work(name, output)
    before = contents(first)
    assert str(first) in said
    if first.is_dir():
        assert load_benchmark(first).questions
    else:
        assert len(read_responses([first])) == len(find_source(name).example)
    again, _, _ = work(name, output if find_source(name).extends else f"again-{output}")
    assert list(contents(again).values()) == list(before.values())


@pytest.mark.parametrize("name", [one for one in source_names() if one not in ("responses", "crag-mm")])
def test_its_benchmark_means_the_same_in_every_format(name, work):
    hashes = {load_benchmark(work(name, output)[0]).hash for output in ("a", "b.jsonl", "c.parquet")}
    assert len(hashes) == 1


@pytest.mark.parametrize("name", source_names())
def test_it_says_what_it_is_and_what_it_takes(name):
    source = find_source(name)
    assert source.summary.endswith(".")
    assert source.columns
    assert source.example


@pytest.mark.parametrize("name", source_names())
@pytest.mark.parametrize("rows", [[], [{"x": 1}], [{"question": 5}]], ids=["no row", "another column", "a number"])
def test_other_data_are_refused_with_the_file_s_name(name, rows, work):
    output = "out.jsonl" if name == "responses" else "out"
    with pytest.raises(InputError, match=r"in\.jsonl"):
        work(name, output, rows)


@pytest.mark.parametrize("name", [one for one in source_names() if one != "crag-mm"])
def test_a_source_file_is_not_overwritten_and_a_full_folder_not_touched(name, work, tmp_path):
    with pytest.raises(InputError, match="is what this reads"):
        work(name, "in.jsonl")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(InputError, match=r"is not empty; nothing was written|name a file that ends in"):
        work(name, "full/" if name == "responses" else "full")


def test_dashes_and_underscores_are_one():
    assert find_source("crag_mm") is find_source("crag-mm") is REGISTRY.get("crag_mm")


def test_an_unknown_source_lists_near_matches():
    with pytest.raises(UnknownNameError, match=r"unknown source 'crag' \(did you mean 'crag-mm'\?\)"):
        find_source("crag")


def test_another_distribution_adds_one_with_an_entry_point_alone(tmp_path):
    (tmp_path / "quiz.py").write_text(
        "from gamut_eval.benchmark.importing.source import Source\n"
        "def run(request, ledger):\n    return f'Read {request.file}.'\n"
        "SOURCE = Source(summary='A quiz.', run=run)\n"
    )
    info = tmp_path / "gamut_quiz-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gamut-quiz\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[gamut_eval.sources]\nquiz = quiz:SOURCE\nbroken = nowhere:SOURCE\n")

    def gamut(*arguments):
        command = [sys.executable, "-m", "gamut_eval", "import", *arguments]
        env = os.environ | {"PYTHONPATH": str(tmp_path)}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=env)

    done = gamut("quiz", "a.txt", "-o", "x")
    assert (done.returncode, done.stderr) == (0, "Read a.txt.\n")
    shown = gamut("--help")
    assert "A quiz." in shown.stdout
    assert "does not work: ModuleNotFoundError" in " ".join(shown.stdout.split())
