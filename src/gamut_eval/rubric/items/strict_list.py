"""Strict list: every member is required."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from gamut_eval.rubric.check import Check
from gamut_eval.rubric.item import Compiling, ListItem


class StrictList(ListItem):
    """All of its options are required: one check an option, at the list's tier."""

    type: Literal["strict_list"]

    def compile(self, to: Compiling) -> Iterator[Check]:
        return self.option_checks(to, self.tier)

    def summary(self) -> str:
        return f"{self.topic} (all {len(self.options)})"


ITEM = StrictList
