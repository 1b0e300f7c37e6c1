"""What is to be asked: every check of every response, of every judge, as often as wanted."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import get_args

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.errors import BudgetError, EndpointError, Finding, InputError, RunMismatchError, brief, did_you_mean
from gamut_eval.hashing import sha256
from gamut_eval.judging.judge import Ask, Judge, fingerprint
from gamut_eval.records import Failure, Judgement, Outcome, Response, Verdict, VerdictRow
from gamut_eval.rubric.check import Check
from gamut_eval.running.crash import crashed
from gamut_eval.running.engine import Job, all_of, run_jobs
from gamut_eval.running.journal import Asked, Journal
from gamut_eval.running.priming import primed
from gamut_eval.running.progress import Progress
from gamut_eval.scoring.counts import Composite

OnVerdict = Callable[[VerdictRow], None]
_BREATH = 1000
_MOST_NEAR = 20
MOST_REPEATS = 10_000
"""More are a slip of the finger, and scoring has a row for each."""
NOT_ASKED = Judgement(Verdict.MISSING, None, "The response is empty or a refusal; no judge was asked.")


@dataclass(frozen=True)
class Plan:
    """A benchmark, responses to it, and the judges of them.

    ``entered``: the responses are in the journal already. ``first_words``: how many words they were cut to; None if
    they are whole.
    """

    benchmark: Benchmark
    responses: Sequence[Response]
    judges: Sequence[Judge]
    repeats: int = 1
    composite: Composite = "ask"
    subset: bool = False
    entered: bool = False
    first_words: int | None = None

    def refuse_misfits(self) -> None:
        """Raise an `InputError` with every response and recorded verdict that does not fit the benchmark."""
        findings = [*self._bad_options(), *self.benchmark.weightless()]
        findings += self._misfits()
        for judge in self.judges:
            findings += judge.problems(self.responses, self.benchmark.checks)
        if not self.responses:
            findings.append(Finding("no-responses", "there is no response to judge"))
        if findings:
            raise InputError(findings)

    def _bad_options(self) -> Iterator[Finding]:
        if isinstance(self.repeats, bool) or not isinstance(self.repeats, int) or self.repeats < 1:
            yield Finding("option", f"repeats is {self.repeats!r}; ask each judge at least once")
        elif self.repeats > MOST_REPEATS:
            yield Finding("option", f"repeats is {brief(self.repeats)}; {MOST_REPEATS} are the most there can be")
        if self.composite not in (modes := get_args(Composite)):
            yield Finding("option", f"composite is {self.composite!r}; it can be {' or '.join(modes)}")

    def _misfits(self) -> Iterator[Finding]:
        unknown = 0
        for response in self.responses:
            if response.question_id in self.benchmark.by_id:
                yield from self._misfit(response)
                continue
            unknown += 1
            # Looking for near names among many, for many, would take hours.
            near = did_you_mean(response.question_id, self.benchmark.by_id) if unknown <= _MOST_NEAR else ""
            message = f"response for the unknown question {brief(response.question_id)}{near}"
            yield Finding("unknown-question", message, file=response.place.file, line=response.place.line)

    def _misfit(self, response: Response) -> Iterator[Finding]:
        name, place = response.question_id, response.place
        question = self.benchmark.by_id[name]
        if response.variant not in question.variants:
            why = "has no image" if response.variant == "image" else "cannot be asked without its image"
            message = f"the question {name!r} {why}, so there can be no response of variant {response.variant}"
            yield Finding("variant", message, file=place.file, line=place.line)
        try:
            f"{response.model}{response.text}".encode()
        except UnicodeEncodeError as error:
            half = f"U+{ord(error.object[error.start]):04X}"
            message = f"a response to {name!r} holds {half}, half of a character; remove or replace it"
            yield Finding("encoding", message, file=place.file, line=place.line)

    def to_grade(self, question_id: str) -> list[Check]:
        """The checks to ask of a response to that question."""
        checks = self.benchmark.checks[question_id]
        if self.composite == "ask":
            return list(checks)
        ids = {check.id for check in checks}
        return [check for check in checks if not (check.parts and ids.issuperset(check.parts))]

    def groups_for(self, judge: Judge) -> Iterator[Iterator[tuple[Asked, Ask]]]:
        """Everything to be asked of one judge, a group a response, in a fixed order."""
        judge_hash = fingerprint(judge)
        for response in self.responses:
            if response.answered:
                yield self._group(judge, judge_hash, response)

    def _group(self, judge: Judge, judge_hash: str, response: Response) -> Iterator[tuple[Asked, Ask]]:
        question = self.benchmark.by_id[response.question_id].asked(response.variant)
        question_hash = sha256(question)
        for repeat in range(self.repeats):
            for check in self.to_grade(response.question_id):
                asked = Asked(question_hash, response, check, judge.name, judge_hash, repeat)
                yield asked, Ask(question, response, check, repeat)

    @property
    def n_wanted(self) -> int:
        """How many verdicts are wanted in all."""
        answered = Counter(response.question_id for response in self.responses if response.answered)
        once = sum(n * len(self.to_grade(question_id)) for question_id, n in answered.items())
        return once * len(self.judges) * self.repeats


async def carry_out(plan: Plan, journal: Journal, progress: Progress, on_verdict: OnVerdict | None = None) -> None:
    """Ask what the journal does not know yet, recording each outcome as it comes."""
    progress.total = plan.n_wanted
    known = journal.known_keys()

    def keep(several: Sequence[tuple[bytes, Asked]], outcomes: Sequence[Outcome]) -> None:
        for (key, asked), outcome in zip(several, outcomes, strict=True):
            journal.record(key, asked, outcome)
            progress.count(outcome)
            if on_verdict:
                on_verdict(_row(asked, outcome))

    await all_of(run_jobs(_jobs(plan, judge, known, progress, keep), judge.workers) for judge in plan.judges)


Keep = Callable[[Sequence[tuple[bytes, Asked]], Sequence[Outcome]], None]
Jobs = Iterator[Job[Sequence[Outcome]] | None]


def _jobs(
    plan: Plan, judge: Judge, known: Set[bytes], progress: Progress, keep: Keep
) -> Iterator[Job[Sequence[Outcome]] | Awaitable[object] | None]:
    groups = (_unknown(judge, group, known, progress, keep) for group in plan.groups_for(judge))
    return primed(groups) if judge.primes else chain.from_iterable(groups)


def _unknown(
    judge: Judge, group: Iterator[tuple[Asked, Ask]], known: Set[bytes], progress: Progress, keep: Keep
) -> Jobs:
    """Jobs for what is not known, as many checks to each as the judge takes at once."""
    batch: list[tuple[bytes, Asked, Ask]] = []
    for asked, ask in group:
        key = asked.key
        if key in known:
            progress.known += 1
            if progress.known % _BREATH == 0:
                yield None
            continue
        if batch and (len(batch) == judge.checks_per_call or batch[0][2].repeat != ask.repeat):
            yield _job(judge, batch, keep)
            batch = []
        batch.append((key, asked, ask))
    if batch:
        yield _job(judge, batch, keep)


def _job(judge: Judge, batch: Sequence[tuple[bytes, Asked, Ask]], keep: Keep) -> Job[Sequence[Outcome]]:
    asks = [ask for _, _, ask in batch]
    return Job(partial(ask_all, judge, asks), partial(keep, [(key, asked) for key, asked, _ in batch]))


async def ask_all(judge: Judge, asks: Sequence[Ask]) -> Sequence[Outcome]:
    """The judge's outcomes on one response, whatever happens; nothing is asked of a response that says nothing."""
    if asks[0].response.says_nothing:
        return [NOT_ASKED] * len(asks)
    try:  # whatever a judge does, it must not take the run down
        outcomes = [_checked(outcome) for outcome in await judge.judge_all(asks)]
        if len(outcomes) != len(asks):
            raise TypeError(f"the judge returned {len(outcomes)} outcomes for {len(asks)} checks")
        return outcomes
    except (EndpointError, BudgetError):
        raise  # the next would fare no better
    except (asyncio.CancelledError, Exception) as error:
        return [crashed("judge_crashed", error)] * len(asks)


def _checked(outcome: object) -> Outcome:
    """The outcome, if it is one that a journal can keep; else an error that says why not."""
    if isinstance(outcome, Judgement) and isinstance(outcome.verdict, Verdict):
        texts = [outcome.quote or "", outcome.rationale or ""]
    elif isinstance(outcome, Failure):
        texts = [outcome.code, outcome.message]
    else:
        raise TypeError(f"the judge returned {outcome!r}, neither a Judgement with a Verdict nor a Failure")
    for text in texts:
        str.encode(text)
    return outcome


def _row(asked: Asked, outcome: Outcome) -> VerdictRow:
    r, check = asked.response, asked.check
    identity = (r.question_id, r.model, r.variant, r.sample, check.id, asked.judge, asked.repeat)
    return VerdictRow(*identity, outcome, check.hash, r.hash)


def enter(plan: Plan, journal: Journal) -> None:
    """Write into the journal what the run is about.

    Raises
    ------
    RunMismatchError
        The journal is of another benchmark or ``composite``, or of answers cut otherwise.
    """
    for name, ours in (("benchmark", plan.benchmark.name), ("composite", plan.composite)):
        theirs = journal.setting(name)
        if theirs not in (None, ours):
            message = f"the run folder has {name} {theirs!r}, this command has {ours!r}; name another folder with --run"
            raise RunMismatchError(message)
    _refuse_other_length(plan, journal)
    with journal.at_once():  # half of it, after a kill, would score old checks under the new version
        _enter(plan, journal)


def _refuse_other_length(plan: Plan, journal: Journal) -> None:
    theirs, ours = journal.setting("first_words"), plan.first_words
    if journal.setting("benchmark") is not None and theirs != ours:
        told = f"the run folder is of {_length(theirs)}, this command judges {_length(ours)}"
        raise RunMismatchError(f"{told}; name another folder with --run")


def _length(n: int | None) -> str:
    return "whole answers" if n is None else f"answers cut to their first {n} word{'' if n == 1 else 's'}"


def _enter(plan: Plan, journal: Journal) -> None:
    benchmark = plan.benchmark
    journal.set_settings(
        benchmark=benchmark.name,
        version=benchmark.version,
        hash=benchmark.hash,
        scoring=benchmark.scoring.model_dump(by_alias=True),
        compile=benchmark.compile.model_dump(),
        composite=plan.composite,
        subset=plan.subset,
        flat=benchmark.flat,
        root=os.path.abspath(benchmark.root) if benchmark.places else None,
        first_words=plan.first_words,
    )
    journal.set_questions((q.id, q.model_dump(mode="json"), benchmark.checks[q.id]) for q in benchmark.questions)
    asked = (
        (response, sha256(benchmark.by_id[response.question_id].asked(response.variant))) for response in plan.responses
    )
    if not plan.entered:
        journal.set_responses(asked)
    for judge in plan.judges:
        journal.set_judge(judge.name, fingerprint(judge), dict(judge.settings), judge.note)
    models = dict.fromkeys((response.model, response.variant) for response in plan.responses)
    journal.set_asked((*pair, judge.name, plan.repeats) for pair in models for judge in plan.judges)
