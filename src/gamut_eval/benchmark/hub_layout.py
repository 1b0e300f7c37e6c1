"""A benchmark as a folder that the Hugging Face hub, its `datasets` library, and `gamut` itself all read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.images import image_bytes
from gamut_eval.benchmark.load import PASSED_OVER
from gamut_eval.benchmark.parquet_file import columns_of, write_parquet
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.stats import statistics
from gamut_eval.benchmark.write import copy_images, question_row, refuse_taken, write_manifest, yaml_text
from gamut_eval.errors import InputError
from gamut_eval.files import write_bytes
from gamut_eval.rubric.fields import TIERS

DATA = "data/test-00000-of-00001.parquet"
(PICTURE,) = PASSED_OVER

_PICTURE = pl.Struct({"bytes": pl.Binary(), "path": pl.String()})
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
    write_bytes(folder / "README.md", _card(benchmark, with_images=with_images).encode())
    return copied


def _picture(question: Question, root: Path | None) -> dict[str, Any] | None:
    if question.image is None:
        return None
    if root is None and not question.image.package:
        raise InputError(f"the image of {question.id!r} is not in a run; export the benchmark itself with its images")
    return {"bytes": image_bytes(question.image, root or Path()), "path": Path(question.image.path).name}


def _card(benchmark: Benchmark, *, with_images: bool) -> str:
    n = len(benchmark.questions)
    head = {
        **({"license": benchmark.license.lower()} if benchmark.license else {}),
        "pretty_name": benchmark.name,
        "size_categories": [next((size for most, size in _SIZES if n < most), "n>1M")],
        "configs": [{"config_name": "default", "data_files": [{"split": "test", "path": "data/test-*"}]}],
    }
    return f"---\n{yaml_text(head)}---\n\n" + "\n".join(_body(benchmark, with_images=with_images)) + "\n"


def _body(benchmark: Benchmark, *, with_images: bool) -> Sequence[str]:
    figures = statistics(benchmark)
    version = f" {benchmark.version}" if benchmark.version else ""
    tiers = figures["checks"]["tiers"]
    shares = ", ".join(f"{100 * (tiers[tier.value]['share'] or 0):.0f}% {tier.value}" for tier in TIERS)
    lines = [f"# {benchmark.name}{version}", ""]
    lines += [benchmark.description, ""] if benchmark.description else []
    lines += [
        "Questions with rubrics of what a complete answer holds, in the format of gamut-eval.",
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
        f"Hash of the meaning: `{benchmark.hash}`",
        "",
        "    gamut validate .                       # in a copy of this folder",
        '    datasets.load_dataset(".", split="test")',
    ]
    if with_images:
        lines.append(f'    …  .cast_column("{PICTURE}", datasets.Image())')
    return lines


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
