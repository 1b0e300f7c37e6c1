"""What can go wrong with a call, and what to do about it.

A fault is *retryable* (the same call may work later), *of the item* (this call will never work, others
may), or *of the run* (no call will work until somebody mends a setting).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

import orjson

from gamut_eval.llm.call import Reply, Usage

LONGEST_WAIT_S = 120.0
"""More than this a server's Retry-After is not obeyed; what it asked for is in the error."""
_CLIP = 300


class Reach(Enum):
    """How far a fault reaches."""

    RETRY = "retry"
    ITEM = "item"
    RUN = "run"


class Fault(Exception):
    """A call that gave no usable completion.

    ``code`` is a short stable word. ``wait_s`` is what the server asked to wait; ``usage`` what the
    failed call cost nonetheless; ``text`` and ``finish_reason`` what there is of a reply.
    """

    def __init__(
        self,
        code: str,
        message: str,
        reach: Reach,
        *,
        wait_s: float | None = None,
        usage: Usage = Usage(),  # noqa: B008 (immutable)
        model: str | None = None,
        status: int | None = None,
        text: str | None = None,
        finish_reason: str | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.reach, self.wait_s = code, message, reach, wait_s
        self.usage, self.model, self.status, self.text = usage, model, status, text
        self.finish_reason = finish_reason


def reply_of(status: int, headers: Mapping[str, str], body: bytes) -> Reply:
    """The reply in an HTTP answer.

    Raises
    ------
    Fault
        There is none in it, whatever the status says.
    """
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        data = None
    if status != 200:
        raise _refusal(status, headers, data, body)
    if not isinstance(data, dict):
        raise Fault("bad_reply", f"the reply is not a JSON object: {_clip(body)}", Reach.RETRY, status=status)
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    error = data.get("error") or (choice or {}).get("error")
    if error:
        raise _refusal(_inner_status(error), headers, {"error": error}, body)
    if choice is None:
        raise Fault("bad_reply", f"the reply has no choices: {_clip(body)}", Reach.RETRY, status=status)
    return _completion(data, choice)


def _completion(data: dict[str, Any], choice: dict[str, Any]) -> Reply:
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    usage, model = Usage.from_reply(data.get("usage")), data.get("model")
    model = model if isinstance(model, str) else None
    finish, text = choice.get("finish_reason"), message.get("content")
    if isinstance(text, list):  # parts, as some endpoints send them
        texts = (part.get("text") for part in text if isinstance(part, dict))
        text = "".join(one for one in texts if isinstance(one, str))
    if finish == "content_filter":
        raise Fault("content_filter", "the endpoint withheld the reply", Reach.ITEM, usage=usage, model=model)
    if isinstance(message.get("refusal"), str) and message["refusal"].strip() and not text:
        said = message["refusal"]
        raise Fault("refusal", _clip(said), Reach.ITEM, usage=usage, model=model, text=said)
    if finish == "length":
        told = "the reply was cut off at its most tokens; allow more with max_tokens"
        cut = text if isinstance(text, str) else None
        raise Fault("truncated", told, Reach.ITEM, usage=usage, model=model, text=cut)
    if not isinstance(text, str) or not text.strip():
        ended = finish if isinstance(finish, str) else None
        raise Fault("empty", "the reply has no text", Reach.ITEM, usage=usage, model=model, finish_reason=ended)
    return Reply(text, finish if isinstance(finish, str) else None, model, usage)


def _inner_status(error: Any) -> int:
    """The status that an error inside a 200 stands for."""
    code = error.get("code") if isinstance(error, dict) else None
    code = error.get("status") if isinstance(error, dict) and not _is_status(code) else code
    if _is_status(code):
        return int(code)  # type: ignore[arg-type]
    words = str(error).lower()
    if "rate limit" in words or "rate_limit" in words or "too many requests" in words:
        return 429
    return 400 if _FILTERED.search(words) or _TOO_LONG.search(words) else 502


def _is_status(code: Any) -> bool:
    return re.fullmatch(r"[45]\d\d", str(code), re.ASCII) is not None


def _refusal(status: int, headers: Mapping[str, str], data: Any, body: bytes) -> Fault:
    said, words, message = _words(data, body)
    code, reach = _sorted_out(status, said, words)
    wait = _wait_s(headers, words) if reach is Reach.RETRY else None
    if wait and wait > LONGEST_WAIT_S:
        message += f" (it asks to wait {wait:,.0f} s)"
    return Fault(code, f"HTTP {status}: {message}", reach, wait_s=wait, status=status)


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


_FILTERED = _any_of(r"content[_ ](?:filter|policy|management)", "moderation", "flagged", "safety", "responsibleai")
_TOO_LONG = _any_of(
    r"context[_ ](?:length|window|size)",
    r"too (?:long|many tokens)",
    "maximum context",
    "token limit",
    "exceeds? the max",
)
_BAD_IMAGE = _any_of(
    r"(?:invalid|unsupported|could not|cannot|unable|failed|too large).{0,60}image",
    r"image.{0,60}(?:invalid|unsupported|too large|could not|exceed|not support)",
)
_BAD_KEY = _any_of(
    r"api[_ ]key (?:not valid|invalid)",
    r"invalid[_ ](?:api[_ ]key|authentication)",
    "incorrect api key",
    "unauthenticated",
    "no auth credentials",
)
_NO_MODEL = _any_of(
    r"model[_ ]not[_ ]found",
    r"(?:model|deployment).{0,80}(?:does not exist|not found|unknown|is not available|not a valid)",
    "(?:unknown|no such|invalid|not a valid) model",
)
_NO_QUOTA = _any_of(
    r"insufficient[_ ](?:quota|balance|credits|funds)",
    "exceeded your current quota",
    r"billing[_ ](?:details|hard[_ ]limit|not[_ ]active)",
    "(?:check your|plans &) billing",
    "credit balance",
    "payment required",
)


_SOON = _any_of("per ?minute", r"(?:retry|try again) in \d", "retrydelay")
_NOT_SOON = _any_of("per ?day", "per ?month")


def _sorted_out(status: int, said: str, words: str) -> tuple[str, Reach]:
    """The code and reach of an HTTP error, by its status and its words.

    What stops a run must be ``said`` by the error itself: other ``words`` may be an echo of the request.
    """
    # Google words a minute's limit like an account that is used up.
    soon = status == 429 and _SOON.search(words) and not _NOT_SOON.search(words)
    found = (
        (soon, "rate_limited", Reach.RETRY),
        (status in (401, 407) or _BAD_KEY.search(said), "bad_key", Reach.RUN),
        (status == 402 or _NO_QUOTA.search(said), "quota_exhausted", Reach.RUN),
        (status in (400, 403, 422, 451) and _FILTERED.search(words), "content_filter", Reach.ITEM),
        (status == 403, "forbidden", Reach.RUN),
        (status in (400, 404, 422) and _NO_MODEL.search(said), "unknown_model", Reach.RUN),
        (status in (404, 405), "not_found", Reach.RUN),
        (status == 413 or (status in (400, 422) and _TOO_LONG.search(words)), "too_long", Reach.ITEM),
        (status in (400, 415, 422) and _BAD_IMAGE.search(words), "bad_image", Reach.ITEM),
        (status == 429, "rate_limited", Reach.RETRY),
        (status == 408, "timed_out", Reach.RETRY),
        (status in (409, 425) or status >= 500, "server_error", Reach.RETRY),
        (300 <= status < 400, "not_found", Reach.RUN),
    )
    return next(((code, reach) for so, code, reach in found if so), ("rejected", Reach.ITEM))


def _words(data: Any, body: bytes) -> tuple[str, str, str]:
    """What an error says itself, and all of its body, in lower case, to search; and its message, to show."""
    error = data.get("error", data) if isinstance(data, dict) else data
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(data, list) and data and isinstance(data[0], dict):  # as Google wraps it
        error = data[0].get("error", data[0])
    message = error.get("message") if isinstance(error, dict) else error
    shown = message if isinstance(message, str) and message.strip() else body.decode(errors="replace")
    words = body[:20_000].decode(errors="replace").lower()
    if not isinstance(error, dict):
        return words, words, _clip(shown)
    said = " ".join(str(error.get(name)) for name in ("message", "code", "type", "status", "detail"))
    return said[:20_000].lower(), words, _clip(shown)


def _wait_s(headers: Mapping[str, str], words: str) -> float | None:
    """What a server asks to wait: Retry-After in seconds or as a date, its form in milliseconds, or Google's."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    given = headers.get("retry-after")
    if given is None and (in_body := _RETRY_DELAY.search(words)):
        given = in_body[1]
    seconds = _number(given)
    if seconds is not None or given is None:
        return seconds
    try:
        at = parsedate_to_datetime(given)
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return max(0.0, (at - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


_RETRY_DELAY = re.compile(r'"retrydelay"\s*:\s*"([\d.]+)s"')


def _number(given: str | None) -> float | None:
    try:
        number = float(given) if given is not None else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number < float("inf") else None


def _clip(value: str | bytes) -> str:
    text = value.decode(errors="replace") if isinstance(value, bytes) else value
    text = " ".join(text.split())
    return text if len(text) <= _CLIP else f"{text[: _CLIP - 1]}…"
