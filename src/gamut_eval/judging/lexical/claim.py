"""A statement as what has to be found of it: weighted words and quantities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gamut_eval.judging.lexical.language import (
    COMPARING_WORDS,
    FAINT_WORDS,
    GENERIC_NOUNS,
    OPPOSITES,
    STOP_WORDS,
)
from gamut_eval.judging.lexical.quantities import Quantity, agree
from gamut_eval.judging.lexical.reading import DENIED, SET_ASIDE, Reading
from gamut_eval.judging.lexical.words import Word, has_content, is_dense, stem

WEIGHT = 1.0
WEIGHT_NUMBER = 2.0
"""A number is what such a statement is about."""
WEIGHT_NAME = 1.5
"""A proper name, or a word with a digit in it, is rarely said another way."""
WEIGHT_VERB = 2.0
"""The verb of an instruction says what is to be done; the rest, with what."""
WEIGHT_SHARED = 0.5
"""A word of several steps tells them apart less."""
WEIGHT_KNOWN = 0.25
"""A word of the question, or of what the check itself gives away, states nothing new."""
WEIGHT_FAINT = 0.25
BESIDE = 3
"""Words to each side within which two words have to do with each other."""
WEIGHT_COMPARING = 0.5
"""More, before, up: they matter by their opposite."""

_RELATES = re.compile(r"Says how .*? relate: ", re.DOTALL)
_TELLS = re.compile(
    r"(?:the (?:response|answer) )?(?:should |must )?(?:states?|mentions?|says?|notes?|explains?|describes?|"
    r"identif(?:y|ies)|names?|includes?|gives?|points? out)(?: that)? ",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Term:
    """A word to be found.

    ``stands`` is how the claim has it, in the bits of `Reading.places`; ``new`` says whether the
    question left it open; ``opposite`` is the stem that cannot stand in its place; ``also`` are
    stems that can ("wash or scrub"), ``beside`` the content around it.
    """

    stem: str
    low: str
    shown: str
    weight: float
    new: bool
    stands: int
    opposite: str | None = None
    also: tuple[str, ...] = ()
    beside: frozenset[str] = frozenset()

    @property
    def agrees_with(self) -> int:
        """How it may stand in a text that says the same; what is denied there may be set aside here."""
        aside = DENIED | SET_ASIDE
        return self.stands | (aside if self.stands & aside else 0)


@dataclass(frozen=True)
class Claim:
    """What has to be found of a statement; ``kin`` are the stems of all that its check and question say."""

    text: str
    terms: tuple[Term, ...]
    quantities: tuple[tuple[Quantity, str], ...]
    hedged: bool
    denies: bool
    kin: frozenset[str] = frozenset()

    @cached_property
    def weight(self) -> float:
        """The weight of all terms and quantities; 0 for a statement without content."""
        return sum(term.weight for term in self.terms) + WEIGHT_NUMBER * len(self.quantities)

    @cached_property
    def new_weight(self) -> float:
        """The weight of what the question does not say already."""
        return sum(term.weight for term in self.terms if term.new) + WEIGHT_NUMBER * len(self.quantities)

    @property
    def size(self) -> int:
        """How many things there are to be found."""
        return len(self.terms) + len(self.quantities)


def statement_in(text: str) -> str:
    """The statement of a check's text, without what introduces it.

    >>> statement_in("Says how tea and coffee relate: Tea has less caffeine.")
    'Tea has less caffeine.'
    >>> statement_in("Mentions that the crema is golden.")
    'the crema is golden.'
    """
    for introduction in (_RELATES, _TELLS):
        if (match := introduction.match(text)) and text[match.end() :].strip():
            return text[match.end() :]
    return text


def claim(
    text: str, known: Iterable[str], shared: Iterable[str] = (), *, kin: Iterable[str] = (), led: bool = False
) -> Claim:
    """The statement's words and quantities.

    Parameters
    ----------
    text
        The statement.
    known
        Stems that state nothing new.
    shared
        Stems that tell less, because other statements beside this one have them too.
    kin
        Stems of those other statements, which are no misspellings of this one's.
    led
        It is an instruction, whose first word is its verb.
    """
    reading = Reading(text)
    counted = {place for _, q in reading.quantities for place in range(q.first, q.last)}
    words = [(place, word) for place, word in enumerate(reading.words) if place not in counted]
    known = frozenset(known)
    weigh = _weigher(reading, known, frozenset(shared))
    terms = tuple(_terms(reading, _chosen(words), weigh))
    if led and terms and terms[0].weight == WEIGHT:
        terms = (replace(terms[0], weight=WEIGHT_VERB), *terms[1:])
    hedged = any(sentence.hedged for sentence in reading.sentences)
    kin = known.union(reading.index, kin)
    return Claim(text, terms, tuple(_quantities(reading)), hedged, any(reading.denial_of), kin)


def _quantities(reading: Reading) -> Iterator[tuple[Quantity, str]]:
    """The quantities as written; what repeats one in parentheses in another unit is left out."""
    before: Quantity | None = None
    for _, quantity in reading.quantities:
        start, end = reading.words[quantity.first].start, reading.words[quantity.last - 1].end
        if before and agree(before, quantity) and reading.text[max(0, start - 1) : start] == "(":
            continue
        yield quantity, reading.text[start:end]
        before = quantity


def _chosen(words: Sequence[tuple[int, Word]]) -> list[tuple[int, Word]]:
    """The words with content, or all where none has any; of unspaced scripts the pairs."""
    paired = {word.start for _, word in words if is_dense(word) and len(word.low) > 1}
    paired |= {word.end - 1 for _, word in words if is_dense(word) and len(word.low) > 1}
    kept = [(p, w) for p, w in words if not (is_dense(w) and len(w.low) == 1 and w.start in paired)]
    content = [(place, word) for place, word in kept if has_content(word)]
    comparing = [(place, word) for place, word in kept if word.low in COMPARING_WORDS and word.low in OPPOSITES]
    return sorted([*content, *comparing]) if content else kept


def _weigher(reading: Reading, known: frozenset[str], shared: frozenset[str]) -> Callable[[int, Word], float]:
    firsts = {sentence.first for sentence in reading.sentences}

    def weigh(place: int, word: Word) -> float:
        if word.stem in known or word.low in GENERIC_NOUNS:
            return WEIGHT_KNOWN
        if word.low in FAINT_WORDS or word.stem in _faint_stems:
            return WEIGHT_FAINT
        if word.low in STOP_WORDS:
            return WEIGHT_COMPARING
        raw = reading.text[word.start : word.end]
        name = (raw[0].isupper() and place not in firsts) or any(c.isdigit() for c in raw)
        return WEIGHT_SHARED if word.stem in shared else WEIGHT_NAME if name else WEIGHT

    return weigh


_faint_stems = frozenset(stem(word) for word in FAINT_WORDS)


def _terms(reading: Reading, words: Iterable[tuple[int, Word]], weigh: Callable[[int, Word], float]) -> Iterator[Term]:
    found: dict[str, Term] = {}
    for place, word in words:
        stands, weight = reading.stands(place), weigh(place, word)
        first = _alternative_to(reading, place)
        if first in found:
            found[first] = replace(found[first], also=(*found[first].also, word.stem))
            continue
        if word.stem in found:
            stands |= found[word.stem].stands
            weight = max(weight, found[word.stem].weight)
        shown = reading.text[word.start : word.end]
        opposite = OPPOSITES.get(word.low)
        new = weight > max(WEIGHT_KNOWN, WEIGHT_FAINT)
        found[word.stem] = Term(
            word.stem,
            word.low,
            shown,
            weight,
            new,
            stands,
            opposite=stem(opposite) if opposite else None,
            beside=_beside(reading, place) if opposite else frozenset(),
        )
    for term in found.values():
        yield replace(term, opposite=None) if term.opposite in found else term


def _beside(reading: Reading, place: int) -> frozenset[str]:
    near = reading.words[max(0, place - BESIDE) : place + BESIDE + 1]
    return frozenset(word.stem for word in near if has_content(word) and word.at != reading.words[place].at)


def _alternative_to(reading: Reading, place: int) -> str:
    """The stem of X for a Y in "X or Y"."""
    is_second = place > 1 and reading.words[place - 1].low == "or"
    return reading.words[place - 2].stem if is_second else ""
