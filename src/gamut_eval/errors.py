"""Every exception the package raises on purpose.

::

    GamutError                     catch this one for all of them
    ├── InputError                 a file, a value or an option handed in is wrong
    │   ├── UnknownNameError       no judge, item type or report of that name
    │   └── MissingExtraError      a package is needed that is not installed
    ├── EndpointError              an endpoint takes no call at all: a wrong key, an unknown model
    ├── BudgetError                a budget of calls or money is used up
    └── RunError                   a run folder cannot be used as asked
        ├── RunBusyError           another process is at work in it
        ├── RunMismatchError       it belongs to another benchmark or mode
        └── JournalError           its journal is unreadable or from a newer version

A caller's mistake raises; a judge's failure does not: it is a `Failure` on record.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeVar

Severity = Literal["error", "warning", "info"]
Path = tuple[str | int, ...]
T = TypeVar("T")


class Place(NamedTuple):
    """Where a row came from; both None where it came from no file."""

    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part is not None)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or looks wrong, in a user's file.

    ``path`` leads from the document's root to the value, as keys and list positions; readers
    turn it into ``line`` and ``column`` (both from 1).
    """

    code: str
    message: str
    severity: Severity = "error"
    path: Path = ()
    file: str | None = None
    line: int | None = None
    column: int | None = None
    question_id: str | None = None

    def under(self, *prefix: str | int) -> Finding:
        """The same finding, seen from a document that holds this one at ``prefix``."""
        return replace(self, path=(*prefix, *self.path))

    @property
    def place(self) -> str:
        """``file:line:column``, as far as it is known."""
        parts = [str(part) for part in (self.file, self.line, self.column) if part is not None]
        return ":".join(parts)

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class GamutError(Exception):
    """Base of every error the package raises on purpose."""


class InputError(GamutError):
    """Something handed in is wrong. ``findings`` lists all that was found, in file order."""

    def __init__(self, problem: str | Sequence[Finding]) -> None:
        if isinstance(problem, str):
            problem = [Finding("input", problem)]
        self.findings = tuple(problem)
        super().__init__("\n".join(str(finding) for finding in self.findings))


class UnknownNameError(InputError):
    """No such name; the message lists near matches. ``kind`` says of what it is none, such as ``question``."""

    def __init__(self, what: str, name: str, known: Iterable[str], hint: str = "") -> None:
        self.kind = what
        super().__init__(f"unknown {what} {name!r}{did_you_mean(name, known, what)}{hint and f'; {hint}'}")


def pip_install(extra: str) -> str:
    """The command that installs an extra, where the package is installed and where it is a clone.

    >>> pip_install("stats")
    'pip install "gamut-eval[stats]" (in a clone: pip install ".[stats]")'
    """
    return f'pip install "gamut-eval[{extra}]" (in a clone: pip install ".[{extra}]")'


class MissingExtraError(InputError):
    """A package is needed that is not installed; the message names the command that installs it.

    ``extra`` is the extra that has it; None where it is an extra of nothing, and installed by its own name.
    """

    def __init__(self, purpose: str, package: str, extra: str | None) -> None:
        command = f'pip install "{package}"' if extra is None else pip_install(extra)
        super().__init__(f"{purpose} needs {package}, which is not installed; run: {command}")


class EndpointError(GamutError):
    """An endpoint takes no call until a setting is mended: a wrong key, an unknown model, no quota left."""


class BudgetError(GamutError):
    """A budget of calls or money is used up. What was done is kept; a larger one goes on from there."""


class RunError(GamutError):
    """A run folder cannot be used as asked."""


class RunBusyError(RunError):
    """Another living process is at work in the run folder."""


class RunMismatchError(RunError):
    """The run folder belongs to another benchmark, or was made in another mode."""


class JournalError(RunError):
    """The journal is unreadable, or was written by a newer version."""


def repeated(items: Iterable[T]) -> T | None:
    """The first item that comes a second time; None where none does."""
    seen: set[T] = set()
    return next((item for item in items if item in seen or seen.add(item)), None)  # type: ignore[func-returns-value]


def brief(value: object, most: int = 80) -> str:
    """The value as code writes it, cut to a length that a message can bear.

    >>> brief("xxxxxxxxxxxx", 6)
    "'xxxx…"
    """
    try:
        written = repr(value)
    except Exception:  # nested too deeply, of too many digits, or of a class that fails to
        return f"a {type(value).__name__} that cannot be shown"
    return written if len(written) <= most else f"{written[: most - 1]}…"


def nearest(name: str, known: Iterable[str]) -> str:
    """``" (did you mean 'x'?)"``, or nothing where none is near.

    >>> nearest("statment", ["statement", "tier"]), nearest("x", ["tier"])
    (" (did you mean 'statement'?)", '')
    """
    near = difflib.get_close_matches(name, [str(one) for one in known], n=2, cutoff=0.6)
    return f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""


def did_you_mean(name: str, known: Iterable[str], what: str = "name") -> str:
    """``" (did you mean 'x'?)"``, or the known names where none is near.

    >>> did_you_mean("statment", ["statement", "tier"])
    " (did you mean 'statement'?)"
    """
    known = [str(one) for one in known]
    if near := nearest(name, known):
        return near
    if not known:
        return f" (there is no {what} at all)"
    shown = ", ".join(sorted(known)[:12])
    return f" (known: {shown}{', …' if len(known) > 12 else ''})"
