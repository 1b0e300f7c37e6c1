"""How sure a report is to be, and by what method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from gamut_eval.stats.bootstrap import Method


class Options(TypedDict):
    """The same as keyword arguments, which all that draws from a table of scores takes."""

    level: float
    method: Method
    replicates: int
    seed: int


@dataclass(frozen=True)
class Inference:
    """What intervals and tests are made with: the confidence ``level``, the bootstrap's ``method``, and its draws."""

    level: float = 0.95
    method: Method = "percentile"
    replicates: int = 10_000
    seed: int = 0

    @property
    def options(self) -> Options:
        """Keyword arguments of what draws from a table of scores, such as `bootstrap_means`."""
        return {"level": self.level, "method": self.method, "replicates": self.replicates, "seed": self.seed}

    @property
    def alpha(self) -> float:
        """Two models differ where the adjusted p is at most this."""
        return round(1 - self.level, 12)

    @property
    def words(self) -> str:
        """The method in words, for the note under a table."""
        draws = f"{self.replicates:,} resamples of questions, seed {self.seed}"
        return f"{self.level * 100:g}% {self.method} bootstrap, {draws}"
