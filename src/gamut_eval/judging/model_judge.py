"""A judge that is a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gamut_eval.errors import EndpointError, InputError, brief
from gamut_eval.hashing import sha256
from gamut_eval.judging.judge import Ask, Judge
from gamut_eval.judging.prompt import Prompt
from gamut_eval.judging.reply import UnreadableReply, flags, read_many, read_one
from gamut_eval.llm.call import Call, Reply, Sampling
from gamut_eval.llm.client import Client
from gamut_eval.llm.faults import Fault, Reach
from gamut_eval.llm.pictures import Pictures
from gamut_eval.records import Failure, Judgement, Outcome

DEFAULTS = Sampling(temperature=0.0, max_tokens=4096)
MOST_READINGS = 3
"""The reply is asked for once, and an unreadable one twice more."""
_MORE_ROOM = 4
_HOPELESS = 20


class ModelJudge(Judge):
    """Asks a model for each check, and reads its reply.

    A reply that cannot be read is asked for again with the reason; one that was cut off, once with more
    room. What remains without a verdict is a `Failure`.
    """

    def __init__(
        self, client: Client, prompt: Prompt | None = None, pictures: Pictures | None = None, *, prime: bool = True
    ) -> None:
        self.name = client.endpoint.name
        self.client = client
        self.prompt = prompt or Prompt()
        self.workers = client.endpoint.options.connections
        self.checks_per_call = self.prompt.checks_per_call
        self.pictures = pictures
        self.primes = prime
        self._ever_read, self._n_unreadable = False, 0

    @property
    def settings(self) -> Mapping[str, Any]:
        """Model, prompt, sampling, and how it is asked."""
        settings = {
            "model": self.name,
            "prompt": self.prompt.hash,
            "sampling": self.client.endpoint.sampling.to_dict(),
            "checks_per_call": self.checks_per_call,
        }
        return settings | ({"images": self.pictures.digest} if self.pictures else {})

    async def judge(self, ask: Ask) -> Outcome:
        """The verdict on one check, or why there is none."""
        (outcome,) = await self.judge_all([ask])
        return outcome

    async def judge_all(self, asks: Sequence[Ask]) -> list[Outcome]:
        """The verdicts on several checks of one response, from one call."""
        first, ids = asks[0], [ask.check.id for ask in asks]
        response = first.response.text or ""
        try:
            image = self._image(first)
        except InputError as error:
            return [Failure(error.findings[0].code, str(error))] * len(asks)
        messages = self.prompt.messages(first.question, response, [ask.check for ask in asks], image)
        salt = ("judge", first.repeat) if first.repeat else ("judge",)
        sampling = self.client.endpoint.sampling.for_time(first.repeat)
        call = Call(messages, sampling, self.prompt.schema, salt, self._digest(asks, image))
        try:
            read = await self._read(call, ids)
        except Fault as fault:
            return [Failure(fault.code, fault.message)] * len(asks)
        return [_outcome(read.get(name), response) for name in ids]

    def _digest(self, asks: Sequence[Ask], image: Mapping[str, Any] | None) -> str:
        """SHA-256 of all that the messages are made of."""
        said = [self.prompt.hash, asks[0].question, asks[0].response.hash, *(ask.check.hash for ask in asks)]
        return sha256([*said, sha256(image)] if image else said)

    def _image(self, ask: Ask) -> Mapping[str, Any] | None:
        """The picture that the question was asked with, if this judge is to see it."""
        if self.pictures is None or ask.response.variant != "image":
            return None
        part = self.pictures.part(ask.response.question_id)
        return part() if part else None

    async def _read(self, call: Call, ids: Sequence[str]) -> dict[str, Judgement]:
        """The judgements by check id; after an unreadable reply the model is told why, and asked again."""
        read: dict[str, Judgement] = {}
        reason: UnreadableReply | None = None
        for _ in range(MOST_READINGS):
            try:
                reply = await self.client.complete(call)
            except Fault as fault:
                reply = await self._completed(call, fault)
            try:
                read |= self._judgements(reply.text, ids)
            except UnreadableReply as error:
                reason = error
            missing = [name for name in ids if name not in read]
            if not missing:
                self._ever_read = True
                return read
            why = str(reason) if reason and not read else f"the reply lacks the checks {', '.join(missing)}"
            call = _again(call, reply, why)
        if not read:
            raise self._unreadable(
                f"{reason} (asked {MOST_READINGS} times); the last one was: {brief(reply.text, 200)}"
            )
        self._ever_read = True
        return read

    def _unreadable(self, message: str) -> Exception:
        """A fault of one verdict, until it is plain that this model gives no readable reply at all."""
        self._n_unreadable += 1
        if self._ever_read or self._n_unreadable < _HOPELESS:
            return Fault("unreadable", message, Reach.ITEM)
        how = "leave --checks-per-call at 1" if self.checks_per_call > 1 else "choose another judge or --judge-prompt"
        return EndpointError(f"{self.name}: not one of its first {_HOPELESS} replies can be read; {how}. {message}")

    def _judgements(self, text: str, ids: Sequence[str]) -> dict[str, Judgement]:
        return {ids[0]: read_one(text)} if self.checks_per_call == 1 else read_many(text, ids)

    async def _completed(self, call: Call, fault: Fault) -> Reply:
        """The reply after a fault: that to the same call with more room, where it was cut off."""
        most = call.sampling.max_tokens
        if fault.code != "truncated" or most is None:
            raise fault
        more = replace(call.sampling, max_tokens=most * _MORE_ROOM)
        try:
            return await self.client.complete(replace(call, sampling=more))
        except Fault as second:
            too_much = second.code in ("rejected", "too_long")  # more than the model can give
            raise (fault if too_much else second) from None


def _again(call: Call, reply: Reply, why: str) -> Call:
    asked = f"That reply cannot be used: {why}. Reply again, with the JSON object alone."
    more = [{"role": "assistant", "content": reply.text}, {"role": "user", "content": asked}]
    return replace(call, messages=[*call.messages, *more], digest=None)


def _outcome(judgement: Judgement | None, response: str) -> Outcome:
    if judgement is None:
        return Failure("unreadable", "the reply to a call on several checks has no verdict on this one")
    doubts = flags(judgement, response)
    return replace(judgement, more={"flags": doubts}) if doubts else judgement
