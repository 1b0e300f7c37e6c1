"""Ties are told as ties, wherever a sentence names a first."""

import pytest

from gamut_eval.reports.kind import REGISTRY
from gamut_eval.reports.shapes import plain
from gamut_eval.reports.ties import together

M, X, C = "meets", "missing", "contradicts"


@pytest.fixture
def given(source_of, question, answer):
    """One question: two Answer-Critical checks and a Valuable one, with each model's verdicts."""

    def make(tiers=("answer_critical", "answer_critical", "valuable"), **verdicts_of):
        rows = [("q", m, f"c{n}", "j", verdict) for m, row in verdicts_of.items() for n, verdict in enumerate(row)]
        return source_of([question("q", tiers)], [answer("q", m) for m in verdicts_of], rows)

    return make


def reading(source, name):
    blocks = REGISTRY.get(name).build(source).blocks
    return plain(blocks[0].note).partition("met by no model. ")[2] if name == "missed" else plain(blocks[-1].reading)


def lead(source):
    return plain(REGISTRY.get("leaderboard").build(source).lead).partition(".  ")[0].partition(". All")[0]


def test_verdicts(given):
    assert reading(given(a=[X, M, C], b=[X, M, C]), "verdicts") == (
        "Both models leave 33.3% of all checks missing each; both models contradict 33.3% each."
    )
    assert reading(given(a=[X, M, C], b=[X, C, M], c=[M, M, M]), "verdicts") == (
        "a and b leave 33.3% of all checks missing each, the most; a and b contradict 33.3% each, the most."
    )
    assert reading(given(a=[M, M, M], b=[M, M, M]), "verdicts") == (
        "No answer leaves a check out; no answer contradicts a check."
    )
    assert reading(given(a=[X, X, M], b=[X, M, C]), "verdicts") == (
        "a leaves 66.7% of all checks missing, the most; b contradicts 33.3%, the most."
    )


def test_tiers(given):
    assert reading(given(a=[M, M, X], b=[M, M, X]), "tiers") == (
        "Both models have the same gap between tiers: 100.0 on Answer-Critical, 0.0 on Valuable, each."
    )
    assert reading(given(a=[M, M, X], b=[X, X, M], c=[M, M, M]), "tiers") == (
        "a and b have the widest gap between tiers: 100.0 points each."
    )
    assert reading(given(a=[M, M, M], b=[X, X, X]), "tiers") == "No model has a gap between its tiers."


def test_tiers_of_one_model(given):
    assert reading(given(a=[M, M, M]), "tiers") == "a scores 100.0 on Answer-Critical and Valuable."
    tiers = ("answer_critical", "valuable", "context")
    assert (
        reading(given(tiers, a=[M, M, X]), "tiers") == "a scores 100.0 on Answer-Critical and Valuable, 0.0 on Context."
    )
    assert reading(given(["valuable"], a=[M]), "tiers") == "a scores 100.0 on Valuable, the only tier it has."


def test_the_headline(given):
    assert lead(given(a=[M, M, M], b=[M, M, M])) == "Both models score 100.0"
    assert lead(given(a=[M, M, M], b=[M, M, M], c=[X, X, X])) == "a and b come first with 100.0"
    assert lead(given(a=[M, M, M], b=[X, X, X], c=[X, X, X], d=[X, X, X])) == (
        "a comes first with 100.0, before b, c and d with 0.0 each"
    )
    assert lead(given(a=[M, M, M], b=[M, M, X], c=[X, X, X], d=[X, X, X])) == (
        "a comes first with 100.0, before b with 66.7 and c and d with 0.0 each"
    )


def test_what_was_missed(given):
    checks = "Of 2 answer-critical checks, "
    assert reading(given(a=[X, X, M], b=[X, X, M], c=[M, X, M], d=[M, X, M]), "missed") == (
        f"{checks}a and b miss most (2 each), c and d fewest (1 each); 1 is missed by every model."
    )
    assert reading(given(a=[X, M, M], b=[X, M, M], c=[M, X, M], d=[M, X, M]), "missed") == (
        f"{checks}every model misses 1; 0 are missed by every model."
    )
    assert reading(given(a=[X, X, M], b=[M, M, M], c=[M, X, M], d=[M, X, M]), "missed") == (
        f"{checks}a misses most (2), b fewest (0); 0 are missed by every model."
    )


def test_many_are_counted():
    assert plain(together(list("abcd"), 5)) == "4 models"
    assert plain(together(list("abcde"), 5, begins=True)) == "All 5 models"
    assert plain(together(["a"], 1)) == "a"
