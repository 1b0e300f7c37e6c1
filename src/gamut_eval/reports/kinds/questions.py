"""Every question with its responses, and what each judge said of each check."""

from __future__ import annotations

from gamut_eval.reports.kind import Kind
from gamut_eval.reports.shapes import Questions, Section
from gamut_eval.reports.source import Source
from gamut_eval.reports.views import question_views

LEAD = (
    "Each strip has a mark a check, in the same order for every model, Answer-Critical checks first. "
    "Open an answer to read it beside its checks, with the words that a judge quoted marked."
)


def _build(source: Source) -> Section:
    return Section("questions", "Questions", (Questions(question_views(source)),), (LEAD,))


REPORT = Kind(order=60, build=_build)
