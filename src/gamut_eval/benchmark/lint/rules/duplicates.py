"""What is graded twice: checks that say the same, options that are the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from gamut_eval.benchmark.lint.passages import Passage, graded, headings, part_passages, statements
from gamut_eval.benchmark.lint.rule import Hit, QuestionRule
from gamut_eval.benchmark.lint.sameness import name_key, same_word, say_the_same
from gamut_eval.benchmark.question import Question
from gamut_eval.errors import Path
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.item import Option, Part


class _Claim(NamedTuple):
    owner: Path
    passage: Passage
    full: str


def _claims(question: Question) -> Iterator[_Claim]:
    """Whatever one check grades on its own, as a text that names its topic."""
    about = {heading.path[:3]: heading.text for heading in headings(question)}
    told: dict[Path, list[Passage]] = {path: [] for path, _ in graded(question)}
    for passage in (*(passage for passage, _ in statements(question)), *part_passages(question)):
        told[passage.path[:3]].append(passage)
    for owner, passages in told.items():
        for passage in passages:
            yield _Claim(owner, passage, f"{passage.text} {about.get(owner, '')}")
    for place, check in enumerate(question.rubric.checks or ()):
        path = ("rubric", "checks", place)
        yield _Claim(path, Passage((*path, "text"), check.id, check.text), check.text)


def _same_checks(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    for first, second in combinations(_claims(question), 2):
        if first.owner != second.owner and say_the_same(first.full, second.full):
            message = (
                f"says the same as {first.passage.name!r}, so one fact counts twice; drop one, or say the difference"
            )
            yield Hit(second.passage.path, message)


def _same_options(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    for path, item in graded(question):
        field, members = item.parts()
        for (_, first), (place, second) in combinations(enumerate(members), 2):
            if shared := _shared_name(first, second):
                message = (
                    f"{second.text!r} and {first.text!r} are the same option ({shared}), so naming it counts twice"
                )
                yield Hit((*path, field, place), f"{message}; make one an alias of the other")


def _shared_name(first: Part, second: Part) -> str | None:
    """How two options name the same thing; steps may come again."""
    if not isinstance(first, Option) or not isinstance(second, Option):
        return None
    for one in (first.text, *first.aliases):
        for other in (second.text, *second.aliases):
            a, b = name_key(one), name_key(other)
            if a and (a == b or same_word(a, b)):
                return f"both are {one!r}" if one == other else f"{other!r} is {one!r}"
    return None


RULES = (
    QuestionRule(
        code="near-duplicate-checks",
        severity="warning",
        summary="two checks of a question say the same in nearly the same words",
        why=(
            "Each check counts by itself, so a fact that is asked twice weighs double, and one omission costs twice. "
            "Two texts are taken for the same only if one has every word of the other in the same order and at most "
            "a few more, none of them a number or a negation; facts that differ in a single word are left alone."
        ),
        triggers="""
rubric:
  items:
    - {id: kind, type: simple, tier: valuable, statement: Tabby is a coat pattern of the domestic cat.}
    - {id: not-a-breed, type: simple, tier: context, statement: The tabby is a coat pattern of domestic cats.}
""",
        clean="""
rubric:
  items:
    - {id: kind, type: simple, tier: valuable, statement: Tabby is a coat pattern of the domestic cat.}
    - {id: not-a-breed, type: simple, tier: context, statement: Tabby is not a breed of the domestic cat.}
""",
        look=_same_checks,
    ),
    QuestionRule(
        code="duplicate-option",
        severity="warning",
        summary="two options of a list are the same thing, by their texts or aliases",
        why=(
            "An answer that names the thing once is credited for both options, and a coverage check counts one thing "
            "as two. Case, spaces, hyphens, articles and plurals make no difference, nor does a doubled or exchanged "
            "letter. Where two things do share a name, give the alias to one of them only."
        ),
        triggers="""
rubric:
  items:
    - id: trouble
      type: flexible_list
      tier: valuable
      topic: fruit problems of tomatoes
      min_coverage: 1
      options: [blossom end rot, sunscald, {text: fruit rot, aliases: [Blossom-end rot]}]
""",
        clean="""
rubric:
  items:
    - id: trouble
      type: flexible_list
      tier: valuable
      topic: fruit problems of tomatoes
      min_coverage: 1
      options: [{text: blossom end rot, aliases: [fruit rot]}, sunscald, fruit cracking]
""",
        look=_same_options,
    ),
)
