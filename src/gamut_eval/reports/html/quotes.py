"""Finding the words that judges quoted in the text that they quoted from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

Span = tuple[int, int]


@dataclass(frozen=True)
class Segment:
    """A piece of a text, and the ids of the checks whose quotes cover all of it, in the order given."""

    text: str
    checks: tuple[str, ...] = ()


def find_quote(text: str, quote: str | None) -> Span | None:
    r"""Where the quote first stands in the text: exactly, else with any white space taken for any other.

    None where there is no quote, or the text does not hold it.

    Examples
    --------
    >>> find_quote("Fry the\nbase first.", "the base")
    (4, 12)
    """
    words = (quote or "").split()
    if quote is None or not words:
        return None
    if (start := text.find(quote)) >= 0:
        return start, start + len(quote)
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return found.span() if found else None


def mark_quotes(text: str, quotes: Iterable[tuple[str, str | None]]) -> list[Segment]:
    """The text in segments, cut wherever a quote begins or ends.

    Parameters
    ----------
    text
        What was quoted from.
    quotes
        Pairs of a check's id and its quote. An id may come several times, with the quotes of
        several judges. A quote that is not found marks nothing.

    Returns
    -------
    Segments that joined give the text again; none is empty.

    Examples
    --------
    >>> for segment in mark_quotes("Oil is hot.", [("a", "Oil is"), ("b", "is hot")]):
    ...     print(segment)
    Segment(text='Oil ', checks=('a',))
    Segment(text='is', checks=('a', 'b'))
    Segment(text=' hot', checks=('b',))
    Segment(text='.', checks=())
    """
    spans = [(span, check) for check, quote in quotes if (span := find_quote(text, quote))]
    cuts = sorted({0, len(text), *(end for span, _ in spans for end in span)})
    return [Segment(text[start:end], _covering(spans, start, end)) for start, end in pairwise(cuts)]


def _covering(spans: list[tuple[Span, str]], start: int, end: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(check for (first, last), check in spans if first <= start and end <= last))
