"""Answers that other tools wrote, as a file of responses that `gamut judge` reads.

Not a benchmark: the columns are found by their names, questions by id or, with ``--benchmark``, by
their wording.
"""

from __future__ import annotations

import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from gamut_eval.benchmark.importing.columns import Columns, looks_like_ids, looks_like_names
from gamut_eval.benchmark.importing.fields import refused, tables
from gamut_eval.benchmark.importing.source import Ledger, Request, Source
from gamut_eval.benchmark.importing.table import Row, Table, text_of, unpacked
from gamut_eval.benchmark.importing.tiers import normal
from gamut_eval.benchmark.importing.writing import counted, next_step
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.write import write_jsonl
from gamut_eval.errors import Finding, InputError, Place, brief
from gamut_eval.files import refuse_overwriting
from gamut_eval.records import VARIANTS, Variant, response_from_dict

_VARIANTS: dict[str, Variant] = {
    **dict.fromkeys(("image", "withimage", "multimodal", "mm", "vision"), "image"),
    **dict.fromkeys(("textonly", "text", "notimage", "noimage", "testtextonly"), "text_only"),
}
_ANSWERING, _ASKING = ("assistant", "gpt", "model"), ("user", "human")
_ENDINGS = (".jsonl", ".ndjson")


@dataclass
class _Known:
    """The questions of the benchmark that the responses are to, by id and by wording."""

    by_id: Mapping[str, Question] = field(default_factory=dict)
    by_text: Mapping[str, list[tuple[str, Variant]]] = field(default_factory=dict)


def _run(request: Request, ledger: Ledger) -> str:
    _refuse_output(request)
    known = _known(request.options.get("benchmark"))
    rows: list[dict[str, Any]] = []
    for table in tables(request):
        reading = _Reading(request, table, known, ledger)
        for place, row in table.rows():
            rows += reading.responses(row, place)
    if not rows:
        raise InputError([Finding("no-responses", "holds no response to take over", file=request.file)])
    _number(rows, ledger)
    places = [row.pop("place") for row in rows]
    for row, place in zip(rows, places, strict=True):
        response_from_dict(row, place)
    write_jsonl(request.output, rows)
    models = {row["model"] for row in rows}
    said = f"Wrote {counted(len(rows), 'response')} of {counted(len(models), 'model')} to {request.output}."
    if request.output == "-":
        return said
    known_as = request.options.get("benchmark") or "BENCHMARK"
    given = ("--responses", request.output, "--judge", "JUDGE", "--run", "DIR")
    return said + next_step("Next", "gamut judge", known_as, *given)


def _refuse_output(request: Request) -> None:
    if request.output != "-" and not request.output.endswith(_ENDINGS):
        message = "responses are written as JSONL; name a file that ends in .jsonl, or - for standard output"
        raise InputError([Finding("unwritable", message, file=request.output)])
    refuse_overwriting([request.file], request.output)


def _known(path: str | None) -> _Known | None:
    if path is None:
        return None
    benchmark = load_benchmark(path)
    by_text: dict[str, list[tuple[str, Variant]]] = {}
    for question in benchmark.questions:
        variants: tuple[Variant, ...] = question.variants
        for variant in variants:
            by_text.setdefault(_wording(question.asked(variant)), []).append((question.id, variant))
    return _Known(benchmark.by_id, by_text)


def _wording(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


class _Reading:
    """Reads the rows of one table."""

    def __init__(self, request: Request, table: Table, known: _Known | None, ledger: Ledger) -> None:
        self.known, self.ledger = known, ledger
        self.fixed = {name: request.options.get(name) for name in ("model", "variant")}
        command = f"gamut import responses {shlex.quote(request.file)} -o {shlex.quote(request.output)}"
        columns = Columns(table, request.columns, command)
        table = columns.table
        self.id, self.question = columns.find("question_id"), columns.find("question")
        self.response = columns.find("response") or columns.doubt("response", fits=_look_like_answers)
        if self.question is None and any(_messages(row.get(self.response)) for row in table.sample):
            self.question = self.response
        if self.id is None and (self.question is None or known is None):
            why = "cannot tell which column has the question's id, nor, with --benchmark BENCH, its wording"
            columns.doubt("question_id", why, fits=looks_like_ids)
        self.error, self.sample = columns.find("error"), columns.find("sample")
        self.model = None if self.fixed["model"] else columns.find("model")
        if not self.fixed["model"] and self.model is None:
            why = "cannot tell which column is the 'model' (or give --model NAME)"
            columns.doubt("model", why, fits=looks_like_names, instead="--model NAME")
        self.variant = None if self.fixed["variant"] else columns.find("variant")
        self.rest = {name: name for name in columns.unused() if name not in table.bulky}
        if ours := [name for name in self.rest if name in SOURCE.columns]:
            self.rest |= {name: f"{name}_column" for name in ours}
            ledger.note(
                f"{table.file}: columns with names of ours, kept as {', '.join(self.rest[name] for name in ours)}"
            )
        if bulky := [name for name in columns.unused() if name in table.bulky]:
            ledger.note(f"{table.file}: columns of bytes not taken over: {', '.join(bulky)}")

    def responses(self, row: Row, place: Place) -> Iterator[dict[str, Any]]:
        """The responses of one row: one, or one a sample where it holds a list."""
        name, meant = self._question(row, place)
        if not name:
            return
        model = self.fixed["model"] or text_of(row.get(self.model or ""))
        if not model:
            raise refused(place, "the model is empty; fill it in, or give --model NAME")
        variant = self._variant(row, place, name, meant)
        base = {"question_id": name, "model": model, "variant": variant}
        more = {kept: row[key] for key, kept in self.rest.items() if row.get(key) is not None and _kept(row[key])}
        answers, sample = self._answers(row, place), self._sample(row, place)
        for at, answer in enumerate(answers):
            numbered = {"sample": at if len(answers) > 1 else sample}
            yield {**base, **{k: v for k, v in numbered.items() if v is not None}, **answer, **more, "place": place}

    def _question(self, row: Row, place: Place) -> tuple[str, Variant | None]:
        """The question's id, empty where the benchmark has no such question, and the variant its wording shows."""
        name = text_of(row.get(self.id or ""))
        if self.known is None:
            if not name:
                raise refused(place, "the question's id is empty")
            return name, None
        if name in self.known.by_id:
            return name, None
        found = self.known.by_text.get(_wording(_asked_in(row.get(self.question or ""))), [])
        ids = {one for one, _ in found}
        if len(ids) == 1:
            variants = {variant for _, variant in found}
            return ids.pop(), variants.pop() if len(variants) == 1 else None
        shown = name or brief(_asked_in(row.get(self.question or "")))
        what = "rows to questions that the benchmark does not have" if not ids else "rows that fit several questions"
        self.ledger.lose(what, f"{shown} at {place}")
        return "", None

    def _variant(self, row: Row, place: Place, name: str, meant: Variant | None) -> str:
        if self.fixed["variant"]:
            return str(self.fixed["variant"])
        told = text_of(row.get(self.variant or ""))
        if told:
            if normal(told) not in _VARIANTS:
                raise refused(place, f"the variant {told!r} is neither image nor text_only; give --variant")
            return _VARIANTS[normal(told)]
        if meant:
            return meant
        question = self.known.by_id.get(name) if self.known else None
        if question and len(question.variants) == 1:
            return str(question.variants[0])
        raise refused(place, f"cannot tell the variant ({' or '.join(VARIANTS)}); give --variant")

    def _sample(self, row: Row, place: Place) -> int | None:
        told = text_of(row.get(self.sample or ""))
        if told and not told.isdecimal():
            raise refused(place, f"the sample {told!r} is no whole number from 0")
        return int(told) if told else None

    def _answers(self, row: Row, place: Place) -> list[dict[str, Any]]:
        error, value = text_of(row.get(self.error or "")), row.get(self.response)
        value = _texts(value)
        if error and not value:
            return [{"error": error}]
        if value is None:
            self.ledger.flag("rows without response or error, which count as errors", str(place))
            return [{"error": "no response in the file"}]
        answers = [value] if isinstance(value, str) else value
        if not isinstance(answers, list) or not all(isinstance(one, str) for one in answers) or not answers:
            told = f"the response in {self.response!r} is neither a text nor a list of texts nor chat messages"
            raise refused(place, told)
        if not all(one.strip() for one in answers):
            self.ledger.flag("responses that are empty, which are answers that say nothing", str(place))
        return [{"response": one} for one in answers]


def _look_like_answers(values: Sequence[Any]) -> bool:
    """Whether each value is a text of several words, or something that `_texts` makes texts of."""
    found = [_texts(value) for value in values if value is not None]
    listed = [[one] if isinstance(one, str) else one for one in found if one is not None]
    texts = [text for one in listed if isinstance(one, list) for text in one]
    alike = bool(texts) and all(isinstance(one, list) for one in listed)
    return alike and all(isinstance(text, str) and " " in text.strip() for text in texts)


def _texts(value: Any) -> Any:
    """The text or the list of texts that a value holds.

    Of chat messages the last answer, of a list in a list the inner one; anything else as it is.
    """
    inside = unpacked(value)
    while isinstance(inside, list) and len(inside) == 1 and isinstance(inside[0], list):
        inside = inside[0]
    if messages := _messages(inside):
        return _last(messages, _ANSWERING)
    if isinstance(inside, list) and all(isinstance(one, str) for one in inside):
        return inside
    return value


def _messages(value: Any) -> list[tuple[str, Any]]:
    """The speakers and contents of chat messages; empty where the value is none."""
    value = unpacked(value)
    found = value if isinstance(value, list) else [value]
    for role, content in (("role", "content"), ("from", "value")):
        if found and all(isinstance(one, Mapping) and isinstance(one.get(role), str) for one in found):
            return [(one[role].casefold(), one.get(content)) for one in found]
    return []


def _last(messages: Sequence[tuple[str, Any]], speakers: Sequence[str]) -> str | None:
    """What one of the speakers said last; None where none of them said anything."""
    contents = [content for role, content in messages if role in speakers and content is not None]
    if not contents:
        return None
    parts = contents[-1] if isinstance(contents[-1], list) else [contents[-1]]
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def _asked_in(value: Any) -> str:
    """The wording of a question: a text, or what the user said last in chat messages."""
    return _last(_messages(value), _ASKING) or text_of(value)


def _kept(value: Any) -> bool:
    try:
        return bool(orjson.dumps(value))
    except TypeError:
        return False


def _number(rows: list[dict[str, Any]], ledger: Ledger) -> None:
    """Give the responses that name no sample their number; those for the same question and model differ."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        key = (row["question_id"], row["model"], row["variant"])
        if "sample" not in row:
            row["sample"] = seen[key]
            if seen[key]:
                ledger.flag(
                    "rows that come again for a question and model, taken for further samples", str(row["place"])
                )
        seen[key] += 1


SOURCE = Source(
    summary="Answers that other tools wrote, to a file of responses (-o FILE.jsonl).",
    run=_run,
    columns=("question_id", "question", "model", "response", "error", "variant", "sample"),
    options=("benchmark", "model", "variant"),
    example=(
        {"qid": "q1", "model_name": "m", "variant": "text-only", "output": "It is tea.", "seed": 7},
        {"qid": "q2", "model_name": "m", "variant": "text-only", "output": "It is bread.", "seed": 7},
    ),
)
