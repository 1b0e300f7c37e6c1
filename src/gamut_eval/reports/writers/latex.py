r"""A table for a paper: booktabs, columns as the method's paper has them, ready for ``\input``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from gamut_eval.reports.shapes import Cell, Column, Table, plain
from gamut_eval.reports.wording import shown, visible

_BLANKS = re.compile(r"[^\S\u00a0]+")

_ESCAPES = {
    "\0": "{}",
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "\u00a0": "~",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\symbol{34}",
    "*": "{*}",
    "[": "{[}",
    "]": "{]}",
    "−": "$-$",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "…": r"\dots{}",
    "·": r"\textperiodcentered{}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "λ": r"$\lambda$",
    "μ": r"$\mu$",
    "τ": r"$\tau$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "ρ": r"$\rho$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "→": r"$\rightarrow$",
    "ß": r"\ss{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "å": r"\aa{}",
    "Å": r"\AA{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
}
_LIGATURES = re.compile(r"([-',])(?=\1)")
"""Two of these make another character."""

_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}
_DEFINITION = r"\providecommand{\gamutchar}[2]{\ifdefined\Umathchar\symbol{#1}\else{[}U+#2{]}\fi}"
"""XeLaTeX and LuaLaTeX set a character by its number; pdfLaTeX, which knows few, its code."""

_BETTER = {"highest": max, "lowest": min}


def latex_text(text: str) -> str:
    r"""A text for one line of LaTeX, in ASCII, that is set as it is and does nothing else.

    >>> print(latex_text(r"\input{x} 100% of_é"))
    \textbackslash{}input\{x\} 100\% of\_\'{e}
    """
    line = _BLANKS.sub(" ", visible(text)).strip()
    return "".join(map(_character, _LIGATURES.sub("\\1\0", unicodedata.normalize("NFC", line))))


def _character(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isascii():
        return char
    decomposed = unicodedata.normalize("NFD", char)
    letter, mark = decomposed[0], decomposed[1:]
    if mark in _ACCENTS and letter.isascii() and letter.isalpha():
        return f"\\{_ACCENTS[mark]}{{{letter}}}"
    return f"\\gamutchar{{{ord(char)}}}{{{ord(char):04X}}}"


def latex(tables: Iterable[tuple[str, Table]], *, notes: Sequence[str] = (), wide: bool = False) -> str:
    r"""Tables as floats of their own, each with its title and caution as the caption, and its note as a comment above.

    As in the paper, numbers have one decimal, titles over several columns a rule below, and the best value of a column
    is bold. Rows that do not compare stand apart, each part with best values of its own. The result is ASCII, whatever
    the names, for pdfLaTeX, XeLaTeX and LuaLaTeX.

    Parameters
    ----------
    tables
        Each with its label, of letters, digits and hyphens: it is ``tab:LABEL``.
    notes
        Remarks, as comments on top.
    wide
        Also the columns that the paper's tables do not have: intervals, ranks, numbers of questions.
    """
    bodies = [line for label, table in tables for line in ("", *_float(table if wide else _narrow(table), label))]
    head = [r"% Needs \usepackage{booktabs} in the preamble.", *(f"% {latex_text(note)}" for note in notes)]
    definition = [_DEFINITION] if any(r"\gamutchar" in line for line in bodies) else []
    return "\n".join((*head, *definition, *bodies)) + "\n"


def _narrow(table: Table) -> Table:
    places = [place for place, column in enumerate(table.columns) if not column.beyond_paper]
    columns = tuple(table.columns[place] for place in places)
    return replace(table, columns=columns, rows=tuple(tuple(row[place] for place in places) for row in table.rows))


def _float(table: Table, label: str) -> Iterator[str]:
    if note := latex_text(plain(table.note)):
        yield f"% {note}"
    yield r"\begin{table}"
    yield r"\centering"
    sentences = (latex_text(plain(words)).removesuffix(".") for words in (table.heading, table.caution))
    if caption := " ".join(f"{sentence}." for sentence in sentences if sentence):
        yield f"\\caption{{{caption}}}"
    yield f"\\label{{tab:{label}}}"
    if table.columns:
        yield from _tabular(table)
    yield r"\end{table}"


def _tabular(table: Table) -> Iterator[str]:
    yield f"\\begin{{tabular}}{{{''.join('l' if column.is_text else 'r' for column in table.columns)}}}"
    yield r"\toprule"
    yield from _groups(table.columns)
    yield _line(latex_text(column.short or column.title) for column in table.columns)
    for rows in _parts(table):
        yield r"\midrule"
        best = [_best(column, [row[place] for row in rows]) for place, column in enumerate(table.columns)]
        for row in rows:
            yield _line(_cell(*about) for about in zip(row, table.columns, best, strict=True))
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _parts(table: Table) -> list[list[tuple[Cell, ...]]]:
    """Rows that compare with each other, in the order of their first ones."""
    places = [place for place, column in enumerate(table.columns) if column.apart]
    parts: dict[tuple[Cell, ...], list[tuple[Cell, ...]]] = {}
    for row in table.shown_rows:
        parts.setdefault(tuple(row[place] for place in places), []).append(row)
    return list(parts.values()) or [[]]


def _groups(columns: Sequence[Column]) -> Iterator[str]:
    """Titles over several columns, each with a rule below; nothing where there is none."""
    spans = [(group, len(list(several))) for group, several in groupby(columns, key=lambda column: column.group)]
    if not any(group for group, _ in spans):
        return
    yield _line(f"\\multicolumn{{{n}}}{{c}}{{{latex_text(group)}}}" if group else " & " * (n - 1) for group, n in spans)
    rules, first = [], 1
    for group, n in spans:
        rules += [f"\\cmidrule(lr){{{first}-{first + n - 1}}}"] if group else []
        first += n
    yield " ".join(rules)


def _line(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _best(column: Column, cells: Sequence[Cell]) -> str | None:
    """The best value as it is shown, so that what looks the same is bold alike; None where nothing is best."""
    numbers = [cell for cell in cells if isinstance(cell, int | float)]
    if len(numbers) < 2 or column.best is None:
        return None
    best = shown(_BETTER[column.best](numbers), column.kind)
    return None if all(shown(number, column.kind) == best for number in numbers) else best


def _cell(cell: Cell, column: Column, best: str | None) -> str:
    text = shown(cell, column.kind)
    if column.is_text:
        return latex_text(text)
    number = latex_text(text).replace("-", "$-$")
    return f"\\textbf{{{number}}}" if best is not None and text == best else number
