"""What notebooks, training loops and the command line call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import polars as pl

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import load_benchmark, question_from_dict
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.settings import CompileSettings, ScoringSettings
from gamut_eval.errors import InputError, UnknownNameError, repeated
from gamut_eval.files import dump_json, shown, write_bytes, writing
from gamut_eval.judging.judge import Ask, Judge, make_judges
from gamut_eval.records import Failure, Judgement, Outcome, Response, read_responses, response_from_dict
from gamut_eval.reports.html.page import render_page
from gamut_eval.reports.source import Source
from gamut_eval.rubric.check import Check
from gamut_eval.running.engine import Job, run_jobs
from gamut_eval.running.folder import claimed, existing, write_manifest
from gamut_eval.running.graded import graded
from gamut_eval.running.journal import Journal, legible
from gamut_eval.running.plan import OnVerdict, Plan, Progress, ask_judge, carry_out, enter
from gamut_eval.scoring.counts import Composite
from gamut_eval.scoring.score import Scores, score_checks, score_graded

T = TypeVar("T")
Judges = str | Judge | Sequence[str | Judge]
Responses = str | Path | Iterable[str | Path | Response | Mapping[str, Any]]


class Run:
    """What a run holds: its questions, checks, responses, verdicts and scores.

    Examples
    --------
    >>> import gamut_eval
    >>> question = {"id": "q", "domain": "food", "question": "What colour is the sky on a clear day?", "rubric":
    ...     {"items": [{"id": "colour", "type": "simple", "tier": "answer_critical", "statement": "The sky is blue."}]}}
    >>> answer = {"question_id": "q", "model": "me", "variant": "text_only", "response": "The sky is blue."}
    >>> with gamut_eval.evaluate([question], [answer]) as run:
    ...     [row.gamut for row in run.scores().rows]
    [1.0]
    """

    def __init__(self, journal: Journal, folder: Path | None = None, progress: Progress | None = None) -> None:
        self._journal = journal
        self.folder = folder
        self.progress = progress or Progress()
        self.exported: Scores | None = None

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Open a run folder for reading, also while a command is at work in it."""
        folder = Path(folder)
        return cls(Journal(existing(folder), readonly=True), folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the journal."""
        self._journal.close()

    @cached_property
    def benchmark(self) -> dict[str, Any]:
        """The benchmark's ``name``, ``version`` and ``hash``."""
        return {name: self._journal.setting(key) for name, key in _BENCHMARK.items()}

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The benchmark's questions."""
        with legible():
            return tuple(Question.model_validate(row) for row in self._journal.questions())

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """All checks, in the order of questions and rubrics."""
        return tuple(self._journal.checks())

    @cached_property
    def compile(self) -> CompileSettings:
        """The settings that the checks were compiled with."""
        return CompileSettings.model_validate(self._journal.setting("compile") or {})

    @cached_property
    def scoring(self) -> ScoringSettings:
        """The benchmark's scoring constants."""
        with legible():
            return ScoringSettings.model_validate(self._journal.setting("scoring") or {})

    @property
    def judges(self) -> dict[str, dict[str, Any]]:
        """Each judge's ``settings`` and ``note``."""
        return self._journal.judges()

    @property
    def asked(self) -> list[tuple[str, str, str, int]]:
        """Which judge was to grade what, and how often: rows of model, variant, judge, repeats."""
        return self._journal.asked()

    def responses(self) -> list[Response]:
        """All responses."""
        return [replace(response, text=response.text) for response in self._journal.responses()]

    def verdicts(self) -> pl.DataFrame:
        """One row a check: the columns of a verdict file, with ``tier``, ``kind``, ``error`` and ``at``."""
        return self._journal.verdicts()

    def scores(
        self,
        settings: ScoringSettings | None = None,
        *,
        allow_incomplete: bool = False,
        subset: bool | None = None,
    ) -> Scores:
        """Score the verdicts there are; nothing is asked.

        Parameters
        ----------
        settings
            λ, μ and weights; by default the benchmark's.
        allow_incomplete
            See `score_graded`.
        subset
            Whether unanswered questions were left out on purpose; by default as the run was made.
        """
        with self._journal.at_once():  # a command that begins meanwhile may change what the run is about
            composite: Composite = self._journal.setting("composite") or "ask"
            subset = bool(self._journal.setting("subset")) if subset is None else subset
            evidence = graded(self._journal, self.questions, subset=subset)
            settings = settings or self.scoring
        return score_graded(evidence, settings, composite=composite, allow_incomplete=allow_incomplete)

    def scores_dict(self, scores: Scores) -> dict[str, Any]:
        """What ``scores.json`` holds (plain data, fractions in [−1, 1], undefined is None)."""
        return {
            "benchmark": self.benchmark,
            "scoring": scores.settings.to_dict(),
            "composite": scores.composite,
            "scores": [row.to_dict() for row in scores.rows],
            "questions": scores.question_rows(),
        }

    def source(self, scores: Scores, only: Sequence[str] = ()) -> Source:
        """All that a report needs; ``only`` are the questions to show in full, empty for all.

        Raises
        ------
        UnknownNameError
            One of ``only`` is not a question of the run.
        """
        known = {question.id for question in self.questions}
        for name in only:
            if name not in known:
                raise UnknownNameError("question", name, known)
        return Source(
            self.benchmark,
            self.questions,
            self.checks,
            self._journal.responses(),
            self.judges,
            self.asked,
            self.verdicts(),
            scores,
            tuple(dict.fromkeys(only)),
        )

    def export(self, scores: Scores) -> list[Path]:
        """Write ``verdicts.parquet``, ``scores.json`` and ``report.html``; ``exported`` keeps the scores."""
        if self.folder is None:
            raise InputError("this run has no folder; give evaluate() one with run=…")
        source = self.source(scores)
        paths = [self.folder / name for name in ("verdicts.parquet", "scores.json", "report.html")]
        with writing(paths[0]) as stream:
            source.verdicts.write_parquet(stream)
        write_bytes(paths[1], dump_json(self.scores_dict(scores)))
        write_bytes(paths[2], render_page(source).encode())
        self.exported = scores
        return paths


_BENCHMARK = {"name": "benchmark", "version": "version", "hash": "hash"}


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


async def aevaluate(
    benchmark: str | Path | Benchmark | Iterable[Question | Mapping[str, Any]],
    responses: Responses,
    judge: Judges = "lexical",
    *,
    run: str | Path | None = None,
    repeats: int = 1,
    composite: Composite = "ask",
    subset: bool = False,
    on_verdict: OnVerdict | None = None,
    progress: Progress | None = None,
    command: Sequence[str] = (),
) -> Run:
    """Judge responses to a benchmark. See `evaluate`, which does the same from synchronous code."""
    judges = make_judges(list(judge) if isinstance(judge, Sequence) and not isinstance(judge, str) else [judge])
    plan = Plan(as_benchmark(benchmark), as_responses(responses), judges, repeats, composite, subset)
    plan.refuse_misfits()
    progress = progress or Progress()
    if run is None:
        return Run(await _carried_out(plan, Journal(None), progress, on_verdict), None, progress)
    folder = Path(run)
    with claimed(folder), ExitStack() as on_failure:
        journal = Journal(folder)
        keep_facts = partial(write_manifest, folder, _facts(plan, command))
        (await _carried_out(plan, journal, progress, on_verdict, keep_facts)).close()
        done = on_failure.enter_context(Run.open(folder))
        done.progress = progress
        done.export(done.scores())
        on_failure.pop_all()
    return done


async def _carried_out(
    plan: Plan,
    journal: Journal,
    progress: Progress,
    on_verdict: OnVerdict | None,
    on_entered: Callable[[], None] = lambda: None,
) -> Journal:
    try:
        enter(plan, journal)
        on_entered()
        await carry_out(plan, journal, progress, on_verdict)
        journal.flush()
    except BaseException:
        journal.close()
        raise
    return journal


def evaluate(
    benchmark: str | Path | Benchmark | Iterable[Question | Mapping[str, Any]],
    responses: Responses,
    judge: Judges = "lexical",
    *,
    run: str | Path | None = None,
    repeats: int = 1,
    composite: Composite = "ask",
    subset: bool = False,
    on_verdict: OnVerdict | None = None,
) -> Run:
    """Judge responses to a benchmark.

    Parameters
    ----------
    benchmark
        A path, a `Benchmark`, or questions (as `Question` or plain data).
    responses
        JSONL files, `Response` objects, or plain data.
    judge
        A judge's name, a `Judge`, or several of them.
    run
        A run folder, in which the work can be interrupted and taken up again. By default the run
        is kept in memory.
    repeats
        How often each judge is asked for each check.
    composite
        ``ask`` the judge for coverage checks, or ``derive`` them from their parts.
    subset
        Unanswered questions were left out on purpose.
    on_verdict
        Called with each new `VerdictRow` as it comes.

    Returns
    -------
    The run, open: use it in a ``with``, or close it.

    Raises
    ------
    InputError
        A file, a response or an option is wrong. Failures of a judge raise nothing: they are on
        record, and leave the scores that need them undefined.
    RunError
        The run folder is in use, or belongs to another benchmark.
    """
    return _now(
        aevaluate(
            benchmark,
            responses,
            judge,
            run=run,
            repeats=repeats,
            composite=composite,
            subset=subset,
            on_verdict=on_verdict,
        )
    )


async def ascore(question: Question | Mapping[str, Any], response: str, judge: str | Judge = "lexical") -> Score:
    """Score one response to one question. See `score`, which does the same from synchronous code."""
    if not isinstance(question, Question | Mapping):
        raise InputError(f"score() takes one question, a Question or a mapping, not {type(question).__name__}")
    benchmark = as_benchmark([question])
    (asked,) = benchmark.questions
    judges = make_judges([judge])
    if len(judges) > 1:
        raise InputError(f"score() takes one judge, {judge!r} holds {len(judges)}; evaluate() takes several")
    (one_judge,) = judges
    variant = asked.variants[-1]
    answer = response_from_dict(
        {"question_id": asked.id, "model": "response", "variant": variant, "response": response}
    )
    checks = benchmark.checks[asked.id]
    found: dict[str, Outcome] = {}
    asks = {check.id: Ask(asked.asked(variant), answer, check) for check in checks}
    jobs = (Job(partial(ask_judge, one_judge, ask), partial(found.__setitem__, name)) for name, ask in asks.items())
    await run_jobs(jobs, one_judge.workers)
    outcomes = [found[check.id] for check in checks]
    verdicts = [outcome.verdict if isinstance(outcome, Judgement) else None for outcome in outcomes]
    gamut, bounds, tiers = score_checks([check.tier for check in checks], verdicts, benchmark.scoring)
    return Score(gamut, bounds, tiers, tuple(map(GradedCheck, checks, outcomes)))


def score(question: Question | Mapping[str, Any], response: str, judge: str | Judge = "lexical") -> Score:
    """Score one response to one question: a reward in [−1, 1], with the checks behind it.

    Parameters
    ----------
    question
        A `Question`, or plain data with the fields of a question file.
    response
        The text. An empty one misses everything.
    judge
        One judge, by name or as an object.

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
    return _now(ascore(question, response, judge))


def as_benchmark(given: str | Path | Benchmark | Iterable[Question | Mapping[str, Any]]) -> Benchmark:
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
    items = [given] if isinstance(given, str | Path) else list(given)
    responses = read_responses(item for item in items if isinstance(item, str | Path))
    for item in items:
        if not isinstance(item, str | Path):
            responses.append(item if isinstance(item, Response) else response_from_dict(item))
    if (twice := repeated(response.key for response in responses)) is not None:
        raise InputError(f"two responses for ({', '.join(map(str, twice))})")
    return responses


def _facts(plan: Plan, command: Sequence[str]) -> dict[str, Any]:
    """What the manifest says of the run, besides the versions of packages."""
    benchmark = plan.benchmark
    return {
        "benchmark": benchmark.identity,
        "judges": {judge.name: dict(judge.settings) for judge in plan.judges},
        "repeats": plan.repeats,
        "composite": plan.composite,
        "subset": plan.subset,
        "scoring": benchmark.scoring.to_dict(),
        "compile": benchmark.compile.model_dump(),
        "command": [shown(word) for word in command],
    }


def _now(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end from synchronous code, also where an event loop is running already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
