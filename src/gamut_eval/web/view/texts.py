"""Looking for words in questions, answers and judges' reasons: an index of which words each question has."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from typing import Self

from gamut_eval.errors import InputError

_WORD = re.compile(r"\w[\w\u0300-\u036f]*")
"""Accents may be characters of their own: they belong to the word then, and SQLite takes them off."""
# Scripts without spaces between words: there every character is a word of its own.
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])"
)


_TABLE = (
    "CREATE VIRTUAL TABLE texts USING fts5 (words, content='', detail=none, tokenize='unicode61 remove_diacritics 2')"
)


class Texts:
    """An index in a temporary file of SQLite's, gone when it is closed; the texts themselves are not kept.

    Examples
    --------
    >>> texts = Texts()
    >>> texts.add(0, ["Fry the tomato base."])
    >>> texts.add(1, ["Steam on low heat.", "Nothing is said of tomatoes."])
    >>> sorted(texts.holding("tomato")), sorted(texts.holding("heat STEAM")), sorted(texts.holding("none such"))
    ([0, 1], [1], [])
    """

    def __init__(self) -> None:
        self.n = 0
        self._lock = threading.Lock()
        self._db = sqlite3.connect("", check_same_thread=False)
        self._db.execute("PRAGMA cache_size = -16000")
        self._db.execute("PRAGMA synchronous = OFF")
        with contextlib.suppress(sqlite3.OperationalError):  # some builds of SQLite lack it
            self._db.execute(_TABLE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, place: int, texts: Iterable[str]) -> None:
        """Index what belongs to the question at a place, all at once."""
        words = _apart("\n".join(texts))
        with self._lock, contextlib.suppress(sqlite3.Error):  # closed meanwhile, or without FTS5
            self._db.execute("INSERT INTO texts (rowid, words) VALUES (?, ?)", (place, words))
            self.n += 1

    def holding(self, words: str) -> set[int]:
        """Places of the questions that have all the words, each as the beginning of one; all case and accents alike.

        Raises
        ------
        InputError
            The SQLite that Python was built with cannot search.
        """
        query = " ".join(f'"{word}"*' for word in _words(words))
        if not query:
            return set()
        try:
            with self._lock:
                return {row[0] for row in self._db.execute("SELECT rowid FROM texts WHERE texts MATCH ?", (query,))}
        except sqlite3.OperationalError as error:
            raise InputError(f"texts cannot be searched with the SQLite of this Python ({error})") from None

    def close(self) -> None:
        """Let go of the temporary file."""
        with self._lock:
            self._db.close()


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(_apart(text)):
        yield from (part for part in word.split("_") if part)


def _apart(text: str) -> str:
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)
