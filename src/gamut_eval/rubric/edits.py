"""People's edits of the binary rubric, each tied to the text it was made for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

from pydantic import Field, StrictStr, model_validator

from gamut_eval.errors import Finding, did_you_mean
from gamut_eval.rubric.check import STATEMENT_GUIDANCE, Check
from gamut_eval.rubric.fields import Day, Model, Text, Tier

_FIELDS = {"reword": {"text", "base"}, "retier": {"tier", "base"}, "drop": {"base"}, "add": {"text", "tier"}}


class Edit(Model):
    """A change of one check. ``base`` is the check's `Check.base` before the edit; an added check has none."""

    check: Annotated[StrictStr, Field(pattern=r"^[A-Za-z0-9][^\s]*$", max_length=200)]
    op: Literal["reword", "retier", "drop", "add"]
    text: Text | None = None
    tier: Tier | None = None
    author: Text
    at: Day
    reason: Text
    base: Annotated[StrictStr, Field(pattern=r"^[0-9a-f]{64}$")] | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        given = {name for name in ("text", "tier", "base") if getattr(self, name) is not None}
        for names, verb in ((_FIELDS[self.op] - given, "needs"), (given - _FIELDS[self.op], "takes no")):
            if names:
                raise ValueError(f"the edit {self.op!r} {verb} {' and '.join(map(repr, sorted(names)))}")
        return self


@dataclass(frozen=True)
class Edited:
    """The checks after the edits, and a warning for each edit that was not applied."""

    checks: tuple[Check, ...]
    unapplied: tuple[Finding, ...]


def apply_edits(question_id: str, checks: Sequence[Check], edits: Iterable[Edit]) -> Edited:
    """Apply the edits in order; one whose check is unknown, or is no longer what it was made for, is left out."""
    current = {check.id: check for check in checks}
    unapplied = []
    for place, edit in enumerate(edits):
        if why := _obstacle(edit, current):
            unapplied.append(
                Finding("stale-edit", f"not applied: {why}", "warning", ("edits", place), question_id=question_id)
            )
        else:
            _OPERATIONS[edit.op](question_id, edit, current)
    return Edited(tuple(current.values()), tuple(unapplied))


def _obstacle(edit: Edit, current: dict[str, Check]) -> str | None:
    check = current.get(edit.check)
    if edit.op == "add":
        return f"the id {edit.check!r} is taken; give the added check another" if check else None
    if check is None:
        return f"there is no check {edit.check!r}{did_you_mean(edit.check, current, 'check')}"
    if check.base != edit.base:
        return f"the check {edit.check!r} has changed since; look at it, edit it anew, and delete this edit"
    return None


def _reword(_: str, edit: Edit, current: dict[str, Check]) -> None:
    check = current[edit.check]
    guidance = STATEMENT_GUIDANCE if check.options or check.steps else check.guidance
    plain = replace(check, options=(), threshold=None, steps=(), before=(), parts=(), guidance=guidance)
    current[edit.check] = replace(plain, text=str(edit.text), source="edited")
    _forget_part(edit.check, current)


def _retier(_: str, edit: Edit, current: dict[str, Check]) -> None:
    current[edit.check] = replace(current[edit.check], tier=Tier(str(edit.tier)), source="edited")


def _drop(_: str, edit: Edit, current: dict[str, Check]) -> None:
    del current[edit.check]
    _forget_part(edit.check, current)


def _add(question_id: str, edit: Edit, current: dict[str, Check]) -> None:
    current[edit.check] = Check(
        question_id=question_id,
        id=edit.check,
        tier=Tier(str(edit.tier)),
        kind="fact",
        text=str(edit.text),
        item_id=None,
        guidance=STATEMENT_GUIDANCE,
        source="added",
    )


def _forget_part(check_id: str, current: dict[str, Check]) -> None:
    """A coverage check with a member gone or changed is no longer the sum of its parts: it is asked."""
    for name, check in current.items():
        if check_id in check.parts:
            current[name] = replace(check, parts=())


_OPERATIONS: dict[str, Callable[[str, Edit, dict[str, Check]], None]] = {
    "reword": _reword,
    "retier": _retier,
    "drop": _drop,
    "add": _add,
}
