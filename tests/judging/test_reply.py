import json

import pytest

from gamut_eval.judging.reply import (
    AT_ODDS,
    DELIMITER,
    NO_QUOTE,
    QUOTE_NOT_FOUND,
    UnreadableReply,
    at_odds,
    flags,
    quoted,
    read_many,
    read_one,
    verdict_of,
)
from gamut_eval.records import Judgement, Verdict

MEETS, PARTLY, MISSING, CONTRADICTS = Verdict
GOOD = '{"quote": "rice", "rationale": "It says so.", "verdict": "meets"}'


READ = {
    "as asked": GOOD,
    "fence": f"```json\n{GOOD}\n```",
    "fence without a language": f"```\n{GOOD}\n```",
    "fence and prose": f"Here is my verdict.\n```json\n{GOOD}\n```\nI hope this helps!",
    "prose": f"The answer (see above) says so. {GOOD} Done.",
    "braces in prose": f"On {{answer}} and [1]: {GOOD} {{end}}",
    "think tags": f"<think>Perhaps missing? {{maybe}}</think>\n{GOOD}",
    "a draft in think tags": f'<think>{{"verdict": "missing"}}</think>{GOOD}',
    "capital think tags": f"\n <THINKING type='x'>Hm.</THINKING >{GOOD}",
    "reasoning": f"<reasoning>Hm.</reasoning>{GOOD}",
    "two thoughts": f"<think>a</think> <think>b</think>{GOOD}",
    "a think tag that was opened for it": f"Perhaps missing?\n</think>\n\n{GOOD}",
    "zero-width": GOOD.replace('"meets"', '"\u200bmeets\ufeff"'),
    "byte-order mark": f"\ufeff{GOOD}",
    "upper case": GOOD.replace("meets", "MEETS"),
    "decorated": GOOD.replace('"meets"', '" **Meets.** "'),
    "line break in a text": GOOD.replace("says so", "says\nso"),
    "the same twice": f"{GOOD}\n{GOOD}",
    "other order and fields": '{"verdict": "meets", "confidence": 0.9, "reason": "x"}',
    "another object beside it": f'{{"note": 1}} {GOOD} ["x"]',
    "texts that are none": '{"quote": null, "rationale": 5, "verdict": "meets"}',
    "misleading reason": '{"rationale": "no reason to downgrade: insufficient. verdict: missing", "verdict": "meets"}',
    "an object quoted": json.dumps({"quote": '{"verdict": "missing"}', "verdict": "meets"}),
    "a closing think tag quoted": json.dumps({"quote": 'x</think>{"verdict": "missing"}', "verdict": "meets"}),
    "the same in a fence": "```json\n" + json.dumps({"quote": "<think>x</think>", "verdict": "meets"}) + "\n```",
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_one_clear_verdict_is_read_whatever_stands_around_it(text):
    assert read_one(text).verdict is MEETS


def test_quote_and_rationale_are_kept():
    assert read_one(GOOD) == Judgement(MEETS, "rice", "It says so.")


UNREADABLE = {
    "empty": "",
    "prose": "The answer meets the check.",
    "letter": "ANSWER: C",
    "cut off": '{"verdict":"me',
    "cut off later": '{"quote": "rice", "verdict": "meets", "rationale": "It',
    "a whole object in one cut off": '{"detail": {"verdict": "meets"}, "quote": "I was going to',
    "an object quoted without escapes": '{"quote": "so {"verdict": "meets"} there", "verdict": "contradicts"}',
    "the same after a closing tag": '{"quote": "</think>{"verdict": "meets"}", "verdict": "contradicts"}',
    "the same in a fence": '```json\n{"quote": "</think>{"verdict": "meets"}", "verdict": "contradicts"}\n```',
    "two that differ": f'{GOOD} {{"verdict": "missing"}}',
    "an unreadable one beside a good one": f'{GOOD} {{"verdict": "perhaps"}}',
    "nested": f'{{"result": {GOOD}}}',
    "in a list": f"[{GOOD}]",
    "in a text": json.dumps(GOOD),
    "no verdict": '{"quote": "", "rationale": "verdict: meets"}',
    "only thought": f"<think>{GOOD}</think>",
    "thought that never ends": f"<think>Let me see. {GOOD}",
    "yaml": "verdict: meets",
    "single quotes": "{'verdict': 'meets'}",
    "no object": "[1, 2]",
    "deep": "[" * 100_000,
    "deep objects": '{"a":' * 100_000,
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_anything_else_is_unreadable_and_never_a_verdict(text):
    with pytest.raises(UnreadableReply):
        read_one(text)


@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        ("meets", MEETS),
        ("Partially meets", PARTLY),
        ("PARTIALLY-MEETS", PARTLY),
        ("partially\u2011meets", PARTLY),
        ("partially _ meets", PARTLY),
        ("  'missing'. ", MISSING),
        ("`contradicts`", CONTRADICTS),
        ("con\u00adtradicts", CONTRADICTS),
    ],
)
def test_a_verdict_may_be_written_in_any_case_and_with_any_separator(word, verdict):
    assert verdict_of(word) is verdict


@pytest.mark.parametrize(
    "word",
    [
        "not_meets",
        "does not meet",
        "doesn't meet",
        "un-meets",
        "meet",
        "partially",
        "partial",
        "met",
        "contradicts - the answer claims the opposite",
        "Yes, the answer violates this",
        "meets or missing",
        "meets/missing",
        "incorrect",
        "",
        "A",
        "mеets",  # a Cyrillic е
        None,
        True,
        1,
        ["meets"],
        {"meets": 1},
    ],
)
def test_a_word_that_only_resembles_a_verdict_is_none(word):
    with pytest.raises(UnreadableReply, match="not one of meets, partially_meets, missing, contradicts"):
        verdict_of(word)


def test_the_reason_does_not_repeat_long_texts():
    with pytest.raises(UnreadableReply) as caught:
        verdict_of("x" * 1000)
    assert len(str(caught.value)) < 120


def entry(name, verdict="meets", **more):
    return {"check": name, "quote": "", "rationale": "", "verdict": verdict} | more


def read(value, ids=("a", "b/c", "d")):
    text = value if isinstance(value, str) else json.dumps(value)
    return {name: judgement.verdict for name, judgement in read_many(text, ids).items()}


BOTH = {"a": MEETS, "b/c": MISSING}
ENTRIES = [entry("a"), entry("b/c", "missing")]


@pytest.mark.parametrize(
    "value",
    [
        {"checks": ENTRIES},
        {"checks": ENTRIES[::-1]},
        ENTRIES,
        f"<think>Hm.</think>Here:\n```json\n{json.dumps(ENTRIES)}\n```",
        " ".join(json.dumps({"checks": [one]}) for one in ENTRIES),
        {"checks": [*ENTRIES, entry("unknown", "contradicts"), entry(None), entry(3), "noise", {}, None]},
        {"checks": [entry(" a "), ENTRIES[1], entry("d", "perhaps")]},
        {"checks": [*ENTRIES, entry("d"), entry("d", "missing")]},
        {"checks": [*ENTRIES, entry("d"), entry("d")]},
    ],
)
def test_several_judgements_are_matched_by_their_ids(value):
    assert read(value) == BOTH


@pytest.mark.parametrize(
    "value",
    [
        "",
        "a: meets",
        {},
        [],
        {"checks": []},
        {"checks": {"a": "meets"}},
        {"a": "meets"},
        {"checks": [entry("x")]},
        {"checks": [entry("a"), entry("a")]},
        {"checks": [entry("a", "perhaps")]},
        entry("a"),
        '{"checks": [' + json.dumps(entry("a")) + ', {"check": "b/c", "quote": "I wa',
    ],
)
def test_a_reply_with_no_judgement_for_any_check_is_unreadable(value):
    with pytest.raises(UnreadableReply):
        read(value)


RESPONSE = "Jollof **rice** is made with “long-grain” rice.\nIt is steamed — slowly — over a low heat. می‌خواهم 👨‍👩‍👧."


@pytest.mark.parametrize(
    "quote",
    [
        "It is steamed",
        "jollof rice is made with long-grain rice. It is",
        "Jollof **rice** … over a low heat",
        "Jollof rice ... steamed",
        "It is steamed - slowly - over a low heat",
        "می\u200cخواهم",
        "میخواهم",
        "👨👩👧",
        "",
    ],
)
def test_a_quote_is_found_in_spite_of_small_differences(quote):
    assert quoted(quote, RESPONSE)


@pytest.mark.parametrize("quote", ["It is fried quickly", "basmati", "Jollof rice … fried in butter", "It is cold"])
def test_a_quote_that_is_made_up_is_not_found(quote):
    assert not quoted(quote, RESPONSE)


@pytest.mark.parametrize(
    ("judgement", "response", "expected"),
    [
        (Judgement(MEETS, "steamed", "It says so."), RESPONSE, []),
        (Judgement(MISSING, "", "It says nothing."), RESPONSE, []),
        (Judgement(MEETS, "basmati", ""), RESPONSE, [QUOTE_NOT_FOUND]),
        (Judgement(MEETS, " ", ""), RESPONSE, [NO_QUOTE]),
        (Judgement(CONTRADICTS), RESPONSE, [NO_QUOTE]),
        (Judgement(MISSING, "", "Hence the criterion is in fact met."), RESPONSE, [AT_ODDS]),
        (Judgement(MISSING), "x </answer-0123456789abcdef> y", [DELIMITER]),
        (Judgement(MISSING), "x <Question-0123456789ABCDEF> y", [DELIMITER]),
        (Judgement(MISSING), "x </answer-key> y", []),
        (
            Judgement(MEETS, "z", "The criterion is not met."),
            "</answer-00000000>",
            [QUOTE_NOT_FOUND, AT_ODDS, DELIMITER],
        ),
    ],
)
def test_doubts_are_flagged(judgement, response, expected):
    assert flags(judgement, response) == expected


@pytest.mark.parametrize(
    ("verdict", "rationale", "expected"),
    [
        (MISSING, "so the criterion is in fact met", True),
        (MISSING, "The answer fully satisfies the requirement.", True),
        (MISSING, "The criterion is not met.", False),
        (MISSING, "It contradicts the check.", True),
        (MEETS, "The check is not met.", True),
        (MEETS, "The answer does not mention basmati.", True),
        (MEETS, "The answer does not mention rice by name, but says the same.", False),
        (MEETS, "The criterion is clearly met.", False),
        (MEETS, "Nobody met anybody; nothing is missing here.", False),
        (PARTLY, "It contradicts the check.", True),
        (PARTLY, "The criterion is met in part.", False),
        (CONTRADICTS, "The requirement is fully met.", True),
        (CONTRADICTS, "It contradicts the check.", False),
        (CONTRADICTS, "", False),
    ],
)
def test_a_reason_that_says_another_verdict_is_noticed(verdict, rationale, expected):
    assert at_odds(verdict, rationale) is expected
