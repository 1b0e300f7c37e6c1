"""What answers leave out and what they get wrong: by check, by item, by kind of check, by model.

A check is missed by an answer that leaves it out (missing) or contradicts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import TIERS, Tier
from gamut_eval.scoring.counts import PANEL

NOT_JUDGED, NO_ANSWER, NOT_ASKED = "not_judged", "no_answer", ""
OUTCOMES = (*(verdict.value for verdict in VERDICTS), NOT_JUDGED, NO_ANSWER, NOT_ASKED)
"""What may become of a check: a verdict, or what stands in its place; the codes of `Outcomes` are places here."""
MISSED = (Verdict.MISSING, Verdict.CONTRADICTS)
_MISSED_CODES = [OUTCOMES.index(verdict) for verdict in MISSED]
_NAMES = [verdict.value for verdict in VERDICTS]
_N_MISSED = pl.col("missing") + pl.col("contradicts")
_N = pl.sum_horizontal(_NAMES)
_SUMS = [pl.col(name).sum() for name in _NAMES]


@dataclass(frozen=True)
class Counts:
    """How often each verdict was given."""

    meets: int = 0
    partially_meets: int = 0
    missing: int = 0
    contradicts: int = 0

    @property
    def n(self) -> int:
        """How many verdicts there are."""
        return self.meets + self.partially_meets + self.missing + self.contradicts

    @property
    def n_missed(self) -> int:
        """How many of them are missing or contradicts."""
        return self.missing + self.contradicts

    def share(self, verdict: str) -> float | None:
        """A verdict's share of all; None where there is none.

        >>> Counts(meets=1, missing=3).share("missing"), Counts().share("missing")
        (0.75, None)
        """
        return getattr(self, verdict) / self.n if self.n else None

    @property
    def missed(self) -> float | None:
        """The share of missing and contradicts; None where there is no verdict."""
        return self.n_missed / self.n if self.n else None

    @property
    def contradicted_of_missed(self) -> float | None:
        """Of what is missed, the share that is contradicted; None where nothing is missed.

        >>> Counts(meets=5, missing=3, contradicts=1).contradicted_of_missed
        0.25
        """
        return self.contradicts / self.n_missed if self.n_missed else None


@dataclass(frozen=True)
class MissedCheck:
    """A check over all answers to its question.

    ``n_open`` verdicts on it are not there and not counted. ``models`` are those with an answer that some verdict says
    misses it, by name.
    """

    check: Check
    counts: Counts
    n_answers: int
    n_open: int
    models: tuple[str, ...]


@dataclass(frozen=True)
class MissedItem:
    """A line of the meta-rubric over all answers to its question.

    ``missed`` and ``contradicted`` are the share of its checks of which that holds, as a mean over answers; ``whole``
    the share of answers that miss all of its checks. ``kind`` is the item's type, ``text`` what it is about.
    """

    question_id: str
    item_id: str
    tier: Tier
    kind: str
    text: str
    n_checks: int
    n_answers: int
    missed: float
    contradicted: float
    whole: float


@dataclass(frozen=True)
class Outcomes:
    """What became of every check in every model's answers: one outcome a check and model.

    ``codes``: shape (checks, models), places in `OUTCOMES`. Of several verdicts (samples, repeats, judges) the most
    frequent is the outcome, the worse of equals; a check that lacks a verdict is not judged.
    """

    checks: Sequence[Check]
    models: tuple[str, ...]
    codes: NDArray[np.int8]

    @cached_property
    def n_missed(self) -> NDArray[np.int64]:
        """By check: how many models miss it."""
        return np.asarray(np.isin(self.codes, _MISSED_CODES).sum(axis=1), dtype=np.int64)

    @cached_property
    def n_partial(self) -> NDArray[np.int64]:
        """By check: how many models meet it in part."""
        return np.asarray((self.codes == _code(Verdict.PARTIALLY_MEETS)).sum(axis=1), dtype=np.int64)

    @property
    def n_open(self) -> int:
        """How many outcomes are not known."""
        return int((self.codes == _code(NOT_JUDGED)).sum() + (self.codes == _code(NO_ANSWER)).sum())

    def flawed(self) -> list[int]:
        """Places of the checks that some model does not meet: by tier, then by how many miss them, then in order."""
        tiers = np.array([TIERS.index(check.tier) for check in self.checks])
        order = np.lexsort((-self.n_partial, -self.n_missed, tiers))
        return [int(place) for place in order if self.n_missed[place] or self.n_partial[place]]

    def of(self, place: int) -> dict[str, str]:
        """A check's outcome for each model that was asked."""
        row = zip(self.models, self.codes[place], strict=True)
        return {model: OUTCOMES[code] for model, code in row if OUTCOMES[code] != NOT_ASKED}

    def missed_of(self, tier: Tier) -> dict[str, int]:
        """By model: how many checks of a tier it misses."""
        own = self.codes[[check.tier == tier for check in self.checks]]
        missed = np.isin(own, _MISSED_CODES).sum(axis=0)
        return dict(zip(self.models, map(int, missed), strict=True))


def _code(outcome: str) -> int:
    return OUTCOMES.index(outcome)


@dataclass(frozen=True)
class Tallies:
    """The verdicts of one variant and judge, counted; the panel's are those of all judges.

    ``checks`` are those that were asked of any model, in the benchmark's order; ``frame`` has them as a frame: check
    (the place), question_id, check_id, item_id, tier, kind. ``cells`` has a row an answer and check: check (its place),
    model, sample, and how often each verdict was given. ``wanted`` has an entry a question and model that was asked:
    how many verdicts on each of its checks there are to be, 0 without an answer.
    """

    checks: Sequence[Check]
    frame: pl.DataFrame
    cells: pl.DataFrame
    wanted: dict[tuple[str, str], int]

    @property
    def n_open(self) -> int:
        """How many verdicts on answers are not there, and so are counted nowhere."""
        wanted = sum(self._wanted_of[check.question_id] for check in self.checks)
        return wanted - int(self.cells.select(_N.sum()).item())

    @cached_property
    def _wanted_of(self) -> Counter[str]:
        """By question: how many verdicts on each of its checks there are to be, over all models."""
        found = Counter[str]()
        for (question, _), n in self.wanted.items():
            found[question] += n
        return found

    @property
    def n_unanswered(self) -> int:
        """How many questions of models have no answer."""
        return sum(not n for n in self.wanted.values())

    @cached_property
    def _by_check(self) -> pl.DataFrame:
        tiers = pl.col("tier").replace_strict({str(t): n for n, t in enumerate(TIERS)}, return_dtype=pl.Int8)
        places = self.frame.select("check", rank=tiers)
        counted = self.cells.group_by("check").agg(*_SUMS, n_answers=pl.len()).with_columns(n=_N)
        return counted.filter(pl.col("n") > 0).join(places, on="check")

    def most(self, *verdicts: Verdict, at_most: int) -> tuple[list[MissedCheck], int]:
        """The checks with the highest share of these verdicts, and how many there are that have any.

        Of equals those with more answers come first, then by tier, then in the benchmark's order.
        """
        share = pl.sum_horizontal(list(map(str, verdicts))) / pl.col("n")
        rows = self._by_check.with_columns(share=share).filter(pl.col("share") > 0)
        shown = rows.sort(["share", "n_answers", "rank", "check"], descending=[True, True, False, False]).head(at_most)
        missed = self.cells.filter(pl.col("check").is_in(shown["check"].to_list()), _N_MISSED > 0)
        models: dict[int, set[str]] = {}
        for place, model in missed.select("check", "model").iter_rows():
            models.setdefault(place, set()).add(model)
        found = []
        for place, n_answers, *counts in shown.select("check", "n_answers", *_NAMES).iter_rows():
            check, given = self.checks[place], Counts(*counts)
            n_open = self._wanted_of[check.question_id] - given.n
            found.append(MissedCheck(check, given, n_answers, n_open, tuple(sorted(models.get(place, ())))))
        return found, len(rows)

    def by_kind(self) -> dict[tuple[str, str], Counts]:
        """The verdicts given, by kind of check and model."""
        counted = self.cells.join(self.frame.select("check", "kind"), on="check").group_by("kind", "model").agg(*_SUMS)
        return {(kind, model): Counts(*counts) for kind, model, *counts in counted.iter_rows()}

    def by_model(self) -> dict[tuple[str, Tier | None], Counts]:
        """The verdicts given, by model and tier; the tier None is all of them."""
        counted = self.cells.join(self.frame.select("check", "tier"), on="check").group_by("model", "tier").agg(*_SUMS)
        found: dict[tuple[str, Tier | None], Counts] = {
            (model, Tier(tier)): Counts(*counts) for model, tier, *counts in counted.iter_rows()
        }
        whole = counted.group_by("model").agg(*_SUMS)
        return found | {(model, None): Counts(*counts) for model, *counts in whole.iter_rows()}

    def outcomes(self, models: Sequence[str]) -> Outcomes:
        """One outcome a check and model."""
        columns = {model: place for place, model in enumerate(models)}
        counts = np.zeros((len(self.checks), len(models), len(VERDICTS)), dtype=np.int64)
        own = self.cells.group_by("check", "model").agg(*_SUMS).filter(pl.col("model").is_in(list(models)))
        places = own["model"].replace_strict(columns, return_dtype=pl.Int64).to_numpy()
        counts[own["check"].to_numpy(), places] = own.select(_NAMES).to_numpy()
        lines = {check.question_id: None for check in self.checks}
        wanted = np.array([[self.wanted.get((question, model), -1) for model in models] for question in lines])
        line = {question: place for place, question in enumerate(lines)}
        places = np.array([line[check.question_id] for check in self.checks], dtype=np.int64)
        asked = wanted.reshape(len(lines), len(models))[places]
        return Outcomes(self.checks, tuple(models), coded(counts, asked))


def coded(counts: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int8]:
    """One outcome for the verdicts on a check.

    Parameters
    ----------
    counts
        Shape (…, 4): how often each verdict was given, in the order of `VERDICTS`.
    wanted
        Shape (…): how many there are to be; 0 without an answer, less where nothing was asked.

    >>> import numpy as np
    >>> [OUTCOMES[code] for code in coded(np.array([[2, 0, 1, 0], [1, 0, 1, 0], [1, 0, 0, 0]]), np.array([3, 2, 2]))]
    ['meets', 'missing', 'not_judged']
    """
    worst = len(VERDICTS) - 1 - counts[..., ::-1].argmax(axis=-1)
    codes = np.where(counts.sum(axis=-1) < wanted, _code(NOT_JUDGED), worst)
    codes = np.where(wanted == 0, _code(NO_ANSWER), codes)
    return np.where(wanted < 0, _code(NOT_ASKED), codes).astype(np.int8)


def tallies(source: Source, variant: str, judge: str) -> Tallies:
    """Count the verdicts that a judge's scores rest on, or the panel's, in one variant."""
    given = source.graded.verdicts.filter(pl.col("variant") == variant, pl.col("verdict").is_not_null())
    given = given if judge == PANEL else given.filter(pl.col("judge") == judge)
    wanted = _wanted(source, variant, judge)
    asked = {question for question, _ in wanted}
    checks = [check for check in source.checks if check.question_id in asked]
    frame = _frame(checks)
    joined = given.join(frame.select("check", "question_id", "check_id"), on=["question_id", "check_id"])
    verdict = pl.col("verdict").cast(pl.Enum(_NAMES))
    counts = [(verdict == name).sum().cast(pl.Int64).alias(name) for name in _NAMES]
    return Tallies(checks, frame, joined.group_by("check", "model", "sample").agg(*counts), wanted)


def _frame(checks: Sequence[Check]) -> pl.DataFrame:
    rows = [(c.question_id, c.id, c.item_id, c.tier.value, c.kind) for c in checks]
    names = ("question_id", "check_id", "item_id", "tier", "kind")
    return pl.DataFrame(rows, dict.fromkeys(names, pl.String), orient="row").with_row_index("check")


def _wanted(source: Source, variant: str, judge: str) -> dict[tuple[str, str], int]:
    asked = source.scores.questions.filter(pl.col("variant") == variant, pl.col("judge") == judge)
    wanted = dict.fromkeys(asked.select("question_id", "model").iter_rows(), 0)
    repeats: dict[str, int] = {}
    for model, asked_variant, asked_judge, n in source.asked:
        if asked_variant == variant and judge in (asked_judge, PANEL):
            repeats[model] = repeats.get(model, 0) + n
    for response in source.responses:
        place = (response.question_id, response.model)
        if response.variant == variant and response.answered and place in wanted:
            wanted[place] += repeats.get(response.model, 0)
    return wanted


def missed_items(source: Source, counted: Tallies, *, at_most: int) -> tuple[list[MissedItem], int]:
    """The lines of the meta-rubric that answers miss most, and how many are missed at all.

    Of equals those with more answers come first, then by tier, then those with more checks. Checks that belong to no
    item (those of rubrics made elsewhere, and those that people added) are not in it.
    """
    items = {(q.id, item.id): item for q in source.questions for item in (*q.rubric.items, *q.rubric.insights)}
    ranks = pl.DataFrame(
        [(*key, TIERS.index(item.tier)) for key, item in items.items()],
        {"question_id": pl.String, "item_id": pl.String, "rank": pl.Int64},
        orient="row",
    )
    rows = _by_item(counted).join(ranks, on=["question_id", "item_id"]).filter(pl.col("missed") > 0)
    rows = rows.sort(["missed", "n_answers", "rank", "n_checks", "first"], descending=[True, True, False, True, False])
    names = ("n_checks", "n_answers", "missed", "contradicted", "whole")
    found = []
    for question, name, *numbers in rows.select("question_id", "item_id", *names).head(at_most).iter_rows():
        item = items[question, name]
        about = (item.tier, getattr(item, "type", "insight"), item.summary())
        found.append(MissedItem(question, name, *about, *numbers))
    return found, len(rows)


def _by_item(counted: Tallies) -> pl.DataFrame:
    """A row an item: the means over its answers of the shares of its checks."""
    items = counted.frame.filter(pl.col("item_id").is_not_null())
    sizes = items.group_by("question_id", "item_id").agg(n_checks=pl.len(), first=pl.col("check").min())
    sizes = sizes.with_row_index("item")
    places = items.join(sizes, on=["question_id", "item_id"]).select("check", "item")
    shares = counted.cells.filter(_N > 0).with_columns(n=_N).join(places, on="check")
    answers = shares.group_by("item", "model", "sample").agg(
        missed=(_N_MISSED / pl.col("n")).mean(),
        contradicted=(pl.col("contradicts") / pl.col("n")).mean(),
        whole=(pl.col("n") == _N_MISSED).all(),
    )
    means = [pl.col(name).mean() for name in ("missed", "contradicted", "whole")]
    return answers.group_by("item").agg(pl.len().alias("n_answers"), *means).join(sizes, on="item")
