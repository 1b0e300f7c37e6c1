import asyncio
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest

import stub_server as s
from gamut_eval.errors import EndpointError, InputError
from gamut_eval.llm.cache import VERSION, Cache, default_path
from gamut_eval.llm.call import Call, Reply, Sampling, Usage
from gamut_eval.llm.client import sessions
from gamut_eval.llm.faults import Fault
from gamut_eval.llm.ledger import LEDGER, Ledger

REPLY = Reply("Grüße 🌿", "stop", "m-1", Usage(5, None, 2, 0))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "made" / "replies.sqlite"


def stored(file, key=b"k"):
    cache = Cache(file)
    try:
        return cache.get(key)
    finally:
        cache.close()


def test_a_reply_is_found_at_once_and_by_the_next_process(file):
    cache = Cache(file)
    assert cache.get(b"k") is None
    cache.put(b"k", REPLY)
    assert cache.get(b"k") == replace(REPLY, from_cache=True)
    cache.close()
    assert stored(file) == replace(REPLY, from_cache=True)


WRITER = """
import sys
from pathlib import Path
from gamut_eval.llm.cache import Cache
from gamut_eval.llm.call import Reply
cache = Cache(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.readline()
for n in range(300):
    cache.put(f"{sys.argv[2]}{n}".encode(), Reply(f"{sys.argv[2]} {n}"))
    cache.put(f"both{n}".encode(), Reply("the same"))
cache.close()
"""


def test_two_processes_write_at_once(file):
    command = [sys.executable, "-W", "error", "-c", WRITER, str(file)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    writers = [subprocess.Popen([*command, name], **pipes) for name in "ab"]
    for writer in writers:
        assert writer.stdout.readline() == "open\n"
    for writer in writers:
        writer.stdin.write("\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=20)[1] for writer in writers] == ["", ""]
    cache = Cache(file)
    for n in range(300):
        assert [cache.get(f"{one}{n}".encode()).text for one in ("a", "b", "both")] == [f"a {n}", f"b {n}", "the same"]
    cache.close()


@pytest.mark.parametrize("content", [b"this is no database" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_cache_is_one_clear_message(file, content):
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"--cache") as caught:
        Cache(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert file.read_bytes() == content


def test_a_folder_or_a_place_that_cannot_be_is_one_clear_message(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file" / "cache"):
        with pytest.raises(InputError, match="--cache"):
            Cache(path)


def test_a_cache_of_another_version_is_left_alone(file):
    Cache(file).close()
    with sqlite3.connect(file) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()
    with pytest.raises(InputError, match=f"version {VERSION + 1}"):
        Cache(file)


@pytest.mark.parametrize(
    "row", [b"", b"{", b"[]", b'["a"]', b'["a", null, null, 1, 2, 3, 4, 5]', b"7", "text", 7, None]
)
def test_a_row_that_cannot_be_read_is_a_miss_or_a_reply(file, row):
    Cache(file).close()
    with sqlite3.connect(file) as db:
        db.execute("INSERT INTO replies VALUES (?, ?)", (b"k", row))
    db.close()
    assert stored(file) is None


def test_a_file_damaged_in_use_is_a_miss_and_no_crash(file):
    cache = Cache(file)
    with sqlite3.connect(file) as db:
        db.execute("DROP TABLE replies")
    db.close()
    assert cache.get(b"k") is None
    cache.put(b"k", REPLY)
    cache.close()


def test_it_is_in_the_user_s_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path().name == "replies.sqlite"
    assert "gamut-eval" in default_path().parts


CALL = Call([{"role": "system", "content": "Judge."}, {"role": "user", "content": "?"}], Sampling(0.0, 1, 10), {"a": 1})


def ask(client, call=CALL):
    async def main():
        async with sessions():
            return await client.complete(call)

    return asyncio.run(main())


def test_the_same_call_is_made_once_even_by_another_client(stub, connect, file):
    first = ask(connect(cache=file))
    again = ask(connect(cache=file))
    assert (first.from_cache, again.from_cache) == (False, True)
    assert again == replace(first, from_cache=True)
    assert len(stub.requests) == 1


CHANGED = {
    "temperature": replace(CALL, sampling=replace(CALL.sampling, temperature=0.7)),
    "seed": replace(CALL, sampling=replace(CALL.sampling, seed=2)),
    "max tokens": replace(CALL, sampling=replace(CALL.sampling, max_tokens=11)),
    "reasoning effort": replace(CALL, sampling=replace(CALL.sampling, reasoning_effort="low")),
    "another parameter": replace(CALL, sampling=replace(CALL.sampling, more={"top_p": 1})),
    "system prompt": replace(CALL, messages=[{"role": "system", "content": "Judge!"}, CALL.messages[1]]),
    "schema": replace(CALL, schema={"a": 2}),
    "no schema": replace(CALL, schema=None),
    "salt": replace(CALL, salt=("judge", 1)),
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_another_call_is_a_miss(stub, connect, file, change):
    client = connect(cache=file)
    ask(client)
    assert not ask(client, change).from_cache
    assert ask(client, change).from_cache
    assert ask(client).from_cache


def test_another_model_or_address_is_a_miss(stub, connect, file):
    ask(connect(cache=file))
    assert not ask(connect("stub/other", cache=file)).from_cache
    assert not ask(connect(cache=file, base_url=stub.base_url.replace("127.0.0.1", "localhost"))).from_cache


def test_what_the_endpoint_does_not_take_changes_nothing_in_the_cache(stub, connect, file):
    stub.script = lambda body, seen: s.NO_TEMPERATURE if "temperature" in body else s.completion("Hello.")
    ask(connect(cache=file))
    assert ask(connect(cache=file)).from_cache
    assert len(stub.requests) == 2


BAD = [s.EMPTY_CONTENT, s.NULL_CONTENT, s.CUT_OFF, s.FILTERED, s.ERROR_INSIDE, s.NULL_CHOICES, s.BAD_KEY, s.HTML]


@pytest.mark.parametrize("bad", BAD)
def test_only_good_replies_are_kept(stub, connect, clock, file, bad):
    stub.answers(bad)
    client = connect(cache=file)
    with pytest.raises((Fault, EndpointError)):
        ask(client)
    stub.answers(s.completion("Hello."))
    assert not ask(client).from_cache
    assert ask(client).from_cache


def test_an_error_inside_a_good_status_is_asked_again_and_the_reply_kept(stub, connect, clock, file):
    stub.answers(s.of_json({"error": "rate limit exceeded"}), s.completion("Hello."))
    client = connect(cache=file)
    assert ask(client).text == ask(client).text == "Hello."
    assert len(stub.requests) == 2


def test_a_hit_is_counted_with_its_tokens_and_no_cost(stub, connect, file):
    client = connect(cache=file)
    ask(client)
    records = []

    async def main():
        LEDGER.set(Ledger(max_calls=0, on_call=records.append))
        await client.complete(CALL)

    asyncio.run(main())
    (record,) = records
    assert (record.from_cache, record.cost, record.usage, record.model) == (True, 0.0, Usage(120, None, 30), "stub-1.0")


def test_a_cache_of_too_many_keys_to_remember_is_asked_each_time(file, monkeypatch):
    monkeypatch.setattr("gamut_eval.llm.cache._MOST_KNOWN", 3)
    first = Cache(file)
    for n in range(5):
        first.put(f"{n:08}key".encode(), REPLY)
    first.close()
    second = Cache(file)
    assert [second.get(f"{n:08}key".encode()) is not None for n in (0, 4, 5)] == [True, True, False]
    second.close()
