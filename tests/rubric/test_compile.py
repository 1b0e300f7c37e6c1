import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.errors import InputError
from gamut_eval.files import dump_rows
from gamut_eval.rubric.compile import compile_rubric
from gamut_eval.rubric.fields import TIERS, Tier
from gamut_eval.rubric.item import Compiling
from gamut_eval.rubric.meta import MetaRubric

GOLDEN = Path(__file__).parents[1] / "golden"
TO = Compiling("q")

# Rubrics with up to three items of each type; every part has an explicit id, so that any text goes.
ids = st.from_regex(r"\A[a-z][a-z0-9]{0,8}\Z")
texts = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)
parts = st.dictionaries(ids, texts, min_size=1, max_size=10).map(
    lambda found: [{"id": part_id, "text": text} for part_id, text in found.items()]
)
tiers = st.sampled_from([tier.value for tier in TIERS[:2]])
bodies = st.one_of(
    st.fixed_dictionaries({"type": st.just("simple"), "tier": tiers, "statement": texts}),
    st.fixed_dictionaries({"type": st.just("strict_list"), "tier": tiers, "topic": texts, "options": parts}),
    st.fixed_dictionaries(
        {"type": st.just("flexible_list"), "tier": tiers, "topic": texts, "options": parts, "min_coverage": st.just(1)}
    ),
    st.fixed_dictionaries({"type": st.just("process"), "tier": tiers, "goal": texts, "steps": parts}),
    st.fixed_dictionaries(
        {
            "type": st.just("relationship"),
            "tier": tiers,
            "statement": texts,
            "entities": st.lists(texts, min_size=2, max_size=3),
        }
    ),
)
rubrics = st.dictionaries(ids, bodies, min_size=1, max_size=5).map(
    lambda found: {"items": [{"id": item_id, **body} for item_id, body in found.items()]}
)


def compiled(rubric, **more):
    return compile_rubric(MetaRubric.model_validate(rubric), TO, **more)


def rows(checks):
    return [check.to_dict() for check in checks]


class TestTheExampleOfTheContract:
    checks = load_benchmark(GOLDEN / "jollof.yaml").checks["food-001"]

    def test_it_compiles_byte_for_byte_to_the_golden_file(self):
        assert dump_rows(rows(self.checks)) == (GOLDEN / "jollof.checks.jsonl").read_bytes()

    def test_it_has_the_ids_kinds_and_tiers_of_the_table_of_rules(self):
        critical, valuable, context = "answer_critical", "valuable", "context"
        assert [(check.id, check.kind, check.tier.value) for check in self.checks] == [
            ("identity", "fact", critical),
            ("base/tomatoes", "list_item", critical),
            ("base/red-bell-peppers", "list_item", critical),
            ("base/scotch-bonnet", "list_item", critical),
            ("spices/at-least-2", "coverage", valuable),
            ("spices/thyme", "list_item", context),
            ("spices/curry-powder", "list_item", context),
            ("spices/bay-leaf", "list_item", context),
            ("spices/nutmeg", "list_item", context),
            ("spices/ginger", "list_item", context),
            ("spices/white-pepper", "list_item", context),
            ("cooking/blend-the-tomatoes-and-peppers", "step", critical),
            ("cooking/fry-the-blended-base-in-oil", "step", critical),
            ("cooking/add-smoked-paprika", "step", valuable),
            ("cooking/wash", "step", critical),
            ("cooking/add-stock-and-the-rice", "step", critical),
            ("cooking/cover-and-steam-on-low-heat", "step", critical),
            ("cooking/order", "sequence", critical),
            ("rivalry", "relationship", context),
            ("pattern", "insight", valuable),
        ]

    def test_the_washing_comes_at_any_time_before_the_stock(self):
        (order,) = (check for check in self.checks if check.id == "cooking/order")
        blend, fry, stock = "blend-the-tomatoes-and-peppers", "fry-the-blended-base-in-oil", "add-stock-and-the-rice"
        cover = "cover-and-steam-on-low-heat"
        assert set(order.before) == {(blend, fry), (fry, stock), ("wash", stock), (stock, cover)}

    def test_evidence_of_an_option_goes_to_its_own_check_only(self):
        cited = {check.id: check.evidence for check in self.checks if check.evidence}
        assert cited == {"identity": ("e1",), "base/scotch-bonnet": ("e2",)}

    def test_flat_leaves_out_coverage_sequence_and_insight_and_keeps_options_at_their_tier(self):
        benchmark = load_benchmark(GOLDEN / "jollof.yaml")
        flat = {check.id: check.tier for check in benchmark.compiled(benchmark.questions[0], flat=True)}
        gone = {"spices/at-least-2", "cooking/order", "pattern"}
        assert list(flat) == [check.id for check in self.checks if check.id not in gone]
        assert flat["spices/thyme"] == "valuable"


@given(rubrics)
def test_the_same_rubric_gives_the_same_bytes(rubric):
    copy = json.loads(json.dumps(rubric))
    assert dump_rows(rows(compiled(rubric))) == dump_rows(rows(compiled(copy)))


@given(rubrics, st.booleans())
def test_checks_come_in_the_order_of_the_items(rubric, flat):
    found = [check.item_id for check in compiled(rubric, flat=flat)]
    assert list(dict.fromkeys(found)) == [item["id"] for item in rubric["items"]]
    assert found == sorted(found, key=list(dict.fromkeys(found)).index)  # each item's stand together


@given(rubrics)
def test_ids_of_checks_are_unique(rubric):
    ids = [check.id for check in compiled(rubric)]
    assert len(set(ids)) == len(ids)


@given(rubrics, bodies, st.data())
def test_an_inserted_item_leaves_the_other_checks_as_they_were(rubric, body, data):
    before = rows(compiled(rubric))
    place = data.draw(st.integers(0, len(rubric["items"])))
    items = [*rubric["items"]]
    items.insert(place, {"id": "the-new-one", **body})
    after = compiled({"items": items})
    assert [check.to_dict() for check in after if check.item_id != "the-new-one"] == before


@given(rubrics, st.randoms(use_true_random=False))
def test_ids_and_hashes_do_not_depend_on_the_place_of_items(rubric, random):
    items = [*rubric["items"]]
    random.shuffle(items)
    hashes = {check.id: check.hash for check in compiled(rubric)}
    assert {check.id: check.hash for check in compiled({"items": items})} == hashes


@pytest.mark.parametrize("kind", ["strict_list", "flexible_list"])
def test_an_inserted_option_leaves_the_checks_of_the_others(kind):
    def hashes(options):
        more = {"min_coverage": 1} if kind == "flexible_list" else {}
        item = {"id": "l", "type": kind, "tier": "valuable", "topic": "t", "options": options, **more}
        return {check.id: check.hash for check in compiled({"items": [item]}) if check.kind == "list_item"}

    before, after = hashes(["b", "c"]), hashes(["a", "b", "new", "c"])
    assert {key: after[key] for key in before} == before


def test_insights_come_after_the_items():
    items = [{"id": name, "type": "simple", "tier": "context", "statement": name} for name in "ba"]
    insights = [{"id": "Z", "tier": "context", "statement": "z"}, {"id": "A", "tier": "context", "statement": "a"}]
    assert [check.id for check in compiled({"items": items, "insights": insights})] == ["b", "a", "Z", "A"]


def test_imported_checks_are_used_as_they_are_and_items_beside_them_are_only_shown():
    rubric = {
        "items": [{"id": "fact", "type": "simple", "tier": "context", "statement": "So."}],
        "checks": [
            {"id": "x/1", "tier": "valuable", "text": "no full stop", "evidence": ["e"]},
            {"id": "0", "tier": "answer_critical", "text": "Says so"},
        ],
        "evidence": [{"id": "e", "url": "u"}],
    }
    for flat in (False, True):
        checks = compiled(rubric, flat=flat)
        assert [(c.id, c.tier, c.text, c.kind, c.source, c.item_id, c.evidence) for c in checks] == [
            ("x/1", Tier.VALUABLE, "no full stop", "criterion", "imported", None, ("e",)),
            ("0", Tier.ANSWER_CRITICAL, "Says so", "criterion", "imported", None, ()),
        ]


def test_a_rubric_with_errors_is_not_compiled_and_all_of_them_are_told():
    item = {"id": "a", "type": "simple", "tier": "context", "statement": "So.", "evidence": ["x", "y"]}
    with pytest.raises(InputError) as caught:
        compiled({"items": [item]})
    assert [finding.code for finding in caught.value.findings] == ["unknown-evidence"] * 2


@pytest.mark.parametrize(
    "rubric",
    [
        {"items": []},
        {"items": [{"id": "p", "type": "process", "tier": "context", "goal": "g",
                    "steps": [{"text": "a", "required": False}]}]},
    ],
    ids=["no items", "only optional steps, of no tier"],
)  # fmt: skip
@pytest.mark.parametrize("flat", [False, True])
def test_a_rubric_that_grades_nothing_is_an_error_and_no_score(rubric, flat):  # B21
    with pytest.raises(InputError):
        compiled(rubric, flat=flat)


@pytest.mark.parametrize("flat", [False, True])
def test_an_item_type_that_compiles_to_no_check_is_an_error(flat):  # B21
    class Silent:
        id, tier = "s", Tier.CONTEXT

        def problems(self):
            return ()

        def cited(self):
            return ()

        def compile(self, to):
            return ()

        flat = compile

    with pytest.raises(InputError, match="'q' compiles to no check, so no answer to it can be scored"):
        compile_rubric(MetaRubric.model_construct(items=(Silent(),)), TO, flat=flat)
