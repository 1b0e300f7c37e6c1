"""A table as plain HTML, for a notebook; the report's own pages are in ``reports/html``."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import escape

from gamut_eval.reports.shapes import Table, plain
from gamut_eval.reports.wording import shown, visible


def html_table(table: Table) -> str:
    """The table with its title as the caption and its note below, every text escaped.

    Examples
    --------
    >>> from gamut_eval.reports.shapes import Column
    >>> html_table(Table((Column("Model"),), (("<b>",),)))
    '<table><thead><tr><th>Model</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    title, note = plain(table.heading).strip(), plain(table.remarks).strip()
    titles = (f"{column.group}: {column.title}" if column.group else column.title for column in table.columns)
    head = _row("th", titles)
    kinds = [column.kind for column in table.columns]
    rows = "".join(_row("td", map(shown, row, kinds)) for row in table.shown_rows)
    caption = f"<caption>{_safe(title)}</caption>" if title else ""
    below = f"<p>{_safe(note)}</p>" if note else ""
    return f"<table>{caption}<thead>{head}</thead><tbody>{rows}</tbody></table>{below}"


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_safe(cell)}</{tag}>' for cell in cells)}</tr>"


def _safe(text: str) -> str:
    return str(escape(visible(text)))
