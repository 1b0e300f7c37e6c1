"""Scores of the first words, by hand: λ 0.5, μ −2, weights 0.6, 0.3, 0.1."""

import random
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import gamut_eval
from gamut_eval.analysis import length
from gamut_eval.analysis.inference import Inference
from gamut_eval.analysis.length import lengths, scores_at
from gamut_eval.errors import InputError
from gamut_eval.reports.html.quotes import find_quote
from gamut_eval.stats.length import partial_correlation
from gamut_eval.words import first_words

M, P, X, C = "meets", "partially_meets", "missing", "contradicts"
TEXT = "one two three four five six"
MINI = Path(gamut_eval.__file__).parent / "data" / "gamut_mini"


@pytest.fixture
def at(source_of, question, answer):
    """At-length score and bounds of one answer with Answer-Critical, Valuable and Context checks."""

    def score(*verdicts, words=3, text=TEXT, **options):
        rows = [("q", "a", f"c{n}", "j", verdict, {"quote": quote}) for n, (verdict, quote) in enumerate(verdicts)]
        source = source_of([question("q")], [answer("q", "a", text)], rows, **options)
        (row,) = scores_at(source, words).iter_rows(named=True)
        return tuple(None if row[name] is None else round(row[name], 4) for name in ("at_length", "low", "high"))

    return score


def test_a_verdict_stands_where_its_quote_does_and_is_missing_beyond(at):
    assert at((M, "two three"), (M, "four"), (X, None)) == (0.6, 0.6, 0.6)
    assert at((P, "one"), (P, "six"), (M, "three")) == (0.4, 0.4, 0.4)
    assert at((C, "one"), (C, "six"), (C, "four five")) == (-0.6, -0.6, -0.6)


@pytest.mark.parametrize("quote", [None, "", " ", "not there", "three four", "THREE"])
def test_without_a_quote_that_tells_a_verdict_is_open(at, quote):
    # the Answer-Critical check is met; its bounds are missing and met
    assert at((M, quote), (M, "one"), (X, None)) == (0.9, 0.3, 0.9)
    assert at((P, quote), (M, "one"), (X, None)) == (0.6, 0.3, 0.6)
    assert at((C, quote), (M, "one"), (X, None)) == (-0.3, -0.3, 0.3)


def test_a_quote_counts_where_it_first_stands_whatever_white_space_is_in_it(at):
    text = "base\n\tfirst and second and base first"
    assert at((M, "base  first"), (X, None), (X, None), text=text, words=2) == (0.6, 0.6, 0.6)
    assert at((M, "first"), (X, None), (X, None), text=text, words=1) == (0.0, 0.0, 0.0)


def test_bytes_are_no_characters(at):
    text = "Crème brûlée à la façade, naïveté"
    assert at((M, "brûlée"), (M, "à"), (M, "naïveté"), text=text, words=2) == (0.6, 0.6, 0.6)
    assert at((M, "加"), (M, "飯"), (X, None), text="加鹽炒飯", words=3) == (0.6, 0.6, 0.6)


@pytest.mark.parametrize("words", [6, 7, 1000])
def test_an_answer_that_has_no_more_words_is_scored_as_it_is(at, words):
    assert at((M, None), (C, "not there"), (P, "five six"), words=words) == (0.35, 0.35, 0.35)


LIST = {"id": "spices", "type": "flexible_list", "tier": "answer_critical", "topic": "spices", "min_coverage": 2}
LIST |= {"options": ["one", "two", "six"]}
STEPS = {"id": "way", "type": "process", "tier": "context", "goal": "counting", "steps": ["say one", "say six"]}


def composite(source_of, answer, verdicts, items=(LIST, STEPS), **options):
    question = {"id": "q", "domain": "d", "question": "Count?", "rubric": {"items": list(items)}}
    rows = [("q", "a", check, "j", verdict, {"quote": quote}) for check, verdict, quote in verdicts]
    (row,) = scores_at(source_of([question], [answer("q", "a", TEXT)], rows, **options), 3).iter_rows(named=True)
    return tuple(round(row[name], 4) for name in ("at_length", "low", "high"))


def test_one_quote_does_not_tell_of_checks_that_rest_on_several_places(source_of, answer):
    parts = [("spices/one", M, "one"), ("spices/two", X, None), ("spices/six", M, "six")]
    steps = [("way/say-one", M, "one"), ("way/say-six", M, "six")]
    order = [("way/order", M, "one two")]
    # AC: coverage; Val: 1 of 3 parts is left; Ctx: 1 of 2 steps is left, and the order is open
    found = composite(source_of, answer, [("spices/at-least-2", M, "one two"), *parts, *steps, *order])
    assert found == (0.7667, 0.1333, 0.7667)
    found = composite(source_of, answer, [("spices/at-least-2", M, "six"), *parts, *steps, ("way/order", X, None)])
    assert found == (0.1333, 0.1333, 0.7333)
    # a wrong order may be no longer told, or be half of a right one: Ctx (1 − 2) / (1 + 1 + 2) to (1 + 0.5) / 3
    found = composite(source_of, answer, [("spices/at-least-2", X, None), *parts, *steps, ("way/order", C, "one")])
    assert found == (0.075, 0.075, 0.15)


def test_derived_coverage_follows_what_is_left_of_its_parts(source_of, answer):
    verdicts = [("spices/one", M, "one"), ("spices/two", M, None), ("spices/six", M, "six")]
    found = composite(source_of, answer, verdicts, items=[LIST], composite="derive")
    # whole: 1; two parts left: AC met, Val 2 of 3; at worst one: AC half met, Val 1 of 3
    assert found == (round(0.6 / 0.9 + 0.2 / 0.9, 4), round(0.3 / 0.9 + 0.1 / 0.9, 4), round(0.6 / 0.9 + 0.2 / 0.9, 4))


def longer(source_of, question, answer, **options):
    """Two questions: ``wordy`` says in 6 words what ``brief`` says in 2, and ``brief`` misses c1 of q2."""
    answers = [answer(q, "wordy", "one two three four five six") for q in ("q1", "q2")]
    answers += [answer(q, "brief", "six five") for q in ("q1", "q2")]
    rows = [(q, m, "c0", "j", M, {"quote": "six"}) for q in ("q1", "q2") for m in ("wordy", "brief")]
    rows += [(q, "wordy", "c1", "j", M, {"quote": "one"}) for q in ("q1", "q2")]
    rows += [(q, "brief", "c1", "j", M if q == "q1" else X, {"quote": "five"}) for q in ("q1", "q2")]
    tiers = ("answer_critical", "valuable")
    return source_of([question("q1", tiers), question("q2", tiers)], answers, rows, **options)


def test_padding_does_not_win_at_equal_length(source_of, question, answer):
    (contest,) = lengths(longer(source_of, question, answer))
    assert (contest.variant, contest.judge, contest.n_words) == ("text_only", "j", 2)
    wordy, brief = contest.models
    assert (wordy.model, wordy.words, wordy.n_answers, wordy.n_cut) == ("wordy", 6.0, 2, 2)
    assert (wordy.whole, wordy.rank_before, wordy.rank_after) == (1.0, 1, 2)
    assert wordy.at_length == pytest.approx(1 / 3)
    assert wordy.bounds == pytest.approx((1 / 3, 1 / 3))
    assert wordy.change == pytest.approx(-2 / 3)
    assert (brief.words, brief.n_cut, brief.rank_before, brief.rank_after) == (2.0, 0, 2, 1)
    assert brief.whole == brief.at_length == pytest.approx((1 + 2 / 3) / 2)
    assert brief.open_share == 0.0


def test_open_verdicts_are_counted(source_of, question, answer):
    rows = [("q", "a", "c0", "j", M, {"quote": "one"}), ("q", "a", "c1", "j", M), ("q", "a", "c2", "j", X)]
    (contest,) = lengths(source_of([question("q")], [answer("q", "a", TEXT)], rows), words=3)
    assert contest.models[0].open_share == pytest.approx(1 / 3)
    (contest,) = lengths(source_of([question("q")], [answer("q", "a", TEXT)], rows), words=6)
    assert contest.models[0].open_share == 0.0


@pytest.mark.parametrize("words", [0, -1])
def test_no_word_is_no_length(mixed, words):
    with pytest.raises(InputError, match="1 word or more"):
        lengths(mixed(), words=words)


def test_an_incomplete_model_has_bounds_and_no_score(mixed):
    contest = next(one for one in lengths(mixed(), words=1) if one.judge == "x/small")
    b = next(one for one in contest.models if one.model == "b")
    assert (b.whole, b.at_length, b.rank_before, b.rank_after) == (None, None, None, None)
    assert b.bounds[0] < b.bounds[1]
    c = next(one for one in contest.models if one.model == "c")
    assert (c.words, c.n_answers, c.n_cut) == (None, 0, 0)


def test_with_incomplete_allowed_all_numbers_are_over_the_same_questions(source_of, question, answer):
    answers = [answer(q, m, TEXT) for q in ("q1", "q2") for m in ("a", "b")]
    rows = [(q, m, "c0", "j", M, {"quote": "one"}) for q in ("q1", "q2") for m in ("a", "b")]
    rows[-1] = ("q2", "b", "c0", "j", None)
    questions = [question(q, ["answer_critical"]) for q in ("q1", "q2")]
    (contest,) = lengths(source_of(questions, answers, rows, allow_incomplete=True), words=3)
    assert [(one.model, one.at_length, one.bounds) for one in contest.models] == [("a", 1, (1, 1)), ("b", 1, (1, 1))]


def test_the_panel_is_the_mean_of_its_judges_and_the_consensus_is_left_out(source_of, question, answer):
    rows = [("q", "a", "c0", "j", M, {"quote": "one"}), ("q", "a", "c0", "k", M, {"quote": "six"})]
    found = lengths(source_of([question("q", ["context"])], [answer("q", "a", TEXT)], rows), words=3)
    assert [(one.judge, one.models[0].at_length) for one in found] == [("j", 1.0), ("k", 0.0), ("panel", 0.5)]


def test_refusals_and_empty_answers_miss_everything_at_any_length(source_of, question, answer):
    answers = [answer("q1", "a", ""), answer("q2", "a", "I would rather not.", refusal=True)]
    source = source_of([question("q1"), question("q2")], answers, [("q1", "a", "c0", "j", X)])
    (contest,) = lengths(source, words=2)
    (one,) = contest.models
    assert (one.at_length, one.bounds, one.n_cut, one.open_share) == (0.0, (0.0, 0.0), 1, 0.0)
    assert contest.given_question.value is None


@pytest.fixture(scope="module")
def mini():
    """The bundled benchmark, judged by words."""
    files = sorted((MINI / "responses").glob("*.jsonl"))
    with gamut_eval.evaluate(MINI, files, "lexical", subset=True) as run:
        yield run.source(run.scores())


def test_at_the_longest_answers_length_nothing_changes(mini):
    found = scores_at(mini, 10_000)
    assert len(found) == len(mini.scores.questions)
    own = mini.scores.questions.select("gamut", "low", "high")
    assert found.select(gamut="at_length", low="low", high="high").equals(own, null_equal=True)


def test_bounds_hold_the_estimate_and_the_order_of_verdicts_does_not_matter(mini):
    one = scores_at(mini, 80)
    assert one.filter(pl.col("low") > pl.col("at_length") + 1e-12).is_empty()
    assert one.filter(pl.col("high") < pl.col("at_length") - 1e-12).is_empty()
    shuffled = replace(mini, verdicts=mini.verdicts.sample(fraction=1, shuffle=True, seed=1))
    assert scores_at(shuffled, 80).sort(one.columns[:4]).equals(one.sort(one.columns[:4]))


def test_the_correlation_is_of_log_words_with_questions_resampled(mini):
    (contest,) = lengths(mini)
    words = {(r.question_id, r.model): len(r.text.split()) for r in mini.responses}
    rows = [(q, m, s) for q, m, s in mini.scores.questions.select("question_id", "model", "gamut").iter_rows()]
    logs = pl.Series([words.get((q, m)) for q, m, _ in rows]).log().to_list()
    questions, scores = [q for q, *_ in rows], [s for *_, s in rows]
    expected = partial_correlation(scores, logs, questions, clusters=questions)
    assert contest.given_question.value == pytest.approx(expected.value)
    assert contest.given_model.value == pytest.approx(
        partial_correlation(scores, logs, [m for _, m, _ in rows], clusters=questions).value
    )
    assert contest.given_question.low < contest.given_question.value < contest.given_question.high


def test_the_interval_is_made_as_is_asked_for(mini, monkeypatch):
    passed = []

    def noted(*given, clusters, **options):
        passed.append(options)
        return partial_correlation(*given, clusters=clusters, **options)

    monkeypatch.setattr(length, "partial_correlation", noted)
    lengths(replace(mini, inference=Inference(level=0.8, method="BCa", replicates=321, seed=7)))
    assert passed == [{"level": 0.8, "replicates": 321, "seed": 7}] * 2


def test_the_order_of_questions_does_not_change_the_correlation_s_interval(mini):
    other = replace(mini, scores=replace(mini.scores, questions=mini.scores.questions.reverse()))
    (one,), (turned,) = lengths(mini), lengths(other)
    assert (one.given_question, one.given_model) == (turned.given_question, turned.given_model)


def test_quotes_are_found_as_the_report_finds_them(source_of, question, answer):
    """Random texts and quotes: inside, beyond or open as `find_quote` in the whole answer says."""
    draw = random.Random(3)
    for _ in range(60):
        text = "".join(draw.choice(["a", "b", " ", "  ", "\n", "é"]) for _ in range(14)).strip() or "a"
        quote = "".join(draw.choice(["a", "b", " ", "é"]) for _ in range(3))
        n = draw.randint(1, 4)
        rows = [("q", "m", "c0", "j", M, {"quote": quote})]
        source = source_of([question("q", ["context"])], [answer("q", "m", text)], rows)
        (row,) = scores_at(source, n).iter_rows(named=True)
        head = first_words(text, n)
        if head == text or find_quote(head, quote.strip()):
            expected = (1.0, 1.0)
        else:
            span = find_quote(text, quote.strip())
            expected = (0.0, 0.0) if span and span[0] >= len(head) else (0.0, 1.0)
        assert (row["low"], row["high"]) == expected, (text, quote, n)
