"""A benchmark as a folder that the Hugging Face hub, its `datasets` library, and `gamut` itself all read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.images import image_bytes
from gamut_eval.benchmark.load import PASSED_OVER
from gamut_eval.benchmark.parquet_file import columns_of, write_parquet
from gamut_eval.benchmark.question import ImageRef, Question
from gamut_eval.benchmark.stats import statistics
from gamut_eval.benchmark.write import copy_images, question_row, refuse_taken, write_manifest, yaml_text
from gamut_eval.errors import InputError
from gamut_eval.files import write_bytes
from gamut_eval.rubric.fields import TIERS

DATA = "data/test-00000-of-00001.parquet"
(PICTURE,) = PASSED_OVER

_PICTURE = pl.Struct({"bytes": pl.Binary(), "path": pl.String()})
_DTYPES: dict[Any, str] = {
    **{pl.String: "string", pl.Int64: "int64", pl.Float64: "float64", pl.Boolean: "bool"},
    **{pl.Date: "date32", pl.Binary: "binary"},
}
_NON_COMMERCIAL = re.compile(r"(?<![a-z])nc(?![a-z])|non-?commercial", re.IGNORECASE)
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def write_hub_folder(benchmark: Benchmark, folder: Path, root: Path | None, *, with_images: bool = False) -> int:
    """Write ``README.md`` (the data set card), the questions as Parquet, ``benchmark.yaml`` and the image files.

    Parameters
    ----------
    benchmark
        What to write.
    folder
        A new or empty one.
    root
        The folder that image paths start from; None: image files are not copied.
    with_images
        Also embed each image in the column ``picture``, as {bytes, path}.

    Returns
    -------
    How many image files were copied.

    Raises
    ------
    InputError
        The folder is not empty, or an image is not to be had.
    """
    refuse_taken(folder)
    rows: list[dict[str, Any]] = [question_row(question) for question in benchmark.questions]
    columns: dict[str, Any] = dict(columns_of(Question))
    if with_images:
        columns[PICTURE] = _PICTURE
        rows = [
            row | {PICTURE: _picture(question, root)} for row, question in zip(rows, benchmark.questions, strict=True)
        ]
    copied = copy_images(benchmark.questions, root, folder) if root else 0
    write_parquet(folder / DATA, rows, columns)
    write_manifest(benchmark, folder, DATA)
    write_bytes(folder / "README.md", _card(benchmark, columns).encode())
    return copied


def _picture(question: Question, root: Path | None) -> dict[str, Any] | None:
    if question.image is None:
        return None
    if root is None and not question.image.package:
        raise InputError(f"the image of {question.id!r} is not in a run; export the benchmark itself with its images")
    return {"bytes": image_bytes(question.image, root or Path()), "path": Path(question.image.path).name}


def concerns(benchmark: Benchmark, *, with_images: bool) -> list[str]:
    """What to settle before the folder is handed on: a licence with NC, images without a licence of their own."""
    found = []
    licences = {benchmark.license, *(image.license for image in _images(benchmark) if with_images or not image.package)}
    if restricted := sorted(one for one in licences if one and _NON_COMMERCIAL.search(one)):
        found.append(f"{' and '.join(restricted)} forbids commercial use: look up whether you may publish this at all")
    if not benchmark.license:
        found.append("no licence is known: the card names none, and nobody may use what is published so")
    bare = [image for image in _images(benchmark) if not image.license and (with_images or not image.package)]
    if bare:
        images = f"{len(bare)} image{'s' * (len(bare) > 1)} (such as {bare[0].path})"
        found.append(f"no licence is stated of {images}: publish what you have the right to only")
    return found


def _images(benchmark: Benchmark) -> list[ImageRef]:
    return [question.image for question in benchmark.questions if question.image]


def _features(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The columns as a card of a data set declares them."""
    return [{"name": name} | _feature(kind) for name, kind in columns.items()]


def _feature(kind: Any) -> dict[str, Any]:
    if kind == _PICTURE:
        return {"dtype": "image"}
    if isinstance(kind, pl.Struct):
        return {"struct": _features({field.name: field.dtype for field in kind.fields})}
    if isinstance(kind, pl.List):
        inner = _feature(kind.inner)
        return {"list": inner.get("struct") or inner.get("dtype") or inner}
    return {"dtype": _DTYPES[type(kind)]}


def _card(benchmark: Benchmark, columns: Mapping[str, Any]) -> str:
    n = len(benchmark.questions)
    head = {
        **({"license": benchmark.license.lower()} if benchmark.license else {}),
        "pretty_name": benchmark.name,
        "size_categories": [next((size for most, size in _SIZES if n < most), "n>1M")],
        "configs": [{"config_name": "default", "data_files": [{"split": "test", "path": "data/test-*"}]}],
        **({"dataset_info": {"features": _features(columns)}} if PICTURE in columns else {}),
    }
    return f"---\n{yaml_text(head)}---\n\n" + "\n".join(_body(benchmark)) + "\n"


def _body(benchmark: Benchmark) -> Sequence[str]:
    figures = statistics(benchmark)
    version = f" {benchmark.version}" if benchmark.version else ""
    tiers = figures["checks"]["tiers"]
    shares = ", ".join(f"{100 * (tiers[tier.value]['share'] or 0):.0f}% {tier.value}" for tier in TIERS)
    lines = [f"# {benchmark.name}{version}", ""]
    lines += [benchmark.description, ""] if benchmark.description else []
    lines += [f"Licence: {benchmark.license}", ""] if benchmark.license else []
    lines += [
        "Questions with rubrics of what a complete answer holds, in the format of gamut-eval. No answers, no verdicts.",
        "",
        "| what | how many |",
        "|---|---|",
        f"| questions | {figures['questions']['n']} |",
        f"| asked with their image | {figures['questions']['image']} |",
        f"| asked text-only | {figures['questions']['text_only']} |",
        f"| checks | {figures['checks']['n']} ({shares}) |",
        *(f"| domain: {_cell(domain)} | {count} |" for domain, count in figures["domains"]["questions"].items()),
        *(f"| split: {_cell(split)} | {count} |" for split, count in figures["splits"]["questions"].items()),
        "",
        *_image_lines(benchmark),
        f"Hash of the meaning: `{benchmark.hash}`",
        "",
        "    gamut validate .                       # in a copy of this folder",
        '    datasets.load_dataset(".", split="test")',
    ]
    return lines


def _image_lines(benchmark: Benchmark) -> Sequence[str]:
    """A table of where images are from and under which licences; nothing without images."""
    counts = Counter(
        (image.source or (f"the package {image.package}" if image.package else "not stated"), image.license)
        for image in _images(benchmark)
    )
    if not counts:
        return []
    rows = [f"| {n} | {_cell(source)} | {_cell(licence or 'not stated')} |" for (source, licence), n in counts.items()]
    return ["| images | source | licence |", "|---|---|---|", *rows, ""]


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
