"""The rules for options: which of them a text names, and in what way."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from gamut_eval.judging.lexical.language import (
    ABSENT,
    CLAUSE_WORDS,
    DETERMINERS,
    FAINT_WORDS,
    MEMBERSHIP_STEMS,
    NEGATORS,
)
from gamut_eval.judging.lexical.polarity import Denial
from gamut_eval.judging.lexical.reading import Reading
from gamut_eval.judging.lexical.words import content_stems, has_content, is_dense
from gamut_eval.records import Judgement, Verdict
from gamut_eval.rubric.check import CheckOption

SLACK = 3
"""Words that may stand between the words of a phrase, beyond those of its own."""
HINT = 0.6
"""Share of a phrase's weight that names something wider: "bell peppers" for "red bell peppers"."""
KNOWN_WEIGHT = 0.25
"""Weight of a word that the check's topic or the question has too: "oil" says little among oils."""
_VERB_REACH = 4
"""Words after "not" within which the verb of a denial stands, and after "is not" what the thing is not."""
_PLAIN_DENIERS = NEGATORS - {"not", "never", "cannot", "cant", "myth", "misconception"} | {"free"}
_AUXILIARIES = frozenset("is are was were be been do does did has have should can".split())
_CLAUSE_MARKS = frozenset(",;:—()!?.\n")


class How(IntEnum):
    """How a text names an option, the strongest last."""

    NOT = 0
    SET_ASIDE = 1
    DENIED = 2
    HINTED = 3
    MISSPELT = 4
    HEDGED = 5
    NAMED = 6


class Mention(NamedTuple):
    """Where and how an option is named; ``words`` are places in the reading."""

    how: How
    sentence: int
    words: tuple[int, ...]


NOWHERE = Mention(How.NOT, -1, ())


@dataclass(frozen=True)
class Phrase:
    """One of an option's wordings: the stems of its own and those that its surroundings give away.

    ``lows`` are the words of ``own``, ``kin`` the stems of all that the check and the question say.
    """

    own: tuple[str, ...]
    lows: tuple[str, ...]
    known: tuple[str, ...]
    reach: int
    denies: bool
    kin: frozenset[str]

    @property
    def weight(self) -> float:
        return len(self.own) + KNOWN_WEIGHT * len(self.known)


@dataclass(frozen=True)
class Options:
    """A check that asks for ``needed`` of these options; ``counts`` when it is a threshold to be counted to."""

    names: tuple[str, ...]
    phrases: tuple[tuple[Phrase, ...], ...]
    needed: int
    counts: bool

    def judge(self, reading: Reading, silent: frozenset[int]) -> Judgement:
        """The verdict on the whole text; sentences in ``silent`` name nothing."""
        mentions = self._mentions(reading, silent)
        return self._count(reading, mentions) if self.counts else self._one(reading, mentions[0])

    def _mentions(self, reading: Reading, silent: frozenset[int]) -> list[Mention]:
        """The best mention of each option; longer phrases take their words from shorter ones."""
        best = [NOWHERE] * len(self.names)
        taken: set[int] = set()
        longest_first = sorted(
            range(len(self.names)), key=lambda n: -max((p.weight for p in self.phrases[n]), default=0)
        )
        for number in longest_first:
            for phrase in self.phrases[number]:
                for mention in mentions_of(phrase, reading, silent):
                    if mention.how > best[number].how and not taken.issuperset(mention.words):
                        best[number] = mention
                    if best[number].how is How.NAMED:
                        break
            if best[number].how >= How.MISSPELT:
                taken.update(best[number].words)
        return best

    def _count(self, reading: Reading, mentions: list[Mention]) -> Judgement:
        named = [(n, m) for n, m in zip(self.names, mentions, strict=True) if m.how >= How.MISSPELT]
        count, total = len(named), len(self.names)
        spelled = f": {', '.join(name for name, _ in named)}" if named else ""
        reason = (
            f"names {count} of {total} options{spelled}; {self.needed} {'is' if self.needed == 1 else 'are'} needed"
        )
        if not count or 2 * count < self.needed:
            return Judgement(Verdict.MISSING, None, reason)
        sentences = [mention.sentence for _, mention in named]
        richest = max(dict.fromkeys(sentences), key=sentences.count)
        enough = count >= self.needed and any(mention.how > How.MISSPELT for _, mention in named)
        verdict = Verdict.MEETS if enough else Verdict.PARTIALLY_MEETS
        return Judgement(verdict, reading.quote(richest), reason)

    def _one(self, reading: Reading, mention: Mention) -> Judgement:
        name = self.names[0]
        outcomes = {
            How.NOT: (Verdict.MISSING, f"{name!r} is not named"),
            How.SET_ASIDE: (Verdict.MISSING, f"{name!r} is named only as what is not meant"),
            How.DENIED: (Verdict.CONTRADICTS, f"{name!r} is named and denied"),
            How.HINTED: (Verdict.PARTIALLY_MEETS, f"only a part of {name!r} is named"),
            How.MISSPELT: (Verdict.PARTIALLY_MEETS, f"{name!r} is named, but misspelt"),
            How.HEDGED: (Verdict.PARTIALLY_MEETS, f"{name!r} is named with a hedge"),
            How.NAMED: (Verdict.MEETS, f"names {name!r}"),
        }
        verdict, reason = outcomes[mention.how]
        return Judgement(verdict, None if verdict is Verdict.MISSING else reading.quote(mention.sentence), reason)


def options_rule(options: Iterable[CheckOption], threshold: int | None, known: Collection[str]) -> Options:
    """The rule for these options.

    Parameters
    ----------
    options
        At least one.
    threshold
        How many are needed; None asks for all of them (there is one).
    known
        Stems of the topic and the question, which every option may share.
    """
    options = tuple(options)
    wordings = tuple((option.text, *option.aliases) for option in options)
    kin = frozenset(known).union(*(content_stems(text) for texts in wordings for text in texts))
    phrases = tuple(tuple(_phrase(text, known, kin) for text in texts) for texts in wordings)
    needed = len(options) if threshold is None else threshold
    return Options(tuple(o.text for o in options), phrases, needed, threshold is not None or len(options) > 1)


def _phrase(text: str, known: Collection[str], kin: frozenset[str]) -> Phrase:
    reading = Reading(text)
    words = reading.words
    pairs = any(is_dense(word) and len(word.low) > 1 for word in words)
    if pairs:
        words = [word for word in words if not (is_dense(word) and len(word.low) == 1)]
    content = [word for word in words if has_content(word) and word.low not in FAINT_WORDS]
    stems = {word.stem: word.low for word in content or words}
    own = tuple(stem for stem in stems if stem not in known) or tuple(stems)
    given = tuple(stem for stem in stems if stem not in own)
    lows = tuple(stems[stem] for stem in own)
    return Phrase(own, lows, given, len(reading.words) + SLACK, any(reading.denial_of), kin)


def mentions_of(phrase: Phrase, reading: Reading, silent: frozenset[int]) -> Iterator[Mention]:
    """The places where the text names a phrase, or enough of it to hint at it."""
    anchors, misspelt = _anchors(phrase, reading)
    if not anchors:
        return
    rarest = min(anchors, key=lambda stem: len(reading.index[stem]))
    for place in reading.index[rarest]:
        sentence = reading.sentence_of[place]
        if sentence in silent:
            continue
        words = _near(phrase, anchors, reading, place)
        known = sum(reading.speaks_near(stem, sentence) for stem in phrase.known)
        whole = len(words) == len(phrase.own) and known == len(phrase.known)
        wrong = sum(reading.words[word].stem in misspelt for word in words)
        if whole or (not wrong and len(words) + KNOWN_WEIGHT * known >= HINT * phrase.weight):
            how = _how(phrase, reading, tuple(words), whole)
            yield Mention(_lowered(how, wrong, len(words)), sentence, tuple(words))


def _anchors(phrase: Phrase, reading: Reading) -> tuple[list[str], frozenset[str]]:
    """The stems by which the text has the phrase's own words, and which of them are misspelt."""
    anchors = [stem for stem in phrase.own if stem in reading.index]
    if len(anchors) == len(phrase.own):
        return anchors, frozenset()
    absent = (low for stem, low in zip(phrase.own, phrase.lows, strict=True) if stem not in reading.index)
    misspelt = [near[0] for low in absent if (near := reading.misspelt(low, phrase.kin))]
    return [*anchors, *misspelt], frozenset(misspelt)


def _lowered(how: How, wrong: int, words: int) -> How:
    """How a phrase counts of whose ``words`` some are misspelt: no denial rests on one, nor a name on them alone."""
    if wrong and how is How.DENIED:
        return How.NOT
    return min(how, How.MISSPELT) if wrong == words else how


def _near(phrase: Phrase, anchors: list[str], reading: Reading, place: int) -> list[int]:
    """The nearest place of each of the phrase's own stems within its reach, in the same sentence."""
    found = []
    sentence = reading.sentences[reading.sentence_of[place]]
    for stem in anchors:
        places = reading.index[stem]
        at = bisect_left(places, place)
        near = [p for p in places[max(0, at - 1) : at + 2] if sentence.first <= p < sentence.last]
        closest = min(near, key=lambda p: abs(p - place), default=None)
        if closest is not None and abs(reading.words[closest].at - reading.words[place].at) <= phrase.reach:
            found.append(closest)
    return sorted(found)


def _how(phrase: Phrase, reading: Reading, words: tuple[int, ...], whole: bool) -> How:
    denied = next((place for place in words if reading.denial_of[place]), words[0])
    denial = reading.denial_of[denied]
    if phrase.denies:
        return How.NAMED if whole and denial else How.NOT
    if denial and denial.contrast:
        return How.SET_ASIDE
    if (denial and _denies_membership(reading, denial, denied)) or _denied_after(reading, words[-1]):
        return How.DENIED if whole else How.NOT
    if not whole:
        return How.HINTED
    return How.HEDGED if reading.sentences[reading.sentence_of[words[0]]].hedged else How.NAMED


def _denies_membership(reading: Reading, denial: Denial, place: int) -> bool:
    """Whether the denial is of the thing itself: "no X", "does not contain X", but not "do not burn X"."""
    if reading.words[denial.cue].low in _PLAIN_DENIERS:
        return True
    between = [
        word for word in reading.words[denial.first : place] if has_content(word) and word.low not in DETERMINERS
    ]
    return not between or any(word.stem in MEMBERSHIP_STEMS for word in between[:_VERB_REACH])


def _denied_after(reading: Reading, last: int) -> bool:
    """Whether the clause goes on with "is not one of", "is never used" or "is absent"."""
    sentence = reading.sentences[reading.sentence_of[last]]
    before = reading.words[last]
    auxiliary = False
    for place in range(last + 1, min(last + 1 + _VERB_REACH, sentence.last)):
        word = reading.words[place]
        if not _CLAUSE_MARKS.isdisjoint(reading.text[before.end : word.start]) or word.low in CLAUSE_WORDS:
            return False
        denial = reading.denial_of[place]
        negated = word.low.endswith("n't") or (auxiliary and word.low in {"not", "never"})
        if negated:
            following = reading.words[place + 1 : min(place + 1 + _VERB_REACH, sentence.last)]
            return any(after.stem in MEMBERSHIP_STEMS or after.low in {"one", "in"} for after in following)
        if auxiliary and word.low in ABSENT and denial is None:
            return True
        auxiliary = auxiliary or word.low in _AUXILIARIES
        before = word
    return False
