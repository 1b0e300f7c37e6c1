"""What an outside data set is to `gamut import`: a name, what it is asked to do, and what it could not take over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gamut_eval.errors import UnknownNameError
from gamut_eval.registry import Registry

_SHOWN = 20


@dataclass(frozen=True)
class Request:
    """What a user asks for.

    ``columns`` maps our names of fields to the file's. ``options`` are those of the source's own
    that were given.
    """

    file: str
    output: str
    columns: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


class Ledger:
    """Keeps account of what an import does not take over, so that nothing is lost silently."""

    def __init__(self) -> None:
        self._lost: dict[str, list[str]] = {}
        self._flagged: dict[str, list[str]] = {}
        self._notes: list[str] = []
        self._repeated: list[str] = []

    def lose(self, what: str, name: str) -> None:
        """Count something of the data that is left out. ``what`` is a plural: "questions without checks"."""
        self._lost.setdefault(what, []).append(name)

    def flag(self, what: str, name: str) -> None:
        """Count something that was taken over, and that somebody should look at."""
        self._flagged.setdefault(what, []).append(name)

    def repeat(self, name: str) -> None:
        """Count a row that says the same of a question as one before."""
        self._repeated.append(name)

    def note(self, message: str) -> None:
        """Something to know that is no loss."""
        self._notes.append(message)

    @property
    def anything_lost(self) -> bool:
        """Whether something of the data was left out."""
        return bool(self._lost)

    def lines(self) -> Iterator[str]:
        """A line for each kind of thing that was left out, with how many there are and the first names; the notes."""
        for done, counts in (("left out", self._lost), ("to look at", self._flagged)):
            for what, names in counts.items():
                more = ", …" if len(names) > _SHOWN else ""
                yield f"{what}: {len(names):,} {done} ({', '.join(names[:_SHOWN])}{more})"
        if n := len(self._repeated):
            yield f"rows that repeat one before: {n:,} read once (such as {self._repeated[0]})"
        yield from self._notes


@dataclass(frozen=True, kw_only=True)
class Source:
    """An outside data set, or a format of one.

    Attributes
    ----------
    summary
        A line for ``gamut import --help``.
    run
        Reads what the request names, writes what it asks for, and returns a line that says so.
    columns
        Our names that ``--column`` may give another column to.
    options
        The options of its own, as the command has them: ``split``, ``negatives`` …
    example
        Rows in its layout, which the tests import.
    extends
        Whether the output is a benchmark folder that is there already.
    """

    summary: str
    run: Callable[[Request, Ledger], str]
    columns: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    example: tuple[Mapping[str, Any], ...] = ()
    extends: bool = False


REGISTRY: Registry[Source] = Registry("source", "gamut_eval.benchmark.sources", "SOURCE")


def source_names() -> list[str]:
    """The names as users type them."""
    return [name.replace("_", "-") for name in REGISTRY.names()]


def find_source(name: str) -> Source:
    """The source of that name.

    Raises
    ------
    UnknownNameError
        With near matches.
    """
    for known in REGISTRY.names():
        if name.replace("_", "-") == known.replace("_", "-"):
            return REGISTRY.get(known)
    raise UnknownNameError("source", name, source_names())
