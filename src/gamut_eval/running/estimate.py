"""What a run would send, before anything is sent: calls, tokens, and their price where it is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

import orjson

from gamut_eval.answering.answerer import Answerer, Asking, fingerprint
from gamut_eval.answering.model_answerer import ModelAnswerer
from gamut_eval.judging.judge import Ask, Judge
from gamut_eval.judging.model_judge import ModelJudge
from gamut_eval.llm.call import Usage
from gamut_eval.llm.prices import price_of
from gamut_eval.records import Response
from gamut_eval.running.answers import AnswerPlan, answer_key
from gamut_eval.running.journal import Asked
from gamut_eval.running.plan import Plan

CHARACTERS_A_TOKEN = 4
ANSWER_TOKENS, VERDICT_TOKENS, IMAGE_TOKENS = 600, 120, 1000
"""What is assumed of an answer, of a verdict with quote and rationale, and of an image."""


@dataclass(frozen=True)
class Estimate:
    """What one model or judge would be sent, and is assumed to reply. ``cost`` is in US dollars, None if unknown."""

    role: str
    name: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def estimate_answers(plan: AnswerPlan, known: Set[bytes]) -> Iterator[Estimate]:
    """One estimate a model; others than models of a provider send nothing."""
    for answerer in plan.answerers:
        if isinstance(answerer, ModelAnswerer):
            prompts = [_asked(answerer, asking) for asking in _unanswered(plan, answerer, known)]
            yield _estimate(answerer, prompts, ANSWER_TOKENS)


def placeholders(plan: AnswerPlan, answered: Iterable[Response], known: Set[bytes]) -> list[Response]:
    """The responses that there are, and texts of the assumed length in place of those that will be asked for."""
    there = {response.key: response for response in answered if response.answered}
    text = "words " * (ANSWER_TOKENS * CHARACTERS_A_TOKEN // len("words "))
    found = []
    for answerer in plan.answerers:
        whose = fingerprint(answerer)
        for asking in plan.askings():
            place = (asking.question_id, answerer.name, asking.variant, asking.sample)
            old = there.get(place) if answer_key(whose, asking) in known else None
            found.append(old or Response(*place, text))
    return found


def estimate_verdicts(plan: Plan, known: Set[bytes]) -> Iterator[Estimate]:
    """One estimate a judge that is a model."""
    for judge in plan.judges:
        if isinstance(judge, ModelJudge):
            batches = [batch for group in plan.groups_for(judge) for batch in _batches(judge, group, known)]
            yield _estimate(judge, [_judged(judge, batch) for batch in batches], VERDICT_TOKENS)


def _unanswered(plan: AnswerPlan, answerer: Answerer, known: Set[bytes]) -> Iterator[Asking]:
    whose = fingerprint(answerer)
    return (asking for asking in plan.askings() if answer_key(whose, asking) not in known)


def _asked(answerer: ModelAnswerer, asking: Asking) -> tuple[int, int]:
    said = orjson.dumps(answerer.prompt.messages(asking.question, asking.variant, None))
    return len(said) // CHARACTERS_A_TOKEN + (IMAGE_TOKENS if asking.image else 0), 1


def _batches(judge: Judge, group: Iterable[tuple[Asked, Ask]], known: Set[bytes]) -> Iterator[Sequence[Ask]]:
    asks = [ask for asked, ask in group if asked.key not in known and not ask.response.says_nothing]
    size = judge.checks_per_call
    return (asks[at : at + size] for at in range(0, len(asks), size))


def _judged(judge: ModelJudge, batch: Sequence[Ask]) -> tuple[int, int]:
    first = batch[0]
    messages = judge.prompt.messages(first.question, first.response.text or "", [ask.check for ask in batch])
    image = IMAGE_TOKENS if judge.pictures and first.response.variant == "image" else 0
    return len(orjson.dumps(messages)) // CHARACTERS_A_TOKEN + image, len(batch)


def _estimate(worker: ModelAnswerer | ModelJudge, prompts: Sequence[tuple[int, int]], each: int) -> Estimate:
    endpoint = worker.client.endpoint
    price = price_of(endpoint.provider.prices, endpoint.model)
    costs = [price(Usage(tokens, 0, n * each)) for tokens, n in prompts] if price else [None]
    cost = None if any(one is None for one in costs) else sum(one for one in costs if one is not None)
    completion = sum(n for _, n in prompts) * each
    prompt = sum(tokens for tokens, _ in prompts)
    return Estimate(worker.client.role, worker.name, len(prompts), prompt, completion, cost)
