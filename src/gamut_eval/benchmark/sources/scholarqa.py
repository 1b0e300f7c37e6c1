"""ScholarQA-CS: research questions with the ingredients that experts want in an answer (Asai et al., 2024).

Most important ingredients become answer-critical checks, nice-to-have ones valuable checks (our
choice). The weights, the excerpts, and the terms for length and style are not taken over. Where two
annotators wrote rubrics for one question, each rubric is a question with the annotator in its id, and
both are in one group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.importing.checks import Line
from gamut_eval.benchmark.importing.fields import Fields, refused
from gamut_eval.benchmark.importing.source import Ledger, Request, Source
from gamut_eval.benchmark.importing.table import text_of
from gamut_eval.benchmark.importing.writing import Draft, Drafts, counted, refuse_output, safe_id, write_benchmark
from gamut_eval.errors import Place, UnknownNameError
from gamut_eval.hashing import sha256
from gamut_eval.rubric.fields import Tier, slug

# The names after the first are those of the original release, whose criteria are under metric_config.
_NAMES = {
    "id": ("id", "case_id"),
    "question": ("question", "initial_prompt"),
    "criteria": ("criteria", "metric_config"),
    "annotator": ("annotator",),
}
_TIERS = {"most_important": Tier.ANSWER_CRITICAL, "nice_to_have": Tier.VALUABLE}


def _run(request: Request, ledger: Ledger) -> str:
    refuse_output(request, [request.file])
    rows = _rows(request, ledger)
    if chosen := request.options.get("annotator"):
        known = sorted({annotator for *_, annotator, _ in rows})
        if chosen not in known:
            raise UnknownNameError("annotator", chosen, known)
        kept = [row for row in rows if row[2] == chosen]
        ledger.note(f"of {chosen}: {len(kept):,} of {counted(len(rows), 'rubric')}")
        rows = kept
    times = Counter(name for name, *_ in rows)
    drafts = Drafts(ledger)
    for name, question, annotator, draft in rows:
        draft.question = question
        if times[name] > 1:
            draft.id, draft.more["group"] = f"{name}-{slug(annotator) or 'annotator'}", name
        drafts.add(name, draft)
    return write_benchmark(request, Benchmark("scholarqa", drafts.questions(), license="ODC-BY-1.0"))


def _rows(request: Request, ledger: Ledger) -> list[tuple[str, str, str, Draft]]:
    """Each row's id, question and annotator, and a draft with its checks."""
    fields, rows = Fields(_NAMES, request), []
    for place, row in fields.rows(("question", "criteria"), ledger):
        question, annotator = text_of(fields.of(row, "question")), text_of(fields.of(row, "annotator"))
        name = safe_id(fields.of(row, "id")) or sha256(question)[:32]
        lines = [_line(one, place, ledger) for one in _criteria(fields.of(row, "criteria"), place)]
        rows.append((name, question, annotator, Draft(name, "", place, lines, {"domain": "computer science"})))
    ledger.note("weights, excerpts, and the terms for length and style are not taken over: the tiers weigh instead")
    return rows


def _criteria(value: Any, place: Place) -> list[Any]:
    if isinstance(value, Mapping):
        value = value.get("config", value)
        value = value.get("other_properties") if isinstance(value, Mapping) else None
    if not isinstance(value, list):
        raise refused(place, "has no list of criteria, nor one under metric_config.config.other_properties")
    return value


def _line(entry: Any, place: Place, ledger: Ledger) -> Line:
    if not isinstance(entry, Mapping) or not text_of(entry.get("criterion")):
        raise refused(place, "a criterion is no mapping with a text under 'criterion'")
    name = text_of(entry.get("name"))
    told = text_of(entry.get("tier")) or name.partition("_item")[0]
    if told not in _TIERS:
        raise refused(place, f"the tier {told!r} of {name!r} is neither most_important nor nice_to_have")
    return Line(_TIERS[told], text_of(entry["criterion"]), name or None)


def _example(annotator: str, text: str) -> dict[str, Any]:
    criteria = [
        {"name": "most_important_item_0", "tier": "most_important", "criterion": text, "weight": 0.4, "evidence": []},
        {"name": "nice_to_have_item_0", "tier": "nice_to_have", "criterion": "Name a tool.", "weight": 0.2},
    ]
    return {"id": "s1", "question": "What is type inference?", "annotator": annotator, "criteria": criteria}


SOURCE = Source(
    summary="ScholarQA-CS: most_important and nice_to_have criteria, in either layout.",
    run=_run,
    columns=tuple(_NAMES),
    options=("annotator",),
    example=(_example("Annotator 1", "Define type inference."), _example("Annotator 2", "Say what is inferred.")),
)
