"""The paper's own benchmark, as its authors release it: questions with binary rubrics, in two splits.

Its exact columns are not fixed here: they are found by name and shape, and in doubt the user is asked.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.importing.checks import Line, NotChecksError
from gamut_eval.benchmark.importing.columns import (
    ROW_NUMBER,
    Columns,
    find_layout,
    looks_like_ids,
    looks_like_questions,
)
from gamut_eval.benchmark.importing.locate import data_files, splits_in
from gamut_eval.benchmark.importing.source import Ledger, Request, Source
from gamut_eval.benchmark.importing.table import Row, Table, is_bare_number, read_table, text_of
from gamut_eval.benchmark.importing.tiers import TierNames
from gamut_eval.benchmark.importing.writing import (
    ANOTHER_ID,
    FOLDER,
    Draft,
    Drafts,
    counted,
    next_step,
    refuse_output,
    safe_id,
    write_benchmark,
)
from gamut_eval.errors import Finding, InputError, Place

WITH_IMAGE, TEXT_ONLY = "test", "test_text_only"
LICENSE = "CC-BY-NC-4.0"
_TERMS = "The data are licensed CC-BY-NC-4.0: they may not be redistributed or used commercially."
_CRAG_MM = "crag-mm-2025/crag-mm-single-turn-public"
_OTHER = ("domain", "subject", "split")


@dataclass
class _Asked:
    """A question in one variant, as a table has it."""

    id: str
    question: str
    text_only: str
    lines: list[Line]
    more: dict[str, str]
    place: Place
    shown: bool = True


def _run(request: Request, ledger: Ledger) -> str:
    ending = refuse_output(request, [request.file])
    tiers = TierNames(request.options.get("tier"))
    asked, origin = _both(request, tiers, ledger)
    drafts = Drafts(ledger)
    for one in asked:
        if is_bare_number(one.more.get("domain")):
            number = one.more.pop("domain")
            ledger.lose("domains that are numbers without names, now 'unknown'", f"{number} of {one.id}")
        drafts.add(one.id, Draft(one.id, one.question, one.place, one.lines, _more(one)))
    questions = drafts.questions()
    shown = {one.id for one in asked if one.shown}
    if without := [one.id for one in questions if one.text_only is None and one.id in shown]:
        ledger.note(
            f"{counted(len(without), 'question')} with no text-only form (such as {without[0]}): until it has its "
            "image, each is asked as it stands"
        )
    description = f"Imported from {origin}. {_TERMS}"
    written = write_benchmark(request, Benchmark("gamut", questions, license=LICENSE, description=description))
    if ending == FOLDER:
        written += next_step("For its images", "gamut import crag-mm", _CRAG_MM, "-o", request.output)
    return written


def _more(one: _Asked) -> dict[str, str]:
    return {**one.more, **({"text_only": one.text_only} if one.text_only else {})}


def _both(request: Request, tiers: TierNames, ledger: Ledger) -> tuple[list[_Asked], str]:
    """The questions, with the texts of both variants where both are there, and a word on where they come from."""
    chosen, other = request.options.get("split"), request.options.get("text_only")
    if chosen and other:
        raise InputError("--split and --text-only do not go together; give the two files, or one split")
    if other:
        first, origin = _read(request, request.file, WITH_IMAGE, tiers, ledger)
        second, more = _read(request, other, TEXT_ONLY, tiers, ledger, only_texts=True)
        return _joined(first, second, ledger), f"{origin} and {more}"
    splits = [chosen] if chosen else splits_in(request.file, (WITH_IMAGE, TEXT_ONLY)) or [WITH_IMAGE]
    if len(splits) == 1 or data_files(request.file, splits[0])[0] == data_files(request.file, splits[1])[0]:
        return _read(request, request.file, splits[0], tiers, ledger)
    first, origin = _read(request, request.file, WITH_IMAGE, tiers, ledger)
    second, more = _read(request, request.file, TEXT_ONLY, tiers, ledger, only_texts=True)
    return _joined(first, second, ledger), " and ".join(dict.fromkeys((origin, more)))


def _joined(first: list[_Asked], second: list[_Asked], ledger: Ledger) -> list[_Asked]:
    texts = {one.id: one for one in second}
    for one in first:
        other = texts.pop(one.id, None)
        if other is not None:
            one.text_only = other.question
            if other.lines and _plain(other.lines) != _plain(one.lines):
                ledger.lose("rubrics of the text-only split that differ from those with the image", one.id)
    if texts:
        n = counted(len(texts), "question")
        ledger.note(f"{n} only in the text-only split (such as {next(iter(texts))}): asked text-only")
    return [*first, *texts.values()]


def _plain(lines: list[Line]) -> list[tuple[str, str]]:
    return sorted((line.tier.value, line.text) for line in lines)


def _read(
    request: Request, file: str, split: str, tiers: TierNames, ledger: Ledger, *, only_texts: bool = False
) -> tuple[list[_Asked], str]:
    files, origin = data_files(file, split)
    found: list[_Asked] = []
    for one in files:
        table = read_table(one)
        # The second split repeats the checks, or leaves them out.
        rows = _asked(request, table, tiers, ledger, need_checks=not only_texts)
        found += [replace(row, shown=split != TEXT_ONLY) for row in rows]
    return found, origin


def _command(request: Request) -> str:
    return f"gamut import gamut {shlex.quote(request.file)} -o {shlex.quote(request.output)}"


def _asked(request: Request, table: Table, tiers: TierNames, ledger: Ledger, *, need_checks: bool) -> list[_Asked]:
    given, table = request.columns, table.with_paths(request.columns.values())
    if not need_checks:
        given = {ours: theirs for ours, theirs in given.items() if theirs in (*table.columns, ROW_NUMBER)}
    columns = Columns(table, given, _command(request))
    name = columns.find("id")
    question = columns.need("question", looks_like_questions)
    columns.find("text_only")
    for ours in _OTHER:
        columns.find(ours)
    try:
        layout = find_layout(columns, tiers)
    except InputError:
        if need_checks:
            raise
        layout = None
    name = name or columns.need("id", None if layout and layout.grouped else looks_like_ids)
    wanted = [one for one in columns.used.values() if one != ROW_NUMBER]
    unused_fields: dict[str, None] = {}
    found: dict[str, _Asked] = {}
    for place, row in table.rows(list(dict.fromkeys(wanted))):
        one = _one(row, place, name, question, columns.used)
        if layout:
            one.lines = _lines(layout.lines, row, place)
            unused_fields |= {field: None for line in one.lines for field in line.unused}
        _collect(found, one, ledger, grouped=bool(layout and layout.grouped))
    _say_unused(ledger, table, columns.unused(), unused_fields)
    return list(found.values())


def _one(row: Row, place: Place, name: str, question: str, used: Mapping[str, str]) -> _Asked:
    identity = f"q{place.line:05}" if name == ROW_NUMBER else safe_id(row.get(name))
    if not identity:
        raise InputError([Finding("columns", f"the id in {name!r} is empty", file=place.file, line=place.line)])
    given = {ours: row.get(used[ours]) for ours in _OTHER if ours in used}
    more = {ours: str(one) if is_bare_number(one) else text_of(one) for ours, one in given.items()}
    text_only = text_of(row.get(used["text_only"])) if "text_only" in used else ""
    return _Asked(
        identity, text_of(row.get(question)), text_only, [], {ours: one for ours, one in more.items() if one}, place
    )


def _lines(read: Any, row: Row, place: Place) -> list[Line]:
    try:
        return list(read(row))
    except NotChecksError as error:
        message = f"the checks of this row cannot be read: {error}; the rows before can, so look at this one"
        raise InputError([Finding("columns", message, file=place.file, line=place.line)]) from None


def _collect(found: dict[str, _Asked], one: _Asked, ledger: Ledger, *, grouped: bool) -> None:
    first = found.setdefault(one.id, one)
    if first is one:
        return
    if grouped and first.question == one.question:
        if one.lines and all(line in first.lines for line in one.lines):
            ledger.repeat(one.id)
        else:
            first.lines += one.lines
    elif replace(one, place=first.place) == first:
        ledger.repeat(one.id)
    else:
        what = "has other contents" if first.question == one.question else "is worded otherwise"
        message = f"the question {one.id!r} {what} at {first.place}; {ANOTHER_ID}"
        raise InputError([Finding("duplicate-id", message, file=one.place.file, line=one.place.line)])


def _say_unused(ledger: Ledger, table: Table, columns: list[str], fields: Mapping[str, None]) -> None:
    if columns:
        ledger.note(f"{table.file}: columns not taken over: {', '.join(columns)}")
    if fields:
        ledger.note(f"{table.file}: fields of checks not taken over: {', '.join(fields)}")


def _examples() -> Iterator[dict[str, Any]]:
    for n in (1, 2):
        checks = [
            {"tier": "Answer-Critical", "criterion": f"The dish in picture {n} is an espresso."},
            {"tier": "Valuable", "criterion": "An espresso is brewed under pressure."},
        ]
        question = {"question": "What is this, and how is it made?", "text_only": "How is an espresso made?"}
        yield {"id": f"g{n}", "domain": "food", **question, "binary_rubric": checks}


SOURCE = Source(
    summary="The paper's benchmark: a local file or folder, or facebook/GAMUT on the hub (extra 'hub').",
    run=_run,
    columns=("id", "question", "text_only", "domain", "subject", "split", "checks", "tier"),
    options=("split", "text_only", "tier"),
    example=tuple(_examples()),
)
