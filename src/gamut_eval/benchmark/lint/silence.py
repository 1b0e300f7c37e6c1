"""``# gamut: ignore CODE``: how an author says that a finding is wrong, without a change of the format."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from gamut_eval.errors import Finding, Path, did_you_mean

_COMMENT = re.compile(r"(?:^|\s)#\s*gamut:\s*ignore\b(.*)$")
_CODE = re.compile(r"[A-Za-z][\w-]*")


@dataclass
class Silence:
    """The ignore comments of one YAML file: what each silences, and which of them did.

    A comment at the end of a line counts for the value that starts on the line, and for all that
    is in it; one on a line of its own counts for the next line.
    """

    file: str
    _codes: dict[int, list[tuple[str, int]]] = field(default_factory=lambda: defaultdict(list))
    _used: set[tuple[str, int]] = field(default_factory=set)
    _empty: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, text: str, file: str) -> Silence:
        """The comments in a file's text."""
        silence = cls(file)
        if "gamut:" not in text:
            return silence
        waiting: list[tuple[str, int]] = []
        for number, line in enumerate(text.split("\n"), 1):
            found = _COMMENT.search(line.rstrip("\r"))
            here = silence._read(found.group(1), number) if found else []
            if not line.strip() or line.lstrip().startswith("#"):
                waiting += here
                continue
            if here or waiting:
                silence._codes[number] = [*waiting, *here]
            waiting = []
        return silence

    @property
    def count(self) -> int:
        """How many comments there are."""
        return len({line for entries in self._codes.values() for _, line in entries})

    def _read(self, codes: str, line: int) -> list[tuple[str, int]]:
        names = _CODE.findall(re.split(r"[#(:;–—]|\s-+\s", codes)[0])
        if not names:
            self._empty.append(line)
        return [(name, line) for name in names]

    def covers(self, finding: Finding, places: dict[Path, tuple[int, int]]) -> bool:
        """Whether a comment silences the finding; errors are never silenced."""
        if finding.severity == "error":
            return False
        lines = {places[path][0] for path in _upwards(finding.path) if path in places}
        for line in {*lines, finding.line or 0}:
            for name, written in self._codes.get(line, ()):
                if name == finding.code:
                    self._used.add((name, written))
                    return True
        return False

    def leftovers(self, known: Collection[str]) -> Iterator[Finding]:
        """Comments that name no code, an unknown one, or one that had nothing to silence."""
        for line in self._empty:
            message = "says 'gamut: ignore' without a code; name one: # gamut: ignore vague-words"
            yield Finding("unknown-ignore", message, "warning", file=self.file, line=line)
        for name, line in sorted({entry for entries in self._codes.values() for entry in entries} - self._used):
            if name not in known:
                message = f"ignores {name!r}, which is no code{did_you_mean(name, known, 'code')}"
                yield Finding("unknown-ignore", message, "warning", file=self.file, line=line)
            else:
                message = f"ignores {name!r}, but there is nothing to silence; remove the comment"
                yield Finding("unused-ignore", message, "info", file=self.file, line=line)


def _upwards(path: Path) -> Iterable[Path]:
    return (path[:end] for end in range(len(path), -1, -1))
