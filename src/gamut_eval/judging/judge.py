"""What a judge is, and how a name becomes one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gamut_eval.errors import Finding, GamutError, InputError, UnknownNameError, repeated
from gamut_eval.hashing import sha256
from gamut_eval.records import Outcome, Response
from gamut_eval.registry import Registry
from gamut_eval.rubric.check import Check
from gamut_eval.scoring.counts import CONSENSUS, PANEL


@dataclass(frozen=True)
class Ask:
    """All that a judge is told: the question as it was put, the response, and one check.

    ``response.text`` is a text (never an error) and untrusted.
    """

    question: str
    response: Response
    check: Check
    repeat: int = 0


class Judge(ABC):
    """Gives one of four verdicts to one check of one response.

    Attributes
    ----------
    name
        What its rows and scores are listed under.
    workers
        How many calls it works on at once.
    checks_per_call
        How many checks of one response it is given at once.
    primes
        Whether the first call on a response should be answered before the others are made, so that
        these find what they share in a cache.
    note
        What readers of its scores should know; shown beside them.
    """

    name: str
    workers: int = 1
    checks_per_call: int = 1
    primes: bool = False
    note: str | None = None

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, Any]:
        """Everything that can change its verdicts: versions, prompt, sampling. Plain data.

        It goes into every verdict's key, so that a changed judge is asked again.
        """

    @abstractmethod
    async def judge(self, ask: Ask) -> Outcome:
        """The verdict, or the failure that stands in its place. Raises nothing it can foresee."""

    async def judge_all(self, asks: Sequence[Ask]) -> Sequence[Outcome]:
        """The outcomes for up to ``checks_per_call`` checks of one response, in their order."""
        return [await self.judge(ask) for ask in asks]

    def problems(self, responses: Sequence[Response], checks: Mapping[str, Sequence[Check]]) -> Iterator[Finding]:
        """What in the judge's own input does not fit these responses and checks (by question id)."""
        yield from ()


JudgeMaker = Callable[[str | None], Judge | Sequence[Judge]] | type[Judge]
"""What a file in ``judges/`` has as ``JUDGE``: a judge's class, or a function from what stands after the name's colon
(None where nothing does) to a judge or several."""

REGISTRY: Registry[JudgeMaker] = Registry("judge", "gamut_eval.judging.judges", "JUDGE")


def fingerprint(judge: Judge) -> str:
    """SHA-256 of the judge's name and settings."""
    return sha256({"judge": judge.name, "settings": dict(judge.settings)})


def make_judges(given: Iterable[str | Judge], of_provider: Callable[[str], Judge] | None = None) -> list[Judge]:
    """Judges from names, objects, or a mixture. A recorded file may hold several.

    Parameters
    ----------
    given
        ``provider/model``, the name of a judge without a model with what it takes after a colon, or a
        `Judge`.
    of_provider
        Makes a judge from ``provider/model``; by default one with default options.

    Raises
    ------
    UnknownNameError
        With near matches.
    InputError
        No judge, two judges of one name, or one called like the rows that several make.
    """
    judges = [
        judge for item in given for judge in (_named(item, of_provider) if isinstance(item, str) else [_sound(item)])
    ]
    if not judges:
        raise InputError("no judge is named")
    if (twice := repeated(judge.name for judge in judges)) is not None:
        message = "leave one out, or give the 'judge' field of recorded rows another name"
        raise InputError(f"two judges are called {twice!r}; {message}")
    for judge in judges:
        if judge.name in (PANEL, CONSENSUS):
            raise InputError(f"a judge is called {judge.name!r}, as the row of several judges is; give it another name")
    return judges


def _named(given: str, of_provider: Callable[[str], Judge] | None) -> Sequence[Judge]:
    name, _, argument = given.partition(":")
    if "/" in name:
        from gamut_eval.judging.models import model_judge

        return [(of_provider or model_judge)(given)]
    if name not in REGISTRY.names():
        raise UnknownNameError("judge", name, REGISTRY.names(), "one that is a model is written provider/model")
    maker = REGISTRY.get(name)
    try:
        made = maker() if isinstance(maker, type) else maker(argument or None)
        judges = [made] if isinstance(made, Judge) else list(made)
        return [_sound(judge) for judge in judges]
    except GamutError:
        raise
    except Exception as error:
        if REGISTRY.is_outside(name):
            raise InputError(REGISTRY.fault(name, error)) from error
        raise


def _sound(judge: object) -> Judge:
    """The judge, if it is one; a class or half a judge is refused."""
    if isinstance(judge, type):
        raise InputError(f"{judge.__name__} is a class; give a judge made of it: {judge.__name__}()")
    if not isinstance(judge, Judge):
        raise InputError(f"{judge!r} is no judge: neither a name nor a Judge")
    if not isinstance(getattr(judge, "name", None), str) or not judge.name.strip():
        raise InputError(f"the judge {type(judge).__name__} has no name; give its class one: name = '…'")
    return judge
