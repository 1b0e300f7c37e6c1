"""A question's image: its bytes from where they are, a picture of the bytes, and a picture small enough to send.

Finding and vouching for the bytes needs no other package; opening them needs Pillow (the extra ``images``).
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.question import ImageRef
from gamut_eval.errors import Finding, InputError, MissingExtraError, Place, Severity
from gamut_eval.files import native, ordinary, reading, why

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MOST_PIXELS = 64_000_000
"""A picture of more pixels is not opened: 64 million take 192 MB, and damaged files claim far more."""

_SAMPLES = {"skimage": "scikit-image", "sklearn": "scikit-learn"}
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
)
_READERS = ("JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF")
_QUALITIES = (90, 80, 70, 60)
_SMALLEST_SIDE = 32


def image_type(data: bytes) -> str | None:
    r"""The MIME type that the bytes themselves show, whatever the file is called; None for anything but an image.

    >>> image_type(b"RIFF\x00\x00\x00\x00WEBPVP8 ")
    'image/webp'
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _SIGNATURES if data.startswith(start)), None)


def image_ending(data: bytes) -> str:
    """The ending for a file of these bytes: ``.jpg``, ``.png`` …; ``.bin`` where they are no known image."""
    kind = image_type(data)
    return ".bin" if kind is None else f".{kind.removeprefix('image/').replace('jpeg', 'jpg')}"


def image_bytes(image: ImageRef, root: Path) -> bytes:
    """The bytes of an image, with the hash that vouches for them checked.

    Where they are not to be had, those in the column ``picture`` of the benchmark's Parquet file do,
    if they have that hash.

    Parameters
    ----------
    image
        Where it is: in ``root``, or inside an installed package, which is not imported.
    root
        The benchmark's folder.

    Raises
    ------
    MissingExtraError
        The package is not installed.
    InputError
        The file is not there, is outside its folder, or has another SHA-256. The finding's code is
        one of ``image-missing``, ``image-path``, ``image-hash``, ``image-package``.
    """
    try:
        data = file_inside(_package_folder(image.package) if image.package else root, image.path)
    except InputError as error:
        absent = isinstance(error, MissingExtraError) or error.findings[0].code == "image-missing"
        embedded = _embedded(image.sha256, root) if absent and image.sha256 else None
        if embedded is None:
            raise
        data = embedded
    found = hashlib.sha256(data).hexdigest()
    if image.sha256 and image.sha256 != found:
        raise _refusal("image-hash", f"the file's SHA-256 is {found}; the image was changed, or the hash is wrong")
    return data


def _embedded(sha256: str, root: Path) -> bytes | None:
    """The bytes of that hash in the Parquet file that ``benchmark.yaml`` names, or in one beside it."""
    from gamut_eval.benchmark.parquet_file import embedded_picture
    from gamut_eval.benchmark.yaml_file import read_yaml

    manifest = root / "benchmark.yaml"
    try:
        named = read_yaml(manifest)[0].get("questions", "") if manifest.is_file() else ""
        for file in [root / native(named)] if str(named).endswith(".parquet") else sorted(root.glob("*.parquet")):
            if (data := embedded_picture(file, sha256)) is not None:
                return data
    except InputError:  # whoever reads the questions says what is wrong with the file
        return None
    return None


def _refusal(code: str, message: str) -> InputError:
    return InputError([Finding(code, message, path=("image",))])


def file_inside(folder: Path, path: str) -> bytes:
    """The bytes of a file in the folder.

    Raises
    ------
    InputError
        It is not there (``image-missing``), or a link or ``..`` leads out of the folder (``image-path``).
    """
    file = folder / native(path)
    home = os.path.realpath(folder)
    try:
        real = os.path.realpath(ordinary(file))
        if os.path.commonpath([home, real]) != home:
            message = f"{path!r} leaves its folder; copy the file to a place inside it"
            raise _refusal("image-path", message)
        with reading(file) as stream:
            return stream.read()
    except InputError as error:
        if error.findings[0].code == "image-path":
            raise
        raise _refusal("image-missing", str(error)) from None
    except (OSError, ValueError) as error:  # a name that is too long, has a zero in it, or is on another drive
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise _refusal("image-missing", f"{file}: {reason}") from None


def _package_folder(package: str) -> Path:
    """The folder of an installed package. Only its place is looked up: importing it would cost seconds."""
    top, *below = package.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):  # ValueError: already imported, but by no loader
        spec = None
    if spec is None and top not in sys.modules:
        sample = _SAMPLES.get(top)
        raise MissingExtraError("this image", sample or top, "sample-images" if sample else None)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders or spec is None or spec.origin is None:
        what = "is one module" if spec and not folders else "has no folder of its own (a namespace package)"
        raise _refusal("image-package", f"{top!r} {what}, so no image can be in it; name the package it is in")
    if not os.path.isdir(folders[0]):
        message = f"{top!r} is installed as an archive ({os.path.basename(os.path.dirname(folders[0]))}); unpack it"
        raise _refusal("image-package", message)
    return Path(folders[0], *below)


def image_findings(benchmark: Benchmark, root: Path) -> Iterator[Finding]:
    """What keeps each question's image from being shown to a model: at most one finding a question.

    That a package, or Pillow, is not installed here is a warning, all else an error. A question
    without Pillow still has its image's place, hash and type looked at.
    """
    no_pillow = importlib.util.find_spec("PIL") is None
    if no_pillow and any(question.image for question in benchmark.questions):
        yield Finding("image-package", str(_no_pillow()), "warning")
    for question in benchmark.questions:
        try:
            if question.image:
                data = image_bytes(question.image, root)
                if no_pillow:
                    _refuse_other_types(data)
                else:
                    open_image(data)
        except InputError as error:
            missing = isinstance(error, MissingExtraError)
            severity: Severity = "warning" if missing else "error"
            code = "image-package" if missing else error.findings[0].code
            place = benchmark.places.get(question.id, Place())
            told = f"{question.image.path}: {error}" if question.image else str(error)
            yield Finding(code, told, severity, file=place.file, line=place.line, question_id=question.id)


def open_image(data: bytes) -> Picture:
    """The picture as people see it: turned upright by its EXIF data, 8-bit RGB, over white where it is transparent.

    Of an animation the first frame.

    Raises
    ------
    MissingExtraError
        Pillow is not installed.
    InputError
        The bytes are no image, are cut off or damaged, or hold more than `MOST_PIXELS`.
    """
    if importlib.util.find_spec("PIL") is None:
        raise _no_pillow()
    from PIL import Image

    _refuse_other_types(data)
    with _explained():
        picture = Image.open(io.BytesIO(data), formats=_READERS)
        _refuse_huge(picture.size)
        picture.load()
    with _explained():
        return _in_rgb(_upright(picture))


def damage(data: bytes) -> str | None:
    """What is wrong with an image's bytes; None where it opens, or where Pillow is not installed.

    Of a JPEG all bytes are read, but only a small picture is made.
    """
    if importlib.util.find_spec("PIL") is None:
        return None
    from PIL import Image

    try:
        with _explained():
            picture = Image.open(io.BytesIO(data), formats=_READERS)
            _refuse_huge(picture.size)
            picture.draft("RGB", (_SMALLEST_SIDE, _SMALLEST_SIDE))
            picture.load()
    except InputError as error:
        return str(error)
    return None


def _no_pillow() -> MissingExtraError:
    return MissingExtraError("opening images", "Pillow", "images")


def _refuse_other_types(data: bytes) -> None:
    if image_type(data) is None:
        raise _broken("these bytes are no JPEG, PNG, WebP, GIF, BMP or TIFF image; convert it to one")


def _broken(message: str) -> InputError:
    return _refusal("image-unreadable", message)


def _refuse_huge(size: tuple[int, int]) -> None:
    pixels = size[0] * size[1]
    if pixels > MOST_PIXELS:
        shown = f"{size[0]:,} × {size[1]:,} pixels"
        raise _broken(f"the image has {shown}; at most {MOST_PIXELS:,} in all are opened, so shrink it first")


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            # Of sizes that we refuse anyway, and of damaged metadata that changes no pixel.
            warnings.simplefilter("ignore")
            yield
    except InputError:
        raise
    except MemoryError:
        raise _broken("the memory is not enough to open the image; shrink it first") from None
    except Exception as error:  # decoders fail in their own ways on damaged bytes
        if type(error).__name__ == "DecompressionBombError":
            raise _broken(
                f"{str(error).rstrip('.')}; at most {MOST_PIXELS:,} pixels are opened, so shrink it first"
            ) from None
        reason = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
        if "cannot identify" in reason:
            reason = "its header cannot be read"
        raise _broken(f"the image is cut off or damaged ({reason}); get it anew") from None


def _upright(picture: Picture) -> Picture:
    """Turned as its EXIF data says; as it is where those are damaged."""
    from PIL import ImageOps

    try:
        return ImageOps.exif_transpose(picture)
    except Exception:  # no reason to refuse a picture whose pixels are sound
        return picture


def _in_rgb(picture: Picture) -> Picture:
    from PIL import Image

    if picture.mode.startswith("I"):
        deep = picture.convert("I")
        return deep.point(lambda value: value / 257).convert("L").convert("RGB")
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(white, layer).convert("RGB")
    return picture.convert("RGB")


def encode(image: Picture, max_side: int = 2048, max_bytes: int = 5_000_000) -> tuple[str, bytes]:
    """A picture as a JPEG file that a server accepts, and its MIME type.

    The longer side is brought down to ``max_side``. Then quality (90, 80, 70, 60) and, after that,
    three quarters of both sides at a time are given up, until the file fits.

    Parameters
    ----------
    image
        As `open_image` gives it.
    max_side
        The most pixels of the longer side.
    max_bytes
        The most bytes *in base64*, as it is sent: a third more than the file has.

    Raises
    ------
    InputError
        Not even a picture of 32 pixels fits.
    """
    small = image.copy()
    small.thumbnail((max_side, max_side))
    while max(small.size) >= _SMALLEST_SIDE or small.size == image.size:
        for quality in _QUALITIES:
            data = _jpeg(small, quality)
            if -(-len(data) // 3) * 4 <= max_bytes:
                return "image/jpeg", data
        if max(small.size) < _SMALLEST_SIDE:
            break
        small = small.resize((max(1, small.width * 3 // 4), max(1, small.height * 3 // 4)))
    raise InputError(f"no picture fits into {max_bytes} bytes of base64; allow more")


def _jpeg(image: Picture, quality: int) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=quality)
    return stream.getvalue()
