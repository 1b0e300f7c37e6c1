"""Writing a benchmark: JSONL, Parquet, CSV of checks, or a folder of YAML that people like to read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any

import orjson

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import MANIFEST, BenchmarkFile
from gamut_eval.benchmark.question import Question
from gamut_eval.errors import Finding, InputError
from gamut_eval.files import native, reading, why, write_bytes, writing

QUESTIONS = "questions"
_FIRST, _LAST = ("id", "type", "tier"), ("statement", "items", "options", "evidence")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def question_row(question: Question) -> dict[str, Any]:
    """A question as plain data with the fields of its file, in their usual order, without defaults.

    Options and steps are mappings throughout; dates are dates.
    """
    row = _plain(question.model_dump(exclude_defaults=True))
    rubric = row["rubric"]
    for field in ("items", "insights"):
        if field in rubric:
            rubric[field] = [_arranged(item) for item in rubric[field]]
    return dict(row)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(field) for name, field in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value.value if isinstance(value, Enum) else value


def _arranged(item: dict[str, Any]) -> dict[str, Any]:
    between = [name for name in item if name not in (*_FIRST, *_LAST)]
    return {name: _last_evidence(item[name]) for name in (*_FIRST, *between, *_LAST) if name in item}


def _last_evidence(value: Any) -> Any:
    """Options and steps, each with its evidence at the end."""
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        return value
    return [{name: part[name] for name in sorted(part, key=lambda name: name == "evidence")} for part in value]


def write_jsonl(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a JSON object a line; ``-`` is standard output."""
    with writing(path) as stream:
        for row in rows:
            stream.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))


def write_csv(path: str | Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Write these columns of the rows for a spreadsheet; lists become texts with a space between.

    A cell that a spreadsheet would take for a formula (it starts with ``=``, ``+``, ``-``, ``@``, a
    tab or a carriage return) gets an apostrophe in front.
    """
    text = io.StringIO(newline="")
    table = csv.writer(text)
    table.writerow(columns)
    table.writerows([csv_cell(row.get(column)) for column in columns] for row in rows)
    write_bytes(path, text.getvalue().encode())


def csv_cell(value: Any) -> str:
    """A value as `write_csv` has it; a number stays one, with its sign.

    >>> csv_cell("=1+1"), csv_cell(-0.5), csv_cell(None)
    ("'=1+1", '-0.5', '')
    """
    text = " ".join(value) if isinstance(value, list) else "" if value is None else str(value)
    is_number = isinstance(value, int | float)
    return f"'{text}" if text.startswith(_FORMULA) and not is_number else text


def write_folder(benchmark: Benchmark, folder: Path, images: Path | None = None) -> int:
    """Write ``benchmark.yaml`` and one YAML file a question into a new or empty folder.

    Parameters
    ----------
    benchmark
        What to write. Its questions keep their order: where ids alone would not, file names start
        with a number.
    folder
        Made if need be.
    images
        The folder that image paths start from; the images are copied from there. Without it they
        are not copied.

    Returns
    -------
    How many images were copied.

    Raises
    ------
    InputError
        The folder is not empty, or something cannot be read or written.
    """
    refuse_taken(folder)
    copied = copy_images(benchmark.questions, images, folder) if images else 0
    for name, question in zip(_file_names(benchmark.questions), benchmark.questions, strict=True):
        write_bytes(folder / QUESTIONS / name, yaml_text(_shortened(question_row(question))).encode())
    write_manifest(benchmark, folder, f"{QUESTIONS}/")
    return copied


def write_manifest(benchmark: Benchmark, folder: Path, questions: str) -> None:
    """Write the folder's ``benchmark.yaml``, which says where in it the questions are."""
    write_bytes(folder / MANIFEST, yaml_text(_manifest(benchmark, questions)).encode())


def refuse_taken(folder: Path) -> None:
    """Raise an `InputError` if the folder is there and holds something."""
    try:
        taken = folder.exists() and any(folder.iterdir())
    except OSError as error:
        raise InputError([Finding("unwritable", why(error), file=str(folder))]) from None
    if taken:
        message = "is not empty; nothing was written, name a new folder"
        raise InputError([Finding("unwritable", message, file=str(folder))])


def _manifest(benchmark: Benchmark, questions: str) -> dict[str, Any]:
    constants = {"scoring": benchmark.scoring, "compile": benchmark.compile}
    settings = {name: one.model_dump(exclude_defaults=True, by_alias=True) for name, one in constants.items()}
    described = {name: getattr(benchmark, name) for name in ("name", "version", "license", "description")}
    row: dict[str, Any] = {**described, "questions": questions, **settings}
    return {name: row[name] for name in BenchmarkFile.model_fields if row.get(name)}


def _file_names(questions: Sequence[Question]) -> list[str]:
    """File names that sort in the questions' order, on file systems that mind capitals and on others."""
    names = [f"{question.id}.yaml" for question in questions]
    lower = [name.lower() for name in names]
    if names == sorted(names) and lower == sorted(set(lower)):
        return names
    digits = len(str(len(names)))
    return [f"{place:0{digits}}-{name}" for place, name in enumerate(names, 1)]


def copy_images(questions: Iterable[Question], source: Path, folder: Path) -> int:
    """Copy the image files of the questions from one folder to another; how many there were."""
    paths = dict.fromkeys(native(q.image.path) for q in questions if q.image and not q.image.package)
    for path in paths:
        with reading(source / path) as stream:
            write_bytes(folder / path, stream.read())
    return len(paths)


def _shortened(row: dict[str, Any]) -> dict[str, Any]:
    """Options and steps that have only a text, as that text."""
    rubric = row["rubric"]
    items = [{name: _bare(value) for name, value in item.items()} for item in rubric.get("items", ())]
    return row | {"rubric": rubric | ({"items": items} if items else {})}


def _bare(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [part["text"] if isinstance(part, dict) and set(part) == {"text"} else part for part in value]


# --- YAML ------------------------------------------------------------------------------------
# Written by hand, because its reader takes every text for what it says, and dumpers for YAML fold
# texts, quote dates and break lines in ways that do not read back the same.

_WIDTH = 110
_APART = ("items", "insights")
_ONE_A_LINE = ("options", "steps")
_SPECIAL = re.compile("[^\\x20-\\x7e\\xa0-\\u2027\\u202a-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\U00010000-\\U0010ffff]")
_OTHER = re.compile(
    r"~|null|true|false|yes|no|on|off|y|n|<<|[-+.]*[0-9][0-9a-f_,:.ox+\-tz ]*|[-+]?\.(inf|nan)", re.IGNORECASE
)
_BREAK = re.compile(r"(?<=[^ ]) (?=[^ ])")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def yaml_text(data: Mapping[str, Any]) -> str:
    """Plain data (mappings, lists, texts, numbers, booleans, dates) as YAML that reads back the same.

    >>> print(yaml_text({"id": "010", "steps": ["wash", "dry"], "evidence": ["e1", "e2"]}), end="")
    id: "010"
    steps:
      - wash
      - dry
    evidence: [e1, e2]
    """
    return "\n".join(_mapping(data, 0)).rstrip("\n") + "\n"


def _mapping(data: Mapping[str, Any], indent: int) -> Iterator[str]:
    for key, value in data.items():
        yield from _entry(f"{' ' * indent}{key}:", key, value, indent)


def _entry(head: str, key: str, value: Any, indent: int) -> Iterator[str]:
    if isinstance(value, dict) and value:
        yield head
        yield from _mapping(value, indent + 2)
    elif isinstance(value, list | dict):
        yield from _list(head, key, value, indent)
    elif isinstance(value, str):
        yield from _text(head, value, indent + 2)
    else:
        yield f"{head} {_number(value)}"


def _list(head: str, key: str, value: Any, indent: int) -> Iterator[str]:
    if (short := _flow(key, value)) is not None and len(head) + len(short) < _WIDTH:
        yield f"{head} {short}"
        return
    yield head
    for member in value:
        yield from _member(member, indent + 2)
        if key in _APART and isinstance(member, dict):
            yield ""


def _member(value: Any, indent: int) -> Iterator[str]:
    dash = f"{' ' * indent}-"
    if isinstance(value, dict) and value:
        first, *rest = _mapping(value, indent + 2)
        yield f"{dash} {first.lstrip(' ')}"
        yield from rest
    else:
        yield from _entry(dash, "", value, indent)


def _flow(key: str, value: Any) -> str | None:
    """A list of texts on one line; None where that would not do."""
    if not value:
        return "[]" if isinstance(value, list) else "{}"
    if key in _ONE_A_LINE or not all(isinstance(one, str) for one in value):
        return None
    return f"[{', '.join(one if _is_plain(one, ',[]{}:') else _quoted(one) for one in value)}]"


def _text(head: str, text: str, indent: int) -> Iterator[str]:
    """A text after its key: on the line, or in a block below it."""
    special = bool(_SPECIAL.search(text.replace("\n", "")))
    lines = text.split("\n")
    block = not special and text[:1].strip() and all(not line or line.strip(" ") for line in lines) and lines[-1]
    inline = f"{head} {_inline(text)}"
    if block and len(lines) > 1:
        yield f"{head} |-"
        yield from (f"{' ' * indent}{line}" if line else "" for line in lines)
    elif len(inline) <= _WIDTH or not _BREAK.search(text) or text != text.strip(" "):
        yield inline
    elif block:
        yield f"{head} >-"
        yield from _folded("", text, indent)
    else:
        yield from _folded(f"{head} ", _inline(text), indent)


def _folded(head: str, text: str, indent: int) -> Iterator[str]:
    """Lines of the text, which a reader joins with the single spaces at which they were broken."""
    margin = " " * indent
    line = head
    for place, word in enumerate(_BREAK.split(text)):
        if place and len(line) + len(word) >= _WIDTH:
            yield line
            line = margin + word
        else:
            line = f"{line} {word}" if place else (line or margin) + word
    yield line


def _inline(text: str) -> str:
    return text if _is_plain(text) else _quoted(text)


def _quoted(text: str) -> str:
    if not _SPECIAL.search(text) and ('"' in text or "\\" in text):
        return f"'{text.replace(chr(39), chr(39) * 2)}'"
    return '"' + "".join(_ESCAPES.get(char) or _escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if not _SPECIAL.match(char):
        return char
    return f"\\x{ord(char):02x}" if ord(char) <= 0xFF else f"\\u{ord(char):04x}"


def _is_plain(text: str, refused: str = "") -> bool:
    """Whether the text needs no quotes, in any version of YAML."""
    if not text or _SPECIAL.search(text) or _OTHER.fullmatch(text) or text != text.strip():
        return False
    if text[0] in "-?:,[]{}#&*!|>'\"%@`=." or text[-1] == ":" or any(mark in text for mark in (": ", " #")):
        return False
    return not any(char in refused for char in text)


def _number(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else repr(value)
