import pytest
from pydantic import ValidationError

from gamut_eval.rubric.meta import MetaRubric

FACT = {"id": "fact", "type": "simple", "tier": "context", "statement": "It is so."}
PAGE = {"id": "e1", "url": "https://example.org"}


def problems(**fields):
    return [(p.code, p.path) for p in MetaRubric.model_validate(fields).problems]


def fact(item_id="fact", **more):
    return FACT | {"id": item_id} | more


def check(check_id, **more):
    return {"id": check_id, "tier": "context", "text": "Says so."} | more


@pytest.mark.parametrize(
    "rubric",
    [
        {},
        {"items": []},
        {"items": [], "evidence": [PAGE]},
        {"insights": [{"id": "i", "tier": "context", "statement": "Hm."}]},
    ],
)
def test_a_rubric_without_items_is_an_error_that_asks_for_one(rubric):
    (problem,) = MetaRubric.model_validate(rubric).problems
    assert (problem.code, problem.severity, problem.path) == ("empty-rubric", "error", ("items",))
    assert "write at least one under 'items'" in problem.message


def test_an_empty_list_of_imported_checks_is_refused():
    with pytest.raises(ValidationError, match="too_short"):
        MetaRubric.model_validate({"checks": []})


def test_imported_checks_need_no_items():
    assert problems(checks=[check("a"), check("x/y")]) == []


def test_ids_of_items_and_insights_are_unique_together():
    insight = {"id": "fact", "tier": "context", "statement": "Hm."}
    assert problems(items=[fact(), fact("b"), fact()]) == [("duplicate-id", ("items", 2, "id"))]
    assert problems(items=[fact()], insights=[insight]) == [("duplicate-id", ("insights", 0, "id"))]
    assert problems(items=[fact(), fact("Fact")]) == []


def test_ids_of_evidence_and_of_imported_checks_are_unique():
    assert problems(items=[fact()], evidence=[PAGE, PAGE]) == [("duplicate-id", ("evidence", 1, "id"))]
    assert problems(checks=[check("c"), check("c")]) == [("duplicate-id", ("checks", 1, "id"))]


def test_evidence_that_does_not_exist_is_named_where_it_is_cited():
    listed = fact("l") | {"type": "strict_list", "topic": "t", "options": [{"text": "o", "evidence": ["e3"]}]}
    del listed["statement"]
    rubric = MetaRubric.model_validate(
        {
            "items": [fact(evidence=["e1", "e2"]), listed],
            "insights": [{"id": "i", "tier": "context", "statement": "Hm.", "evidence": ["e4"]}],
            "checks": [check("c", evidence=["e5"])],
            "evidence": [PAGE],
        }
    )
    assert [(p.code, p.path) for p in rubric.problems] == [
        ("unknown-evidence", ("items", 0, "evidence", 1)),
        ("unknown-evidence", ("items", 1, "options", 0, "evidence", 0)),
        ("unknown-evidence", ("insights", 0, "evidence", 0)),
        ("unknown-evidence", ("checks", 0, "evidence", 0)),
    ]
    assert "'e2' does not exist (known: e1)" in rubric.problems[0].message


def test_an_insight_that_names_an_unknown_item_is_an_error():
    insight = {"id": "i", "tier": "context", "statement": "Hm.", "items": ["fact", "fac", "i"]}
    assert problems(items=[fact()], insights=[insight]) == [
        ("unknown-item", ("insights", 0, "items", 1)),
        ("unknown-item", ("insights", 0, "items", 2)),
    ]


def test_problems_of_items_carry_the_path_from_the_rubric():
    item = {"id": "l", "type": "flexible_list", "tier": "context", "topic": "t", "options": ["a"], "min_coverage": 2}
    assert problems(items=[fact(), item]) == [("coverage-above-options", ("items", 1, "min_coverage"))]


@pytest.mark.parametrize("kind", ["human", "Person", "llm", "", None])
def test_a_review_is_by_a_person_or_a_model(kind):
    review = {"by": "x", "kind": kind, "at": "2026-11-30", "supports": True}
    with pytest.raises(ValidationError):
        MetaRubric.model_validate({"items": [fact()], "evidence": [PAGE | {"reviews": [review]}]})


@pytest.mark.parametrize("kind", ["insight", "base", "list", "Simple", "", None])
def test_an_unknown_item_type_is_refused(kind):
    with pytest.raises(ValidationError):
        MetaRubric.model_validate({"items": [fact(type=kind)]})
