"""Which words of a sentence are denied, or set aside as what is not meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gamut_eval.judging.lexical.language import CLAUSE_WORDS, CONTRASTS, NEGATORS, NO_DENIAL_AFTER
from gamut_eval.judging.lexical.words import Word

_CLAUSE_MARKS = frozenset(";:—()!?\n")
_ENUMERATION_REACH = 10
"""How many words ahead an "or" may close an enumeration that a negation goes on through."""

_NEW_SUBJECTS = frozenset("it they you we he she this which and so there".split())


class Denial(NamedTuple):
    """The words ``[first, last)`` that a cue denies; ``contrast`` when it only sets them aside."""

    cue: int
    first: int
    last: int
    contrast: bool


def denials(text: str, words: Sequence[Word]) -> list[Denial]:
    """The denials in one sentence, in order; a word is in at most one.

    A denial goes from its cue to the end of the clause, through an enumeration with "or".
    Two cues side by side ("not without") deny nothing.
    """
    found: list[Denial] = []
    place = 0
    while place < len(words):
        length, contrast = _cue(text, words, place)
        if not length:
            place += 1
            continue
        first = place + length
        if first < len(words) and _cue(text, words, first)[0]:
            place = first + 1
            continue
        place = last = _scope_end(text, words, first)
        if last > first:
            found.append(Denial(first - length, first, last, contrast))
    return found


def _cue(text: str, words: Sequence[Word], place: int) -> tuple[int, bool]:
    """How many words the cue at this place has (0: none is there), and whether it is a contrast."""
    low = words[place].low
    following = words[place + 1].low if place + 1 < len(words) else ""
    if low in CONTRASTS or f"{low} {following}" in CONTRASTS:
        return (1 if low in CONTRASTS else 2), True
    third = words[place + 2].low if place + 2 < len(words) else ""
    if f"{low} {following} {third}" in CONTRASTS:
        return 3, True
    if low == "free" and following == "of":
        return 2, False
    if low not in NEGATORS and not low.endswith("n't"):
        return 0, False
    if following in NO_DENIAL_AFTER and low in {"not", "no", "without"}:
        return 0, False
    answers = low == "no" and place + 1 < len(words) and "," in text[words[place].end : words[place + 1].start]
    return (0 if answers else 1), False


def _scope_end(text: str, words: Sequence[Word], first: int) -> int:
    for place in range(first, len(words)):
        gap = text[words[place - 1].end : words[place].start]
        if not _CLAUSE_MARKS.isdisjoint(gap) or ("," in gap and not _enumerates(words, place)):
            return place
        if place > first and (words[place].low in CLAUSE_WORDS or _cue(text, words, place)[0]):
            return place
    return len(words)


def _enumerates(words: Sequence[Word], place: int) -> bool:
    """Whether an "or" follows before anything that could start a clause."""
    for word in words[place : place + _ENUMERATION_REACH]:
        if word.low in {"or", "nor"}:
            return True
        if word.low in CLAUSE_WORDS or word.low in _NEW_SUBJECTS:
            return False
    return False
