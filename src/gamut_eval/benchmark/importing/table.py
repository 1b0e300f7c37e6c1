"""Tables that others wrote: Parquet, JSONL, JSON or CSV, with whatever columns they have."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from gamut_eval.benchmark.parquet_file import parquet_rows, parquet_schema
from gamut_eval.errors import Finding, InputError, Place, brief, did_you_mean, repeated
from gamut_eval.files import json_rows, parse_json, read_bytes, read_text

Row = dict[str, Any]
ENDINGS = (".parquet", ".jsonl", ".ndjson", ".json", ".csv", ".tsv")
_SAMPLE = 200
_BULKY_ROWS = 16
_LARGEST_CELL = 2**31 - 1
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")


@dataclass(frozen=True)
class Table:
    """A file's columns and rows.

    ``bulky`` are columns of bytes (images), which are read only when they are asked for.
    """

    file: str
    columns: Sequence[str]
    read: Callable[[Collection[str]], Iterator[tuple[int, Row]]]
    bulky: Collection[str] = ()

    def rows(self, columns: Collection[str] | None = None) -> Iterator[tuple[Place, Row]]:
        """Each row's place (its line, or its number from 1) and fields: these columns, or all but the bulky."""
        wanted = [name for name in self.columns if name not in self.bulky] if columns is None else columns
        return ((Place(self.file, number), row) for number, row in self.read(wanted))

    @cached_property
    def first_rows(self) -> list[tuple[Place, Row]]:
        """The places and fields of the first rows, without bulky columns."""
        return [one for one, _ in zip(self.rows(), range(_SAMPLE), strict=False)]

    @cached_property
    def sample(self) -> list[Row]:
        """The first rows, without bulky columns."""
        return [row for _, row in self.first_rows]

    def with_paths(self, names: Iterable[str]) -> Table:
        """The table with what is inside its columns as columns, for those of the names that lead there.

        ``doc.id`` is the field ``id`` of the column ``doc``, ``choices.0.text`` that of its first member.
        """
        paths = {name: path for name in names if name not in self.columns and (path := self._path(name))}
        inside = [name for name, path in paths.items() if any(reached(row, path) is not None for row in self.sample)]
        if not inside:
            return self

        def read(wanted: Collection[str]) -> Iterator[tuple[int, Row]]:
            asked = [name for name in inside if name in wanted]
            for number, row in self.read({*wanted, *(paths[name][0] for name in asked)}):
                found = {name: reached(row, paths[name]) for name in asked}
                yield number, {name: value for name, value in row.items() if name in wanted} | found

        return replace(self, columns=[*self.columns, *inside], read=read)

    def _path(self, name: str) -> list[str]:
        """The column that a dotted name starts with, and what leads on from there; empty where there is none."""
        starts = [one for one in self.columns if one not in self.bulky and name.startswith(f"{one}.")]
        start = max(starts, key=len, default="")
        return [start, *name[len(start) + 1 :].split(".")] if start else []

    def require(self, name: str) -> str:
        """The column of that name, or an `InputError` with near matches."""
        if name not in self.columns:
            raise self.refusal(f"there is no column {name!r}{did_you_mean(name, self.columns, 'column')}")
        return name

    def refusal(self, message: str, code: str = "columns") -> InputError:
        """An error about this file."""
        return InputError([Finding(code, message, file=self.file)])

    def described(self) -> str:
        """A line a column: its name, what kind of value it holds, and one of them."""
        width = max((len(name) for name in self.columns), default=0)
        return "\n".join(f"  {name:{width}}  {self._kind(name)}" for name in self.columns)

    def _kind(self, name: str) -> str:
        if name in self.bulky:
            return "bytes"
        value = next((row[name] for row in self.sample if row.get(name) not in (None, "", [], {})), None)
        return "empty in the first rows" if value is None else f"{kind_of(value)}, e.g. {brief(value, 60)}"


def kind_of(value: Any) -> str:
    """What kind of value it is, for people.

    >>> kind_of([{"tier": "AC", "text": "It is."}])
    'list of {tier, text}'
    """
    if isinstance(value, dict):
        return f"{{{', '.join(map(str, value))}}}"
    if isinstance(value, list | tuple):
        return f"list of {kind_of(value[0])}" if value else "empty list"
    names = {str: "text", bool: "true or false", int: "number", float: "number", bytes: "bytes", type(None): "nothing"}
    return names.get(type(value), type(value).__name__)


def read_table(path: str | Path) -> Table:
    """Open a table; the ending says its format, and ``-`` is JSONL from standard input.

    Raises
    ------
    InputError
        The file cannot be read, or is of another format.
    """
    ending = Path(path).suffix.lower()
    if str(path) == "-" or ending in (".jsonl", ".ndjson"):
        return _in_memory(path, list(json_rows(path)))
    if ending == ".parquet":
        return _parquet(path)
    if ending == ".json":
        return _in_memory(path, list(enumerate(_json_rows(path), 1)))
    if ending in (".csv", ".tsv"):
        return _in_memory(path, list(_csv_rows(path, ending)))
    message = f"the ending {ending!r} is of no table; {', '.join(ENDINGS)} can be read"
    raise InputError([Finding("unreadable", message, file=str(path))])


def _in_memory(path: str | Path, rows: list[tuple[int, Row]]) -> Table:
    columns = list(dict.fromkeys(name for _, row in rows for name in row))
    if not rows:
        raise InputError([Finding("empty", "holds no row", file=str(path))])

    def read(wanted: Collection[str]) -> Iterator[tuple[int, Row]]:
        return ((number, {name: row[name] for name in wanted if name in row}) for number, row in rows)

    return Table(str(path), columns, read)


def _parquet(path: str | Path) -> Table:
    schema, labels = parquet_schema(path)
    if not schema:
        raise InputError([Finding("empty", "holds no column", file=str(path))])

    bulky = [name for name, kind in schema.items() if "Binary" in str(kind)]

    def read(wanted: Collection[str]) -> Iterator[tuple[int, Row]]:
        at_once = _BULKY_ROWS if any(name in bulky for name in wanted) else _SAMPLE
        for number, row in parquet_rows(path, wanted, others=None, at_once=at_once):
            yield number, {name: _labelled(value, labels.get(name)) for name, value in row.items()}

    return Table(str(path), list(schema), read, bulky)


def _labelled(value: Any, feature: Any) -> Any:
    """The value with class labels, which `datasets` stores as numbers, by their names; -1 is no label.

    Lists are ``[feature]``, or ``{"_type": "Sequence" | "List" | …, "feature": …}``; a sequence of
    mappings is stored as a mapping of lists.
    """
    if not isinstance(feature, list | dict) or not feature or value is None:
        return value
    kind = feature.get("_type") if isinstance(feature, dict) else "List"
    if kind == "ClassLabel" and isinstance(value, int):
        names = feature.get("names") if isinstance(feature, dict) else None
        known = isinstance(names, list) and value < len(names)
        return None if value == -1 else names[value] if names and known and value >= 0 else value
    if isinstance(feature, list) or (isinstance(kind, str) and "feature" in feature):
        inner = feature[0] if isinstance(feature, list) else feature["feature"]
    else:
        inner = feature
    if isinstance(value, list):
        return [_labelled(member, inner) for member in value]
    if isinstance(value, dict) and isinstance(inner, dict):
        return {name: _labelled(member, inner.get(name)) for name, member in value.items()}
    return value


def _json_rows(path: str | Path) -> list[Row]:
    data = parse_json(read_bytes(path), file=str(path))
    if isinstance(data, dict):
        lists = [value for value in data.values() if _is_rows(value)]
        data = lists[0] if len(lists) == 1 else [data]
    if not _is_rows(data):
        message = "must be a list of objects, [{…}, …], or one object with such a list"
        raise InputError([Finding("syntax", message, file=str(path))])
    return list(data)


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _csv_rows(path: str | Path, ending: str) -> Iterator[tuple[int, Row]]:
    text = read_text(path)
    first = text.partition("\n")[0]
    mark = "\t" if ending == ".tsv" else ";" if first.count(";") > first.count(",") else ","
    csv.field_size_limit(_LARGEST_CELL)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        names = next(table, [])
        if twice := repeated(names):
            raise InputError([Finding("columns", f"two columns are called {twice!r}; rename one", file=str(path))])
        for cells in table:
            if cells and len(cells) != len(names):
                message = f"has {len(cells)} cells where the first line has {len(names)}; check the quotes"
                raise InputError([Finding("syntax", message, file=str(path), line=table.line_num)])
            if cells:
                yield table.line_num, dict(zip(names, cells, strict=True))
    except csv.Error as error:
        message = f"cannot be read as CSV: {error}; check the quotes"
        raise InputError([Finding("syntax", message, file=str(path), line=table.line_num)]) from None


def unpacked(value: Any) -> Any:
    """A list or mapping that a table holds as text, JSON or as Python shows it; anything else as it is."""
    if not isinstance(value, str) or value.strip()[:1] not in ("[", "{"):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return _literal(value)


def _literal(text: str) -> Any:
    import ast

    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def text_of(value: Any) -> str:
    """A cell as a text without white space around it; empty for null. Whole numbers are texts, too."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value).strip()


def given(row: Mapping[str, Any], name: str) -> bool:
    """Whether the row has something in that column: ``{}``, ``[[]]`` and ``"[]"`` are nothing."""
    return not _is_empty(unpacked(row.get(name)))


def _is_empty(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, Mapping):
        return all(map(_is_empty, value.values()))
    return value is None or (isinstance(value, list | tuple) and all(map(_is_empty, value)))


def reached(value: Any, path: Sequence[str]) -> Any:
    """What a path of keys and positions leads to; None where it leads nowhere.

    >>> reached({"doc": '{"ids": ["a"]}'}, ["doc", "ids", "0"])
    'a'
    """
    for step in path:
        value = unpacked(value)
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list | tuple) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def is_bare_number(value: Any) -> bool:
    """Whether a value that should be a name is a number: a class label, say, whose names the file does not have.

    >>> is_bare_number(3), is_bare_number("3.0"), is_bare_number("3D printing")
    (True, True, False)
    """
    if isinstance(value, str):
        return bool(_NUMBER.fullmatch(value.strip()))
    return isinstance(value, int | float) and not isinstance(value, bool)
