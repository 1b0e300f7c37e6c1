"""How far a run is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from gamut_eval.llm.ledger import Ledger
from gamut_eval.records import Failure


@dataclass
class Progress:
    """Renewed as outcomes come. ``stage`` says what of: responses, or checks; ``ledger`` has the calls.

    ``exporting``: all outcomes are there, and the files made of them are being written.
    """

    total: int = 0
    known: int = 0
    judged: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    stage: str = "checks"
    ledger: Ledger | None = None
    exporting: bool = False

    @property
    def done(self) -> int:
        """How many there are, failures included."""
        return self.known + self.judged + self.failures.total()

    def count(self, outcome: object) -> None:
        """Count one more outcome."""
        if isinstance(outcome, Failure):
            self.failures[outcome.code] += 1
        else:
            self.judged += 1

    def begin(self, stage: str) -> None:
        """Start again from nothing, with something else."""
        self.stage, self.total, self.known, self.judged = stage, 0, 0, 0
        self.failures = Counter()
