"""What is sent to an endpoint and what comes back, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from gamut_eval.errors import InputError, brief

Message = Mapping[str, Any]
_MOST_TOKENS = 10**9
"""Of one call; a server that tells of more tells nonsense."""


@dataclass(frozen=True)
class Sampling:
    """The parameters that can change what a model says. None is the endpoint's default.

    ``more`` are any others, sent as they are.
    """

    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The parameters that are set, under their usual names."""
        return dict(self._set)

    def for_time(self, n: int) -> Sampling:
        """For the n-th time, from 0, that the same is asked: with the same seed, it would be answered the same."""
        return self if self.seed is None or n == 0 else replace(self, seed=self.seed + n)

    @cached_property
    def _set(self) -> dict[str, Any]:
        named = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "more"}
        return {name: value for name, value in named.items() if value is not None} | dict(self.more)

    @classmethod
    def from_args(cls, given: Mapping[str, Any]) -> Sampling:
        """From names and values as a command line or a notebook gives them.

        Raises
        ------
        InputError
            A value of the wrong kind or out of range, or a name that this client sets itself.
        """
        given = {_ALSO_CALLED.get(name, name): value for name, value in given.items()}
        known = {name: value for name, value in given.items() if name in _CHECKS}
        for name, value in known.items():
            kinds, least, expected = _CHECKS[name]
            wrong_kind = not isinstance(value, kinds) or isinstance(value, bool)
            if wrong_kind or (isinstance(value, int | float) and not least <= value < float("inf")):
                raise InputError(f"{name} must be {expected}, not {brief(value)}")
        for name in _OURS & given.keys():
            raise InputError(f"the parameter {name!r} is set by this program; leave it out")
        return cls(**known, more={name: value for name, value in given.items() if name not in known})


_CHECKS: dict[str, tuple[tuple[type, ...], float, str]] = {
    "temperature": ((int, float), 0, "a number from 0"),
    "seed": ((int,), float("-inf"), "a whole number"),
    "max_tokens": ((int,), 1, "a whole number from 1"),
    "reasoning_effort": ((str,), 0, "a word such as low, medium or high"),
}
_ALSO_CALLED = {"max_completion_tokens": "max_tokens"}  # the endpoint is told in its own word
_OURS = {"messages", "model", "stream", "n", "response_format", "tools", "functions"}


@dataclass(frozen=True, slots=True)
class Call:
    """One request for one completion.

    ``schema`` is the JSON schema the reply should follow, if any. ``salt`` tells apart requests that
    are the same on purpose: samples and repeats each have their own place in the cache. ``digest``
    stands for messages and schema where somebody knows a hash of all that they are made of, since
    hashing the same long texts for each check takes time.
    """

    messages: Sequence[Message]
    sampling: Sampling
    schema: Mapping[str, Any] | None = None
    salt: Sequence[Any] = ()
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call or of many. None is unknown, not zero.

    ``cached`` are those of the prompt that the server took from its prefix cache; ``reasoning`` those
    of the completion that were hidden reasoning. Both are parts of the totals beside them.
    """

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    reasoning: int | None = None

    @classmethod
    def from_reply(cls, usage: Any) -> Usage:
        """From a reply's ``usage`` object; what it does not say, or says in nonsense, is unknown."""
        if not isinstance(usage, dict):
            return cls()
        prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
        cached = _detail(usage, "prompt_tokens_details", "cached_tokens")
        cached = _count(usage.get("prompt_cache_hit_tokens")) if cached is None else cached
        reasoning = _detail(usage, "completion_tokens_details", "reasoning_tokens")
        return cls(prompt, _within(cached, prompt), completion, _within(reasoning, completion))

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            _sum(self.prompt, other.prompt),
            _sum(self.cached, other.cached),
            _sum(self.completion, other.completion),
            _sum(self.reasoning, other.reasoning),
        )


def _detail(usage: dict[str, Any], group: str, name: str) -> int | None:
    details = usage.get(group)
    return _count(details.get(name)) if isinstance(details, dict) else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None


def _within(part: int | None, whole: int | None) -> int | None:
    return part if part is None or whole is None else min(part, whole)


def _sum(one: int | None, other: int | None) -> int | None:
    return (one or 0) + (other or 0) if one is not None or other is not None else None


@dataclass(frozen=True, slots=True)
class Reply:
    """A completion that can be used: it has a text, and was not cut off.

    ``model`` is the version that the server says answered. ``from_cache`` replies cost nothing now.
    """

    text: str
    finish_reason: str | None = None
    model: str | None = None
    usage: Usage = Usage()
    from_cache: bool = False
