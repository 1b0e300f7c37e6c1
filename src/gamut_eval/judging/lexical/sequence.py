"""The rule for several steps: where each is told, and in what order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gamut_eval.judging.lexical.claim import Claim, claim
from gamut_eval.judging.lexical.cover import Coverage
from gamut_eval.judging.lexical.order import told_order
from gamut_eval.judging.lexical.reading import Reading
from gamut_eval.judging.lexical.words import content_stems
from gamut_eval.records import Judgement, Verdict
from gamut_eval.rubric.check import CheckStep

FOUND = 0.5
"""Share of a step's content in one sentence from which it is told there."""
NEW = 0.4
"""The same of what the question and the goal do not say already."""
TIE = 0.1
"""A place this much below the best may be the one that is meant."""
SURE = 0.7
"""Share from which both steps must be told where a wrong order is to contradict the check."""
NUMBERED = 0.1
"""What a numbered line is ahead by: steps are told there, and only summed up elsewhere."""
WINDOW = 12
"""Distance in words from which another word of a step no longer counts as told together with it."""
SHOWN = 4
"""Steps that a rationale lists."""


class Told(NamedTuple):
    """A place where a step is told: how well, in which sentence, and its rank in the order told."""

    share: float
    sentence: int
    rank: int


@dataclass(frozen=True)
class Steps:
    """A check that asks for steps in an order; ``before`` holds every pair that it fixes, directly or not."""

    ids: tuple[str, ...]
    claims: tuple[Claim, ...]
    before: frozenset[tuple[str, str]]

    def judge(self, reading: Reading, silent: frozenset[int]) -> Judgement:
        """The verdict on the whole text; sentences in ``silent`` tell nothing."""
        told = {i: places for i, c in zip(self.ids, self.claims, strict=True) if (places := _told(c, reading, silent))}
        found = f"finds {len(told)} of {len(self.ids)} steps"
        if len(told) < 2:
            return Judgement(Verdict.MISSING, None, f"{found}; an order takes two")
        sentences = sorted({places[0].sentence for places in told.values()})
        if not _is_ordered(reading, sentences):
            return Judgement(Verdict.MISSING, None, f"{found}, but in an enumeration that tells no order")
        if wrong := self._wrong(told):
            a, b = (told[step][0].sentence for step in wrong)
            before, after = (self._shown(step) for step in wrong)
            reason = f"tells {after} before {before}, which must come first"
            return Judgement(Verdict.CONTRADICTS, reading.quote(min(a, b), max(a, b)), reason)
        verdict = Verdict.MEETS if len(told) == len(self.ids) else Verdict.PARTIALLY_MEETS
        lacks = [self._shown(step) for step in self.ids if step not in told][:SHOWN]
        reason = f"{found} in a permitted order" + (f"; lacks {', '.join(lacks)}" if lacks else "")
        return Judgement(verdict, reading.quote(sentences[0], sentences[-1]), reason)

    def _wrong(self, told: dict[str, list[Told]]) -> tuple[str, str] | None:
        """The first pair of which no telling of the one comes before a telling of the other."""
        for a in self.ids:
            for b in self.ids:
                fixed = (a, b) in self.before and all(s in told and told[s][0].share >= SURE for s in (a, b))
                if fixed and min(place.rank for place in told[a]) > max(place.rank for place in told[b]):
                    return a, b
        return None

    def _shown(self, step: str) -> str:
        return repr(self.claims[self.ids.index(step)].text)


def steps_rule(steps: Sequence[CheckStep], before: Iterable[tuple[str, str]], known: Collection[str]) -> Steps:
    """The rule for these steps; ``known`` are stems that the question and the goal give away."""
    stems = [content_stems(step.text) for step in steps]
    shared = {stem for one in stems for stem in one if sum(stem in other for other in stems) > 1}
    kin = frozenset().union(*stems)
    claims = tuple(claim(step.text, known, shared, kin=kin, led=True) for step in steps)
    return Steps(tuple(step.id for step in steps), claims, _transitive(before))


def _transitive(before: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    after: dict[str, set[str]] = {}
    for a, b in before:
        after.setdefault(a, set()).add(b)
    pairs = set()
    for start in after:
        reached: set[str] = set()
        waiting = [start]
        while waiting:
            new = after.get(waiting.pop(), set()) - reached
            reached |= new
            waiting.extend(new)
        pairs |= {(start, end) for end in reached}
    return frozenset(pairs)


def _told(step: Claim, reading: Reading, silent: frozenset[int]) -> list[Told]:
    """The places where the step is told, the best first; none if it is told nowhere."""
    found = []
    for passage in Coverage(step, reading, silent).passages():
        enough = passage.share >= FOUND and passage.new_share >= NEW and passage.agreed.bit_count() >= min(2, step.size)
        if enough and passage.first == passage.last:
            bonus = NUMBERED if reading.sentences[passage.first].marker == "number" else 0.0
            place = _place(step, reading, passage.first)
            found.append(Told(passage.share + bonus, passage.first, told_order(reading.text)[place]))
    found.sort(key=lambda told: (-told.share, told.rank))
    return [told for told in found if told.share >= found[0].share - TIE]


def _place(step: Claim, reading: Reading, number: int) -> int:
    """The word of the sentence at which the step is told: the weightiest, with most of the others close by."""
    sentence = reading.sentences[number]
    weights = {term.stem: term.weight for term in step.terms}
    has = [(p, reading.words[p].stem) for p in range(sentence.first, sentence.last) if reading.words[p].stem in weights]

    def around(place: int) -> tuple[float, int]:
        near: dict[str, float] = {}
        for other, stem in has:
            close = weights[stem] * (1 - abs(other - place) / WINDOW)
            near[stem] = max(near.get(stem, 0.0), close)
        return sum(near.values()), -place

    return max((place for place, _ in has), key=around, default=sentence.first)


def _is_ordered(reading: Reading, sentences: list[int]) -> bool:
    """Whether these sentences tell an order.

    They do if one of them, or the line that leads in to them, has a word of order; if they are
    numbered; or if there are two or more of running prose, which is read as it goes. One sentence
    that lists steps without such a word, or plain bullets, tell none.
    """
    lead_in = [sentences[0] - 1] if sentences[0] and reading.sentences[sentences[0]].marker == "bullet" else []
    told = [reading.sentences[number] for number in (*lead_in, *sentences)]
    markers = [reading.sentences[number].marker for number in sentences]
    return any(sentence.orders for sentence in told) or "number" in markers or markers.count("") > 1
