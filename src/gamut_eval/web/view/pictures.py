"""A question's image for the browser: upright, of a type that its bytes show, and only where it is an image."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gamut_eval.benchmark.images import encode, image_bytes, image_type, open_image
from gamut_eval.benchmark.question import ImageRef
from gamut_eval.errors import InputError, pip_install

_LONGER_SIDE = 1280
_SHOWN_AS_THEY_ARE = ("image/jpeg", "image/png", "image/gif", "image/webp", "image/bmp")


@dataclass(frozen=True)
class Picture:
    """What is sent to the browser."""

    type: str
    data: bytes


def reason_without(image: ImageRef, root: Path | None) -> str | None:
    """Why an image cannot be shown; None where it can, as far as that is known without opening it."""
    try:
        _found(image, root)
    except InputError as error:
        return str(error)
    return None


@lru_cache(maxsize=32)
def picture(image: ImageRef, root: Path | None) -> Picture:
    """The image as people see it, made small enough for a page; without Pillow as it is.

    Raises
    ------
    InputError
        It is not there, or is no image.
    """
    data = _found(image, root)
    if importlib.util.find_spec("PIL") is None:
        return Picture(image_type(data) or "", data)
    return Picture(*encode(open_image(data), max_side=_LONGER_SIDE))


def _found(image: ImageRef, root: Path | None) -> bytes:
    """The bytes, if they are an image that a browser or Pillow can show."""
    if root is None and not image.package:
        raise InputError("The run does not say where its benchmark is; gamut view --benchmark PATH shows its images.")
    data = image_bytes(image, root or Path())
    kind = image_type(data)
    if kind is None:
        raise InputError(f"{image.path} is no image")
    if kind not in _SHOWN_AS_THEY_ARE and importlib.util.find_spec("PIL") is None:
        raise InputError(f"{kind} images need Pillow: {pip_install('images')}")
    return data
