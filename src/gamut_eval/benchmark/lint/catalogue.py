"""All codes of `gamut validate`, explained: the lint rules', and those of reading a file."""

from __future__ import annotations

from functools import cache

from gamut_eval.benchmark.lint.rule import Rule
from gamut_eval.errors import UnknownNameError
from gamut_eval.registry import Registry

REGISTRY: Registry[tuple[Rule, ...]] = Registry("lint rule", "gamut_eval.benchmark.lint.rules", "RULES")

OTHER_CODES: dict[str, str] = {
    "unknown-ignore": "(warning) A comment '# gamut: ignore …' names no code, or one that does not exist.",
    "unused-ignore": "(info) A comment '# gamut: ignore CODE' has nothing to silence: the fault is gone, or elsewhere.",
    "stale-edit": "(warning) An edit is for another text of its check, or for no check there is: it is not applied.",
    "coverage-above-options": "(error) min_coverage is above the number of options, so no answer can reach it.",
    "duplicate-id": "(error) Two questions, items, evidence entries or checks have the same id; each needs its own.",
    "duplicate-key": "(error) A mapping has a key twice, and which of the two was meant nobody can know.",
    "empty-rubric": "(error) A rubric has neither items nor checks, so there is nothing to grade.",
    "encoding": "(error) A file is not UTF-8.",
    "image-hash": "(error) An image is not the one whose SHA-256 is given, or the hash is missing where it is needed.",
    "image-missing": "(error) An image is not where its path says.",
    "image-package": "(warning with --images) What an image is in, or what opens it, is not installed here.",
    "image-path": "(error) An image's path leaves its folder, so the benchmark could not be moved or shared.",
    "image-unreadable": "(error with --images) An image's bytes are none, cut off, damaged, or of too many pixels.",
    "input": "(error) Something handed in is wrong; the message says what.",
    "no-questions": "(error) A benchmark holds no question.",
    "nothing-graded": "(error) All steps of a context process are optional, and what is below context is not graded.",
    "optional-after": "(error) An optional step has 'after', but only required steps have a place in the order.",
    "part-id": "(error) An option or step has no usable id of its own; give it one: {text: …, id: …}.",
    "schema": "(error) A field is missing, empty, or of the wrong kind.",
    "step-cycle": "(error) Steps wait for each other in a circle, so no order is right.",
    "syntax": "(error) A file cannot be read as YAML 1.2 or JSON.",
    "unknown-evidence": "(error) An item cites evidence that is not listed.",
    "unknown-field": "(error) A field's name is not known, mostly a slip of the pen.",
    "unknown-item": "(error) An insight draws on an item that does not exist.",
    "unknown-step": "(error) 'after' names a step that does not exist or is optional.",
    "unreadable": "(error) A file or folder cannot be opened.",
    "weightless": "(error) All checks of a question are in tiers of weight 0, so it has no score.",
}
"""Every code that is no rule's: about edits, about comments that silence, and of reading, which none can silence."""


@cache
def rules() -> tuple[Rule, ...]:
    """Every lint rule, by code."""
    found = (rule for family in REGISTRY.all() for rule in family)
    return tuple(sorted(found, key=lambda rule: rule.code))


def codes() -> list[str]:
    """Every code that `explain` knows."""
    return sorted({*(rule.code for rule in rules()), *OTHER_CODES})


def explain(code: str) -> str:
    """What a code means, why it matters, and an example of it.

    Raises
    ------
    UnknownNameError
        With near matches.
    """
    for rule in rules():
        if rule.code == code:
            return rule.explanation
    if code in OTHER_CODES:
        return f"{code} {OTHER_CODES[code]}"
    raise UnknownNameError("code", code, codes())
