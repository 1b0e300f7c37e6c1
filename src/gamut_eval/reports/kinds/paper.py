"""The paper's results beside one's own; only where that is asked for."""

from __future__ import annotations

from gamut_eval.analysis.source import Source
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.published import WARNING
from gamut_eval.reports.shapes import Note, Section
from gamut_eval.reports.tables.paper import paper_table


def _build(source: Source) -> Section | None:
    if not source.published:
        return None
    return Section("paper", "Beside the paper", (Note((WARNING,), "warning"), paper_table(source)))


REPORT = Kind(order=15, build=_build)
