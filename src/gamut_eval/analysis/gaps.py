"""What several models' answers state and no check asks for: where a rubric may be incomplete.

Sentences of different models that say the same are put together by TF-IDF similarity (words and pairs of neighbouring
words, by their stems). A group that no verdict quotes and no check resembles is a gap. No language model is needed.
Shared does not mean true.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gamut_eval.analysis.source import Source
from gamut_eval.benchmark.question import Question
from gamut_eval.errors import UnknownNameError
from gamut_eval.extras import needed
from gamut_eval.judging.lexical.language import NEGATORS
from gamut_eval.judging.lexical.sentences import spans
from gamut_eval.judging.lexical.words import Word, has_content, is_number, words_of
from gamut_eval.records import Response, Verdict
from gamut_eval.rubric.check import Check

ALIKE = 0.2
"""From this mean similarity on sentences say the same (cosine of TF-IDF vectors, average linkage)."""
LIKE_A_CHECK = 0.6
"""From this similarity on a sentence says what a check, an item or the question says."""
FEWEST_WORDS = 3
"""A sentence with fewer words that are more than grammar states nothing that can be compared."""
MOST_READ = 3_000
"""How many responses are read, at most, to see which words and sentences are common."""
MOST_SENTENCES = 1_500
"""How many sentences of one question are compared, at most: those of its first responses."""
BOILERPLATE_QUESTIONS, BOILERPLATE_SHARE = 3, 0.02
"""A sentence in the answers to so many questions, and to this share of those read, is of no question in particular."""
_FEATURES = 2**18
_LONGEST = 600
_EDGE = " \t*_#>`|-"
_QUOTING = (Verdict.MEETS, Verdict.PARTIALLY_MEETS, Verdict.CONTRADICTS)
_OMISSION = re.compile(r"\s*(?:\[?(?:…|\.\.\.)\]?)\s*")
_FRAME = re.compile(
    r"by (?:following|considering|keeping|taking) (?:all )?(?:these|those|this)\b|as an? ai\b"
    r"|(?:i )?hope (?:this|that) helps|(?:please )?(?:let me know|feel free)"
    r"|if you have any (?:other |more |further )?questions",
    re.IGNORECASE,
)
"""How sentences begin that frame an answer and say nothing of its subject."""
_EMPHASIS = re.compile(r"\*\*|__|`")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True)
class Wording:
    """One sentence of an answer, as it stands there, without marks of emphasis."""

    model: str
    variant: str
    sample: int
    text: str


@dataclass(frozen=True)
class Nearest:
    """What a rubric has that comes nearest to a statement; ``check_id`` is None where that is no check."""

    check_id: str | None
    text: str
    similarity: float


@dataclass(frozen=True)
class Gap:
    """A statement that several models share and no check covers.

    ``statement`` is the most central of ``wordings``, which are ordered by how central they are; ``centrality`` is its
    mean similarity to those of other models. ``models`` are those that state it, of ``n_models`` that answered;
    ``n_stating`` of ``n_responses`` responses state it. ``nearest`` is None for a rubric without checks.
    """

    question_id: str
    statement: str
    models: tuple[str, ...]
    n_models: int
    n_stating: int
    n_responses: int
    centrality: float
    wordings: tuple[Wording, ...]
    nearest: Nearest | None

    @property
    def share(self) -> float:
        """The share of the models that state it."""
        return len(self.models) / self.n_models


@dataclass(frozen=True)
class Statement:
    """A sentence of an answer, ready to be compared.

    ``stems`` are those of its words with content. ``numbers`` are its digits, ``denies`` says whether it has a
    negation: sentences that differ in these do not say the same, however alike their words are.
    """

    response: Response
    text: str
    stems: tuple[str, ...]
    numbers: frozenset[str]
    denies: bool


def statements(response: Response) -> Iterator[Statement]:
    """The sentences of an answer that state something: no questions, headings or scraps, and no words about itself."""
    text = response.text or ""
    for span in spans(text):
        raw = text[span.start : span.end]
        shown = _EMPHASIS.sub("", raw).strip(_EDGE)
        if span.asks or shown.endswith(":") or len(raw) > _LONGEST or _FRAME.match(shown):
            continue
        words = words_of(raw)
        stems = tuple(word.stem for word in words if has_content(word))
        if len(set(stems)) < FEWEST_WORDS:
            continue
        numbers = frozenset(_number(word) for word in words if is_number(word))
        denies = any(word.low in NEGATORS for word in words)
        yield Statement(response, shown, stems, numbers, denies)


def _number(word: Word) -> str:
    return word.low.replace(",", "")


def _terms(stems: Sequence[str]) -> list[str]:
    """Words and pairs of neighbours."""
    return [*stems, *(f"{one} {two}" for one, two in pairwise(stems))]


def _stems(text: str) -> list[str]:
    return [word.stem for word in words_of(text) if has_content(word)]


class GapFinder:
    """Finds gaps question by question; it reads once which words and sentences are common in all answers.

    Parameters
    ----------
    source
        The run.
    n_models
        How many models, at least, share a gap's statement.
    threshold, covered
        See `ALIKE` and `LIKE_A_CHECK`.
    variant
        Whose answers to look at; None for those of all variants.

    Raises
    ------
    MissingExtraError
        scikit-learn is not installed.
    """

    def __init__(
        self,
        source: Source,
        *,
        n_models: int = 2,
        threshold: float = ALIKE,
        covered: float = LIKE_A_CHECK,
        variant: str | None = None,
    ) -> None:
        self._source, self._n_models, self._variant = source, n_models, variant
        self._threshold, self._covered = threshold, covered
        text = needed("sklearn.feature_extraction.text", "looking for gaps", "gaps")
        self._clusters = needed("sklearn.cluster", "looking for gaps", "gaps")
        self._hashing = text.HashingVectorizer(
            analyzer=list, n_features=_FEATURES, alternate_sign=False, norm=None, dtype=np.float64
        )

    def of(self, question_id: str) -> list[Gap]:
        """One question's gaps, those that most models share first.

        Raises
        ------
        UnknownNameError
            The run has no such question.
        """
        self.require([question_id])
        responses = self._responses[question_id]
        every = [s for response in responses for s in statements(response) if s.stems not in self._boilerplate]
        every = every[:MOST_SENTENCES]
        if len({s.response.model for s in every}) < self._n_models:
            return []
        weights = self._weights(every)
        alike = self._alike(every, weights)
        groups = [group for group in self._groups(alike) if self._shared([every[place] for place in group])]
        places = sorted(place for group in groups for place in group)
        rubric = Rubric(
            self._questions[question_id], self._checks[question_id], self._vectors, self._hashing.transform, weights
        )
        nearest = dict(zip(places, rubric.nearest([every[place] for place in places]), strict=True))
        quoted = self._quotes.get(question_id, {})
        open_groups = [
            group
            for group in groups
            if not any(nearest[place].similarity >= self._covered for place in group)
            and not any(quoted_in(every[place], quoted.get(every[place].response.key, ())) for place in group)
        ]
        found = [
            _gap(responses, [every[place] for place in group], alike[np.ix_(group, group)], [nearest[p] for p in group])
            for group in open_groups
        ]
        return sorted(found, key=lambda gap: (-gap.share, -gap.centrality, gap.statement))

    def require(self, question_ids: Iterable[str]) -> None:
        """Refuse what is no question of the run."""
        for name in question_ids:
            if name not in self._questions:
                raise UnknownNameError("question", name, self._questions)

    def _shared(self, group: Sequence[Statement]) -> bool:
        return len({s.response.model for s in group}) >= self._n_models

    @cached_property
    def _questions(self) -> dict[str, Question]:
        return {question.id: question for question in self._source.questions}

    @cached_property
    def _responses(self) -> dict[str, list[Response]]:
        found: dict[str, list[Response]] = defaultdict(list)
        for response in self._source.responses:
            if response.answered and not response.says_nothing and self._variant in (None, response.variant):
                found[response.question_id].append(response)
        return found

    @cached_property
    def _checks(self) -> dict[str, list[Check]]:
        found: dict[str, list[Check]] = defaultdict(list)
        for check in self._source.checks:
            found[check.question_id].append(check)
        return found

    @cached_property
    def _read(self) -> dict[str, list[tuple[str, ...]]]:
        """By question: the stems of the sentences of all its answers, of as many questions as are read."""
        n = sum(map(len, self._responses.values()))
        step = max(1, -(-n // MOST_READ))
        ids = list(self._responses)[::step]
        return {id: [s.stems for response in self._responses[id] for s in statements(response)] for id in ids}

    @cached_property
    def _boilerplate(self) -> set[tuple[str, ...]]:
        """Sentences that answers to many different questions have."""
        seen = Counter(stems for sentences in self._read.values() for stems in set(sentences))
        least = max(BOILERPLATE_QUESTIONS, BOILERPLATE_SHARE * len(self._read))
        return {stems for stems, n in seen.items() if n >= least}

    @cached_property
    def _idf(self) -> NDArray[np.float64]:
        """By feature: how rare it is among all sentences read."""
        documents = (_terms(stems) for sentences in self._read.values() for stems in sentences)
        counts = self._hashing.transform(documents)
        frequencies = np.bincount(counts.indices, minlength=_FEATURES)
        return np.asarray(np.log((1 + counts.shape[0]) / (1 + frequencies)) + 1, dtype=np.float64)

    def _weights(self, every: Sequence[Statement]) -> NDArray[np.float64]:
        """By feature: rare words weigh more, and less what many of this question's sentences have, as its subject."""
        counts = self._hashing.transform(_terms(s.stems) for s in every)
        frequencies = np.bincount(counts.indices, minlength=_FEATURES)
        return np.asarray(self._idf * (1 - frequencies / (1 + len(every))), dtype=np.float64)

    def _vectors(self, documents: Iterable[Sequence[str]], weights: NDArray[np.float64]) -> Any:
        """Unit vectors, one a document: shape (documents, features), sparse."""
        vectors = self._hashing.transform(documents)
        vectors.data = (np.log(vectors.data) + 1) * weights[vectors.indices]
        lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
        vectors.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(vectors.indptr))
        return vectors

    def _alike(self, every: Sequence[Statement], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """How alike sentences are, 0 where numbers or negations conflict: shape (sentences, sentences)."""
        vectors = self._vectors([_terms(s.stems) for s in every], weights)
        alike = np.clip((vectors @ vectors.T).toarray(), 0, 1)
        denies = np.array([s.denies for s in every])
        alike[denies[:, None] != denies[None, :]] = 0
        numbered = [place for place, s in enumerate(every) if s.numbers]
        for place in numbered:
            for other in numbered:
                if every[place].numbers.isdisjoint(every[other].numbers):
                    alike[place, other] = 0
        return np.asarray(alike, dtype=np.float64)

    def _groups(self, alike: NDArray[np.float64]) -> list[list[int]]:
        """Places of sentences that say the same, together."""
        grouping = self._clusters.AgglomerativeClustering(
            n_clusters=None, metric="precomputed", linkage="average", distance_threshold=1 - self._threshold
        )
        found: dict[int, list[int]] = defaultdict(list)
        for place, label in enumerate(grouping.fit(1 - alike).labels_):
            found[int(label)].append(place)
        return list(found.values())

    @cached_property
    def _quotes(self) -> dict[str, dict[tuple[str, str, str, int], list[str]]]:
        """By question and response: what verdicts other than missing quote."""
        given = self._source.verdicts.filter(
            pl.col("verdict").is_in([str(verdict) for verdict in _QUOTING]), pl.col("quote").is_not_null()
        )
        key = ["question_id", "model", "variant", "sample"]
        found: dict[str, dict[tuple[str, str, str, int], list[str]]] = defaultdict(dict)
        for question, *rest, quotes in given.group_by(key).agg(pl.col("quote").unique()).iter_rows():
            found[question][question, rest[0], rest[1], rest[2]] = sorted(quotes)
        return found


@dataclass(frozen=True)
class Rubric:
    """What a question and its rubric say, to hold sentences against."""

    question: Question
    checks: Sequence[Check]
    vectors: Any
    counts: Any
    weights: NDArray[np.float64]

    @cached_property
    def _said(self) -> list[tuple[str | None, str, list[str]]]:
        """Check ids or None, texts, and the stems of these."""
        said = [(check.id, text) for check in self.checks for text in _texts(check)]
        items = (*self.question.rubric.items, *self.question.rubric.insights)
        others = [self.question.question, self.question.text_only or "", *(item.summary() for item in items)]
        every: list[tuple[str | None, str]] = [*said, *((None, text) for text in others if text)]
        return [(name, text, _stems(text)) for name, text in every]

    def nearest(self, every: Sequence[Statement]) -> list[Nearest]:
        """For each sentence what comes nearest to it.

        The similarity is the cosine, or, if that is more, how much of the sentence is in the other text.
        """
        if not every or not self._said:
            return [Nearest(None, "", 0.0) for _ in every]
        own = self.vectors([_terms(s.stems) for s in every], self.weights)
        said = self.vectors([_terms(stems) for *_, stems in self._said], self.weights)
        alike = np.maximum((own @ said.T).toarray(), self._contained(every))
        places = alike.argmax(axis=1)
        best = [(self._said[place], float(alike[n, place])) for n, place in enumerate(places)]
        return [Nearest(name, text, round(similarity, 4)) for (name, text, _), similarity in best]

    def _contained(self, every: Sequence[Statement]) -> NDArray[np.float64]:
        """The weighted share of a sentence's words that the other text has too: shape (sentences, texts)."""
        own = self.counts(dict.fromkeys(s.stems) for s in every)
        said = self.counts(dict.fromkeys(stems) for *_, stems in self._said)
        own.data, said.data = self.weights[own.indices], np.ones_like(said.data)
        whole = np.asarray(own.sum(axis=1))
        return np.asarray((own @ said.T).toarray() / np.where(whole > 0, whole, 1), dtype=np.float64)


def _texts(check: Check) -> Iterator[str]:
    """All that a check says: its text, and its options and steps by themselves."""
    yield check.text
    for option in check.options:
        yield from (option.text, *option.aliases)
    for step in check.steps:
        yield step.text


def quoted_in(statement: Statement, quotes: Iterable[str]) -> bool:
    """Whether quotes from its answer cover at least half of it."""
    whole = _plain(statement.text)
    covered = np.zeros(len(whole), dtype=bool)
    for quote in quotes:
        for piece in filter(None, map(_plain, _OMISSION.split(quote))):
            if whole in piece:
                return True
            at = whole.find(piece)
            if at >= 0:
                covered[at : at + len(piece)] = True
    return bool(2 * covered.sum() >= len(whole))


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", _EMPHASIS.sub("", text)).strip(_EDGE + ".").casefold()


def _gap(
    responses: Sequence[Response], group: Sequence[Statement], alike: NDArray[np.float64], nearest: Sequence[Nearest]
) -> Gap:
    """A group as a gap; ``alike`` is how alike its sentences are."""
    models = np.array([s.response.model for s in group])
    others = models[:, None] != models[None, :]
    central = (alike * others).sum(axis=1) / others.sum(axis=1)
    order = sorted(range(len(group)), key=lambda place: (-central[place], len(group[place].text), place))
    first = order[0]
    return Gap(
        group[first].response.question_id,
        group[first].text,
        tuple(sorted(set(models.tolist()))),
        len({response.model for response in responses}),
        len({s.response.key for s in group}),
        len(responses),
        round(float(central[first]), 4),
        tuple(_wording(group[place]) for place in order),
        nearest[first] if nearest[first].text else None,
    )


def _wording(statement: Statement) -> Wording:
    response = statement.response
    return Wording(response.model, response.variant, response.sample, statement.text)


def gaps_of(source: Source, question_id: str, *, n_models: int = 2, threshold: float = ALIKE) -> list[Gap]:
    """One question's gaps. Whoever looks at several questions keeps a `GapFinder`, which reads the run only once."""
    return GapFinder(source, n_models=n_models, threshold=threshold).of(question_id)
