"""When two texts say the same: exact about numbers and negation, deaf to articles and endings."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import snowballstemmer
from rapidfuzz.distance import OSA, Indel

from gamut_eval.benchmark.lint.english import without_frame

# Scripts that are written without spaces are compared character by character; signs that make
# another thing of the same letters (C and C++, -5 and 5, > and <, $ and €) are kept.
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|(?<!\w)[-\u2212]?\d+(?:[.,]\d+)*|[^\W_]+(?:[.,]\d+)*[+#]*|[<>≤≥%$€£¥]"
)
_APOSTROPHES = str.maketrans("", "", "'’")
_LEAST_ALIKE = 0.9
_DROPPED = frozenset(
    """
    a an the of in on at to for with by from as is are was were be been being and also that which this these it its
    usually typically often generally commonly normally mostly about approximately roughly
    """.split()
)
_TURNING = frozenset(
    """
    not no never neither nor none without non cannot cant isnt arent doesnt dont lack lacks only except unless less more
    before after rarely seldom too least most un anti under over unlike instead first last second
    """.split()
)
"""Words that make another fact of the same words."""


@lru_cache(maxsize=1)
def _stemmer() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word)) if word.isascii() else word


@lru_cache(maxsize=16384)
def content(text: str) -> tuple[str, ...]:
    """The words of a text that carry its meaning, stemmed, in order.

    >>> content("The answer should mention that cats get hepatitis.")
    ('mention', 'cat', 'get', 'hepat')
    """
    plain = unicodedata.normalize("NFKC", without_frame(text)).translate(_APOSTROPHES)
    words = _TOKEN.findall(plain)
    return tuple(_stem(word.casefold()) for place, word in enumerate(words) if _carries(word, place))


def _carries(word: str, place: int) -> bool:
    label = len(word) == 1 and word.isupper() and place > 0  # hepatitis A, vitamin A
    return label or word.casefold() not in _DROPPED


def say_the_same(one: str, other: str) -> bool:
    """Whether two statements are one fact in nearly the same words.

    At most one of them may hold words that the other lacks, few, and none that turns the meaning
    or is a number or a single letter: two facts that differ in one word each are two facts.

    >>> say_the_same("Tabby is a pattern of the cat's coat.", "Tabby is the pattern of a cat's coat.")
    True
    >>> say_the_same("Fusarium wilt harms tomatoes.", "Verticillium wilt harms tomatoes.")
    False
    """
    a, b = content(one), content(other)
    if not a or not b:
        return False
    more, less = set(a) - set(b), set(b) - set(a)
    if more and less:
        pairs = {(x, y) for x, y in zip(a, b, strict=False) if x != y}
        return len(a) == len(b) and len(pairs) == 1 and same_word(*pairs.pop())
    if Indel.normalized_similarity(a, b, score_cutoff=_LEAST_ALIKE) < _LEAST_ALIKE:
        return False
    # Words that changed places can exchange cause and effect, so the rest must be in the same order.
    in_order = Indel.distance(a, b) == abs(len(a) - len(b))
    return in_order and not any(map(_turns, more | less))


def _turns(word: str) -> bool:
    return word in _TURNING or len(word) == 1 or any(map(str.isdigit, word))


def same_word(one: str, other: str) -> bool:
    """Whether two words differ by a slip of the pen only: letters exchanged, or one letter doubled.

    Any other difference can make another word: nitrite and nitrate are two things.

    >>> same_word("mozarella", "mozzarella"), same_word("nitrite", "nitrate")
    (True, False)
    """
    if min(len(one), len(other)) < 5 or OSA.distance(one, other, score_cutoff=1) != 1:
        return False
    if len(one) == len(other):
        return sorted(one) == sorted(other)
    return re.sub(r"(.)\1", r"\1", one) == re.sub(r"(.)\1", r"\1", other)


@lru_cache(maxsize=16384)
def name_key(name: str) -> str:
    """What a name comes down to: no case, spaces, punctuation, article or plural.

    >>> name_key("The blossom-end rots") == name_key("blossom end rot")
    True
    """
    folded = unicodedata.normalize("NFKC", name).casefold().translate(_APOSTROPHES)
    words = _TOKEN.findall(folded)
    if len(words) > 1 and words[0] in ("a", "an", "the"):
        words = words[1:]
    return "".join(map(_singular, words))


def _singular(word: str) -> str:
    if len(word) < 4 or not word.isascii() or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("ches", "shes", "xes", "atoes", "sses")) else word[:-1]
