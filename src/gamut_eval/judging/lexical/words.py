"""Words of any script, with stems and their places in the text."""

from __future__ import annotations

import re
import sys
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from snowballstemmer.english_stemmer import EnglishStemmer

from gamut_eval.judging.lexical.language import IRREGULAR, SPELLINGS, STOP_WORDS

LONGEST_STEMMED = 40
"""No English word is longer; stemming a hostile one would only cost time."""

_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
"""Scripts written without spaces, and Korean, whose particles hang on to words."""


def _marks() -> str:
    """The combining marks as a character class: `re` does not count them as parts of words."""
    points = [point for point in range(min(sys.maxunicode, 0xFFFF)) if unicodedata.category(chr(point))[0] == "M"]
    return "".join(map(re.escape, map(chr, points)))


_LETTER = rf"(?:(?![{_DENSE}])[^\W\d_]|[{_marks()}])"
_LETTERS_OR_DIGITS = rf"(?:(?![{_DENSE}])[^\W_]|[{_marks()}])"
_TOKEN = re.compile(
    rf"(?P<dense>[{_DENSE}]+)|(?P<number>\d+(?:[.,]\d+)*)|(?P<sign>°[ ]?[CFcf]\b|[%$€£¥])"
    rf"|(?P<word>{_LETTER}{_LETTERS_OR_DIGITS}*(?:['’]{_LETTER}+)*)"
)
_ASCII_TOKEN = re.compile(
    r"(?P<dense>(?!))|(?P<number>[0-9]+(?:[.,][0-9]+)*)|(?P<sign>[%$])|(?P<word>[A-Za-z][A-Za-z0-9]*(?:'[A-Za-z]+)*)"
)


class Word(NamedTuple):
    """One word.

    ``low`` is its text in lower case without accents, ``stem`` what it is compared by; ``at``
    counts places along the text, which a character of a script without spaces shares with the
    pair that it begins.
    """

    low: str
    stem: str
    start: int
    end: int
    at: int


def words_of(text: str, start: int = 0, end: int | None = None, at: int = 0) -> list[Word]:
    """The words in ``text[start:end]``, in order; places count on from ``at``.

    >>> [word.stem for word in words_of("Parboiled tomatoes, 炒饭")]
    ['parboil', 'tomato', '炒', '炒饭', '饭']
    """
    found: list[Word] = []
    pattern = _ASCII_TOKEN if text.isascii() else _TOKEN
    for match in pattern.finditer(text, start, len(text) if end is None else end):
        if match.lastgroup == "dense":
            found.extend(_characters(match[0], match.start(), at))
            at = found[-1].at + 1
            continue
        low = plain(match[0])
        found.append(Word(low, stem(low), match.start(), match.end(), at))
        at += 1
    return found


def _characters(run: str, start: int, at: int) -> Iterator[Word]:
    """Every character and every pair of neighbours."""
    shown = unicodedata.normalize("NFKC", run)
    if len(shown) != len(run):
        shown = run
    for place, character in enumerate(shown):
        here = start + place
        yield Word(character, character, here, here + 1, at + place)
        if place + 1 < len(shown):
            pair = shown[place : place + 2]
            yield Word(pair, pair, here, here + 2, at + place)


def plain(raw: str) -> str:
    """Lower case, compatibility forms and typographic apostrophes made plain, Latin letters without accents.

    >>> plain("Caffè’s")
    'caffe'
    """
    if not raw.isascii():
        raw = unicodedata.normalize("NFKC", raw).replace("’", "'").casefold()
        if "a" <= unicodedata.normalize("NFD", raw[:1])[:1] <= "z":
            raw = "".join(c for c in unicodedata.normalize("NFKD", raw) if not unicodedata.combining(c))
    return raw.lower().removesuffix("'s")


_stemmer = EnglishStemmer()
_stemmer_lock = threading.Lock()


@lru_cache(maxsize=65536)
def stem(low: str) -> str:
    """The stem of a plain word; spellings and irregular forms of one word share it.

    >>> stem("tyres") == stem("tire"), stem("ground") == stem("grinding")
    (True, True)
    """
    stemmed = _snowball(low)
    base = IRREGULAR.get(low) or IRREGULAR.get(stemmed)
    stemmed = _snowball(base) if base else stemmed
    return _same_word().get(stemmed, stemmed)


def _snowball(low: str) -> str:
    if len(low) > LONGEST_STEMMED or not low.isascii() or low[:1].isdigit():
        return low
    with _stemmer_lock:
        return str(_stemmer.stemWord(low))


@lru_cache(maxsize=1)
def _same_word() -> dict[str, str]:
    return {_snowball(british): _snowball(american) for british, american in SPELLINGS}


def is_number(word: Word) -> bool:
    """Whether it is written in digits."""
    return word.low[:1].isdigit()


def has_content(word: Word) -> bool:
    """Whether it is more than grammar."""
    return word.low not in STOP_WORDS


def is_dense(word: Word) -> bool:
    """Whether it comes from a script that is read by characters."""
    return not word.low.isascii() and re.match(f"[{_DENSE}]", word.low) is not None


def content_stems(text: str) -> frozenset[str]:
    """The stems of all words with content."""
    return frozenset(word.stem for word in words_of(text) if has_content(word))
