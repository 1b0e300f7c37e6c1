"""Every question with its responses, and what each judge said of each check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gamut_eval.analysis.source import Source
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.shapes import Note, Questions, Section
from gamut_eval.reports.views import chosen_questions, question_views

LEAD = (
    "Each strip has a mark a check, in the same order for every model, Answer-Critical checks first. "
    "Open an answer to read it beside its checks, with the words that a judge quoted marked."
)


def _build(source: Source) -> Section:
    chosen = chosen_questions(source)
    views = question_views(source.where(questions=chosen))
    return Section("questions", "Questions", (*_note(source, chosen), Questions(views)), (LEAD,))


def _note(source: Source, chosen: Sequence[str]) -> Iterator[Note]:
    if len(chosen) < len(source.questions):
        shown = f"{len(chosen):,} of {len(source.questions):,} questions are shown here in full"
        yield Note((f"{shown}; all are in the numbers above. Others: gamut report RUN --question ID.",))


REPORT = Kind(order=60, build=_build)
