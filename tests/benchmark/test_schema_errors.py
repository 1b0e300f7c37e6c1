import pytest
from pydantic import ValidationError

from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.schema_errors import schema_findings


def findings(*items, spelled=None, **more):
    row = {"id": "q", "domain": "d", "question": "What?", "rubric": {"items": list(items)}} | more
    with pytest.raises(ValidationError) as caught:
        Question.model_validate(row)
    return [(f.code, f.path, f.message) for f in schema_findings(caught.value, Question, row, spelled or {})]


def listed(**more):
    return {"id": "l", "type": "strict_list", "tier": "context", "topic": "t", "options": ["a"]} | more


def test_the_path_leads_through_the_data_without_names_of_types():
    path = ("rubric", "items", 0, "options", 1, "aliases", 0)
    assert findings(listed(options=["a", {"text": "b", "aliases": [1]}])) == [
        ("schema", path, "rubric.items[0].options[1].aliases[0]: must be a text, but is 1")
    ]


def test_a_missing_field_has_the_path_it_would_have():
    item = listed()
    del item["topic"]
    assert findings(item) == [
        ("schema", ("rubric", "items", 0, "topic"), "the required field 'rubric.items[0].topic' is missing")
    ]


def test_an_unknown_field_is_offered_a_near_one():
    assert findings(listed(topc="t")) == [
        (
            "unknown-field",
            ("rubric", "items", 0, "topc"),
            "unknown field 'rubric.items[0].topc' (did you mean 'topic'?)",
        )
    ]


EVIDENCE = {"id": "e", "url": "u"}
REVIEW = {"by": "b", "kind": "person", "at": "2026-11-30", "supports": True}


@pytest.mark.parametrize(
    ("items", "more", "known"),
    [
        ([listed()], {"zz": 1}, "domain, group, id, image, question, rubric, subject, text_only"),
        ([listed(zz=1)], {}, "evidence, id, options, tier, topic, type"),
        ([listed(options=[{"text": "a", "zz": 1}])], {}, "aliases, evidence, id, text"),
        ([listed()], {"image": {"path": "p", "zz": 1}}, "egocentric, license, package, path, quality, sha256, source"),
        (
            [],
            {"rubric": {"evidence": [EVIDENCE | {"reviews": [REVIEW | {"zz": 1}]}]}},
            "at, by, kind, note, supports",
        ),
        (
            [],
            {"rubric": {"checks": [{"id": "c", "tier": "context", "text": "t", "zz": 1}]}},
            "evidence, id, text, tier",
        ),
    ],
    ids=["question", "item", "option", "image", "review", "imported check"],
)
def test_an_unknown_field_that_nothing_is_near_to_is_told_the_fields_of_its_place(items, more, known):
    ((code, path, message),) = findings(*items, **more)
    assert (code, path[-1]) == ("unknown-field", "zz")
    assert message.endswith(f"(known: {known})")


def test_an_unknown_field_may_have_the_name_of_an_item_type():
    code, path, message = findings(listed(strict_list={"a": 1}))[0]
    assert (code, path) == ("unknown-field", ("rubric", "items", 0, "strict_list"))
    assert message.startswith("unknown field 'rubric.items[0].strict_list'")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            ("rubric", "items", 0, "topic"),
            'rubric.items[0].topic: 1.10 is not a text here; put it in quotes: topic: "1.10"',
        ),
        (("elsewhere",), "rubric.items[0].topic: must be a text, but is 1.1"),
    ],
)
def test_a_number_that_stands_for_a_text_is_quoted_as_it_was_spelled(path, message):
    assert [found[2] for found in findings(listed(topic=1.1), spelled={path: "1.10"})] == [message]


@pytest.mark.parametrize(("value", "kind"), [({}, "a mapping"), ([], "a list"), (None, "empty"), (1.5, "1.5")])
def test_what_stands_where_a_text_should_is_named_by_its_kind(value, kind):
    assert [found[2] for found in findings(listed(topic=value))] == [
        f"rubric.items[0].topic: must be a text, but is {kind}"
    ]


def test_a_list_whose_only_member_is_wrong_is_not_called_too_short_as_well():
    checks = [{"id": "c", "tier": "context", "text": 1}]
    found = findings(rubric={"checks": checks})
    assert [path for _, path, _ in found] == [("rubric", "checks", 0, "text")]


def test_a_long_value_is_cut():
    ((_, _, message),) = findings(listed(tier="x" * 1000))
    assert message.startswith("rubric.items[0].tier: 'xxxx")
    assert message.endswith("x… is not one of answer_critical, valuable, context")
    assert len(message) < 200
