"""A language model that answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gamut_eval.answering.answerer import Answer, Answerer, Asking
from gamut_eval.answering.prompt import AnswerPrompt
from gamut_eval.llm.call import Call, Sampling
from gamut_eval.llm.client import Client
from gamut_eval.llm.faults import Fault
from gamut_eval.records import Failure

DEFAULTS = Sampling()
"""A model answers as its endpoint has it answer, unless told otherwise."""


class ModelAnswerer(Answerer):
    """Asks a model each question.

    A refusal is an answer and marked as one; so is an empty reply that the model ended itself. A reply that was
    withheld or cut off is an error on record.
    """

    def __init__(self, client: Client, prompt: AnswerPrompt | None = None) -> None:
        self.name = client.endpoint.name
        self.client = client
        self.prompt = prompt or AnswerPrompt()
        self.workers = client.endpoint.options.connections

    @property
    def settings(self) -> Mapping[str, Any]:
        """Model, prompts and sampling."""
        sampling = self.client.endpoint.sampling.to_dict()
        return {"model": self.name, "prompt": self.prompt.hash, "sampling": sampling}

    async def answer(self, asking: Asking) -> Answer | Failure:
        """The model's answer."""
        image = asking.image() if asking.image else None
        messages = self.prompt.messages(asking.question, asking.variant, image)
        salt = ("answer", asking.sample) if asking.sample else ("answer",)
        sampling = self.client.endpoint.sampling.for_time(asking.sample)
        try:
            reply = await self.client.complete(Call(messages, sampling, None, salt))
        except Fault as fault:
            return _instead(fault)
        more = {
            "finish_reason": reply.finish_reason,
            "served_by": reply.model,
            "prompt_tokens": reply.usage.prompt,
            "completion_tokens": reply.usage.completion,
        }
        return Answer(reply.text, {name: value for name, value in more.items() if value is not None})


def _instead(fault: Fault) -> Answer | Failure:
    more: dict[str, Any] = {"served_by": fault.model} if fault.model else {}
    if fault.code == "refusal":
        return Answer(fault.text or "", {"refusal": True, **more})
    if fault.code == "empty" and fault.finish_reason == "stop":
        return Answer("", {"finish_reason": "stop", **more})
    return Failure(fault.code, fault.message, more)
