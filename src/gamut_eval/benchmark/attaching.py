"""Writing images into the files of questions; the rest of each file stays as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.parquet_file import columns_of, write_parquet
from gamut_eval.benchmark.question import ImageRef, Question
from gamut_eval.benchmark.write import question_row, write_jsonl, yaml_text
from gamut_eval.benchmark.yaml_file import read_yaml
from gamut_eval.errors import Finding, InputError
from gamut_eval.files import BOM, read_text, write_bytes


def attach_images(benchmark: Benchmark, images: Mapping[str, Mapping[str, Any]]) -> int:
    """Give questions their images, by id, and write the files they are in; how many questions got one.

    A question that has this very image already stays untouched, so that attaching twice changes
    nothing.

    Raises
    ------
    InputError
        A question has another image already, or its file's layout is not one that can be added to.
    """
    wanted = {name: ImageRef.model_validate(dict(row)) for name, row in images.items()}
    new = {name: image for name, image in wanted.items() if benchmark.by_id[name].image != image}
    for name in new:
        refuse_other_image(benchmark, name, images[name])
    rewritten: dict[str, None] = {}
    for name in new:
        file = str(benchmark.places[name].file)
        if Path(file).suffix in (".yaml", ".yml"):
            _add_to_yaml(Path(file), dict(images[name]))
        else:
            rewritten[file] = None
    for file in rewritten:
        _rewrite(benchmark, file, new)
    return len(new)


def refuse_other_image(benchmark: Benchmark, name: str, image: Mapping[str, Any]) -> None:
    """Raise an `InputError` if the question has an image that is not this one."""
    there = benchmark.by_id[name].image
    if there is not None and there != ImageRef.model_validate(dict(image)):
        place = benchmark.places[name]
        message = f"the question {name!r} has another image already; take 'image' out of its file first"
        raise InputError([Finding("unwritable", message, file=place.file, line=place.line, question_id=name)])


def _add_to_yaml(file: Path, image: dict[str, Any]) -> None:
    """Put the image before the rubric, or first; the file must read back as it was, and with the image."""
    before, places, _ = read_yaml(file)
    text = read_text(file)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    line, column = places.get(("rubric",), (1, 1))
    at = next((n for n, one in enumerate(lines) if one.startswith("rubric:")), None)
    block = yaml_text({"image": image}).rstrip("\n").split("\n")
    if at is None or "image" in before:
        snippet = json.dumps(image, ensure_ascii=False)
        message = f"this layout cannot be added to; write yourself: image: {snippet}"
        raise InputError([Finding("unwritable", message, file=str(file), line=line, column=column)])
    whole = newline.join([*lines[:at], *block, *lines[at:]]).encode()
    write_bytes(file, BOM * file.read_bytes().startswith(BOM) + whole)


def _rewrite(benchmark: Benchmark, file: str, new: Mapping[str, ImageRef]) -> None:
    questions = [
        question.model_copy(update={"image": new[question.id]}) if question.id in new else question
        for question in benchmark.questions
        if benchmark.places[question.id].file == file
    ]
    rows = [question_row(question) for question in questions]
    if file.endswith(".parquet"):
        write_parquet(file, rows, columns_of(Question))
    else:
        write_jsonl(file, rows)
