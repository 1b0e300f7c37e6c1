"""Gaps: what is one, what covers it, and what is never one."""

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn")

from gamut_eval.analysis.gaps import GapFinder, gaps_of, statements
from gamut_eval.errors import MissingExtraError, UnknownNameError
from gamut_eval.records import Response

SHARED = {
    "a": "Rinse the rice well. The dish is often served at weddings and parties. Blue whales sing.",
    "b": "It is often served at parties and weddings. Volcanoes erupt with red lava in Iceland.",
    "c": "Some people store violins in humid cellars. Trains leave every morning at noon.",
}


@pytest.fixture
def source(source_of, answer):
    """One question, a check on rinsing, answers as given."""

    def make(answers=SHARED, verdicts=(), checks=(("rinse", "Rinse the rice well before cooking."),), n=1):
        rubric = {"checks": [{"id": id, "tier": "valuable", "text": text} for id, text in checks]}
        names = [f"q{place}" for place in range(n)]
        questions = [{"id": q, "domain": "food", "question": "How is jollof made?", "rubric": rubric} for q in names]
        given = verdicts or [("q0", next(iter(answers)), checks[0][0], "j", "missing")]
        rows = [answer(q, model, text) for q in names for model, text in answers.items()]
        return source_of(questions, rows, given, allow_incomplete=True)

    return make


def found(source, **options):
    return gaps_of(source, "q0", **options)


def test_a_statement_of_two_models_that_no_check_covers_is_a_gap(source):
    (gap,) = found(source())
    assert gap.statement == "It is often served at parties and weddings."
    assert (gap.models, gap.n_models, gap.n_stating, gap.n_responses) == (("a", "b"), 3, 2, 3)
    assert [(one.model, one.text) for one in gap.wordings] == [
        ("b", "It is often served at parties and weddings."),
        ("a", "The dish is often served at weddings and parties."),
    ]
    assert gap.share == pytest.approx(2 / 3)
    assert gap.nearest is not None
    assert gap.nearest.check_id in ("rinse", None)
    assert gap.nearest.similarity < 0.2


def test_a_statement_like_a_check_is_none(source):
    checks = [("party", "It is often served at weddings and at parties.")]
    assert found(source(checks=checks)) == []


def test_an_alias_covers_what_names_it(source_of, answer):
    spices = {"id": "s", "type": "flexible_list", "tier": "valuable", "topic": "spices", "min_coverage": 1}
    spices |= {"options": [{"text": "thyme", "aliases": ["smoked hickory paprika powder"]}, "nutmeg"]}
    question = {"id": "q0", "domain": "food", "question": "What is in it?", "rubric": {"items": [spices]}}
    answers = [answer("q0", model, "Use smoked hickory paprika powder.") for model in "ab"]
    assert found(source_of([question], answers, [("q0", "a", "s/nutmeg", "j", "missing")], allow_incomplete=True)) == []


@pytest.mark.parametrize("verdict", ["meets", "partially_meets", "contradicts"])
def test_a_quoted_statement_is_covered(source, verdict):
    quote = {"quote": "often served at weddings and  Parties"}
    assert found(source(verdicts=[("q0", "a", "rinse", "j", verdict, quote)])) == []


def test_a_quote_of_a_small_part_covers_nothing(source):
    assert len(found(source(verdicts=[("q0", "a", "rinse", "j", "meets", {"quote": "The dish"})]))) == 1


def test_numbers_and_negations_part_what_is_worded_alike(source):
    eggs = {"a": "The batter needs 2 large eggs.", "b": "The batter needs 3 large eggs."}
    assert found(source(eggs)) == []
    assert len(found(source(eggs | {"b": "The batter needs 2 big large eggs."}))) == 1
    washing = {"a": "Wash new jeans in hot water.", "b": "Never wash new jeans in hot water."}
    assert found(source(washing)) == []


def test_one_model_alone_shares_nothing(source):
    twice = {"a": "It is served at weddings and parties. At parties and weddings it is served."}
    assert found(source(twice)) == []
    assert found(source(), n_models=3) == []


def test_more_models_come_first(source):
    answers = dict.fromkeys("abc", "Smoke from firewood gives it flavour.")
    answers = {m: f"{text} Weddings always have it on tables." if m != "c" else text for m, text in answers.items()}
    first, second = found(source(answers))
    assert (first.models, second.models) == (("a", "b", "c"), ("a", "b"))


def test_what_answers_to_many_questions_say_is_no_gap(source):
    same = dict.fromkeys("ab", "Enjoy cooking this wonderful meal with family.")
    assert len(GapFinder(source(same, n=2)).of("q0")) == 1
    assert GapFinder(source(same, n=3)).of("q0") == []


def test_questions_headings_scraps_and_words_about_the_answer_state_nothing():
    text = "Did you rinse the white rice?\nThe spices you need:\n- Salt\nBy following these steps, your rice succeeds."
    assert list(statements(Response("q", "m", "text_only", text=text))) == []


def test_chains_do_not_join_unlike_things(source):
    chain = {
        "a": "alpha beta gamma delta",
        "b": "gamma delta epsilon zeta",
        "c": "epsilon zeta eta theta",
        "d": "eta theta iota kappa",
    }
    assert [gap.models for gap in found(source(chain))] == [("b", "c")]


def test_other_scripts_are_compared_too(source):
    (gap,) = found(source({"a": "婚礼上经常吃这道菜。", "b": "这道菜经常在婚礼上吃。"}))
    assert gap.models == ("a", "b")


def test_an_unknown_question_is_refused(source):
    with pytest.raises(UnknownNameError, match="q0"):
        gaps_of(source(), "q")


def test_without_scikit_learn_the_install_is_named(source, monkeypatch):
    run = source()
    for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Absent(), *sys.meta_path])
    with pytest.raises(MissingExtraError, match=r'pip install "gamut-eval\[gaps\]"'):
        GapFinder(run)


class _Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "sklearn":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.mark.skipif("GAMUT_EXTRACTS" not in os.environ, reason="GAMUT_EXTRACTS names no folder of public extracts")
def test_facts_taken_out_of_physicians_rubrics_are_found_again(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    import gaps_recall

    cases = list(gaps_recall.kqa(Path(os.environ["GAMUT_EXTRACTS"]) / "kqa.jsonl"))
    recall = gaps_recall.kqa_recall(cases, {})
    assert len(recall.places) == 81
    assert sum(place is not None for place in recall.places) >= 12
