"""The viewer's parts by themselves: addresses, arrays of scores, verdicts as numbers, the index of words."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some
from starlette.datastructures import QueryParams

from gamut_eval.records import VERDICTS
from gamut_eval.rubric.fields import TIERS
from gamut_eval.run import Run
from gamut_eval.web.view.choice import SORTS, STATES, Choice
from gamut_eval.web.view.pages import address
from gamut_eval.web.view.snapshot import snapshot
from gamut_eval.web.view.texts import Texts
from view_server import answer, question, study, verdict, write_run

NAMES = ["a/b", "c d", "<&>", "é", "-", "..", "%2F"]
KNOWN = dict.fromkeys(("domain", "variant", "judge", "model", "kind"), NAMES)


def _one(names):
    return some.none() | some.sampled_from([str(name) for name in names])


def _several():
    return some.lists(some.sampled_from(NAMES), unique=True).map(tuple)


@given(
    some.builds(
        Choice,
        q=some.text().map(str.strip).filter(lambda text: text.isprintable()),
        domain=_one(NAMES),
        variant=_one(NAMES),
        judge=_one(NAMES),
        model=_several(),
        verdict=_one(VERDICTS),
        tier=_one(TIERS),
        kind=_one(NAMES),
        state=_one(STATES),
        low=some.none() | some.integers(-1000, 1000).map(lambda n: n / 10),
        high=some.none() | some.integers(-1000, 1000).map(lambda n: n / 10),
        sort=some.sampled_from([*SORTS, *(f"-{name}" for name in SORTS)]),
        page=some.integers(1, 1000),
        models=_several(),
        sample=some.integers(0, 1000),
    )
)
def test_an_address_holds_the_whole_choice(choice):
    assert Choice.parsed(QueryParams(choice.query.removeprefix("?")), KNOWN) == choice


def test_a_click_on_a_head_sorts_and_another_one_turns_it_round():
    once = Choice(page=7).sorting("missing")
    assert (once.sorted_by, once.page) == (("missing", True), 1)
    assert once.sorting("missing").sorted_by == ("missing", False)
    assert once.sorting("missing").sorting("missing") == once
    assert Choice().sorting("score").sorted_by == ("score", False)


def test_variant_and_judge_filter_nothing():
    assert not Choice(variant="image", judge="x", sort="score", page=3, models=("a",)).filters
    assert Choice(q="x").filters
    assert Choice(low=0.0).filters


def test_an_address_quotes_what_a_path_may_not_hold():
    assert address("../a b?", Choice()) == "/questions/..%2Fa%20b%3F"


# --- scores ---------------------------------------------------------------------------------------


@pytest.fixture
def scored(tmp_path):
    """Two questions of one check in each of two tiers, weights .6 and .3; one verdict of ``b`` is an error."""
    given = {
        ("q1", "a"): ("meets", "missing"),
        ("q1", "b"): ("missing", "contradicts"),
        ("q2", "a"): ("meets", "meets"),
        ("q2", "b"): ("meets", None),
    }
    rows = [
        verdict(q, m, f"c{at}", judge, said)
        for (q, m), several in given.items()
        for at, said in enumerate(several)
        for judge in ("one", "two")
    ]
    rows[0] |= {"verdict": "missing"}  # of judge one, on c0 of a's answer to q1
    questions = [question("q1", 2), question("q2", 2, domain="x")]
    answers = [answer(q, m) for q in ("q1", "q2") for m in ("a", "b")]
    read = snapshot({"run": Run.open(write_run(tmp_path / "run", questions, answers, rows))})
    yield read
    read.close()


def test_scores_by_question(scored):
    board = scored.scoreboard("text_only", "two")
    assert board.models == ("a", "b")
    a, b = board.gamut.T.tolist()
    # q1: a meets the first of two (0.6·1 + 0.3·0) / 0.9; b misses it and contradicts: (0 + 0.3·(−2/2)) / 0.9
    assert a == pytest.approx([2 / 3, 1.0])
    assert b[0] == pytest.approx(-1 / 3)
    assert math.isnan(b[1])
    assert board.open.tolist() == [[False, False], [False, True]]
    assert board.mean(()).tolist() == pytest.approx([1 / 6, math.nan], nan_ok=True)
    assert board.mean(("a",)).tolist() == pytest.approx([2 / 3, 1.0])
    assert board.spread(()).tolist() == pytest.approx([1.0, math.nan], nan_ok=True)
    assert board.missing.tolist() == [2, 0]
    assert board.contradicts.tolist() == [1, 0]
    assert board.lowest == pytest.approx(-1 / 3)


def test_disagreement_is_how_far_judges_lie_apart_on_average_over_models(scored):
    # On a's answer to q1 judge one gives 0, judge two 2/3; they agree on b's.
    assert scored.scoreboard("text_only", "one").disagreement.tolist() == pytest.approx([1 / 3, 0.0])


def test_verdicts_as_numbers(scored):
    cells = scored.cells
    assert (cells.n_verdicts, cells.n_failed) == (14, 2)
    assert (cells.models, cells.judges, cells.kinds) == (["a", "b"], ["one", "two"], ["criterion"])
    counts = cells.frame.group_by("verdict").len().sort("verdict", nulls_last=True).rows()
    assert counts == [(0, 7), (2, 5), (3, 2), (None, 2)]


def test_wanted_and_given_verdicts_are_counted(scored):
    (part,) = scored.parts
    assert (part.n_verdicts, part.n_wanted, part.n_failed, part.goes_on) == (14, 16, 2, True)


def test_derived_verdicts_stand_in_place_of_asked_ones(tmp_path):
    items = [
        {
            "id": "l",
            "type": "flexible_list",
            "tier": "valuable",
            "topic": "t",
            "min_coverage": 2,
            "options": list("xyz"),
        }
    ]
    asked = question("q1") | {"rubric": {"items": items}}
    rows = [verdict("q1", "m", f"l/{name}", "j", "meets" if name != "z" else "missing") for name in "xyz"]
    folder = write_run(tmp_path / "run", [asked], [answer("q1", "m")], rows, composite="derive")
    read = snapshot({"run": Run.open(folder)})
    try:
        check = [check.id for check in read.source.checks].index("l/at-least-2")
        (said,) = read.cells.frame.filter(check=check)["verdict"].to_list()
        assert VERDICTS[said] == "meets"
        (part,) = read.parts
        assert (part.n_verdicts, part.n_wanted) == (3, 3)
        assert read.scoreboard("text_only", "j").missing.tolist() == [1]
    finally:
        read.close()


# --- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("jollof", {0}),
        ("JOLL", {0}),
        ("cafe", {1}),
        ("café", {1}),
        ("cre\u0300me bru\u0302le\u0301e", {1}),  # accents as characters of their own
        ("\u0301", set()),
        ("rice tomato", {0}),
        ("tomato rice", {0}),
        ("snake_case", {2}),
        ("米饭", {3}),
        ("番茄 米", {3}),
        ("饭米", {3}),  # every character by itself, in any order
        ("ข้าว", {3}),
        ("AND", set()),
        ('"', set()),
        ("rice* OR (", set()),
    ],
)
def test_words_are_found_whatever_the_script(words, found):
    with Texts() as texts:
        texts.add(0, ["Jollof rice", "made of tomatoes"])
        texts.add(1, ["At the Café, a crème brûlée."])
        texts.add(2, ["A snake_case name."])
        texts.add(3, ["番茄炒蛋配米饭", "ข้าวผัด"])
        assert texts.holding(words) == found


def test_the_index_keeps_no_text():
    with Texts() as texts:
        texts.add(0, ["a rare word"])
        assert texts._db.execute("SELECT words FROM texts").fetchall() == [(None,)]


def test_without_full_text_search_a_search_says_so(monkeypatch, tmp_path):
    from gamut_eval.errors import InputError

    monkeypatch.setattr("gamut_eval.web.view.texts._TABLE", "CREATE VIRTUAL TABLE texts USING none_such(words)")
    with Texts() as texts:
        texts.add(0, ["word"])
        with pytest.raises(InputError, match="cannot be searched"):
            texts.holding("word")


def test_all_texts_of_a_run_are_indexed(tmp_path):
    folder, _ = study(tmp_path / "run")
    read = snapshot({"run": Run.open(folder)})
    try:
        assert not read.indexed
        read.index()
        assert read.indexed
        assert read.texts.holding("because c2") == set(range(6))
    finally:
        read.close()
