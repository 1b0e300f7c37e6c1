"""From level 1 to level 2: pure, deterministic, in the rubric's own order."""

from __future__ import annotations

from collections.abc import Iterator

from gamut_eval.errors import InputError
from gamut_eval.rubric.check import STATEMENT_GUIDANCE, Check
from gamut_eval.rubric.edits import Edited, apply_edits
from gamut_eval.rubric.item import Compiling
from gamut_eval.rubric.meta import MetaRubric

RULES = 1


def compile_rubric(rubric: MetaRubric, to: Compiling, *, flat: bool = False) -> tuple[Check, ...]:
    """The checks of one question's rubric, with its edits applied.

    Parameters
    ----------
    rubric
        A meta-rubric. With imported ``checks`` those are returned as they are.
    to
        The question's id and the compile settings.
    flat
        Make the flat rubric to compare the method with instead: every option and step a check,
        no coverage, sequence or insight. Edits, which are of the two-level rubric, are left out.

    Raises
    ------
    InputError
        The rubric has structural problems, or compiles to no check at all.
    """
    return compile_edited(rubric, to, flat=flat).checks


def compile_edited(rubric: MetaRubric, to: Compiling, *, flat: bool = False) -> Edited:
    """`compile_rubric`, with a warning for each edit that was not applied."""
    errors = [problem for problem in rubric.problems if problem.severity == "error"]
    if errors:
        raise InputError(errors)
    edits = () if flat else rubric.edits
    edited = apply_edits(to.question_id, tuple(_compiled(rubric, to, flat)), edits)
    if not edited.checks:
        raise InputError(f"question {to.question_id!r} compiles to no check, so no answer to it can be scored")
    return edited


def _compiled(rubric: MetaRubric, to: Compiling, flat: bool) -> Iterator[Check]:
    if rubric.checks is not None:
        yield from _imported(rubric, to)
    elif flat:
        yield from (check for item in rubric.items for check in item.flat(to))
    else:
        yield from (check for item in (*rubric.items, *rubric.insights) for check in item.compile(to))


def _imported(rubric: MetaRubric, to: Compiling) -> Iterator[Check]:
    return (
        Check(
            question_id=to.question_id,
            id=check.id,
            tier=check.tier,
            kind="criterion",
            text=check.text,
            item_id=None,
            guidance=STATEMENT_GUIDANCE,
            evidence=check.evidence,
            source="imported",
        )
        for check in rubric.checks or ()
    )
