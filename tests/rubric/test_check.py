import dataclasses
import hashlib
import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut_eval.rubric.check import Check, CheckOption, CheckStep
from gamut_eval.rubric.fields import TIERS, Tier

COVERAGE = Check(
    question_id="q",
    id="spices/at-least-1",
    tier=Tier.VALUABLE,
    kind="coverage",
    text="Names at least 1 of the following spices: thyme (or: Thymian); クミン.",
    item_id="spices",
    guidance="Count.",
    evidence=("e1",),
    options=(CheckOption("thyme", ("Thymian",)), CheckOption("クミン")),
    threshold=1,
    parts=("spices/thyme", "spices/クミン"),
)
SEQUENCE = Check(
    question_id="q",
    id="p/order",
    tier=Tier.CONTEXT,
    kind="sequence",
    text="Gives a, then b.",
    item_id="p",
    guidance="Order.",
    steps=(CheckStep("a", "do a"), CheckStep("b", "do b")),
    before=(("a", "b"),),
)
IMPORTED = Check(
    question_id="q", id="c1", tier=Tier.CONTEXT, kind="criterion", text="T.", item_id=None, guidance="G.",
    source="imported",
)  # fmt: skip

names = st.text(max_size=8)
checks = st.builds(
    Check,
    question_id=names,
    id=names,
    tier=st.sampled_from(TIERS),
    kind=names,
    text=names,
    item_id=st.none() | names,
    guidance=names,
    evidence=st.lists(names, max_size=2).map(tuple),
    source=st.sampled_from(["compiled", "edited", "added", "imported"]),
    options=st.lists(st.builds(CheckOption, names, st.lists(names, max_size=2).map(tuple)), max_size=2).map(tuple),
    threshold=st.none() | st.integers(1, 9),
    steps=st.lists(st.builds(CheckStep, names, names), max_size=2).map(tuple),
    before=st.lists(st.tuples(names, names), max_size=2).map(tuple),
    parts=st.lists(names, max_size=2).map(tuple),
)


def test_a_row_holds_the_fields_of_the_contract_in_its_order():
    assert list(COVERAGE.to_dict()) == [
        *("question_id", "id", "tier", "kind", "text", "item_id", "options", "threshold", "parts"),
        *("guidance", "evidence", "source"),
    ]
    assert COVERAGE.to_dict()["options"] == [
        {"text": "thyme", "aliases": ["Thymian"]},
        {"text": "クミン", "aliases": []},
    ]
    assert SEQUENCE.to_dict()["steps"] == [{"id": "a", "text": "do a"}, {"id": "b", "text": "do b"}]
    assert SEQUENCE.to_dict()["before"] == [["a", "b"]]


def test_structure_that_a_check_lacks_is_left_out():
    assert IMPORTED.to_dict() == {
        "question_id": "q",
        "id": "c1",
        "tier": "context",
        "kind": "criterion",
        "text": "T.",
        "item_id": None,
        "guidance": "G.",
        "evidence": [],
        "source": "imported",
    }


@given(checks)
def test_any_check_survives_being_written_to_json_and_read_back(check):
    back = Check.from_dict(orjson.loads(orjson.dumps(check.to_dict())))
    assert back == check
    assert back.hash == check.hash


def test_the_hash_is_sha256_over_what_a_judge_sees():
    seen = {
        "id": "p/order",
        "kind": "sequence",
        "text": "Gives a, then b.",
        "guidance": "Order.",
        "steps": [{"id": "a", "text": "do a"}, {"id": "b", "text": "do b"}],
        "before": [["a", "b"]],
    }
    canonical = json.dumps(seen, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert SEQUENCE.hash == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        {"id": "other"},
        {"kind": "fact"},
        {"text": "Another text."},
        {"guidance": "Other."},
        {"options": (CheckOption("thyme"),)},
        {"threshold": 2},
        {"steps": (CheckStep("a", "do a"),)},
        {"before": (("b", "a"),)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_change_that_a_judge_would_see_changes_the_hash(change):
    check = dataclasses.replace(COVERAGE, steps=SEQUENCE.steps, before=SEQUENCE.before)
    assert dataclasses.replace(check, **change).hash != check.hash


@pytest.mark.parametrize(
    "change", [{"tier": Tier.CONTEXT}, {"evidence": ()}, {"source": "edited"}, {"parts": ()}, {"item_id": None}],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_a_change_that_no_judge_sees_leaves_the_hash(change):
    assert dataclasses.replace(COVERAGE, **change).hash == COVERAGE.hash


def test_an_option_is_shown_with_its_aliases():
    assert [option.shown for option in COVERAGE.options] == ["thyme (or: Thymian)", "クミン"]
