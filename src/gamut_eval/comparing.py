"""Comparing runs from Python, and what the command line does it with: open them, join them, make tables."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gamut_eval.analysis.inference import Inference
from gamut_eval.analysis.joining import Named, joined
from gamut_eval.analysis.source import Source
from gamut_eval.benchmark.settings import ScoringSettings
from gamut_eval.errors import InputError, UnknownNameError, brief, repeated
from gamut_eval.files import shown
from gamut_eval.records import VARIANTS, Variant
from gamut_eval.reports.compared import ComparedRuns
from gamut_eval.reports.table_kind import REGISTRY, Tabulated, Wanted
from gamut_eval.run import Run
from gamut_eval.running.journal import FILE
from gamut_eval.stats.bootstrap import Method
from gamut_eval.words import checked_length

FEWEST_REPLICATES, MOST_REPLICATES = 100, 1_000_000
_MOST_ROWS = 1_000_000
_BENCHMARKS = (".jsonl", ".parquet", ".yaml", ".yml")


@dataclass(frozen=True)
class OpenRun:
    """An open run under the name by which it is told from others; see `run_names`."""

    name: str
    run: Run

    @property
    def about(self) -> dict[str, Any]:
        """What `ComparedRuns` says of it."""
        run = self.run
        return {
            "name": self.name,
            "folder": None if run.folder is None else shown(run.folder),
            "flat": run.flat,
            "benchmark": run.benchmark,
            "scoring": run.scoring.to_dict(),
        }


@dataclass(frozen=True)
class Narrowing:
    """Judges, models, and the variant, that alone are looked at; by default all."""

    judges: tuple[str, ...] = ()
    variant: Variant | None = None
    models: tuple[str, ...] = ()


EVERYTHING = Narrowing()


def compare(
    runs: str | Path | Run | Sequence[str | Path | Run],
    *,
    show: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    words: int | None = None,
    most: int = 20,
    judge: str | Sequence[str] = (),
    variant: Variant | None = None,
    model: str | Sequence[str] = (),
    scoring: ScoringSettings | None = None,
    allow_incomplete: bool = False,
    subset: bool | None = None,
    level: float = 0.95,
    method: Method = "percentile",
    replicates: int = 10_000,
    seed: int = 0,
) -> ComparedRuns:
    """Compare the models of one run, or of several: what `gamut compare` does.

    Runs are joined over the questions that all of them have with the same checks; what does not fit is left out or
    renamed, and the result's ``notes`` say so.

    Parameters
    ----------
    runs
        Run folders or open runs.
    show
        Names of tables (``gamut compare --help`` lists them); by default those that have something to say of any run.
    by
        What scores are broken down by, such as ``domain``; shows the table ``by``.
    words
        The length that answers are cut to, in words; shows the table ``length``.
    most
        How many rows a list has at most.
    judge, variant
        Judges, and the variant, that alone are looked at; by default all.
    model
        Models that alone are compared, by default all: Holm's adjustment is over their pairs only, and with
        ``allow_incomplete`` a question counts that is complete for each of them.
    scoring
        λ, μ and weights for all runs; by default the first run's.
    allow_incomplete
        Give means over the questions that are complete for every model.
    subset
        Whether unanswered questions were left out on purpose; by default as each run was made.
    level
        Of confidence, between 0 and 1. Two models differ where Holm's adjusted p is at most 1 − level.
    method, replicates, seed
        Of the bootstrap over questions.

    Raises
    ------
    InputError
        A name or a number is wrong, or the runs share no question.
    RunError
        A folder holds no run.
    MissingExtraError
        A table needs a package that is not installed.

    Examples
    --------
    >>> import gamut_eval
    >>> question = {"id": "q", "domain": "food", "question": "What is in pesto?", "rubric": {"items": [
    ...     {"id": "herb", "type": "simple", "tier": "answer_critical", "statement": "Pesto is made with basil."}]}}
    >>> answers = [{"question_id": "q", "model": model, "variant": "text_only", "response": response}
    ...     for model, response in (("a", "Pesto is made with basil."), ("b", "I cannot say."))]
    >>> with gamut_eval.evaluate([question], answers) as run:
    ...     compared = gamut_eval.compare(run, show="paper")
    >>> [own["model"] for own in compared.to_dict()["paper"]["own"]]
    ['a', 'b']
    """
    names, wanted = wanted_tables(_several(show), by=_several(by), words=words, most=most)
    inference = checked(Inference(level, method, replicates, seed))
    narrowing = Narrowing(tuple(_several(judge)), variant, tuple(_several(model)))
    with opened(runs) as several:
        source = put_together(several, scoring, allow_incomplete=allow_incomplete, subset=subset, narrowing=narrowing)
        return compared(several, replace(source, inference=inference), names, wanted)


def _several(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def wanted_tables(show: Sequence[str], *, by: Sequence[str], words: int | None, most: int) -> tuple[list[str], Wanted]:
    """Names of the tables that are asked for, none for those that are shown unasked, and what is chosen of them."""
    if words is not None:
        checked_length(words, "words")
    if not 1 <= most <= _MOST_ROWS:
        raise InputError(f"most is {brief(most)}; it is a number of rows, from 1 to {_MOST_ROWS:,}")
    implied = [name for name, given in (("by", by), ("length", words)) if given]
    names = list(dict.fromkeys((*show, *implied)))
    for name in names:
        REGISTRY.get(name)
    return names, Wanted(tuple(dict.fromkeys(by)), words, most)


def checked(inference: Inference) -> Inference:
    """The same, if it can be done.

    Raises
    ------
    InputError
        A number makes no sense.
    """
    if not 0 < inference.level < 1:
        raise InputError(f"the level is {inference.level:g}; it lies between 0 and 1, such as 0.95")
    if inference.method not in ("percentile", "BCa"):
        raise InputError(f"the method is {inference.method!r}; it is percentile or BCa")
    if not FEWEST_REPLICATES <= inference.replicates <= MOST_REPLICATES:
        between = f"from {FEWEST_REPLICATES} to {MOST_REPLICATES:,}"
        raise InputError(f"replicates is {brief(inference.replicates)}; it is a whole number {between}")
    if not 0 <= inference.seed < 2**63:
        raise InputError(f"seed is {brief(inference.seed)}; it is a whole number from 0 to 2^63 - 1")
    return inference


@contextlib.contextmanager
def opened(runs: str | Path | Run | Sequence[str | Path | Run]) -> Iterator[list[OpenRun]]:
    """Runs by name; those that are given as folders are open as long as the body runs. See `open_runs` for errors."""
    given = [runs] if isinstance(runs, str | Path | Run) else list(runs)
    several = open_runs(given)
    with contextlib.ExitStack() as stack:
        for one, there in zip(given, several, strict=True):
            if there.run is not one:
                stack.enter_context(there.run)
        yield several


def open_runs(runs: Sequence[str | Path | Run]) -> list[OpenRun]:
    """Runs by name; a caller closes those that are given as folders.

    Raises
    ------
    InputError
        There is none, one is given twice, or one is a benchmark.
    RunError
        A folder holds no run.
    """
    if not runs:
        raise InputError("there is no run to compare")
    with contextlib.ExitStack() as stack:
        several = [one if isinstance(one, Run) else stack.enter_context(_open(Path(one))) for one in runs]
        if repeated([id(run) for run in several if run.folder is None]) is not None:
            raise InputError("one run is given twice; name each run once")
        names = run_names([run.folder for run in several])
        stack.pop_all()
    return [OpenRun(*pair) for pair in zip(names, several, strict=True)]


def _open(folder: Path) -> Run:
    if not (folder / FILE).is_file():
        is_benchmark = folder.suffix in _BENCHMARKS if folder.is_file() else (folder / "benchmark.yaml").is_file()
        if is_benchmark:
            raise InputError(f"{folder} is a benchmark, not a run; 'gamut judge {folder} … --run FOLDER' makes a run")
        if folder.is_file():
            raise InputError(f"{folder} is a file; a run is a folder, which 'gamut judge … --run FOLDER' makes")
    return Run.open(folder)


def run_names(folders: Sequence[Path | None]) -> list[str]:
    """What runs are called: the folder's name, with as much of the path before it as tells them apart.

    >>> run_names([Path("/runs/a/first"), Path("/runs/b/first"), None, Path("/runs/second")])
    ['a/first', 'b/first', 'run 3', 'second']

    Raises
    ------
    InputError
        A run is given twice.
    """
    full = [None if folder is None else folder.resolve() for folder in folders]
    known = [path for path in full if path is not None]
    if (twice := repeated(known)) is not None:
        raise InputError(f"{shown(folders[full.index(twice)] or '')} is given twice; name each run once")
    return [f"run {place}" if path is None else _name(path, known) for place, path in enumerate(full, 1)]


def _name(own: Path, among: Sequence[Path]) -> str:
    others = [other.parts for other in among if other != own]
    every = range(1, len(own.parts))
    n = next((n for n in every if all(parts[-n:] != own.parts[-n:] for parts in others)), len(own.parts))
    return shown(Path(*own.parts[-n:]))


def put_together(
    runs: Sequence[OpenRun],
    settings: ScoringSettings | None = None,
    *,
    allow_incomplete: bool = False,
    subset: bool | None = None,
    narrowing: Narrowing = EVERYTHING,
) -> Source:
    """Runs as one source, scored alike; those of the flat rubric as its ``flat``, unless there are only such.

    Parameters
    ----------
    runs
        Open, at least one.
    settings
        Constants for all; by default the first run's.
    allow_incomplete, subset
        See `Run.scores`.
    narrowing
        Judges, models and the variant.

    Raises
    ------
    InputError
        The runs cannot be joined, or know nothing of a name.
    """
    settings = settings or runs[0].run.scoring
    sources = [
        Named(one.name, one.run.source(one.run.scores(settings, allow_incomplete=allow_incomplete, subset=subset)))
        for one in runs
    ]
    flat = [named for named, one in zip(sources, runs, strict=True) if one.run.flat]
    two_level = [named for named, one in zip(sources, runs, strict=True) if not one.run.flat]
    source, *beside = (joined(several) for several in (two_level, flat) if several)
    _refuse_unknown(source, narrowing)
    source, *beside = (
        one.where(variant=narrowing.variant, judges=narrowing.judges, models=narrowing.models)
        for one in (source, *beside)
    )
    if narrowing != EVERYTHING and not source.scores.rows:
        raise InputError("nothing is left: none of these models has an answer in this variant that these judges graded")
    own = (note for one in (source, *beside) for note in one.notes)
    notes = (*_constants(runs, settings), *own, *(_set_aside(runs) if beside else ()))
    return replace(source, flat=beside[0] if beside else source.flat, notes=notes)


def _refuse_unknown(source: Source, narrowing: Narrowing) -> None:
    judges, models, variants = (
        list(dict.fromkeys(getattr(row, field) for row in source.scores.rows))
        for field in ("judge", "model", "variant")
    )
    for what, given, known in (("judge", narrowing.judges, judges), ("model", narrowing.models, models)):
        for name in given:
            if name not in known:
                raise UnknownNameError(what, name, known)
    if narrowing.variant is not None and narrowing.variant not in variants:
        if narrowing.variant not in VARIANTS:
            raise UnknownNameError("variant", narrowing.variant, VARIANTS)
        raise InputError(f"variant {narrowing.variant}: nothing was answered in it; there is {', '.join(variants)}")


def _set_aside(runs: Sequence[OpenRun]) -> list[str]:
    """Of each flat run that only the table ``levels`` draws on it."""
    why = "is graded by the flat checklist: only 'gamut compare … --show levels' holds it against the others."
    return [f"{one.name} {why}" for one in runs if one.run.flat]


def _constants(runs: Sequence[OpenRun], settings: ScoringSettings) -> Iterator[str]:
    """What has to be said where the runs' own constants are not the same."""
    if len({run.run.scoring for run in runs}) > 1:
        own = "; ".join(f"{run.name}: {constants_in_words(run.run.scoring)}" for run in runs)
        yield f"All runs are scored with {constants_in_words(settings)}. Their own constants differ ({own})."


def constants_in_words(settings: ScoringSettings) -> str:
    """λ, μ and the weights on one line.

    >>> constants_in_words(ScoringSettings())
    'λ 0.5, μ -2, weights 0.6/0.3/0.1'
    """
    weights = "/".join(f"{weight:g}" for weight in settings.weights.as_tuple())
    return f"λ {settings.lambda_:g}, μ {settings.mu:g}, weights {weights}"


def compared(runs: Sequence[OpenRun], source: Source, names: Sequence[str], wanted: Wanted) -> ComparedRuns:
    """Tables by name, or those that are shown unasked, in their order; ``source`` is what `put_together` made."""
    kinds = {name: REGISTRY.get(name) for name in names or REGISTRY.names()}
    found: dict[str, Tabulated | None] = {}
    for name, kind in sorted(kinds.items(), key=lambda pair: pair[1].order):
        if names or kind.unasked:
            found[name] = kind.build(source, wanted)
    needless = _set_aside(runs) if "levels" in found else []
    return ComparedRuns(
        source.benchmark,
        source.scores.settings.to_dict(),
        source.scores.composite,
        tuple(run.about for run in runs),
        (*(note for note in source.notes if note not in needless), *source.said_of_judges),
        source.inference,
        {name: tabulated for name, tabulated in found.items() if names or tabulated is not None},
    )
