"""Who is first, or last, told as a tie where it is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import TypeVar

from gamut_eval.reports.shapes import Name, Words, listed
from gamut_eval.reports.wording import said

_MOST_NAMED = 3
T = TypeVar("T")


def extreme(things: Iterable[T], value: Callable[[T], float], *, lowest: bool = False) -> list[T]:
    """Those with the highest value, or the lowest: all that a reader sees to have the same, to the digit shown."""
    every = list(things)
    best = said((min if lowest else max)(map(value, every)))
    return [thing for thing in every if said(value(thing)) == best]


def runs(things: Iterable[T], value: Callable[[T], float | None]) -> list[list[T]]:
    """Neighbours that a reader sees to have the same value, together."""
    return [list(together) for _, together in groupby(things, key=lambda thing: said(value(thing)))]


def together(models: Sequence[str], among: int, *, begins: bool = False) -> Words:
    """Models by name; by number where they are all, of several, or too many to name.

    Parameters
    ----------
    models
        Whom to name.
    among
        How many models there are.
    begins
        Whether a sentence begins here.
    """
    if len(models) == among > 1:
        everyone = "both models" if among == 2 else f"all {among:,} models"
        return (everyone.capitalize() if begins else everyone,)
    if len(models) > _MOST_NAMED:
        return (f"{len(models):,} models",)
    return listed((Name(model),) for model in models)
