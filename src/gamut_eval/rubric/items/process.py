"""Process: steps, each required or optional, and the order that the required ones must keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StrictBool

from gamut_eval.errors import Finding, did_you_mean
from gamut_eval.rubric.check import Check, CheckStep
from gamut_eval.rubric.fields import Text
from gamut_eval.rubric.item import Compiling, Item, Part, cited_evidence, from_text

STEP_GUIDANCE = (
    "Met when the response tells the reader to do this, in any words; its place in the order does not matter here. "
    "Partially met when the step is vague or only implied. "
    "Advice against the step contradicts it."
)
SEQUENCE_GUIDANCE = (
    "Judge the order that the response tells a reader to follow, not the order of mention. "
    "Met when all of these steps come in a permitted order, partially met when at least two do, "
    "contradicted when two of them come in an order that is not permitted, otherwise missing. "
    "A list without any order is missing."
)


class Step(Part):
    """One step. ``after`` names the required steps that must come before it.

    Without ``after`` a required step follows the required step before it in the list; ``[]`` means
    that it may come at any time.
    """

    required: StrictBool = True
    after: tuple[Text, ...] | None = None


AnyStep = Annotated[Step, BeforeValidator(from_text, json_schema_input_type=str | Step)]


class Process(Item):
    """Steps towards a goal: one check a step, and one for the order of the required ones."""

    type: Literal["process"]
    goal: Text
    steps: Annotated[tuple[AnyStep, ...], Field(min_length=1)]

    @cached_property
    def required(self) -> tuple[Step, ...]:
        """The required steps, in the order written."""
        return tuple(step for step in self.steps if step.required)

    @cached_property
    def before(self) -> tuple[tuple[str, str], ...]:
        """Pairs of step ids (a, b): a must come before b."""
        pairs = []
        for place, step in enumerate(self.required):
            default = (self.required[place - 1].part_id,) if place else ()
            pairs += [(a, step.part_id) for a in (default if step.after is None else step.after)]
        return tuple(dict.fromkeys(pairs))

    def compile(self, to: Compiling) -> Iterator[Check]:
        yield from self.flat(to)
        if self.before:
            yield self._check(
                to,
                "sequence",
                self._sequence_text(),
                SEQUENCE_GUIDANCE,
                part="order",
                evidence=cited_evidence(self.required),
                steps=tuple(CheckStep(step.part_id, step.text) for step in self.required),
                before=self.before,
            )

    def flat(self, to: Compiling) -> Iterator[Check]:
        for step in self.steps:
            tier = self.tier if step.required else self.tier.one_lower
            if tier is None:
                continue
            adverb = "" if step.required else "optional "
            yield self._check(
                to,
                "step",
                f"Gives this {adverb}step of {self.goal}: {step.text}",
                STEP_GUIDANCE,
                part=step.part_id,
                tier=tier,
                evidence=step.evidence,
                steps=(CheckStep(step.part_id, step.text),),
            )

    def _sequence_text(self) -> str:
        number = {step.part_id: place for place, step in enumerate(self.required, 1)}
        listed = "; ".join(f"({number[step.part_id]}) {step.text}" for step in self.required)
        chain = tuple((a.part_id, b.part_id) for a, b in zip(self.required, self.required[1:], strict=False))
        if self.before == chain:
            return f"Gives the steps of {self.goal} in this order: {listed}"
        rules = ", ".join(f"({number[a]}) before ({number[b]})" for a, b in self.before)
        return f"Gives the steps of {self.goal} in an order that keeps {rules}: {listed}"

    def problems(self) -> Iterator[Finding]:
        ids = list(super().problems())
        yield from ids or self._after_problems()
        if not self.required and self.tier.one_lower is None:
            message = "optional steps of a context process are not graded, so nothing here is; require one"
            yield Finding("nothing-graded", message, path=("steps",))

    def _after_problems(self) -> Iterator[Finding]:
        required = {step.part_id for step in self.required}
        optional = {step.part_id for step in self.steps} - required
        sound = True
        for place, step in enumerate(self.steps):
            path = ("steps", place, "after")
            if not step.required and step.after is not None:
                yield Finding("optional-after", "an optional step has no place in the order; remove 'after'", path=path)
            for at, target in enumerate(step.after or () if step.required else ()):
                if target in required:
                    continue
                sound = False
                why = " is optional" if target in optional else f" does not exist{did_you_mean(target, required)}"
                message = f"'after' names the step {target!r}, which{why}; name required steps by their id"
                yield Finding("unknown-step", message, path=(*path, at))
        if sound and (cycle := self._cycle()):
            yield Finding("step-cycle", f"these steps wait for each other: {' → '.join(cycle)}", path=("steps",))

    def _cycle(self) -> list[str]:
        order: TopologicalSorter[str] = TopologicalSorter()
        for a, b in self.before:
            order.add(b, a)
        try:
            order.prepare()
        except CycleError as error:
            return list(reversed(error.args[1]))
        return []

    def heading(self) -> tuple[str, str]:
        return "goal", self.goal

    def parts(self) -> tuple[str, Sequence[Part]]:
        return "steps", self.steps

    def summary(self) -> str:
        optional = len(self.steps) - len(self.required)
        return f"{self.goal} ({len(self.required)} steps{f' and {optional} optional' if optional else ''})"


ITEM = Process
