"""What became of every check in every model's answers: one outcome a check and model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from gamut_eval.analysis.source import Source
from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.reports.ranking import Facet
from gamut_eval.reports.views import NOT_JUDGED, effective_verdicts
from gamut_eval.rubric.check import Check
from gamut_eval.scoring.counts import PANEL

NO_ANSWER = "no_answer"
MISSED = (Verdict.MISSING, Verdict.CONTRADICTS)
_CELL = ["question_id", "check_id", "model"]
Tally = dict[str | None, int]


@dataclass(frozen=True)
class Fate:
    """A check with its outcome for each model: a verdict, `NOT_JUDGED` or `NO_ANSWER`."""

    check: Check
    outcomes: dict[str, str]

    @property
    def missed_by(self) -> list[str]:
        """The models whose answers leave it out or contradict it."""
        return [model for model, outcome in self.outcomes.items() if outcome in MISSED]

    @property
    def flawed(self) -> bool:
        """Whether any model is known to do less than meet it."""
        return any(outcome in VERDICTS and outcome != Verdict.MEETS for outcome in self.outcomes.values())


def facet_verdicts(source: Source, facet: Facet) -> pl.DataFrame:
    """The verdicts that a facet's scores rest on; the panel's are those of all judges."""
    given = effective_verdicts(source).filter(pl.col("variant") == facet.variant)
    return given if facet.judge == PANEL else given.filter(pl.col("judge") == facet.judge)


def fates(source: Source, facet: Facet, given: pl.DataFrame) -> Iterator[Fate]:
    """Every check that was asked of any model, in the benchmark's order.

    Of several verdicts (samples, repeats, judges) the most frequent is the outcome, the worse of equals.
    """
    wanted = _wanted(source, facet)
    tallies: dict[tuple[str, str, str], Tally] = defaultdict(dict)
    for *cell, verdict, n in given.group_by(*_CELL, "verdict").len().iter_rows():
        tallies[cell[0], cell[1], cell[2]][verdict] = n
    models = [row.model for row in facet.rows]
    for check in source.checks:
        outcomes = {
            model: outcome(tallies.get((check.question_id, check.id, model), {}), wanted[check.question_id, model])
            for model in models
            if (check.question_id, model) in wanted
        }
        if outcomes:
            yield Fate(check, outcomes)


def outcome(tally: Tally, wanted: int) -> str:
    """One outcome for the verdicts on a check, ``wanted`` being how many there are to be.

    >>> outcome({"meets": 2, "missing": 1}, 3), outcome({"meets": 1, "missing": 1}, 2), outcome({"meets": 1}, 2)
    ('meets', 'missing', 'not_judged')
    """
    if not wanted:
        return NO_ANSWER
    if sum(n for verdict, n in tally.items() if verdict is not None) < wanted:
        return NOT_JUDGED
    return max(reversed(VERDICTS), key=lambda verdict: tally.get(verdict, 0)).value


def _wanted(source: Source, facet: Facet) -> dict[tuple[str, str], int]:
    """How many verdicts on each of its checks an answer is to have, by question and model; 0 without an answer."""
    asked = source.scores.questions.filter(pl.col("variant") == facet.variant, pl.col("judge") == facet.judge)
    wanted = dict.fromkeys(asked.select("question_id", "model").iter_rows(), 0)
    repeats = _repeats(source, facet)
    for response in source.responses:
        place = (response.question_id, response.model)
        if response.variant == facet.variant and response.answered and place in wanted:
            wanted[place] += repeats[response.model]
    return wanted


def _repeats(source: Source, facet: Facet) -> dict[str, int]:
    repeats: dict[str, int] = defaultdict(int)
    for model, variant, judge, n in source.asked:
        if variant == facet.variant and facet.judge in (judge, PANEL):
            repeats[model] += n
    return repeats


def kind_shares(given: pl.DataFrame, checks: Sequence[Check]) -> dict[tuple[str, str, str], float]:
    """Each verdict's share of the verdicts given, by kind of check, model and verdict."""
    kinds = pl.DataFrame(
        [(check.question_id, check.id, check.kind) for check in checks],
        schema=["question_id", "check_id", "kind"],
        orient="row",
    )
    judged = given.filter(pl.col("verdict").is_not_null()).join(kinds, on=["question_id", "check_id"])
    shares = judged.group_by("kind", "model").agg((pl.col("verdict") == str(v)).mean().alias(str(v)) for v in VERDICTS)
    return {(row["kind"], row["model"], v): row[v] for row in shares.iter_rows(named=True) for v in VERDICTS}
