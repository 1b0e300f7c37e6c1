"""Words that leave open what an answer must say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gamut_eval.benchmark.lint.english import has_frame, is_english
from gamut_eval.benchmark.lint.passages import everything
from gamut_eval.benchmark.lint.rule import Hit, QuestionRule
from gamut_eval.benchmark.question import Question
from gamut_eval.rubric.check import Check

_OPEN_END = re.compile(
    r"\betc\b\.?|\band so (?:on|forth)\b|\band the like\b|\bamong others\b|, and others\W*$"
    r"|\band many more\b|, and more\W*$|\bor (?:something|anything) (?:similar|like)\b|\band/or similar\b",
    re.IGNORECASE,
)
_MANY = r"(?:some|several|various|a few|a number of|many|multiple|different|certain)"
_TASK = re.compile(
    r"\b(?:mention|list|name|give|provide|include|enumerate|discuss|describe|cite|introduce|explain|present|point to)"
    rf" (?:about )?{_MANY}\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\b(?:key|main|important|relevant|basic|necessary|general|some|various|certain) "
    r"(?:information|details|aspects|points|facts|things|considerations|issues)\b"
    r"(?=\W*$|[,.;]| (?:about|on|of|for|in|that)\b)"
    r"|\b(?:appropriate|adequate)(?:ly)?\b|\bsomehow\b",
    re.IGNORECASE,
)
_KINDS = (
    (_OPEN_END, "leaves the list open; name what counts, and let aliases or a flexible list do the rest"),
    (_TASK, "does not say which or how many; make it a flexible list with a minimum coverage"),
    (_EMPTY, "can mean anything to a judge; say what it is"),
)


def _vague(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    for passage in everything(question):
        if not is_english(question, passage.text):
            continue
        for pattern, advice in _KINDS:
            # A fact may well say that bees provide several services; a task may not.
            found = pattern.search(passage.text) if pattern is not _TASK or has_frame(passage.text) else None
            if found:
                yield Hit(passage.path, f"{found.group()!r} {advice}")
                break


RULES = (
    QuestionRule(
        code="vague-words",
        severity="warning",
        summary="words that leave open what must be said: etc., 'should mention some', 'appropriate' (English only)",
        why=(
            "Two judges, or one judge twice, will draw the line elsewhere. Found are lists left open (etc., and so "
            "on), tasks without a number or names ('mention some applications') and words that can mean anything "
            "('relevant aspects', 'appropriate'). Hedges that belong to a fact (usually, about, several weeks) are "
            "left alone."
        ),
        triggers="""
rubric:
  items:
    - {id: drinks, type: simple, tier: valuable, statement: "Espresso is the base of cappuccino, latte, etc."}
""",
        clean="""
rubric:
  items:
    - id: drinks
      type: flexible_list
      tier: valuable
      topic: drinks that are made with espresso
      min_coverage: 2
      options: [cappuccino, caffè latte, americano, macchiato]
""",
        look=_vague,
    ),
)
