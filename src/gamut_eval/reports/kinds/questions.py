"""Every question with its responses, and what each judge said of each check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from gamut_eval.analysis.source import Source
from gamut_eval.records import Response
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.shapes import Note, Questions, Section
from gamut_eval.reports.views import question_views

LEAD = (
    "Each strip has a mark a check, in the same order for every model, Answer-Critical checks first. "
    "Open an answer to read it beside its checks, with the words that a judge quoted marked."
)


MOST_CHARACTERS = 12_000_000
"""More would make a page that browsers open slowly."""
_A_VERDICT = 700
"""What a verdict takes on the page, with its check, quote and reason."""


def _build(source: Source) -> Section:
    chosen = chosen_questions(source)
    views = question_views(source.narrowed(chosen))
    return Section("questions", "Questions", (*_note(source, chosen), Questions(views)), (LEAD,))


def chosen_questions(source: Source) -> list[str]:
    """The questions asked for, else all, as far as the page has room; at least one."""
    n_verdicts = dict(source.verdicts.group_by("question_id").len().iter_rows())
    responses: dict[str, list[Response]] = defaultdict(list)
    for response in source.responses:
        responses[response.question_id].append(response)
    wanted = source.only or tuple(question.id for question in source.questions)
    room, chosen = MOST_CHARACTERS, list[str]()
    for name in wanted:
        room -= _A_VERDICT * n_verdicts.get(name, 0) + sum(len(response.text or "") for response in responses[name])
        if room < 0 and chosen:
            break
        chosen.append(name)
    return chosen


def _note(source: Source, chosen: Sequence[str]) -> Iterator[Note]:
    if len(chosen) < len(source.questions):
        shown = f"{len(chosen):,} of {len(source.questions):,} questions are shown here in full"
        yield Note((f"{shown}; all are in the numbers above. Others: gamut report RUN --question ID.",))


REPORT = Kind(order=60, build=_build)
