"""The contract that every registered item type keeps. A new type adds its example here."""

import json
import typing

import pytest
from pydantic import ValidationError

from gamut_eval.rubric.check import Check
from gamut_eval.rubric.compile import compile_rubric
from gamut_eval.rubric.fields import TIERS
from gamut_eval.rubric.insight import Insight
from gamut_eval.rubric.item import Compiling
from gamut_eval.rubric.items import REGISTRY
from gamut_eval.rubric.meta import MetaRubric

TO = Compiling("q1")
BARE = {
    "simple": {"statement": "The dish is jollof rice."},
    "strict_list": {"topic": "colours of the flag", "options": ["green", {"text": "white", "aliases": ["silver"]}]},
    "flexible_list": {"topic": "spices in it", "min_coverage": 1, "options": ["thyme", "curry powder", "bay leaf"]},
    "process": {"goal": "making tea", "steps": ["boil water", "pour", {"text": "add milk", "required": False}]},
    "relationship": {"entities": ["tea", "coffee"], "statement": "Tea holds less caffeine than coffee."},
    "insight": {"statement": "Heat is what changes the taste.", "items": []},
}
TYPES = [*REGISTRY.names(), "insight"]


def example(kind, tier="answer_critical", **more):
    named = {} if kind == "insight" else {"type": kind}
    model = Insight if kind == "insight" else REGISTRY.get(kind)
    return model.model_validate({"id": "it", "tier": tier, "evidence": ["e1"], **named, **BARE[kind], **more})


def test_every_type_has_an_example_here():
    assert set(TYPES) == set(BARE)


@pytest.mark.parametrize("kind", TYPES)
class TestContract:
    def test_the_type_field_is_the_file_name(self, kind):
        if kind == "insight":
            assert "type" not in Insight.model_fields
        else:
            assert typing.get_args(REGISTRY.get(kind).model_fields["type"].annotation) == (kind,)

    def test_compiling_is_deterministic(self, kind):
        assert list(example(kind).compile(TO)) == list(example(kind).compile(TO))

    @pytest.mark.parametrize("form", ["compile", "flat"])
    def test_checks_belong_to_their_item_and_have_ids_of_their_own(self, kind, form):
        checks = list(getattr(example(kind), form)(TO))
        assert len({check.id for check in checks}) == len(checks) > 0
        for check in checks:
            assert check.question_id == "q1"
            assert check.item_id == "it"
            assert check.id == "it" or check.id.startswith("it/")
            assert check.source == "compiled"
            assert "e1" in check.evidence

    def test_texts_and_guidance_are_sentences(self, kind):
        for check in example(kind).compile(TO):
            assert check.text[-1] in ".!?"
            assert check.text[0].isupper()
            assert check.guidance.startswith(("Met when", "Count", "Judge"))

    def test_each_text_names_what_the_item_is_about(self, kind):
        about = next(BARE[kind][field] for field in ("topic", "goal", "statement") if field in BARE[kind])
        assert all(about in check.text for check in example(kind).compile(TO))

    @pytest.mark.parametrize("tier", TIERS)
    def test_no_check_outranks_its_item_and_one_has_its_tier(self, kind, tier):
        ranks = [TIERS.index(check.tier) for check in example(kind, tier).compile(TO)]
        assert min(ranks) == TIERS.index(tier)
        assert max(ranks) <= TIERS.index(tier) + 1

    def test_checks_survive_json(self, kind):
        for check in example(kind).compile(TO):
            assert Check.from_dict(json.loads(json.dumps(check.to_dict()))) == check

    def test_the_flat_rubric_has_neither_coverage_nor_sequence_nor_insight(self, kind):
        if kind == "insight":
            rubric = MetaRubric(items=[example("simple")], insights=[example(kind, id="other", evidence=[])])
            rubric = rubric.model_copy(update={"evidence": MetaRubric(evidence=[{"id": "e1", "url": "u"}]).evidence})
            assert [check.id for check in compile_rubric(rubric, TO, flat=True)] == ["it"]
        else:
            kinds = {check.kind for check in example(kind).flat(TO)}
            assert kinds <= {"fact", "list_item", "step", "relationship"}

    def test_a_sound_example_has_no_problems_and_a_summary(self, kind):
        assert list(example(kind).problems()) == []
        assert example(kind).summary()

    def test_evidence_is_cited_with_its_path(self, kind):
        assert list(example(kind).cited()) == [(("evidence", 0), "e1")]

    def test_unknown_and_missing_fields_are_refused(self, kind):
        with pytest.raises(ValidationError, match="extra_forbidden"):
            example(kind, colour="red")
        for field in [name for name in BARE[kind] if name != "items"]:
            with pytest.raises(ValidationError):
                example(kind, **{field: None})

    @pytest.mark.parametrize("tier", ["critical", "Answer_Critical", 1, None])
    def test_other_tiers_are_refused(self, kind, tier):
        with pytest.raises(ValidationError):
            example(kind, tier)

    def test_nothing_can_be_changed(self, kind):
        with pytest.raises(ValidationError, match="frozen"):
            example(kind).id = "new"


@pytest.mark.parametrize("kind", REGISTRY.names())
def test_a_mapping_is_read_as_the_type_it_names(kind):
    rubric = MetaRubric.model_validate({"items": [{"id": "a", "tier": "context", "type": kind, **BARE[kind]}]})
    assert type(rubric.items[0]) is REGISTRY.get(kind)


@pytest.mark.parametrize("kind", REGISTRY.names())
def test_the_json_schema_describes_the_type(kind):
    schema = MetaRubric.model_json_schema()
    mapping = schema["properties"]["items"]["items"]["discriminator"]["mapping"]
    definition = schema["$defs"][mapping[kind].rpartition("/")[2]]
    assert definition["additionalProperties"] is False
    assert {"id", "tier", "type", *BARE[kind]} <= set(definition["properties"])
    assert {"id", "tier", "type", *BARE[kind]} == set(definition["required"])
