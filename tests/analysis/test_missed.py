"""What is missed, counted by hand."""

import pytest

from gamut_eval.analysis.missed import MISSED, OUTCOMES, Counts, coded, missed_items, tallies
from gamut_eval.records import Verdict
from gamut_eval.reports.shapes import plain
from gamut_eval.reports.table_kind import REGISTRY, Wanted
from gamut_eval.rubric.fields import Tier

M, P, X, C = "meets", "partially_meets", "missing", "contradicts"
VERDICTS = {"a": (M, X, C, X), "b": (M, X, X, C), "c": (P, X, M, None)}
TIERS = ("answer_critical", "context", "valuable", "answer_critical")


@pytest.fixture
def three(source_of, question, answer):
    """Three models, one question with four checks, one of which has no verdict for ``c``."""

    def make(given=None, judges=("j",)):
        given = given or VERDICTS
        rows = [("q", m, f"c{n}", j, v) for m, row in given.items() for n, v in enumerate(row) for j in judges]
        return source_of([question("q", TIERS)], [answer("q", m) for m in given], rows, allow_incomplete=True)

    return make


def table(source, most=20):
    return REGISTRY.get("missed").build(source, Wanted(most=most))


def test_checks_are_ranked_by_share_then_answers_then_tier(three):
    found, n = tallies(three(), "text_only", "j").most(*MISSED, at_most=10)
    assert n == 3
    assert [(one.check.id, one.n_answers, one.n_open, one.counts.missed) for one in found] == [
        ("c1", 3, 0, 1.0),  # more answers than c3
        ("c3", 2, 1, 1.0),
        ("c2", 3, 0, pytest.approx(2 / 3)),
    ]
    assert [one.models for one in found] == [("a", "b", "c"), ("a", "b"), ("a", "b")]


def test_only_what_is_contradicted_is_listed_as_such(three):
    found, n = tallies(three(), "text_only", "j").most(Verdict.CONTRADICTS, at_most=1)
    assert n == 2
    assert [(one.check.id, one.counts.share("contradicts")) for one in found] == [("c3", 0.5)]


def test_verdicts_that_are_not_there_are_counted(three, source_of, question, answer):
    counted = tallies(three(), "text_only", "j")
    assert (counted.n_open, counted.n_unanswered) == (1, 0)
    answers = [answer("q", "a"), answer("q", "b", error="HTTP 500")]
    source = source_of([question("q", ["valuable"])], answers, [("q", "a", "c0", "j", X)], allow_incomplete=True)
    counted = tallies(source, "text_only", "j")
    assert (counted.n_open, counted.n_unanswered) == (0, 1)
    assert "1 question has no answer of a model" in "".join(map(str, table(source).tables[0].note))


def test_verdicts_are_summed_by_model_and_tier(three):
    found = tallies(three(), "text_only", "j").by_model()
    assert found["a", None] == Counts(1, 0, 2, 1)
    assert found["a", Tier.ANSWER_CRITICAL] == Counts(1, 0, 1, 0)
    assert found["a", None].contradicted_of_missed == pytest.approx(1 / 3)
    assert found["c", None] == Counts(1, 1, 1, 0)


def test_the_panel_counts_all_judges_verdicts(three):
    counted = tallies(three(judges=("x", "y")), "text_only", "panel")
    assert counted.by_model()["b", None] == Counts(2, 0, 4, 2)
    (first, *_), _ = counted.most(*MISSED, at_most=5)
    assert (first.check.id, first.n_answers, first.counts.n) == ("c1", 3, 6)


@pytest.mark.parametrize(
    ("counts", "wanted", "expected"),
    [
        ((2, 0, 1, 0), 3, "meets"),
        ((1, 0, 0, 1), 2, "contradicts"),
        ((1, 0, 0, 0), 2, "not_judged"),
        ((0, 0, 0, 0), 1, "not_judged"),
        ((0, 0, 0, 0), 0, "no_answer"),
        ((0, 0, 0, 0), -1, ""),
    ],
)
def test_one_outcome_for_several_verdicts(counts, wanted, expected):
    import numpy as np

    assert OUTCOMES[int(coded(np.array(counts), np.array(wanted)))] == expected


@pytest.fixture
def items(source_of, answer):
    """A process of two steps, a fact, and two answers."""
    process = {"id": "make", "type": "process", "tier": "valuable", "goal": "making tea"}
    process |= {"steps": ["boil the water", {"text": "add the leaves", "after": []}]}
    fact = {"id": "leaf", "type": "simple", "tier": "answer_critical", "statement": "Tea is made of leaves."}
    question = {"id": "q", "domain": "food", "question": "How is tea made?", "rubric": {"items": [process, fact]}}
    given = {
        "a": {"make/boil-the-water": X, "make/add-the-leaves": C, "leaf": M},
        "b": {"make/boil-the-water": M, "make/add-the-leaves": X, "leaf": X},
    }
    rows = [("q", model, check, "j", v) for model, own in given.items() for check, v in own.items()]
    return source_of([question], [answer("q", model) for model in given], rows)


def test_an_items_share_is_the_mean_over_answers_of_its_checks(items):
    found, n = missed_items(items, tallies(items, "text_only", "j"), at_most=5)
    assert n == 2
    make, leaf = found
    assert (make.item_id, make.kind, make.n_checks, make.n_answers) == ("make", "process", 2, 2)
    assert (make.missed, make.contradicted, make.whole) == (0.75, 0.25, 0.5)
    assert (leaf.item_id, leaf.missed, leaf.contradicted, leaf.whole) == ("leaf", 0.5, 0.0, 0.5)


BY_MODEL = "Left out or contradicted, by model and tier"


def titled(built, title):
    (found,) = (one for one in built.tables if plain(one.title) == title)
    return found


def test_the_tables_have_the_same_numbers(items):
    built = table(items)
    (data,) = built.data
    assert [(row["item_id"], row["missed"]) for row in data["items"]] == [("make", 0.75), ("leaf", 0.5)]
    steps = {row["model"]: row for row in data["kinds"] if row["kind"] == "step"}
    assert (steps["a"]["missing"], steps["a"]["contradicts"], steps["b"]["meets"]) == (0.5, 0.5, 0.5)
    assert [plain(one.title) for one in built.tables] == [
        "Checks that no model met",
        "Checks missed most",
        "Checks contradicted most",
        "Items missed most",
        BY_MODEL,
        "By kind of check",
    ]
    by_model = titled(built, BY_MODEL)
    columns = [(column.group, column.title) for column in by_model.columns]
    shares = columns.index(("Answer-Critical", "Missing"))
    assert [row[shares] for row in by_model.rows] == [0.0, 1.0]


def test_the_reading_says_who_omits_and_who_errs(items):
    note = plain(titled(table(items), BY_MODEL).note)
    assert "b leaves out most (66.7%), a contradicts most (33.3%)." in note
    assert "the largest part is contradicted by a (50.0%)." in note


def test_a_list_says_how_many_more_there_are(three):
    checks = titled(table(three(), most=1), "Checks missed most")
    assert len(checks.rows) == 1
    assert "The 1 worst of 3 checks" in checks.note[0]
    assert "1 verdict is not there" in checks.note[1]


def test_nothing_judged_has_no_table(source_of, question, answer):
    assert (
        table(source_of([question("q")], [answer("q", "a")], [("q", "a", "c0", "j", None)], allow_incomplete=True))
        is None
    )
