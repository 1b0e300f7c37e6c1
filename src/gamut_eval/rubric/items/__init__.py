"""The item types that may stand under ``items``: one file each, named as their ``type`` field says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

from gamut_eval.registry import Registry
from gamut_eval.rubric.item import Item

REGISTRY: Registry[type[Item]] = Registry("item type", __name__, "ITEM")

if TYPE_CHECKING:
    AnyItem = Item
else:
    AnyItem = Annotated[Union[tuple(REGISTRY.all())], Field(discriminator="type")]  # noqa: UP007 (made of a list)
