"""Relationship: a link or a contrast between entities."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from gamut_eval.rubric.fields import Text
from gamut_eval.rubric.item import StatementItem


class Relationship(StatementItem):
    """A statement that ties two or more entities together: one check."""

    kind: ClassVar[str] = "relationship"
    guidance: ClassVar[str] = (
        "Met when the response states the link or the contrast itself, not only each side's facts apart. "
        "Partially met when only one side or only the direction is given. "
        "The sides exchanged, or a link that cannot be, contradicts it."
    )
    type: Literal["relationship"]
    entities: Annotated[tuple[Text, ...], Field(min_length=2)]

    def check_text(self) -> str:
        named = [*self.entities]
        return f"Says how {', '.join(named[:-1])} and {named[-1]} relate: {self.statement}"


ITEM = Relationship
