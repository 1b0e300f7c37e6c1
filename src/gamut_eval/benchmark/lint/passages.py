"""The texts of a rubric that are graded, each with its path from the question's root."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gamut_eval.benchmark.question import Question
from gamut_eval.errors import Path
from gamut_eval.rubric.item import Item, StatementItem


class Passage(NamedTuple):
    """A text, the id by which people know it, and where it stands."""

    path: Path
    name: str
    text: str


def graded(question: Question) -> Iterator[tuple[Path, Item]]:
    """Items and insights with their paths; none beside imported checks, where they are only shown."""
    if question.rubric.checks is not None:
        return
    for field, lines in (("items", question.rubric.items), ("insights", question.rubric.insights)):
        yield from ((("rubric", field, place), item) for place, item in enumerate(lines))


def statements(question: Question) -> Iterator[tuple[Passage, StatementItem]]:
    """The statement of every item and insight that is one."""
    for path, item in graded(question):
        if isinstance(item, StatementItem):
            yield Passage((*path, "statement"), item.id, item.statement), item


def headings(question: Question) -> Iterator[Passage]:
    """What lists and processes are about: topics and goals."""
    for path, item in graded(question):
        heading = item.heading()
        if heading and not isinstance(item, StatementItem):
            yield Passage((*path, heading[0]), item.id, heading[1])


def part_passages(question: Question) -> Iterator[Passage]:
    """Every option and step."""
    for path, item in graded(question):
        field, members = item.parts()
        for place, part in enumerate(members):
            yield Passage((*path, field, place, "text"), f"{item.id}/{part.part_id}", part.text)


def everything(question: Question) -> Iterator[Passage]:
    """Every graded text: statements, topics and goals, options and steps."""
    yield from (passage for passage, _ in statements(question))
    yield from headings(question)
    yield from part_passages(question)
