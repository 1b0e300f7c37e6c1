"""Fields of data sets whose layout is known: by their name, or by the column that the user gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gamut_eval.benchmark.importing.locate import data_files
from gamut_eval.benchmark.importing.source import Ledger, Request
from gamut_eval.benchmark.importing.table import Row, Table, read_table, unpacked
from gamut_eval.errors import Finding, InputError, Place


def tables(request: Request) -> Iterator[Table]:
    """The tables that the request names, each with the columns that the user gave."""
    files, _ = data_files(request.file, request.options.get("split"))
    for file in files:
        table = read_table(file).with_paths(request.columns.values())
        for theirs in request.columns.values():
            table.require(theirs)
        yield table


class Fields:
    """Reads a row's fields by our names for them."""

    def __init__(self, names: Mapping[str, Sequence[str]], request: Request) -> None:
        self._request = request
        self._names = {ours: (request.columns[ours],) if ours in request.columns else names[ours] for ours in names}

    def rows(self, needed: Sequence[str], ledger: Ledger) -> Iterator[tuple[Place, Row]]:
        """The rows of all tables, each of which must have the needed fields; the ledger has the columns left unread."""
        for table in tables(self._request):
            for ours in needed:
                self._need(table, ours)
            yield from table.rows()
            if unused := self._unused(table):
                ledger.note(f"{table.file}: columns not taken over: {', '.join(unused)}")

    def of(self, row: Row, ours: str) -> Any:
        """The field; None where the row has it under none of its names."""
        theirs = next((name for name in self._names[ours] if row.get(name) is not None), None)
        return None if theirs is None else unpacked(row[theirs])

    def _need(self, table: Table, ours: str) -> None:
        """Refuse a table in which no column holds the field."""
        usual = self._names[ours]
        if not any(name in table.columns for name in usual):
            raise table.refusal(
                f"no column {' or '.join(map(repr, usual))} for the {ours!r}. The columns are\n{table.described()}\n"
                f"Say which with --column {ours}=NAME, or choose another source"
            )

    def _unused(self, table: Table) -> list[str]:
        """The columns of the table that hold none of the fields."""
        known = {name for names in self._names.values() for name in names}
        return [name for name in table.columns if name not in known]


def refused(place: Place, message: str, code: str = "columns") -> InputError:
    """An error about a row."""
    return InputError([Finding(code, message, file=place.file, line=place.line)])


def texts_of(value: Any, place: Place, what: str) -> list[str]:
    """A list of texts; None is an empty one."""
    members = [] if value is None else value
    if not isinstance(members, list) or not all(isinstance(one, str) for one in members):
        raise refused(place, f"{what!r} must be a list of texts")
    return [one.strip() for one in members]
