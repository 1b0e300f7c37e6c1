"""Several runs as one, as far as they can be compared: what they share, and what does not fit said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.errors import InputError
from gamut_eval.records import Response
from gamut_eval.scoring.counts import CONSENSUS, PANEL
from gamut_eval.scoring.score import Scores, leaderboard_rows

_COMBINED = (PANEL, CONSENSUS)
_MOST_NAMED = 5


@dataclass(frozen=True)
class Named:
    """A run under the name that its models get where another run has models of the same name."""

    name: str
    source: Source

    @cached_property
    def contents(self) -> dict[str, object]:
        """What each question asks and is graded by: two runs share a question where this is the same."""
        checks: dict[str, list[tuple[str, str, str]]] = {}
        for check in self.source.checks:
            checks.setdefault(check.question_id, []).append((check.id, check.tier.value, check.hash))
        return {
            question.id: (
                [question.asked(variant) for variant in question.variants],
                sorted(checks.get(question.id, [])),
            )
            for question in self.source.questions
        }

    @cached_property
    def hashes(self) -> dict[tuple[str, str], dict[tuple[str, int], str]]:
        """By model and variant: the hash of each response, by question and sample."""
        found: dict[tuple[str, str], dict[tuple[str, int], str]] = {}
        for response in self.source.responses:
            own = found.setdefault((response.model, response.variant), {})
            own[response.question_id, response.sample] = response.hash
        return found


def joined(runs: Sequence[Named], *, allow_incomplete: bool = False) -> Source:
    """Runs as one source, over the questions that all of them have with the same checks.

    A model that answered differently in two runs is two models there, each with its run's name; so is a judge that
    graded the same answers in two runs, or was set up differently. Where the runs were graded by different judges,
    panel and consensus are left out. What was left out or renamed stands in the source's ``notes``.

    Parameters
    ----------
    runs
        With scores by the same constants, each under a name of its own.
    allow_incomplete
        See `score_graded`.

    Raises
    ------
    InputError
        The runs share no question, were scored differently, or have the same name.
    """
    if len(runs) == 1:
        return runs[0].source
    _refuse_misfits(runs)
    shared, left_out = _shared(runs)
    model_names, judge_names = _model_names(runs), _judge_names(runs)
    parts = [_renamed(run.source.narrowed(shared), model_names[run.name], judge_names[run.name]) for run in runs]
    notes = (
        *_versions(runs),
        *left_out,
        *_renamings(runs, model_names, "model"),
        *_renamings(runs, judge_names, "judge"),
    )
    alike = len({frozenset(judge for *_, judge, _ in part.asked) for part in parts}) == 1
    if not alike and any(row.judge in _COMBINED for part in parts for row in part.scores.rows):
        notes = (*notes, "The runs were graded by different judges, so panel and consensus are left out.")
    return _together(parts, notes, combined=alike, allow_incomplete=allow_incomplete)


def _refuse_misfits(runs: Sequence[Named]) -> None:
    again = [name for name, n in Counter(run.name for run in runs).items() if n > 1]
    if again:
        raise InputError(f"{again[0]} is given twice; name each run once")
    settings = {(run.source.scores.settings, run.source.scores.composite) for run in runs}
    if len(settings) > 1:
        raise InputError("the runs are scored with different constants; score them with the same ones first")


def _shared(runs: Sequence[Named]) -> tuple[list[str], list[str]]:
    """Ids of the questions that are the same in all runs, and what is said of the others."""
    everywhere = [id for id in runs[0].contents if all(id in run.contents for run in runs)]
    same = [id for id in everywhere if all(run.contents[id] == runs[0].contents[id] for run in runs)]
    if not same:
        changed = f"{len(everywhere)} have the same id, but other texts or checks" if everywhere else "not even an id"
        raise InputError(
            f"{_listed([run.name for run in runs])} share no question ({changed}); nothing can be compared"
        )
    every = dict.fromkeys(id for run in runs for id in run.contents)
    told = []
    if len(everywhere) > len(same):
        changed_ids = [id for id in everywhere if id not in set(same)]
        told.append(f"Left out, since text or checks differ between the runs: {_some(changed_ids)}.")
    if len(every) > len(everywhere):
        told.append(
            f"Left out, since not every run has them: {_some([id for id in every if id not in set(everywhere)])}."
        )
    if told:
        told.append(f"All numbers are over the {len(same):,} questions that the runs share.")
    return same, told


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return f"{len(names):,} question{'' if len(names) == 1 else 's'} ({', '.join(names[:_MOST_NAMED])}{more})"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _versions(runs: Sequence[Named]) -> Iterator[str]:
    about = {run.name: run.source.benchmark for run in runs}
    if len({benchmark["hash"] for benchmark in about.values()}) > 1:
        told = (
            f"{name} is of {benchmark['name'] or 'an unnamed one'} {benchmark['version'] or 'without a version'}"
            for name, benchmark in about.items()
        )
        yield f"The benchmarks differ: {'; '.join(told)}."


Names = dict[str, dict[str, str]]
"""By run: what a model or judge is called from now on."""


def _model_names(runs: Sequence[Named]) -> Names:
    """A model keeps its name unless it gave other answers in another run."""
    clashing: set[str] = set()
    for place, run in enumerate(runs):
        for other in runs[place + 1 :]:
            for key, hashes in run.hashes.items():
                theirs = other.hashes.get(key, {})
                if any(theirs.get(response, own) != own for response, own in hashes.items()):
                    clashing.add(key[0])
    return {run.name: {model: _of(model, run.name) for model, _ in run.hashes if model in clashing} for run in runs}


def _judge_names(runs: Sequence[Named]) -> Names:
    """A judge keeps its name unless its settings differ, or it graded the same answers twice."""
    settings: dict[str, list[Any]] = {}
    graded = Counter[tuple[Any, ...]]()
    for run in runs:
        for judge, about in run.source.judges.items():
            settings.setdefault(judge, []).append(about["settings"])
        for model, variant, judge, _ in run.source.asked:
            answers = frozenset(run.hashes.get((model, variant), {}).items())
            graded[model, variant, judge, answers] += 1
    clashing = {judge for judge, own in settings.items() if any(one != own[0] for one in own)}
    clashing |= {judge for (_, _, judge, _), n in graded.items() if n > 1}
    return {run.name: {judge: _of(judge, run.name) for judge in run.source.judges if judge in clashing} for run in runs}


def _of(name: str, run: str) -> str:
    return f"{name} [{run}]"


def _renamings(runs: Sequence[Named], names: Names, what: str) -> Iterator[str]:
    why = {
        "model": "gave different answers in the runs",
        "judge": "graded the same answers twice, or was set up differently in the runs",
    }
    several = sorted({name for own in names.values() for name in own})
    for name in several:
        told = _listed([own[name] for own in names.values() if name in own])
        yield f"The {what} {name} {why[what]}; it stands here as {told}."


def _renamed(source: Source, models: Mapping[str, str], judges: Mapping[str, str]) -> Source:
    if not models and not judges:
        return source
    renamed = (
        pl.col("model").replace(models) if models else pl.col("model"),
        pl.col("judge").replace(judges) if judges else pl.col("judge"),
    )
    return replace(
        source,
        responses=[_response(response, models) for response in source.responses],
        judges={judges.get(name, name): about for name, about in source.judges.items()},
        asked=[(models.get(m, m), variant, judges.get(j, j), n) for m, variant, j, n in source.asked],
        verdicts=source.verdicts.with_columns(renamed),
        scores=replace(source.scores, questions=source.scores.questions.with_columns(renamed)),
    )


def _response(response: Response, models: Mapping[str, str]) -> Response:
    return response.renamed(models[response.model]) if response.model in models else response


def _together(parts: Sequence[Source], notes: tuple[str, ...], *, combined: bool, allow_incomplete: bool) -> Source:
    first = parts[0]
    questions = pl.concat([part.scores.questions for part in parts])
    if not combined:
        questions = questions.filter(~pl.col("judge").is_in(_COMBINED))
    questions = questions.unique(["question_id", "model", "variant", "judge"], keep="first", maintain_order=True)
    rows = leaderboard_rows(questions, allow_incomplete=allow_incomplete)
    responses = {response.key: response for part in parts for response in part.responses}
    return replace(
        first,
        benchmark=first.benchmark | {"hash": _only({part.benchmark["hash"] for part in parts})},
        responses=list(responses.values()),
        judges={name: about for part in parts for name, about in part.judges.items()},
        asked=list(dict.fromkeys(row for part in parts for row in part.asked)),
        verdicts=pl.concat([part.verdicts for part in parts]),
        scores=Scores(first.scores.settings, first.scores.composite, tuple(rows), questions),
        calls=pl.concat([part.calls for part in parts], how="diagonal"),
        notes=notes,
    )


def _only(values: set[Any]) -> Any:
    return next(iter(values)) if len(values) == 1 else None
