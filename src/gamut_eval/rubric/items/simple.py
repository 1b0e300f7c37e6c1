"""Simple knowledge: one fact."""

from __future__ import annotations

from typing import ClassVar, Literal

from gamut_eval.rubric.check import STATEMENT_GUIDANCE
from gamut_eval.rubric.item import StatementItem


class Simple(StatementItem):
    """One fact, one check."""

    kind: ClassVar[str] = "fact"
    guidance: ClassVar[str] = STATEMENT_GUIDANCE
    type: Literal["simple"]


ITEM = Simple
