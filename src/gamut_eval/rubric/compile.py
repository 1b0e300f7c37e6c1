"""From level 1 to level 2: pure, deterministic, in the rubric's own order."""

from __future__ import annotations

from gamut_eval.errors import InputError
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.items import Compiling
from gamut_eval.rubric.meta import MetaRubric

RULES = 1
CRITERION_GUIDANCE = (
    "Met when the response states what the criterion asks for completely, in any words. "
    "Partially met when it is imprecise, incomplete or hedged. "
    "An assertion that cannot be true together with the criterion contradicts it."
)


def compile_rubric(rubric: MetaRubric, to: Compiling, *, flat: bool = False) -> tuple[Check, ...]:
    """The checks of one question's rubric.

    Parameters
    ----------
    rubric
        A meta-rubric. With imported ``checks`` those are returned as they are.
    to
        The question's id and the compile settings.
    flat
        Make the flat rubric to compare the method with instead: every option and step a check,
        no coverage, sequence or insight.

    Raises
    ------
    InputError
        The rubric has structural problems, or compiles to no check at all.
    """
    errors = [problem for problem in rubric.problems if problem.severity == "error"]
    if errors:
        raise InputError(errors)
    if rubric.checks is not None:
        return tuple(_imported(rubric, to))
    if flat:
        return tuple(check for item in rubric.items for check in item.flat(to))
    checks = tuple(check for item in (*rubric.items, *rubric.insights) for check in item.compile(to))
    if not checks:
        raise InputError(f"question {to.question_id!r} compiles to no check, so no answer to it can be scored")
    return checks


def _imported(rubric: MetaRubric, to: Compiling) -> list[Check]:
    return [
        Check(
            question_id=to.question_id,
            id=check.id,
            tier=check.tier,
            kind="criterion",
            text=check.text,
            item_id=None,
            guidance=CRITERION_GUIDANCE,
            evidence=check.evidence,
            source="imported",
        )
        for check in rubric.checks or ()
    ]
