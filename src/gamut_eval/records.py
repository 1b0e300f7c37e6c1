"""What a run stores: responses, verdicts, failures; and their JSONL files."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NoReturn, cast, overload

import orjson

from gamut_eval.errors import Finding, InputError, Place, brief, nearest
from gamut_eval.files import Lines, json_rows
from gamut_eval.hashing import sha256
from gamut_eval.words import first_words, n_words

Variant = Literal["image", "text_only"]
VARIANTS: tuple[Variant, ...] = ("image", "text_only")
LARGEST_COUNT = 2**31 - 1
FIRST_WORDS = "first_words"
"""The field of a response that was cut: how many words of it are left."""
_ALSO_CALLED = {
    "response": ("answer", "output", "completion", "prediction", "generation", "text", "content"),
    "verdict": ("label", "judgement", "judgment", "grade", "rating", "answer", "output"),
}
_NO = ("", "false", "no", "none", "null", "0")


class Verdict(StrEnum):
    """What a judge says of one check, best first (paper, "Judging and scoring")."""

    MEETS = "meets"
    PARTIALLY_MEETS = "partially_meets"
    MISSING = "missing"
    CONTRADICTS = "contradicts"


VERDICTS: tuple[Verdict, ...] = tuple(Verdict)


@dataclass(frozen=True)
class Judgement:
    """A verdict with the response's words that it rests on and the reason; ``more`` is whatever else is to be kept."""

    verdict: Verdict
    quote: str | None = None
    rationale: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Failure:
    """A judge or a model that gave no usable answer: an error on record, never a verdict."""

    code: str
    message: str
    more: Mapping[str, Any] = field(default_factory=dict)


Outcome = Judgement | Failure


class _Text:
    """The field ``text``: what it was set to, or, if that is a function, what this returns at each look."""

    @overload
    def __get__(self, response: None, owner: type) -> None: ...
    @overload
    def __get__(self, response: Response, owner: type) -> str | None: ...
    def __get__(self, response: Response | None, owner: type) -> str | None:
        if response is None:
            return None  # the default
        text: str | Callable[[], str] | None = response.__dict__["_text"]
        return text() if callable(text) else text

    def __set__(self, response: Response, text: str | Callable[[], str] | None) -> None:
        response.__dict__["_text"] = text


@dataclass(frozen=True)
class Response:
    """One model's answer to one question in one variant, or the error that stood in its place.

    ``text`` may be given as a function that returns it, so that thousands of long answers need not be
    in memory at once. ``more`` keeps the file's other fields. ``refusal: true`` there marks a refusal.
    """

    question_id: str
    model: str
    variant: Variant
    sample: int = 0
    text: _Text = _Text()
    error: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    place: Place = field(default=Place(), compare=False)

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What there can be only one response for."""
        return (self.question_id, self.model, self.variant, self.sample)

    @property
    def answered(self) -> bool:
        """There is a text, if only an empty one; no error."""
        return self.__dict__["_text"] is not None

    @cached_property
    def says_nothing(self) -> bool:
        """An empty answer or a refusal: everything is missing, and nothing need be asked."""
        return self.answered and (bool(self.more.get("refusal")) or not (self.text or "").strip())

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the text's UTF-8 bytes, of a refusal's as one; an error has the hash of nothing to be seen."""
        text = self.text
        if text is None:
            return ""
        # The same words, once marked as a refusal, have other verdicts.
        return sha256({"refusal": text} if self.more.get("refusal") else text)

    def renamed(self, model: str) -> Response:
        """The same answer under another model's name; its text is read no sooner."""
        renamed = replace(self, model=model, text=self.__dict__["_text"])
        if "hash" in self.__dict__:
            renamed.__dict__["hash"] = self.hash  # which else would read the text
        return renamed

    def cut(self, n: int) -> Response:
        """The answer's first n words, as `first_words` has them; ``more`` says so. One that has no more stays itself.

        >>> Response("q", "me", "image", text="Fry the base, then simmer.").cut(3).text
        'Fry the base,'
        """
        if not self.answered or n_words(self.text or "") <= n:
            return self
        whole: str | Callable[[], str] = self.__dict__["_text"]
        text = partial(_first_words, whole, n)
        return replace(self, text=text, more={**self.more, FIRST_WORDS: n})

    def to_dict(self) -> dict[str, Any]:
        """The row of a response file."""
        answer = {"response": self.text} if self.answered else {"error": self.error}
        row = {"question_id": self.question_id, "model": self.model, "variant": self.variant, "sample": self.sample}
        return row | answer | dict(self.more)


def _first_words(whole: str | Callable[[], str], n: int) -> str:
    return first_words(whole() if callable(whole) else whole, n)


@dataclass(frozen=True)
class VerdictRow:
    """What one judge said of one check of one response, or how it failed."""

    question_id: str
    model: str
    variant: Variant
    sample: int
    check_id: str
    judge: str
    repeat: int
    outcome: Outcome
    check_hash: str | None = None
    response_hash: str | None = None
    place: Place = field(default=Place(), compare=False)

    @property
    def key(self) -> tuple[str, str, str, int, str, str, int]:
        """What there can be only one verdict for."""
        return (self.question_id, self.model, self.variant, self.sample, self.check_id, self.judge, self.repeat)

    def to_dict(self) -> dict[str, Any]:
        """The row of a verdict file."""
        names = ("question_id", "model", "variant", "sample", "check_id", "judge", "repeat")
        row: dict[str, Any] = dict(zip(names, self.key, strict=True))
        if isinstance(self.outcome, Failure):
            row["error"] = {"code": self.outcome.code, "message": self.outcome.message}
        else:
            row |= {"verdict": self.outcome.verdict.value, "quote": self.outcome.quote}
            row["rationale"] = self.outcome.rationale
        return row | {"check_hash": self.check_hash, "response_hash": self.response_hash, **self.outcome.more}


def read_responses(paths: Iterable[str | Path]) -> list[Response]:
    """The responses of JSONL files (``-`` is standard input), in file order.

    Their texts stay where they are, and are read again when they are looked at.

    Raises
    ------
    InputError
        A malformed row, or two rows for the same question, model, variant and sample; later, when a
        text is looked at, that the file is no longer what it was.
    """
    return _unique(_stored(paths), "response")


def read_verdicts(paths: Iterable[str | Path]) -> list[VerdictRow]:
    """The verdicts of JSONL files, in file order; malformed and repeated rows are refused."""
    return _unique(_verdicts(paths), "verdict")


def response_from_dict(row: Mapping[str, Any], place: Place = Place()) -> Response:  # noqa: B008 (immutable)
    """A response from plain data; see `Response`."""
    return _response(_Row(row, place))


def _stored(paths: Iterable[str | Path]) -> Iterator[Response]:
    for path in paths:
        lines = Lines(path)
        for number, row in lines.rows():
            response = _response(_Row(row, Place(str(path), number)))
            text = partial(_text_again, lines, number, response.hash) if response.answered else None
            yield replace(response, text=text)


def _text_again(lines: Lines, number: int, expected: str) -> str:
    place = Place(str(lines.path), number)
    with contextlib.suppress(InputError):
        response = _response(_Row(lines.row(number), place))
        if response.hash == expected and response.text is not None:
            return response.text
    _refuse(place, "the file was changed while it was in use; start again", "unreadable")


def _verdicts(paths: Iterable[str | Path]) -> Iterator[VerdictRow]:
    for path in paths:
        for line, row in json_rows(path):
            yield _verdict(_Row(row, Place(str(path), line)))


def _unique(rows: Iterator[Any], what: str) -> list[Any]:
    seen: dict[Any, Any] = {}
    for row in rows:
        first = seen.setdefault(row.key, row)
        if first is not row:
            shown = ", ".join(str(part) if len(str(part)) <= 80 else brief(part) for part in row.key)
            _refuse(row.place, f"a second {what} for ({shown}); the first is at {first.place}", "duplicate")
    return list(seen.values())


def _refuse(place: Place, message: str, code: str = "schema") -> NoReturn:
    raise InputError([Finding(code, message, file=place.file, line=place.line)])


class _Row:
    """Takes a row's fields one by one, checking each; what is not taken is kept."""

    def __init__(self, row: Mapping[str, Any], place: Place) -> None:
        self.rest = dict(row)
        self.place = place

    def text(self, name: str, *, optional: bool = False) -> Any:
        value = self.rest.pop(name, None)
        if value is None and optional:
            return None
        if not isinstance(value, str):
            wrong = self._missing(name) if value is None else f"{name!r} must be a text, not {brief(value)}"
            _refuse(self.place, wrong)
        return value

    def _missing(self, name: str) -> str:
        return f"the field {name!r} is missing{nearest(name, self.rest)}"

    def name(self, name: str) -> str:
        value = str(self.text(name))
        if not value.strip():
            _refuse(self.place, f"{name!r} must not be empty")
        return value

    def count(self, name: str) -> int:
        value = self.rest.pop(name, 0)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_COUNT:
            _refuse(self.place, f"{name!r} must be a whole number from 0 to {LARGEST_COUNT}, not {brief(value)}")
        return int(value)

    def refuse_unless_one(self, **fields: object) -> None:
        """A row holds its answer or the error in its place, never both or neither."""
        one, other = map(repr, fields)
        if sum(value is not None for value in fields.values()) != 1:
            if all(value is not None for value in fields.values()):
                _refuse(self.place, f"has both {one} and {other}; a row has one of them")
            _refuse(self.place, f"has neither {one} nor {other}; {self._instead(next(iter(fields)))}")

    def _instead(self, name: str) -> str:
        for other in _ALSO_CALLED[name]:
            if isinstance(self.rest.get(other), str):
                return f"write {name!r} in place of {other!r}"
        return f"a row has one of them{nearest(name, self.rest)}"

    def refuse_unclear_refusal(self) -> None:
        """A refusal that could be read either way would score an answer as none."""
        refusal = self.rest.get("refusal")
        unclear = refusal.strip().lower() in _NO if isinstance(refusal, str) else not isinstance(refusal, bool | None)
        if unclear:
            _refuse(self.place, f"'refusal' must be true or false, or the words of the refusal, not {brief(refusal)}")

    def refuse_unkept(self) -> None:
        """What no journal could keep: a field nested too deeply, say."""
        try:
            orjson.dumps(self.rest)
        except TypeError as error:
            _refuse(self.place, f"a field beyond the known ones cannot be kept ({error}); leave it out")

    def variant(self) -> Variant:
        value = self.text("variant")
        if value not in VARIANTS:
            near = nearest(str(value).strip().lower(), VARIANTS)
            _refuse(self.place, f"'variant' must be image or text_only, not {brief(value)}{near}")
        return cast(Variant, value)


def _response(row: _Row) -> Response:
    question_id, model, variant, sample = row.name("question_id"), row.name("model"), row.variant(), row.count("sample")
    text, error = row.text("response", optional=True), row.rest.pop("error", None)
    row.refuse_unless_one(response=text, error=error)
    row.refuse_unclear_refusal()
    row.refuse_unkept()
    # Of tens of thousands of responses, the same few names are kept once, and empty dictionaries not at all.
    names = (sys.intern(question_id), sys.intern(model), variant)
    more = dict(row.rest) if row.rest else _NOTHING
    return Response(*names, sample, text, None if error is None else str(error), more, row.place)


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def _verdict(row: _Row) -> VerdictRow:
    question_id, model, variant, sample = row.name("question_id"), row.name("model"), row.variant(), row.count("sample")
    check_id, judge, repeat = row.name("check_id"), row.name("judge"), row.count("repeat")
    check_hash, response_hash = row.text("check_hash", optional=True), row.text("response_hash", optional=True)
    outcome = _outcome(row)
    return VerdictRow(
        question_id, model, variant, sample, check_id, judge, repeat, outcome, check_hash, response_hash, row.place
    )


def _outcome(row: _Row) -> Outcome:
    verdict, error = row.text("verdict", optional=True), row.rest.pop("error", None)
    row.refuse_unless_one(verdict=verdict, error=error)
    row.refuse_unkept()
    if error is not None:
        told = error if isinstance(error, dict) else {"message": error}
        return Failure(str(told.get("code", "error")), str(told.get("message", "")), row.rest)
    if verdict not in list(VERDICTS):
        _refuse(row.place, f"the verdict {brief(verdict)} is not one of {', '.join(VERDICTS)}")
    quote, rationale = row.text("quote", optional=True), row.text("rationale", optional=True)
    return Judgement(Verdict(verdict), quote, rationale, row.rest)
