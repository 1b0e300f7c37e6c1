"""Reading and writing files: always UTF-8, written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import sys
import tempfile
import threading
import weakref
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from gamut_eval.errors import Finding, InputError

BOM = b"\xef\xbb\xbf"
_HALVES = re.compile("[\ud800-\udfff]")
_KEY = re.compile(rb'"\s*:')
_ARRAY = re.compile(rb"\s*\[\s*(?:\{|$)")
_UNFINISHED = re.compile(rb"\s*\{(?:\s*|.*[{\[,]\s*)$", re.DOTALL)
_OTHER_FORMATS = {
    b"PAR1": "this is a Parquet file; responses and verdicts are read from JSONL, questions also from a .parquet file",
    b"\x1f\x8b": "this is a gzip file; unpack it first",
    b"PK\x03\x04": "this is a zip file; unpack it first",
}


def read_bytes(path: str | Path) -> bytes:
    """The whole of a file (``-`` is standard input) without its byte-order mark."""
    with reading(path) as stream:
        return stream.read().removeprefix(BOM)


def read_text(path: str | Path) -> str:
    """The whole of a UTF-8 file; a byte that is not UTF-8 is named by its line."""
    raw = read_bytes(path)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise InputError([Finding("encoding", message, file=str(path), line=line)]) from None


@contextlib.contextmanager
def reading(path: str | Path) -> Iterator[BinaryIO]:
    """A file opened for reading bytes; whatever the system refuses is an `InputError`."""
    try:
        if str(path) == "-":
            yield sys.stdin.buffer
            return
        with open(path, "rb") as stream:
            yield stream
    except OSError as error:
        raise InputError([Finding("unreadable", why(error), file=str(path))]) from None


def ordinary(path: Path) -> Path:
    """The path of a file that belongs to a folder: a pipe or a device there might never end.

    Raises
    ------
    InputError
        It is one.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        message = "is a pipe or a device, not a file; take it out of the folder"
        raise InputError([Finding("unreadable", message, file=str(path))])
    return path


def native(name: str) -> str:
    """A path that a UTF-8 file gives, as the system takes it whatever the locale's encoding."""
    return os.fsdecode(name.encode())


def told(word: str) -> str:
    """A word of the command line as text, whatever the locale's encoding: the way back from `native`.

    Raises
    ------
    InputError
        It is not UTF-8.
    """
    if word.isascii() or not _HALVES.search(word):
        return word
    try:
        return os.fsencode(word).decode()
    except UnicodeError:
        message = f"{word.encode(errors='backslashreplace').decode()} is not UTF-8; write it in UTF-8"
        raise InputError(message) from None


def shown(path: str | Path) -> str:
    """A path as text, whatever the locale's encoding; bytes that are not UTF-8 as codes."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def why(error: OSError) -> str:
    """The system's reason, in words that say what to do about it."""
    remedies = {
        errno.ENOENT: "no such file or folder; check the path",
        errno.EACCES: "permission denied; check who owns it",
        errno.EISDIR: "is a folder where a file is expected",
        errno.EEXIST: "a part of the path is a file, not a folder",
        errno.ENOTDIR: "a part of the path is a file, not a folder",
        errno.ENOSPC: "the disk is full; free some space and run the same command again",
        errno.EDQUOT: "the disk quota is used up; free some space and run the same command again",
        errno.EFBIG: "the file would be larger than the system allows; raise the limit or choose another place",
        errno.ENAMETOOLONG: "file name too long; shorten it",
        errno.EROFS: "the file system is read-only; choose another place",
    }
    return remedies.get(error.errno or 0, (error.strerror or str(error)).lower())


def json_rows(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    r"""Each line's number (from 1) and object of a JSONL file; blank lines are passed over.

    Strict where the JSON module is lenient: NaN, duplicate keys and lone surrogates are errors.
    Lines end at ``\n`` or ``\r\n`` only, so U+2028 inside a text is harmless.
    """
    with reading(path) as stream:
        for number, raw in enumerate(stream, 1):
            line = raw.removeprefix(BOM) if number == 1 else raw
            if line.strip():
                yield number, json_row(line, str(path), number)


def json_row(line: bytes, file: str, number: int) -> dict[str, Any]:
    """The object on one line of a JSONL file; errors are those of `json_rows`."""
    try:
        row = parse_json(line, file=file, line=number)
        if not isinstance(row, dict):
            message = "each line must be a JSON object {…}"
            raise InputError([Finding("syntax", message, file=file, line=number)])
    except InputError:
        _refuse_other_layouts(line, file, number)
        raise
    return row


class Lines:
    """A JSONL file that can be gone through once and whose lines can then be read again one by one.

    What cannot be read twice (standard input, a pipe) is kept in a temporary file meanwhile.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self._starts = array("q")
        self._lock = threading.Lock()
        self._file: BinaryIO | None = None

    def rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """As `json_rows`."""
        with reading(self.path) as stream:
            lasting = str(self.path) != "-" and os.path.isfile(self.path)
            self._file = open(self.path, "rb") if lasting else tempfile.TemporaryFile()  # noqa: SIM115 (closed below)
            weakref.finalize(self, self._file.close)
            start = 0
            for number, raw in enumerate(stream, 1):
                if not lasting:
                    self._file.write(raw)
                self._starts.append(start)
                start += len(raw)
                line = raw.removeprefix(BOM) if number == 1 else raw
                if line.strip():
                    yield number, json_row(line, str(self.path), number)

    def row(self, number: int) -> dict[str, Any]:
        """One line again, as it is now."""
        if self._file is None:
            raise ValueError("rows() comes first")
        with self._lock:
            self._file.seek(self._starts[number - 1])
            line = self._file.readline()
        return json_row(line.removeprefix(BOM) if number == 1 else line, str(self.path), number)


def _refuse_other_layouts(line: bytes, file: str, number: int) -> None:
    """Say what a file is that is no JSONL, where a line that cannot be read tells."""
    other = next((says for start, says in _OTHER_FORMATS.items() if line.startswith(start)), "")
    if number == 1 and other:
        message = other
    elif _ARRAY.match(line):
        message = "this is one JSON array; JSONL has one object a line (jq -c '.[]' makes it so)"
    elif _UNFINISHED.match(line):
        message = "this JSON object is not closed on its line; JSONL has one object a line (jq -c . makes it so)"
    else:
        return
    raise InputError([Finding("syntax", message, file=file, line=number)]) from None


def parse_json(raw: bytes, *, file: str, line: int | None = None) -> Any:
    """Strictly parsed JSON, or an `InputError` that names the place."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        _refuse_other_encodings(raw, file, line)
        found = Finding(
            "syntax", f"not valid JSON: {error.msg}", file=file, line=line or error.lineno, column=error.colno
        )
        raise InputError([found]) from None
    try:
        # As many `":` in the text as keys in the value means that no key came twice; texts that
        # hold such a pair of characters only cause the slow look below.
        if len(_KEY.findall(raw)) != _count_keys(value):
            _refuse_duplicate_keys(raw, file, line)
    except RecursionError:
        raise InputError([Finding("syntax", "nested too deeply", file=file, line=line)]) from None
    return value


def _refuse_other_encodings(raw: bytes, file: str, line: int | None) -> None:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        message = f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8"
        at = line or raw.count(b"\n", 0, error.start) + 1
        raise InputError([Finding("syntax", message, file=file, line=at)]) from None


def _count_keys(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(_count_keys(item) for item in value.values() if isinstance(item, dict | list))
    if isinstance(value, list):
        return sum(_count_keys(item) for item in value if isinstance(item, dict | list))
    return 0


def _refuse_duplicate_keys(raw: bytes, file: str, line: int | None) -> None:
    def check(pairs: list[tuple[str, Any]]) -> None:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InputError([Finding("duplicate-key", f"the key {key!r} comes twice", file=file, line=line)])
            seen.add(key)

    json.loads(raw, object_pairs_hook=check)


def refuse_overwriting(sources: Iterable[str | Path], output: str | Path) -> None:
    """Raise an `InputError` if ``output`` is one of the files that what is written comes from."""
    if str(output) == "-" or not os.path.exists(output):
        return
    if any(os.path.exists(one) and os.path.samefile(one, output) for one in sources):
        message = "is what this reads, and would be lost; name another file with -o"
        raise InputError([Finding("unwritable", message, file=str(output))])


@contextlib.contextmanager
def writing(path: str | Path) -> Iterator[BinaryIO]:
    """A file that takes its name only once it is written whole (``-`` is standard output).

    Devices and pipes are written to as they are, and a link goes on pointing where it did.
    """
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        special = os.path.exists(path) and not os.path.isfile(path)
        with open(path, "wb") if special else _replacing(Path(os.path.realpath(path))) as stream:
            yield stream
    except OSError as error:
        raise InputError([Finding("unwritable", why(error), file=str(path))]) from None


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    temporary = path.with_name(f".{path.name[:100]}.{os.getpid()}.tmp")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(temporary, "wb") as stream:
            yield stream
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with writing(path) as stream:
        stream.write(content)


def dump_json(value: Any) -> bytes:
    """Indented JSON with a final newline; NaN cannot occur in it."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def dump_rows(rows: Iterable[dict[str, Any]]) -> bytes:
    """JSONL."""
    return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
