"""Contrasts ("A has x, whereas B has y"), and sentences that exchange their sides."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gamut_eval.judging.lexical.reading import Reading
from gamut_eval.judging.lexical.words import content_stems

_CONTRAST = re.compile(r",? (?:whereas|while|but)\b|;|, ", re.IGNORECASE)
_STRONG_CONTRAST = re.compile(r",? (?:whereas|while|but)\b|;", re.IGNORECASE)
_CLAUSE = re.compile(r"\b(?:whereas|while|but|and)\b|[,;.!?\n]", re.IGNORECASE)
TELLING = 2
"""Words of its own that a side needs to be told from the other, and clauses it takes to exchange them."""


@dataclass(frozen=True)
class Sides:
    """The stems that only one of the two sides has."""

    one: frozenset[str]
    other: frozenset[str]

    def exchanged(self, reading: Reading, first: int, last: int) -> str | None:
        """The reason, if each of two clauses mixes words of both sides and no clause keeps to one side."""
        start, end = reading.sentences[first].start, reading.sentences[last].end
        mixed = 0
        for clause in _CLAUSE.split(reading.text[start:end]):
            stems = content_stems(clause)
            one, other = len(stems & self.one), len(stems & self.other)
            if one and other:
                mixed += 1
            elif one >= TELLING or other >= TELLING:
                return None
        return "what is said of the two sides is exchanged" if mixed >= TELLING else None


def sides(statement: str, known: frozenset[str]) -> Sides | None:
    """The two sides of a statement that is a contrast; what the question says belongs to neither."""
    pattern = _STRONG_CONTRAST if _STRONG_CONTRAST.search(statement) else _CONTRAST
    parts = pattern.split(statement)
    if len(parts) != 2:
        return None
    one, other = (content_stems(part) for part in parts)
    found = Sides(one - other, other - one)
    return found if min(len(found.one), len(found.other)) >= TELLING else None
