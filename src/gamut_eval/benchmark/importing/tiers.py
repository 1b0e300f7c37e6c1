"""Tiers under the names that others give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gamut_eval.errors import InputError, did_you_mean
from gamut_eval.rubric.fields import TIERS, Tier

_NAMES = {
    Tier.ANSWER_CRITICAL: ("answercritical", "ac", "critical", "answercrit", "anscritical"),
    Tier.VALUABLE: ("valuable", "val"),
    Tier.CONTEXT: ("context", "ctx", "contextual"),
}


def normal(name: str) -> str:
    """A name by its letters and digits alone.

    >>> normal("Answer-Critical ")
    'answercritical'
    """
    return "".join(char for char in name.casefold() if char.isalnum())


class TierNames:
    """Which names mean which tier: the usual ways to write ours, and what a user adds."""

    def __init__(self, more: Mapping[str, str] | None = None) -> None:
        known = {tier.value: tier for tier in TIERS}
        self._tiers = {name: tier for tier, names in _NAMES.items() for name in names}
        for theirs, ours in (more or {}).items():
            if ours not in known:
                message = f"--tier {theirs}={ours}: no tier {ours!r}{did_you_mean(ours, known)}"
                raise InputError(message)
            self._tiers[normal(theirs)] = known[ours]

    def of(self, name: Any) -> Tier | None:
        """The tier of that name; None where it is the name of none.

        >>> TierNames().of("Answer critical"), TierNames().of("tier 1")
        (<Tier.ANSWER_CRITICAL: 'answer_critical'>, None)
        """
        if not isinstance(name, str | int) or isinstance(name, bool):
            return None
        plain = normal(str(name))
        return self._tiers.get(plain) or self._tiers.get(
            plain.removesuffix("s").removesuffix("tier").removesuffix("check")
        )
