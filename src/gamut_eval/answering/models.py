"""From ``provider/model`` to a model that answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from gamut_eval.answering.model_answerer import DEFAULTS, ModelAnswerer
from gamut_eval.answering.prompt import AnswerPrompt
from gamut_eval.llm.client import CLIENTS
from gamut_eval.llm.endpoint import CallOptions, endpoint


@dataclass(frozen=True)
class AnswerOptions:
    """How models are asked to answer: how they are called, and with which prompts."""

    calls: CallOptions = field(default_factory=CallOptions)
    prompt: AnswerPrompt = field(default_factory=AnswerPrompt)


def model_answerer(name: str, options: AnswerOptions | None = None) -> ModelAnswerer:
    """The model ``provider/model``; errors are those of `endpoint`."""
    options = options or AnswerOptions()
    return ModelAnswerer(CLIENTS.client(endpoint(name, options.calls, DEFAULTS), "model"), options.prompt)
