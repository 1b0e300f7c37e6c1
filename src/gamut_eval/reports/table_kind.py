"""What a kind of table is: a file in ``tables/``, shown by `gamut compare` in every format, and by the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gamut_eval.analysis.source import Source
from gamut_eval.registry import Registry
from gamut_eval.reports.shapes import Table


@dataclass(frozen=True)
class Wanted:
    """What may be chosen of tables.

    ``by``: what scores are broken down by. ``words``: the length that answers are cut to, in words; None for one that
    all models reach. ``most``: how many rows a list has at most.
    """

    by: tuple[str, ...] = ()
    words: int | None = None
    most: int = 20


@dataclass(frozen=True)
class Tabulated:
    """Tables with what they say in one line, and the same as plain data: fractions, and None where undefined."""

    tables: tuple[Table, ...]
    data: Any


@dataclass(frozen=True)
class TableKind:
    """What a file in ``tables/`` has as ``TABLE``.

    ``summary`` is one line of help. ``build`` gives None where the source has nothing for it; ``needs`` says what there
    has to be, and what makes it. ``unasked`` says whether it is shown without being asked for, where there is anything.
    """

    order: int
    summary: str
    build: Callable[[Source, Wanted], Tabulated | None]
    unasked: bool = False
    needs: str = "answers and verdicts"


INCOMPLETE_TOO = "(one with an incomplete question has no score without --allow-incomplete)"
"""Said where a table needs scores."""

REGISTRY: Registry[TableKind] = Registry("table", "gamut_eval.reports.tables", "TABLE")
