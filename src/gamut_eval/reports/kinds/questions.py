"""Every question with its responses, and what each judge said of each check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from gamut_eval.analysis.source import Source
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.shapes import Note, Questions, Section
from gamut_eval.reports.views import question_views

LEAD = (
    "Each strip has a mark a check, in the same order for every model, Answer-Critical checks first. "
    "Open an answer to read it beside its checks, with the words that a judge quoted marked."
)


MOST_CHARACTERS = 15_000_000
"""More would make a page that browsers open slowly."""
_A_VERDICT = 700
"""What a verdict takes on the page, with its check, quote and reason."""


def _build(source: Source) -> Section:
    chosen = chosen_questions(source)
    views = question_views(source.narrowed(chosen))
    return Section("questions", "Questions", (*_note(source, chosen), Questions(views)), (LEAD,))


def chosen_questions(source: Source) -> list[str]:
    """The questions asked for, else all, as far as the page has room; at least one."""
    sizes: Counter[str] = Counter()
    for name, n in source.verdicts.group_by("question_id").len().iter_rows():
        sizes[name] += _A_VERDICT * n
    for response in source.responses:
        sizes[response.question_id] += len(response.text or "")
    wanted = source.only or tuple(question.id for question in source.questions)
    room = sum(total <= MOST_CHARACTERS for total in accumulate(sizes[name] for name in wanted))
    return list(wanted[: max(1, room)])


def _note(source: Source, chosen: Sequence[str]) -> Iterator[Note]:
    if len(chosen) < len(source.questions):
        shown = f"{len(chosen):,} of {len(source.questions):,} questions are shown here in full"
        yield Note((f"{shown}; all are in the numbers above. Others: gamut report RUN --question ID.",))


REPORT = Kind(order=60, build=_build)
