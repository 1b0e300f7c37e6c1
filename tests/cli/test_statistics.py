import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gamut_eval
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.benchmark.stats import PAPER, statistics
from gamut_eval.cli.main import run as run_command

MINI = Path(gamut_eval.__file__).parent / "data" / "gamut_mini"


@pytest.fixture
def gamut(capsysbinary):
    """Runs the command in this process: exit code, text on stdout, text on stderr."""

    def run(*arguments):
        code = run_command([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def rows(table):
    """Each line of a table as its label and its cells."""
    return {
        label: cells
        for label, *cells in (
            [part.strip() for part in line.split("  ") if part.strip()] for line in table.splitlines() if line.strip()
        )
    }


def test_the_table_of_the_bundled_benchmark(gamut):
    code, out, err = gamut("stats", MINI)
    assert (code, err) == (0, "")
    table = rows(out)
    assert table["questions"] == ["30"]
    assert table["asked with the image"] == ["10"]
    assert table["that need more than simple facts"] == ["100%"]
    assert table["that mix mandatory and optional steps"] == ["80%"]
    assert table["plants and gardening"] == ["3"]
    assert table["how do …"] == ["4"]
    assert "paper" not in out


def test_the_paper_s_figures_stand_beside_these(gamut):
    code, out, _ = gamut("stats", MINI, "--paper")
    table = rows(out)
    assert code == 0
    assert table["questions"] == ["30", "1,813"]
    assert table["a question, mean"][1:] in (["15.2"], ["about 10"])
    assert table["with more than 7 options"] == ["72.4%", "12%"]
    assert table["with more than two entities"] == ["30.9%", "52% multi-entity"]
    assert table["meta-insights"] == ["15", "295"]
    assert table["distinct pages"] == ["391", "over 9,400"]
    assert table["vehicle"] == ["3", "258"]
    assert table["animal"] == ["3"]
    assert table["reviewed by a person"] == ["0%"]


def test_a_domain_s_spelling_does_not_hide_the_paper_s_count(gamut, tmp_path):
    fact = {"id": "fact", "type": "simple", "tier": "context", "statement": "It is so."}
    row = {"id": "q", "domain": "Plants & Gardening", "question": "What?", "rubric": {"items": [fact]}}
    (tmp_path / "b.jsonl").write_text(json.dumps(row))
    table = rows(gamut("stats", tmp_path / "b.jsonl", "--paper")[1])
    assert table["Plants & Gardening"] == ["1", "300"]
    assert table["that mix mandatory and optional steps"] == ["n/a", "57%"]
    assert table["reviewed by a person"] == ["n/a"]


def test_the_json_form_is_the_function_s_with_the_paper_s_figures_in_the_same_shape(gamut):
    expected = statistics(load_benchmark(MINI))
    assert json.loads(gamut("stats", MINI, "--format", "json")[1]) == expected
    assert json.loads(gamut("stats", MINI, "--format", "json", "--paper")[1]) == expected | {"paper": PAPER}


def test_a_terminal_without_unicode_shows_the_table_all_the_same(tmp_path):
    fact = {"id": "fact", "type": "simple", "tier": "context", "statement": "It is so."}
    row = {"id": "q", "domain": "[red]食べ物", "question": "¿Qué es?", "rubric": {"items": [fact]}}
    (tmp_path / "b.jsonl").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    env = os.environ | {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    command = [sys.executable, "-m", "gamut_eval", "stats", tmp_path / "b.jsonl"]
    done = subprocess.run(command, capture_output=True, env=env, check=True)
    assert b"[red]\\u98df\\u3079\\u7269" in done.stdout


def test_a_wrong_file_is_refused(gamut, tmp_path):
    code, out, err = gamut("stats", tmp_path / "absent.jsonl")
    assert (code, out) == (2, "")
    assert "absent.jsonl" in err
