"""How long an answer is, in words, and where its first words end.

One rule for every length that this package states: a word is a run of characters without white space; in scripts that
are written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan) each character is one, with the marks
and punctuation that hang on to it. A count of the latter is of characters, so it compares answers in one language only.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from gamut_eval.errors import InputError, brief

_DENSE = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
)
_DENSE += "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
_WORD = re.compile(rf"[^\w\s]*[{_DENSE}][^\w\s]*|(?:(?![{_DENSE}])\S)+")
_MOST = 1_000_000
_SPACED = re.compile(r"\S+")


def n_words(text: str) -> int:
    """How many words a text has.

    >>> n_words("Fry the base, then simmer."), n_words("加鹽。 ok")
    (5, 3)
    """
    return len(text.split()) if text.isascii() else sum(1 for _ in _WORD.finditer(text))


def checked_length(n: Any, name: str) -> int:
    """What is given as ``name``, if it is a number of words that an answer can be cut to; else an `InputError`."""
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= _MOST:
        raise InputError(f"{name} is {brief(n)}; it is a whole number of words, from 1 to {_MOST:,}")
    return n


def first_words(text: str, n: int) -> str:
    """The text up to the end of its nth word; as it is where it has no more than that.

    Examples
    --------
    >>> first_words("Fry the base, then simmer.", 3)
    'Fry the base,'
    >>> first_words("Fry. ", 3)
    'Fry. '
    """
    found = islice((_SPACED if text.isascii() else _WORD).finditer(text), n - 1, n + 1)
    last = next(found, None)
    return text if last is None or next(found, None) is None else text[: last.end()]
