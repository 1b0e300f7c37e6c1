"""The item types, one file each; `Insight`, which stands under `insights`, has its file here too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

from gamut_eval.registry import Registry
from gamut_eval.rubric.items.base import Compiling, Item
from gamut_eval.rubric.items.insight import Insight

REGISTRY: Registry[type[Item]] = Registry("item type", __name__, "ITEM")
_NOT_TYPES = {"base", "insight"}


def item_types() -> dict[str, type[Item]]:
    """Every item type that may stand under ``items``, by the name in its ``type`` field."""
    return {name: REGISTRY.get(name) for name in REGISTRY.names() if name not in _NOT_TYPES}


if TYPE_CHECKING:
    AnyItem = Item
else:
    AnyItem = Annotated[Union[tuple(item_types().values())], Field(discriminator="type")]  # noqa: UP007 (made of a list)

__all__ = ["AnyItem", "Compiling", "Insight", "Item", "item_types"]
