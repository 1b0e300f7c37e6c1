"""Questions with their responses, checks and verdicts, joined for showing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.benchmark.question import Question
from gamut_eval.records import Response
from gamut_eval.reports.doubts import flags_in
from gamut_eval.reports.ranking import facets
from gamut_eval.reports.shapes import CheckView, Link, Opinion, QuestionView, ResponseView, ScoreView
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import TIERS
from gamut_eval.scoring.counts import CONSENSUS, PANEL

Triple = tuple[str, str, str]
NOT_JUDGED = "not_judged"
NO_RESPONSE = "There is no response."
_DERIVED = "Derived from the verdicts on its parts."

MOST_CHARACTERS = 12_000_000
"""More would make a page that browsers open slowly."""
_A_VERDICT = 700
"""What a verdict takes on the page, with its check, quote and reason."""


@dataclass(frozen=True)
class Joined:
    """A source's rows by what they belong to. A triple is question id, model, variant."""

    source: Source

    @cached_property
    def checks(self) -> dict[str, list[Check]]:
        """Checks by question id, in tier order."""
        grouped: dict[str, list[Check]] = defaultdict(list)
        for check in sorted(self.source.checks, key=lambda check: TIERS.index(check.tier)):
            grouped[check.question_id].append(check)
        return grouped

    @cached_property
    def responses(self) -> dict[Triple, list[Response]]:
        """Responses by triple, in the order of samples."""
        grouped: dict[Triple, list[Response]] = defaultdict(list)
        for response in sorted(self.source.responses, key=lambda response: response.sample):
            grouped[response.question_id, response.model, response.variant].append(response)
        return grouped

    @cached_property
    def scores(self) -> dict[Triple, list[ScoreView]]:
        """Scores by triple, one a judge: everything that was to be answered, answered or not."""
        grouped: dict[Triple, list[ScoreView]] = defaultdict(list)
        for row in self.source.scores.questions.iter_rows(named=True):
            view = ScoreView(row["judge"], row["gamut"], (row["low"], row["high"]), row["complete"])
            grouped[row["question_id"], row["model"], row["variant"]].append(view)
        return grouped

    @cached_property
    def opinions(self) -> dict[tuple[Any, ...], list[Opinion]]:
        """Opinions by question id, model, variant, sample and check id; derived ones in place of asked ones."""
        grouped: dict[tuple[Any, ...], list[Opinion]] = defaultdict(list)
        for row in self.source.asked_verdicts.iter_rows(named=True):
            grouped[_key(row)].append(_opinion(row))
        derived = self.source.derived_verdicts.sort(pl.all()) if self.source.derived else pl.DataFrame()
        for row in derived.iter_rows(named=True):
            error = None if row["verdict"] else NOT_JUDGED
            opinion = Opinion(row["judge"], row["repeat"], row["verdict"], rationale=_DERIVED, error=error)
            grouped[_key(row)].append(opinion)
        return grouped

    @cached_property
    def repeats(self) -> dict[tuple[str, str], dict[str, int]]:
        """How often each judge was to be asked, by model and variant."""
        grouped: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        for model, variant, judge, repeats in self.source.asked:
            grouped[model, variant][judge] = repeats
        return grouped

    def opinions_on(self, response: Response, check: Check) -> tuple[Opinion, ...]:
        """What every judge asked said of it, or that it has not yet."""
        found = self.opinions.get((*response.key, check.id), [])
        if not response.answered:
            return tuple(found)
        given = {opinion.judge for opinion in found}
        judges = self.repeats[response.model, response.variant]
        absent = [Opinion(judge, 0, None, error=NOT_JUDGED) for judge in judges if judge not in given]
        return (*found, *absent)


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return (row["question_id"], row["model"], row["variant"], row["sample"], row["check_id"])


def _opinion(row: dict[str, Any]) -> Opinion:
    names = ("judge", "repeat", "verdict", "quote", "rationale", "error", "error_message")
    fields: list[Any] = [*(row[name] for name in names), flags_in(row["more"]) if row["verdict"] else ()]
    return Opinion(*fields)


def models_best_first(source: Source) -> list[str]:
    """The order in which a question's answers are shown."""
    return list(dict.fromkeys(row.model for facet in facets(source) for row in facet.rows))


def chosen_questions(source: Source) -> list[str]:
    """The questions asked for, else all, as far as the page has room; at least one."""
    n_verdicts = dict(source.verdicts.group_by("question_id").len().iter_rows())
    responses: dict[str, list[Response]] = defaultdict(list)
    for response in source.responses:
        responses[response.question_id].append(response)
    wanted = source.only or tuple(question.id for question in source.questions)
    room, chosen = MOST_CHARACTERS, list[str]()
    for name in wanted:
        room -= _A_VERDICT * n_verdicts.get(name, 0) + sum(len(response.text or "") for response in responses[name])
        if room < 0 and chosen:
            break
        chosen.append(name)
    return chosen


def question_views(source: Source) -> tuple[QuestionView, ...]:
    """All questions that were to be answered, in the benchmark's order; responses best model first."""
    joined = Joined(source)
    best_first = models_best_first(source)
    triples: dict[str, list[Triple]] = defaultdict(list)
    for triple in sorted(joined.scores, key=lambda triple: (triple[2], best_first.index(triple[1]))):
        triples[triple[0]].append(triple)
    return tuple(_question(question, triples[question.id], joined) for question in source.questions)


def _question(question: Question, triples: Sequence[Triple], joined: Joined) -> QuestionView:
    responses = [view for triple in triples for view in _responses(triple, joined)]
    evidence = tuple(Link(e.url, e.title, e.locator, e.summary) for e in question.rubric.evidence)
    asked = (question.id, question.domain, question.question, question.text_only)
    return QuestionView(*asked, _mean(triples, joined), _mean_of(triples, joined), evidence, tuple(responses))


def _mean_of(triples: Sequence[Triple], joined: Joined) -> str:
    """What a question's mean is taken over."""
    models, variants = len({triple[1] for triple in triples}), len({triple[2] for triple in triples})
    judges = len({s.judge for triple in triples for s in joined.scores[triple]} - {PANEL, CONSENSUS})
    parts = [(models, "model"), (variants if variants > 1 else 0, "variant"), (judges if judges > 1 else 0, "judge")]
    said = ", ".join(f"{n} {name}{'' if n == 1 else 's'}" for n, name in parts if n)
    return f"mean of {said}" if said else "mean"


def _mean(triples: Sequence[Triple], joined: Joined) -> float | None:
    """Over models and judges; None where any is incomplete."""
    own = [s.gamut for t in triples for s in joined.scores[t] if s.judge not in (PANEL, CONSENSUS)]
    known = [gamut for gamut in own if gamut is not None]
    return sum(known) / len(known) if known and len(known) == len(own) else None


def _responses(triple: Triple, joined: Joined) -> Iterator[ResponseView]:
    question_id, model, variant = triple
    scores, responses = tuple(joined.scores[triple]), joined.responses.get(triple, [])
    if not responses:
        yield ResponseView(model, variant, 0, 1, None, NO_RESPONSE, scores, ())
    for response in responses:
        checks = (
            CheckView(check.id, check.tier, check.kind, check.text, joined.opinions_on(response, check))
            for check in joined.checks[question_id]
        )
        about = (model, variant, response.sample, len(responses), response.text, response.error)
        yield ResponseView(*about, scores, tuple(checks))
