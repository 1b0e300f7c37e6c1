"""Several runs as one, as far as they can be compared: what they share, and what does not fit said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from gamut_eval.analysis.contests import picture
from gamut_eval.analysis.source import Source
from gamut_eval.errors import InputError
from gamut_eval.records import VERDICTS, Response
from gamut_eval.scoring.counts import CONSENSUS, PANEL, UNIT
from gamut_eval.scoring.score import QUESTION, Scores, in_order

_COMBINED = (PANEL, CONSENSUS)
_MOST_NAMED = 5
_VERDICT = [*UNIT, "check_id"]


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
                [(variant, question.asked(variant)) for variant in question.variants],
                picture(question),
                sorted(checks.get(question.id, [])),
            )
            for question in self.source.questions
        }

    @cached_property
    def expected(self) -> dict[str, set[str]]:
        """By variant the questions that have a score, or should have one."""
        found: dict[str, set[str]] = {}
        for variant, question in self.source.scores.questions.select("variant", "question_id").unique().iter_rows():
            found.setdefault(variant, set()).add(question)
        return found

    @cached_property
    def answers(self) -> dict[tuple[str, str], dict[str, frozenset[tuple[int, str]]]]:
        """By model and variant: the samples of each question, with the hashes of their texts."""
        found: dict[tuple[str, str], dict[str, frozenset[tuple[int, str]]]] = {}
        for response in self.source.responses:
            own = found.setdefault((response.model, response.variant), {})
            own[response.question_id] = own.get(response.question_id, frozenset()) | {(response.sample, response.hash)}
        return found

    @cached_property
    def graded(self) -> dict[tuple[str, str, str], int]:
        """How often each judge was to be asked, by judge, model and variant."""
        return {(judge, model, variant): n for model, variant, judge, n in self.source.asked}


def joined(runs: Sequence[Named]) -> Source:
    """Runs as one source, over the questions that all of them have with the same checks.

    A model that answered differently in two runs is two models there, each with its runs' names; so is a judge that
    was set up differently, or that graded the same answers again with other verdicts. Where the runs were graded by
    different judges, panel and consensus are left out. What was left out or renamed stands in the source's ``notes``.

    Parameters
    ----------
    runs
        With scores by the same constants, and of complete questions only or not, each under a name of its own.

    Raises
    ------
    InputError
        The runs share no question, were scored differently, or have the same name.
    """
    if len(runs) == 1:
        return runs[0].source
    runs, notes = apart(runs)
    parts = [run.source for run in runs]
    alike = len({frozenset(judge for *_, judge, _ in part.asked) for part in parts}) == 1
    if not alike and any(row.judge in _COMBINED for part in parts for row in part.scores.rows):
        notes.append("The runs were graded by different judges, so panel and consensus are left out.")
    return _together(parts, tuple(notes), combined=alike)


def apart(runs: Sequence[Named]) -> tuple[list[Named], list[str]]:
    """Each run as it goes into `joined`: over the shared questions, with the names there; and what is said of that."""
    _refuse_misfits(runs)
    shared, left_out = _shared(runs)
    notes = [*_versions(runs), *left_out, *_described(runs, shared)]
    runs = [Named(run.name, run.source.where(questions=shared)) for run in runs]
    runs, renamed = _told_apart(runs, "model", _other_answers)
    runs, regraded = _told_apart(runs, "judge", _other_judge)
    return runs, [*notes, *renamed, *regraded]


def _refuse_misfits(runs: Sequence[Named]) -> None:
    again = [name for name, n in Counter(run.name for run in runs).items() if n > 1]
    if again:
        raise InputError(f"{again[0]} is given twice; name each run once")
    first = runs[0]
    for run in runs[1:]:
        if run.source.scores.settings != first.source.scores.settings:
            told = " and ".join(f"{one.name} with {_constants(one.source)}" for one in (first, run))
            raise InputError(f"the runs are scored with different constants, {told}; score them with the same ones")
        if run.source.scores.composite != first.source.scores.composite:
            told = " and ".join(f"{one.name} with {one.source.scores.composite!r}" for one in (first, run))
            raise InputError(
                f"the runs came to their coverage verdicts in different ways, {told}; "
                "compare runs that were judged with the same --composite"
            )


def _constants(source: Source) -> str:
    return ", ".join(f"{name} {value}" for name, value in source.scores.settings.to_dict().items())


def _shared(runs: Sequence[Named]) -> tuple[list[str], list[str]]:
    """Ids of the questions that are the same in all runs, and what is said of the others."""
    every = dict.fromkeys(id for run in runs for id in run.contents)
    there = {id for id in every if all(id in run.contents for run in runs)}
    same = {id for id in there if all(run.contents[id] == runs[0].contents[id] for run in runs)}
    shared = [id for id in every if id in same and _asked_alike(id, runs)]
    if not shared:
        changed = f"{len(there)} have the same id, but other texts or checks" if there - same else "not even an id"
        reason = "what one was asked, the other was not" if same else changed
        raise InputError(f"{_listed([run.name for run in runs])} share no question ({reason}); nothing can be compared")
    told = [
        f"Left out, since {why}: {_some(ids)}."
        for why, ids in (
            ("text, image or checks differ between the runs", [id for id in every if id in there - same]),
            ("not every run has them", [id for id in every if id not in there]),
            ("they were not asked in every run", [id for id in every if id in same - set(shared)]),
        )
        if ids
    ]
    if told:
        n = len(shared)
        told.append(f"All numbers are over the {n:,} question{'' if n == 1 else 's'} that the runs share.")
    return shared, told


def _asked_alike(id: str, runs: Sequence[Named]) -> bool:
    """In each variant, all runs that have it asked this question, or none did (it cannot be asked so)."""
    variants = dict.fromkeys(variant for run in runs for variant in run.expected)
    return all(
        len({id in run.expected[variant] for run in runs if variant in run.expected}) == 1 for variant in variants
    )


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


def _described(runs: Sequence[Named], shared: Iterable[str]) -> Iterator[str]:
    """What changes no score, but how questions are grouped."""
    first, *others = ({q.id: (q.domain, q.group) for q in run.source.questions} for run in runs)
    moved = [id for id in shared if any(other[id] != first[id] for other in others)]
    if moved:
        yield f"Domain or group differ between the runs, and are those of {runs[0].name}: {_some(moved)}."


Differ = Callable[[Named, Named, str], str | None]
"""Why a model or a judge of one name is not the same in two runs; None where it is."""


def _told_apart(runs: Sequence[Named], what: str, differ: Differ) -> tuple[list[Named], list[str]]:
    """The runs with other names for models or judges that only share a name, and what is said of that."""
    present = [_names(run, what) for run in runs]
    taken = {name for own in present for name in own}
    names: list[dict[str, str]] = [{} for _ in runs]
    notes = []
    for name in sorted(taken):
        places = [place for place, own in enumerate(present) if name in own]
        groups, reasons = _grouped(places, lambda one, other, name=name: differ(runs[one], runs[other], name))  # type: ignore[misc]
        if len(groups) == 1:
            continue
        for group in groups:
            new = _free(f"{name} [{', '.join(runs[place].name for place in group)}]", taken)
            taken.add(new)
            for place in group:
                names[place][name] = new
        told = _listed([names[group[0]][name] for group in groups])
        notes.append(f"The {what} {name} {' and '.join(reasons)}; it stands here as {told}.")
    return [Named(run.name, _renamed(run.source, what, new)) for run, new in zip(runs, names, strict=True)], notes


def _names(run: Named, what: str) -> set[str]:
    if what == "judge":
        return set(run.source.judges)
    return {model for model, *_ in run.source.asked} | {response.model for response in run.source.responses}


def _grouped(places: Sequence[int], differ: Callable[[int, int], str | None]) -> tuple[list[list[int]], list[str]]:
    """Runs in which it is the same, together, and why it is not in the others."""
    groups: list[list[int]] = []
    reasons: dict[str, None] = {}
    for place in places:
        for group in groups:
            found = next(filter(None, (differ(member, place) for member in group)), None)
            if found is None:
                group.append(place)
                break
            reasons[found] = None
        else:
            groups.append([place])
    return groups, list(reasons)


def _free(name: str, taken: set[str]) -> str:
    """The name, or one like it that nobody has."""
    free, number = name, 2
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free


def _other_answers(one: Named, other: Named, model: str) -> str | None:
    for key, own in one.answers.items():
        theirs = other.answers.get(key, {}) if key[0] == model else {}
        if any(theirs.get(question, samples) != samples for question, samples in own.items()):
            return "gave different answers in the runs"
    return None


def _other_judge(one: Named, other: Named, judge: str) -> str | None:
    if set_up(one.source, judge) != set_up(other.source, judge):
        return "was set up differently in the runs"
    graded = [key for key in one.graded if key[0] == judge and key in other.graded]
    if any(one.graded[key] != other.graded[key] for key in graded):
        return "was asked a different number of times in the runs"
    again = [key[1:] for key in graded if one.answers.get(key[1:], {}).keys() & other.answers.get(key[1:], {}).keys()]
    if again and not _same_verdicts(one.source, other.source, judge, {model for model, _ in again}):
        return "graded the same answers twice, with different verdicts"
    return None


def set_up(source: Source, judge: str) -> dict[str, Any]:
    """A judge's settings. Which verdicts were on record is no setting of who gave them."""
    return {name: value for name, value in source.judges[judge]["settings"].items() if name != "recorded"}


def _same_verdicts(one: Source, other: Source, judge: str, models: set[str]) -> bool:
    wanted = (pl.col("judge") == judge) & pl.col("model").is_in(list(models))
    mine, theirs = (source.verdicts.lazy().filter(wanted).select(*_VERDICT, "verdict") for source in (one, other))
    both = mine.join(theirs, on=_VERDICT)
    return both.filter(pl.col("verdict").ne_missing(pl.col("verdict_right"))).head(1).collect().is_empty()


def _renamed(source: Source, what: str, names: Mapping[str, str]) -> Source:
    if not names:
        return source
    new = pl.col(what).replace(names)
    models, judges = (names if what == kind else {} for kind in ("model", "judge"))
    return replace(
        source,
        responses=[
            response.renamed(models[response.model]) if response.model in models else response
            for response in source.responses
        ],
        judges={judges.get(name, name): about for name, about in source.judges.items()},
        asked=[(models.get(m, m), variant, judges.get(j, j), n) for m, variant, j, n in source.asked],
        verdicts=source.verdicts.with_columns(new),
        scores=replace(source.scores, questions=source.scores.questions.with_columns(new)),
        calls=_called(source.calls, what, names),
    )


def _called(calls: pl.DataFrame, what: str, names: Mapping[str, str]) -> pl.DataFrame:
    if calls.is_empty():
        return calls
    new = pl.when(pl.col("role") == what).then(pl.col("name").replace(names)).otherwise(pl.col("name"))
    return calls.with_columns(name=new)


def _together(parts: Sequence[Source], notes: tuple[str, ...], *, combined: bool) -> Source:
    first = parts[0]
    judges: dict[str, dict[str, Any]] = {}
    responses: dict[tuple[Any, ...], Response] = {}
    for part in parts:
        judges |= {name: about for name, about in part.judges.items() if name not in judges}
        responses |= {response.key: response for response in part.responses if response.key not in responses}
    questions = _unrepeated(pl.concat([part.scores.questions for part in parts]))
    if not combined:
        questions = questions.filter(~pl.col("judge").is_in(_COMBINED))
    questions = in_order(questions, list(judges))
    asked = list(dict.fromkeys(row for part in parts for row in part.asked))
    verdicts = pl.concat([part.verdicts for part in parts])
    if len(asked) < sum(len(part.asked) for part in parts):
        verdicts = verdicts.unique(_VERDICT, keep="first", maintain_order=True)
    return replace(
        first,
        benchmark=_benchmark([part.benchmark for part in parts]),
        responses=list(responses.values()),
        judges=judges,
        asked=asked,
        verdicts=verdicts,
        scores=Scores.of(
            first.scores.settings, first.scores.composite, questions, allow_incomplete=first.scores.allow_incomplete
        ),
        calls=pl.concat([part.calls for part in parts], how="diagonal"),
        notes=notes,
    )


def _unrepeated(questions: pl.DataFrame) -> pl.DataFrame:
    """Of rows for the same answers by the same judge the one with the most verdicts."""
    n_verdicts = pl.sum_horizontal(str(verdict) for verdict in VERDICTS)
    best_first = questions.sort("complete", n_verdicts, descending=True, maintain_order=True)
    return best_first.unique(QUESTION, keep="first", maintain_order=True)


def _benchmark(several: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all of them have in common, under all of their names."""
    first = several[0]
    same = {field: all(one[field] == first[field] for one in several) for field in first}
    names = dict.fromkeys(one["name"] for one in several if one["name"])
    return {field: first[field] if same[field] else None for field in first} | {"name": " and ".join(names) or None}
