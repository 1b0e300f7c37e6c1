"""Strict list: every member is required."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from gamut_eval.errors import Finding, Path
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import Text, Tier
from gamut_eval.rubric.items.base import (
    LIST_ITEM_GUIDANCE,
    AnyOption,
    Compiling,
    Item,
    cited_by_parts,
    part_problems,
)


class ListItem(Item):
    """A topic and the options that belong to it: what both list types share."""

    topic: Text
    options: Annotated[tuple[AnyOption, ...], Field(min_length=1)]

    def option_checks(self, to: Compiling, tier: Tier) -> Iterator[Check]:
        """One `list_item` check an option."""
        for option in self.options:
            yield self._check(
                to,
                "list_item",
                f"Names {option.as_check.shown} among: {self.topic}",
                LIST_ITEM_GUIDANCE,
                part=option.part_id,
                tier=tier,
                evidence=option.evidence,
                options=(option.as_check,),
            )

    def flat(self, to: Compiling) -> Iterator[Check]:
        return self.option_checks(to, self.tier)

    def problems(self) -> Iterator[Finding]:
        return part_problems("options", self.options)

    def cited(self) -> Iterator[tuple[Path, str]]:
        yield from super().cited()
        yield from cited_by_parts("options", self.options)

    def summary(self) -> str:
        return f"{self.topic} (all {len(self.options)})"


class StrictList(ListItem):
    """All of its options are required: one check an option, at the list's tier."""

    type: Literal["strict_list"]

    def compile(self, to: Compiling) -> Iterator[Check]:
        return self.option_checks(to, self.tier)


ITEM = StrictList
