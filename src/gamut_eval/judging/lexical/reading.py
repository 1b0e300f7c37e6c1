"""A text, analysed once: its words, sentences, denials and quantities, indexed by stem."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from gamut_eval.judging.lexical.language import DISSUADERS, HEDGE_PAIRS, HEDGES, ORDER_WORDS
from gamut_eval.judging.lexical.polarity import Denial, denials
from gamut_eval.judging.lexical.quantities import Quantity, quantities
from gamut_eval.judging.lexical.sentences import Marker, Span, spans
from gamut_eval.judging.lexical.spelling import Vocabulary, may_differ
from gamut_eval.judging.lexical.words import Word, content_stems, has_content, stem, words_of

LONGEST_SENTENCE = 80
"""Words after which a sentence is cut: no one writes longer ones, and a quote should show its point."""
LONGEST_QUOTE = 600
"""Characters of a quote; its beginning is kept."""
AFFIRMED, DENIED, SET_ASIDE = 1, 2, 4
"""Bits: how a word stands in a sentence; several when it stands there in several ways."""
KEPT_READINGS = 16
"""Responses kept analysed; a run judges all checks of one response together, several at a time."""
ECHO_SHARE = 0.6
"""Share of the question's words from which a sentence with no others repeats it."""
ECHO_WORDS = 3
"""Words from which a sentence that stands in the question repeats it; shorter may be the answer to "A or B?"."""
_INTERROGATIVES = frozenset("what which who whom whose when where why how".split())


class Sentence(NamedTuple):
    """A sentence: characters ``[start, end)``, words ``[first, last)`` of the text."""

    start: int
    end: int
    first: int
    last: int
    marker: Marker
    asks: bool
    opens: bool
    hedged: bool
    dissuades: bool
    orders: bool


class Reading:
    """What the rules look things up in. Nothing changes it once it is made."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: list[Word] = []
        self.sentences: list[Sentence] = []
        self.sentence_of: list[int] = []
        self.denial_of: list[Denial | None] = []
        self.quantities: list[tuple[int, Quantity]] = []
        self.index: dict[str, list[int]] = {}
        self.places: dict[str, dict[int, int]] = {}
        self.joined: dict[str, dict[int, int]] = {}
        for span in spans(text):
            at = self.words[-1].at + 1 if self.words else 0
            words = words_of(text, span.start, span.end, at)
            for first in range(0, len(words), LONGEST_SENTENCE):
                self._add(words[first : first + LONGEST_SENTENCE], span)

    def _add(self, words: Sequence[Word], span: Span) -> None:
        """One sentence, or a piece of one that is too long."""
        first, number = len(self.words), len(self.sentences)
        self.sentences.append(_sentence(words, span, first))
        self.words.extend(words)
        self.sentence_of.extend([number] * len(words))
        self._mark_denials(words, first)
        self.quantities.extend(
            (number, q._replace(first=first + q.first, last=first + q.last)) for q in quantities(self.text, words)
        )
        self._index(words, first, number)

    def _mark_denials(self, words: Sequence[Word], first: int) -> None:
        self.denial_of.extend([None] * len(words))
        for cue, begin, last, contrast in denials(self.text, words):
            denial = Denial(first + cue, first + begin, first + last, contrast)
            self.denial_of[denial.first : denial.last] = [denial] * (last - begin)

    def _index(self, words: Sequence[Word], first: int, number: int) -> None:
        before = ""
        for place, word in enumerate(words, first):
            bit = self.stands(place)
            self.index.setdefault(word.stem, []).append(place)
            here = self.places.setdefault(word.stem, {})
            here[number] = here.get(number, 0) | bit
            if before:
                here = self.joined.setdefault(before + word.low, {})
                here[number] = here.get(number, 0) | bit
            before = word.low if len(word.low) <= LONGEST_SENTENCE else ""

    def stands(self, place: int) -> int:
        """Whether the word there is affirmed, denied or set aside."""
        denial = self.denial_of[place]
        return AFFIRMED if denial is None else SET_ASIDE if denial.contrast else DENIED

    def quote(self, first: int, last: int | None = None) -> str:
        """The text of a sentence, or from one to another."""
        start, end = self.sentences[first].start, self.sentences[first if last is None else last].end
        return self.text[start : min(end, start + LONGEST_QUOTE)].rstrip()

    def speaks_near(self, stem: str, number: int) -> bool:
        """Whether a word stands in that sentence, the one before it, or the line that leads in to its list."""
        places = self.places.get(stem, {})
        return any(near in places for near in (number, number - 1, self.lead_ins[number]))

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(word.low for word in self.words)

    def misspelt(self, low: str, kin: Collection[str]) -> list[str]:
        """The stems of words that must be this one misspelt; for a word that the text does not have.

        ``kin`` are the stems of what else the check says: such a word is meant as it is written.
        """
        if not may_differ(low):
            return []
        alike = self._vocabulary.near(low)
        return [found for near in alike if (found := stem(near)) not in kin] if alike else []

    @cached_property
    def lead_ins(self) -> list[int]:
        """For each sentence the latest one up to it that stands on no list line."""
        found, latest = [], 0
        for number, sentence in enumerate(self.sentences):
            latest = number if not sentence.marker else latest
            found.append(latest)
        return found

    def content(self, sentence: Sentence) -> list[str]:
        """The stems of its words with content."""
        return [word.stem for word in self.words[sentence.first : sentence.last] if has_content(word)]


def _sentence(words: Sequence[Word], span: Span, first: int) -> Sentence:
    """The sentence of these words, the first of which is the text's word number ``first``."""
    cut = len(words) == LONGEST_SENTENCE or words[0].start - span.start > LONGEST_QUOTE
    lows = [word.low for word in words]
    known = frozenset(lows)
    return Sentence(
        start=words[0].start if cut else span.start,
        end=words[-1].end if cut else span.end,
        first=first,
        last=first + len(words),
        marker=span.marker,
        asks=span.asks,
        opens=span.opens,
        hedged=not HEDGES.isdisjoint(known) or not HEDGE_PAIRS.isdisjoint(map(" ".join, pairwise(lows))),
        dissuades=not DISSUADERS.isdisjoint(known),
        orders=not ORDER_WORDS.isdisjoint(known),
    )


@lru_cache(maxsize=KEPT_READINGS)
def read(text: str) -> Reading:
    """The analysed text; the latest few are kept."""
    return Reading(text)


@lru_cache(maxsize=4 * KEPT_READINGS)
def silent_sentences(text: str, question: str) -> frozenset[int]:
    """The sentences that state nothing: questions, and what only repeats the question that was asked.

    Such are a piece of the question word by word, words of the question after "what" or "how",
    and no other words than most of the question's.
    """
    reading, asked = read(text), content_stems(question)
    spelled = f" {' '.join(word.stem for word in words_of(question))} "
    return frozenset(
        number
        for number, sentence in enumerate(reading.sentences)
        if sentence.asks or _echoes(reading, sentence, asked, spelled)
    )


def _echoes(reading: Reading, sentence: Sentence, asked: frozenset[str], spelled: str) -> bool:
    content = set(reading.content(sentence))
    if not content:
        return True
    if not content <= asked:
        return False
    words = reading.words[sentence.first : sentence.last]
    repeats = len(words) >= ECHO_WORDS and f" {' '.join(word.stem for word in words)} " in spelled
    return repeats or words[0].low in _INTERROGATIVES or len(content) >= ECHO_SHARE * len(asked)
