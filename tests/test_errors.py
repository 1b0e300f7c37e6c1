import re

import pytest

from gamut_eval import errors
from gamut_eval.errors import Finding, InputError, Place, UnknownNameError, brief, did_you_mean, repeated


def test_the_tree_in_the_docstring_is_the_tree_of_classes():
    drawn = {}
    open_at = {}
    for line in errors.__doc__.splitlines():
        if found := re.search(r"\w+Error\b", line):
            name, depth = found.group(), found.start()
            drawn[name] = next((open_at[d] for d in sorted(open_at, reverse=True) if d < depth), "Exception")
            open_at = {d: n for d, n in open_at.items() if d < depth} | {depth: name}
    made = {
        name: thing.__base__.__name__
        for name, thing in vars(errors).items()
        if isinstance(thing, type) and issubclass(thing, Exception)
    }
    assert made == drawn


@pytest.mark.parametrize(
    ("known", "hint"),
    [
        (["statement", "tier"], " (did you mean 'statement'?)"),
        (["statements", "statement", "tier"], " (did you mean 'statement' or 'statements'?)"),
        (["b", "a"], " (known: a, b)"),
        ([], " (there is no field at all)"),
        ([str(n) for n in range(10, 30)], " (known: 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, …)"),
    ],
)
def test_near_matches_are_offered_else_what_is_known(known, hint):
    assert did_you_mean("statment", known, "field") == hint


def test_an_unknown_name_is_an_input_error_with_near_matches():
    error = UnknownNameError("judge", "lexcal", ["lexical", "recorded"])
    assert error.kind == "judge"
    assert isinstance(error, InputError)
    assert str(error) == "unknown judge 'lexcal' (did you mean 'lexical'?)"


@pytest.mark.parametrize(
    ("finding", "shown"),
    [
        (Finding("c", "wrong", file="a.yaml", line=3, column=7), "a.yaml:3:7: wrong"),
        (Finding("c", "wrong", file="a.jsonl", line=3), "a.jsonl:3: wrong"),
        (Finding("c", "wrong", file="a"), "a: wrong"),
        (Finding("c", "wrong"), "wrong"),
    ],
)
def test_a_finding_is_shown_with_its_place_as_far_as_known(finding, shown):
    assert str(finding) == shown


def test_a_finding_seen_from_outside_has_a_longer_path():
    finding = Finding("c", "m", path=("id",))
    assert finding.under("items", 2).path == ("items", 2, "id")
    assert finding.path == ("id",)


def test_an_input_error_lists_every_finding_in_order():
    findings = [Finding("a", "first", file="x", line=1), Finding("b", "second")]
    error = InputError(findings)
    assert error.findings == tuple(findings)
    assert str(error) == "x:1: first\nsecond"
    assert [finding.message for finding in InputError("only this").findings] == ["only this"]


@pytest.mark.parametrize(
    ("place", "shown"), [(Place("f", 2), "f:2"), (Place("f"), "f"), (Place(), "")], ids=["line", "file", "none"]
)
def test_a_place_is_shown_as_far_as_known(place, shown):
    assert str(place) == shown


@pytest.mark.parametrize(("items", "found"), [("abcb", "b"), ("abccb", "c"), ("abc", None), ("", None)])
def test_repeated_is_the_first_item_to_come_again(items, found):
    assert repeated(items) == found


def test_a_value_that_cannot_be_shown_is_no_error_of_its_own():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert brief(deep) == "a list that cannot be shown"
    assert brief(10**5000) == "a int that cannot be shown"
    assert len(brief("x" * 1000)) == 80
