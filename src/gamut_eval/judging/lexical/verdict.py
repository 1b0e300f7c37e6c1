"""Which rule a check needs, from its structure, and the verdict that the rule gives."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol

from gamut_eval.judging.lexical.claim import claim, statement_in
from gamut_eval.judging.lexical.identity import identity
from gamut_eval.judging.lexical.naming import options_rule
from gamut_eval.judging.lexical.reading import Reading, read, silent_sentences
from gamut_eval.judging.lexical.sequence import steps_rule
from gamut_eval.judging.lexical.sides import sides
from gamut_eval.judging.lexical.state import Statement
from gamut_eval.judging.lexical.words import content_stems
from gamut_eval.records import Judgement
from gamut_eval.rubric.check import Check

KEPT_RULES = 1024
"""Checks kept prepared: those of several questions, which every model's response is judged by."""


class Rule(Protocol):
    """What a check asks for, prepared to be looked for in any text."""

    def judge(self, reading: Reading, silent: frozenset[int]) -> Judgement:
        """The verdict on the text, whose sentences in ``silent`` state nothing."""


def judge(check: Check, question: str, text: str) -> Judgement:
    """The verdict on one check of one response, from their words alone."""
    return rule_for(check, question).judge(read(text), silent_sentences(text, question))


@lru_cache(maxsize=KEPT_RULES)
def rule_for(check: Check, question: str) -> Rule:
    """The rule for the structure that the check has: options, one step, several, or a statement alone."""
    known = content_stems(question)
    if check.options:
        surroundings = _without(check.text, (option.shown for option in check.options))
        return options_rule(check.options, check.threshold, known | content_stems(surroundings))
    if check.steps:
        known |= content_stems(_without(check.text, (step.text for step in check.steps)))
        if len(check.steps) > 1:
            return steps_rule(check.steps, check.before, known)
        return Statement(claim(check.steps[0].text, known, led=True), led=True)
    statement = statement_in(check.text)
    return Statement(claim(statement, known), identity(Reading(statement), known), sides(statement, known))


def _without(text: str, parts: Iterable[str]) -> str:
    """What a check's text says besides its parts."""
    for part in sorted(parts, key=len, reverse=True):
        text = text.replace(part, " ", 1)
    return text
