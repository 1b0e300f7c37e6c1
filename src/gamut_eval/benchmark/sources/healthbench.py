"""HealthBench: conversations about health with physicians' criteria, each worth points (Arora et al., 2025).

Positive points become tiers by size (our choice): from 7 on answer-critical, from 4 on valuable, below
context. A criterion with negative points describes what an answer must *not* say; no check can say
that, since a check that is not met is an omission, not a fault.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.importing.checks import Line
from gamut_eval.benchmark.importing.fields import Fields, refused
from gamut_eval.benchmark.importing.source import Ledger, Request, Source
from gamut_eval.benchmark.importing.table import text_of
from gamut_eval.benchmark.importing.writing import (
    Draft,
    Drafts,
    counted,
    refuse_output,
    safe_id,
    write_benchmark,
)
from gamut_eval.benchmark.write import write_jsonl
from gamut_eval.errors import Finding, InputError, Place, brief
from gamut_eval.rubric.fields import Tier

_NAMES = {
    "id": ("prompt_id", "id"),
    "prompt": ("prompt",),
    "rubrics": ("rubrics",),
    "tags": ("example_tags",),
}
_FROM = ((7, Tier.ANSWER_CRITICAL), (4, Tier.VALUABLE), (0, Tier.CONTEXT))
_THEME = "theme:"
_OF_A_FAULT = re.compile(
    r"(fails?|failing|omits?|neglects?|misses|incorrectly|wrongly|inaccurately|does not|doesn't)\b"
    r"|.*\b(unsafe|harmful|dangerous|contraindicated)\b",
    re.IGNORECASE,
)

_OF_GOOD_ADVICE = re.compile(
    r"(urges|recommends|advises|encourages|tells)\b.*\b(emergency|urgent|doctor|physician|medical (care|attention))\b",
    re.IGNORECASE,
)


def _run(request: Request, ledger: Ledger) -> str:
    refuse_output(request, [request.file])
    fields, drafts, negative = Fields(_NAMES, request), Drafts(ledger), list[dict[str, Any]]()
    for place, row in fields.rows(("prompt", "rubrics"), ledger):
        draft = _draft(fields, row, place)
        for criterion, points in _criteria(fields.of(row, "rubrics"), place):
            _sort_in(draft, criterion, points, negative, ledger)
        drafts.add(draft.id, draft)
    side = _side_file(request, negative)
    written = write_benchmark(request, Benchmark("healthbench", drafts.questions()))
    if negative:
        write_jsonl(side, negative)
        for row in negative:
            ledger.lose(f"criteria with negative points (listed in {side})", f"{brief(row['criterion'], 40)}")
    return written


def _draft(fields: Fields, row: dict[str, Any], place: Place) -> Draft:
    name = safe_id(fields.of(row, "id")) or f"healthbench-{place.line:05}"
    tags = fields.of(row, "tags")
    themes = [text_of(tag) for tag in tags if text_of(tag).startswith(_THEME)] if isinstance(tags, list) else []
    more = {"domain": themes[0].removeprefix(_THEME)} if themes else {}
    return Draft(name, _question(fields.of(row, "prompt"), place), place, [], more)


def _question(prompt: Any, place: Place) -> str:
    """What the user says; of a longer conversation all of it, each message under its speaker."""
    if isinstance(prompt, str):
        return prompt.strip()
    messages = prompt if isinstance(prompt, list) else None
    if not messages or not all(isinstance(one, Mapping) and isinstance(one.get("content"), str) for one in messages):
        raise refused(place, "'prompt' must be a list of messages, [{role, content}, …]")
    if len(messages) == 1:
        return text_of(messages[0]["content"])
    return "\n\n".join(f"{one.get('role', 'user')}: {one['content'].strip()}" for one in messages)


def _criteria(value: Any, place: Place) -> list[tuple[str, float]]:
    found = []
    for member in value if isinstance(value, list) else [None]:
        entry = member if isinstance(member, Mapping) else {}
        points = entry.get("points")
        if not isinstance(points, int | float) or isinstance(points, bool) or not text_of(entry.get("criterion")):
            raise refused(place, "'rubrics' must be a list of {criterion, points, tags}")
        found.append((text_of(entry["criterion"]), points))
    return found


def _sort_in(draft: Draft, criterion: str, points: float, negative: list[dict[str, Any]], ledger: Ledger) -> None:
    if points < 0:
        if _OF_GOOD_ADVICE.match(criterion):
            what = "criteria that read like good advice but have negative points"
            ledger.flag(what, f"{brief(criterion)} of {draft.id}")
        negative.append({"question_id": draft.id, "criterion": criterion, "points": points})
        return
    if points == 0:
        ledger.lose("criteria worth 0 points", f"{brief(criterion)} of {draft.id}")
        return
    if _OF_A_FAULT.match(criterion):
        ledger.flag("criteria that read like a fault but have positive points", f"{brief(criterion)} of {draft.id}")
    tier = next(tier for least, tier in _FROM if points >= least)
    draft.lines.append(Line(tier, criterion))


def _side_file(request: Request, negative: list[dict[str, Any]]) -> str:
    if not negative:
        return ""
    if request.options.get("negatives", "refuse") != "list":
        first = negative[0]
        message = (
            f"{counted(len(negative), 'criterion').replace('criterions', 'criteria')} with negative points, such as "
            f"{brief(first['criterion'])} ({first['points']:g}) of {first['question_id']}: they say what an answer "
            "must not say, which no check can. --negatives list imports the others and writes these to a file"
        )
        raise InputError([Finding("negative-points", message, file=request.file)])
    if request.output == "-":
        raise InputError("--negatives list needs a file or folder to write beside; name one with -o")
    return f"{request.output.rstrip('/')}.negatives.jsonl"


SOURCE = Source(
    summary="HealthBench: criteria with points; --negatives says what becomes of negative ones.",
    run=_run,
    columns=tuple(_NAMES),
    options=("negatives",),
    example=(
        {
            "prompt_id": "h1",
            "prompt": [{"role": "user", "content": "My chest hurts. What should I do?"}],
            "rubrics": [
                {"criterion": "Urges emergency care.", "points": 10, "tags": ["axis:completeness"]},
                {"criterion": "Asks how long it has hurt.", "points": 4, "tags": []},
                {"criterion": "Is kind.", "points": 1, "tags": []},
            ],
            "example_tags": ["theme:emergency_referrals"],
        },
    ),
)
