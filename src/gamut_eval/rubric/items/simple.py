"""Simple knowledge: one fact."""

from __future__ import annotations

from typing import ClassVar, Literal

from gamut_eval.rubric.items.base import StatementItem


class Simple(StatementItem):
    """One fact, one check."""

    kind: ClassVar[str] = "fact"
    guidance: ClassVar[str] = (
        "Met when the response states this fact completely, in any words, and nothing in it conflicts. "
        "Partially met when it is imprecise, incomplete or hedged. "
        "A wrong identification or a value that cannot also be true contradicts it."
    )
    type: Literal["simple"]


ITEM = Simple
