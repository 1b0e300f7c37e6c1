"""Reading YAML 1.2 with the place of every value, strictly: texts are texts, keys come once."""

from __future__ import annotations

import math
import re
from datetime import date
from pathlib import Path as FilePath
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from gamut_eval.benchmark.yaml_errors import why_not_yaml
from gamut_eval.errors import Finding, InputError, Path
from gamut_eval.files import read_text

Places = dict[Path, tuple[int, int]]
_TAG = "tag:yaml.org,2002:"
_MAX_VALUES = 500_000
_MAX_REPEATED = 10_000_000
_OTHER_VERSION = re.compile(r"^%YAML(?! 1\.2\b).*", re.MULTILINE)


def read_yaml(path: FilePath) -> tuple[Any, Places, dict[Path, str]]:
    """The file's data; the line and column (from 1) of every value; numbers, dates and
    booleans as spelled.

    Raises
    ------
    InputError
        Not YAML, several documents, a key that comes twice, an unknown tag, an endless alias.
    """
    text = read_text(path)
    _refuse_other_readings(text, str(path))
    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False  # setting an anchor anew is allowed, and nothing to print about
    try:
        root = yaml.compose(text)
    except ReaderError as error:
        at = text.count("\n", 0, error.position) + 1
        message = f"the character U+{error.character:04X} is not allowed in YAML; remove it"
        raise InputError([Finding("syntax", message, file=str(path), line=at)]) from None
    except MarkedYAMLError as error:
        reason, line, column = why_not_yaml(error, text)
        found = Finding("syntax", f"not valid YAML: {reason}", file=str(path), line=line, column=column)
        raise InputError([found]) from None
    except (YAMLError, ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error).strip()
        message = " ".join(reason.replace("\n", " ").split())
        raise InputError([Finding("syntax", f"not valid YAML: {message}", file=str(path))]) from None
    if root is None:
        raise InputError([Finding("syntax", "the file is empty", file=str(path), line=1)])
    reader = _Reader(path, len(text) + _MAX_REPEATED)
    try:
        return reader.value(root, ()), reader.places, reader.spelled
    except RecursionError:
        raise InputError([Finding("syntax", "nested too deeply", file=str(path))]) from None


def _refuse_other_readings(text: str, file: str) -> None:
    """What the parser would read by the rules of YAML 1.1, and so turn into something else."""
    if found := _OTHER_VERSION.search(text):
        message = f"files are read as YAML 1.2; remove the line {found.group().strip()!r}"
        at = found.start()
    elif "\x85" in text:
        message = "the character U+0085 is a line break to some and a letter to others; remove it"
        at = text.index("\x85")
    else:
        return
    raise InputError([Finding("syntax", message, file=file, line=text.count("\n", 0, at) + 1)])


class _Reader:
    """Turns nodes into plain data and remembers where each value stood."""

    def __init__(self, path: FilePath, room: int) -> None:
        self.file = str(path)
        self._room = room
        self.places: Places = {}
        self.spelled: dict[Path, str] = {}
        self._open: set[int] = set()

    def value(self, node: Node, path: Path) -> Any:
        self.places[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if len(self.places) > _MAX_VALUES:
            self._refuse(node, f"more than {_MAX_VALUES:,} values (aliases that multiply?)")
        if isinstance(node, ScalarNode):
            self._room -= len(node.value)
            if self._room < 0:
                self._refuse(node, f"aliases repeat more than {_MAX_REPEATED:,} characters; write the texts out")
            return self._scalar(node, path)
        if id(node) in self._open:
            self._refuse(node, "an alias holds itself")
        self._open.add(id(node))
        data = self._collection(node, path)
        self._open.discard(id(node))
        return data

    def _collection(self, node: Node, path: Path) -> Any:
        if isinstance(node, SequenceNode) and node.tag == f"{_TAG}seq":
            return [self.value(child, (*path, place)) for place, child in enumerate(node.value)]
        if not isinstance(node, MappingNode) or node.tag != f"{_TAG}map":
            self._refuse(node, f"the tag {node.tag!r} is not known here; remove it")
        data: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, child in node.value:
            key = self._key(key_node)
            line = key_node.start_mark.line + 1
            if key in lines:
                self._refuse(
                    key_node, f"the key {key!r} comes twice; it is first on line {lines[key]}", "duplicate-key"
                )
            lines[key] = line
            data[key] = self.value(child, (*path, key))
            if data[key] is None or isinstance(child, MappingNode | SequenceNode):
                self.places[(*path, key)] = (line, key_node.start_mark.column + 1)
        return data

    def _key(self, node: Node) -> str:
        if not isinstance(node, ScalarNode) or node.tag not in (f"{_TAG}str",):
            self._refuse(node, "keys must be texts; quote this one")
        return self._text(node)

    def _text(self, node: ScalarNode) -> str:
        """The node's text, where the two halves that JSON may write a character in are one again."""
        try:
            return str(node.value).encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            self._refuse(node, "holds one half of a surrogate pair, which is no character; remove it")

    def _scalar(self, node: ScalarNode, path: Path) -> Any:
        kind = str(node.tag).removeprefix(_TAG)
        text = self._text(node)
        if kind in ("str", "value", "merge") or (kind in ("int", "float") and "_" in text):
            return text  # YAML 1.1 alone knows '=', '<<' and 1_000
        if kind == "null" and text.lower() in ("", "~", "null"):
            return None
        if kind == "bool" and text.lower() in ("true", "false"):
            self.spelled[path] = text
            return text.lower() == "true"
        if kind in ("int", "float", "timestamp"):
            self.spelled[path] = text
            return self._plain(node, kind, text)
        self._refuse(node, f"the tag {node.tag!r} is not known here; remove it")

    def _plain(self, node: ScalarNode, kind: str, text: str) -> Any:
        try:
            if kind == "int":
                return self._whole(text)
            if kind == "timestamp":
                return date.fromisoformat(text)
            special = {".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}
            return special[text.lower()] if text.lower() in special else float(text)
        except ValueError:
            kind = "date (write it as 2026-11-30)" if kind == "timestamp" else "number that can be read"
            self._refuse(node, f"{text[:40]!r} is not a {kind}; if it is a text, quote it")

    def _whole(self, text: str) -> int:
        number = int(text, 0 if text.lstrip("+-")[:2].lower() in ("0x", "0o", "0b") else 10)
        if number.bit_length() > 63:
            raise ValueError("JSON has no room for it")
        return number

    def _refuse(self, node: Node, message: str, code: str = "syntax") -> NoReturn:
        mark = node.start_mark
        found = Finding(code, message, file=self.file, line=mark.line + 1, column=mark.column + 1)
        raise InputError([found])
