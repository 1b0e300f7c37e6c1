"""Statements that identify ("The drink is an espresso"), and sentences that identify something else in their place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gamut_eval.judging.lexical.language import DETERMINERS, FAINT_WORDS, GENERIC_NOUNS, STOP_WORDS
from gamut_eval.judging.lexical.reading import Reading
from gamut_eval.judging.lexical.words import Word, has_content

LONGEST_NAME = 4
"""Content words of a name; more make a description, which another description does not rule out."""
LONGEST_SUBJECT = 4
OPENING = 2
"""Sentences at the beginning of an answer, where it says what the thing is; later ones describe."""
BEGINNING = 2
"""Words that may stand before a name where a sentence, or what follows "is", begins with it."""
_COPULAS = frozenset("is are was were shows looks appears seems".split())
_NAMING = frozenset("called named known termed".split())
_BEFORE_NAME = _NAMING | DETERMINERS | {"to", "be", "like", "as"}
_POINTERS = frozenset("this that it these they".split())
_AFTER_NAME = frozenset("of in on at with from made that which who served used for by and or as to".split())


@dataclass(frozen=True)
class Identity:
    """What is identified, and as what; ``lows`` are the words of the name, ``kin`` the stems of all that is known."""

    subject: frozenset[str]
    name: frozenset[str]
    spelled: str
    lows: tuple[str, ...]
    kin: frozenset[str]

    def other(self, reading: Reading, silent: Collection[int]) -> tuple[int, str] | None:
        """The opening sentence that gives another name, if no sentence gives or begins with this one."""
        opening = [n for n in range(min(len(reading.sentences), OPENING + len(silent))) if n not in silent][:OPENING]
        if not self.name or self._is_given(reading, opening):
            return None
        for number in opening:
            sentence = reading.sentences[number]
            if name := self._named(reading, reading.words[sentence.first : sentence.last]):
                return number, f"identifies it as {name!r}, not as {self.spelled!r}"
        return None

    def _is_given(self, reading: Reading, opening: Collection[int]) -> bool:
        """Whether a word of the name stands in the opening, begins a sentence, or follows an "is"."""
        misspelt = {stem for low in self.lows for stem in reading.misspelt(low, self.kin)}
        for place in (place for stem in self.name | misspelt for place in reading.index.get(stem, ())):
            number = reading.sentence_of[place]
            first = reading.sentences[number].first
            begins = place - first <= BEGINNING
            before = reading.words[max(first, place - BEGINNING - 1) : place]
            if number in opening or begins or any(word.low in _COPULAS | _NAMING for word in before):
                return True
        return False

    def _named(self, reading: Reading, words: Sequence[Word]) -> str | None:
        place = _after_copula(reading, words, LONGEST_SUBJECT)
        if place is None or not self._points(words[:place]):
            return None
        name = _name(reading, words, place)
        heads = [w for w in name if _is_own(w) and w.stem not in self.subject]
        return reading.text[heads[0].start : heads[-1].end] if heads else None

    def _points(self, before: Sequence[Word]) -> bool:
        """Whether what stands before the name speaks of the check's subject."""
        content = [word for word in before if _is_own(word)]
        return before[0].low in _POINTERS | {"the"} and all(word.stem in self.subject for word in content)


def _is_own(word: Word) -> bool:
    return has_content(word) and word.low not in GENERIC_NOUNS and word.low not in FAINT_WORDS


def identity(reading: Reading, known: Collection[str]) -> Identity | None:
    """The identification that the statement makes, if that is all it does.

    Its subject must be a word of the question or a general noun, its name short, affirmed,
    without numbers, and introduced by an article or by "called".
    """
    words = reading.words
    place = _after_copula(reading, words, LONGEST_SUBJECT + 2)
    if place is None or len(reading.sentences) != 1 or any(reading.denial_of) or reading.quantities:
        return None
    subject = [word for word in words[:place] if has_content(word) and word.low not in _COPULAS | _NAMING]
    name = [word for word in words[place:] if has_content(word)]
    introduced = words[place - 1].low in DETERMINERS | _NAMING or words[place].low in DETERMINERS
    short = bool(subject) and 0 < len(name) <= LONGEST_NAME and not any(w.low in _AFTER_NAME for w in words[place:])
    asked = any(word.stem in known or word.low in GENERIC_NOUNS for word in subject)
    general = len(subject) == 1 and subject[0].low in GENERIC_NOUNS
    if not (short and asked and (introduced or general)):
        return None
    spelled = reading.text[name[0].start : name[-1].end]
    own = frozenset(w.stem for w in name) - set(known)
    lows = tuple(w.low for w in name if w.stem in own)
    return Identity(frozenset(w.stem for w in subject), own, spelled, lows, frozenset(known).union(reading.index))


def _after_copula(reading: Reading, words: Sequence[Word], reach: int) -> int | None:
    """The place after "is", "is called", "looks like a": where a name may begin."""
    for place, word in enumerate(words[: reach + 1]):
        contracted = reading.text[word.start : word.end].casefold().endswith(("'s", "’s")) and word.low in _POINTERS
        if word.low in _COPULAS or contracted:
            after = (p for p in range(place + 1, len(words)) if words[p].low not in _BEFORE_NAME)
            return next(after, None)
    return None


def _name(reading: Reading, words: Sequence[Word], place: int) -> list[Word]:
    """The words of the name that begins here."""
    name: list[Word] = []
    for word in words[place:]:
        gap = reading.text[name[-1].end : word.start] if name else " "
        if word.low in _AFTER_NAME or word.low in STOP_WORDS - DETERMINERS or gap.strip(" *_\"'"):
            break
        name.append(word)
    return name
