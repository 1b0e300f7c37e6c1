"""simple, relationship and insight: one statement, one check."""

import pytest
from pydantic import ValidationError

from gamut_eval.rubric.insight import Insight
from gamut_eval.rubric.item import Compiling
from gamut_eval.rubric.items.relationship import Relationship
from gamut_eval.rubric.items.simple import Simple

TO = Compiling("q")
STATED = {"id": "s", "tier": "valuable"}


def only(item):
    (check,) = item.compile(TO)
    return check.id, check.kind, check.tier.value, check.text


def test_a_simple_item_is_one_fact_with_its_own_id():
    item = Simple(**STATED, type="simple", statement="It is red.")
    assert only(item) == ("s", "fact", "valuable", "It is red.")


def test_an_insight_is_one_check_at_its_own_tier():
    assert only(Insight(**STATED, statement="It all hangs together.")) == (
        *("s", "insight", "valuable", "It all hangs together."),
    )


def test_a_relationship_names_every_entity():
    item = Relationship(**STATED, type="relationship", entities=["A", "B", "C"], statement="A beats B and C.")
    assert only(item) == ("s", "relationship", "valuable", "Says how A, B and C relate: A beats B and C.")


def test_a_relationship_needs_two_entities():
    with pytest.raises(ValidationError, match="too_short"):
        Relationship(**STATED, type="relationship", entities=["A"], statement="A is alone.")


@pytest.mark.parametrize(
    ("statement", "text"),
    [("It is red", "It is red."), ("It is red!", "It is red!"), ("Is it?", "Is it?"), ("赤い。", "赤い。")],
)
def test_a_statement_without_an_end_gets_a_full_stop(statement, text):
    assert only(Simple(**STATED, type="simple", statement=statement))[3] == text
