import asyncio
import contextlib
import subprocess
import sys
import threading

import orjson
import pytest

import stub_server as s
from gamut_eval.errors import BudgetError, EndpointError
from gamut_eval.llm import client as client_module
from gamut_eval.llm.call import Call, Sampling
from gamut_eval.llm.client import sessions
from gamut_eval.llm.faults import Fault
from gamut_eval.llm.ledger import LEDGER, Ledger

KEY = "sk-secret-0123456789"
NOWHERE = "http://127.0.0.1:9/v1"


def call_of(text):
    return Call([{"role": "user", "content": text}], Sampling())


async def inside(client, *calls):
    async with sessions():
        return await asyncio.gather(*(client.complete(call) for call in calls))


def test_calls_from_any_loop_and_thread_share_limits_and_connections(stub, connect):
    stub.delay_s = 0.002
    client, texts = connect(connections=3), []

    async def main(name):
        got = await asyncio.gather(*(client.complete(call_of(f"{name}{n}")) for n in range(8)))
        texts.extend(reply.text for reply in got)

    threads = [threading.Thread(target=lambda name=name: asyncio.run(main(name))) for name in "abc"]
    for thread in threads:
        thread.start()
    asyncio.run(main("d"))
    for thread in threads:
        thread.join()
    assert texts == ["Hello."] * 32
    assert stub.most_in_flight == 3


def test_runs_on_several_threads_at_once_share_limits_too(stub, connect):
    stub.delay_s = 0.002
    client, done = connect(connections=2), []

    def run(name):
        done.extend(asyncio.run(inside(client, *(call_of(f"{name}{n}") for n in range(8)))))

    threads = [threading.Thread(target=run, args=name) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    assert len(done) == 24
    assert stub.most_in_flight == 2


def test_a_budget_and_a_cancellation_reach_calls_on_the_background(stub, connect):
    ledger = Ledger(max_calls=1)
    client = connect()
    stub.answers(s.SILENT)

    async def main():
        LEDGER.set(ledger)
        task = asyncio.ensure_future(client.complete(call_of("?")))
        await s.until(lambda: stub.requests)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(BudgetError):
            await client.complete(call_of("?"))
        await s.until(lambda: not ledger.in_flight)

    asyncio.run(main())
    assert client._limits.in_flight == 0


def test_sessions_of_one_loop_end_with_the_last_of_them(stub, connect):
    client = connect()

    async def short():
        async with sessions():
            await client.complete(call_of("short"))

    async def long():
        async with sessions():
            await asyncio.sleep(0.02)
            return await client.complete(call_of("long"))

    async def main():
        _, reply = await asyncio.gather(short(), long())
        assert asyncio.get_running_loop() not in client_module._SESSIONS
        return reply

    assert asyncio.run(main()).text == "Hello."


def test_one_loop_after_another_works(stub, connect):
    client = connect()
    for n in range(3):
        assert asyncio.run(inside(client, call_of(str(n))))[0].text == "Hello."


@pytest.mark.parametrize("within", [True, False])
class TestOfTheEarlyCheck:
    def check(self, client, within):
        async def main():
            async with sessions() if within else contextlib.nullcontext():
                await client.check()

        asyncio.run(main())

    def test_a_server_that_answers_will_do(self, stub, connect, within):
        self.check(connect(), within)
        for models in (s.Answer(b"no such path", 404), s.FAILED, s.CLOSED):
            stub.models = models
            self.check(connect(), within)
        assert stub.requests == []

    def test_a_wrong_key_is_told(self, stub, connect, within):
        stub.models = s.error(401, f"Bad key {KEY}")
        with pytest.raises(EndpointError, match="check the key in MINE") as caught:
            self.check(connect(environment={"MINE": KEY}, api_key_env="MINE"), within)
        assert KEY not in str(caught.value)
        assert stub.checked[0].headers["Authorization"] == f"Bearer {KEY}"

    def test_nobody_at_the_address_is_told(self, stub, connect, clock, within):
        with pytest.raises(EndpointError, match="cannot be reached"):
            self.check(connect(base_url=NOWHERE), within)


LEAVING_NOTHING_OPEN = """
import asyncio, sys
from gamut_eval.llm.call import Call, Sampling
from gamut_eval.llm.client import CLIENTS, sessions
from gamut_eval.llm.endpoint import CallOptions, endpoint
client = CLIENTS.client(endpoint("stub/m", CallOptions(base_url=sys.argv[1], environment={}), Sampling()), "judge")
call = Call([{"role": "user", "content": "?"}], Sampling())
async def within():
    async with sessions():
        await client.check()
        return await client.complete(call)
async def without():
    await client.check()
    return await client.complete(call)
print(asyncio.run(within()).text, asyncio.run(without()).text)
"""


def test_nothing_is_left_open_when_the_process_ends(stub):
    command = [sys.executable, "-X", "dev", "-W", "default", "-c", LEAVING_NOTHING_OPEN, stub.base_url]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    assert (done.stdout, done.stderr) == ("Hello. Hello.\n", "")


@pytest.mark.parametrize("answer", [s.Answer(b"<html>Welcome to the web</html>"), s.error(503, "Come back later.")])
def test_an_endpoint_that_never_replies_stops_the_run_after_a_few_calls(stub, connect, clock, answer):
    stub.script = lambda body, seen: answer
    client = connect()

    async def main():
        async with sessions():
            for _ in range(4):
                with pytest.raises(Fault):
                    await client.complete(call_of("How?"))
            with pytest.raises(EndpointError, match=r"replied to no call, and 5 were given up .*--base-url"):
                await client.complete(call_of("How?"))

    asyncio.run(main())


def test_an_endpoint_that_rejects_every_call_stops_the_run(stub, connect):
    stub.script = lambda body, seen: s.error(400, "Bad input.")
    client = connect()

    async def main():
        async with sessions():
            for _ in range(19):
                with pytest.raises(Fault):
                    await client.complete(call_of("How?"))
            with pytest.raises(EndpointError, match=r"rejected: HTTP 400: Bad input"):
                await client.complete(call_of("How?"))

    asyncio.run(main())


def test_a_picture_counts_as_a_thousand_tokens_and_not_as_its_text():
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400_000}}
    body = orjson.dumps([part, {"type": "text", "text": "x" * 4000}])
    assert 2000 <= client_module._tokens(body) <= 2100
