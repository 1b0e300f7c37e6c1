"""Fixtures that make a source of a handful of recorded verdicts: a ``conftest.py`` that needs them imports them."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gamut_eval.analysis.source import Source
from gamut_eval.api import evaluate

Row = Mapping[str, Any]
SourceMaker = Callable[..., Source]


@pytest.fixture
def question() -> Callable[..., dict[str, Any]]:
    """A question with a check in each of the tiers named, checks ``c0``, ``c1`` …"""

    def make(
        name: str, tiers: Iterable[str] = ("answer_critical", "valuable", "context"), **more: Any
    ) -> dict[str, Any]:
        checks = [{"id": f"c{place}", "tier": tier, "text": f"Says {place}."} for place, tier in enumerate(tiers)]
        rubric = {"checks": checks}
        return {"id": name, "domain": "food", "question": f"What is {name}?", "rubric": rubric} | more

    return make


def source_in(
    folder: Path,
    questions: Iterable[Row],
    responses: Iterable[Row],
    verdicts: Iterable[tuple[Any, ...]],
    *,
    allow_incomplete: bool = False,
    **options: Any,
) -> Source:
    """Runs recorded verdicts, which are written into the folder, through the real thing.

    A verdict is (question, model, check, judge, verdict), a verdict of None being an error, and
    may end in a mapping with more fields of its row.
    """
    path = folder / "verdicts.jsonl"
    path.write_text("".join(json.dumps(_verdict(*row)) + "\n" for row in verdicts), encoding="utf-8")
    with evaluate(list(questions), list(responses), f"recorded:{path}", **options) as run:
        source = run.source(run.scores(allow_incomplete=allow_incomplete))
        return replace(source, responses=run.responses())  # with their texts, for after the run is closed


@pytest.fixture
def source_of(tmp_path: Path) -> SourceMaker:
    """`source_in` a folder of the test's own."""
    return partial(source_in, tmp_path)


def _verdict(*fields: Any) -> Row:
    question, model, check, judge, verdict, *more = fields
    row = {"question_id": question, "model": model, "variant": "text_only", "check_id": check, "judge": judge}
    outcome = {"verdict": verdict} if verdict else {"error": {"code": "timed_out", "message": "no reply in 60 s"}}
    return row | outcome | dict(*more)


@pytest.fixture
def answer() -> Callable[..., dict[str, Any]]:
    def make(question: str, model: str, text: str = "An answer.", **more: Any) -> dict[str, Any]:
        row = {"question_id": question, "model": model, "variant": "text_only"}
        return row | ({} if "error" in more else {"response": text}) | more

    return make


@pytest.fixture
def mixed(source_of: SourceMaker, question: Any, answer: Any) -> SourceMaker:
    """Three models, two judges, two questions; ``b`` has a failed check, ``c`` an error and an absent answer."""
    given = {"a": ("meets", "missing", "contradicts"), "b": ("partially_meets", "meets", "missing")}

    def make(**options: Any) -> Source:
        questions = [question("q1"), question("q2", domain="animal")]
        responses = [answer(q, m) for q in ("q1", "q2") for m in ("a", "b")]
        responses.append(answer("q1", "c", error="HTTP 500"))
        verdicts = [
            (q, m, f"c{place}", judge, verdict)
            for q in ("q1", "q2")
            for m in ("a", "b")
            for judge in ("x/large", "x/small")
            for place, verdict in enumerate(given[m])
        ]
        verdicts = [(*row[:4], None) if row[:4] == ("q2", "b", "c0", "x/small") else row for row in verdicts]
        return source_of(questions, responses, verdicts, **options)

    return make
