"""How much of a claim a text says, where, and what it says against it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from gamut_eval.judging.lexical.claim import BESIDE, WEIGHT_NUMBER, Claim, Term
from gamut_eval.judging.lexical.quantities import Quantity, agree, conflict
from gamut_eval.judging.lexical.reading import AFFIRMED, DENIED, SET_ASIDE, Reading

MISSPELT = 0.8
"""What a word counts that the text has only misspelt."""
PAIR = 0.9
"""What a word counts that is said in one of two sentences together: they may speak of different things."""


class Passage(NamedTuple):
    """One sentence, or two that follow each other, against a claim.

    ``share`` is the weight of what it says as the claim does, as a share of the claim's;
    ``new_share`` the same of what the question left open (1 where it left nothing open);
    ``against`` the share that it has with the opposite sign. ``agreed``, ``opposed`` and
    ``opposites`` are bit sets over the claim's terms and then its quantities.
    """

    first: int
    last: int
    share: float
    new_share: float
    against: float
    agreed: int
    opposed: int
    opposites: int


class Coverage:
    """The claim's terms and quantities, looked up in a text, sentence by sentence."""

    def __init__(self, claim: Claim, reading: Reading, silent: Collection[int] = ()) -> None:
        self.claim = claim
        self.reading = reading
        self.misspelt = 0
        """The terms that the text has only misspelt, as a bit set."""
        self._agreed: dict[int, int] = {}
        self._opposed: dict[int, int] = {}
        self._opposites: dict[int, int] = {}
        for place, term in enumerate(claim.terms):
            self._look_up(1 << place, term)
        for place, (quantity, _) in enumerate(claim.quantities, len(claim.terms)):
            for number, found in reading.quantities:
                if agree(quantity, found):
                    _set(self._agreed, number, 1 << place)
        for number in silent:
            for bits in (self._agreed, self._opposed, self._opposites):
                bits.pop(number, None)

    def _look_up(self, bit: int, term: Term) -> None:
        against = {AFFIRMED: DENIED, DENIED: AFFIRMED}.get(term.stands, 0)
        found = self._places(term)
        if not found:
            self._look_up_misspelt(bit, term)
        for places in found:
            for number, stands in places.items():
                if stands & term.agrees_with:
                    _set(self._agreed, number, bit)
                elif stands & against:
                    _set(self._opposed, number, bit)
        for place in self.reading.index.get(term.opposite or "", ()):
            stands = self.reading.stands(place)
            if stands != SET_ASIDE and self._has_beside(place, term):
                _set(self._agreed if stands == against else self._opposites, self.reading.sentence_of[place], bit)

    def _has_beside(self, place: int, term: Term) -> bool:
        """Whether a word stands where the term stands in the claim: beside one that is beside it there."""
        near = self.reading.words[max(0, place - BESIDE) : place + BESIDE + 1]
        return any(word.stem in term.beside for word in near)

    def _places(self, term: Term) -> Sequence[dict[int, int]]:
        found = [self.reading.places[stem] for stem in (term.stem, *term.also) if stem in self.reading.places]
        return found or [self.reading.joined[low] for low in (term.low,) if low in self.reading.joined]

    def _look_up_misspelt(self, bit: int, term: Term) -> None:
        """Only for it: that a misspelt word is denied is no ground to say that the text contradicts."""
        for stem in self.reading.misspelt(term.low, self.claim.kin):
            for number, stands in self.reading.places[stem].items():
                if stands & term.agrees_with:
                    _set(self._agreed, number, bit)
                    self.misspelt |= bit

    def passages(self) -> Iterator[Passage]:
        """Every sentence that has something of the claim, and every two neighbours that add to each other."""
        for number in sorted(self._agreed.keys() | self._opposed.keys() | self._opposites.keys()):
            yield self._passage(number, number)
            here, after = self._agreed.get(number, 0), self._agreed.get(number + 1, 0)
            if here & ~after and after & ~here and self._adjoin(number):
                yield self._passage(number, number + 1)

    def _adjoin(self, number: int) -> bool:
        """Whether a sentence and the next speak together; two lines of a list do not."""
        here, after = self.reading.sentences[number : number + 2]
        return not (here.marker and after.marker and after.opens)

    def _passage(self, first: int, last: int) -> Passage:
        agreed = self._agreed.get(first, 0) | self._agreed.get(last, 0)
        opposed = (self._opposed.get(first, 0) | self._opposed.get(last, 0)) & ~agreed
        opposites = (self._opposites.get(first, 0) | self._opposites.get(last, 0)) & ~agreed
        claim, misspelt = self.claim, self.misspelt
        has = new = against = 0.0
        for place, term in enumerate(claim.terms):
            if agreed >> place & 1:
                weight = term.weight * MISSPELT if misspelt >> place & 1 else term.weight
                has += weight
                new += weight if term.new else 0.0
            elif opposed >> place & 1:
                against += term.weight
        number_weight = WEIGHT_NUMBER * (agreed >> len(claim.terms)).bit_count()
        total = claim.weight or 1.0
        new_share = (new + number_weight) / claim.new_weight if claim.new_weight else 1.0
        trust = 1.0 if first == last else PAIR
        share = trust * (has + number_weight) / total
        return Passage(first, last, share, trust * new_share, against / total, agreed, opposed, opposites)

    def shown(self, bits: int) -> list[str]:
        """Those terms and quantities as the claim writes them."""
        names = [*(term.shown for term in self.claim.terms), *(spelled for _, spelled in self.claim.quantities)]
        return [name for place, name in enumerate(names) if bits >> place & 1]

    def lacks(self, passage: Passage) -> list[str]:
        """What of the claim the passage does not have."""
        return self.shown(~passage.agreed)

    def word_share(self, passage: Passage) -> float:
        """The share of the claim's words alone, without its quantities and what is misspelt."""
        agreed = passage.agreed & ~self.misspelt
        total = sum(term.weight for term in self.claim.terms)
        has = sum(term.weight for place, term in enumerate(self.claim.terms) if agreed >> place & 1)
        return has / total if total else 0.0

    def rests_on_misspelling(self, passage: Passage) -> bool:
        """Whether all that the passage says of what the question left open is misspelt."""
        exact = passage.agreed & ~self.misspelt
        if exact == passage.agreed or exact >> len(self.claim.terms):
            return False
        return not any(term.new and exact >> place & 1 for place, term in enumerate(self.claim.terms))

    def lacks_numbers(self, passage: Passage) -> bool:
        """Whether the claim has quantities of which the passage gives none."""
        return bool(self.claim.quantities) and not passage.agreed >> len(self.claim.terms)

    def other_number(self, passage: Passage) -> tuple[str, str] | None:
        """A quantity of the claim and another value for it in the passage, both as written."""
        wanted = [q for q, _ in self.claim.quantities]
        near = [q for number, q in self.reading.quantities if passage.first <= number <= passage.last]
        free = [q for q in near if not any(agree(one, q) for one in wanted)]
        for place, (quantity, spelled) in enumerate(self.claim.quantities, len(self.claim.terms)):
            if passage.agreed >> place & 1:
                continue
            if others := [q for q in free if conflict(quantity, q)]:
                return spelled, self._span(others[0])
        return None

    def _span(self, quantity: Quantity) -> str:
        words = self.reading.words
        return self.reading.text[words[quantity.first].start : words[quantity.last - 1].end]


def _set(bits: dict[int, int], number: int, bit: int) -> None:
    bits[number] = bits.get(number, 0) | bit
