"""A server that sends back what it was sent, or nonsense; and settings that no server could be called with."""

import asyncio
import dataclasses
import json

import orjson
import pytest

import stub_server as s
from gamut_eval.errors import EndpointError, InputError
from gamut_eval.llm.cache import Cache
from gamut_eval.llm.call import Call, Reply, Sampling, Usage
from gamut_eval.llm.client import sessions
from gamut_eval.llm.endpoint import CallOptions, endpoint
from gamut_eval.llm.faults import Fault, Reach, reply_of
from gamut_eval.llm.ledger import CallRecord
from gamut_eval.running.journal import Journal

KEY = "sk-secret/0123456789"
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
CALL = Call([{"role": "user", "content": "How?"}], Sampling())


def asked(client):
    async def main():
        async with sessions():
            return await client.complete(CALL)

    return asyncio.run(main())


@pytest.fixture
def client(connect):
    return connect(api_key_env="K", environment={"K": KEY})


@pytest.mark.parametrize("written", [KEY, KEY.replace("/", "\\/"), ESCAPED], ids=["plain", "slash", "codes"])
class TestARepeatedKey:
    def test_it_is_not_in_a_reply(self, stub, client, written):
        body = json.dumps({"choices": [{"message": {"content": "KEY"}}], "model": "m KEY"}).replace("KEY", written)
        stub.answers(s.Answer(body.encode()))
        reply = asked(client)
        assert (reply.text, reply.model) == ("(the key)", "m (the key)")

    @pytest.mark.parametrize(("status", "error"), [(400, Fault), (401, EndpointError)])
    def test_it_is_not_in_an_error(self, stub, client, written, status, error):
        stub.answers(s.Answer(f'{{"error": {{"message": "Incorrect: {written}"}}}}'.encode(), status))
        with pytest.raises(error) as caught:
            asked(client)
        assert "Incorrect: (the key)" in str(caught.value)
        assert KEY not in str(caught.value)


class TestNonsense:
    def test_a_code_of_thousands_of_digits_is_no_status(self):
        with pytest.raises(Fault) as caught:
            reply_of(200, {}, orjson.dumps({"error": {"message": "x", "code": "4" * 5_000}}))
        assert caught.value.reach is Reach.RETRY

    @pytest.mark.parametrize("zone", ["+9959", "-9999", "+99999999999999999999"])
    def test_a_date_that_no_clock_can_show_is_no_wait(self, zone):
        with pytest.raises(Fault) as caught:
            reply_of(429, {"retry-after": f"Fri, 31 Dec 9999 23:59:59 {zone}"}, b"{}")
        assert caught.value.code == "rate_limited"

    def test_parts_without_a_text_are_none(self):
        parts = [{"type": "reasoning", "text": None}, {"type": "text", "text": "Rice."}, {"text": {"a": 1}}]
        assert reply_of(200, {}, orjson.dumps({"choices": [{"message": {"content": parts}}]})).text == "Rice."

    def test_more_tokens_than_any_call_has_are_unknown(self):
        assert Usage.from_reply({"prompt_tokens": 2**64 - 1, "completion_tokens": 2**63}) == Usage()

    def test_a_number_that_the_journal_cannot_keep_is_one_message(self):
        record = CallRecord("judge", "m", None, Usage(2**64), None, 0.0, False, None)
        with pytest.raises(Exception, match="the journal cannot be used") as caught, Journal(None) as journal:
            journal.record_call(record)
        assert type(caught.value).__name__ == "JournalError"

    def test_a_kept_reply_without_a_text_is_none(self, tmp_path):
        cache = Cache(tmp_path / "cache")
        cache._pending[b"k"] = b"[null, null, null, 1, 1, 1, 1]"
        cache._pending[b"l"] = orjson.dumps(["Yes.", *dataclasses.astuple(Reply("", None, None))[1:3], 1, 1, 1, 1])
        assert cache.get(b"k") is None
        assert cache.get(b"l").text == "Yes."
        cache.close()


class TestSettings:
    @pytest.mark.parametrize("url", ["http://a..b/v1", f"http://{'a' * 300}/v1", "http://\udcff/v1"])
    def test_an_address_that_no_host_can_have_is_refused(self, url):
        with pytest.raises(InputError, match=r"is no address|is not UTF-8"):
            endpoint("x/m", CallOptions(base_url=url), Sampling())

    @pytest.mark.parametrize("name", [KEY, "A=B", "A B"])
    def test_a_key_in_place_of_its_variable_is_not_repeated(self, name):
        with pytest.raises(InputError, match="not the key") as caught:
            endpoint("x/m", CallOptions(base_url="http://h/v1", api_key_env=name), Sampling())
        assert name not in str(caught.value)

    def test_a_name_is_read_as_utf8_whatever_the_locale(self):
        options = CallOptions(base_url="http://h/v1")
        assert endpoint("x/\udcc3\udcbc", options, Sampling()).name == "x/ü"
        with pytest.raises(InputError, match="is not UTF-8"):
            endpoint("x/\udcff", options, Sampling())
