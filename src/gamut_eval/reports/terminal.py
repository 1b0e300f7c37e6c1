"""Tables for the terminal."""

from __future__ import annotations

from rich.box import ASCII, SIMPLE_HEAD, Box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from gamut_eval.reports.shapes import Cell, Column, ColumnKind, Table, plain
from gamut_eval.reports.wording import shown, visible

_NARROWEST_TEXT = 12
_FRAME = 3  # a column's padding and its line


def print_table(table: Table, console: Console) -> None:
    """Print a table: numbers to the right, ``n/a`` where undefined.

    Names are shown as they are: nothing in them is taken for markup or drives the terminal, and
    what its encoding lacks is written as an escape. A table that is wider than the console folds
    its texts, and never cuts a number.

    Parameters
    ----------
    table
        What to print.
    console
        Where to; its width and encoding are respected.
    """
    drawn = RichTable(title=_text(plain(table.title), console) if table.title else None, box=_box(console))
    needed = 1
    for place, column in enumerate(table.columns):
        width = _least_width(column, [_cell(row[place], column.kind, console) for row in table.rows])
        _add_column(drawn, column, width, console)
        needed += width + _FRAME
    for row in table.rows:
        drawn.add_row(*(_cell(cell, column.kind, console) for cell, column in zip(row, table.columns, strict=True)))
    console.print(drawn, width=max(console.width, needed), crop=False)
    if table.note:
        console.print(_text(plain(table.note), console))


def _box(console: Console) -> Box:
    return ASCII if _plain_ascii(console) else SIMPLE_HEAD


def _plain_ascii(console: Console) -> bool:
    return "─".encode(console.encoding, "ignore") == b""


def _least_width(column: Column, cells: list[Text]) -> int:
    """Numbers need all their room, texts some."""
    title = len(column.short or column.title)
    widest = max([title, *(cell.cell_len for cell in cells)])
    return min(_NARROWEST_TEXT, widest) if column.kind == "text" else widest


def _add_column(drawn: RichTable, column: Column, width: int, console: Console) -> None:
    title = _text(column.short or column.title, console)
    if column.kind == "text":
        drawn.add_column(title, overflow="fold", min_width=width)
    else:
        drawn.add_column(title, justify="right", min_width=width, overflow="fold")


def _cell(cell: Cell, kind: ColumnKind, console: Console) -> Text:
    return _text(shown(cell, kind), console)


def _text(text: str, console: Console) -> Text:
    """Text that the console can write and that does nothing but be shown."""
    encoding, line = console.encoding, visible(text).replace("\n", " ").replace("−", "-")
    return Text(line.encode(encoding, "backslashreplace").decode(encoding))
