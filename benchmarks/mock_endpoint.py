"""A fast OpenAI-compatible endpoint on 127.0.0.1, to measure clients against: one process, one core.

It reads just enough HTTP for clients that send Content-Length, and answers every POST with the same verdict after a set
delay. It keeps a prefix cache as servers do: of prompts in blocks of 64 characters, for as many as it has room for.
``python mock_endpoint.py PORT LATENCY_MS`` prints a line when it listens; ``GET /stats`` has its counters.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections import OrderedDict

import orjson

_REPLY = orjson.dumps({"quote": "", "rationale": "The answer does not say it anywhere.", "verdict": "missing"}).decode()
_BLOCK, _ROOM = 64, 200_000


class Endpoint:
    """What all connections share."""

    def __init__(self, latency_s: float) -> None:
        self.latency_s = latency_s
        self.calls = self.prompt = self.cached = self.most_in_flight = self.in_flight = 0
        self.blocks: OrderedDict[bytes, None] = OrderedDict()

    def begin(self, body: bytes) -> tuple[int, int, list[bytes]]:
        """Tokens of a prompt, how many of them are in the cache when it comes, and its blocks."""
        text = "".join(str(message["content"]) for message in orjson.loads(body)["messages"])
        blocks = self._blocks(text)
        known = next((place for place, block in enumerate(blocks) if block not in self.blocks), len(blocks))
        return len(text) // 4, known * _BLOCK // 4, blocks

    def answer(self, prompt: int, cached: int, blocks: list[bytes]) -> bytes:
        """The reply to one call; from now on its prompt is in the cache."""
        self.calls += 1
        self.prompt += prompt
        self.cached += cached
        for block in blocks:
            self.blocks[block] = None
            self.blocks.move_to_end(block)
        while len(self.blocks) > _ROOM:
            self.blocks.popitem(last=False)
        usage = {"prompt_tokens": prompt, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": cached}}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": _REPLY}}
        return orjson.dumps({"id": "x", "model": "mock-1", "choices": [choice], "usage": usage})

    @staticmethod
    def _blocks(text: str) -> list[bytes]:
        """A hash for each block of a text, of all that stands before its end."""
        digest, blocks = hashlib.blake2b(digest_size=8), []
        for at in range(0, len(text) - _BLOCK, _BLOCK):
            digest.update(text[at : at + _BLOCK].encode())
            blocks.append(digest.digest())
        return blocks


class Connection(asyncio.Protocol):
    """One client's connection."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        while (end := self._data.find(b"\r\n\r\n")) >= 0:
            head = self._data[:end].lower()
            at = head.find(b"content-length: ")
            length = int(head[at + 16 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self._data) < end + 4 + length:
                return
            body, self._data = self._data[end + 4 : end + 4 + length], self._data[end + 4 + length :]
            self._asked(head, body)

    def _asked(self, head: bytes, body: bytes) -> None:
        endpoint = self._endpoint
        if head.startswith(b"get"):
            names = ("calls", "prompt", "cached", "most_in_flight")
            self._send(orjson.dumps({name: getattr(endpoint, name) for name in names}))
            return
        endpoint.in_flight += 1
        endpoint.most_in_flight = max(endpoint.most_in_flight, endpoint.in_flight)
        begun = endpoint.begin(body)
        if endpoint.latency_s:
            asyncio.get_running_loop().call_later(endpoint.latency_s, self._reply, *begun)
        else:
            self._reply(*begun)

    def _reply(self, prompt: int, cached: int, blocks: list[bytes]) -> None:
        self._endpoint.in_flight -= 1
        self._send(self._endpoint.answer(prompt, cached, blocks))

    def _send(self, body: bytes) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        self._transport.write(head + body)  # type: ignore[attr-defined]


async def serve(port: int, latency_s: float) -> None:
    """Until the process ends."""
    endpoint = Endpoint(latency_s)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(endpoint), "127.0.0.1", port, backlog=4096)
    print(f"listening on {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    import uvloop

    uvloop.run(serve(int(sys.argv[1]), float(sys.argv[2]) / 1000))
