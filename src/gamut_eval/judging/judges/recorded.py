"""The judge ``recorded:FILE``: verdicts that were given before, by people or by judges, from a JSONL file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from gamut_eval.errors import Finding, InputError, brief, did_you_mean
from gamut_eval.files import shown
from gamut_eval.hashing import sha256
from gamut_eval.judging.judge import Ask, Judge
from gamut_eval.records import FIRST_WORDS, Failure, Outcome, Response, VerdictRow, read_verdicts
from gamut_eval.rubric.check import Check

_MOST_NEAR = 20
"""Looking for near names among many, for many, would take hours."""


class Recorded(Judge):
    """One of the judges whose verdicts a file holds; its rows keep that judge's name."""

    def __init__(self, name: str, source: str, rows: Iterable[VerdictRow]) -> None:
        self.name = name
        self.source = source
        self.rows = {row.key: row for row in rows}

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """The hash of what was recorded, so that a changed file is read again."""
        return {"recorded": sha256([row.to_dict() for row in self.rows.values()])}

    async def judge(self, ask: Ask) -> Outcome:
        """The recorded verdict; a check without one is a failure with the code ``not_recorded``."""
        row = self.rows.get((*ask.response.key, ask.check.id, self.name, ask.repeat))
        if row is None:
            return Failure("not_recorded", f"{self.source} has no verdict of {self.name!r} for this check")
        return row.outcome

    def problems(self, responses: Sequence[Response], checks: Mapping[str, Sequence[Check]]) -> Iterator[Finding]:
        """Verdicts for unknown questions or checks, or for another text of the check or response."""
        known = {(question_id, check.id): check for question_id, several in checks.items() for check in several}
        given = {response.key: response for response in responses}
        unknown = 0
        for row in self.rows.values():
            check = known.get((row.question_id, row.check_id))
            if check is None:
                names = checks if row.question_id not in checks else [c.id for c in checks[row.question_id]]
                name = row.question_id if row.question_id not in checks else row.check_id
                what = "question" if row.question_id not in checks else f"check of {row.question_id!r}"
                unknown += 1
                near = did_you_mean(name, names) if unknown <= _MOST_NEAR else ""
                yield _finding(row, f"verdict for the unknown {what} {brief(name)}{near}")
                continue
            response = given.get(row.key[:4])
            if row.check_hash not in (None, check.hash):
                yield _finding(row, f"the verdict is for another text of the check {check.id!r}; judge it again")
            elif response and row.response_hash not in (None, response.hash):
                yield _finding(row, "the verdict is for another text of the response; judge it again")
            elif response and row.response_hash is None and FIRST_WORDS in response.more:
                yield _finding(row, "the response is cut, and the verdict has no response_hash that says it is of this")


def _finding(row: VerdictRow, message: str) -> Finding:
    return Finding("recorded", message, file=row.place.file, line=row.place.line, question_id=row.question_id)


def _make(argument: str | None) -> Sequence[Judge]:
    if not argument:
        raise InputError("the judge 'recorded' needs a file: recorded:verdicts.jsonl")
    if argument == "-":
        raise InputError("the judge 'recorded' cannot read standard input; name a file")
    rows = read_verdicts([argument])
    if not rows:
        raise InputError([Finding("empty", "holds no verdict", file=argument)])
    names = dict.fromkeys(row.judge for row in rows)
    source = shown(Path(argument).name)  # a failure's message goes into reports: no folder of ours is in it
    return [Recorded(name, source, (row for row in rows if row.judge == name)) for name in names]


JUDGE = _make
