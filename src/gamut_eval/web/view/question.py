"""One question: the answers that are shown beside each other, and every verdict on each check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gamut_eval.benchmark.question import Question
from gamut_eval.reports.html.answers import Answer, answer
from gamut_eval.reports.shapes import CheckView, Link, Opinion, ScoreView
from gamut_eval.reports.views import question_views
from gamut_eval.rubric.check import Check
from gamut_eval.web.view.choice import Choice
from gamut_eval.web.view.snapshot import Snapshot

SHOWN_FIRST = 3
"""How many models' answers are shown, where none are chosen."""


@dataclass(frozen=True)
class Side:
    """One answer among those beside each other. ``id`` begins the ids of what is inside it."""

    id: str
    answer: Answer
    judge: str | None

    @property
    def model(self) -> str:
        """Whose answer it is."""
        return self.answer.view.model

    @property
    def scores(self) -> list[ScoreView]:
        """The question's scores by the judges that are shown."""
        return [score for score in self.answer.view.scores if self.judge in (None, score.judge)]

    def check(self, place: int) -> CheckView | None:
        """What was said of a check; None where there is no answer."""
        return self.answer.view.checks[place] if self.answer.view.checks else None

    def opinions(self, check: CheckView) -> list[Opinion]:
        """The verdicts of the judges that are shown."""
        return [opinion for opinion in check.opinions if self.judge in (None, opinion.judge)]

    def target(self, opinion: Opinion) -> str | None:
        """The id of the words that a verdict rests on; None where they are not in the answer."""
        place = self.answer.places.get(opinion.quote or "")
        return None if place is None else f"{self.id}s{place}"


@dataclass(frozen=True)
class Line:
    """A line of the meta-rubric, with the pages that it rests on."""

    id: str
    kind: str
    tier: str
    text: str
    evidence: tuple[Link, ...]


@dataclass(frozen=True)
class Shown:
    """All that a question's page is made of. ``samples`` are those that any model has."""

    question: Question
    variant: str
    variants: tuple[str, ...]
    checks: Sequence[Check]
    sides: tuple[Side, ...]
    samples: tuple[int, ...]
    lines: tuple[Line, ...]
    evidence: tuple[Link, ...]


def shown(snapshot: Snapshot, question: Question, choice: Choice, variant: str) -> Shown:
    """Read a question, its answers and its verdicts.

    Parameters
    ----------
    snapshot
        The runs.
    question
        One of its questions.
    choice
        Which models, sample and judge to show. Without ``models`` the filter's are, or the first few.
    variant
        In which variant it was asked.
    """
    (view,) = question_views(snapshot.question(question, variant))
    judge = choice.judge if choice.judge in snapshot.source.judges else None
    there = {response.model: response for response in view.responses}
    there |= {response.model: response for response in view.responses if response.sample == choice.sample}
    wanted = choice.models or choice.model or [model for model in snapshot.models if model in there][:SHOWN_FIRST]
    sides = [
        Side(f"r{place}", answer(there[model]), judge)
        for place, model in enumerate(snapshot.models)
        if model in wanted and model in there
    ]
    links = {e.id: Link(e.url, e.title, e.locator, e.summary) for e in question.rubric.evidence}
    samples = {sample for response in view.responses for sample in range(response.n_samples)}
    variants = tuple(dict.fromkeys(variant for variant, _ in snapshot.facets if variant in question.variants))
    lines = tuple(
        Line(item.id, getattr(item, "type", "insight"), item.tier.value, item.summary(), _cited(item.evidence, links))
        for item in (*question.rubric.items, *question.rubric.insights)
    )
    checks = snapshot.checks[question.id]
    return Shown(
        question, variant, variants, checks, tuple(sides), tuple(sorted(samples)), lines, tuple(links.values())
    )


def _cited(ids: Sequence[str], links: Mapping[str, Link]) -> tuple[Link, ...]:
    return tuple(links[id] for id in ids if id in links)
