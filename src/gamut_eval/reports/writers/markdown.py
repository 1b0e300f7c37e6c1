"""A table in GitHub's Markdown, in which no name does anything but be read."""

from __future__ import annotations

import re

from gamut_eval.reports.shapes import Column, Table, Words, plain
from gamut_eval.reports.wording import shown, visible

_JOINER = "\u2060"
"""Nobody sees it, and it parts what a renderer would make a link or a mention of: these act on the text that escapes
leave, so that escapes do not help."""

_MARKUP = re.compile(r"[\\`*_\[\]|~$]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ACTIVE = re.compile(r"(?<=:)(?=//)|(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=\bwww)(?=\.)|(?<=\bgh)(?=-\d)", re.IGNORECASE)
_EMOJI = re.compile(r"(?<=:)(?=[\w+-]+:)")
_BLANKS = re.compile(r"\s+")
_FIRST = re.compile(r"^(\d*)(?=[.)+#=-])")
"""What a list, a heading or a rule begins with, up to the mark that makes it one."""


def markdown_text(text: str) -> str:
    r"""A text for one line of Markdown, that is shown as it is.

    Markup is escaped; addresses, ``@mentions``, ``#1`` and ``:emoji:`` get an invisible word joiner (U+2060), since
    renderers look for them in the finished text. Line breaks become blanks.

    >>> print(markdown_text("a|b <i> *c*\n[d](e)"))
    a\|b &lt;i&gt; \*c\* \[d\](e)
    """
    line = _BLANKS.sub(" ", visible(text)).strip()
    line = _EMOJI.sub(_JOINER, _ACTIVE.sub(_JOINER, line))
    escaped = _MARKUP.sub(lambda found: f"\\{found.group()}", line)
    return re.sub("[&<>]", lambda found: _ENTITIES[found.group()], escaped)


def markdown(table: Table) -> str:
    """The table with its title above and its note below; numbers as people read them, ``n/a`` where undefined.

    Examples
    --------
    >>> table = Table((Column("Model"), Column("Gamut", "percent")), (("a", 0.587), ("b", None)), note=("A note.",))
    >>> print(markdown(table), end="")
    | Model | Gamut |
    | :-- | --: |
    | a | 58.7 |
    | b | n/a |
    <BLANKLINE>
    A note.
    """
    title, note = _paragraph(table.heading), _paragraph(table.remarks)
    parts = (f"**{title}**" if title else "", _grid(table) if table.columns else "", note)
    return "\n".join(f"{part}\n" for part in parts if part)


def _grid(table: Table) -> str:
    titles = [_title(column) for column in table.columns]
    sides = [":--" if column.is_text else "--:" for column in table.columns]
    rows = [
        [markdown_text(shown(cell, column.kind)) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.shown_rows
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, sides, *rows))


def _title(column: Column) -> str:
    """Markdown has no titles over several columns: a group's stands before that of each column."""
    return markdown_text(f"{column.group}: {column.title}" if column.group else column.title)


def _paragraph(words: Words) -> str:
    """A line that begins as a paragraph does, whatever it begins with."""
    return markdown_paragraph(plain(words))


def markdown_paragraph(text: str) -> str:
    r"""A text for a paragraph of its own: it begins no list, heading or rule.

    >>> markdown_paragraph("1. a"), markdown_paragraph("- b")
    ('1\\. a', '\\- b')
    """
    return _FIRST.sub(r"\1\\", markdown_text(text))
