import json
import os
import subprocess
import sys

import pytest

from gamut_eval.errors import UnknownNameError
from gamut_eval.registry import Registry
from gamut_eval.rubric.items import REGISTRY
from gamut_eval.rubric.items.simple import Simple

TALLY = """
from typing import Literal
from gamut_eval.rubric.item import Item


class Tally(Item):
    type: Literal["tally"]
    count: int

    def compile(self, to):
        yield self._check(to, "fact", f"Counts {self.count}", "Count.")

    flat = compile


ITEM = Tally
"""


def test_things_are_found_by_file_name():
    assert {"simple", "strict_list", "flexible_list", "process", "relationship"} == set(REGISTRY.names())
    assert REGISTRY.get("simple") is Simple


def test_an_unknown_name_is_refused_with_near_matches():
    with pytest.raises(UnknownNameError, match=r"unknown item type 'proces' \(did you mean 'process'\?\)"):
        REGISTRY.get("proces")


def test_nothing_is_imported_before_it_is_asked_for(tmp_path, monkeypatch):
    (tmp_path / "plugs").mkdir()
    (tmp_path / "plugs" / "__init__.py").touch()
    (tmp_path / "plugs" / "good.py").write_text("THING = 1")
    (tmp_path / "plugs" / "bad.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry("plug", "plugs", "THING")
    assert registry.names() == ["bad", "good"]
    assert registry.get("good") == 1
    with pytest.raises(RuntimeError):
        registry.all()


def test_another_distribution_adds_an_item_type_with_an_entry_point_alone(tmp_path):
    (tmp_path / "tally.py").write_text(TALLY)
    info = tmp_path / "gamut_tally-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gamut-tally\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[gamut_eval.items]\ntally = tally:ITEM\n")
    item = {"id": "n", "type": "tally", "tier": "context", "count": 3}
    question = {"id": "q", "domain": "d", "question": "How many?", "rubric": {"items": [item]}}
    (tmp_path / "b.jsonl").write_text(json.dumps(question))
    command = [sys.executable, "-m", "gamut_eval", "compile", str(tmp_path / "b.jsonl")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(tmp_path)}
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["text"] == "Counts 3."
