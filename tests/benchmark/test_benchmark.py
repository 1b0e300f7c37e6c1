import json

import pytest

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import load_benchmark, question_from_dict
from gamut_eval.benchmark.settings import CompileSettings, ScoringSettings
from gamut_eval.errors import UnknownNameError

POOL = {"id": "pool", "type": "flexible_list", "tier": "valuable", "topic": "t", "options": ["a", "b", "c"]}
ROW = {
    "id": "q",
    "domain": "d",
    "question": "What?",
    "text_only": "What is tea?",
    "subject": "tea",
    "group": "g",
    "rubric": {"items": [POOL | {"min_coverage": 1, "evidence": ["e"]}], "evidence": [{"id": "e", "url": "u"}]},
}


def benchmark(*rows, **more):
    return Benchmark("b", tuple(question_from_dict(row) for row in rows or (ROW,)), **more)


def with_item(**more):
    return ROW | {"rubric": ROW["rubric"] | {"items": [ROW["rubric"]["items"][0] | more]}}


@pytest.mark.parametrize(
    "row",
    [
        ROW | {"id": "other"},
        ROW | {"domain": "e"},
        ROW | {"question": "Why?"},
        ROW | {"text_only": None},
        ROW | {"subject": "coffee"},
        ROW | {"group": None},
        with_item(tier="context"),
        with_item(topic="u"),
        with_item(min_coverage=2),
        with_item(options=["a", "b", "d"]),
        with_item(options=["a", "c", "b"]),
        with_item(id="other"),
        with_item(evidence=[]),
    ],
    ids=range(13),
)
def test_a_change_of_the_meaning_changes_the_hash(row):
    assert benchmark(row).hash != benchmark().hash


def test_a_changed_setting_changes_the_hash_only_through_the_checks():
    assert benchmark(compile=CompileSettings(long_list=3)).hash != benchmark().hash
    assert benchmark(compile=CompileSettings(long_list=4)).hash == benchmark().hash
    assert benchmark(scoring=ScoringSettings(mu=-1)).hash == benchmark().hash


def test_name_version_and_place_of_a_question_are_not_its_meaning():
    rows = [ROW, ROW | {"id": "r"}]
    assert benchmark(*rows).hash == benchmark(*reversed(rows), version="2", license="CC0-1.0").hash


def test_the_bytes_of_an_image_are_hashed_and_its_name_is_not(tmp_path):
    def hashed(name, content):
        (tmp_path / name).write_bytes(content)
        path = tmp_path / "b.jsonl"
        path.write_text(json.dumps(ROW | {"image": {"path": name, "license": name}}))
        return load_benchmark(path).hash

    assert hashed("a.jpg", b"one") == hashed("b.jpg", b"one")
    assert len({hashed("a.jpg", b"one"), hashed("a.jpg", b"two"), benchmark().hash}) == 3


def test_a_question_is_found_by_its_id_else_near_ones_are_named():
    assert benchmark().question("q").subject == "tea"
    with pytest.raises(UnknownNameError, match=r"unknown question 'food-01' \(did you mean 'food-001'\?\)"):
        benchmark(ROW | {"id": "food-001"}).question("food-01")


def test_askable_are_the_questions_with_that_variant():
    asked = benchmark(ROW | {"id": "a", "text_only": None}, ROW | {"id": "b"})
    assert (asked.askable("text_only"), asked.askable("image")) == (["a", "b"], [])
