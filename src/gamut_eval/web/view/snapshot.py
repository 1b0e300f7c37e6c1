"""Runs as they are at one moment: all that pages are made of but the texts, which they read where they show them."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import polars as pl

from gamut_eval.analysis.joining import Named, apart, joined
from gamut_eval.analysis.source import Source
from gamut_eval.benchmark.question import Question
from gamut_eval.records import Response
from gamut_eval.reports.ranking import Facet, facets, main_facets
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import TIERS
from gamut_eval.running.tables import VERDICT_COLUMNS
from gamut_eval.web.view.cells import Cells, cells_of
from gamut_eval.web.view.choice import Choice
from gamut_eval.web.view.scoreboard import Scoreboard, scoreboard
from gamut_eval.web.view.texts import Texts

if TYPE_CHECKING:
    from gamut_eval.run import Run

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Part:
    """One of the runs, with what its models and judges are called among the others.

    ``n_wanted`` is how many verdicts there are to be on the answers that there are, ``n_verdicts`` how many there are.
    """

    name: str
    run: Run
    models: Mapping[str, str]
    judges: Mapping[str, str]
    n_verdicts: int
    n_wanted: int
    n_failed: int

    @property
    def goes_on(self) -> bool:
        """Whether verdicts are still to come, or to be asked for again."""
        return self.n_verdicts < self.n_wanted


class Snapshot:
    """What the pages show.

    Parameters
    ----------
    source
        The runs as one, without verdicts, which ``cells`` holds.
    parts
        The runs.
    cells
        The verdicts.
    """

    def __init__(self, source: Source, parts: Sequence[Part], cells: Cells) -> None:
        self.source, self.parts, self.cells = source, tuple(parts), cells
        self.at = datetime.now().astimezone()
        self.texts = Texts()
        self.facets: dict[tuple[str, str], Facet] = {
            (facet.variant, facet.judge): facet for facet in facets(source, combined=True)
        }
        self.main = main_facets(source)
        self.scoreboard = lru_cache(maxsize=None)(self._scoreboard)
        self._stopped = threading.Event()

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each question is in the source, by id."""
        return {question.id: place for place, question in enumerate(self.source.questions)}

    @cached_property
    def checks(self) -> dict[str, list[Check]]:
        """The checks of each question, in the order of tiers."""
        found: dict[str, list[Check]] = defaultdict(list)
        for check in sorted(self.source.checks, key=lambda check: TIERS.index(check.tier)):
            found[check.question_id].append(check)
        return found

    @cached_property
    def unanswered(self) -> list[Response]:
        """The errors that stand in place of answers."""
        return [response for response in self.source.responses if not response.answered]

    @cached_property
    def known(self) -> dict[str, list[str]]:
        """The names that a `Choice` may be of."""
        return {
            "domain": sorted({question.domain for question in self.source.questions}),
            "variant": list(dict.fromkeys(variant for variant, _ in self.facets)),
            "judge": list(dict.fromkeys(judge for _, judge in self.facets)),
            "model": self.models,
            "kind": list(self.cells.kinds),
        }

    @cached_property
    def models(self) -> list[str]:
        """All models, best first."""
        return list(dict.fromkeys(row.model for facet in (*self.main, *self.facets.values()) for row in facet.rows))

    def facet(self, choice: Choice) -> Facet | None:
        """The variant and judge whose scores a page shows; None where there is none of both."""
        if not self.main:
            return None
        usual = next(
            (facet for facet in self.main if choice.variant in (None, facet.variant)),
            self.main[0],
        )
        variant = choice.variant or self._variant_of(choice.judge, usual)
        return self.facets.get((variant, choice.judge or usual.judge))

    def _variant_of(self, judge: str | None, usual: Facet) -> str:
        """The usual variant, or another one where the judge knows only that."""
        graded = [variant for variant, name in self.facets if judge in (None, name)]
        return usual.variant if usual.variant in graded or not graded else graded[0]

    def _scoreboard(self, variant: str, judge: str) -> Scoreboard:
        return scoreboard(self.source, self.facets[variant, judge])

    def question(self, question: Question, variant: str) -> Source:
        """All that is known of one question in one variant, with its texts, which are read now."""
        own = pl.col("question_id") == question.id
        scores = self.source.scores.questions.filter(own, pl.col("variant") == variant)
        responses: dict[tuple[str, str, str, int], Response] = {}
        frames = [pl.DataFrame(schema=VERDICT_COLUMNS)]
        for part in self.parts:
            theirs, verdicts = part.run.question(question.id)
            for response in theirs:
                if response.variant == variant:
                    named = response.renamed(part.models.get(response.model, response.model))
                    responses.setdefault(named.key, named)
            frames.append(
                verdicts.filter(pl.col("variant") == variant).with_columns(
                    pl.col("model").replace(dict(part.models)), pl.col("judge").replace(dict(part.judges))
                )
            )
        key = ["model", "sample", "judge", "repeat", "check_id"]
        return replace(
            self.source,
            questions=[question],
            checks=self.checks[question.id],
            responses=list(responses.values()),
            verdicts=pl.concat(frames).unique(key, keep="first", maintain_order=True),
            scores=replace(self.source.scores, questions=scores),
        )

    def index(self) -> None:
        """Read all texts, so that words can be looked for; this takes a while, and may run beside the pages."""
        for place, question in enumerate(self.source.questions):
            if self._stopped.is_set():
                return
            asked = (question.id, question.domain, question.question, question.text_only or "")
            checks = (check.text for check in self.checks[question.id])
            told = (text for part in self.parts for text in part.run.texts_of(question.id))
            self.texts.add(place, (*asked, *checks, *told))

    @property
    def indexed(self) -> bool:
        """Whether all texts have been read."""
        return self.texts.n == len(self.source.questions)

    def close(self) -> None:
        """Let go of the runs."""
        self._stopped.set()
        self.texts.close()
        for part in self.parts:
            part.run.close()


def snapshot(runs: Mapping[str, Run], *, allow_incomplete: bool = False, tell: Tell = lambda _: None) -> Snapshot:
    """Read runs as they are now.

    Parameters
    ----------
    runs
        By the names that they go by.
    allow_incomplete
        Give means over the questions that are complete for every model.
    tell
        Is told what is being done, for long runs.

    Raises
    ------
    GamutError
        A journal cannot be read, or the runs cannot be compared.
    """
    named = []
    for name, run in runs.items():
        tell(f"Reading {name} …")
        named.append(Named(name, run.outline(allow_incomplete=allow_incomplete)))
    tell("Putting together …")
    source = joined(named)
    there = apart(named)[0] if len(named) > 1 else named
    parts = [_part(runs[one.name], one, other) for one, other in zip(named, there, strict=True)]
    cells = cells_of(source)
    return Snapshot(replace(source, verdicts=source.verdicts.clear()), parts, cells)


def _part(run: Run, own: Named, there: Named) -> Part:
    pairs = list(zip(own.source.asked, there.source.asked, strict=True))
    models = {one[0]: other[0] for one, other in pairs if one[0] != other[0]}
    judges = {one[2]: other[2] for one, other in pairs if one[2] != other[2]}
    verdicts = own.source.asked_verdicts
    return Part(
        own.name,
        run,
        models,
        judges,
        int(verdicts["verdict"].count()),
        _n_wanted(own.source),
        int(verdicts["error"].count()),
    )


def _n_wanted(source: Source) -> int:
    """How many verdicts there are to be on the answers that there are."""
    n_checks: dict[str, int] = defaultdict(int)
    for check in source.checks:
        n_checks[check.question_id] += (check.question_id, check.id) not in source.derived
    repeats: dict[tuple[str, str], int] = defaultdict(int)
    for model, variant, _, n in source.asked:
        repeats[model, variant] += n
    return sum(
        n_checks[response.question_id] * repeats[response.model, response.variant]
        for response in source.responses
        if response.answered
    )
