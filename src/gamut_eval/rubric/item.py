"""What every item type shares: its fields, its parts, and what compiling asks of it."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from gamut_eval.errors import Finding, Path
from gamut_eval.rubric.check import Check, CheckOption
from gamut_eval.rubric.fields import Id, Model, Text, Tier, slug

_ENDS = tuple('.!?…。！？।؟"”»')
_RESERVED = re.compile(r"order|at-least-\d+")

LIST_ITEM_GUIDANCE = (
    "Met when the response names it, or any of the words given for it, in this role. "
    "Partially met when it names something wider, vaguer or hedged that includes it. "
    "A mention in another role, or as an example of what does not belong, does not count."
)


@dataclass(frozen=True)
class Compiling:
    """What compile rules may depend on besides the item: the question's id and the settings."""

    question_id: str
    long_list: int = 8


class Part(Model):
    """An option or a step: a text that gives itself an id, unless one is written beside it."""

    text: Text
    id: Id | None = None
    evidence: tuple[Id, ...] = ()

    @cached_property
    def part_id(self) -> str:
        """The explicit id, else the slug of the text."""
        return self.id or slug(self.text)


class Option(Part):
    """A member of a list, with other words that name it."""

    aliases: tuple[Text, ...] = ()

    @property
    def as_check(self) -> CheckOption:
        return CheckOption(self.text, self.aliases)


def from_text(value: Any) -> Any:
    """A bare text as the mapping it is short for."""
    return {"text": value} if not isinstance(value, dict | Model) else value


AnyOption = Annotated[Option, BeforeValidator(from_text, json_schema_input_type=str | Option)]


class Item(Model):
    """A typed line of the meta-rubric. A new type is a subclass in a file of its own."""

    id: Id
    tier: Tier
    evidence: tuple[Id, ...] = ()

    @abstractmethod
    def compile(self, to: Compiling) -> Iterator[Check]:
        """The checks of this item, in order (two-level rules)."""

    @abstractmethod
    def flat(self, to: Compiling) -> Iterator[Check]:
        """The checks that a flat checklist would have in its place, to compare the method with."""

    def heading(self) -> tuple[str, str] | None:
        """The field that says what the item is about, and its text; None by default."""
        return None

    def parts(self) -> tuple[str, Sequence[Part]]:
        """The field that holds the item's members, and those; none by default."""
        return "", ()

    def problems(self) -> Iterator[Finding]:
        """What is wrong with the structure, with paths that start at the item."""
        return _part_problems(*self.parts())

    def cited(self) -> Iterator[tuple[Path, str]]:
        """Every evidence id that the item or a part of it cites, with its path."""
        yield from ((("evidence", at), name) for at, name in enumerate(self.evidence))
        field, parts = self.parts()
        for place, part in enumerate(parts):
            yield from (((field, place, "evidence", at), name) for at, name in enumerate(part.evidence))

    def summary(self) -> str:
        """One line for people."""
        heading = self.heading()
        return heading[1] if heading else ""

    def _check(self, to: Compiling, kind: str, text: str, guidance: str, **more: Any) -> Check:
        part = more.pop("part", None)
        return Check(
            question_id=to.question_id,
            id=self.id if part is None else f"{self.id}/{part}",
            tier=more.pop("tier", self.tier),
            kind=kind,
            text=text if text[-1] in _ENDS else f"{text}.",
            item_id=self.id,
            guidance=guidance,
            evidence=tuple(dict.fromkeys([*self.evidence, *more.pop("evidence", ())])),
            **more,
        )


class StatementItem(Item):
    """An item that is one sentence and compiles to one check with the item's own id."""

    kind: ClassVar[str]
    guidance: ClassVar[str]
    statement: Text

    def check_text(self) -> str:
        """What the check says."""
        return self.statement

    def compile(self, to: Compiling) -> Iterator[Check]:
        yield self._check(to, self.kind, self.check_text(), self.guidance)

    def flat(self, to: Compiling) -> Iterator[Check]:
        return self.compile(to)

    def heading(self) -> tuple[str, str]:
        return "statement", self.statement


class ListItem(Item):
    """A topic and the options that belong to it: what both list types share."""

    topic: Text
    options: Annotated[tuple[AnyOption, ...], Field(min_length=1)]

    def option_checks(self, to: Compiling, tier: Tier) -> Iterator[Check]:
        """One `list_item` check an option."""
        for option in self.options:
            yield self._check(
                to,
                "list_item",
                f"Names {option.as_check.shown} among: {self.topic}",
                LIST_ITEM_GUIDANCE,
                part=option.part_id,
                tier=tier,
                evidence=option.evidence,
                options=(option.as_check,),
            )

    def flat(self, to: Compiling) -> Iterator[Check]:
        return self.option_checks(to, self.tier)

    def heading(self) -> tuple[str, str]:
        return "topic", self.topic

    def parts(self) -> tuple[str, Sequence[Part]]:
        return "options", self.options


def _part_problems(field: str, parts: Sequence[Part]) -> Iterator[Finding]:
    """Parts whose ids are empty, reserved or the same."""
    seen: dict[str, int] = {}
    for place, part in enumerate(parts):
        part_id, path = part.part_id, (field, place)
        ask = "give it an explicit id: {text: …, id: …}"
        if not part_id:
            yield Finding("part-id", f"{part.text!r} has no letter or digit to make an id of; {ask}", path=path)
        elif _RESERVED.fullmatch(part_id):
            yield Finding("part-id", f"the id {part_id!r} is reserved for compiled checks; {ask}", path=path)
        elif part_id in seen and part.text == parts[seen[part_id]].text:
            kind = field.removesuffix("s")
            again = "remove one" if kind == "option" else f"remove one, or, if it is taken twice, {ask}"
            yield Finding("part-id", f"the {kind} {part.text!r} is there twice; {again}", path=path)
        elif part_id in seen:
            other = parts[seen[part_id]].text
            yield Finding("part-id", f"{part.text!r} and {other!r} share the id {part_id!r}; {ask}", path=path)
        seen.setdefault(part_id, place)


def options_text(options: Sequence[Option]) -> str:
    """All options spelled out with their aliases."""
    return "; ".join(option.as_check.shown for option in options)


def cited_evidence(parts: Sequence[Part]) -> tuple[str, ...]:
    """The evidence of several parts together."""
    return tuple(evidence_id for part in parts for evidence_id in part.evidence)
