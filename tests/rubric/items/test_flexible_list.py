import pytest
from pydantic import ValidationError

from gamut_eval.rubric.item import Compiling
from gamut_eval.rubric.items.flexible_list import FlexibleList


def pool(n, least, tier="answer_critical", **more):
    options = [f"option {place}" for place in range(n)]
    return FlexibleList.model_validate(
        {"id": "p", "type": "flexible_list", "tier": tier, "topic": "things", "options": options, "min_coverage": least}
        | more
    )


def shape(item, long_list=8):
    return [(c.id, c.kind, c.tier.value, c.threshold) for c in item.compile(Compiling("q", long_list))]


def test_a_short_list_has_a_baseline_and_its_options_one_tier_lower():
    assert shape(pool(3, 2)) == [
        ("p/at-least-2", "coverage", "answer_critical", 2),
        ("p/option-0", "list_item", "valuable", None),
        ("p/option-1", "list_item", "valuable", None),
        ("p/option-2", "list_item", "valuable", None),
    ]


@pytest.mark.parametrize(
    ("n", "least", "more"),
    [
        (8, 1, 2),
        (8, 3, 6),
        (8, 4, 7),  # 2·4 = 8, but at most n − 1
        (8, 6, 7),
        (8, 7, None),  # n − 1 is not above the minimum
        (8, 8, None),
        (20, 5, 10),
    ],
)
def test_a_long_list_has_a_higher_coverage_instead(n, least, more):
    expected = [(f"p/at-least-{least}", "coverage", "answer_critical", least)]
    if more:
        expected.append((f"p/at-least-{more}", "coverage", "valuable", more))
    assert shape(pool(n, least)) == expected


@pytest.mark.parametrize(("n", "long_list", "is_long"), [(7, 8, False), (8, 8, True), (8, 9, False), (2, 2, True)])
def test_where_a_list_is_long_is_a_setting(n, long_list, is_long):
    kinds = [kind for _, kind, _, _ in shape(pool(n, 1), long_list)]
    assert ("list_item" not in kinds) == is_long


@pytest.mark.parametrize("n", [3, 8])
def test_nothing_is_graded_below_context(n):
    assert shape(pool(n, 1, "context")) == [("p/at-least-1", "coverage", "context", 1)]


def test_the_baseline_names_its_parts_only_where_they_are_checks():
    def parts(item):
        return next(item.compile(Compiling("q"))).parts

    assert parts(pool(2, 1)) == ("p/option-0", "p/option-1")
    assert parts(pool(8, 1)) == ()
    assert parts(pool(2, 1, "context")) == ()


def test_every_coverage_check_spells_out_topic_number_and_all_options_with_aliases():
    options = ["thyme", {"text": "curry", "aliases": ["curry powder", "masala"], "evidence": ["e2"]}]
    item = pool(2, 1, options=options, evidence=["e1"])
    check = next(item.compile(Compiling("q")))
    assert check.text == "Names at least 1 of the following things: thyme; curry (or: curry powder, masala)."
    assert [(o.text, o.aliases) for o in check.options] == [("thyme", ()), ("curry", ("curry powder", "masala"))]
    assert check.evidence == ("e1", "e2")


@pytest.mark.parametrize("n", [3, 12])
def test_flat_has_every_option_at_the_lists_tier_whatever_the_length(n):
    checks = list(pool(n, 2).flat(Compiling("q")))
    assert [(c.id, c.kind, c.tier) for c in checks] == [
        (f"p/option-{place}", "list_item", "answer_critical") for place in range(n)
    ]


def test_more_than_all_options_is_an_error_and_all_of_them_a_warning():
    (error,) = pool(3, 4).problems()
    assert (error.code, error.severity, error.path) == ("coverage-above-options", "error", ("min_coverage",))
    (warning,) = pool(3, 3).problems()
    assert (warning.code, warning.severity) == ("coverage-is-all", "warning")
    assert "strict_list" in warning.message
    assert list(pool(3, 2).problems()) == []


@pytest.mark.parametrize("least", [0, -1, 1.0, 1.5, True, "1", None, float("nan")])
def test_min_coverage_is_a_whole_number_from_1_on(least):
    with pytest.raises(ValidationError):
        pool(3, least)
