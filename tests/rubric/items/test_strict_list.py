import pytest
from pydantic import ValidationError

from gamut_eval.rubric.item import Compiling
from gamut_eval.rubric.items.strict_list import StrictList

TO = Compiling("q")


def strict(*options, **more):
    return StrictList.model_validate(
        {"id": "l", "type": "strict_list", "tier": "context", "topic": "things", "options": list(options), **more}
    )


def test_each_option_is_one_check_at_the_lists_tier():
    item = strict("a thing", {"text": "b", "aliases": ["bee", "be"]}, {"text": "C++", "id": "cpp"})
    assert [(c.id, c.kind, c.tier, c.text) for c in item.compile(TO)] == [
        ("l/a-thing", "list_item", "context", "Names a thing among: things."),
        ("l/b", "list_item", "context", "Names b (or: bee, be) among: things."),
        ("l/cpp", "list_item", "context", "Names C++ among: things."),
    ]


def test_a_check_cites_the_evidence_of_its_list_and_its_option_once():
    item = strict({"text": "a", "evidence": ["e2", "e1"]}, "b", evidence=["e1"])
    assert [check.evidence for check in item.compile(TO)] == [("e1", "e2"), ("e1",)]
    assert list(item.cited()) == [
        (("evidence", 0), "e1"),
        (("options", 0, "evidence", 0), "e2"),
        (("options", 0, "evidence", 1), "e1"),
    ]


@pytest.mark.parametrize(
    ("options", "place", "said"),
    [
        (["Red", "red!"], 1, "'red!' and 'Red' share the id 'red'"),
        (["a", {"text": "b", "id": "a"}], 1, "'b' and 'a' share the id 'a'"),
        (["a", "🍅"], 1, "'🍅' has no letter or digit"),
        (["Order", "b"], 0, "the id 'order' is reserved"),
        (["b", "At least 12"], 1, "the id 'at-least-12' is reserved"),
        ([{"text": "b", "id": "at-least-2"}], 0, "the id 'at-least-2' is reserved"),
    ],
)
def test_an_option_without_a_free_id_is_asked_for_an_explicit_one(options, place, said):
    (problem,) = strict(*options).problems()
    assert (problem.code, problem.severity, problem.path) == ("part-id", "error", ("options", place))
    assert said in problem.message
    assert "give it an explicit id: {text: …, id: …}" in problem.message


@pytest.mark.parametrize("options", [["Order of the day", "at least"], [{"text": "🍅", "id": "tomato"}, "at-least-x"]])
def test_ids_that_only_resemble_reserved_ones_are_free(options):
    assert list(strict(*options).problems()) == []


@pytest.mark.parametrize("option", [None, 1, 1.10, True, ["a"], {"aliases": ["a"]}, {"text": "a", "alias": "b"}])
def test_an_option_is_a_text_or_a_mapping_with_one(option):
    with pytest.raises(ValidationError):
        strict(option)


def test_a_list_without_options_is_refused():
    with pytest.raises(ValidationError, match="too_short"):
        strict()
