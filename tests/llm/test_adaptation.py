import pytest

from gamut_eval.llm.adaptation import Adaptation
from gamut_eval.llm.call import Call, Sampling
from gamut_eval.llm.faults import Fault, Reach

SCHEMA = {"type": "object"}
CALL = Call([{"role": "user", "content": "?"}], Sampling(0, 7, 100, "low", {"top_k": 3}), SCHEMA)


def rejection(message, status=400):
    return Fault("rejected", f"HTTP {status}: {message}", Reach.ITEM, status=status)


def test_everything_is_sent_as_it_was_asked_for():
    body = Adaptation().body("m", CALL)
    form = body.pop("response_format")
    assert body == {
        "model": "m",
        "messages": CALL.messages,
        "temperature": 0,
        "seed": 7,
        "max_tokens": 100,
        "reasoning_effort": "low",
        "top_k": 3,
    }
    assert form == {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}}


def test_what_is_not_asked_for_is_not_sent():
    assert Adaptation().body("m", Call([], Sampling())) == {"model": "m", "messages": []}


def test_the_token_limit_has_the_endpoint_s_name():
    body = Adaptation("max_completion_tokens").body("m", CALL)
    assert body["max_completion_tokens"] == 100
    assert "max_tokens" not in body


@pytest.mark.parametrize(
    ("message", "name"),
    [
        (
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value.",
            "temperature",
        ),
        ("`temperature` is deprecated for this model.", "temperature"),
        ("temperature may only be set to 1 when thinking is enabled", "temperature"),
        ("[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'Extra inputs are not permitted'}]", "seed"),
        ('Invalid JSON payload received. Unknown name "seed": Cannot find field.', "seed"),
        ("property 'reasoning_effort' is unsupported", "reasoning_effort"),
        ("Unrecognized request argument supplied: top_k", "top_k"),
    ],
)
def test_a_parameter_that_is_rejected_by_name_is_left_out_from_then_on(message, name):
    adaptation = Adaptation()
    assert adaptation.learn(rejection(message), CALL)
    assert name not in adaptation.body("m", CALL)
    assert set(Adaptation().body("m", CALL)) - set(adaptation.body("m", CALL)) == {name}
    assert adaptation.changes == [f"{name} is not sent"]
    assert not adaptation.learn(rejection(message), CALL)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            "max_tokens",
            "max_completion_tokens",
            "Unsupported parameter: 'max_tokens' is not supported here. Use 'max_completion_tokens' instead.",
        ),
        ("max_completion_tokens", "max_tokens", "max_completion_tokens: Extra inputs are not permitted"),
    ],
)
def test_the_token_limit_is_renamed_once_and_never_left_out(first, second, message):
    adaptation = Adaptation(first)
    assert adaptation.learn(rejection(message), CALL)
    assert adaptation.body("m", CALL)[second] == 100
    assert first not in adaptation.body("m", CALL)
    assert not adaptation.learn(rejection(message), CALL)
    assert adaptation.body("m", CALL)[second] == 100


def test_a_rejected_reply_form_steps_down_to_text():
    adaptation = Adaptation()
    message = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
    assert adaptation.learn(rejection(message), CALL)
    assert adaptation.body("m", CALL)["response_format"] == {"type": "json_object"}
    assert adaptation.learn(rejection("response_format.type must be 'text'"), CALL)
    assert "response_format" not in adaptation.body("m", CALL)
    assert not adaptation.learn(rejection(message), CALL)
    assert adaptation.version == 2


def test_a_server_error_is_taken_for_an_unknown_form_only_until_one_has_worked():
    adaptation = Adaptation()
    assert adaptation.learn(rejection("Internal Server Error", 500), CALL)
    adaptation.worked(CALL)
    assert not adaptation.learn(rejection("Internal Server Error", 500), CALL)
    assert adaptation.form == "json_object"


def test_a_server_error_on_a_call_without_a_form_teaches_nothing():
    adaptation = Adaptation()
    plain = Call(CALL.messages, CALL.sampling)
    assert not adaptation.learn(rejection("Internal Server Error", 500), plain)
    adaptation.worked(plain)
    assert adaptation.learn(rejection("Internal Server Error", 500), CALL)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (429, "temperature is not supported"),
        (401, "temperature is not supported"),
        (503, "response_format"),
        (400, "something is invalid"),
        (400, "the temperature of the water in the image"),
        (400, "'seeds' is invalid"),
        (400, "max_tokens is too large: 999999. This model supports at most 16384 completion tokens"),
    ],
)
def test_other_faults_change_nothing(status, message):
    adaptation = Adaptation()
    assert not adaptation.learn(rejection(message, status), CALL)
    assert adaptation.body("m", CALL) == Adaptation().body("m", CALL)


def test_a_fault_without_a_status_changes_nothing():
    fault = Fault("connection", "temperature is unsupported", Reach.RETRY)
    assert not Adaptation().learn(fault, CALL)


def test_a_server_that_is_merely_out_of_order_is_asked_in_the_first_form_again():
    adaptation = Adaptation()
    call = Call([], Sampling(), {"type": "object"})
    down = Fault("server_error", "HTTP 500: oops", Reach.RETRY, status=500)
    assert [adaptation.learn(down, call) for _ in range(4)] == [True, True, False, False]
    assert adaptation.form == "json_schema"
    assert adaptation.changes == []
    assert adaptation.version == 3  # calls that are under way are put again
