"""Questions and checks as a choice wants them: which, in what order, and what stands in a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from gamut_eval.benchmark.question import Question
from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.reports.ranking import Facet
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import TIERS
from gamut_eval.scoring.counts import CONSENSUS, PANEL
from gamut_eval.web.view.choice import Choice
from gamut_eval.web.view.scoreboard import Mask, Scoreboard
from gamut_eval.web.view.snapshot import Snapshot

PAGE, MISSED_PAGE = 50, 100
"""Rows of a page."""


@dataclass(frozen=True)
class Row:
    """A question in a list; ``scores`` has one a model, ``n_matches`` is None where no verdicts are sought."""

    question: Question
    scores: tuple[float | None, ...]
    mean: float | None
    spread: float | None
    disagreement: float | None
    n_missing: int
    n_contradicts: int
    n_matches: int | None


@dataclass(frozen=True)
class MissedCheck:
    """A check in a list: how many verdicts on it there are, and what share of them says that it was missed.

    ``unmet``: none of them is *meets*.
    """

    question: Question
    check: Check
    n: int
    missing: float
    contradicts: float
    unmet: bool


@dataclass(frozen=True)
class Missed:
    """A page of the checks that were missed; ``n`` there are, and of ``n_judged`` checks ``n_unmet`` nobody met."""

    rows: tuple[MissedCheck, ...]
    n: int
    n_unmet: int
    n_judged: int


@dataclass(frozen=True, eq=False)
class Listing:
    """The questions of a choice. ``order``: their places. ``matches``: by question how many verdicts fit, or None."""

    board: Scoreboard
    models: tuple[str, ...]
    order: tuple[int, ...]
    matches: NDArray[Any] | None

    def rows(self, snapshot: Snapshot, page: int) -> list[Row]:
        """The rows of a page."""
        board = self.board
        mean, spread = board.mean(self.models), board.spread(self.models)
        return [
            Row(
                snapshot.source.questions[at],
                tuple(map(_defined, board.gamut[at])),
                _defined(mean[at]),
                _defined(spread[at]),
                _defined(board.disagreement[at]),
                round(board.missing[at]),
                round(board.contradicts[at]),
                None if self.matches is None else int(self.matches[at]),
            )
            for at in self.order[(page - 1) * PAGE : page * PAGE]
        ]


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def listing(snapshot: Snapshot, facet: Facet, choice: Choice) -> Listing:
    """The questions that a choice is about, in its order."""
    board = snapshot.scoreboard(facet.variant, facet.judge)
    columns = board.columns(choice.model)
    there = board.asked_of(columns)
    mean = board.mean(choice.model)
    if choice.domain is not None:
        there &= np.array([question.domain == choice.domain for question in snapshot.source.questions], dtype=bool)
    with np.errstate(invalid="ignore"):
        if choice.low is not None:
            there &= mean * 100 >= choice.low
        if choice.high is not None:
            there &= mean * 100 <= choice.high
    if choice.state == "incomplete":
        there &= board.open[:, columns].any(axis=1)
    if choice.state == "unmet":
        unmet = _counted(snapshot, facet, choice.but(verdict=None)).filter(pl.col("met") == 0)
        there &= _at(set(unmet["question"]), len(there))
    if choice.q:
        there &= _at(snapshot.texts.holding(choice.q), len(there))
    matches = _matches(snapshot, facet, choice)
    if matches is not None:
        there &= (matches > 0) | _unanswered(snapshot, facet, choice)
    order = _ordered(np.flatnonzero(there), board, choice, mean, matches)
    return Listing(board, choice.model, tuple(map(int, order)), matches)


def _ordered(
    places: NDArray[Any], board: Scoreboard, choice: Choice, mean: NDArray[Any], matches: NDArray[Any] | None
) -> NDArray[Any]:
    name, largest_first = choice.sorted_by
    keys = {
        "place": np.arange(len(mean), dtype=float),
        "score": mean,
        "spread": board.spread(choice.model),
        "disagreement": board.disagreement,
        "missing": board.missing,
        "contradicts": board.contradicts,
        "matches": np.zeros(len(mean)) if matches is None else matches.astype(float),
    }
    key = keys[name][places]
    return places[np.argsort(-key if largest_first else key, kind="stable")]  # NaN comes last either way


def _matches(snapshot: Snapshot, facet: Facet, choice: Choice) -> NDArray[Any] | None:
    """By question how many verdicts fit what is asked of verdicts; None where nothing is."""
    if not (choice.verdict or choice.tier or choice.kind or choice.state in ("doubtful", "failed")):
        return None
    counted = snapshot.cells.frame.lazy().filter(wanted(snapshot, facet, choice)).group_by("question").len().collect()
    found = np.zeros(len(snapshot.source.questions), dtype=np.int64)
    found[counted["question"].to_numpy()] = counted["len"].to_numpy()
    return found


def wanted(snapshot: Snapshot, facet: Facet, choice: Choice) -> pl.Expr:
    """Which cells fit a choice, as far as it is about verdicts."""
    cells, column = snapshot.cells, pl.col
    fits = [column("variant") == _code(facet.variant, cells.variants)]
    if facet.judge not in (PANEL, CONSENSUS):
        fits.append(column("judge") == _code(facet.judge, cells.judges))
    if choice.model:
        fits.append(column("model").is_in([_code(model, cells.models) for model in choice.model]))
    if choice.verdict:
        fits.append(column("verdict") == list(VERDICTS).index(Verdict(choice.verdict)))
    if choice.tier:
        fits.append(column("tier") == list(map(str, TIERS)).index(choice.tier))
    if choice.kind:
        fits.append(column("kind") == _code(choice.kind, cells.kinds))
    if choice.state in ("doubtful", "failed"):
        fits.append(column(choice.state))
    return pl.all_horizontal(fits)


def _code(name: str, names: Sequence[str]) -> int:
    """A name's place; of one that no verdict has, a place that none has."""
    return names.index(name) if name in names else len(names)


def _unanswered(snapshot: Snapshot, facet: Facet, choice: Choice) -> Mask:
    """Where a model failed to answer, if that is asked for."""
    sought = choice.state == "failed" and not (choice.verdict or choice.tier or choice.kind)
    places = {
        snapshot.places[response.question_id]
        for response in (snapshot.unanswered if sought else ())
        if response.variant == facet.variant and (not choice.model or response.model in choice.model)
    }
    return _at(places, len(snapshot.source.questions))


def _at(places: set[int], n: int) -> Mask:
    mask = np.zeros(n, dtype=bool)
    mask[list(places)] = True
    return mask


def missed_checks(snapshot: Snapshot, facet: Facet, choice: Choice) -> Missed:
    """The checks that most verdicts call missing or contradicted, among those of a choice; a page of them.

    Of equals those with more verdicts come first, then the more important tier, then the benchmark's order.
    """
    questions = list(listing(snapshot, facet, choice).order)
    counted = _counted(snapshot, facet, choice.but(verdict=None)).filter(pl.col("question").is_in(questions))
    unmet = counted.filter(pl.col("met") == 0)
    among = unmet if choice.state == "unmet" else counted
    found = (
        among.with_columns(missed=_sought(choice) / pl.col("n"))
        .filter(pl.col("missed") > 0)
        .sort("missed", "n", "tier", "check", descending=[True, True, False, False])
    )
    page = found[(choice.page - 1) * MISSED_PAGE : choice.page * MISSED_PAGE]
    rows = tuple(_missed_check(snapshot, **row) for row in page.iter_rows(named=True))
    return Missed(rows, len(found), len(unmet), len(counted))


def _counted(snapshot: Snapshot, facet: Facet, choice: Choice) -> pl.DataFrame:
    """By check how many verdicts there are, and how many of each kind."""
    kinds = {"met": Verdict.MEETS, "missing": Verdict.MISSING, "contradicts": Verdict.CONTRADICTS}
    sums = {name: (pl.col("verdict") == list(VERDICTS).index(kind)).sum() for name, kind in kinds.items()}
    fitting = snapshot.cells.frame.lazy().filter(wanted(snapshot, facet, choice) & pl.col("verdict").is_not_null())
    return fitting.group_by("check", "question", "tier").agg(n=pl.len(), **sums).collect()


def _missed_check(
    snapshot: Snapshot, *, check: int, question: int, n: int, met: int, missing: int, contradicts: int, **_: Any
) -> MissedCheck:
    shown = snapshot.source.questions[question], snapshot.source.checks[check]
    return MissedCheck(*shown, n, missing / n, contradicts / n, unmet=met == 0)


def _sought(choice: Choice) -> pl.Expr:
    if choice.verdict in (Verdict.MISSING, Verdict.CONTRADICTS):
        return pl.col(choice.verdict)
    return pl.col("missing") + pl.col("contradicts")
