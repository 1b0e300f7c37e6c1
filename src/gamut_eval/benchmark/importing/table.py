"""Tables that others wrote: Parquet, JSONL, JSON or CSV, with whatever columns they have."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    def sample(self) -> list[Row]:
        """The first rows, without bulky columns."""
        return [row for (_, row), _ in zip(self.rows(), range(_SAMPLE), strict=False)]

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
    """The value with class labels, which `datasets` stores as numbers, by their names."""
    if not isinstance(feature, list | dict) or value is None:
        return value
    names = feature.get("names") if isinstance(feature, dict) else None
    if isinstance(names, list) and isinstance(value, int):
        return names[value] if 0 <= value < len(names) else value
    if isinstance(value, list):
        inner = feature[0] if isinstance(feature, list) else feature.get("feature", feature)
        return [_labelled(member, inner) for member in value]
    if isinstance(value, dict) and isinstance(feature, dict):
        inner = feature.get("feature", feature)
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
    """Whether the row has something in that column."""
    return row.get(name) not in (None, "", [], {})
