"""Asking models for their responses: every question in every variant, as often as wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gamut_eval.answering.answerer import Answer, Answerer, Asking, fingerprint
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.errors import BudgetError, EndpointError, InputError, brief
from gamut_eval.hashing import sha256
from gamut_eval.llm.pictures import Pictures
from gamut_eval.records import Failure, Response, Variant, response_from_dict
from gamut_eval.running.crash import crashed
from gamut_eval.running.engine import Job, all_of, run_jobs
from gamut_eval.running.progress import Progress

OnAnswer = Callable[[bytes, Response, str], None]
MOST_SAMPLES = 10_000
_SET_BY_US = ("question_id", "model", "variant", "sample", "response", "error")


@dataclass(frozen=True)
class AnswerPlan:
    """Questions, and who is to answer them.

    ``variants`` are those to be asked, where a question has them. ``pictures`` are the images; without
    them no image can be shown.
    """

    benchmark: Benchmark
    answerers: Sequence[Answerer]
    variants: Sequence[Variant]
    samples: int = 1
    pictures: Pictures | None = None

    def refuse_misfits(self) -> None:
        """Raise an `InputError` if there is nothing to ask, or a wrong number of samples."""
        if isinstance(self.samples, bool) or not isinstance(self.samples, int) or not 1 <= self.samples <= MOST_SAMPLES:
            raise InputError(f"samples is {brief(self.samples)}; it can be 1 to {MOST_SAMPLES}")
        if not self.n_wanted:
            names = " or ".join(self.variants)
            raise InputError(f"no question can be asked in the variant {names}; choose another --variant")
        if self.pictures and "image" in self.variants:
            self.pictures.refuse_missing()

    def askings(self) -> Iterator[Asking]:
        """Everything to be asked of each answerer, in a fixed order."""
        for variant in self.variants:
            for question in self.benchmark.questions:
                if variant in question.variants:
                    for sample in range(self.samples):
                        yield self._asking(question.id, question.asked(variant), variant, sample)

    def _asking(self, question_id: str, text: str, variant: Variant, sample: int) -> Asking:
        if variant != "image" or self.pictures is None:
            return Asking(question_id, text, variant, sample)
        pictures = self.pictures
        return Asking(question_id, text, variant, sample, pictures.part(question_id), pictures.hash(question_id))

    def keys(self) -> Iterator[bytes]:
        """The keys of all responses that are wanted."""
        for answerer in self.answerers:
            whose = fingerprint(answerer)
            yield from (answer_key(whose, asking) for asking in self.askings())

    @property
    def n_wanted(self) -> int:
        """How many responses are wanted in all."""
        once = sum(variant in q.variants for q in self.benchmark.questions for variant in self.variants)
        return once * self.samples * len(self.answerers)


def answer_key(answerer_hash: str, asking: Asking) -> bytes:
    """SHA-256 of everything that can change the answer, and of where it belongs."""
    place = [asking.question_id, asking.variant, asking.sample]
    return bytes.fromhex(sha256([answerer_hash, asking.question, asking.image_hash, *place]))


async def gather_answers(plan: AnswerPlan, known: set[bytes], keep: OnAnswer, progress: Progress) -> None:
    """Ask what is not known, handing over each response as it comes; ``keep`` takes key, response, question hash."""
    progress.total = plan.n_wanted
    await all_of(
        run_jobs(_jobs(plan, answerer, known, keep, progress), answerer.workers) for answerer in plan.answerers
    )


def _jobs(
    plan: AnswerPlan, answerer: Answerer, known: set[bytes], keep: OnAnswer, progress: Progress
) -> Iterator[Job[Answer | Failure]]:
    whose = fingerprint(answerer)

    def sink(key: bytes, asking: Asking, given: Answer | Failure) -> None:
        keep(key, _response(answerer.name, asking, given), sha256(asking.question))
        progress.count(given)

    for asking in plan.askings():
        key = answer_key(whose, asking)
        if key in known:
            progress.known += 1
        else:
            yield Job(partial(_answered, answerer, asking), partial(sink, key, asking))


def _response(model: str, asking: Asking, given: Answer | Failure) -> Response:
    place = (asking.question_id, model, asking.variant, asking.sample)
    if isinstance(given, Failure):
        return Response(*place, None, f"{given.code}: {given.message}", given.more)
    return Response(*place, given.text, None, given.more)


async def _answered(answerer: Answerer, asking: Asking) -> Answer | Failure:
    """The answer, whatever happens: what goes wrong with one question must not take the others down."""
    try:
        return _sound(asking, await answerer.answer(asking))
    except (EndpointError, BudgetError):
        raise
    except InputError as error:
        code = error.findings[0].code
        return Failure(code if code.startswith("image") else "input", str(error))
    except (asyncio.CancelledError, Exception) as error:
        return crashed("model_crashed", error)


def _sound(asking: Asking, given: Answer | Failure) -> Answer | Failure:
    """What was given, if journal and files can keep it, without what says that it belongs elsewhere."""
    more = {name: value for name, value in given.more.items() if name not in _SET_BY_US}
    answer = {"response": given.text} if isinstance(given, Answer) else {"error": f"{given.code}: {given.message}"}
    place = {"question_id": asking.question_id, "model": "-", "variant": asking.variant, "sample": asking.sample}
    response_from_dict(place | answer | more)
    "".join(answer.values()).encode()  # half a character cannot be kept
    return replace(given, more=more)
