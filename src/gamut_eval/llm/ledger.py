"""What a run's calls amount to: how many, of how many tokens, at what price, and how much is still allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field

from gamut_eval.errors import BudgetError
from gamut_eval.llm.call import Usage


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call as the journal keeps it: ``error`` is the fault's code, None for a reply.

    ``role`` is what the model was asked as: ``model`` or ``judge``. ``cost`` is in US dollars, None
    where the price is unknown. A reply from the cache has the tokens that it once took, and costs 0.
    """

    role: str
    name: str
    error: str | None
    usage: Usage
    cost: float | None
    seconds: float
    from_cache: bool
    model: str | None


@dataclass
class Spent:
    """What one model's or judge's calls amount to. ``cost`` is that of the calls whose price is known."""

    calls: int = 0
    hits: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float = 0.0
    unpriced: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)

    def add(self, record: CallRecord) -> None:
        """Count a call; a hit took no tokens now."""
        if record.model:
            self.models[record.model] += 1
        if record.from_cache:
            self.hits += 1
            return
        self.calls += 1
        self.usage += record.usage
        self.cost += record.cost or 0.0
        self.unpriced += record.cost is None
        if record.error:
            self.errors[record.error] += 1


@dataclass
class Ledger:
    """All calls of a run.

    ``max_calls`` and ``max_cost`` (US dollars) stop it; ``calls_so_far`` and ``cost_so_far`` are held against them, and
    begin with what earlier commands in the same run folder took. ``on_call`` is told each call.
    """

    max_calls: int | None = None
    max_cost: float | None = None
    on_call: Callable[[CallRecord], None] | None = None
    spent: dict[tuple[str, str], Spent] = field(default_factory=dict)
    calls_so_far: int = 0
    cost_so_far: float = 0.0
    in_flight: int = 0
    _reserved: float = 0.0
    _closed: str | None = None

    def start(self, expected: float = 0.0) -> bool:
        """A call is about to be sent, at about this cost. False: it has to wait for what those under way will cost.

        Raises
        ------
        BudgetError
            It would be one too many.
        """
        over = self._closed or self._over(expected)
        if over and self.in_flight:
            return False
        if over:
            self._closed = over  # no other call may begin while this one ends the run
            raise BudgetError(over)
        self.calls_so_far += 1
        self.in_flight += 1
        self._reserved += expected
        return True

    def _over(self, expected: float) -> str | None:
        """Which budget the call would exceed, if it costs what is expected."""
        if self.max_calls is not None and self.calls_so_far >= self.max_calls:
            return f"the budget of {self.max_calls:,} calls (--max-calls) is used up"
        if self.max_cost is not None and self.cost_so_far + self._reserved + expected > self.max_cost:
            left = self.max_cost - self.cost_so_far
            return f"of the budget of ${self.max_cost:g} (--max-cost) ${left:.4f} is left, too little for the next call"
        return None

    def cancelled(self, expected: float = 0.0) -> None:
        """A call was given up; nothing is known of it."""
        self.in_flight -= 1
        self._reserved -= expected

    def ended(self, record: CallRecord, expected: float = 0.0) -> None:
        """A call has come back, or was found in the cache."""
        if not record.from_cache:
            self.cancelled(expected)
            self.cost_so_far += record.cost or 0.0
        whose = (record.role, record.name)
        if whose not in self.spent:
            self.spent[whose] = Spent()
        self.spent[whose].add(record)
        if self.on_call:
            self.on_call(record)

    @property
    def total(self) -> Spent:
        """Everything together."""
        total = Spent()
        for one in self.spent.values():
            total.calls += one.calls
            total.hits += one.hits
            total.usage += one.usage
            total.cost += one.cost
            total.unpriced += one.unpriced
            total.errors += one.errors
        return total


LEDGER: ContextVar[Ledger] = ContextVar("ledger")
"""The ledger of the run that is under way; without one, calls are not counted."""
