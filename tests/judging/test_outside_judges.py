"""Judges of other packages: what an entry point may name, and what is said of one that does not work."""

import subprocess
import sys

import pytest

JUDGE = """
import gamut_eval


class Slow(gamut_eval.Judge):
    name = "slow"
    settings = {"version": 1}

    async def judge(self, ask):
        return gamut_eval.Judgement(gamut_eval.Verdict.MEETS)


def one(argument):
    return Slow()


def several(argument):
    return [Slow()]


def broken(argument):
    raise RuntimeError("no such service")


class Nameless(Slow):
    name = None
"""
SCRIPT = """
import sys, gamut_eval
question = {"id": "q", "domain": "d", "question": "Q?", "rubric": {"items": [
    {"id": "a", "type": "simple", "tier": "valuable", "statement": "A fact."}]}}
try:
    print(gamut_eval.score(question, "A fact.", "slow").gamut)
except gamut_eval.InputError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("Slow", "1.0"),
        ("one", "1.0"),
        ("several", "1.0"),
        ("broken", "judge 'slow' (slowjudge:broken) does not work: RuntimeError: no such service; ask who made it"),
        ("absent", "judge 'slow' (slowjudge:absent) does not work: AttributeError: "),
        ("Nameless", "the judge Nameless has no name"),
    ],
)
def test_an_entry_point_names_a_class_or_a_function(tmp_path, value, said):
    (tmp_path / "slowjudge.py").write_text(JUDGE)
    info = tmp_path / "slowjudge-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: slowjudge\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[gamut_eval.judges]\nslow = slowjudge:{value}\n")
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{SCRIPT}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.startswith(said)
