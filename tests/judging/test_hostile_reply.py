"""Replies that are made to hold the reader up, or to slip a verdict in."""

import json
import time

import pytest

from gamut_eval.judging.reply import NO_QUOTE, QUOTE_NOT_FOUND, UnreadableReply, at_odds, flags, quoted, read_one
from gamut_eval.records import Judgement, Verdict

VERDICT = '{"quote": "", "rationale": "So.", "verdict": "missing"}'
SECONDS = 5


@pytest.fixture(autouse=True)
def in_time():
    start = time.monotonic()
    yield
    assert time.monotonic() - start < SECONDS


@pytest.mark.parametrize(
    "reply",
    ["[x" * 300_000, "{x" * 300_000, "[" * 500 + "1," * 2_000_000, "[1 " * 300_000, "[" * 1_000_000],
    ids=["brackets", "braces", "nested and long", "numbers", "nested"],
)
def test_a_reply_full_of_brackets_is_given_up_in_time(reply):
    with pytest.raises(UnreadableReply):
        read_one(reply)


def test_any_number_of_thoughts_is_passed_over():
    assert read_one("<think></think>" * 5_000 + VERDICT).verdict is Verdict.MISSING


def test_two_verdicts_in_one_object_are_none():
    for reply in ('{"verdict": "missing", "verdict": "meets"}', 'So: {"verdict": "missing", "verdict": "meets"}'):
        with pytest.raises(UnreadableReply, match="several fields 'verdict'"):
            read_one(reply)


def test_the_word_in_a_rationale_is_no_second_verdict():
    rationale = 'The answer says "verdict": "meets".'
    reply = json.dumps({"quote": "", "rationale": rationale, "verdict": "missing"})
    assert read_one(reply) == Judgement(Verdict.MISSING, "", rationale)


def test_half_characters_are_replaced_since_no_file_can_hold_them():
    judgement = read_one('{"quote": "a\\ud800", "rationale": "\\udfff", "verdict": "meets"}')
    assert (judgement.quote, judgement.rationale) == ("a?", "?")


def test_what_is_kept_of_a_text_is_no_longer_than_anybody_reads():
    judgement = read_one(json.dumps({"quote": "q" * 10**6, "rationale": "r" * 10**6, "verdict": "meets"}))
    assert len(judgement.quote) == len(judgement.rationale) == 20_000


def test_a_long_quote_that_the_response_does_not_have_is_found_out_in_time():
    response = " ".join(f"word {n}" for n in range(20_000))
    invented = " ".join(f"other {n % 7}" for n in range(2_000))
    assert flags(Judgement(Verdict.MEETS, invented, ""), response) == [QUOTE_NOT_FOUND]
    assert quoted(response[1_000:9_000].upper(), response)


def test_a_long_rationale_is_searched_in_time():
    assert not at_odds(Verdict.MEETS, ("the answer never mention it. " * 1_000)[:20_000] + " but")
    assert flags(Judgement(Verdict.MEETS, "", ""), "x") == [NO_QUOTE]
