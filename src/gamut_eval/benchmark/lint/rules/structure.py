"""The shape of a rubric: what its items and checks add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.lint.passages import graded
from gamut_eval.benchmark.lint.rule import BenchmarkRule, Hit, QuestionRule
from gamut_eval.benchmark.question import Question
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import TIERS, Tier
from gamut_eval.rubric.items.flexible_list import FlexibleList
from gamut_eval.rubric.items.process import Process

MOST_CHECKS = 41
"""The most that a question of GAMUT has (paper, "The benchmark")."""
MOST_IN_ONE_TIER = 0.8
FEWEST_TO_JUDGE = 20
_FROM_OPTIONS = 5


def _nearly_all(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    for path, item in graded(question):
        if isinstance(item, FlexibleList):
            n = len(item.options)
            if n >= _FROM_OPTIONS and item.min_coverage == n - 1:
                message = f"{n - 1} of {n} options are required: nearly a strict_list; is no lower number enough?"
                yield Hit((*path, "min_coverage"), message, "info")


def _single_step(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    for path, item in graded(question):
        if isinstance(item, Process) and len(item.steps) == 1:
            yield Hit((*path, "steps"), "one step is no process; write it as a simple item, or give the other steps")


def _no_answer_critical(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    if checks and all(check.tier != Tier.ANSWER_CRITICAL for check in checks):
        field = "items" if question.rubric.checks is None else "checks"
        message = "no check is answer_critical, so an answer that misses the point can score in full; what must it say?"
        yield Hit(("rubric", field), message)


def _too_many(question: Question, checks: Sequence[Check]) -> Iterator[Hit]:
    if len(checks) > MOST_CHECKS:
        message = f"compiles to {len(checks)} checks, more than {MOST_CHECKS}; keep what matters, or split the question"
        yield Hit(("rubric",), message)


def _balance(benchmark: Benchmark) -> Iterator[str]:
    counts = Counter(check.tier for checks in benchmark.checks.values() for check in checks)
    n = counts.total()
    if n < FEWEST_TO_JUDGE:
        return
    tier, most = counts.most_common(1)[0]
    if most > MOST_IN_ONE_TIER * n:
        shares = ", ".join(f"{counts[each] / n:.0%} {each}" for each in TIERS)
        yield f"nearly all checks are {tier} ({shares}), so the tiers hardly tell what matters; GAMUT has 39%, 38%, 23%"


_ONE_FACT = """
rubric:
  items:
    - {id: identity, type: simple, tier: %s, statement: The drink is an espresso.}
"""
_SIZES = """
rubric:
  items:
    - id: parts
      type: strict_list
      tier: answer_critical
      topic: parts of the machine
      options: [%s]
"""
_COVERAGE = """
rubric:
  items:
    - id: spices
      type: flexible_list
      tier: valuable
      topic: spices used in jollof rice
      min_coverage: %d
      options: [thyme, curry powder, bay leaf, nutmeg, ginger, white pepper]
"""
_STEPS = """
rubric:
  items:
    - {id: brewing, type: process, tier: answer_critical, goal: making an espresso, steps: [%s]}
"""
_TIERS = """
rubric:
  items:
    - {id: identity, type: simple, tier: answer_critical, statement: The drink is an espresso.}
    - {id: foam, type: simple, tier: %s, statement: Espresso is topped with a foam called crema.}
"""

RULES = (
    QuestionRule(
        code="coverage-is-all",
        severity="warning",
        summary="a flexible list asks for all of its options; info where it asks for all but one of five or more",
        why=(
            "A flexible list is for pools of which no single member matters. Where every option is required, each is "
            "worth a check of its own at the list's tier: that is a strict_list. A minimum one short of all is "
            "seldom meant; it also leaves no room for a higher level of coverage."
        ),
        triggers=_COVERAGE % 6,
        clean=_COVERAGE % 2,
        look=_nearly_all,
    ),
    QuestionRule(
        code="single-step-process",
        severity="warning",
        summary="a process of one step",
        why=(
            "A process grades steps and their order. With one step there is no order, and the check says no more "
            "than a simple item would, in a more roundabout way."
        ),
        triggers=_STEPS % "force hot water through ground coffee",
        clean=_STEPS % "grind the beans, tamp the ground coffee, force hot water through the coffee",
        look=_single_step,
    ),
    QuestionRule(
        code="no-answer-critical",
        severity="warning",
        summary="a question without any answer_critical check",
        why=(
            "Answer-Critical is what an answer must say not to be wrong. Without it the weight of that tier goes to "
            "the others, and an answer that misses the point can score as well as one that does not."
        ),
        triggers=_ONE_FACT % "valuable",
        clean=_ONE_FACT % "answer_critical",
        look=_no_answer_critical,
    ),
    QuestionRule(
        code="too-many-checks",
        severity="warning",
        summary=f"a question that compiles to more than {MOST_CHECKS} checks",
        why=(
            f"No question of GAMUT has more than {MOST_CHECKS} checks; the median is 15. So long a rubric asks for an "
            "encyclopaedia entry rather than an answer, costs as many calls of the judge, and often holds details "
            "that nobody would miss. Long lists are better flexible, with a minimum coverage."
        ),
        triggers=_SIZES % ", ".join(f"part {n}" for n in range(1, 43)),
        clean=_SIZES % "boiler, pump, group head",
        look=_too_many,
    ),
    BenchmarkRule(
        code="tier-balance",
        severity="info",
        summary=f"more than {MOST_IN_ONE_TIER:.0%} of a benchmark's checks are in one tier",
        why=(
            "Tiers tell what matters from what helps. If nearly all checks are in one, they no longer do, and the "
            "scores of the other tiers rest on a handful of checks. GAMUT has 5.9 answer_critical, 5.8 valuable and "
            f"3.5 context checks a question. Looked at from {FEWEST_TO_JUDGE} checks on; the examples stand for every "
            "question."
        ),
        triggers=_TIERS % "answer_critical",
        clean=_TIERS % "context",
        look=_balance,
    ),
)
