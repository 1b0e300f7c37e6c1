"""Level 1: the meta-rubric of one question.

("Meta-rubric" is the paper's word for the structured rubric that compiles to checks. Elsewhere
the word names a rubric that grades rubrics.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictStr

from gamut_eval.errors import Finding, Path, did_you_mean
from gamut_eval.rubric.edits import Edit
from gamut_eval.rubric.fields import Day, Id, Model, Text, Tier
from gamut_eval.rubric.insight import Insight
from gamut_eval.rubric.items import AnyItem


class Review(Model):
    """Somebody's word that a page says what it is cited for. ``kind`` says who: a model is never a person."""

    by: Text
    kind: Literal["person", "model"]
    at: Day
    supports: StrictBool
    note: Text | None = None


class Evidence(Model):
    """A web page that an item rests on. ``summary`` is in the author's own words."""

    id: Id
    url: Text
    title: Text | None = None
    locator: Text | None = None
    summary: Text | None = None
    snippet: Text | None = None
    retrieved: Day | None = None
    reviews: tuple[Review, ...] = ()


class ImportedCheck(Model):
    """A check of a binary rubric that was made elsewhere; it is used as it is."""

    id: Annotated[StrictStr, Field(pattern=r"^[A-Za-z0-9][^\s]*$", max_length=200)]
    tier: Tier
    text: Text
    evidence: tuple[Id, ...] = ()


class MetaRubric(Model):
    """What a complete answer should hold: typed items, insights across them, and their evidence.

    With ``checks``, a binary rubric made elsewhere, those are graded and ``items`` are only shown.
    """

    items: tuple[AnyItem, ...] = ()
    insights: tuple[Insight, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    edits: tuple[Edit, ...] = ()
    checks: Annotated[tuple[ImportedCheck, ...], Field(min_length=1)] | None = None

    @cached_property
    def problems(self) -> tuple[Finding, ...]:
        """Everything wrong with the structure beyond the types of its fields."""
        return tuple(self._problems())

    def _problems(self) -> Iterator[Finding]:
        if not self.items and self.checks is None:
            message = "has no items; write at least one under 'items' (or imported 'checks')"
            yield Finding("empty-rubric", message, path=("items",))
        yield from self._duplicates()
        for field, lines in (("items", self.items), ("insights", self.insights)):
            for place, item in enumerate(lines):
                yield from (problem.under(field, place) for problem in item.problems())
        yield from self._unknown_references()

    def _duplicates(self) -> Iterator[Finding]:
        places: list[tuple[Path, str]] = [
            *((("items", place, "id"), item.id) for place, item in enumerate(self.items)),
            *((("insights", place, "id"), item.id) for place, item in enumerate(self.insights)),
        ]
        yield from _repeated("item id", places)
        yield from _repeated("evidence id", [(("evidence", i, "id"), e.id) for i, e in enumerate(self.evidence)])
        yield from _repeated("check id", [(("checks", i, "id"), c.id) for i, c in enumerate(self.checks or ())])

    def _unknown_references(self) -> Iterator[Finding]:
        known = {evidence.id for evidence in self.evidence}
        for path, evidence_id in self._cited():
            if evidence_id not in known:
                near = did_you_mean(evidence_id, known, "evidence")
                yield Finding("unknown-evidence", f"evidence {evidence_id!r} does not exist{near}", path=path)
        items = {item.id for item in self.items}
        for place, insight in enumerate(self.insights):
            for at, item_id in enumerate(insight.items):
                if item_id not in items:
                    near = did_you_mean(item_id, items, "item")
                    path = ("insights", place, "items", at)
                    yield Finding("unknown-item", f"item {item_id!r} does not exist{near}", path=path)

    def _cited(self) -> Iterator[tuple[Path, str]]:
        for field, lines in (("items", self.items), ("insights", self.insights)):
            for place, item in enumerate(lines):
                yield from (((field, place, *path), evidence_id) for path, evidence_id in item.cited())
        for place, check in enumerate(self.checks or ()):
            yield from ((("checks", place, "evidence", at), e) for at, e in enumerate(check.evidence))


def _repeated(what: str, places: list[tuple[Path, str]]) -> Iterator[Finding]:
    if len({name for _, name in places}) == len(places):
        return
    seen: Counter[str] = Counter()
    for path, name in places:
        seen[name] += 1
        if seen[name] == 2:
            yield Finding("duplicate-id", f"the {what} {name!r} comes more than once", path=path)
