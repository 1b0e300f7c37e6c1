"""One check, two facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from gamut_eval.benchmark.lint.english import has_frame, is_english
from gamut_eval.benchmark.lint.passages import statements
from gamut_eval.benchmark.lint.rule import Hit, QuestionRule
from gamut_eval.benchmark.question import Question
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.items.simple import Simple

_SENTENCE_END = re.compile(r"(\S+?)[.!?][\"')\]]*\s+(?=[\"'(]?[A-Z])")
_ABBREVIATIONS = frozenset(
    "etc vs cf approx no nos fig figs dr mr mrs ms st prof al inc ltd co corp jr sr ca sp spp subsp var ed eds vol"
    " mt ft lt gen gov sen rev capt sgt col jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_EXPLAINING = re.compile(r"(?:for (?:example|instance)|that is|in other words|e\.g\.|i\.e\.|such as)\b", re.IGNORECASE)
_FINITE = r"(?:is|are|was|were|has|have|had|can|cannot|could|should|must|will|would|may|might|does|do|did)"
_HAS_FINITE = re.compile(rf"\b{_FINITE}\b", re.IGNORECASE)
_ENDS_FINITE = re.compile(rf"\b{_FINITE}$", re.IGNORECASE)
_SUBORDINATE = re.compile(
    r"\b(?:if|when|whenever|unless|until|till|once|while|because|since|that|which|who|whom|whose|where|whether|although"
    r"|though|as|how|why|what|before|after|than|both|either|neither|between)\b",
    re.IGNORECASE,
)
_SECOND_PREDICATE = re.compile(
    rf"\band (?:also |usually |often |normally |currently |then )?{_FINITE}\b(?! (?:as|to)\b)", re.IGNORECASE
)
_SECOND_CLAUSE = re.compile(
    rf",? (?:and|but) (?:it|they|he|she)\b|, (?:and|but) (?:[\w'’-]+ ){{1,4}}?{_FINITE}\b", re.IGNORECASE
)
_TELLING = (
    "(?:define|describe|discuss|explain|mention|list|provide|include|give|cite|compare|highlight|identify|emphasi[sz]e"
    "|outline|introduce|specify|suggest|quote|present|argue|conclude|enumerate|detail|confirm|propose|justify|recommend"
    "|summari[sz]e|mentions|explains|describes|lists)"
)
_TWO_TASKS = re.compile(
    rf"\b{_TELLING}\b(.*?)\band (?:also |then |\w+ly )*{_TELLING}\b(?! of\b)",
    re.IGNORECASE,
)


def _compound(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    for passage, item in statements(question):
        if not isinstance(item, Simple) or not is_english(question, passage.text):
            continue
        if how := next((found for look in _WAYS if (found := look(passage.text))), None):
            message = f"holds more than one fact ({how}); make it two items, or a relationship if the tie is the point"
            yield Hit(passage.path, message)


def _two_sentences(text: str) -> str | None:
    for end in _SENTENCE_END.finditer(text):
        before, after = text[: end.end()].split(), text[end.end() :]
        ends = end.group(1).casefold().lstrip("(\"'")
        if len(ends) < 2 or "." in ends or ends in _ABBREVIATIONS or len(before) < 3 or len(after.split()) < 3:
            continue
        if not _EXPLAINING.match(after):
            return "two sentences"
    return None


def _two_clauses(text: str) -> str | None:
    first, semicolon, second = text.partition("; ")
    if semicolon and _HAS_FINITE.search(first) and _HAS_FINITE.search(second):
        return "a semicolon between two statements"
    for pattern in (_SECOND_PREDICATE, _SECOND_CLAUSE):
        for joint in pattern.finditer(text):
            before = text[: joint.start()].rstrip(", ")
            if _ENDS_FINITE.search(before):
                continue  # "can and should", "is and was"
            if _HAS_FINITE.search(before) and not _SUBORDINATE.search(f"{before} {joint.group()}"):
                return f"{joint.group().strip(', ')!r} begins a second one"
    return None


def _two_tasks(text: str) -> str | None:
    found = _TWO_TASKS.search(text) if has_frame(text) else None
    if found and found.group(1).strip():
        return f"two tasks, the second from {found.group()[found.end(1) - found.start() :]!r} on"
    return None


_WAYS: tuple[Callable[[str], str | None], ...] = (_two_tasks, _two_sentences, _two_clauses)

RULES = (
    QuestionRule(
        code="compound-statement",
        severity="warning",
        summary="a simple item states more than one fact (English only)",
        why=(
            "A judge gives one verdict a check. An answer with one of two facts right can only be partially met, and "
            "nobody can see which one was missing. Found: two sentences, two statements joined by a semicolon or by "
            "'and' with a verb of its own, two tasks ('define … and explain …'). Relationships and insights, whose "
            "point is the tie between facts, are left alone."
        ),
        triggers="""
rubric:
  items:
    - {id: crema, type: simple, tier: valuable, statement: "Espresso is topped with crema, and it is brewed at 9 bar."}
""",
        clean="""
rubric:
  items:
    - {id: crema, type: simple, tier: valuable, statement: Espresso is topped with crema.}
    - {id: pressure, type: simple, tier: valuable, statement: Espresso is brewed at about 9 bar.}
""",
        look=_compound,
    ),
)
