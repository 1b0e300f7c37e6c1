"""What notebooks, training loops and the command line call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, Unpack

from gamut_eval.answering.answerer import Answerer, made_answerers
from gamut_eval.answering.model_answerer import ModelAnswerer
from gamut_eval.answering.models import AnswerOptions, model_answerer
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import load_benchmark, question_from_dict
from gamut_eval.benchmark.question import Question
from gamut_eval.errors import InputError, brief, repeated
from gamut_eval.files import shown
from gamut_eval.judging.judge import Ask, Judge, make_judges
from gamut_eval.judging.model_judge import ModelJudge
from gamut_eval.judging.models import JudgeOptions, model_judge
from gamut_eval.llm.client import Client, changes_of, refuse_unpriced, sessions
from gamut_eval.llm.ledger import LEDGER, Ledger
from gamut_eval.llm.pictures import Pictures
from gamut_eval.records import (
    VARIANTS,
    Failure,
    Judgement,
    Outcome,
    Response,
    Variant,
    read_responses,
    response_from_dict,
)
from gamut_eval.rubric.check import Check
from gamut_eval.run import Run
from gamut_eval.running.answers import AnswerPlan, gather_answers
from gamut_eval.running.engine import Job, run_jobs
from gamut_eval.running.folder import claimed, write_manifest
from gamut_eval.running.journal import Journal
from gamut_eval.running.plan import OnVerdict, Plan, ask_all, carry_out, enter
from gamut_eval.running.priming import primed
from gamut_eval.running.progress import Progress
from gamut_eval.scoring.counts import Composite
from gamut_eval.scoring.score import score_checks
from gamut_eval.words import checked_length

T = TypeVar("T")
Judges = str | Judge | Sequence[str | Judge]
Models = str | Answerer | Callable[..., Any] | Sequence[str | Answerer | Callable[..., Any]]
Questions = str | Path | Benchmark | Iterable[Question | Mapping[str, Any]]
Responses = str | Path | Iterable[str | Path | Response | Mapping[str, Any]]


@dataclass(frozen=True)
class GradedCheck:
    """One check with what the judge said of it."""

    check: Check
    outcome: Outcome


@dataclass(frozen=True)
class Score:
    """One response's score, a reward in [−1, 1], with its checks.

    ``gamut`` is None when a check has no verdict: a failed judge is never a zero. ``bounds`` say
    what the score can still be, and are equal to it when nothing failed.
    """

    gamut: float | None
    bounds: tuple[float, float]
    tiers: dict[str, float | None]
    checks: tuple[GradedCheck, ...]

    @property
    def failures(self) -> tuple[GradedCheck, ...]:
        """The checks whose judge failed."""
        return tuple(graded for graded in self.checks if isinstance(graded.outcome, Failure))


@dataclass(frozen=True)
class Budget:
    """What a run may take before it stops, resumably: calls, and US dollars.

    What earlier commands in the same run folder took counts as well.
    """

    calls: int | None = None
    dollars: float | None = None


class PlanOptions(TypedDict, total=False):
    """What `evaluate` takes by name that says what is asked."""

    model: Models | None
    variant: Variant | Literal["both"]
    samples: int
    repeats: int
    composite: Composite
    subset: bool
    first_words: int | None
    judge_options: JudgeOptions | None
    judge_images: bool
    model_options: AnswerOptions | None


class EvaluateOptions(PlanOptions, total=False):
    """All that `evaluate` takes by name."""

    run: str | Path | None
    budget: Budget | None
    on_verdict: OnVerdict | None


async def aevaluate(
    benchmark: Questions,
    responses: Responses | None = None,
    judge: Judges = "lexical",
    *,
    run: str | Path | None = None,
    budget: Budget | None = None,
    on_verdict: OnVerdict | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
    **options: Unpack[PlanOptions],
) -> Run:
    """Judge responses to a benchmark, or a model's answers to it. See `evaluate`, its synchronous form.

    ``progress`` is renewed as outcomes come; ``command`` goes into the manifest.
    """
    plan, answers = planned(benchmark, responses, judge, **options)
    work = Evaluation(plan, answers, progress or Progress(), on_verdict, budget or Budget())
    if run is None:
        return Run(await work.carried_out(Journal(None)), None, work.progress)
    folder = Path(run)
    with claimed(folder):
        await work.kept_in(folder, command)
        return exported(folder, work.progress)


def exported(folder: Path, progress: Progress) -> Run:
    """The run in a folder, open, with its exports written anew."""
    with ExitStack() as on_failure:
        run = on_failure.enter_context(Run.open(folder))
        run.progress = progress
        progress.exporting = True
        run.export(run.scores())
        on_failure.pop_all()
    return run


def planned(
    benchmark: Questions,
    responses: Responses | None,
    judge: Judges,
    *,
    model: Models | None = None,
    variant: Variant | Literal["both"] = "both",
    samples: int = 1,
    repeats: int = 1,
    composite: Composite = "ask",
    subset: bool = False,
    first_words: int | None = None,
    judge_options: JudgeOptions | None = None,
    judge_images: bool = False,
    model_options: AnswerOptions | None = None,
) -> tuple[Plan, AnswerPlan | None]:
    """What is to be judged, and what is to be answered first. Parameters and errors are those of `evaluate`."""
    if (responses is None) == (model is None):
        raise InputError("give either responses, or a model that is to answer")
    if variant not in (*VARIANTS, "both"):
        raise InputError(f"variant is {brief(variant)}; it can be {', '.join(VARIANTS)} or both")
    loaded = as_benchmark(benchmark)
    pictures = Pictures(loaded)
    of_provider = partial(model_judge, options=judge_options, pictures=pictures if judge_images else None)
    judges = make_judges(several(judge), of_provider)
    if responses is not None:
        given = as_responses(responses)
        if first_words is not None:
            given = [response.cut(checked_length(first_words, "first_words")) for response in given]
        plan = Plan(loaded, given, judges, repeats, composite, subset, first_words=first_words)
        plan.refuse_misfits()
        return plan, None
    if first_words is not None:
        raise InputError("first_words cuts responses that are given; keep the model's answers, then judge these")
    answerers = made_answerers(several(model), partial(model_answerer, options=model_options))
    answers = AnswerPlan(loaded, answerers, VARIANTS if variant == "both" else (variant,), samples, pictures)
    answers.refuse_misfits()
    return Plan(loaded, [], judges, repeats, composite, subset, entered=True), answers


@dataclass(frozen=True)
class Evaluation:
    """One evaluation: answers first, if models are to give them, then verdicts."""

    plan: Plan
    answers: AnswerPlan | None
    progress: Progress
    on_verdict: OnVerdict | None
    budget: Budget

    async def carried_out(self, journal: Journal, keep_facts: Callable[[], None] = lambda: None) -> Journal:
        """The journal, with everything done in it. Where something raises, it is closed with what there is."""
        try:
            await self._carry_out(journal, keep_facts)
        except BaseException:
            journal.close()
            raise
        return journal

    async def kept_in(self, folder: Path, command: Sequence[str] = ()) -> None:
        """Carry it out in a run folder that is `claimed`; ``command`` goes into the manifest."""
        (await self.carried_out(Journal(folder), partial(_keep_facts, folder, self, command))).close()

    async def _carry_out(self, journal: Journal, keep_facts: Callable[[], None]) -> None:
        if self.budget.dollars is not None:
            refuse_unpriced(self.clients)
        ledger = Ledger(self.budget.calls, self.budget.dollars, journal.record_call)
        ledger.calls_so_far, ledger.cost_so_far = journal.spent()
        self.progress.ledger = ledger
        outside = LEDGER.set(ledger)
        try:
            enter(self.plan, journal)
            keep_facts()
            async with sessions():
                plan = await self._answered(journal)
                self.progress.begin("checks")
                await carry_out(plan, journal, self.progress, self.on_verdict)
            journal.flush()
            keep_facts()
        finally:
            LEDGER.reset(outside)

    async def _answered(self, journal: Journal) -> Plan:
        """The plan, with the models' answers as its responses where models are to give them."""
        answers = self.answers
        if answers is None:
            return self.plan
        known = journal.known_answers()
        if not known.issuperset(answers.keys()):
            await self._check_judges()
        self.progress.begin("responses")
        await gather_answers(answers, known, journal.record_answer, self.progress)
        journal.flush()
        names = {answerer.name for answerer in answers.answerers}
        wanted = {(name, a.question_id, a.variant, a.sample) for a in answers.askings() for name in names}
        responses = [r for r in journal.responses() if (r.model, r.question_id, r.variant, r.sample) in wanted]
        plan = replace(self.plan, responses=responses)
        plan.refuse_misfits()
        enter(plan, journal)
        return plan

    async def _check_judges(self) -> None:
        """Before money is spent on answers: a judge that cannot be reached would make them useless."""
        for judge in self.plan.judges:
            if isinstance(judge, ModelJudge) and not await judge.client.check():
                await judge.client.try_out()

    @property
    def clients(self) -> list[Client]:
        """The clients of its judges and models."""
        return [worker.client for worker in self._workers if isinstance(worker, ModelJudge | ModelAnswerer)]

    @property
    def _workers(self) -> list[Judge | Answerer]:
        return [*self.plan.judges, *(self.answers.answerers if self.answers else ())]

    def facts(self, command: Sequence[str]) -> dict[str, Any]:
        """What the manifest says of it, besides the versions of packages. No key is among it."""
        plan, benchmark = self.plan, self.plan.benchmark
        facts: dict[str, Any] = {
            "benchmark": benchmark.identity,
            "judges": {judge.name: dict(judge.settings) for judge in plan.judges},
            "repeats": plan.repeats,
            "composite": plan.composite,
            "subset": plan.subset,
            "flat": benchmark.flat,
            "first_words": plan.first_words,
            "scoring": benchmark.scoring.to_dict(),
            "compile": benchmark.compile.model_dump(),
            "command": [shown(word) for word in command],
        }
        if self.answers:
            facts["models"] = {one.name: dict(one.settings) for one in self.answers.answerers}
            facts |= {"variants": list(self.answers.variants), "samples": self.answers.samples}
        if clients := self.clients:
            facts["prompts"] = {
                worker.name: asdict(worker.prompt)
                for worker in self._workers
                if isinstance(worker, ModelJudge | ModelAnswerer)
            }
            facts["endpoints"] = {client.endpoint.name: client.endpoint.base_url for client in clients}
            facts["adaptations"] = changes_of(clients)
            served = self.progress.ledger.spent.items() if self.progress.ledger else ()
            facts["served_by"] = {f"{role} {name}": list(spent.models) for (role, name), spent in served}
        return facts


def _keep_facts(folder: Path, work: Evaluation, command: Sequence[str]) -> None:
    write_manifest(folder, work.facts(command))


def evaluate(
    benchmark: Questions,
    responses: Responses | None = None,
    judge: Judges = "lexical",
    **options: Unpack[EvaluateOptions],
) -> Run:
    """Judge responses to a benchmark, or a model's answers to it.

    Parameters
    ----------
    benchmark
        A path, a `Benchmark`, or questions (as `Question` or plain data).
    responses
        JSONL files, `Response` objects, or plain data. Left out where a ``model`` is to answer.
    judge
        A judge's name (``lexical``, ``recorded:FILE``, ``provider/model``), a `Judge`, or several of them.
    **options
        - ``run``: a run folder, in which the work can be interrupted and taken up again. By default
          the run is kept in memory.
        - ``model``: who is to answer: ``provider/model``, ``command:PROGRAM``, a function from a question's
          text to an answer, an `Answerer`, or several; ``variant``: ``image``, ``text_only`` or ``both``;
          ``samples``: how often each question is asked.
        - ``repeats``: how often each judge is asked for each check. ``composite``: ``ask`` the judge for
          coverage checks, or ``derive`` them from their parts. ``subset``: unanswered questions were left
          out on purpose. ``first_words``: judge so many words of each response (docs/length.md).
        - ``judge_options``, ``model_options``: `JudgeOptions` and `AnswerOptions`, how models are called
          and what they are told. ``judge_images``: show the judge the images that questions were asked with.
        - ``budget``: a `Budget` that stops the run. ``on_verdict``: called with each new `VerdictRow`.

    Returns
    -------
    The run, open: use it in a ``with``, or close it.

    Raises
    ------
    InputError
        A file, a response or an option is wrong. Failures of a judge raise nothing: they are on
        record, and leave the scores that need them undefined.
    EndpointError
        An endpoint takes no call: a wrong key, an unknown model, no quota left.
    BudgetError
        The budget is used up; the same call with a larger one goes on.
    RunError
        The run folder is in use, or belongs to another benchmark.
    """
    return _now(aevaluate(benchmark, responses, judge, **options))


async def ascore(
    question: Question | Mapping[str, Any],
    response: str,
    judge: str | Judge = "lexical",
    *,
    judge_options: JudgeOptions | None = None,
) -> Score:
    """Score one response to one question. See `score`, which does the same from synchronous code."""
    if not isinstance(question, Question | Mapping):
        raise InputError(f"score() takes one question, a Question or a mapping, not {type(question).__name__}")
    benchmark = as_benchmark([question])
    (asked,) = benchmark.questions
    judges = make_judges([judge], partial(model_judge, options=judge_options))
    if len(judges) > 1:
        raise InputError(f"score() takes one judge, {judge!r} holds {len(judges)}; evaluate() takes several")
    (one_judge,) = judges
    variant = asked.variants[-1]
    answer = response_from_dict(
        {"question_id": asked.id, "model": "response", "variant": variant, "response": response}
    )
    checks = benchmark.checks[asked.id]
    found: dict[str, Outcome] = {}
    asks = [Ask(asked.asked(variant), answer, check) for check in checks]
    batches = [asks[at : at + one_judge.checks_per_call] for at in range(0, len(asks), one_judge.checks_per_call)]

    def keep(batch: Sequence[Ask], outcomes: Sequence[Outcome]) -> None:
        found.update(zip((ask.check.id for ask in batch), outcomes, strict=True))

    jobs = (Job(partial(ask_all, one_judge, batch), partial(keep, batch)) for batch in batches)
    await run_jobs(primed([jobs]) if one_judge.primes else jobs, one_judge.workers)
    outcomes = [found[check.id] for check in checks]
    verdicts = [outcome.verdict if isinstance(outcome, Judgement) else None for outcome in outcomes]
    gamut, bounds, tiers = score_checks([check.tier for check in checks], verdicts, benchmark.scoring)
    return Score(gamut, bounds, tiers, tuple(map(GradedCheck, checks, outcomes)))


def score(
    question: Question | Mapping[str, Any],
    response: str,
    judge: str | Judge = "lexical",
    *,
    judge_options: JudgeOptions | None = None,
) -> Score:
    """Score one response to one question: a reward in [−1, 1], with the checks behind it.

    Parameters
    ----------
    question
        A `Question`, or plain data with the fields of a question file.
    response
        The text. An empty one misses everything.
    judge
        One judge, by name or as an object. Calls of models share connections, limits and cache with all
        others of the process, whatever thread or event loop they are made in.
    judge_options
        How a model is called and what it is told.

    Examples
    --------
    >>> import gamut_eval
    >>> question = {"id": "q", "domain": "food", "question": "What is in a classic pesto?", "rubric": {"items": [
    ...     {"id": "herb", "type": "simple", "tier": "answer_critical", "statement": "Pesto is made with basil."},
    ...     {"id": "nuts", "type": "simple", "tier": "valuable", "statement": "Pesto contains pine nuts."}]}}
    >>> result = gamut_eval.score(question, "Pesto is made with basil and olive oil.")
    >>> round(result.gamut, 3), [graded.outcome.verdict.value for graded in result.checks]
    (0.667, ['meets', 'missing'])
    """
    return _now(ascore(question, response, judge, judge_options=judge_options))


def as_benchmark(given: Questions) -> Benchmark:
    """A benchmark from whatever `evaluate` takes for one."""
    if isinstance(given, Benchmark):
        return given
    if isinstance(given, str | Path):
        return load_benchmark(given)
    if isinstance(given, Question | Mapping):
        raise InputError("a benchmark is a path, a Benchmark, or a list of questions; put the question into a list")
    questions = tuple(q if isinstance(q, Question) else question_from_dict(q) for q in given)
    if (twice := repeated(question.id for question in questions)) is not None:
        raise InputError(f"two questions have the id {twice!r}")
    if not questions:
        raise InputError("there is no question")
    return Benchmark("unnamed", questions)


def as_responses(given: Responses) -> list[Response]:
    """Responses from whatever `evaluate` takes for them."""
    if isinstance(given, Response | Mapping):
        raise InputError("responses are a file, or a list of files or responses; put the response into a list")
    items = [given] if isinstance(given, str | Path) else list(given)
    responses = read_responses(item for item in items if isinstance(item, str | Path))
    for item in items:
        if not isinstance(item, str | Path):
            responses.append(item if isinstance(item, Response) else response_from_dict(item))
    if (twice := repeated(response.key for response in responses)) is not None:
        raise InputError(f"two responses for ({', '.join(map(str, twice))})")
    return responses


def several(given: Any) -> list[Any]:
    """A list of what is one or many."""
    return list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]


def _now(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end from synchronous code, also where an event loop is running already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
