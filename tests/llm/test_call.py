import math

import pytest

from gamut_eval.errors import InputError
from gamut_eval.llm.call import Sampling, Usage


def test_only_parameters_that_are_set_are_sent():
    assert Sampling().to_dict() == {}
    assert Sampling(temperature=0, seed=0, more={"top_k": 5}).to_dict() == {"temperature": 0, "seed": 0, "top_k": 5}


def test_known_parameters_are_told_from_others():
    given = {"temperature": 0.7, "max_tokens": 10, "seed": -1, "reasoning_effort": "low", "top_p": 0.9}
    assert Sampling.from_args(given) == Sampling(0.7, -1, 10, "low", {"top_p": 0.9})


def test_the_newer_name_of_the_token_limit_is_the_same_parameter():
    assert Sampling.from_args({"max_completion_tokens": 5}) == Sampling(max_tokens=5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("temperature", "warm"),
        ("temperature", True),
        ("temperature", None),
        ("temperature", math.nan),
        ("temperature", math.inf),
        ("seed", 1.5),
        ("max_tokens", 0),
        ("max_completion_tokens", 0),
        ("reasoning_effort", 3),
        ("messages", []),
        ("model", "x"),
        ("stream", True),
        ("n", 2),
        ("response_format", {}),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(name, value):
    with pytest.raises(InputError, match="max_tokens" if name.startswith("max") else name):
        Sampling.from_args({name: value})


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ("much", Usage()),
        ({}, Usage()),
        ({"prompt_tokens": 5, "completion_tokens": 2}, Usage(5, None, 2, None)),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 3}}, Usage(5, 3)),
        ({"prompt_tokens": 5, "prompt_tokens_details": None, "prompt_cache_hit_tokens": 4}, Usage(5, 4)),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 9}}, Usage(5, 5)),
        ({"completion_tokens": 7, "completion_tokens_details": {"reasoning_tokens": 4}}, Usage(None, None, 7, 4)),
        ({"prompt_tokens": -5, "completion_tokens": True}, Usage()),
        ({"prompt_tokens": "5", "completion_tokens": 2.0}, Usage()),
    ],
)
def test_tokens_are_read_and_nonsense_is_unknown(usage, expected):
    assert Usage.from_reply(usage) == expected


def test_sums_keep_what_is_known():
    assert Usage(1, None, 2, None) + Usage(10, 4, None, None) == Usage(11, 4, 2, None)
