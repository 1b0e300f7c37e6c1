"""The leaderboard with its intervals, ranks and groups, which take a while to compute: made beside the pages."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass

from gamut_eval.analysis.contests import Contest, Standing, contest
from gamut_eval.analysis.source import Source
from gamut_eval.reports.ranking import Facet
from gamut_eval.scoring.score import ScoreRow

PATIENCE_S = 0.1
"""How long a page waits for them, before it is shown without."""


@dataclass(frozen=True)
class Line:
    """A model on the leaderboard; ``standing`` is None as long as it is not known."""

    row: ScoreRow
    standing: Standing | None


class Standings:
    """Contests of a source, each computed once, when it is first asked for."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._found: dict[tuple[str, str], Future[Contest]] = {}
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="standings")

    def contest(self, facet: Facet, patience_s: float = PATIENCE_S) -> Contest | None:
        """The contest of a facet; None where it takes longer than that.

        Raises
        ------
        MissingExtraError
            The intervals wanted need a package that is not installed.
        """
        try:
            return self.begin(facet).result(timeout=patience_s)
        except NotYet:
            return None

    def begin(self, facet: Facet) -> Future[Contest]:
        """Begin to compute the contest of a facet, unless that has begun."""
        key = (facet.variant, facet.judge)
        with self._lock:
            if key not in self._found:
                self._found[key] = self._pool.submit(contest, self._source, *key)
            return self._found[key]

    def lines(self, facet: Facet) -> tuple[list[Line], bool]:
        """A line a model, best first, and whether that is all there is to know."""
        found = self.contest(facet)
        known = {standing.model: standing for standing in found.standings} if found else {}
        return [Line(row, known.get(row.model)) for row in facet.rows], found is not None

    def close(self) -> None:
        """Compute nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
