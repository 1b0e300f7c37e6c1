"""What came of comparing runs: tables, and the same as data, in every format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from markupsafe import escape

from gamut_eval.analysis.inference import Inference
from gamut_eval.reports.shapes import Table, plain
from gamut_eval.reports.table_kind import Tabulated
from gamut_eval.reports.wording import visible
from gamut_eval.reports.writers.csv import csv_text, stacked
from gamut_eval.reports.writers.html import html_table
from gamut_eval.reports.writers.latex import latex
from gamut_eval.reports.writers.markdown import markdown, markdown_paragraph

_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 40


@dataclass(frozen=True)
class ComparedRuns:
    """Tables of one run, or of several, by name; `gamut_eval.compare` makes it.

    ``found`` has for each table what it shows, or None where there is nothing for it. ``notes`` say what was left out,
    renamed or scored otherwise so that the runs can be compared: numbers are to be read with them. ``benchmark`` and
    ``scoring`` are as in ``scores.json``; ``runs`` has what each run is, ``inference`` how intervals were made.
    """

    benchmark: Mapping[str, Any]
    scoring: Mapping[str, Any]
    composite: str
    runs: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]
    inference: Inference
    found: Mapping[str, Tabulated | None]

    @property
    def tables(self) -> dict[str, tuple[Table, ...]]:
        """The tables by name, in the order in which they are shown; those that have nothing are not among them."""
        return {name: tabulated.tables for name, tabulated in self.found.items() if tabulated is not None}

    @property
    def absent(self) -> list[str]:
        """The tables that were asked for and have nothing to show."""
        return [name for name, tabulated in self.found.items() if tabulated is None]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: what was compared and how, then a field a table. Scores are fractions, undefined is None."""
        tables = {name: None if tabulated is None else tabulated.data for name, tabulated in self.found.items()}
        return {
            "benchmark": dict(self.benchmark),
            "scoring": dict(self.scoring),
            "composite": self.composite,
            "runs": [dict(run) for run in self.runs],
            "notes": list(self.notes),
            "inference": asdict(self.inference),
            **tables,
        }

    def to_markdown(self) -> str:
        """Notes and tables in GitHub's Markdown; see `markdown`."""
        notes = [f"{markdown_paragraph(note)}\n" for note in self.notes]
        return "\n".join((*notes, *(markdown(table) for _, table in self._each())))

    def to_latex(self, *, wide: bool = False) -> str:
        """All tables for a paper, notes as comments; see `latex`, also for ``wide``."""
        labelled = [(f"gamut-{name}", table) for name, table in self._each()]
        return latex(labelled, notes=self.notes, wide=wide)

    def to_csv(self) -> dict[str, str]:
        """CSV texts by a name for their file, without ending; see `csv_text`.

        Tables that differ only in what they are of (a variant, a judge) are one text, with a first column that says so.
        """
        texts: dict[str, str] = {}
        for name, tables in self.tables.items():
            grouped: dict[str, dict[str, Table]] = {}
            for table in tables:
                of = plain(table.of)
                several = grouped.setdefault(plain(table.title), {})
                several[of if of not in several else f"{of} ({len(several) + 1})"] = table
            for place, (what, several) in enumerate(grouped.items(), 1):
                file = _name(name) if len(grouped) == 1 else f"{_name(name)}-{place}-{_name(what)}".rstrip("-")
                texts[file] = csv_text(several[""]) if list(several) == [""] else stacked(several)
        return texts

    def _each(self) -> Iterator[tuple[str, Table]]:
        """Each table with a name that no other has."""
        for name, tables in self.tables.items():
            for place, table in enumerate(tables, 1):
                yield (_name(name) if len(tables) == 1 else f"{_name(name)}-{place}", table)

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(visible(note))}</p>" for note in self.notes)
        return notes + "".join(html_table(table) for _, table in self._each())


def _name(text: str) -> str:
    """A part of a file's name, whatever the text."""
    return _NOT_IN_A_NAME.sub("-", text.lower())[:_LONGEST_NAME].strip("-")
