"""Which fields a model has at a path of the data, and where a field that stands in the wrong place belongs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, cast

from pydantic import BaseModel

from gamut_eval.errors import Path

Schema = dict[str, Any]
_DEPTH = 3


def value_at(path: Path, data: Any) -> Any:
    """The value that the path leads to."""
    for step in path:
        data = data[step]
    return data


def fields_at(path: Path, model: type[BaseModel], data: Any) -> list[str]:
    """The fields that the mapping at ``path`` may have, by the model's JSON Schema."""
    return list(_node_at(path, model, data)["properties"])


def home_of(name: str, path: Path, model: type[BaseModel], data: Any) -> str:
    """Where a field belongs that the mapping at ``path`` does not have: around it, below it, or in another type.

    Empty where no place has the field, or more than one.
    """
    for up in range(len(path) - 1, -1, -1):
        if isinstance(value_at(path[:up], data), dict) and name in fields_at(path[:up], model, data):
            return _under(path[:up])
    below = [(path, _node_at(path, model, data))]
    for _ in range(_DEPTH):
        below = [(at, node) for start, parent in below for at, node in _children(start, parent, _schema(model))]
        if homes := {at for at, node in below if name in node["properties"]}:
            return _under(homes.pop()) if len(homes) == 1 else ""
    if path[-2:-1] != ("items",):
        return ""
    siblings = _children(path[:-2], _node_at(path[:-2], model, data), _schema(model))
    fields = (node["properties"] for at, node in siblings if at[-2:] == ("items", ""))
    types = [one.get("type", {}).get("const") for one in fields if name in one]
    return f"belongs to the type {types[0]!r}" if len(types) == 1 and types[0] else ""


def _under(path: Path) -> str:
    if not path:
        return "belongs at the top level"
    shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" if step else "" for step in path)[1:]
    return f"belongs {'in an entry of' if path[-1] == '' else 'under'} {shown!r}"


def _children(path: Path, node: Schema, schema: Schema) -> Iterator[tuple[Path, Schema]]:
    """Every mapping one level down; the place in a list is ``""``."""
    for name, field in node["properties"].items():
        for choice in (field, *field.get("anyOf", ())):
            inner, at = (choice["items"], (*path, name, "")) if "items" in choice else (choice, (*path, name))
            for one in (inner, *inner.get("anyOf", ()), *inner.get("oneOf", ())):
                found = schema["$defs"][one["$ref"].rpartition("/")[2]] if "$ref" in one else {}
                if "properties" in found:
                    yield at, found


def _node_at(path: Path, model: type[BaseModel], data: Any) -> Schema:
    schema = _schema(model)
    node = _fitting(schema, data, schema)
    for step in path:
        data = data[step]
        node = _fitting(node["items"] if isinstance(step, int) else node["properties"][step], data, schema)
    return node


@cache
def _schema(model: type[BaseModel]) -> Schema:
    return model.model_json_schema()


def _fitting(node: Schema, data: Any, schema: Schema) -> Schema:
    """The node's definition; of alternatives the one for the data."""
    if "discriminator" in node:
        node = {"$ref": node["discriminator"]["mapping"][data["type"]]}
    for choice in node.get("anyOf", ()):
        if "$ref" in choice or (isinstance(data, list) and choice.get("type") == "array"):
            node = choice
    return cast(Schema, schema["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node)
