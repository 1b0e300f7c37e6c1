"""What changed between two versions of a benchmark, and so what a run will ask again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.question import Question
from gamut_eval.rubric.check import Check

What = Literal["added", "removed", "reworded", "retiered", "question"]


@dataclass(frozen=True)
class Change:
    """One check that is not what it was.

    ``what`` is ``question`` where only the question's own text changed. ``asked_again`` says whether
    a run has to ask a judge for it: a new tier or a removal asks nothing.
    """

    question_id: str
    check_id: str
    what: What
    asked_again: bool
    old_tier: str | None
    new_tier: str | None
    old_text: str | None
    new_text: str | None


def difference(old: Benchmark, new: Benchmark) -> list[Change]:
    """The changed checks, in the order of the new benchmark, then those of questions that are gone."""
    changes = [change for question in new.questions for change in _in_question(old, new, question)]
    gone = [question.id for question in old.questions if question.id not in new.by_id]
    return [*changes, *(_change(check, None) for name in gone for check in old.checks[name])]


def difference_dict(old: Benchmark, new: Benchmark, changes: list[Change]) -> dict[str, Any]:
    """The documented JSON form."""
    return {
        "old": old.identity,
        "new": new.identity,
        "n_asked_again": sum(change.asked_again for change in changes),
        "changes": [asdict(change) for change in changes],
    }


def _in_question(old: Benchmark, new: Benchmark, question: Question) -> Iterator[Change]:
    before = {check.id: check for check in old.checks.get(question.id, ())}
    after = {check.id: check for check in new.checks[question.id]}
    former = old.by_id.get(question.id)
    same_question = former is None or _asked(former) == _asked(question)
    for name, check in after.items():
        change = _change(before.get(name), check)
        if change.what != "question":
            yield change if same_question else replace(change, asked_again=True)
        elif not same_question:
            yield change
    yield from (_change(check, None) for name, check in before.items() if name not in after)


def _asked(question: Question) -> tuple[str, str | None]:
    return (question.question, question.text_only)


def _change(old: Check | None, new: Check | None) -> Change:
    what, asked_again = _what(old, new)
    named = [(check.question_id, check.id) for check in (new, old) if check]
    tiers = [check.tier.value if check else None for check in (old, new)]
    texts = [check.text if check else None for check in (old, new)]
    return Change(*named[0], what, asked_again, *tiers, *texts)


def _what(old: Check | None, new: Check | None) -> tuple[What, bool]:
    if old is None:
        return "added", True
    if new is None:
        return "removed", False
    if old.hash != new.hash:
        return "reworded", True
    return ("retiered", False) if old.tier != new.tier else ("question", True)
