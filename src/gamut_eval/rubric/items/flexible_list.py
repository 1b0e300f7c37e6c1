"""Flexible list: enough of a pool is needed, no single member is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, StrictInt

from gamut_eval.errors import Finding
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import Tier
from gamut_eval.rubric.item import Compiling, ListItem, cited_evidence, options_text

GUIDANCE = (
    "Count the different members that the response names in this role, in any words. "
    "Met at the number asked for, partially met from half of it on, otherwise missing. "
    "Naming something that is not in the list is no contradiction."
)


class FlexibleList(ListItem):
    """A pool of options and a minimum coverage.

    Compiles to a baseline coverage check at the list's tier, and one tier lower to one check an
    option or, from ``long_list`` options on, to a check of higher coverage.
    """

    type: Literal["flexible_list"]
    min_coverage: Annotated[StrictInt, Field(ge=1)]

    def compile(self, to: Compiling) -> Iterator[Check]:
        lower = self.tier.one_lower
        long = len(self.options) >= to.long_list
        parts = () if long or lower is None else tuple(self.option_checks(to, lower))
        yield self._coverage(to, self.min_coverage, self.tier, tuple(part.id for part in parts))
        yield from parts
        more = min(2 * self.min_coverage, len(self.options) - 1)
        if long and lower is not None and more > self.min_coverage:
            yield self._coverage(to, more, lower)

    def _coverage(self, to: Compiling, threshold: int, tier: Tier, parts: tuple[str, ...] = ()) -> Check:
        return self._check(
            to,
            "coverage",
            f"Names at least {threshold} of the following {self.topic}: {options_text(self.options)}",
            GUIDANCE,
            part=f"at-least-{threshold}",
            tier=tier,
            evidence=cited_evidence(self.options),
            options=tuple(option.as_check for option in self.options),
            threshold=threshold,
            parts=parts,
        )

    def problems(self) -> Iterator[Finding]:
        yield from super().problems()
        n = len(self.options)
        path = ("min_coverage",)
        if self.min_coverage > n:
            message = f"min_coverage is {self.min_coverage}, but there are only {n} options; at most {n}"
            yield Finding("coverage-above-options", message, path=path)
        elif self.min_coverage == n:
            message = f"all {n} options are required, so this is a strict_list"
            yield Finding("coverage-is-all", message, "warning", path=path)

    def summary(self) -> str:
        return f"{self.topic} (at least {self.min_coverage} of {len(self.options)})"


ITEM = FlexibleList
