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
        ([listed()], {"zz": 1}, "domain, group, id, image, question, rubric, split, subject, text_only"),
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


def process(*steps):
    return {"id": "p", "type": "process", "tier": "context", "goal": "g", "steps": list(steps)}


@pytest.mark.parametrize(
    ("member", "spelling", "quoted"),
    [
        ({"warm-up": "raise the rate"}, None, '"warm-up: raise the rate"'),
        ({"ratio": 1.5}, "1.50", '"ratio: 1.50"'),
        ({'the "rate"': "high"}, None, "'the \"rate\": high'"),
        ({"a": "x" * 100}, None, ""),
    ],
)
def test_a_text_with_a_colon_is_told_to_be_quoted_and_nothing_else(member, spelling, quoted):
    (name,) = member
    for field, item in (("steps", process("a", member)), ("options", listed(options=["a", member]))):
        path = ("rubric", "items", 0, field, 1)
        spelled = {(*path, name): spelling} if spelling else {}
        message = f"rubric.items[0].{field}[1]: a text with ': ' must be quoted{f': {quoted}' if quoted else ''}"
        assert findings(item, spelled=spelled) == [("schema", path, message)]


def test_an_alias_with_a_colon_is_told_to_be_quoted():
    ((_, _, message),) = findings(listed(options=[{"text": "a", "aliases": [{"x": "y"}]}]))
    assert message == """rubric.items[0].options[0].aliases[0]: a text with ': ' must be quoted: "x: y\""""


@pytest.mark.parametrize("member", [{"txt": "a"}, {"name": "a"}, {"a": "b", "c": "d"}, {"a": {"b": "c"}}])
def test_fields_that_are_meant_as_fields_are_not_taken_for_a_text_with_a_colon(member):
    messages = [message for _, _, message in findings(process(member))]
    assert "the required field 'rubric.items[0].steps[0].text' is missing" in messages
    assert not any("quoted" in message for message in messages)


def test_a_comma_that_ends_a_text_in_braces_is_explained():
    ((_, _, message),) = findings(process({"text": "rise", "then fall": None}))
    assert message.endswith("put the whole text in quotes: in {…} a comma ends it")


@pytest.mark.parametrize(
    ("item", "more", "remedy"),
    [
        (listed(), {"items": []}, "'items' belongs under 'rubric'"),
        (listed(), {"insights": []}, "'insights' belongs under 'rubric'"),
        (listed(), {"url": "u"}, "'url' belongs in an entry of 'rubric.evidence'"),
        (listed(), {"license": "MIT"}, "'license' belongs under 'image'"),
        (listed(), {"statement": "s"}, "subject, text_only)"),
        (listed(subject="s"), {}, "'subject' belongs at the top level"),
        (listed(insights=[]), {}, "'insights' belongs under 'rubric'"),
        (listed(aliases=["a"]), {}, "'aliases' belongs in an entry of 'rubric.items[0].options'"),
        (listed(min_coverage=2), {}, "'min_coverage' belongs to the type 'flexible_list'"),
        (listed(statement="s"), {}, "topic, type)"),
        (process({"text": "a", "tier": "context"}), {}, "'tier' belongs under 'rubric.items[0]'"),
        (process({"text": "a", "optional": True}), {}, "steps[0].optional'; write required: false"),
        (
            process({"text": "a", "optional": False}),
            {},
            "leave it out, for steps are required unless they say otherwise",
        ),
    ],
)
def test_a_field_that_is_known_elsewhere_is_told_where_it_belongs(item, more, remedy):
    ((code, _, message),) = findings(item, **more)
    assert code == "unknown-field"
    assert message.endswith(remedy)


def test_insights_are_told_where_they_stand():
    insight = {"id": "i", "type": "insight", "tier": "context", "statement": "s"}
    assert [message for _, _, message in findings(insight)] == [
        "rubric.items[0]: insights stand under 'rubric.insights', without a type"
    ]
    ((_, _, message),) = findings(rubric={"items": [listed()], "insights": [insight]})
    assert message == "unknown field 'rubric.insights[0].type'; an insight has no type, leave it out"
