"""What is looked at: the last snapshot, and a new one once commands have written more into the runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Self

from gamut_eval.errors import GamutError
from gamut_eval.web.view.choice import Choice
from gamut_eval.web.view.listing import Listing, listing
from gamut_eval.web.view.snapshot import Snapshot, Tell, snapshot
from gamut_eval.web.view.standings import Standings

if TYPE_CHECKING:
    from gamut_eval.run import Run

OpenRuns = Callable[[], Mapping[str, "Run"]]
_REST = 5.0
"""A refresh begins only after so many times as long as the last one took."""


@dataclass(eq=False)
class View:
    """A snapshot with all that is made of it when it is asked for."""

    snapshot: Snapshot
    standings: Standings
    states: Mapping[str, int]

    def __post_init__(self) -> None:
        self._listings = lru_cache(maxsize=32)(self._listing)

    def listing(self, choice: Choice) -> Listing | None:
        """The questions of a choice; None where there is no such variant and judge."""
        return self._listings(choice.filtered, self.snapshot.texts.n if choice.q else 0)

    def _listing(self, choice: Choice, _: int) -> Listing | None:
        facet = self.snapshot.facet(choice)
        return None if facet is None else listing(self.snapshot, facet, choice)

    @property
    def changed(self) -> bool:
        """Whether a command has written into one of the runs since."""
        return any(part.run.state != self.states[part.name] for part in self.snapshot.parts)

    def close(self) -> None:
        """Let go of the runs."""
        self.standings.close()
        self.snapshot.close()


class Viewing:
    """The runs that are viewed.

    Parameters
    ----------
    open_runs
        Opens the runs, by name; called again where they have changed, since each snapshot has connections of its own.
    root
        The folder that image paths start from; None for the one that the runs name.
    allow_incomplete
        See `snapshot`.
    tell
        Is told what is being done at first.

    Raises
    ------
    GamutError
        A run cannot be read.
    """

    def __init__(
        self,
        open_runs: OpenRuns,
        *,
        root: Path | None = None,
        allow_incomplete: bool = False,
        tell: Tell = lambda _: None,
    ) -> None:
        self._open_runs, self._allow_incomplete = open_runs, allow_incomplete
        self.trouble: str | None = None
        self._refreshing = threading.Lock()
        self._former: View | None = None
        self._took_s, self._ended_at = 0.0, 0.0
        self._view = self._load(tell)
        self.root = root or next(filter(None, (part.run.root for part in self._view.snapshot.parts)), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def look(self) -> View:
        """The last view. Where the runs have changed since, a new one is begun beside, for those who look again."""
        view = self._view
        rested = time.monotonic() - self._ended_at > _REST * self._took_s
        try:
            if rested and view.changed and self._refreshing.acquire(blocking=False):
                threading.Thread(target=self._refresh, daemon=True).start()
        except GamutError as error:
            self.trouble = str(error)
        return view

    def _refresh(self) -> None:
        try:
            view = self._load(lambda _: None)
            former, self._former, self._view = self._former, self._view, view
            self.trouble = None
            if former is not None:  # nobody has looked at that one for a whole snapshot
                former.close()
        except GamutError as error:
            self.trouble = str(error)
        finally:
            self._refreshing.release()

    def _load(self, tell: Tell) -> View:
        began = time.monotonic()
        runs = self._open_runs()
        try:
            states = {name: run.state for name, run in runs.items()}
            read = snapshot(runs, allow_incomplete=self._allow_incomplete, tell=tell)
        except BaseException:
            for run in runs.values():
                run.close()
            raise
        threading.Thread(target=_index, args=(read,), daemon=True).start()
        self._ended_at = time.monotonic()
        self._took_s = self._ended_at - began
        view = View(read, Standings(read.source), states)
        for facet in read.main[:1]:
            view.standings.begin(facet)
        return view

    def close(self) -> None:
        """Let go of the runs."""
        for view in filter(None, (self._former, self._view)):
            view.close()


def _index(read: Snapshot) -> None:
    try:
        read.index()
    except GamutError:  # the pages that read the journal say what is wrong with it
        return
