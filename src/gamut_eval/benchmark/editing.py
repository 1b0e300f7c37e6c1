"""Writing an edit into a question's file; the rest of the file stays byte for byte as it was."""

from __future__ import annotations

import json
from pathlib import Path as FilePath
from typing import Any

import orjson
from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import Document
from gamut_eval.benchmark.yaml_file import read_yaml
from gamut_eval.errors import Finding, InputError, UnknownNameError
from gamut_eval.files import BOM, read_bytes, read_text, write_bytes
from gamut_eval.rubric.edits import Edit

_FORMATS = "edits can be written into .yaml and .jsonl files; 'gamut export' turns other formats into those"


def make_edit(benchmark: Benchmark, question_id: str, check_id: str, **fields: Any) -> Edit:
    """An edit of a check as the benchmark has it now, with its ``base``; ``fields`` are those of `Edit`.

    Raises
    ------
    UnknownNameError
        No such question, or no such check (unless the edit adds one).
    InputError
        The edit would add a check with a taken id.
    """
    checks = {check.id: check for check in benchmark.checks[benchmark.question(question_id).id]}
    if fields["op"] == "add":
        if check_id in checks:
            raise InputError(f"question {question_id!r} already has a check {check_id!r}; give the new one another id")
        return _parsed({"check": check_id, **fields})
    if check_id not in checks:
        raise UnknownNameError("check", check_id, checks)
    return _parsed({"check": check_id, "base": checks[check_id].base, **fields})


def _parsed(fields: dict[str, Any]) -> Edit:
    return Document(fields, "edit").parse(Edit)


def write_edit(benchmark: Benchmark, question_id: str, edit: Edit) -> FilePath:
    """Append the edit to the question's ``rubric.edits``; the file it was written to."""
    place = benchmark.places[question_id]
    file = FilePath(str(place.file))
    row = edit.model_dump(mode="json", exclude_none=True)
    if file.suffix in (".yaml", ".yml"):
        _write_yaml(file, row)
    elif file.suffix == ".jsonl":
        _write_jsonl(file, int(place.line or 0), row)
    else:
        raise InputError([Finding("unwritable", _FORMATS, file=str(file))])
    return file


def _write_jsonl(file: FilePath, line: int, row: dict[str, Any]) -> None:
    lines = read_bytes(file).split(b"\n")
    question = orjson.loads(lines[line - 1])
    rubric = question["rubric"]
    rubric["edits"] = [*(rubric.get("edits") or []), row]
    lines[line - 1] = orjson.dumps(question)
    write_bytes(file, b"\n".join(lines))


def _write_yaml(file: FilePath, row: dict[str, Any]) -> None:
    before, _, _ = read_yaml(file)
    text = read_text(file)
    newline = "\r\n" if "\r\n" in text else "\n"
    changed = _inserted(text.replace("\r\n", "\n"), row).replace("\n", newline)
    whole = BOM * file.read_bytes().startswith(BOM) + changed.encode()
    _refuse_unless_appended(before, changed, row, file)
    write_bytes(file, whole)


def _inserted(text: str, row: dict[str, Any]) -> str:
    """The text with the edit as a last block item of ``edits``, which is made where there is none."""
    lines = text.rstrip("\n").split("\n")
    rubric = _value(YAML(typ="safe", pure=True).compose(text), "rubric")
    edits = _value(rubric, "edits")
    indent = " " * rubric.value[0][0].start_mark.column
    if isinstance(edits, SequenceNode) and edits.value:
        at, dash = _last_line(edits) + 1, " " * (edits.start_mark.column)
        return "\n".join([*lines[:at], *_item(row, dash), *lines[at:]]) + "\n"
    block = [f"{indent}edits:", *_item(row, f"{indent}  ")]
    if edits is None:
        at = _last_line(rubric) + 1
        return "\n".join([*lines[:at], *block, *lines[at:]]) + "\n"
    return "\n".join([*lines[: edits.start_mark.line], *block, *lines[_last_line(edits) + 1 :]]) + "\n"


def _item(row: dict[str, Any], dash: str) -> list[str]:
    # JSON's quoting of a text is YAML's double-quoted style.
    pairs = [
        f"{name}: {value if name == 'at' else json.dumps(value, ensure_ascii=False)}" for name, value in row.items()
    ]
    return [f"{dash}- {pairs[0]}", *(f"{dash}  {pair}" for pair in pairs[1:])]


def _value(node: Node | None, key: str) -> Any:
    pairs = node.value if isinstance(node, MappingNode) else []
    return next((value for name, value in pairs if name.value == key), None)


def _last_line(node: Node) -> int:
    """The line (from 0) on which a node's last value ends; a block's own end mark is past the comments after it."""
    if isinstance(node, MappingNode | SequenceNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(node, MappingNode) else last)
    block_text = isinstance(node, ScalarNode) and node.style in ("|", ">")
    return int(node.end_mark.line) - (1 if block_text and node.end_mark.column == 0 else 0)


def _refuse_unless_appended(before: Any, changed: str, row: dict[str, Any], file: FilePath) -> None:
    """Read what is about to be written: it must be the file as it was, and the edit."""
    rubric = before["rubric"]
    wanted = {**before, "rubric": {**rubric, "edits": [*(rubric.get("edits") or []), row]}}
    plain = YAML(typ="safe", pure=True).load(changed)
    if json.loads(json.dumps(plain, default=str)) != json.loads(json.dumps(wanted, default=str)):
        snippet = "\n".join(_item(row, "    "))
        message = f"this layout cannot be edited automatically; add under 'rubric: edits:' yourself:\n{snippet}"
        raise InputError([Finding("unwritable", message, file=str(file))])
