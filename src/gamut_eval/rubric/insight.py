"""Meta-insight: a synthesis across items. It stands under `insights`, not under `items`."""

from __future__ import annotations

from typing import ClassVar

from gamut_eval.rubric.fields import Id
from gamut_eval.rubric.item import StatementItem


class Insight(StatementItem):
    """What follows from several items together: one check, at its own tier."""

    kind: ClassVar[str] = "insight"
    guidance: ClassVar[str] = (
        "Met when the response draws this conclusion itself. "
        "Partially met when it draws a weaker or less complete one. "
        "The facts it rests on, without the conclusion, do not meet it."
    )
    items: tuple[Id, ...] = ()
