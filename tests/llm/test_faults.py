import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from gamut_eval.llm.call import Reply, Usage
from gamut_eval.llm.faults import LONGEST_WAIT_S, Fault, Reach, reply_of

RETRY, ITEM, RUN = Reach.RETRY, Reach.ITEM, Reach.RUN


def fault_of(body, status=200, headers=None):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(Fault) as caught:
        reply_of(status, headers or {}, raw)
    return caught.value


def openai(message, code=None, kind="invalid_request_error"):
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def anthropic(kind, message):
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011"}


def google(code, message, status, details=()):
    return [{"error": {"code": code, "message": message, "status": status, "details": list(details)}}]


def google_quota(period):
    message = (
        "You exceeded your current quota, please check your plan and billing details. For more information on this "
        "error, head to: https://ai.google.dev/gemini-api/docs/rate-limits."
    )
    violation = {"quotaId": f"GenerateRequestsPer{period}PerProjectPerModel-FreeTier", "quotaValue": "10"}
    details = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "38s"},
    ]
    return google(429, message, "RESOURCE_EXHAUSTED", details)


def vllm(code, message, kind="BadRequestError"):
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def llamacpp(code, message, kind):
    return {"error": {"code": code, "message": message, "type": kind}}


def openrouter(code, message, **metadata):
    return {"error": {"message": message, "code": code, "metadata": metadata}, "user_id": "user_1"}


CASES = {
    "openai key": (401, openai("Incorrect API key provided: sk-ab***yz.", "invalid_api_key"), "bad_key", RUN),
    "openai rate": (
        429,
        openai("Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000."),
        "rate_limited",
        RETRY,
    ),
    "openai rate, free tier": (
        429,
        openai(
            "Rate limit reached for gpt-4o on requests per min (RPM): Limit 3, Used 3. Please try again in 20s. You "
            "can increase your rate limit by adding a payment method at https://platform.openai.com/account/billing."
        ),
        "rate_limited",
        RETRY,
    ),
    "openai quota": (
        429,
        openai(
            "You exceeded your current quota, please check your plan and billing details.",
            "insufficient_quota",
            "insufficient_quota",
        ),
        "quota_exhausted",
        RUN,
    ),
    "openai inactive": (
        429,
        openai("Your account is not active, please check your billing details on our website.", "billing_not_active"),
        "quota_exhausted",
        RUN,
    ),
    "openai model": (404, openai("The model `gpt-9` does not exist.", "model_not_found"), "unknown_model", RUN),
    "openai length": (
        400,
        openai("This model's maximum context length is 128000 tokens.", "context_length_exceeded"),
        "too_long",
        ITEM,
    ),
    "openai policy": (400, openai("Your request was flagged as violating our usage policy."), "content_filter", ITEM),
    "openai image": (400, openai("You uploaded an unsupported image.", "invalid_image_format"), "bad_image", ITEM),
    "openai unknown cause": (400, openai("Invalid value for 'x'."), "rejected", ITEM),
    "openai server": (500, openai("The server had an error.", None, "server_error"), "server_error", RETRY),
    "anthropic key": (401, anthropic("authentication_error", "invalid x-api-key"), "bad_key", RUN),
    "anthropic money": (
        400,
        anthropic(
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.",
        ),
        "quota_exhausted",
        RUN,
    ),
    "anthropic model": (404, anthropic("not_found_error", "model: claude-9"), "not_found", RUN),
    "anthropic rate": (
        429,
        anthropic("rate_limit_error", "This request would exceed the limit."),
        "rate_limited",
        RETRY,
    ),
    "anthropic overloaded": (529, anthropic("overloaded_error", "Overloaded"), "server_error", RETRY),
    "anthropic length": (
        400,
        anthropic("invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
        "too_long",
        ITEM,
    ),
    "anthropic size": (413, anthropic("request_too_large", "Request exceeds the maximum size"), "too_long", ITEM),
    "anthropic filter": (
        400,
        anthropic("invalid_request_error", "Output blocked by content filtering policy"),
        "content_filter",
        ITEM,
    ),
    "anthropic image": (
        400,
        anthropic("invalid_request_error", "messages.0.content.0.image: image exceeds 5 MB maximum: 6 > 5 bytes"),
        "bad_image",
        ITEM,
    ),
    "anthropic permission": (403, anthropic("permission_error", "Your key may not use this."), "forbidden", RUN),
    "google key": (
        400,
        google(
            400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", [{"reason": "API_KEY_INVALID"}]
        ),
        "bad_key",
        RUN,
    ),
    "google a minute's limit": (429, google_quota("Minute"), "rate_limited", RETRY),
    "google a day's limit": (429, google_quota("Day"), "quota_exhausted", RUN),
    "google model": (
        404,
        google(404, "models/gemini-9 is not found for API version v1", "NOT_FOUND"),
        "unknown_model",
        RUN,
    ),
    "google overloaded": (503, google(503, "The model is overloaded.", "UNAVAILABLE"), "server_error", RETRY),
    "google image": (400, google(400, "Unable to process input image.", "INVALID_ARGUMENT"), "bad_image", ITEM),
    "google place": (403, google(403, "Your country is not supported.", "PERMISSION_DENIED"), "forbidden", RUN),
    "openrouter key": (401, openrouter(401, "No auth credentials found"), "bad_key", RUN),
    "openrouter money": (402, openrouter(402, "Insufficient credits. Add more."), "quota_exhausted", RUN),
    "openrouter moderation": (
        403,
        openrouter(403, "Input was flagged", reasons=["violence"], flagged_input="…", provider_name="P"),
        "content_filter",
        ITEM,
    ),
    "openrouter model": (400, openrouter(400, "foo/bar is not a valid model ID"), "unknown_model", RUN),
    "openrouter no endpoint": (404, openrouter(404, "No endpoints found for foo/bar."), "not_found", RUN),
    "openrouter from behind": (
        400,
        openrouter(400, "Provider returned error", raw='{"message":"prompt is too long: 9 tokens"}', provider_name="P"),
        "too_long",
        ITEM,
    ),
    "openrouter in a 200": (200, openrouter(502, "Provider disconnected"), "server_error", RETRY),
    "azure key": (
        401,
        {"error": {"code": "401", "message": "Access denied due to invalid subscription key or wrong API endpoint."}},
        "bad_key",
        RUN,
    ),
    "azure filter": (
        400,
        {
            "error": {
                "message": "The response was filtered due to the prompt triggering a policy.",
                "code": "content_filter",
                "status": 400,
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
        "content_filter",
        ITEM,
    ),
    "azure deployment": (
        404,
        {"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist."}},
        "unknown_model",
        RUN,
    ),
    "azure address": (404, {"error": {"code": "404", "message": "Resource not found"}}, "not_found", RUN),
    "azure rate": (
        429,
        {"error": {"code": "429", "message": "Requests have exceeded call rate limit of your S0 pricing tier."}},
        "rate_limited",
        RETRY,
    ),
    "groq rate": (
        429,
        openai(
            "Rate limit reached for model `llama` on tokens per minute (TPM): Limit 6000, Used 5000. Please try again "
            "in 7.66s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing",
            "rate_limit_exceeded",
            "tokens",
        ),
        "rate_limited",
        RETRY,
    ),
    "groq too large": (
        413,
        openai(
            "Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 8000. Upgrade to "
            "Dev Tier today at https://console.groq.com/settings/billing",
            "rate_limit_exceeded",
            "tokens",
        ),
        "too_long",
        ITEM,
    ),
    "groq key": (401, openai("Invalid API Key", "invalid_api_key"), "bad_key", RUN),
    "groq echo": (
        400,
        {
            "error": {
                "message": "Failed to generate JSON. Please adjust your prompt.",
                "type": "invalid_request_error",
                "code": "json_validate_failed",
                "failed_generation": "The answer says: insufficient funds, invalid api key, model not found.",
            }
        },
        "rejected",
        ITEM,
    ),
    "mistral key": (401, {"message": "Unauthorized", "request_id": "1"}, "bad_key", RUN),
    "mistral model": (
        400,
        {"object": "error", "message": "Invalid model: x", "type": "invalid_model", "code": "1500"},
        "unknown_model",
        RUN,
    ),
    "mistral rate": (429, {"message": "Requests rate limit exceeded"}, "rate_limited", RETRY),
    "mistral field": (
        422,
        {"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "x"]}]}},
        "rejected",
        ITEM,
    ),
    "vllm model": (404, vllm(404, "The model `x` does not exist.", "NotFoundError"), "unknown_model", RUN),
    "vllm length": (400, vllm(400, "This model's maximum context length is 4096 tokens."), "too_long", ITEM),
    "vllm key": (401, {"error": "Unauthorized"}, "bad_key", RUN),
    "llama.cpp loading": (503, llamacpp(503, "Loading model", "unavailable_error"), "server_error", RETRY),
    "llama.cpp length": (
        400,
        llamacpp(400, "the request exceeds the available context size. try increasing it", "exceed_context_size_error"),
        "too_long",
        ITEM,
    ),
    "llama.cpp key": (401, llamacpp(401, "Invalid API Key", "authentication_error"), "bad_key", RUN),
    "llama.cpp image": (500, llamacpp(500, "image input is not supported", "server_error"), "server_error", RETRY),
    "ollama model": (404, openai('model "x" not found, try pulling it first', None, "api_error"), "unknown_model", RUN),
    "a question about billing is no empty account": (
        400,
        openai("Bad input: what is medical billing?"),
        "rejected",
        ITEM,
    ),
    "proxy": (407, b"", "bad_key", RUN),
    "gateway timeout": (504, b"<html>504 Gateway Time-out</html>", "server_error", RETRY),
    "request timeout": (408, b"", "timed_out", RETRY),
    "conflict": (409, b"", "server_error", RETRY),
    "legal": (451, openai("Content policy."), "content_filter", ITEM),
    "moved": (301, b"", "not_found", RUN),
    "no such path": (404, b"404 page not found", "not_found", RUN),
    "wrong method": (405, b"", "not_found", RUN),
    "created?": (201, b"{}", "rejected", ITEM),
    "text in a 200": (200, b"upstream timed out", "bad_reply", RETRY),
    "html in a 200": (200, b"<html></html>", "bad_reply", RETRY),
    "nothing": (200, b"", "bad_reply", RETRY),
    "a list": (200, b"[]", "bad_reply", RETRY),
    "not UTF-8": (200, b'{"choices": "\xff"}', "bad_reply", RETRY),
    "null choices": (200, {"choices": None}, "bad_reply", RETRY),
    "no choices": (200, {"choices": []}, "bad_reply", RETRY),
    "a choice that is none": (200, {"choices": ["x"]}, "bad_reply", RETRY),
    "error text in a 200": (200, {"error": "rate limit exceeded"}, "rate_limited", RETRY),
    "error 429 in a 200": (200, {"error": {"code": 429}, "choices": None}, "rate_limited", RETRY),
    "error '503' in a 200": (200, {"error": {"code": "503", "message": "busy"}}, "server_error", RETRY),
    "status in a 200": (200, {"error": {"status": 401, "code": "nope"}}, "bad_key", RUN),
    "error in a choice": (200, {"choices": [{"error": {"code": 502, "message": "gone"}}]}, "server_error", RETRY),
    "filter in a 200": (200, {"error": {"code": "content_filter", "message": "no"}}, "content_filter", ITEM),
    "length in a 200": (200, {"error": {"message": "maximum context length"}}, "too_long", ITEM),
    "odd digits in a 200": (200, {"error": {"code": "⁴²⁹", "message": "?"}}, "server_error", RETRY),
    "unclear error in a 200": (200, {"error": True}, "server_error", RETRY),
}


@pytest.mark.parametrize(("status", "body", "code", "reach"), CASES.values(), ids=CASES)
def test_what_endpoints_say_is_sorted(status, body, code, reach):
    fault = fault_of(body, status)
    assert (fault.code, fault.reach) == (code, reach)


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ({"retry-after": "3"}, b"", 3),
        ({"retry-after": "2.5"}, b"", 2.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, b"", 1.5),
        ({}, google_quota("Minute"), 38),
        ({"retry-after": "5"}, google_quota("Minute"), 5),
        ({"retry-after": "soon"}, b"", None),
        ({"retry-after": "-3"}, b"", None),
        ({"retry-after": "nan"}, b"", None),
        ({"retry-after": "inf"}, b"", None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, b"", 0),
        ({}, b"", None),
    ],
)
def test_what_a_server_asks_to_wait_is_read(headers, body, expected):
    assert fault_of(body, 429, headers).wait_s == expected


def test_a_date_to_wait_for_becomes_seconds():
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert fault_of(b"", 503, {"retry-after": at}).wait_s == pytest.approx(60, abs=2)


def test_a_wait_that_is_too_long_is_told():
    assert "wait 3,600 s" in fault_of(b"slow down", 429, {"retry-after": "3600"}).message
    assert "wait" not in fault_of(b"slow down", 429, {"retry-after": str(LONGEST_WAIT_S)}).message


def test_no_wait_is_read_where_the_call_is_not_made_again():
    assert fault_of(b"", 401, {"retry-after": "3"}).wait_s is None


def test_long_messages_are_cut_and_put_on_one_line():
    message = fault_of(openai("much\n\nado " * 200), 400).message
    assert len(message) < 330
    assert "\n" not in message


USAGE = {"prompt_tokens": 5, "completion_tokens": 2}


def reply(content, finish="stop", **message):
    choice = {"finish_reason": finish, "message": {"content": content} | message}
    return {"model": "m-1", "usage": USAGE, "choices": [choice]}


def test_a_completion_is_read_with_its_tokens():
    raw = json.dumps(reply("Hello.")).encode()
    assert reply_of(200, {}, raw) == Reply("Hello.", "stop", "m-1", Usage(5, None, 2))


@pytest.mark.parametrize("finish", [None, 7, "end_turn"])
def test_any_other_end_is_a_good_one(finish):
    read = reply_of(200, {}, json.dumps(reply("Hello.", finish) | {"model": 3, "usage": "?"}).encode())
    assert read == Reply("Hello.", finish if isinstance(finish, str) else None)


def test_text_in_parts_is_joined():
    parts = [{"type": "text", "text": "Hel"}, "noise", {"type": "text", "text": "lo."}, {"type": "image"}]
    assert reply_of(200, {}, json.dumps(reply(parts)).encode()).text == "Hello."


def test_a_text_beside_a_refusal_is_a_text():
    assert reply_of(200, {}, json.dumps(reply("Hello.", refusal="No.")).encode()).text == "Hello."


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        (reply('{"verdict":"me', "length"), "truncated", '{"verdict":"me'),
        (reply(None, "length"), "truncated", None),
        (reply(None), "empty", None),
        (reply(" \n"), "empty", None),
        (reply(None, reasoning_content="hmm"), "empty", None),
        (reply("x", "content_filter"), "content_filter", None),
        (reply(None, refusal="I cannot help."), "refusal", "I cannot help."),
        ({"usage": USAGE, "model": "m-1", "choices": [{"message": "?", "finish_reason": "stop"}]}, "empty", None),
    ],
)
def test_a_reply_without_a_usable_text_is_a_fault_of_the_item_and_its_tokens_count(body, code, text):
    fault = fault_of(body)
    assert (fault.code, fault.reach, fault.text) == (code, ITEM, text)
    assert (fault.usage, fault.model) == (Usage(5, None, 2), "m-1")
