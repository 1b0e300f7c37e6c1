"""A question: what is asked, with or without its image, and the rubric of a complete answer."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated

from pydantic import Field, StrictBool, StrictStr

from gamut_eval.errors import Finding
from gamut_eval.records import Variant
from gamut_eval.rubric.fields import Id, Model, Text
from gamut_eval.rubric.meta import MetaRubric


class ImageRef(Model):
    """Where a question's image is: in the benchmark's folder, or inside an installed package."""

    path: Text
    package: Annotated[StrictStr, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")] | None = None
    sha256: Annotated[StrictStr, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    license: Text | None = None
    source: Text | None = None
    quality: tuple[Text, ...] = ()
    egocentric: StrictBool | None = None

    def problems(self) -> Iterator[Finding]:
        """A path that leaves its folder, or bytes that nothing vouches for."""
        posix, windows = PurePosixPath(self.path), PureWindowsPath(self.path)
        if posix.is_absolute() or windows.drive or windows.root or ".." in (*posix.parts, *windows.parts):
            message = f"{self.path!r} leaves its folder; give a path inside it"
            yield Finding("image-path", message, path=("path",))
        if self.package and not self.sha256:
            yield Finding("image-hash", "an image in a package needs its 'sha256'", path=("package",))


class Question(Model):
    """One question of a benchmark, as its file has it.

    ``question`` is asked with the image, ``text_only`` without it; None where it cannot be asked
    without. A question with neither image nor ``text_only`` is asked as it stands, text-only.
    ``split`` says which part of the benchmark it is in (held out, say); it changes no score.
    """

    id: Id
    domain: Text
    question: Text
    text_only: Text | None = None
    subject: Text | None = None
    group: Text | None = None
    split: Text | None = None
    image: ImageRef | None = None
    rubric: MetaRubric

    @cached_property
    def problems(self) -> tuple[Finding, ...]:
        """Everything wrong with the structure beyond the types of its fields."""
        found = [problem.under("image") for problem in self.image.problems()] if self.image else []
        return (*found, *(problem.under("rubric") for problem in self.rubric.problems))

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The variants in which this question can be asked."""
        text_only = self.text_only is not None or self.image is None
        return tuple(v for v, can in (("image", self.image is not None), ("text_only", text_only)) if can)  # type: ignore[misc]

    def asked(self, variant: Variant) -> str:
        """The text put to a model in that variant."""
        return self.question if variant == "image" or self.text_only is None else self.text_only
