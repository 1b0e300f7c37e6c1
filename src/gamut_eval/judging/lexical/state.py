"""The rule for a statement: how much of its content the best sentence, or the best two neighbours, cover."""

from __future__ import annotations

from dataclasses import dataclass

from gamut_eval.judging.lexical.claim import WEIGHT_FAINT, Claim
from gamut_eval.judging.lexical.cover import Coverage, Passage
from gamut_eval.judging.lexical.identity import Identity
from gamut_eval.judging.lexical.reading import DENIED, Reading
from gamut_eval.judging.lexical.sides import Sides
from gamut_eval.records import Judgement, Verdict

MEETS = 0.72
"""Share of the content from which a statement counts as made; paraphrases lose about a quarter of their words."""
PARTIAL = 0.45
"""Share from which it is partly made; below it, sentences on the same subject match by chance."""
NEW = 0.34
"""Share of what the question left open, without which repeating the question would do."""
CONFLICT = 0.6
"""Share that must be the same, word for word, before a turned sign or an opposite counts as a contradiction."""
TURNED = 0.3
"""Share of the matched words that must have the opposite sign."""
OTHER_NUMBER = 0.5
"""Share of the words around a number that must match before another number in its unit contradicts it."""
SHOWN = 5
"""Missing words that a rationale lists."""


@dataclass(frozen=True)
class Statement:
    """A check that asks for a statement.

    ``led`` says that its first word is an instruction's verb, without which it is at most partly made.
    """

    claim: Claim
    identity: Identity | None = None
    sides: Sides | None = None
    led: bool = False

    def judge(self, reading: Reading, silent: frozenset[int]) -> Judgement:
        """The verdict on the whole text; sentences in ``silent`` state nothing."""
        if self.identity and (other := self.identity.other(reading, silent)):
            number, reason = other
            return Judgement(Verdict.CONTRADICTS, reading.quote(number), reason)
        weighing = _Weighing(self, Coverage(self.claim, reading, silent))
        passage, verdict, reason = weighing.result()
        quote = None if passage is None else reading.quote(passage.first, passage.last)
        return Judgement(verdict, quote, reason)


class _Weighing:
    """One statement against one text."""

    def __init__(self, statement: Statement, coverage: Coverage) -> None:
        self.statement = statement
        self.claim = statement.claim
        self.coverage = coverage
        self.reading = coverage.reading
        self.passages = list(coverage.passages())

    def result(self) -> tuple[Passage | None, Verdict, str]:
        """The passage to go by, the verdict and the reason."""
        best = max(self.passages, key=self._rank, default=None)
        if best is None:
            return None, Verdict.MISSING, "no sentence has any of its content words"
        verdict = self._verdict(best)
        if verdict is not Verdict.MEETS and (worst := self._contradiction(best)):
            return worst[0], Verdict.CONTRADICTS, worst[1]
        if verdict is not Verdict.MISSING and self.statement.sides:
            exchanged = self.statement.sides.exchanged(self.reading, best.first, best.last)
            if exchanged:
                return best, Verdict.CONTRADICTS, exchanged
        if verdict is Verdict.MISSING:
            return None, verdict, f"the nearest sentence {self._covers(best)}"
        return best, verdict, self._covers(best)

    def _rank(self, passage: Passage) -> tuple[int, bool, float, int]:
        """Best verdict first, then one sentence before two, the most said, the earliest."""
        level = {Verdict.MEETS: 2, Verdict.PARTIALLY_MEETS: 1}.get(self._verdict(passage), 0)
        return level, passage.first == passage.last, passage.share, -passage.first

    def _verdict(self, passage: Passage) -> Verdict:
        if passage.share < PARTIAL or passage.new_share < NEW:
            return Verdict.MISSING
        whole = passage.share >= MEETS and not self.coverage.lacks_numbers(passage) and not passage.opposites
        whole = whole and not self.coverage.rests_on_misspelling(passage)
        whole = whole and not self._hedged(passage) and not (self.statement.led and self._lacks_lead(passage))
        return Verdict.MEETS if whole else Verdict.PARTIALLY_MEETS

    def _hedged(self, passage: Passage) -> bool:
        sentences = (self.reading.sentences[number] for number in (passage.first, passage.last))
        return not self.claim.hedged and any(sentence.hedged for sentence in sentences)

    def _lacks_lead(self, passage: Passage) -> bool:
        return bool(self.claim.terms) and self.claim.terms[0].weight > WEIGHT_FAINT and not passage.agreed & 1

    def _contradiction(self, best: Passage) -> tuple[Passage, str] | None:
        """The passage that contradicts most, if none agrees better."""
        found = [
            (passage, reason)
            for passage in self.passages
            if passage.share + passage.against >= best.share and (reason := self._against(passage))
        ]
        return max(found, key=lambda one: (one[0].first == one[0].last, one[0].share + one[0].against), default=None)

    def _against(self, passage: Passage) -> str | None:
        """Why the passage contradicts the statement, if it does."""
        matched = passage.share + passage.against
        turned = matched >= CONFLICT and passage.against >= TURNED * matched
        if turned and not self._agrees_in_denying(passage):
            said = ", ".join(map(repr, self.coverage.shown(passage.opposed)[:SHOWN]))
            return f"affirms what the check denies: {said}" if self.claim.denies else f"denies {said}"
        if passage.opposites and matched >= CONFLICT:
            return f"says the opposite of {self.coverage.shown(passage.opposites)[0]!r}"
        says_new = passage.new_share > 0 or not any(term.new for term in self.claim.terms)
        if says_new and self.coverage.word_share(passage) >= OTHER_NUMBER:
            other = self.coverage.other_number(passage)
            return f"says {other[1]!r} where the check has {other[0]!r}" if other else None
        return None

    def _agrees_in_denying(self, passage: Passage) -> bool:
        """Whether a statement that denies meets a sentence that denies some of it too, or warns without a negation."""
        agreed = (term for place, term in enumerate(self.claim.terms) if passage.agreed >> place & 1)
        denies_too = any(term.stands == DENIED for term in agreed)
        return denies_too or (self.claim.denies and self.reading.sentences[passage.first].dissuades)

    def _covers(self, passage: Passage) -> str:
        lacks = self.coverage.lacks(passage)
        reason = f"covers {self.claim.size - len(lacks)} of {self.claim.size} content words"
        if lacks:
            reason += f"; lacks {', '.join(map(repr, lacks[:SHOWN]))}{', …' if len(lacks) > SHOWN else ''}"
        if misspelt := self.coverage.shown(passage.agreed & self.coverage.misspelt):
            reason += f"; misspelt: {', '.join(map(repr, misspelt[:SHOWN]))}"
        return f"{reason}; hedged" if self._hedged(passage) else reason
