"""From pydantic's errors to findings that an author understands, each at its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gamut_eval.errors import Finding, Path, brief, did_you_mean

_ID_RULE = "ids are letters, digits, '.', '_' and '-', and start with a letter or digit"
_CHECK_ID = re.compile(r"rubric\.checks\[\d+\]\.id|(.*\.)?check")


def schema_findings(
    error: ValidationError, model: type[BaseModel], data: Any, spelled: Mapping[Path, str]
) -> list[Finding]:
    """One finding an error of the schema, with the path to the value in ``data``."""
    found = []
    for detail in error.errors(include_url=False):
        if _only_follows(detail):
            continue
        path = _path_in(data, detail["loc"])
        if detail["type"] == "extra_forbidden":
            known = _fields_at(path[:-1], model, data)
            code, message = "unknown-field", f"unknown field {_shown(path)!r}{did_you_mean(str(path[-1]), known)}"
        else:
            code, message = "schema", _explain(detail, path, spelled)
        found.append(Finding(code, message, path=path))
    return found


def _only_follows(detail: ErrorDetails) -> bool:
    """A list that is too short because its members are wrong, which is told of each of them."""
    return detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"]


def _path_in(data: Any, loc: tuple[int | str, ...]) -> Path:
    """The error's location without the union tags and validator names that pydantic puts between."""
    path: list[int | str] = []
    for place, step in enumerate(loc):
        last = place == len(loc) - 1
        if isinstance(data, dict) and step == data.get("type") and not last:
            continue
        inside = (isinstance(data, dict) and step in data) or (isinstance(data, list) and isinstance(step, int))
        if inside:
            data = data[step]
            path.append(step)
        elif last and isinstance(data, dict):
            path.append(step)
    return tuple(path)


def _explain(detail: ErrorDetails, path: Path, spelled: Mapping[Path, str]) -> str:
    field = _shown(path)
    explain = _BY_TYPE.get(detail["type"])
    if explain:
        return explain(field, detail)
    if detail["type"] == "string_type":
        return _not_text(field, detail, spelled.get(path))
    value = "" if isinstance(detail["input"], dict | list) else f", not {_short(detail)}"
    message = detail["msg"].removeprefix("Value error, ").replace("Input should", "must", 1)
    return f"{field}: {message}{'' if detail['type'] == 'value_error' else value}"


def _not_text(field: str, detail: ErrorDetails, spelling: str | None) -> str:
    if spelling is not None:
        name = "" if field.endswith("]") else f"{field.rpartition('.')[2]}: "
        return f'{field}: {spelling} is not a text here; put it in quotes: {name}"{spelling}"'
    kinds = {dict: "a mapping", list: "a list", type(None): "empty"}
    value = detail["input"]
    return f"{field}: must be a text, but is {kinds.get(type(value)) or _short(detail)}"


def _short(detail: ErrorDetails) -> str:
    return brief(detail["input"])


def _shown(path: Path) -> str:
    """A path as people write it: ``rubric.items[2].options``."""
    shown = ""
    for step in path:
        shown += f"[{step}]" if isinstance(step, int) else f".{step}"
    return shown.removeprefix(".") or "the document"


def _choices(field: str, detail: ErrorDetails) -> str:
    expected = str(detail.get("ctx", {}).get("expected", "")).replace("'", "")
    known = [name.strip() for name in expected.replace(" or ", ", ").split(",")]
    return f"{field}: {_short(detail)} is not one of {', '.join(known)}"


def _tag(field: str, detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    known = [tag.strip().strip("'") for tag in str(context.get("expected_tags", "")).split(",")]
    tag = str(context.get("tag", ""))
    return f"{field}: unknown item type {tag!r}{did_you_mean(tag, known)}"


_BY_TYPE: dict[str, Callable[[str, ErrorDetails], str]] = {
    "missing": lambda field, _: f"the required field {field!r} is missing",
    "string_too_short": lambda field, _: f"{field}: must not be empty",
    "string_pattern_mismatch": lambda field, d: f"{field}: {_short(d)} is not allowed; {_pattern_rule(field)}",
    "enum": _choices,
    "literal_error": _choices,
    "union_tag_invalid": _tag,
    "union_tag_not_found": lambda field, _: f"{field}: the required field 'type' is missing",
    "model_type": lambda field, d: f"{field}: must be a mapping of fields, not {_short(d)}",
    "model_attributes_type": lambda field, d: f"{field}: must be a mapping of fields, not {_short(d)}",
    "tuple_type": lambda field, d: f"{field}: must be a list, not {_short(d)}",
    "float_type": lambda field, d: f"{field}: must be a number, not {_short(d)}",
    "int_type": lambda field, d: f"{field}: must be a whole number, not {_short(d)}",
    "bool_type": lambda field, d: f"{field}: must be true or false, not {_short(d)}",
    "date_type": lambda field, d: f"{field}: must be a date like 2026-11-30, not {_short(d)}",
    "too_short": lambda field, d: f"{field}: needs at least {d['ctx']['min_length']}, but has {len(d['input'])}",
    "finite_number": lambda field, d: f"{field}: must be a finite number, not {_short(d)}",
}


def _pattern_rule(field: str) -> str:
    if field.endswith("sha256"):
        return "64 hexadecimal digits in lower case"
    if field.endswith("package"):
        return "a package's import name"
    if _CHECK_ID.fullmatch(field):
        return "a check's id has no white space and starts with a letter or digit"
    return _ID_RULE


def _fields_at(path: Path, model: type[BaseModel], data: Any) -> list[str]:
    """The fields that the mapping at ``path`` may have, by the model's JSON Schema."""
    schema = _schema(model)
    node = _fitting(schema, data, schema)
    for step in path:
        data = data[step]
        node = _fitting(node["items"] if isinstance(step, int) else node["properties"][step], data, schema)
    return list(node["properties"])


@cache
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


def _fitting(node: dict[str, Any], data: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """The node's definition; of alternatives the one for the data."""
    if "discriminator" in node:
        node = {"$ref": node["discriminator"]["mapping"][data["type"]]}
    for choice in node.get("anyOf", ()):
        if "$ref" in choice or (isinstance(data, list) and choice.get("type") == "array"):
            node = choice
    return cast(dict[str, Any], schema["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node)
