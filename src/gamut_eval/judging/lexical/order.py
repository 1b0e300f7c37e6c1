"""The order in which a text tells its reader to do things, where that is not the order of its words."""

from __future__ import annotations

from functools import lru_cache

from gamut_eval.judging.lexical.language import GOING_BACK, SCALES, SMALL_NUMBERS
from gamut_eval.judging.lexical.reading import KEPT_READINGS, Reading, Sentence, read
from gamut_eval.judging.lexical.words import is_number

Piece = tuple[int, int]
_GOING_BACK_WORDS = 3
_MID = frozenset("after once".split())
_NOT_MID_BEFORE = frozenset("and then but at soon shortly day".split())
_NOT_MID_AFTER = frozenset("that this which a an about few some more again wards it".split())


@lru_cache(maxsize=KEPT_READINGS)
def told_order(text: str) -> tuple[int, ...]:
    """For each word of the analysed text its rank in the order told.

    Moved are a sentence that opens with "before that" (in front of the one before it), the
    clause of "before …, do this" (behind the rest), and the clause of "do this after …" or
    "once …" (in front of the rest).

    >>> text = "Fry it. Before that, wash it."
    >>> [word.low for _, word in sorted(zip(told_order(text), read(text).words))]
    ['before', 'that', 'wash', 'it', 'fry', 'it']
    """
    reading = read(text)
    told: list[list[Piece]] = []
    for sentence in reading.sentences:
        pieces = _pieces(reading, sentence)
        told.insert(len(told) - 1 if told and _goes_back(reading, sentence) else len(told), pieces)
    ranks = [0] * len(reading.words)
    in_order = (place for pieces in told for first, last in pieces for place in range(first, last))
    for rank, place in enumerate(in_order):
        ranks[place] = rank
    return tuple(ranks)


def _goes_back(reading: Reading, sentence: Sentence) -> bool:
    words = reading.words[sentence.first : min(sentence.first + _GOING_BACK_WORDS, sentence.last)]
    return f"{' '.join(word.low for word in words)} ".startswith(tuple(f"{opening} " for opening in GOING_BACK))


def _pieces(reading: Reading, sentence: Sentence) -> list[Piece]:
    first, last = sentence.first, sentence.last
    opens = [word.low for word in reading.words[first : min(first + 2, last)]]
    if (opens[0] == "before" or opens == ["prior", "to"]) and not _goes_back(reading, sentence):
        comma = _clause_end(reading, first, last)
        return [(comma, last), (first, comma)]
    for place in range(first + 1, last - 1):
        if _is_mid(reading, place):
            begin, end = _clause_begin(reading, place, first), _clause_end(reading, place, last)
            return [(first, begin), (place, end), (begin, place), (end, last)]
    return [(first, last)]


def _is_mid(reading: Reading, place: int) -> bool:
    """Whether an "after" or "once" here, inside a clause, opens one that comes before it in time."""
    before, word, after = reading.words[place - 1 : place + 2]
    if word.low not in _MID or before.low in _NOT_MID_BEFORE or reading.text[before.end : word.start].strip():
        return False
    amount = is_number(after) or after.low in SMALL_NUMBERS or after.low in SCALES
    return not amount and (after.low not in _NOT_MID_AFTER or (word.low == "once" and after.low == "it"))


def _clause_end(reading: Reading, place: int, last: int) -> int:
    for later in range(place + 1, last):
        gap = reading.text[reading.words[later - 1].end : reading.words[later].start]
        if any(mark in gap for mark in ",;:—") or reading.words[later].low == "then":
            return later
    return last


def _clause_begin(reading: Reading, place: int, first: int) -> int:
    for earlier in range(place - 1, first, -1):
        gap = reading.text[reading.words[earlier - 1].end : reading.words[earlier].start]
        if any(mark in gap for mark in ",;:—") or reading.words[earlier].low == "then":
            return earlier
    return first
