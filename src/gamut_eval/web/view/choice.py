"""What a page is to show: all of it stands in the page's address."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, Self
from urllib.parse import urlencode

from gamut_eval.errors import InputError, UnknownNameError
from gamut_eval.records import LARGEST_COUNT, VERDICTS
from gamut_eval.rubric.fields import TIERS

STATES = {
    "unmet": "a check that no model met",
    "doubtful": "doubtful verdict",
    "failed": "judge or model failed",
    "incomplete": "incomplete",
}
"""What a question may be chosen for beside its verdicts."""
SORTS = {
    "place": "benchmark’s order",
    "score": "mean score",
    "spread": "spread between models",
    "disagreement": "disagreement of judges",
    "missing": "missing checks",
    "contradicts": "contradicted checks",
    "matches": "checks that match",
}
"""What questions may be sorted by."""
_FEWEST_FIRST = ("place", "score")


class Params(Protocol):
    """Parameters of an address, of which one may come several times."""

    def getlist(self, key: Any) -> Sequence[Any]:
        """All values of a parameter."""


@dataclass(frozen=True)
class Choice:
    """The parameters of a page; None, empty or 0 is what was not asked for.

    ``model`` are those whose verdicts and scores a filter is about, ``models`` those whose answers are shown. ``low``
    and ``high`` are percentages. ``sort`` is one of `SORTS`, with ``-`` before it the other way round.
    """

    q: str = ""
    domain: str | None = None
    variant: str | None = None
    judge: str | None = None
    model: tuple[str, ...] = ()
    verdict: str | None = None
    tier: str | None = None
    kind: str | None = None
    state: str | None = None
    low: float | None = None
    high: float | None = None
    sort: str = "place"
    page: int = 1
    models: tuple[str, ...] = ()
    sample: int = 0

    @classmethod
    def parsed(cls, params: Params, known: Mapping[str, Iterable[str]]) -> Self:
        """The choice that an address makes.

        Parameters
        ----------
        params
            Its parameters. An empty one counts as absent, and one that is not known here is left alone.
        known
            The names there are of ``domain``, ``variant``, ``judge``, ``model`` and ``kind``.

        Raises
        ------
        InputError
            A name is not known, or a number is none.
        """
        given = {field.name: [value for value in params.getlist(field.name) if value] for field in fields(cls)}
        names = dict(known) | {
            "verdict": list(VERDICTS),
            "tier": list(TIERS),
            "state": STATES,
            "models": known["model"],
        }
        chosen: dict[str, Any] = {
            name: _named(name, values, names[name]) for name, values in given.items() if values and name in names
        }
        numbers = {"low": _percentage, "high": _percentage, "page": _count, "sample": _count}
        chosen |= {name: read(name, given[name][0]) for name, read in numbers.items() if given[name]}
        if given["sort"]:
            _named("sort", [given["sort"][0].removeprefix("-")], SORTS)
            chosen["sort"] = given["sort"][0]
        if given["q"]:
            chosen["q"] = given["q"][0].strip()
        return cls(**chosen)

    def but(self, **changes: Any) -> Self:
        """The same with changes, on the first page unless another one is named."""
        return replace(self, **{"page": 1} | changes)

    @property
    def filtered(self) -> Self:
        """Only what chooses questions and their order."""
        return replace(self, page=1, models=(), sample=0)

    @property
    def lens(self) -> Self:
        """Only by which scores one looks: the variant and the judge."""
        return type(self)(variant=self.variant, judge=self.judge)

    @property
    def carried(self) -> list[tuple[str, str]]:
        """The parameters that choose questions, without the lens, for a form that changes what is shown of one."""
        return replace(self.filtered, variant=None, judge=None).parameters

    @property
    def filters(self) -> bool:
        """Whether it leaves any question out."""
        return replace(self.filtered, variant=None, judge=None, sort="place") != type(self)()

    @property
    def query(self) -> str:
        """It as the part of an address that begins with ``?``; nothing where nothing was asked for.

        >>> Choice(q="two words", model=("a/b",), low=-5.0).query
        '?q=two+words&model=a%2Fb&low=-5'
        """
        return f"?{urlencode(self.parameters)}" if self.parameters else ""

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """What was asked for, as names and values of parameters."""
        parts: list[tuple[str, str]] = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                values = value if isinstance(value, tuple) else (value,)
                parts += [(field.name, f"{one:g}" if isinstance(one, float) else str(one)) for one in values]
        return parts

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """What to sort by, and whether the largest come first."""
        name = self.sort.removeprefix("-")
        return name, (name in _FEWEST_FIRST) == self.sort.startswith("-")

    def sorting(self, name: str) -> Self:
        """The choice after a click on a column's head: by it, or the other way round where it already is."""
        return self.but(sort=f"-{name}" if self.sort == name else name)


def _named(name: str, values: Sequence[str], known: Iterable[str]) -> Any:
    known = [str(one) for one in known]
    for value in values:
        if value not in known:
            raise UnknownNameError(name, value, known)
    several = name in ("model", "models")
    return tuple(dict.fromkeys(values)) if several else values[0]


def _percentage(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not -100 <= value <= 100:
        raise InputError(f"{name}={text}: not a score from -100 to 100")
    return value


def _count(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= LARGEST_COUNT):
        raise InputError(f"{name}={text}: not a count")
    return max(int(text), 1) if name == "page" else int(text)
