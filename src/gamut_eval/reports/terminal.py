"""Tables for the terminal, never wider than it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from gamut_eval.reports.shapes import Column, Table, plain
from gamut_eval.reports.wording import shown, visible

_GAP = "  "
_NARROWEST, _WIDEST = 12, 250
_KEPT = "\u00a0"
"""A blank at which no line is broken."""
_BREAK = re.compile(r"(?<= )(?! )|(?<=[\w/-][/-])(?![ /-])")
"""Where a line may end: after blanks, and after a hyphen or a slash within a word, but not after a minus sign."""


def print_table(table: Table, console: Console) -> None:
    """Print a table: numbers to the right, ``n/a`` where undefined.

    Names are shown as they are: nothing in them is taken for markup or drives the terminal, and
    what its encoding lacks is written as an escape. Of a table that is wider than the console,
    texts that are the same in all rows go into the note, if they are ``aside``, then groups of
    columns into tables of their own below, and a line says so; only then are texts folded.
    Numbers are cut in no console of over 30 columns. Short titles are explained below.

    Parameters
    ----------
    table
        What to print.
    console
        Where to; its width and encoding are respected.
    """
    fitted = _fitted(_drawn(table, console), console.width)
    blocks = [_block(part, fitted.title if part is fitted.parts[0] else "", console) for part in fitted.parts]
    below = (fitted.note, _shorts(table, console), _parted(fitted))
    blocks.append([Text(line) for words in below for line in _wrapped(words, console.width)])
    for place, block in enumerate(block for block in blocks if block):
        if place and block is not blocks[-1]:
            console.print()
        for line in block:
            line.rstrip()
            console.print(line, no_wrap=True, overflow="ignore", crop=False)


@dataclass(frozen=True)
class _Drawn:
    """A column as the console can show it."""

    title: str
    cells: tuple[str, ...]
    is_text: bool
    aside: bool
    group: str
    stacked: bool = False

    @property
    def natural(self) -> int:
        """All room that it can use; a stacked title is in as many lines as it has pieces."""
        titles = [piece.rstrip() for piece in _BREAK.split(self.title)] if self.stacked else [self.title]
        return max(map(cell_len, (*titles, *self.cells)))

    @property
    def least(self) -> int:
        """Numbers need all their room; texts, and titles, that of their longest piece."""
        cells = max((cell_len(cell) for cell in self.cells), default=1)
        if not self.is_text:
            return max(cells, min(cell_len(self.title), _NARROWEST))
        pieces = (cell_len(piece.rstrip()) for text in (self.title, *self.cells) for piece in _BREAK.split(text))
        return max(1, min(_NARROWEST, max(pieces)))


@dataclass(frozen=True)
class _Fitted:
    """Columns in one or several tables, one below the other; ``whole`` is the width that one table takes."""

    parts: tuple[tuple[_Drawn, ...], ...]
    title: str
    note: str
    whole: int


def _drawn(table: Table, console: Console) -> _Fitted:
    often = Counter(column.short or column.title for column in table.columns)
    columns = tuple(
        _column(column, [shown(row[place], column.kind) for row in table.shown_rows], console, often)
        for place, column in enumerate(table.columns)
    )
    title, note = (_text(plain(words), console) for words in (table.heading, table.remarks))
    return _Fitted((columns,), title, note, _natural(columns))


def _shorts(table: Table, console: Console) -> str:
    """What short titles stand for, where they have other words."""
    told = {c.short: c.title for c in table.columns if c.short and not _words(c.short) <= _words(c.title)}
    return _text("; ".join(f"{short}: {title}" for short, title in told.items()) + "." if told else "", console)


def _words(text: str) -> set[str]:
    return set(text.lower().replace("-", " ").replace(",", " ").split())


def _parted(fitted: _Fitted) -> str:
    """How to see a table whole that is in parts."""
    if len(fitted.parts) == 1:
        return ""
    return f"In parts for want of room{f'; whole in {fitted.whole} columns' if fitted.whole <= _WIDEST else ''}."


def _column(column: Column, cells: Iterable[str], console: Console, often: Mapping[str, int]) -> _Drawn:
    """Where another column has the same title, the group's stands before it."""
    title = column.short or column.title
    stacked = often[title] > 1 and bool(column.group)
    title = f"{column.group}: {title}" if stacked else title
    texts = tuple(_text(cell, console) for cell in cells)
    return _Drawn(_text(title, console), texts, column.is_text, column.aside, column.group, stacked)


def _text(text: str, console: Console) -> str:
    """Text that the console can write and that does nothing but be shown, in one line."""
    line = visible(text).replace("\n", " ").replace("\t", " ").replace("−", "-")
    pieces = (piece.encode(console.encoding, "backslashreplace") for piece in line.split(_KEPT))
    return _KEPT.join(piece.decode(console.encoding) for piece in pieces)


def _fitted(whole: _Fitted, width: int) -> _Fitted:
    """The least change that makes it fit; where none does, the smallest tables, with folded texts."""
    for fitted in _arrangements(whole):
        if all(_natural(part) <= width for part in fitted.parts):
            return fitted
    parts = tuple(piece for part in fitted.parts for piece in _broken(part, width))
    return replace(fitted, parts=parts)


def _natural(part: Sequence[_Drawn]) -> int:
    return sum(column.natural for column in part) + len(_GAP) * (len(part) - 1)


def _least(part: Sequence[_Drawn]) -> int:
    return sum(column.least for column in part) + len(_GAP) * (len(part) - 1)


def _arrangements(whole: _Fitted) -> Iterator[_Fitted]:
    yield whole
    current = _without_constants(whole)
    yield current
    main = current.parts[0]
    groups = list(dict.fromkeys(column.group for column in main if column.group))
    keys = _keys(main)
    for count in range(1, len(groups) + 1):
        apart = groups[-count:]
        rest = tuple(column for column in main if column.group not in apart)
        tables = (keys + tuple(column for column in main if column.group == group) for group in apart)
        yield replace(current, parts=tuple(part for part in (rest, *tables) if part))


def _without_constants(whole: _Fitted) -> _Fitted:
    """Texts that are the same in all rows said in the note; those that say what a row is stay."""
    (main,) = whole.parts
    constant = [column for column in main if column.aside and len(set(column.cells)) == 1]
    said = "; ".join(f"{column.title}: {column.cells[0]}" for column in constant).replace("; Judge:", "; judge:")
    note = " ".join(part for part in (whole.note.rstrip(), f"{said}." if said else "") if part)
    return replace(whole, parts=(tuple(column for column in main if column not in constant),), note=note)


def _keys(part: Sequence[_Drawn]) -> tuple[_Drawn, ...]:
    """The texts at the left, which say what a row is."""
    place = next((place for place, column in enumerate(part) if not column.is_text), len(part))
    return tuple(part[:place])


def _broken(part: tuple[_Drawn, ...], width: int) -> list[tuple[_Drawn, ...]]:
    """As many columns a table as there is room for, at least one beside what says what a row is."""
    keys = _keys(part)
    tables = [keys]
    for column in part[len(keys) :]:
        if tables[-1] != keys and _least((*tables[-1], column)) > width:
            tables.append(keys)
        tables[-1] = (*tables[-1], column)
    return tables


def _block(part: Sequence[_Drawn], title: str, console: Console) -> list[Text]:
    """A table's lines."""
    if not part:
        return []
    widths = _widths(part, console.width)
    rule = "─" if "─".encode(console.encoding, "ignore") else "-"
    lines = [Text(line, style="bold") for line in _wrapped(title, console.width)]
    lines += [Text(line, style="bold") for line in _row([column.title for column in part], part, widths)]
    lines.append(Text(rule * (sum(widths) + len(_GAP) * (len(widths) - 1))))
    for cells in zip(*(column.cells for column in part), strict=True):
        lines += [Text(line) for line in _row(cells, part, widths)]
    return lines


def _widths(part: Sequence[_Drawn], room: int) -> list[int]:
    """Natural widths; where there is too little room, what can be folded gives way, the widest first."""
    widths = [column.natural for column in part]
    room -= len(_GAP) * (len(part) - 1)
    for floors in ([column.least for column in part], [1 if c.is_text else c.least for c in part], [1] * len(part)):
        while sum(widths) > room and (slack := [w if w > f else 0 for w, f in zip(widths, floors, strict=True)]):
            if not any(slack):
                break
            widths[slack.index(max(slack))] -= 1
    return widths


def _row(cells: Sequence[str], part: Sequence[_Drawn], widths: Sequence[int]) -> Iterator[str]:
    folded = [_wrapped(cell, width) or [""] for cell, width in zip(cells, widths, strict=True)]
    for pieces in zip_longest(*folded, fillvalue=""):
        padded = (_padded(*cell) for cell in zip(pieces, part, widths, strict=True))
        yield _GAP.join(padded)


def _padded(text: str, column: _Drawn, width: int) -> str:
    blank = " " * (width - cell_len(text))
    return text + blank if column.is_text else blank + text


def _wrapped(text: str, width: int) -> list[str]:
    """The text in lines, broken after a blank, a hyphen or a slash, and within a word only where it is too long."""
    lines: list[str] = []
    current = ""
    for piece in _BREAK.split(text):
        if current and cell_len((current + piece).rstrip()) > width:
            lines.append(current.rstrip())
            current = ""
        current += piece
        if cell_len(current.rstrip()) > width:
            *full, current = chop_cells(current.rstrip(), width)
            lines += full
    lines += [current.rstrip()] if current.strip() else []
    return [line.replace(_KEPT, " ") for line in lines]
