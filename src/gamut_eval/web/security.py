"""What pages are served with: for this computer's own browser alone, and able to load nothing from outside.

The pages show texts that models wrote. Beside escaping, three things keep these harmless: a policy that lets a page
load and run nothing but our own files; a check of the name that the browser asked for, so that a stranger's domain that
is made to lead here (DNS rebinding) reads nothing; and methods that change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Headers of every response, errors too."""
READING = ("GET", "HEAD")
_OURS = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?", re.IGNORECASE)


class Secured:
    """An ASGI application behind these rules.

    Parameters
    ----------
    application
        What answers requests that keep to them.
    methods
        The methods that it knows; others are refused with 405.
    """

    def __init__(self, application: Application, methods: Sequence[str] = READING) -> None:
        self.application = application
        self.methods = tuple(methods)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
        elif not is_ours(_host(scope)):
            await _refuse(send, 400, "This is served as 127.0.0.1 and localhost only.")
        elif scope["method"] not in self.methods:
            allowed = ", ".join(self.methods)
            await _refuse(send, 405, f"Only {allowed} can be asked for here.", ("allow", allowed))
        else:
            await self.application(scope, receive, _with_headers(send))


def is_ours(host: str) -> bool:
    """Whether a Host header names this computer as itself.

    >>> is_ours("127.0.0.1:8765"), is_ours("localhost"), is_ours("evil.example"), is_ours("127.0.0.1.evil.example")
    (True, True, False, False)
    """
    return bool(_OURS.fullmatch(host))


def _host(scope: Message) -> str:
    """The request's Host header; nothing where there is none, or several."""
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    return hosts[0].decode("latin-1") if len(hosts) == 1 else ""


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [pair for pair in message.get("headers", ()) if pair[0].decode("latin-1").lower() not in HEADERS]
            message = {**message, "headers": [*own, *_encoded(HEADERS.items())]}
        await send(message)

    return sending


async def _refuse(send: Send, status: int, text: str, *more: tuple[str, str]) -> None:
    headers = [("content-type", "text/plain; charset=utf-8"), ("cache-control", "no-store"), *more]
    start = {"type": "http.response.start", "status": status, "headers": _encoded(headers)}
    await _with_headers(send)(start)
    await send({"type": "http.response.body", "body": text.encode()})


def _encoded(headers: Any) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
