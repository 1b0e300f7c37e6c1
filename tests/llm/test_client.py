import asyncio
import contextlib
import time
from email.utils import formatdate

import aiohttp
import pytest

import stub_server as s
from gamut_eval.errors import BudgetError, EndpointError
from gamut_eval.llm import client as client_module
from gamut_eval.llm.call import Call, Sampling, Usage
from gamut_eval.llm.client import MOST_TIMEOUTS, MOST_TRIES, changes_of, sessions
from gamut_eval.llm.faults import LONGEST_WAIT_S, Fault
from gamut_eval.llm.ledger import LEDGER, Ledger

KEY = "sk-secret-0123456789"
CALL = Call([{"role": "user", "content": "How?"}], Sampling(temperature=0.0, max_tokens=10), {"type": "object"})
GOOD = s.completion("Hello.")
NOWHERE = "http://127.0.0.1:9/v1"


def call_of(text):
    return Call([{"role": "user", "content": text}], Sampling())


async def inside(client, *calls):
    async with sessions():
        return await asyncio.gather(*(client.complete(call) for call in calls))


def ask(client, call=CALL):
    return asyncio.run(inside(client, call))[0]


def fault_of(client, call=CALL):
    with pytest.raises(Fault) as caught:
        ask(client, call)
    return caught.value


def ledger_of(client, *calls, ledger=None):
    """The ledger after the calls, each of which may fail."""
    ledger = ledger or Ledger()

    async def main():
        LEDGER.set(ledger)
        async with sessions():
            for call in calls:
                with contextlib.suppress(Fault):
                    await client.complete(call)

    asyncio.run(main())
    return ledger


def test_a_good_reply_comes_back_with_everything(stub, connect):
    reply = ask(connect(environment={"MINE": KEY}, api_key_env="MINE"))
    assert (reply.text, reply.model, reply.usage) == ("Hello.", "stub-1.0", Usage(120, None, 30))
    (request,) = stub.requests
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"
    assert {**request.body, "response_format": None} == {
        "model": "m",
        "messages": CALL.messages,
        "temperature": 0.0,
        "max_tokens": 10,
        "response_format": None,
    }


AGAIN = {
    "429": (s.rate_limited(), "rate_limited"),
    "500": (s.FAILED, "server_error"),
    "503": (s.OVERLOADED, "server_error"),
    "error inside": (s.ERROR_INSIDE, "rate_limited"),
    "null choices": (s.NULL_CHOICES, "bad_reply"),
    "no choices": (s.NO_CHOICES, "bad_reply"),
    "cut JSON": (s.CUT_JSON, "bad_reply"),
    "HTML": (s.HTML, "bad_reply"),
    "closed": (s.CLOSED, "connection"),
}


@pytest.mark.parametrize(("bad", "code"), AGAIN.values(), ids=AGAIN)
def test_what_may_pass_is_tried_again(stub, connect, clock, bad, code):
    client = connect()
    client.adaptation.worked(CALL)
    stub.answers(bad, bad, GOOD)
    assert ask(client).text == "Hello."
    assert (len(stub.requests), len(clock.pauses)) == (3, 2)
    stub.answers(bad)
    stub.requests.clear()
    fault = fault_of(client)
    assert fault.code == code
    assert len(stub.requests) == MOST_TRIES


OF_THE_ITEM = {
    "filtered": (s.FILTERED, "content_filter"),
    "cut off": (s.CUT_OFF, "truncated"),
    "null content": (s.NULL_CONTENT, "empty"),
    "empty content": (s.EMPTY_CONTENT, "empty"),
    "huge": (s.HUGE, "bad_reply"),
    "unknown 400": (s.error(400, "That will not do."), "rejected"),
}


@pytest.mark.parametrize(("bad", "code"), OF_THE_ITEM.values(), ids=OF_THE_ITEM)
def test_what_is_wrong_with_one_call_is_not_tried_again_and_the_others_finish(stub, connect, bad, code):
    stub.script = lambda body, seen: bad if body["messages"][0]["content"] == "2" else GOOD

    async def main():
        client = connect()
        async with sessions():
            return await asyncio.gather(*(client.complete(call_of(str(n))) for n in range(5)), return_exceptions=True)

    got = asyncio.run(main())
    assert [getattr(one, "text", None) for one in got if not isinstance(one, Fault)] == ["Hello."] * 4
    assert got[2].code == code
    assert len(stub.requests) == 5


OF_THE_RUN = {
    "key": (s.BAD_KEY, r"key in MINE"),
    "money": (s.NO_MONEY, "top up"),
    "quota": (s.NO_QUOTA, "top up"),
    "model": (s.NO_MODEL, r"model's name \('m'\)"),
    "forbidden": (s.error(403, "No."), "may do"),
    "no such path": (s.Answer(b"404 page not found", 404), "--base-url"),
    "redirect": (s.MOVED, "--base-url"),
}


@pytest.mark.parametrize(("bad", "remedy"), OF_THE_RUN.values(), ids=OF_THE_RUN)
def test_what_no_call_will_survive_stops_at_the_first_with_a_remedy(stub, connect, bad, remedy):
    stub.answers(bad)
    with pytest.raises(EndpointError, match=remedy) as caught:
        ask(connect(environment={"MINE": KEY}, api_key_env="MINE"))
    assert "stub/m" in str(caught.value)
    assert len(stub.requests) == 1


def test_a_key_in_no_variable_has_a_remedy_too(stub, connect):
    stub.answers(s.BAD_KEY)
    with pytest.raises(EndpointError, match="--api-key-env"):
        ask(connect())


def test_a_redirect_is_not_followed_with_the_key(stub, connect):
    stub.script = lambda body, seen: s.with_headers(s.MOVED, Location=f"{stub.base_url}/models")
    with pytest.raises(EndpointError):
        ask(connect())
    assert stub.checked == []


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"Retry_After": "3"}, 3),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"Retry_After": "100000"}, LONGEST_WAIT_S),
    ],
)
def test_what_a_server_asks_to_wait_is_waited_once(stub, connect, clock, headers, pause):
    stub.answers(s.rate_limited(**headers), GOOD)
    assert ask(connect()).text == "Hello."
    assert clock.pauses == [pytest.approx(pause, abs=0.11)]
    assert len(stub.requests) == 2


def test_a_date_to_wait_for_is_waited_for(stub, connect, clock):
    stub.answers(s.rate_limited(Retry_After=formatdate(time.time() + 20, usegmt=True)), GOOD)
    ask(connect())
    assert clock.pauses == [pytest.approx(20, abs=2)]


def test_a_wait_that_is_not_obeyed_is_told(stub, connect, clock):
    stub.answers(s.rate_limited(Retry_After="100000"))
    assert "100,000 s" in fault_of(connect()).message


@pytest.mark.parametrize("headers", [{}, {"Retry_After": "0"}])
def test_unasked_pauses_grow_and_differ(stub, connect, clock, headers):
    stub.answers(s.rate_limited(**headers))
    fault_of(connect())
    for n, pause in enumerate(clock.pauses):
        assert 0.25 * 2**n <= pause <= 0.5 * 2**n
    assert len(clock.pauses) == MOST_TRIES - 1


def test_an_overloaded_endpoint_is_asked_less_at_once_and_recovers(stub, connect, clock):
    client = connect(connections=8)
    stub.answers(s.OVERLOADED, GOOD)
    asyncio.run(inside(client, call_of("a")))
    assert client._limits.now == 4
    asyncio.run(inside(client, *(call_of(str(n)) for n in range(40))))
    assert client._limits.now == 8


def test_no_more_calls_are_under_way_than_allowed(stub, connect):
    stub.delay_s = 0.002
    asyncio.run(inside(connect(connections=4), *(call_of(str(n)) for n in range(40))))
    assert stub.most_in_flight == 4
    assert len(stub.requests) == 40


def test_clients_of_one_host_share_its_limits(stub, connect):
    stub.delay_s = 0.002
    one, other = connect("stub/a", connections=3), connect("stub/b", connections=3)

    async def main():
        async with sessions():
            await asyncio.gather(*(who.complete(call_of(str(n))) for n in range(10) for who in (one, other)))

    asyncio.run(main())
    assert stub.most_in_flight == 3


def test_every_reply_goes_to_the_call_that_asked_for_it(stub, connect):
    stub.script = lambda body, seen: s.completion(f"echo {body['messages'][0]['content']}")
    replies = asyncio.run(inside(connect(connections=16), *(call_of(str(n)) for n in range(200))))
    assert [reply.text for reply in replies] == [f"echo {n}" for n in range(200)]


@pytest.mark.parametrize("slow", [s.SILENT, s.DRIPPING], ids=["silent", "dripping"])
def test_a_reply_that_never_ends_is_given_up(stub, connect, clock, slow):
    stub.answers(slow)
    fault = fault_of(connect(timeout_s=0.04))
    assert fault.code == "timed_out"
    assert "0.04 s (--timeout)" in fault.message
    assert len(stub.requests) == MOST_TIMEOUTS


def test_a_reply_that_grows_too_long_is_given_up(stub, connect, monkeypatch):
    monkeypatch.setattr(client_module, "LARGEST_REPLY", 1000)
    stub.answers(s.completion("long " * 1000))
    assert fault_of(connect()).code == "bad_reply"
    stub.answers(s.DRIPPING)
    monkeypatch.setattr(client_module, "LARGEST_REPLY", 3)
    assert fault_of(connect(), call_of("drip")).code == "bad_reply"


def test_an_address_where_nobody_answers_stops_the_run(stub, connect, clock):
    with pytest.raises(EndpointError, match=r"127\.0\.0\.1:9/v1 cannot be reached .* --base-url"):
        ask(connect(base_url=NOWHERE))
    assert len(clock.pauses) == 3


def test_many_calls_to_nobody_stop_as_soon(stub, connect, clock):
    with pytest.raises(EndpointError):
        asyncio.run(inside(connect(base_url=NOWHERE), *(call_of(str(n)) for n in range(8))))
    assert clock.pauses == [] or len(clock.pauses) <= 8


def test_a_host_that_swallows_connections_is_unreachable_too(stub, connect, clock, monkeypatch):
    def post(*args, **more):
        raise aiohttp.ConnectionTimeoutError("Connection timeout to host")

    monkeypatch.setattr(aiohttp.ClientSession, "post", post)
    with pytest.raises(EndpointError, match="cannot be reached"):
        ask(connect())


@pytest.mark.parametrize("answer", [GOOD, s.CUT_OFF, s.FILTERED])
def test_a_server_that_has_answered_may_be_away_for_a_while(stub, connect, clock, monkeypatch, answer):
    client = connect()
    stub.answers(answer)
    with contextlib.suppress(Fault):
        ask(client)
    stub.answers(GOOD)
    real, times = aiohttp.ClientSession.post, iter(range(6))

    def post(*args, **more):
        if next(times, None) is not None:
            raise aiohttp.ConnectionTimeoutError("Connection timeout to host")
        return real(*args, **more)

    monkeypatch.setattr(aiohttp.ClientSession, "post", post)
    assert ask(client).text == "Hello."
    assert len(clock.pauses) == 6


def test_a_form_that_is_rejected_is_replaced_for_all_that_follow(stub, connect, clock):
    def script(body, seen):
        if body.get("response_format", {}).get("type") == "json_schema":
            return s.NO_JSON_SCHEMA
        if "max_tokens" in body:
            return s.NO_MAX_TOKENS
        return s.NO_TEMPERATURE if "temperature" in body else GOOD

    stub.script = script
    client = connect()
    asyncio.run(inside(client, *[CALL] * 5))
    assert len(stub.requests) <= 4 * 5
    stub.requests.clear()
    ask(client)
    (body,) = stub.bodies
    assert body["max_completion_tokens"] == 10
    assert body["response_format"] == {"type": "json_object"}
    assert "temperature" not in body
    assert clock.pauses == []
    assert len(changes_of([client, connect()])["stub/m"]) == 3


def test_a_form_that_is_answered_with_an_internal_error_is_replaced(stub, connect, clock):
    stub.script = lambda body, seen: s.FAILED if "response_format" in body else GOOD
    assert ask(connect()).text == "Hello."
    assert len(stub.requests) == 3
    assert clock.pauses == []


def test_every_try_is_counted_with_what_it_cost(stub, connect, clock):
    client = connect(role="model")
    client.adaptation.worked(CALL)
    stub.answers(s.FAILED, s.rate_limited(), GOOD)
    records = []
    ledger = ledger_of(client, CALL, ledger=Ledger(on_call=records.append))
    assert [record.error for record in records] == ["server_error", "rate_limited", None]
    assert {(record.role, record.name, record.from_cache) for record in records} == {("model", "stub/m", False)}
    assert records[-1].model == "stub-1.0"
    assert (ledger.total.calls, ledger.total.usage, ledger.in_flight) == (3, Usage(120, None, 30), 0)
    assert ledger.total.unpriced == 1


def test_tokens_of_a_reply_that_was_cut_off_are_counted(stub, connect):
    stub.answers(s.CUT_OFF)
    ledger = ledger_of(connect(), CALL)
    assert ledger.total.usage == Usage(120, None, 30)
    assert dict(ledger.total.errors) == {"truncated": 1}


def test_prices_are_those_of_the_provider(stub, connect):
    pytest.importorskip("genai_prices")
    ledger = ledger_of(connect("openai/gpt-4o-mini"), CALL)
    assert ledger.total.cost == pytest.approx(120 * 0.15e-6 + 30 * 0.6e-6)


def test_a_budget_stops_before_the_call_that_is_too_many_tries_included(stub, connect, clock):
    stub.answers(s.rate_limited())
    ledger = Ledger(max_calls=3)
    with pytest.raises(BudgetError):
        ledger_of(connect(), CALL, ledger=ledger)
    assert len(stub.requests) == 3
    assert ledger.in_flight == 0


def test_a_call_that_is_given_up_frees_its_place(stub, connect):
    stub.answers(s.SILENT)
    client = connect(connections=1)
    ledger = Ledger()

    async def main():
        LEDGER.set(ledger)
        async with sessions():
            task = asyncio.ensure_future(client.complete(CALL))
            await s.until(lambda: stub.requests)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            stub.answers(GOOD)
            return await client.complete(call_of("other"))

    assert asyncio.run(main()).text == "Hello."
    assert (ledger.in_flight, client._limits.in_flight) == (0, 0)


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_a_key_that_the_server_repeats_is_in_no_message_or_record(stub, connect, clock, status):
    stub.answers(s.error(status, f"You sent Authorization: Bearer {KEY} and that is wrong"))
    client = connect(environment={"MINE": KEY}, api_key_env="MINE")
    records = []

    async def main():
        LEDGER.set(Ledger(on_call=records.append))
        await inside(client, CALL)

    with pytest.raises((Fault, EndpointError)) as caught:
        asyncio.run(main())
    assert "(the key)" in str(caught.value)
    assert KEY not in f"{caught.value!r} {vars(caught.value)} {records} {client!r} {client.endpoint!r}"
