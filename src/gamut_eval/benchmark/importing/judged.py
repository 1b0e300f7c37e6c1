"""Answers that annotators judged fact by fact, as responses and recorded verdicts to test judges against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.importing.checks import Line
from gamut_eval.benchmark.importing.fields import refused
from gamut_eval.benchmark.importing.source import Ledger
from gamut_eval.benchmark.importing.table import text_of
from gamut_eval.benchmark.importing.tiers import normal
from gamut_eval.benchmark.write import write_jsonl
from gamut_eval.errors import Place
from gamut_eval.records import Judgement, Response, Verdict, VerdictRow, response_from_dict
from gamut_eval.rubric.fields import Tier

RESPONSES, VERDICTS = "responses.jsonl", "verdicts.jsonl"
JUDGE = "physicians (majority)"
_VERDICTS = {"entailment": Verdict.MEETS, "neutral": Verdict.MISSING, "contradiction": Verdict.CONTRADICTS}


@dataclass(frozen=True)
class Fact:
    """A fact that an answer was held against, and the label that each annotator gave."""

    line: Line
    labels: tuple[str, ...]

    @property
    def majority(self) -> Verdict | None:
        """What more than half of the annotators said; None where no label has so many."""
        label, n = Counter(self.labels).most_common(1)[0]
        return _VERDICTS[label] if 2 * n > len(self.labels) else None


@dataclass(frozen=True)
class Answer:
    """A model's answer with its judged facts."""

    model: str
    text: str
    facts: tuple[Fact, ...]
    place: Place


def read_answers(value: Any, tiers: Mapping[str, Tier], place: Place) -> list[Answer]:
    """The answers in a list of ``{model, answer, checks: [{fact, tier, labels}]}``; None is an empty one.

    Raises
    ------
    InputError
        It is something else, or a tier or a label is not known.
    """
    entries = [] if value is None else value
    if not isinstance(entries, list) or not all(isinstance(one, Mapping) for one in entries):
        raise refused(place, "'judged' must be a list of {model, answer, checks}")
    return [_answer(one, tiers, place) for one in entries]


def _answer(entry: Mapping[str, Any], tiers: Mapping[str, Tier], place: Place) -> Answer:
    model, text, facts = text_of(entry.get("model")), entry.get("answer"), entry.get("checks")
    if not model or not isinstance(text, str) or not isinstance(facts, list):
        raise refused(place, "a judged answer needs a 'model', an 'answer' and a list of 'checks'")
    return Answer(model, text, tuple(_fact(one, tiers, place) for one in facts), place)


def _fact(entry: Any, tiers: Mapping[str, Tier], place: Place) -> Fact:
    if not isinstance(entry, Mapping) or not text_of(entry.get("fact")) or not isinstance(entry.get("labels"), list):
        raise refused(place, "a judged fact needs a 'fact', a 'tier' and a list of 'labels'")
    tier = {normal(name): one for name, one in tiers.items()}.get(normal(text_of(entry.get("tier"))))
    labels = tuple(normal(text_of(label)) for label in entry["labels"])
    if tier is None:
        raise refused(place, f"the tier {entry.get('tier')!r} is none of {', '.join(tiers)}")
    if not labels or not all(label in _VERDICTS for label in labels):
        raise refused(place, f"the labels {entry['labels']!r} are not all Entailment, Neutral or Contradiction")
    return Fact(Line(tier, text_of(entry["fact"])), labels)


def judged_lines(answers: Sequence[Answer]) -> list[Line]:
    """The facts that any of the answers was held against, each once."""
    return list(dict.fromkeys(fact.line for answer in answers for fact in answer.facts))


def write_judged(folder: Path, benchmark: Benchmark, answers: Mapping[str, Sequence[Answer]], ledger: Ledger) -> None:
    """Write the answers to the benchmark's questions, by question id, and what the majority said of them."""
    responses: list[Response] = []
    verdicts: list[VerdictRow] = []
    for name in benchmark.by_id:
        samples = Counter[str]()
        for answer in answers.get(name, ()):
            row = {"question_id": name, "model": answer.model, "variant": "text_only", "response": answer.text}
            response = response_from_dict(row | {"sample": samples[answer.model]}, answer.place)
            samples[answer.model] += 1
            responses.append(response)
            verdicts += _rows(benchmark, response, answer, ledger)
    write_jsonl(folder / RESPONSES, [one.to_dict() for one in responses])
    write_jsonl(folder / VERDICTS, [one.to_dict() for one in verdicts])


def _rows(benchmark: Benchmark, response: Response, answer: Answer, ledger: Ledger) -> Iterator[VerdictRow]:
    facts = {fact.line: fact for fact in answer.facts}
    lines = {(check.tier, check.text): check for check in benchmark.checks[response.question_id]}
    for (tier, text), check in lines.items():
        fact = facts.get(Line(tier, text))
        verdict = fact.majority if fact else None
        if fact is None or verdict is None:
            what = "facts without a label" if fact is None else "facts without a majority of labels"
            ledger.lose(f"{what}, so without a verdict", f"{check.id} of {answer.model} on {response.question_id}")
            continue
        more = {"kind": "person", "by": "physicians of K-QA", "labels": list(fact.labels)}
        outcome = Judgement(verdict, more=more)
        asked = (response.question_id, response.model, response.variant, response.sample)
        yield VerdictRow(*asked, check.id, JUDGE, 0, outcome, check.hash, response.hash)
