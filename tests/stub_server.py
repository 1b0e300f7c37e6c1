"""An OpenAI-compatible server for tests: real HTTP on 127.0.0.1, whatever it is told to answer.

A script is a function from a request's body and how often that same body was seen before to an `Answer`.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from aiohttp import web

USAGE = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}


@dataclass(frozen=True)
class Answer:
    """What is sent back, after ``delay_s``. ``ending`` says how: whole, or in one of the ways a connection can fail."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: Literal["whole", "drips", "silent", "closed"] = "whole"
    delay_s: float = 0.0


Script = Callable[[dict[str, Any], int], Answer]


def of_json(value: Any, status: int = 200, **headers: str) -> Answer:
    """Any JSON; an underscore in a header's name stands for a hyphen."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(json.dumps(value).encode(), status, {"Content-Type": "application/json"} | named)


def completion(content: Any, finish_reason: str | None = "stop", **more: Any) -> Answer:
    """A completion; ``more`` are other fields of the reply, ``message`` those of its message."""
    message = {"role": "assistant", "content": content} | more.pop("message", {})
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    reply = {"id": "c-1", "object": "chat.completion", "model": "stub-1.0", "choices": [choice], "usage": USAGE}
    return of_json(reply | more)


def verdict(verdict: str = "meets", quote: str = "", rationale: str = "So it says.", **more: Any) -> Answer:
    """A judge's reply on one check."""
    return completion(json.dumps({"quote": quote, "rationale": rationale, "verdict": verdict} | more))


def verdicts(**by_check: str) -> Answer:
    """A judge's reply on several checks."""
    entries = [{"check": name, "quote": "", "rationale": "", "verdict": said} for name, said in by_check.items()]
    return completion(json.dumps({"checks": entries}))


def error(status: int, message: str, code: Any = None, kind: str = "invalid_request_error", **headers: str) -> Answer:
    """An error as OpenAI words it."""
    return of_json({"error": {"message": message, "type": kind, "param": None, "code": code}}, status, **headers)


def rate_limited(**headers: str) -> Answer:
    """HTTP 429; the headers say how long to wait."""
    return error(429, "Rate limit reached for requests", "rate_limit_exceeded", "requests", **headers)


FAILED = error(500, "The server had an error while processing your request", kind="server_error")
OVERLOADED = error(503, "The engine is currently overloaded", kind="server_error")
FILTERED = error(400, "The response was filtered by the content management policy.", "content_filter")
BAD_KEY = error(401, "Incorrect API key provided.", "invalid_api_key")
NO_MONEY = error(402, "Insufficient credits", 402)
NO_QUOTA = error(429, "You exceeded your current quota, check your plan and billing details.", "insufficient_quota")
NO_MODEL = error(404, "The model `m` does not exist or you do not have access to it.", "model_not_found")
NO_JSON_SCHEMA = error(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported.")
NO_MAX_TOKENS = error(
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "unsupported_parameter",
)
NO_TEMPERATURE = error(
    400,
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    "unsupported_value",
)
ERROR_INSIDE = of_json({"error": {"code": 429, "message": "Provider returned error"}, "choices": None})
NULL_CHOICES = of_json({"choices": None})
NO_CHOICES = of_json({"choices": []})
NULL_CONTENT = completion(None)
EMPTY_CONTENT = completion("  \n")
CUT_OFF = completion('{"quote": "the words that', "length")
CUT_JSON = Answer(b'{"choices": [{"message": {"content": "Ho', 200, {"Content-Type": "application/json"})
HTML = Answer(b"<html><body>Welcome to nginx!</body></html>", 200, {"Content-Type": "text/html"})
MOVED = Answer(b"Moved", 308, {"Location": "http://192.0.2.1/v1/chat/completions"})
HUGE = Answer(b"{", headers={"Content-Length": str(10**10)}, ending="silent")
DRIPPING = Answer(b" ", headers={"Content-Type": "application/json"}, ending="drips")
SILENT = Answer(ending="silent")
CLOSED = Answer(b'{"choices": [', headers={"Content-Length": "5000"}, ending="closed")


def in_turn(*answers: Answer) -> Script:
    """The answers one after the other for the same request, the last one for ever."""
    return lambda body, seen: answers[min(seen, len(answers) - 1)]


@dataclass(frozen=True)
class Request:
    """What was received."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """The last message's text."""
        return str(self.body["messages"][-1]["content"])


class StubServer:
    """Runs on a thread of its own until it is closed.

    ``requests`` are the calls so far; ``most_in_flight`` is the largest number of them at once;
    ``models`` answers ``GET /models``.
    """

    def __init__(self) -> None:
        self.script: Script = lambda body, seen: completion("Hello.")
        self.models = of_json({"object": "list", "data": []})
        self.delay_s = 0.0
        self.requests: list[Request] = []
        self.checked: list[Request] = []
        self.most_in_flight = self._in_flight = 0
        self._seen: Counter[str] = Counter()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._closing = asyncio.Event()
        self.base_url = f"http://127.0.0.1:{self._do(self._start())}/v1"

    def answers(self, *answers: Answer) -> None:
        """Answer each request with these in turn, the last one for ever."""
        self.script = in_turn(*answers)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of the calls so far."""
        return [request.body for request in self.requests]

    def close(self) -> None:
        """Let go of the port."""
        self._do(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=10)

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._models)
        return app

    async def _start(self) -> int:
        self._runner = web.AppRunner(self._app(), handler_cancellation=True, shutdown_timeout=0.01)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return int(self._runner.addresses[0][1])

    async def _stop(self) -> None:
        self._closing.set()
        await self._runner.cleanup()

    async def _models(self, request: web.Request) -> web.StreamResponse:
        self.checked.append(Request("GET", request.path, dict(request.headers), {}))
        return await self._sent(request, self.models)

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            body = json.loads(await request.read())
            self.requests.append(Request("POST", request.path, dict(request.headers), body))
            same = json.dumps(body, sort_keys=True)
            seen, self._seen[same] = self._seen[same], self._seen[same] + 1
            if self.delay_s:
                await asyncio.sleep(self.delay_s)
            answer = self.script(body, seen)
            await asyncio.sleep(answer.delay_s)
            return await self._sent(request, answer)
        finally:
            self._in_flight -= 1

    async def _sent(self, request: web.Request, answer: Answer) -> web.StreamResponse:
        if answer.ending == "whole":
            return web.Response(body=answer.body, status=answer.status, headers=answer.headers)
        response = web.StreamResponse(status=answer.status, headers=answer.headers)
        if answer == SILENT:
            await self._closing.wait()
            return response
        await response.prepare(request)
        await response.write(answer.body)
        if answer.ending == "closed" and request.transport:
            request.transport.close()
        while answer.ending == "drips" and not self._closing.is_set():
            await asyncio.sleep(0.005)
            await response.write(answer.body)
        if answer.ending == "silent":
            await self._closing.wait()
        return response


async def until(so: Callable[[], Any]) -> None:
    """Wait for something that happens on another thread."""
    async with asyncio.timeout(5):
        while not so():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


def with_headers(answer: Answer, **headers: str) -> Answer:
    """The same answer with more headers."""
    return replace(answer, headers={**answer.headers, **headers})
