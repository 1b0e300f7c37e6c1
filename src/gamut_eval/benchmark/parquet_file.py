"""Reading and writing Parquet: a row at a time in, nested columns of a fixed type out."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import date
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import polars as pl
from pydantic import BaseModel

from gamut_eval.errors import Finding, InputError, did_you_mean
from gamut_eval.files import parse_json, reading, writing

_BATCH_ROWS = 256
_GROUP_BYTES = 8 * 2**20  # other readers stumble over nested columns with more than 16 MB in a row group
_SCALARS: tuple[tuple[type, Any], ...] = (
    (bool, pl.Boolean()),
    (int, pl.Int64()),
    (float, pl.Float64()),
    (date, pl.Date()),
    (str, pl.String()),
)


def parquet_rows(
    path: str | Path, columns: Collection[str], *, others: Collection[str] | None = (), at_once: int = _BATCH_ROWS
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row's number (from 1) and fields, read a batch at a time.

    A struct has every field in every row: one that is null there is taken for absent. So is a
    struct with nothing but nulls, which is what some writers make of a null. Null members of lists
    stay. 2.0 is 2: pandas has no whole numbers beside nulls.

    Parameters
    ----------
    path
        The file.
    columns
        The columns to read, as far as it has them.
    others
        Columns that it may have besides, and that are not read. None: any.
    at_once
        How many rows are in memory at a time.

    Raises
    ------
    InputError
        The file cannot be read, or has another column.
    """
    with reading(path) as stream, _explained(path):
        frame = pl.scan_parquet(stream)
        names = frame.collect_schema().names()
        if others is not None:
            _refuse_unknown(path, [name for name in names if name not in others], columns)
        frame = frame.select([name for name in names if name in columns])
        start = 0
        while len(batch := frame.slice(start, at_once).collect()):
            for number, row in enumerate(batch.iter_rows(named=True), start + 1):
                yield number, _present(row)
            start += len(batch)


def parquet_schema(path: str | Path) -> tuple[dict[str, pl.DataType], dict[str, Any]]:
    """The columns of a file with their types, and what `datasets` noted of them (empty where it wrote nothing)."""
    with reading(path) as stream, _explained(path):
        schema = dict(pl.scan_parquet(stream).collect_schema())
        stream.seek(0)
        noted = pl.read_parquet_metadata(stream).get("huggingface")
    try:
        return schema, json.loads(noted)["info"]["features"] if noted else {}
    except (ValueError, KeyError, TypeError):
        return schema, {}


def embedded_picture(path: str | Path, sha256: str) -> bytes | None:
    """The bytes in the column ``picture`` for the image of that hash; None where there are none."""
    with reading(path) as stream, _explained(path):
        frame = pl.scan_parquet(stream)
        schema = frame.collect_schema()
        if not all(_has_field(schema.get(name), field) for name, field in (("picture", "bytes"), ("image", "sha256"))):
            return None
        wanted = frame.filter(pl.col("image").struct.field("sha256") == sha256)
        found = wanted.select(pl.col("picture").struct.field("bytes")).drop_nulls().head(1).collect()
    return bytes(found.item()) if len(found) else None


def _has_field(column: Any, name: str) -> bool:
    return isinstance(column, pl.Struct) and any(field.name == name for field in column.fields)


def parsed_column(row: dict[str, Any], column: str, path: str | Path, number: int) -> dict[str, Any]:
    """The row with a column's JSON text as what it says; where it is no text, as it is.

    Raises
    ------
    InputError
        The text is not JSON; the row is named.
    """
    value = row.get(column)
    if not isinstance(value, str):
        return row
    try:
        return row | {column: parse_json(value.encode(), file=str(path), line=number)}
    except InputError as error:
        findings = [replace(one, message=f"{column}: {one.message}", column=None) for one in error.findings]
        raise InputError(findings) from None


@contextlib.contextmanager
def _explained(path: str | Path) -> Iterator[None]:
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError, OverflowError) as error:
        reason = str(error).strip().partition("\n")[0].removeprefix("parquet: ") or type(error).__name__
        message = f"cannot be read as Parquet: {reason}; write the file anew"
        raise InputError([Finding("syntax", message, file=str(path))]) from None


def _refuse_unknown(path: str | Path, names: Iterable[str], known: Collection[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        messages = [f"unknown column {name!r}{did_you_mean(name, known, 'column')}; remove it" for name in unknown]
        raise InputError([Finding("unknown-field", message, file=str(path)) for message in messages])


def _present(value: Any) -> Any:
    if isinstance(value, list):
        return [_present(member) for member in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, dict):
        return value
    present = ((name, _present(field)) for name, field in value.items())
    return {name: field for name, field in present if field is not None and field != {}}


def write_parquet(path: str | Path, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any]) -> None:
    """Write rows with exactly these columns (polars types); a field that a row lacks is null."""
    write_frame(path, pl.DataFrame(list(rows), schema=dict(columns), strict=True))


def write_frame(path: str | Path, frame: pl.DataFrame) -> None:
    """Write a frame in row groups that every reader copes with."""
    rows = max(1, _GROUP_BYTES * len(frame) // max(1, int(frame.estimated_size())))
    with writing(path) as stream:
        frame.write_parquet(stream, row_group_size=rows)


def columns_of(model: Any) -> dict[str, pl.DataType]:
    """The columns that hold the fields of a pydantic model or a dataclass, whichever of them a row has.

    Where a field may be one of several models (the item types), its struct has the fields of all.

    Raises
    ------
    InputError
        A field (of an item type from elsewhere) is of a kind that no column holds.
    """
    if issubclass(model, BaseModel):
        return {name: _column(name, field.annotation) for name, field in model.model_fields.items()}
    kinds = get_type_hints(model)
    return {field.name: _column(field.name, kinds[field.name]) for field in fields(model)}


def _column(name: str, annotation: Any) -> pl.DataType:
    origin, arguments = get_origin(annotation), [one for one in get_args(annotation) if one is not NoneType]
    if origin is Annotated or (origin in (Union, UnionType) and len(arguments) == 1):
        return _column(name, arguments[0])
    if origin is tuple:
        return pl.List(_column(name, arguments[0]))
    if origin in (Union, UnionType):
        return _struct(name, [_column(name, one) for one in arguments])
    if origin is Literal:
        return pl.String()
    if isinstance(annotation, type) and (issubclass(annotation, BaseModel) or is_dataclass(annotation)):
        return pl.Struct(columns_of(annotation))
    for kind, column in _SCALARS:
        if isinstance(annotation, type) and issubclass(annotation, kind):
            return column  # type: ignore[no-any-return]
    raise _no_column(name)


def _struct(name: str, alternatives: Sequence[pl.DataType]) -> pl.DataType:
    merged: dict[str, Any] = {}
    for alternative in alternatives:
        if not isinstance(alternative, pl.Struct):
            raise _no_column(name)
        for field in alternative.fields:
            if merged.setdefault(field.name, field.dtype) != field.dtype:
                raise _no_column(f"{name}.{field.name}")
    return pl.Struct(merged)


def _no_column(name: str) -> InputError:
    return InputError(f"the field {name!r} is not of one kind, so no Parquet column can hold it; write .jsonl instead")
