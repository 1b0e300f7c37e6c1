"""Level 2: one binary check, what a judge grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from gamut_eval.hashing import sha256
from gamut_eval.rubric.fields import Tier

Source = Literal["compiled", "edited", "added", "imported"]


STATEMENT_GUIDANCE = (
    "Met when the response states this completely, in any words, and nothing in it conflicts. "
    "Partially met when it is imprecise, incomplete or hedged. "
    "A wrong identification, or an assertion that cannot be true together with this, contradicts it."
)
"""How to judge a check that is one statement."""


@dataclass(frozen=True)
class CheckOption:
    """Something to be named, with other words for it."""

    text: str
    aliases: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The option as checks spell it out.

        >>> CheckOption("scotch bonnet", ("habanero",)).shown
        'scotch bonnet (or: habanero)'
        """
        return f"{self.text} (or: {', '.join(self.aliases)})" if self.aliases else self.text


@dataclass(frozen=True)
class CheckStep:
    """A step of a process."""

    id: str
    text: str


@dataclass(frozen=True)
class Check:
    """One line of the binary rubric.

    ``options`` are what must be named (one, or ``threshold`` of them); ``steps`` what must be told
    (one, or several in an order that ``before``, pairs of step ids, permits); ``parts`` the ids of
    the checks that grade a coverage check's options one by one. ``text`` alone says all a judge
    needs; the rest is there for judges without a model and for the composite verdict.
    """

    question_id: str
    id: str
    tier: Tier
    kind: str
    text: str
    item_id: str | None
    guidance: str
    evidence: tuple[str, ...] = ()
    source: Source = "compiled"
    options: tuple[CheckOption, ...] = ()
    threshold: int | None = None
    steps: tuple[CheckStep, ...] = ()
    before: tuple[tuple[str, str], ...] = ()
    parts: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Plain data in the order of the contract; structure that a check lacks is left out."""
        row: dict[str, Any] = {
            "question_id": self.question_id,
            "id": self.id,
            "tier": self.tier.value,
            "kind": self.kind,
            "text": self.text,
            "item_id": self.item_id,
        }
        row |= self._structure()
        if self.parts:
            row["parts"] = list(self.parts)
        row |= {"guidance": self.guidance, "evidence": list(self.evidence), "source": self.source}
        return row

    def _structure(self) -> dict[str, Any]:
        structure: dict[str, Any] = {}
        if self.options:
            structure["options"] = [{"text": o.text, "aliases": list(o.aliases)} for o in self.options]
        if self.threshold is not None:
            structure["threshold"] = self.threshold
        if self.steps:
            structure["steps"] = [{"id": step.id, "text": step.text} for step in self.steps]
        if self.before:
            structure["before"] = [list(pair) for pair in self.before]
        return structure

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Check:
        """The check that `to_dict` gave."""
        return cls(
            question_id=row["question_id"],
            id=row["id"],
            tier=Tier(row["tier"]),
            kind=row["kind"],
            text=row["text"],
            item_id=row["item_id"],
            guidance=row["guidance"],
            evidence=tuple(row["evidence"]),
            source=row["source"],
            options=tuple(CheckOption(o["text"], tuple(o["aliases"])) for o in row.get("options", ())),
            threshold=row.get("threshold"),
            steps=tuple(CheckStep(step["id"], step["text"]) for step in row.get("steps", ())),
            before=tuple((a, b) for a, b in row.get("before", ())),
            parts=tuple(row.get("parts", ())),
        )

    @cached_property
    def base(self) -> str:
        """SHA-256 of what an edit of the check changes: id, kind, tier, text and structure."""
        names = ("options", "threshold", "steps", "before")
        whole: dict[str, Any] = {"id": self.id, "kind": self.kind, "tier": self.tier.value, "text": self.text}
        return sha256(whole | dict.fromkeys(names) | self._structure())

    @cached_property
    def hash(self) -> str:
        """SHA-256 of all of the check that a judge sees. The tier is not in it: it changes no verdict."""
        seen = {"id": self.id, "kind": self.kind, "text": self.text, "guidance": self.guidance}
        return sha256(seen | self._structure())
