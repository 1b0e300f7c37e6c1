"""Misspelt words: which words of a text can only be meant for a word that it does not have.

There is no dictionary here, and most English words have a neighbour one letter away ("contact", "contract"). So only
long words match, only by letters inside them, and not where their shape is that of ordinary words: names and foods are
what answers misspell.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import islice

from rapidfuzz.distance import OSA, Prefix
from rapidfuzz.process import extract_iter

from gamut_eval.judging.lexical.language import (
    ABSENT,
    CONFUSED,
    CONTRASTS,
    DISSUADERS,
    FAINT_WORDS,
    GENERIC_NOUNS,
    HEDGES,
    NEGATORS,
    OPPOSITES,
    ORDER_WORDS,
    SCALES,
    SMALL_NUMBERS,
    STOP_WORDS,
)
from gamut_eval.judging.lexical.quantities import UNIT_NAMES

SHORTEST = 6
"""Letters of the shorter word where a letter is doubled or not ("saffron", "safron")."""
SHORTEST_OTHER = 8
"""Letters of the shorter word where the edit is another; shorter words have too many neighbours."""
SHORTEST_TWO = 11
"""Letters of the shorter word from which two edits still leave no other word near."""
MOST_EDITS = 2
LONGEST = 40
SAME_START = 3
"""Letters at the beginning that must be the same, one more for two edits: "hypo-" is not "hyper-"."""
MOST_WORDS = 2000
"""Distinct words of a text that are looked at; no answer has more, and a hostile one should not cost more."""

_LETTERS = re.compile(rf"[a-z]{{{SHORTEST},{LONGEST}}}")
_ORDINARY = re.compile(
    r"^(?:con|com|dis|over|under|with|inter|intra)|(?:ing|ed|ion|ment|it(?:y|ie)|ly|al|ous|[ai]ve|[ai]ble|[ae]n[tc]e?|"
    r"ate|is[mt]|ia|ian|i[dnt]e|[aeo]ne|[ao]se|i[zs]e|ify|[au][rg]e|[ao]ry|ess|ful|[cprs]t|m[ae]n|wards?|[^r]ic|sis)s?$"
    r"|(?<!st)[eo]rs?$|es$"
)
"""Shapes of ordinary words, which have others near them: "contrast", "reaction", "chlorine", "spokesmen"."""
_DOUBLED_BEFORE_ENDING = re.compile(r"([b-df-hj-np-tv-z])\1(?:ed|ing|ers?)$")
"""Where one letter or two tell words apart: "scraping", "scrapping"."""
_DOUBLED = re.compile(r"(.)\1+")
_EXACT = frozenset().union(
    *(STOP_WORDS, FAINT_WORDS, GENERIC_NOUNS, NEGATORS, CONTRASTS, ABSENT, DISSUADERS, HEDGES, ORDER_WORDS),
    *(OPPOSITES, SMALL_NUMBERS, SCALES, UNIT_NAMES, (f"{name}s" for name in UNIT_NAMES)),
)
"""Words that mean something to the rules: they are what they are."""


class Vocabulary:
    """The distinct words of a text that may be misspelt ones, by their first and last letters."""

    def __init__(self, lows: Iterable[str]) -> None:
        self._words: dict[str, list[str]] = {}
        long = (low for low in dict.fromkeys(lows) if len(low) >= SHORTEST and may_differ(low))
        for low in islice(long, MOST_WORDS):
            self._words.setdefault(low[0] + low[-1], []).append(low)

    def near(self, low: str) -> Collection[str]:
        """The words that can be this one misspelt, for one that `may_differ`."""
        alike = self._words.get(low[0] + low[-1])
        if not alike:
            return ()
        close = extract_iter(low, alike, scorer=OSA.distance, score_cutoff=MOST_EDITS)
        return [word for word, _, _ in close if misspells(word, low)]


@lru_cache(maxsize=65536)
def may_differ(low: str) -> bool:
    """Whether a word may be matched by another spelling: of Latin letters alone, long, and no word of grammar."""
    return _LETTERS.fullmatch(low) is not None and low not in _EXACT


def misspells(word: str, low: str) -> bool:
    """Whether the one can only be meant for the other.

    >>> misspells("flaxsed", "flaxseed"), misspells("machiato", "macchiato"), misspells("worchester", "worcester")
    (True, True, True)
    >>> misspells("casual", "causal"), misspells("dessert", "desert"), misspells("contract", "contact")
    (False, False, False)
    """
    shorter, longer = sorted((word, low), key=lambda one: (len(one), one))
    if word[0] != low[0] or word[-1] != low[-1] or f"{shorter}/{longer}" in CONFUSED:
        return False
    edits = OSA.distance(word, low, score_cutoff=MOST_EDITS)
    if edits == 1 and len(shorter) < len(longer) and _squeezed(shorter) == _squeezed(longer):
        return _differs_by_doubling(shorter, longer)
    if len(shorter) < (SHORTEST_OTHER if edits == 1 else SHORTEST_TWO) or edits not in {1, MOST_EDITS}:
        return False
    if _ORDINARY.search(word) or _ORDINARY.search(low):
        return False
    return Prefix.similarity(word, low) >= SAME_START + edits - 1


def _squeezed(word: str) -> str:
    return _DOUBLED.sub(r"\1", word)


def _differs_by_doubling(shorter: str, longer: str) -> bool:
    """Whether the doubled letter stands where it makes no other word: not at the end, nor before an ending."""
    if longer[:-1] == shorter or _DOUBLED_BEFORE_ENDING.search(longer):
        return False
    return len(shorter) > SHORTEST or not _ORDINARY.search(shorter)
