import asyncio
import json
from dataclasses import replace

import pytest

import stub_server as s
from gamut_eval.benchmark.load import question_from_dict
from gamut_eval.errors import EndpointError, InputError
from gamut_eval.judging.judge import Ask, fingerprint
from gamut_eval.judging.model_judge import DEFAULTS, MOST_READINGS, ModelJudge
from gamut_eval.judging.models import MOST_CHECKS_PER_CALL, JudgeOptions, model_judge
from gamut_eval.judging.prompt import SCHEMA_ONE, Prompt
from gamut_eval.llm.call import Usage
from gamut_eval.llm.client import sessions
from gamut_eval.llm.endpoint import CallOptions
from gamut_eval.llm.ledger import LEDGER, Ledger
from gamut_eval.records import Failure, Judgement, Response, Verdict
from gamut_eval.rubric.compile import compile_rubric
from gamut_eval.rubric.item import Compiling

ITEMS = [
    {"id": name, "type": "simple", "tier": "valuable", "statement": f"Pesto has {name}."}
    for name in ("basil", "oil", "salt")
]
QUESTION = {"id": "q", "domain": "food", "question": "What is in pesto?", "rubric": {"items": ITEMS}}
CHECKS = compile_rubric(question_from_dict(QUESTION).rubric, Compiling("q"))
RESPONSE = Response("q", "m", "text_only", 0, "Basil and oil.")
ASKS = [Ask(QUESTION["question"], RESPONSE, check) for check in CHECKS]
UNREADABLE = s.completion("ANSWER: C")
NO_VERDICT = s.verdict("not_meets")


@pytest.fixture
def judge(connect):
    return ModelJudge(connect(sampling=DEFAULTS))


@pytest.fixture
def judge_of_many(connect):
    return ModelJudge(connect(sampling=DEFAULTS), Prompt(checks_per_call=3))


def outcome(judge, ask=ASKS[0]):
    async def main():
        async with sessions():
            return await judge.judge(ask)

    return asyncio.run(main())


def outcomes(judge, asks=ASKS):
    async def main():
        async with sessions():
            return await judge.judge_all(asks)

    return asyncio.run(main())


def test_a_check_is_one_call_and_its_verdict_is_read(stub, judge):
    stub.answers(s.verdict("meets", "Basil", "It names basil."))
    assert outcome(judge) == Judgement(Verdict.MEETS, "Basil", "It names basil.")
    (body,) = stub.bodies
    assert body["messages"] == judge.prompt.messages(QUESTION["question"], RESPONSE.text, [CHECKS[0]])
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA_ONE
    assert (body["temperature"], body["max_tokens"]) == (0.0, 4096)


@pytest.mark.parametrize("fence", ["```json\n%s\n```", "Here:\n```json\n%s\n```\nDone."])
def test_a_fenced_verdict_is_read_at_the_first_attempt(stub, judge, fence):
    stub.answers(s.completion(fence % '{"quote": "Basil", "rationale": "", "verdict": "meets"}'))
    assert outcome(judge).verdict is Verdict.MEETS
    assert len(stub.requests) == 1


def test_an_unreadable_reply_is_asked_for_again_with_the_reason(stub, judge):
    stub.script = lambda body, seen: NO_VERDICT if len(body["messages"]) == 2 else s.verdict("missing")
    assert outcome(judge).verdict is Verdict.MISSING
    first, second = stub.bodies
    said, told = second["messages"][2:]
    assert second["messages"][:2] == first["messages"]
    assert said == {"role": "assistant", "content": json.loads(NO_VERDICT.body)["choices"][0]["message"]["content"]}
    assert "'not_meets' is not one of meets, partially_meets, missing, contradicts" in told["content"]


@pytest.mark.parametrize("bad", [UNREADABLE, NO_VERDICT, s.completion('{"verdict": "me')])
def test_what_stays_unreadable_is_a_failure_and_never_a_verdict(stub, judge, bad):
    stub.answers(bad)
    got = outcome(judge)
    assert isinstance(got, Failure)
    assert got.code == "unreadable"
    assert f"asked {MOST_READINGS} times" in got.message
    assert [len(body["messages"]) for body in stub.bodies] == [2, 4, 6]


def test_a_reply_that_was_cut_off_is_asked_for_once_more_with_more_room(stub, judge):
    stub.script = lambda body, seen: s.CUT_OFF if body["max_tokens"] == 4096 else s.verdict("missing")
    assert outcome(judge).verdict is Verdict.MISSING
    assert [body["max_tokens"] for body in stub.bodies] == [4096, 4 * 4096]


@pytest.mark.parametrize("second", [s.CUT_OFF, s.completion(None, "length"), s.error(400, "max_tokens is too large")])
def test_a_reply_that_stays_cut_off_is_a_failure_of_its_own(stub, judge, second):
    stub.script = lambda body, seen: s.CUT_OFF if body["max_tokens"] == 4096 else second
    ledger = Ledger()

    async def main():
        LEDGER.set(ledger)
        async with sessions():
            return await judge.judge(ASKS[0])

    assert asyncio.run(main()).code == "truncated"
    assert len(stub.requests) == 2
    assert ledger.total.usage.completion in (30, 60)
    assert ledger.total.usage != Usage()


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (s.FILTERED, "content_filter"),
        (s.EMPTY_CONTENT, "empty"),
        (s.NULL_CONTENT, "empty"),
        (s.rate_limited(), "rate_limited"),
        (s.OVERLOADED, "server_error"),
        (s.HTML, "bad_reply"),
        (s.completion(None, message={"refusal": "No."}), "refusal"),
    ],
)
def test_a_fault_is_a_failure_with_its_code(stub, judge, clock, bad, code):
    stub.answers(bad)
    got = outcome(judge)
    assert isinstance(got, Failure)
    assert got.code == code


def test_a_wrong_setting_is_no_failure_but_stops_the_run(stub, judge):
    stub.answers(s.BAD_KEY)
    with pytest.raises(EndpointError):
        outcome(judge)


def test_doubts_are_kept_with_the_verdict(stub, judge):
    stub.answers(s.verdict("missing", "", "So the criterion is in fact met."))
    assert outcome(judge).more == {"flags": ["verdict_at_odds_with_rationale"]}
    stub.answers(s.verdict("meets", "garlic butter"))
    assert outcome(judge).more == {"flags": ["quote_not_in_response"]}


def test_repeats_have_places_of_their_own_in_the_cache(stub, connect, tmp_path):
    judge = ModelJudge(connect(sampling=DEFAULTS, cache=tmp_path / "cache"))
    stub.script = lambda body, seen: s.verdict(["missing", "contradicts"][seen])
    again = replace(ASKS[0], repeat=1)
    for _ in range(2):
        assert [outcome(judge, ask).verdict.value for ask in (ASKS[0], again)] == ["missing", "contradicts"]
    assert len(stub.requests) == 2


class TestOfSeveralChecksInACall:
    def test_verdicts_are_matched_by_id_in_any_order(self, stub, judge_of_many):
        stub.answers(s.verdicts(salt="missing", basil="meets", oil="contradicts"))
        assert [got.verdict.value for got in outcomes(judge_of_many)] == ["meets", "contradicts", "missing"]
        assert len(stub.requests) == 1

    def test_a_check_that_was_left_out_is_asked_for_again(self, stub, judge_of_many):
        rest = s.verdicts(oil="missing")
        stub.script = lambda body, seen: (
            rest if len(body["messages"]) > 2 else s.verdicts(basil="missing", salt="missing")
        )
        assert [got.verdict.value for got in outcomes(judge_of_many)] == ["missing"] * 3
        assert "lacks the checks oil." in stub.requests[1].text

    def test_a_check_that_is_never_judged_fails_alone(self, stub, judge_of_many):
        stub.answers(s.verdicts(basil="missing", salt="missing", other="meets"))
        basil, oil, salt = outcomes(judge_of_many)
        assert (basil.verdict, oil.code, salt.verdict) == (Verdict.MISSING, "unreadable", Verdict.MISSING)
        assert len(stub.requests) == MOST_READINGS

    def test_an_id_given_twice_is_asked_for_again(self, stub, judge_of_many):
        entry = {"check": "basil", "quote": "", "rationale": "", "verdict": "missing"}
        twice = s.completion(json.dumps({"checks": [entry, entry | {"verdict": "meets"}, entry | {"check": "oil"}]}))
        rest = s.verdicts(basil="contradicts", salt="missing")
        stub.script = lambda body, seen: rest if len(body["messages"]) > 2 else twice
        assert [got.verdict.value for got in outcomes(judge_of_many)] == ["contradicts", "missing", "missing"]
        assert "basil, salt" in stub.requests[1].text

    @pytest.mark.parametrize(("bad", "code"), [(UNREADABLE, "unreadable"), (s.FILTERED, "content_filter")])
    def test_a_call_that_fails_fails_for_all(self, stub, judge_of_many, bad, code):
        stub.answers(bad)
        assert [got.code for got in outcomes(judge_of_many)] == [code] * 3

    def test_a_last_check_alone_is_asked_in_the_same_form(self, stub, judge_of_many):
        stub.answers(s.verdicts(basil="missing"))
        (got,) = outcomes(judge_of_many, ASKS[:1])
        assert got.verdict is Verdict.MISSING


class Seen:
    """Pictures that are there, or cannot be opened."""

    digest = "0" * 64

    def __init__(self, part):
        self.part = lambda question_id: part


def test_a_judge_that_sees_is_shown_the_picture_of_questions_asked_with_it(stub, connect):
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    judge = ModelJudge(connect(sampling=DEFAULTS), None, Seen(lambda: part))
    stub.answers(s.verdict("missing"))
    outcome(judge, replace(ASKS[0], response=replace(RESPONSE, variant="image", text="Basil.")))
    outcome(judge)
    with_image, without = (body["messages"][1]["content"] for body in stub.bodies)
    assert with_image[0] == part
    assert isinstance(without, str)


def test_a_picture_that_cannot_be_opened_is_a_failure_and_no_call(stub, connect):
    def unopened():
        raise InputError("pictures/a.png: no such file")

    judge = ModelJudge(connect(sampling=DEFAULTS), None, Seen(unopened))
    got = outcome(judge, replace(ASKS[0], response=replace(RESPONSE, variant="image", text="Basil.")))
    assert isinstance(got, Failure)
    assert "a.png" in got.message
    assert stub.requests == []


def made(**options):
    calls = CallOptions(base_url="http://localhost:9/v1", environment={}, **options.pop("calls", {}))
    return model_judge("mine/m", JudgeOptions(calls, **options))


def test_everything_that_can_change_a_verdict_is_in_its_fingerprint_and_nothing_else():
    changed = [
        made(),
        made(instructions="Other."),
        made(checks_per_call=2),
        made(checks_per_call=3),
        made(calls={"args": {"temperature": 1}}),
        made(calls={"args": {"top_p": 1}}),
    ]
    assert len({fingerprint(judge) for judge in changed}) == len(changed)
    same = [made(), made(prime=False), made(calls={"connections": 2, "rpm": 5, "timeout_s": 9})]
    assert len({fingerprint(judge) for judge in same}) == 1


def test_options_reach_the_judge():
    judge = made(checks_per_call=4, prime=False, calls={"connections": 7})
    assert (judge.name, judge.workers, judge.checks_per_call, judge.primes) == ("mine/m", 7, 4, False)


@pytest.mark.parametrize(
    "options", [{"checks_per_call": 0}, {"checks_per_call": MOST_CHECKS_PER_CALL + 1}, {"instructions": " \n"}]
)
def test_options_that_cannot_be_are_refused(options):
    with pytest.raises(InputError):
        made(**options)
