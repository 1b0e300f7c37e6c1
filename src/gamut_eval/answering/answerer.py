"""Who answers questions, and how a name becomes one who does."""

from __future__ import annotations

import asyncio
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gamut_eval.errors import GamutError, InputError, nearest, repeated
from gamut_eval.files import told
from gamut_eval.hashing import sha256
from gamut_eval.records import Failure, Variant
from gamut_eval.registry import Registry


@dataclass(frozen=True)
class Asking:
    """One question as it is put to a model.

    ``image`` makes its image a part of a message, in the variant ``image``; ``image_hash`` vouches for it.
    """

    question_id: str
    question: str
    variant: Variant
    sample: int = 0
    image: Callable[[], Mapping[str, Any]] | None = None
    image_hash: str | None = None


@dataclass(frozen=True)
class Answer:
    """What was answered. ``more`` goes into the response's row: ``finish_reason``, ``refusal``, ``served_by`` …"""

    text: str
    more: Mapping[str, Any] = field(default_factory=dict)


class Answerer(ABC):
    """Answers questions.

    Attributes
    ----------
    name
        What its responses and scores are listed under.
    workers
        How many questions it works on at once.
    """

    name: str
    workers: int = 1

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, Any]:
        """Everything that can change its answers. Plain data; it goes into every answer's key."""

    @abstractmethod
    async def answer(self, asking: Asking) -> Answer | Failure:
        """The answer, or the failure that stands in its place."""


AnswererMaker = Callable[[str | None], Answerer]
"""What a file in ``answerers/`` has as ``ANSWERER``: a function from what stands after the name's colon."""

REGISTRY: Registry[AnswererMaker] = Registry("model", "gamut_eval.answering.answerers", "ANSWERER")


def fingerprint(answerer: Answerer) -> str:
    """SHA-256 of the name and settings."""
    return sha256({"model": answerer.name, "settings": dict(answerer.settings)})


class FromFunction(Answerer):
    """A Python function as a model: it takes the question's text (or the whole `Asking`) and returns the answer.

    It may be a coroutine function; a plain one is called in threads, several at once. What it raises
    is an error on record.
    """

    workers = 8

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self.name = name or getattr(function, "__name__", "") or type(function).__name__
        self._function = function
        self._waits = inspect.iscoroutinefunction(function)
        try:
            signature = inspect.signature(function)
            signature.bind("")
        except (TypeError, ValueError):  # ValueError: it does not say what it takes
            message = f"the model {self.name!r} cannot be called with one argument, the question's text"
            raise InputError(message) from None
        self._whole = next(iter(signature.parameters.values())).annotation in (Asking, "Asking")

    @property
    def settings(self) -> Mapping[str, Any]:
        """Only that it is a function: what it does cannot be seen, so give another name to another one."""
        return {"function": self.name}

    async def answer(self, asking: Asking) -> Answer | Failure:
        """What the function returns: a text, an `Answer`, or a `Failure`."""
        given = asking if self._whole else asking.question
        if self._waits:
            said = await self._function(given)
        else:  # in a thread of its own, so that one does not hold up the others
            said = await asyncio.to_thread(self._function, given)
            said = await said if inspect.isawaitable(said) else said
        if isinstance(said, Answer | Failure):
            return said
        if not isinstance(said, str):
            raise TypeError(f"the model {self.name!r} returned a {type(said).__name__}, not a text")
        return Answer(said)


def made_answerers(
    given: Iterable[str | Answerer | Callable[..., Any]], of_provider: Callable[[str], Answerer]
) -> list[Answerer]:
    """Answerers from names, objects and functions.

    Parameters
    ----------
    given
        ``provider/model``, the name of a file in ``answerers/`` with what it takes after a colon, an
        `Answerer`, or a function.
    of_provider
        Makes one from ``provider/model``.

    Raises
    ------
    InputError
        An unknown name, none at all, or two of one name.
    """
    answerers = [_sound(_made(one, of_provider)) for one in given]
    if not answerers:
        raise InputError("no model is named")
    if (twice := repeated(answerer.name for answerer in answerers)) is not None:
        raise InputError(f"two models are called {twice!r}; leave one out")
    return answerers


def _registered(name: str, argument: str) -> Answerer:
    maker = REGISTRY.get(name)
    try:
        return maker(argument)
    except GamutError:
        raise
    except Exception as error:
        if REGISTRY.is_outside(name):
            raise InputError(REGISTRY.fault(name, error)) from error
        raise


def _sound(answerer: Answerer) -> Answerer:
    """The answerer, if what its responses are listed under is a name."""
    name = getattr(answerer, "name", None)
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"the model {type(answerer).__name__} has no name; give its class one: name = '…'")
    return answerer


def _made(given: str | Answerer | Callable[..., Any], of_provider: Callable[[str], Answerer]) -> Answerer:
    if isinstance(given, Answerer):
        return given
    if isinstance(given, str):
        given = told(given)
        name, colon, argument = given.partition(":")
        if colon and name in REGISTRY.names():
            return _registered(name, argument)
        if "/" in name:
            return of_provider(given)
        known = ("provider/model", *(f"{known}:…" for known in REGISTRY.names()))
        raise InputError(f"no model is called {given!r}; write {' or '.join(known)}{nearest(name, REGISTRY.names())}")
    if isinstance(given, type):
        raise InputError(f"{given.__name__} is a class; give a model made of it: {given.__name__}()")
    if callable(given):
        return FromFunction(given)
    raise InputError(f"{given!r} is no model: neither a name, nor a function, nor an Answerer")
