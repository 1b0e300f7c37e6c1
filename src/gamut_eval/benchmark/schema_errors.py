"""From pydantic's errors to findings that an author understands, each at its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gamut_eval.benchmark.known_fields import fields_at, home_of, value_at
from gamut_eval.errors import Finding, Path, brief, did_you_mean

_ID_RULE = "ids are letters, digits, '.', '_' and '-', and start with a letter or digit"
_MEANS_TEXT = frozenset("name label title value option step action description".split())
_CHECK_ID = re.compile(r"rubric\.checks\[\d+\]\.id|(.*\.)?check")


def schema_findings(
    error: ValidationError, model: type[BaseModel], data: Any, spelled: Mapping[Path, str]
) -> list[Finding]:
    """One finding an error of the schema, with the path to the value in ``data``."""
    errors = [(_path_in(data, detail["loc"]), detail) for detail in error.errors(include_url=False)]
    colons = dict(_colons(errors, model, data, spelled))
    found = [Finding("schema", f"{_shown(path)}: {told}", path=path) for path, told in colons.items()]
    for path, detail in errors:
        if _only_follows(detail) or path[:-1] in colons:
            continue
        if detail["type"] == "extra_forbidden":
            code, message = "unknown-field", f"unknown field {_shown(path)!r}{_remedy(path, model, data)}"
        else:
            code, message = "schema", _explain(detail, path, spelled)
        found.append(Finding(code, message, path=path))
    return found


def _colons(
    errors: list[tuple[Path, ErrorDetails]], model: type[BaseModel], data: Any, spelled: Mapping[Path, str]
) -> Iterator[tuple[Path, str]]:
    """Options and steps that YAML reads as a field and its value, for they hold a colon, and what to do about each."""
    for path, detail in errors:
        where = path[:-1]
        if detail["type"] != "extra_forbidden" or not where or isinstance(where[-1], str):
            continue
        name, one, known = str(path[-1]), value_at(where, data), fields_at(where, model, data)
        meant = name.lower() in _MEANS_TEXT or difflib.get_close_matches(name, known)
        if len(one) == 1 and "text" in known and not meant and (told := _quote_colon(one, spelled.get(path))):
            yield where, told


def _quote_colon(one: dict[str, Any], spelling: str | None) -> str:
    """That a text with a colon must be quoted, where a mapping of one field is likely to be one."""
    ((name, value),) = one.items()
    if isinstance(value, dict | list):
        return ""
    whole = f"{name}: {value if isinstance(value, str) else spelling or ''}".strip()
    quoted = f"'{whole}'" if '"' in whole or "\\" in whole else f'"{whole}"'
    example = f": {quoted}" if len(whole) <= 80 and quoted[0] not in whole else ""
    return f"a text with ': ' must be quoted{example}"


def _remedy(path: Path, model: type[BaseModel], data: Any) -> str:
    """What to write in place of an unknown field, which fields there are, and where it belongs."""
    name, value, known = str(path[-1]), value_at(path, data), fields_at(path[:-1], model, data)
    if name == "optional" and "required" in known and isinstance(value, bool):
        return (
            "; write required: false" if value else "; leave it out, for steps are required unless they say otherwise"
        )
    if value is None and " " in name:
        return "; if it is the rest of a text, put the whole text in quotes: in {…} a comma ends it"
    if name == "type" and path[-3:-2] == ("insights",):
        return "; an insight has no type, leave it out"
    near, home = did_you_mean(name, known), home_of(name, path[:-1], model, data)
    if not home:
        return near
    # A field that exists elsewhere is no slip of the pen.
    return f"{'' if near.startswith(' (did') else near}; {name!r} {home}"


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
        return _not_text(field, detail, path, spelled)
    value = "" if isinstance(detail["input"], dict | list) else f", not {_short(detail)}"
    message = detail["msg"].removeprefix("Value error, ").replace("Input should", "must", 1)
    return f"{field}: {message}{'' if detail['type'] == 'value_error' else value}"


def _not_text(field: str, detail: ErrorDetails, path: Path, spelled: Mapping[Path, str]) -> str:
    if (spelling := spelled.get(path)) is not None:
        name = "" if field.endswith("]") else f"{field.rpartition('.')[2]}: "
        return f'{field}: {spelling} is not a text here; put it in quotes: {name}"{spelling}"'
    kinds = {dict: "a mapping", list: "a list", type(None): "empty"}
    value = detail["input"]
    if isinstance(value, dict) and len(value) == 1:
        told = _quote_colon(value, spelled.get((*path, *value)))
        if told:
            return f"{field}: {told}"
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
    if "insi" in tag.lower():
        return f"{field}: insights stand under 'rubric.insights', without a type"
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
