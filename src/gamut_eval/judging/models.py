"""From ``provider/model`` to a judge."""

from __future__ import annotations

from dataclasses import dataclass, field

from gamut_eval.errors import InputError
from gamut_eval.judging.model_judge import DEFAULTS, ModelJudge
from gamut_eval.judging.prompt import INSTRUCTIONS, Prompt
from gamut_eval.llm.client import CLIENTS
from gamut_eval.llm.endpoint import CallOptions, endpoint
from gamut_eval.llm.pictures import Pictures

MOST_CHECKS_PER_CALL = 50


@dataclass(frozen=True)
class JudgeOptions:
    """How models are asked to judge.

    ``calls`` is how they are called; ``instructions`` are the user's own in place of ours; ``prime``
    asks the first check of a response alone.
    """

    calls: CallOptions = field(default_factory=CallOptions)
    instructions: str = INSTRUCTIONS
    checks_per_call: int = 1
    prime: bool = True


def model_judge(name: str, options: JudgeOptions | None = None, pictures: Pictures | None = None) -> ModelJudge:
    """The judge ``provider/model``; with ``pictures`` it sees the images that questions were asked with.

    Raises
    ------
    InputError
        See `endpoint`; or a wrong number of checks per call, or no instructions.
    """
    options = options or JudgeOptions()
    if not 1 <= options.checks_per_call <= MOST_CHECKS_PER_CALL:
        raise InputError(f"checks per call is {options.checks_per_call}; it can be 1 to {MOST_CHECKS_PER_CALL}")
    if not options.instructions.strip():
        raise InputError("the judge's instructions are empty")
    client = CLIENTS.client(endpoint(name, options.calls, DEFAULTS), "judge")
    prompt = Prompt(options.instructions, options.checks_per_call)
    return ModelJudge(client, prompt, pictures, prime=options.prime)
