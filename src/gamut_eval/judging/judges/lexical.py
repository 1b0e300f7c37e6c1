"""The judge ``lexical``: verdicts from the words alone, without a model and offline.

It compares stems, numbers with units, negation and order, by the structure that a check has:

- options with a threshold: the distinct options named are counted;
- one option: it or an alias is named; denied ("does not contain X", "X is not used"), it contradicts;
- several steps: the order in which the text tells them, against the order that the check fixes;
- one step, or a statement alone: how much of its content the best sentence, or the best two neighbours, cover.
  Numbers and names weigh more, words of the question less. A turned negation, an opposite ("more" for
  "less") or another number in the same unit contradicts it.

A long word that the answer does not have is found where it is misspelt by a letter ("flaxsed"). That counts less, makes
nothing more than *partially met* alone, and contradicts nothing.

Limits: it matches words and knows neither synonyms nor meaning. A paraphrase in other words is *missing* to it, a
sentence with the right words in another sense *meets*; conclusions, hints and irony escape it. Negation, hedges, words
of order and opposites are English; other scripts are compared by words, those without spaces by characters. It is for
trying the tool, for CI, and as a floor that any judge must beat; not for measuring models.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from gamut_eval.errors import InputError
from gamut_eval.judging.judge import Ask, Judge
from gamut_eval.judging.lexical import RULES
from gamut_eval.judging.lexical.verdict import judge
from gamut_eval.records import Outcome


class Lexical(Judge):
    """The embedded judge. It never fails and never asks anyone."""

    name = "lexical"
    note = "The judge “lexical” matches words. It is for trying the tool; its scores say little about a model."

    @property
    def settings(self) -> Mapping[str, Any]:
        """The versions of its rules, of the stemmer and of the character tables."""
        return {"lexical": RULES, "snowballstemmer": version("snowballstemmer"), "unicode": unicodedata.unidata_version}

    async def judge(self, ask: Ask) -> Outcome:
        """The verdict; every one but *missing* quotes the sentence that it rests on."""
        return judge(ask.check, ask.question, ask.response.text or "")


def _make(argument: str | None) -> Sequence[Judge]:
    if argument:
        raise InputError(f"the judge 'lexical' takes no argument, not {argument!r}; write just: lexical")
    return [Lexical()]


JUDGE = _make
