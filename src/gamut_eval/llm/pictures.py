"""A question's image as a part of a message: upright, in a common format, no larger than endpoints take."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.images import encode, image_bytes, open_image
from gamut_eval.benchmark.question import ImageRef
from gamut_eval.errors import InputError, MissingExtraError
from gamut_eval.hashing import sha256

MAX_SIDE = 2048
MAX_BYTES = 5_000_000
"""Of the base64 text, which is a third longer than the picture's file."""
Part = Mapping[str, Any]


@dataclass(frozen=True)
class Pictures:
    """The images of a benchmark."""

    benchmark: Benchmark

    def part(self, question_id: str) -> Callable[[], Part] | None:
        """A function that makes a question's image a part of a message; None where it has none.

        The function raises an `InputError` where the image is missing or cannot be opened.
        """
        image = self.benchmark.by_id[question_id].image
        return partial(_part, image, self.benchmark.root) if image else None

    def refuse_missing(self) -> None:
        """Raise a `MissingExtraError` where no image could be shown, for want of Pillow or of a package they are in."""
        pictured = {q.image.package: q.image for q in self.benchmark.questions if q.image}
        if pictured and find_spec("PIL") is None:
            raise MissingExtraError("showing images", "Pillow", "images")
        for image in pictured.values():
            _refuse_missing_package(image, self.benchmark.root)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all images' hashes: it changes when an image does."""
        return sha256({q.id: self.hash(q.id) for q in self.benchmark.questions if q.image})

    def hash(self, question_id: str) -> str | None:
        """SHA-256 of the image's bytes, as far as it is known without reading them again."""
        image = self.benchmark.by_id[question_id].image
        return self.benchmark.image_hashes.get(question_id, image.sha256) if image else None


def _refuse_missing_package(image: ImageRef, root: Path) -> None:
    """Only a package that is not there stops a run: other faults concern one question."""
    try:
        image_bytes(image, root)
    except MissingExtraError:
        raise
    except InputError:
        return


@lru_cache(maxsize=32)
def _part(image: ImageRef, root: Path) -> Part:
    kind, data = encode(open_image(image_bytes(image, root)), MAX_SIDE, MAX_BYTES)
    return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{base64.b64encode(data).decode()}"}}
