"""Edits are applied in order, each to the check it was made for, or reported."""

import datetime

import pytest
from pydantic import ValidationError

from gamut_eval.hashing import sha256
from gamut_eval.rubric.check import STATEMENT_GUIDANCE
from gamut_eval.rubric.compile import compile_edited
from gamut_eval.rubric.edits import Edit
from gamut_eval.rubric.item import Compiling
from gamut_eval.rubric.meta import MetaRubric

ITEMS = [
    {"id": "fact", "type": "simple", "tier": "answer_critical", "statement": "Water is wet."},
    {
        "id": "pool",
        "type": "flexible_list",
        "tier": "valuable",
        "topic": "colours",
        "min_coverage": 1,
        "options": ["red", "blue"],
    },
]


def edited(*edits):
    rows = [{"author": "Ada", "at": "2026-11-30", "reason": "test", **edit} for edit in edits]
    rubric = MetaRubric.model_validate({"items": ITEMS, "edits": rows})
    return compile_edited(rubric, Compiling("q"))


def checks(*edits):
    return {check.id: check for check in edited(*edits).checks}


BARE = checks()


def test_base_is_the_hash_that_the_contract_names():
    whole = {"id": "fact", "kind": "fact", "tier": "answer_critical", "text": "Water is wet."}
    nothing = {"options": None, "threshold": None, "steps": None, "before": None}
    assert BARE["fact"].base == sha256(whole | nothing)


def test_rewording_changes_the_text_and_asks_again():
    after = checks({"check": "fact", "op": "reword", "text": "Water is moist.", "base": BARE["fact"].base})["fact"]
    assert (after.text, after.source, after.kind) == ("Water is moist.", "edited", "fact")
    assert after.hash != BARE["fact"].hash


def test_a_reworded_coverage_check_loses_its_structure_and_is_judged_as_a_statement():
    name = "pool/at-least-1"
    after = checks({"check": name, "op": "reword", "text": "Names a colour.", "base": BARE[name].base})[name]
    assert (after.options, after.threshold, after.parts, after.kind) == ((), None, (), "coverage")
    assert after.guidance == STATEMENT_GUIDANCE


def test_another_tier_changes_no_verdict_but_the_base():
    after = checks({"check": "fact", "op": "retier", "tier": "context", "base": BARE["fact"].base})["fact"]
    assert (after.tier, after.hash == BARE["fact"].hash, after.base == BARE["fact"].base) == ("context", True, False)


@pytest.mark.parametrize("change", [{"op": "drop"}, {"op": "reword", "text": "Names red."}])
def test_a_coverage_check_with_a_member_gone_or_changed_is_asked(change):
    assert BARE["pool/at-least-1"].parts == ("pool/red", "pool/blue")
    after = checks({"check": "pool/red", "base": BARE["pool/red"].base, **change})
    assert after["pool/at-least-1"].parts == ()
    assert ("pool/red" in after) == (change["op"] == "reword")


def test_an_added_check_is_a_fact_at_the_end():
    after = edited({"check": "extra", "op": "add", "text": "Ice floats.", "tier": "context"}).checks[-1]
    assert (after.id, after.kind, after.tier, after.source, after.item_id) == (
        "extra",
        "fact",
        "context",
        "added",
        None,
    )


def test_edits_build_on_each_other():
    first = {"check": "fact", "op": "retier", "tier": "valuable", "base": BARE["fact"].base}
    base = checks(first)["fact"].base
    after = checks(first, {"check": "fact", "op": "reword", "text": "Wet.", "base": base})["fact"]
    assert (after.tier, after.text) == ("valuable", "Wet.")


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ({"check": "fact", "op": "drop", "base": "0" * 64}, "has changed since"),
        ({"check": "fcat", "op": "drop", "base": "0" * 64}, "there is no check 'fcat' (did you mean 'fact'"),
        ({"check": "fact", "op": "add", "text": "Ice.", "tier": "context"}, "the id 'fact' is taken"),
    ],
)
def test_an_edit_without_its_check_is_left_out_and_reported(edit, why):
    result = edited(edit)
    assert {check.id: check for check in result.checks} == BARE
    (finding,) = result.unapplied
    assert (finding.code, finding.severity, finding.path) == ("stale-edit", "warning", ("edits", 0))
    assert why in finding.message


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"op": "reword", "base": "0" * 64}, "needs 'text'"),
        ({"op": "drop"}, "needs 'base'"),
        ({"op": "add", "text": "x", "tier": "context", "base": "0" * 64}, "takes no 'base'"),
        ({"op": "drop", "base": "0" * 64, "text": "x"}, "takes no 'text'"),
    ],
)
def test_an_edit_has_the_fields_of_its_operation(fields, why):
    with pytest.raises(ValidationError, match=why):
        Edit(check="fact", author="Ada", at=datetime.date(2026, 11, 30), reason="r", **fields)


def test_the_flat_rubric_is_not_edited():
    rubric = MetaRubric.model_validate(
        {
            "items": ITEMS,
            "edits": [
                {
                    "check": "fact",
                    "op": "drop",
                    "base": BARE["fact"].base,
                    "author": "Ada",
                    "at": "2026-11-30",
                    "reason": "r",
                }
            ],
        }
    )
    assert "fact" in {check.id for check in compile_edited(rubric, Compiling("q"), flat=True).checks}
