"""Verdicts that stand but look doubtful: a quote that is not in the answer, a rationale that says otherwise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from gamut_eval.analysis.source import Source
from gamut_eval.reports.doubts import Doubt, counting, doubts
from gamut_eval.reports.kind import Kind
from gamut_eval.reports.shapes import CheckRef, Column, Section, Table
from gamut_eval.reports.views import Joined, chosen_questions, models_best_first
from gamut_eval.reports.wording import DOUBT_NAMES

LEAD = (
    "These verdicts count as they are. If there are many, the judge copies badly or does not follow its own reasons. "
    "Each reason leads to the first check that has it; the filter of the questions finds all."
)


def _build(source: Source) -> Section | None:
    found: dict[tuple[str, str], list[Doubt]] = defaultdict(list)
    for doubt in doubts(source):
        found[doubt.judge, doubt.flag].append(doubt)
    if not found:
        return None
    judged = dict(counting(source).group_by("judge").len().iter_rows())
    place = _places(source)
    rows = [
        (judge, _first(several, place), len(several), len(several) / judged[judge])
        for (judge, flag), several in sorted(found.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1]))
    ]
    counted = (Column("Verdicts", "count"), Column("Share of its verdicts, %", "percent"))
    columns = (Column("Judge"), Column("What", "check"), *counted)
    return Section("doubts", "Doubtful verdicts", (Table(columns, tuple(rows)),), (LEAD,))


def _first(several: list[Doubt], place: Callable[[Doubt], tuple[object, ...]]) -> CheckRef:
    first = min(several, key=place)
    reason = DOUBT_NAMES.get(first.flag, first.flag)
    return CheckRef(first.question_id, first.check_id, reason, first.model, first.variant, first.sample)


def _places(source: Source) -> Callable[[Doubt], tuple[object, ...]]:
    """Where on the page a doubt is: questions that are not shown come last."""
    shown = set(chosen_questions(source))
    questions = {one.id: (one.id not in shown, n) for n, one in enumerate(source.questions)}
    models = {name: n for n, name in enumerate(models_best_first(source))}
    checks = {(name, check.id): n for name, several in Joined(source).checks.items() for n, check in enumerate(several)}
    return lambda doubt: (
        *(questions[doubt.question_id], doubt.variant, models[doubt.model], doubt.sample),
        *(checks[doubt.question_id, doubt.check_id], doubt.check_id),
    )


REPORT = Kind(order=56, build=_build)
