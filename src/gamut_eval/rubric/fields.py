"""The kinds of value that rubric files are made of, and the strictness they share."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Strict, StrictStr, StringConstraints

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
SLUG_LENGTH = 60


class Tier(StrEnum):
    """How much an item matters, most first (paper, "The two levels")."""

    ANSWER_CRITICAL = "answer_critical"
    VALUABLE = "valuable"
    CONTEXT = "context"

    @property
    def one_lower(self) -> Tier | None:
        """One tier lower; None below Context, where nothing is graded.

        >>> Tier.ANSWER_CRITICAL.one_lower
        <Tier.VALUABLE: 'valuable'>
        """
        return _LOWER[self]


TIERS: tuple[Tier, ...] = tuple(Tier)
_LOWER = dict(zip(TIERS, [*TIERS[1:], None], strict=True))


def _printable(text: str) -> str:
    if found := _CONTROL.search(text):
        raise ValueError(f"holds the control character U+{ord(found.group()):04X}; remove it")
    return text


def _day(value: Any) -> Any:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError(f"{value!r} is not a date; write it as 2026-11-30") from None


Text = Annotated[StrictStr, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_printable)]
Id = Annotated[StrictStr, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=200)]
Day = Annotated[date, Strict(), BeforeValidator(_day)]


class Model(BaseModel):
    """A piece of a user's file: unknown fields are errors, numbers are finite, nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def slug(text: str) -> str:
    """The id that a text gives itself: NFKC, casefolded, other than letters and digits to ``-``.

    Empty where the text has no letter or digit. At most 60 characters, in any script.

    >>> slug("Scotch bonnet (red)")
    'scotch-bonnet-red'
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    parts = "".join(char if _in_word(char) else " " for char in folded).split()
    return "-".join(parts)[:SLUG_LENGTH].strip("-")


def _in_word(char: str) -> bool:
    # Marks belong to the letters of many scripts (Devanagari vowels, say) and stay with them.
    return unicodedata.category(char)[0] in "LNM"
