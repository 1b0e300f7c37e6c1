"""Reading a judge's reply: tolerant of its form, strict about its meaning.

A verdict is only ever read from the field ``verdict`` of a JSON object. Nothing is read from prose, from
a rationale, or from a word that merely resembles a verdict.
"""

from __future__ import annotations

import contextlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson
from rapidfuzz import fuzz

from gamut_eval.records import VERDICTS, Judgement, Verdict

QUOTE_NOT_FOUND = "quote_not_in_response"
AT_ODDS = "verdict_at_odds_with_rationale"
NO_QUOTE = "no_quote"
DELIMITER = "delimiter_in_response"
_NEAR_ENOUGH = 90
_LONGEST_NEAR = 1000
"""A longer piece of a quote has to stand in the response as it is: looking for near ones takes a time in its square."""
_LONGEST_TEXT = 20_000
_MOST_READ = 10_000_000
"""So many characters of a reply are read, again and again, in search of JSON; then it is given up."""
_REASONING = re.compile(r"\s*<(think|thinking|reasoning|reflection)\b[^>]*>", re.IGNORECASE)
_END_OF_REASONING = re.compile(r'(?:(?!\{\s*"|```).)*?</(?:think|thinking|reasoning)\s*>', re.DOTALL | re.IGNORECASE)
_BROKEN = re.compile(r'\{\s*"|\[\s*[{"]')
_BETWEEN = re.compile(r"[\s_\-\u2010-\u2015]+")
_DELIMITER = re.compile(r"</?(?:answer|question)-[0-9a-f]{8,}>", re.IGNORECASE)
_OPENING = re.compile(r"[{\[]")


class UnreadableReply(Exception):
    """The reply holds no verdict, or more than one. The message says why, for the model to do better."""


def read_one(text: str) -> Judgement:
    """The judgement in a reply on one check.

    Raises
    ------
    UnreadableReply
        There is not exactly one.
    """
    judgements = [_judgement(value) for value in _objects(text) if isinstance(value, dict) and "verdict" in value]
    if not judgements:
        raise UnreadableReply("the reply has no JSON object with a field 'verdict'")
    if len(judgements) > 1 and len({judgement.verdict for judgement in judgements}) > 1:
        raise UnreadableReply("the reply has several JSON objects with different verdicts")
    return judgements[-1]


def read_many(text: str, ids: Sequence[str]) -> dict[str, Judgement]:
    """The judgements in a reply on several checks, by check id; those that cannot be read are absent.

    Raises
    ------
    UnreadableReply
        There is none at all.
    """
    entries: list[Any] = []
    for value in _objects(text):
        several = value.get("checks") if isinstance(value, dict) else value
        entries += several if isinstance(several, list) else []
    read: dict[str, Judgement] = {}
    twice: set[str] = set()
    for entry in entries:
        name = entry.get("check") if isinstance(entry, dict) else None
        if isinstance(name, str) and name.strip() in ids:
            if name.strip() in read:
                twice.add(name.strip())
            try:
                read[name.strip()] = _judgement(entry)
            except UnreadableReply:
                continue
    kept = {name: judgement for name, judgement in read.items() if name not in twice}
    if not kept:
        raise UnreadableReply("the reply has no JSON object with a list 'checks' whose entries name the checks' ids")
    return kept


def _objects(text: str) -> list[Any]:
    """The outermost JSON values in a text, whatever stands around them."""
    if not (text.startswith('{"') and text.isascii()):  # nothing precedes it, nothing is hidden
        text = _without_reasoning(_visible(text))
    if text.count('"verdict"') < 2:  # else one object may have two, of which orjson would take the last
        with contextlib.suppress(orjson.JSONDecodeError):
            return [orjson.loads(text)]
    found: list[Any] = []
    at, left = 0, _MOST_READ
    while start := _OPENING.search(text, at):
        try:
            value, at = _DECODER.raw_decode(text, start.start())
            found.append(value)
        except RecursionError:
            return []
        except json.JSONDecodeError as error:
            left -= error.pos  # the error, too, is made of all that stands before
            if left < 0 or _BROKEN.match(text, start.start()):
                return []  # a whole object inside a broken one may be the response's, quoted
            at = start.end()
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if [name for name, _ in pairs].count("verdict") > 1:
        raise UnreadableReply("the reply has a JSON object with several fields 'verdict'")
    return dict(pairs)


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_object)


def _visible(text: str) -> str:
    """Without characters that cannot be seen, which would hide a word from us and not from a reader."""
    if text.isascii():
        return text
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


def _without_reasoning(text: str) -> str:
    """Without what was thought before the reply; what a reply quotes is left as it is."""
    at = 0
    while opened := _REASONING.match(text, at):
        end = re.compile(rf"</{opened[1]}\s*>", re.IGNORECASE).search(text, opened.end())
        if end is None:
            return ""
        at = end.end()
    text = text[at:]
    unopened = _END_OF_REASONING.match(text) if "</" in text else None  # some servers keep the first tag
    return text[unopened.end() :] if unopened else text


def _judgement(value: Mapping[str, Any]) -> Judgement:
    return Judgement(verdict_of(value.get("verdict")), _kept(value.get("quote")), _kept(value.get("rationale")))


def _kept(said: Any) -> str:
    """What is kept of a text: no half characters, which no file can hold, and no more than anybody reads."""
    text = said if isinstance(said, str) else ""
    text = text if text.isascii() else text.encode(errors="replace").decode()
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"


def verdict_of(word: Any) -> Verdict:
    """The verdict that a word is, in any case, with any separator; never one that it only resembles.

    Raises
    ------
    UnreadableReply
        It is none of the four.

    Examples
    --------
    >>> verdict_of(" Partially meets. ").value
    'partially_meets'
    >>> verdict_of("not_meets")
    Traceback (most recent call last):
    gamut_eval.judging.reply.UnreadableReply: the verdict 'not_meets' is not one of meets, partially_meets, ...
    """
    if isinstance(word, str) and word in _VERDICTS:
        return _VERDICTS[word]
    said = _visible(word).strip().strip(".\"'`*") if isinstance(word, str) else ""
    name = _BETWEEN.sub("_", said.casefold())
    if name in _VERDICTS:
        return _VERDICTS[name]
    shown = word if isinstance(word, str) and len(word) <= 60 else type(word).__name__
    raise UnreadableReply(f"the verdict {shown!r} is not one of {', '.join(VERDICTS)}")


_VERDICTS = {verdict.value: verdict for verdict in VERDICTS}


def flags(judgement: Judgement, response: str) -> list[str]:
    """What makes a judgement doubtful, though its verdict stands."""
    found = []
    quote = (judgement.quote or "").strip()
    if quote and not quoted(quote, response):
        found.append(QUOTE_NOT_FOUND)
    if not quote and judgement.verdict is not Verdict.MISSING:
        found.append(NO_QUOTE)
    if at_odds(judgement.verdict, judgement.rationale or ""):
        found.append(AT_ODDS)
    if _imitates_delimiters(response):
        found.append(DELIMITER)
    return found


@lru_cache(maxsize=64)  # the checks of a response come together
def _imitates_delimiters(response: str) -> bool:
    return _DELIMITER.search(response) is not None


def quoted(quote: str, response: str) -> bool:
    """Whether the words stand in the response, up to white space, dots of omission and small slips."""
    if quote in response:
        return True
    whole = _plain(response)
    pieces = [piece for piece in map(_plain, re.split(r"\.\.\.|…|\[\.\.\.\]", quote)) if piece]
    return all(piece in whole or _nearly_in(piece, whole) for piece in pieces)


def _nearly_in(piece: str, whole: str) -> bool:
    return len(piece) <= _LONGEST_NEAR and fuzz.partial_ratio(piece, whole) >= _NEAR_ENOUGH


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`\"'“”‘’]", "", _visible(text)).casefold().split())


_IT_IS = r"\b(?:criterion|check|requirement)s? (?:is|are) (?:(?:in fact|indeed|therefore|thus|clearly|fully) )*"
_SAYS_MET = re.compile(
    _IT_IS + r"(?:met|satisfied)\b|\b(?:fully|clearly) (?:meets|satisfies) the (?:check|criterion|requirement)\b"
)
_SAYS_NOT = re.compile(
    _IT_IS + r"(?:not met|unmet|not satisfied|missing)\b"
    r"|\bthe (?:answer|response) (?:does not|never|doesn't|fails to) (?:mention|state|say|address)\b(?!.*\bbut\b)"
    r"|\bverdict (?:is|should be|must be) (?:therefore )?missing\b"
)
_SAYS_CONTRADICTED = re.compile(
    r"\b(?:contradicts the (?:check|criterion|requirement)|verdict (?:is|should be) contradicts)\b"
)


def at_odds(verdict: Verdict, rationale: str) -> bool:
    """Whether a rationale says in so many words that the verdict is another one. Its verdict is not taken over."""
    said = " ".join(rationale.casefold().split())
    of_check = "check" in said or "criteri" in said or "requirement" in said
    of_verdict = "verdict" in said
    met = of_check and _SAYS_MET.search(said) is not None
    contradicted = (of_check or of_verdict) and _SAYS_CONTRADICTED.search(said) is not None
    if verdict in (Verdict.PARTIALLY_MEETS, Verdict.MISSING) and not (met or contradicted):
        return False
    of_answer = "the answer" in said or "the response" in said
    unmet = (of_check or of_verdict or of_answer) and _SAYS_NOT.search(said) is not None
    return {
        Verdict.MEETS: (unmet or contradicted) and not met,
        Verdict.PARTIALLY_MEETS: contradicted and not (met or unmet),
        Verdict.MISSING: (met or contradicted) and not unmet,
        Verdict.CONTRADICTS: met and not (unmet or contradicted),
    }[verdict]
