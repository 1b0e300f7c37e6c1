"""A table as CSV: what a spreadsheet or a program reads, at full precision."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gamut_eval.benchmark.write import csv_cell
from gamut_eval.reports.shapes import Cell, CheckRef, Column, Table
from gamut_eval.reports.wording import visible

OF = "Of"
"""The column that says which of several tables a row is from."""


def csv_text(table: Table) -> str:
    r"""The table with a line of titles; title and note are left out.

    Scores and shares are fractions, as they are kept; what is undefined is an empty cell. An interval has two columns,
    ``low`` and ``high``; how many of how many likewise; a check has its text, its id and its question's. Control
    characters are made visible. A text that a spreadsheet would take for a formula gets an apostrophe in front, see
    `write_csv`.

    Examples
    --------
    >>> table = Table((Column("Model"), Column("Gamut", "percent")), (("=a", -0.125), ("b", None)))
    >>> csv_text(table)
    "Model,Gamut\r\n'=a,-0.125\r\nb,\r\n"
    """
    return _written([dict(zip(_titles(table), _cells(row, table), strict=True)) for row in table.rows], _titles(table))


def stacked(tables: Mapping[str, Table]) -> str:
    r"""Tables of a kind as one, each by what it is of, which stands in the first column; see `csv_text`.

    What some of them do not have is an empty cell in their rows.

    Examples
    --------
    >>> one, other = (Table((Column("Model"), Column(name, "count")), (("a", 1),)) for name in ("n", "m"))
    >>> stacked({"x": one, "y": other})
    'Of,Model,n,m\r\nx,a,1,\r\ny,a,,1\r\n'
    """
    titles = dict.fromkeys((OF, *(title for table in tables.values() for title in _titles(table))))
    rows = [
        {OF: of, **dict(zip(_titles(table), _cells(row, table), strict=True))}
        for of, table in tables.items()
        for row in table.rows
    ]
    return _written(rows, list(titles))


def _written(rows: Iterable[Mapping[str, Any]], titles: Sequence[str]) -> str:
    text = io.StringIO(newline="")
    lines = csv.writer(text)
    lines.writerow(map(_safe, titles))
    lines.writerows([_safe(row.get(title)) for title in titles] for row in rows)
    return text.getvalue()


def _safe(value: Any) -> str:
    return csv_cell(visible(value) if isinstance(value, str) else value)


def _titles(table: Table) -> list[str]:
    """A title a column, with its group's where two would have the same, with a number where that does not help."""
    often = Counter(column.title for column in table.columns)
    titles: list[str] = []
    for column in table.columns:
        title = column.title.removesuffix(", %")
        title = f"{column.group}: {title}" if often[column.title] > 1 and column.group else title
        for ending in _ENDINGS.get(column.kind, ("",)):
            again = sum(one == f"{title}{ending}" for one in titles)
            titles.append(f"{title}{ending}{f' ({again + 1})' if again else ''}")
    return titles


def _cells(row: Sequence[Cell], table: Table) -> list[Any]:
    return [value for cell, column in zip(row, table.columns, strict=True) for value in _values(cell, column)]


_ENDINGS = {
    "interval": (" low", " high"),
    "coverage": (" complete", " all"),
    "ranks": (" best", " worst"),
    "check": ("", " id", " question"),
}
"""What stands behind the titles of a column that becomes several."""


def _values(cell: Cell, column: Column) -> tuple[Any, ...]:
    parts = len(_ENDINGS.get(column.kind, ("",)))
    if cell is None:
        return (None,) * parts
    if isinstance(cell, CheckRef):
        return (cell.text, cell.check_id, cell.question_id)
    numbers = cell if isinstance(cell, tuple) else (cell,)
    typed = _TYPES.get(column.kind, _as_it_is)
    return tuple(typed(number) for number in numbers)


def _as_it_is(value: Any) -> Any:
    return value


def _whole(value: float) -> float:
    return int(value) if float(value).is_integer() else value


_TYPES: dict[str, Callable[[Any], Any]] = {"count": _whole, "coverage": _whole, "ranks": _whole}
