"""Texts that do not stand alone: a judge sees one check at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gamut_eval.benchmark.lint.english import is_english, told
from gamut_eval.benchmark.lint.passages import Passage, headings, part_passages, statements
from gamut_eval.benchmark.lint.rule import Hit, QuestionRule
from gamut_eval.benchmark.question import Question
from gamut_eval.rubric.check import Check

_OPENS = re.compile(r"(?:it|they|he|she|its|their|his|her|them|this|these|those)\b", re.IGNORECASE)
_TITLE = re.compile(r"\w+ (?:[A-Z(\"'“‘]|\d{4})")
_NOBODY = re.compile(
    r"it(?:['’]s| is| was| can be| may be| should be| has been)\b.*\b(?:that|to|if|whether|how|for|when|as|not)\b"
    r"|it (?:takes|seems|appears|follows|helps|depends|rains|snows)\b"
    r"|(?:those|these|they) (?:who|which|that)\b|those with\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\bthe above\b(?![- ]?(?:ground|average))|\b(?:as|see|mentioned|listed|described|stated|given) above\b"
    r"|\babove[- ]mentioned\b|\bafore(?:mentioned|said)\b|\b(?:previously|earlier) mentioned\b"
    r"|\bmentioned (?:earlier|previously)\b|\bthe (?:previous|preceding) (?:item|check|point|statement|criterion)\b"
    r"|\bthe following\W*$",
    re.IGNORECASE,
)
_STEP_OPENS = re.compile(
    r"(?:then |now |next )?(?!make|find|consider|take|keep)\w+(?: (?:up|off|in|out|on|over|down))? (?:it|them)\b",
    re.IGNORECASE,
)


def _dangling(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    for passage, found in _found(question):
        if found and is_english(question, passage.text):
            message = f"{found!r} refers to something outside this text; a judge sees one check at a time, so name it"
            yield Hit(passage.path, message)


def _found(question: Question) -> Iterator[tuple[Passage, str | None]]:
    for passage in (*(passage for passage, _ in statements(question)), *headings(question)):
        yield passage, _elsewhere(passage.text) or _opening(passage.text)
    for passage in part_passages(question):
        # Options are names, and there are works called "It" and "They Live".
        step = passage.path[3] == "steps"
        yield passage, _elsewhere(passage.text) or (_step_opening(passage.text) if step else None)


def _elsewhere(text: str) -> str | None:
    found = _ELSEWHERE.search(text)
    return found.group() if found else None


def _opening(text: str) -> str | None:
    core = told(text).lstrip("\"'( ")
    found = _OPENS.match(core)
    return found.group() if found and not _NOBODY.match(core) and not _TITLE.match(core) else None


def _step_opening(text: str) -> str | None:
    found = _STEP_OPENS.match(text)
    return found.group() if found else None


RULES = (
    QuestionRule(
        code="dangling-reference",
        severity="warning",
        summary="a text that does not stand alone: it begins with 'it', or says 'the above' (English only)",
        why=(
            "A judge sees one check at a time, with the answer and not with the other checks, and authors move items "
            "about. Found are texts that begin with a pronoun or with 'this', steps such as 'let it cool', and words "
            "that point to another place in the rubric. 'It is safe to …' and the like, where 'it' stands for "
            "nothing, are left alone."
        ),
        triggers="""
rubric:
  items:
    - {id: crema, type: simple, tier: valuable, statement: It is topped with a foam called crema.}
""",
        clean="""
rubric:
  items:
    - {id: crema, type: simple, tier: valuable, statement: Espresso is topped with a foam called crema.}
""",
        look=_dangling,
    ),
)
