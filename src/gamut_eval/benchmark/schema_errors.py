"""From pydantic's errors to findings that an author understands, each at its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gamut_eval.errors import Finding, Path, did_you_mean

_ID_RULE = "ids are letters, digits, '.', '_' and '-', and start with a letter or digit"


def schema_findings(
    error: ValidationError, model: type[BaseModel], data: Any, spelled: Mapping[Path, str]
) -> list[Finding]:
    """One finding an error of the schema, with the path to the value in ``data``."""
    found = []
    for detail in error.errors(include_url=False):
        path = _path_in(data, detail["loc"])
        code, message = _explain(detail, path, model, spelled)
        found.append(Finding(code, message, path=path))
    return found


def _path_in(data: Any, loc: tuple[int | str, ...]) -> Path:
    """The error's location without the union tags and validator names that pydantic puts between."""
    path: list[int | str] = []
    for place, step in enumerate(loc):
        last = place == len(loc) - 1
        inside = (isinstance(data, dict) and step in data) or (isinstance(data, list) and isinstance(step, int))
        if inside:
            data = data[step]
            path.append(step)
        elif last and isinstance(data, dict):
            path.append(step)
    return tuple(path)


def _explain(detail: ErrorDetails, path: Path, model: type[BaseModel], spelled: Mapping[Path, str]) -> tuple[str, str]:
    field = _shown(path)
    explain = _BY_TYPE.get(detail["type"])
    if explain:
        return "schema", explain(field, detail)
    if detail["type"] == "extra_forbidden":
        return "unknown-field", f"unknown field {field!r}{did_you_mean(str(path[-1]), _field_names(model))}"
    if detail["type"] == "string_type":
        return "schema", _not_text(field, detail, spelled.get(path))
    value = "" if isinstance(detail["input"], dict | list) else f", not {detail['input']!r}"
    message = detail["msg"].removeprefix("Value error, ").removeprefix("Input should ")
    return "schema", f"{field}: {message}{'' if detail['type'] == 'value_error' else value}"


def _not_text(field: str, detail: ErrorDetails, spelling: str | None) -> str:
    if spelling is not None:
        return f'{field}: {spelling} is not a text here; put it in quotes: {field.rpartition(".")[2]}: "{spelling}"'
    kinds = {dict: "a mapping", list: "a list", type(None): "empty"}
    value = detail["input"]
    return f"{field}: must be a text, but is {kinds.get(type(value), repr(value))}"


def _shown(path: Path) -> str:
    """A path as people write it: ``rubric.items[2].options``."""
    shown = ""
    for step in path:
        shown += f"[{step}]" if isinstance(step, int) else f".{step}"
    return shown.removeprefix(".") or "the document"


def _choices(field: str, detail: ErrorDetails) -> str:
    expected = str(detail.get("ctx", {}).get("expected", "")).replace("'", "")
    known = [name.strip() for name in expected.replace(" or ", ", ").split(",")]
    return f"{field}: {detail['input']!r} is not one of {', '.join(known)}"


def _tag(field: str, detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    known = [tag.strip().strip("'") for tag in str(context.get("expected_tags", "")).split(",")]
    tag = str(context.get("tag", ""))
    return f"{field}: unknown item type {tag!r}{did_you_mean(tag, known)}"


_BY_TYPE: dict[str, Callable[[str, ErrorDetails], str]] = {
    "missing": lambda field, _: f"the required field {field!r} is missing",
    "string_too_short": lambda field, _: f"{field}: must not be empty",
    "string_pattern_mismatch": lambda field, d: f"{field}: {d['input']!r} is not allowed; {_pattern_rule(field)}",
    "enum": _choices,
    "literal_error": _choices,
    "union_tag_invalid": _tag,
    "union_tag_not_found": lambda field, _: f"{field}: the required field 'type' is missing",
    "model_type": lambda field, d: f"{field}: must be a mapping of fields, not {d['input']!r}",
    "model_attributes_type": lambda field, d: f"{field}: must be a mapping of fields, not {d['input']!r}",
    "tuple_type": lambda field, d: f"{field}: must be a list, not {d['input']!r}",
    "int_type": lambda field, d: f"{field}: must be a whole number, not {d['input']!r}",
    "bool_type": lambda field, d: f"{field}: must be true or false, not {d['input']!r}",
    "finite_number": lambda field, d: f"{field}: must be a finite number, not {d['input']!r}",
}


def _pattern_rule(field: str) -> str:
    if field.endswith("sha256"):
        return "64 hexadecimal digits in lower case"
    if field.endswith("package"):
        return "a package's import name"
    return _ID_RULE


def _field_names(model: type[BaseModel]) -> set[str]:
    schema = model.model_json_schema()
    definitions = [schema, *schema.get("$defs", {}).values()]
    return {name for definition in definitions for name in definition.get("properties", {})}
