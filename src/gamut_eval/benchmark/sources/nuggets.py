"""Nuggets of the AutoNuggetizer (Pradeep et al., 2024), as in the TREC RAG track: vital or okay.

Vital nuggets become answer-critical checks, okay ones valuable checks (our choice). Files with
assignments repeat a query's nuggets for each run; they are read once, without the assignments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.importing.checks import Line
from gamut_eval.benchmark.importing.fields import Fields, refused
from gamut_eval.benchmark.importing.source import Ledger, Request, Source
from gamut_eval.benchmark.importing.table import text_of
from gamut_eval.benchmark.importing.writing import Draft, Drafts, counted, refuse_output, safe_id, write_benchmark
from gamut_eval.errors import Place
from gamut_eval.rubric.fields import Tier

_NAMES = {
    "id": ("qid", "query_id", "topic_id", "task_id", "id"),
    "question": ("query", "question", "topic"),
    "nuggets": ("nuggets",),
}
_TIERS = {"vital": Tier.ANSWER_CRITICAL, "okay": Tier.VALUABLE, "ok": Tier.VALUABLE}


def _run(request: Request, ledger: Ledger) -> str:
    refuse_output(request, [request.file])
    fields, found, repeated = Fields(_NAMES, request), dict[str, Draft](), 0
    for place, row in fields.rows(("id", "question", "nuggets"), ledger):
        repeated += _is_repeated(found, _draft(fields, row, place, ledger))
    if repeated:
        ledger.note(f"{counted(repeated, 'row')} repeating a query's nuggets (for several runs, say): read once")
    drafts = Drafts(ledger)
    for draft in found.values():
        drafts.add(draft.id, draft)
    return write_benchmark(request, Benchmark("nuggets", drafts.questions()))


def _draft(fields: Fields, row: dict[str, Any], place: Place, ledger: Ledger) -> Draft:
    name, question = safe_id(fields.of(row, "id")), fields.of(row, "question")
    if isinstance(question, Mapping):  # the query with its id, as the tool's own requests have it
        question = question.get("text")
    if not name:
        raise refused(place, "the query has no id")
    nuggets = fields.of(row, "nuggets")
    if not isinstance(nuggets, list):
        raise refused(place, f"the nuggets of {name!r} are no list")
    lines = [line for one in nuggets if (line := _line(one, name, place, ledger))]
    return Draft(name, text_of(question), place, lines)


def _line(entry: Any, name: str, place: Place, ledger: Ledger) -> Line | None:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("text"), str):
        raise refused(place, f"a nugget of {name!r} is no mapping with a 'text' and an 'importance'")
    importance = text_of(entry.get("importance")).lower()
    if importance in ("", "failed"):
        ledger.lose("nuggets without importance", f"{entry['text']!r} of {name}")
        return None
    if importance not in _TIERS:
        raise refused(place, f"the importance {importance!r} of {entry['text']!r} is neither vital nor okay")
    return Line(_TIERS[importance], text_of(entry["text"]))


def _is_repeated(found: dict[str, Draft], draft: Draft) -> bool:
    first = found.setdefault(draft.id, draft)
    if first.lines != draft.lines:
        message = f"the query {draft.id!r} has other nuggets than at {first.place}; import one set of nuggets at a time"
        raise refused(draft.place, message, "duplicate-id")
    return first is not draft


SOURCE = Source(
    summary="Nuggets, vital or okay, as the AutoNuggetizer and the TREC RAG track have them.",
    run=_run,
    columns=tuple(_NAMES),
    example=(
        {
            "qid": "2024-1",
            "query": "how is bread made",
            "nuggets": [
                {"text": "Bread is made from flour and water.", "importance": "vital"},
                {"text": "Sourdough needs no yeast from a shop.", "importance": "okay"},
            ],
        },
    ),
)
