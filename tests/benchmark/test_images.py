import hashlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from gamut_eval.benchmark import images
from gamut_eval.benchmark.images import encode, image_bytes, image_ending, image_type, open_image
from gamut_eval.benchmark.question import ImageRef
from gamut_eval.errors import InputError, MissingExtraError


def stored(picture, kind="PNG", **options):
    stream = io.BytesIO()
    picture.save(stream, kind, **options)
    return stream.getvalue()


def arrow():
    """Red in the upper half, blue below, taller than wide."""
    picture = Image.new("RGB", (40, 60), "blue")
    picture.paste("red", (0, 0, 40, 30))
    return picture


def near(pixel, wanted):
    return all(abs(a - b) < 60 for a, b in zip(pixel, wanted, strict=True))


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with an image that says so when it is imported."""
    home = tmp_path / "site" / "holder"
    (home / "data").mkdir(parents=True)
    (home / "__init__.py").write_text("raise RuntimeError('imported')")
    (home / "data" / "a.png").write_bytes(stored(arrow()))
    monkeypatch.syspath_prepend(tmp_path / "site")
    return home


def reference(path, data=b"", **more):
    return ImageRef(path=path, sha256=hashlib.sha256(data).hexdigest(), **more)


class TestBytes:
    def test_in_the_folder(self, tmp_path):
        (tmp_path / "images").mkdir()
        (tmp_path / "images" / "a.jpg").write_bytes(b"x")
        assert image_bytes(reference("images/a.jpg", b"x"), tmp_path) == b"x"
        assert image_bytes(ImageRef(path="images/a.jpg"), tmp_path) == b"x"

    @pytest.mark.parametrize("name", ["holder", "holder.data"])
    def test_in_a_package_that_is_not_imported(self, package, tmp_path, name):
        data = (package / "data" / "a.png").read_bytes()
        path = "data/a.png" if name == "holder" else "a.png"
        assert image_bytes(reference(path, data, package=name), tmp_path) == data
        assert "holder" not in sys.modules

    def test_a_wrong_hash_is_named(self, tmp_path):
        (tmp_path / "a.jpg").write_bytes(b"x")
        with pytest.raises(InputError, match="the image was changed, or the hash is wrong") as caught:
            image_bytes(reference("a.jpg", b"y"), tmp_path)
        assert caught.value.findings[0].code == "image-hash"

    @pytest.mark.parametrize("path", ["../secret", "sub/../../secret", "link.jpg", "sub/link.jpg", "out/secret"])
    def test_a_path_that_leaves_is_refused_also_through_a_link(self, tmp_path, path):
        (tmp_path / "secret").write_bytes(b"x")
        home = tmp_path / "home"
        (home / "sub").mkdir(parents=True)
        (home / "link.jpg").symlink_to(tmp_path / "secret")
        (home / "sub" / "link.jpg").symlink_to("../../secret")
        (home / "out").symlink_to(tmp_path)
        with pytest.raises(InputError, match="leaves its folder") as caught:
            image_bytes(ImageRef(path=path), home)
        assert caught.value.findings[0].code == "image-path"

    def test_an_absolute_path_is_refused(self, tmp_path):
        (tmp_path / "home").mkdir()
        (tmp_path / "secret").write_bytes(b"x")
        with pytest.raises(InputError, match="leaves its folder"):
            image_bytes(ImageRef(path=str(tmp_path / "secret")), tmp_path / "home")

    def test_a_link_inside_the_folder_and_to_the_folder_is_followed(self, tmp_path):
        home = tmp_path / "home"
        home.mkdir()
        (home / "a.jpg").write_bytes(b"x")
        (home / "b.jpg").symlink_to("a.jpg")
        (tmp_path / "other").symlink_to(home)
        assert image_bytes(ImageRef(path="b.jpg"), tmp_path / "other") == b"x"

    def test_a_path_that_leaves_a_package_is_refused(self, package, tmp_path):
        (package.parent / "secret").write_bytes(b"x")
        with pytest.raises(InputError, match="leaves its folder"):
            image_bytes(reference("../secret", b"x", package="holder"), tmp_path)

    @pytest.mark.parametrize(
        ("path", "words"),
        [("none.jpg", "no such file"), ("sub", "is a folder"), ("x" * 300, "file name too long"), ("a\0b", "null")],
    )
    def test_what_is_not_there_says_so(self, tmp_path, path, words):
        (tmp_path / "sub").mkdir()
        with pytest.raises(InputError, match=words) as caught:
            image_bytes(ImageRef.model_construct(path=path, package=None, sha256=None), tmp_path)
        assert caught.value.findings[0].code == "image-missing"

    @pytest.mark.parametrize(
        ("name", "install"),
        [
            ("not_installed_at_all", 'pip install "not_installed_at_all"'),
            (
                "skimage.data",
                'needs scikit-image, which is not installed; run: pip install "gamut-eval[sample-images]"',
            ),
            ("sklearn", 'needs scikit-learn, which is not installed; run: pip install "gamut-eval[sample-images]"'),
        ],
    )
    def test_a_package_that_is_not_installed_names_the_command(self, tmp_path, monkeypatch, name, install):
        monkeypatch.setattr(images.importlib.util, "find_spec", lambda name: None)
        monkeypatch.delitem(sys.modules, name, raising=False)  # another test may have imported it
        with pytest.raises(MissingExtraError) as caught:
            image_bytes(reference("a.png", package=name), tmp_path)
        assert install in str(caught.value)

    def test_a_namespace_package_and_a_module_cannot_hold_an_image(self, tmp_path, monkeypatch):
        (tmp_path / "site" / "nothing_but_space").mkdir(parents=True)
        (tmp_path / "site" / "one_module.py").write_text("")
        monkeypatch.syspath_prepend(tmp_path / "site")
        with pytest.raises(InputError, match="has no folder of its own"):
            image_bytes(reference("a.png", package="nothing_but_space"), tmp_path)
        with pytest.raises(InputError, match="is one module"):
            image_bytes(reference("a.png", package="one_module"), tmp_path)

    def test_a_package_in_an_archive_says_so(self, tmp_path, monkeypatch):
        with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
            archive.writestr("zipped_holder/__init__.py", "")
            archive.writestr("zipped_holder/a.png", b"x")
        monkeypatch.syspath_prepend(tmp_path / "packed.zip")
        with pytest.raises(InputError, match=r"is installed as an archive \(packed.zip\)"):
            image_bytes(reference("a.png", b"x", package="zipped_holder"), tmp_path)


class TestTypes:
    @pytest.mark.parametrize(
        ("kind", "mime", "ending"),
        [
            ("JPEG", "image/jpeg", ".jpg"),
            ("PNG", "image/png", ".png"),
            ("WEBP", "image/webp", ".webp"),
            ("GIF", "image/gif", ".gif"),
            ("BMP", "image/bmp", ".bmp"),
            ("TIFF", "image/tiff", ".tiff"),
        ],
    )
    def test_the_type_is_that_of_the_bytes(self, kind, mime, ending):
        data = stored(arrow(), kind)
        assert (image_type(data), image_ending(data)) == (mime, ending)
        assert open_image(data).size == (40, 60)

    @pytest.mark.parametrize("data", [b"", b"x", b"<svg/>", b"RIFF\0\0\0\0WAVE", b"\0" * 100])
    def test_other_bytes_have_none(self, data):
        assert (image_type(data), image_ending(data)) == (None, ".bin")
        with pytest.raises(InputError, match="no JPEG, PNG, WebP, GIF, BMP or TIFF"):
            open_image(data)


class TestOpening:
    @pytest.mark.parametrize("orientation", range(1, 9))
    @pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
    def test_turned_upright_by_exif(self, orientation, kind):
        back = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}  # what undoes each of the turns
        exif = Image.Exif()
        exif[0x0112] = orientation
        lying = arrow().transpose(Image.Transpose(back[orientation])) if orientation > 1 else arrow()
        upright = open_image(stored(lying, kind, exif=exif))
        assert upright.size == (40, 60)
        assert near(upright.getpixel((20, 10)), (255, 0, 0))
        assert near(upright.getpixel((20, 50)), (0, 0, 255))

    def test_damaged_exif_data_are_no_reason_to_refuse(self):
        assert open_image(stored(arrow(), "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\xff")).size == (40, 60)

    @pytest.mark.parametrize(
        ("mode", "kind"),
        [
            *(("CMYK", "JPEG"), ("CMYK", "TIFF"), ("L", "JPEG"), ("L", "PNG"), ("1", "PNG"), ("LA", "PNG")),
            *(("RGBA", "PNG"), ("P", "PNG"), ("P", "GIF"), ("I;16", "PNG"), ("I;16", "TIFF"), ("RGBA", "WEBP")),
        ],
    )
    def test_every_mode_becomes_rgb(self, mode, kind):
        picture = arrow().convert("I").convert("I;16") if mode == "I;16" else arrow().convert(mode)
        opened = open_image(stored(picture, kind))
        assert (opened.mode, opened.size) == ("RGB", (40, 60))

    def test_sixteen_bits_keep_their_brightness(self):
        half = Image.new("I;16", (4, 4), 32768)
        assert abs(open_image(stored(half)).getpixel((0, 0))[0] - 127) <= 1

    def test_cmyk_keeps_its_colour(self):
        assert near(open_image(stored(arrow().convert("CMYK"), "TIFF")).getpixel((20, 10)), (255, 0, 0))

    @pytest.mark.parametrize("mode", ["LA", "RGBA"])
    def test_what_is_transparent_is_white(self, mode):
        clear = Image.new("RGBA", (4, 4), (0, 0, 0, 0)).convert(mode)
        assert open_image(stored(clear)).getpixel((0, 0)) == (255, 255, 255)

    @pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP"])
    @pytest.mark.parametrize("share", [0.1, 0.6])
    def test_one_that_is_cut_off_has_one_clear_message(self, kind, share):
        noise = Image.frombytes("RGB", (64, 64), os.urandom(64 * 64 * 3))
        data = stored(noise, kind)
        with pytest.raises(InputError) as caught:
            open_image(data[: int(len(data) * share)])
        assert "\n" not in str(caught.value)
        assert "cut off or damaged" in str(caught.value)
        assert caught.value.findings[0].code == "image-unreadable"

    @pytest.mark.parametrize("side", [8001, 20_000, 60_000])
    def test_one_of_too_many_pixels_is_not_decoded(self, side):
        header = stored(Image.new("1", (1, 1)))
        width = side.to_bytes(4, "big")
        crc = __import__("zlib").crc32(b"IHDR" + width + width + header[24:29]).to_bytes(4, "big")
        bomb = header[:16] + width + width + header[24:29] + crc + header[33:]
        with pytest.raises(InputError, match=r"at most 64,000,000.*shrink it first"):
            open_image(bomb)

    def test_without_pillow_the_command_is_named(self, monkeypatch):
        monkeypatch.setattr(images.importlib.util, "find_spec", lambda name: None)
        with pytest.raises(MissingExtraError, match=r'run: pip install "gamut-eval\[images\]"'):
            open_image(stored(arrow()))

    def test_validation_without_images_imports_no_pillow(self, tmp_path):
        (tmp_path / "a.png").write_bytes(stored(arrow()))
        rubric = "{checks: [{id: a, tier: context, text: x}]}"
        (tmp_path / "q.yaml").write_text(f"id: q\ndomain: d\nquestion: q\nimage: {{path: a.png}}\nrubric: {rubric}")
        code = "import sys; from gamut_eval.cli.main import run; run(['validate', sys.argv[1]]);"
        code += "print('PIL' in sys.modules)"
        command = [sys.executable, "-c", code, str(tmp_path / "q.yaml")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip().endswith("False")


class TestEncoding:
    def test_the_longer_side_is_brought_down_and_the_bytes_open(self):
        kind, data = encode(Image.new("RGB", (3000, 1500), "red"), max_side=1000)
        opened = open_image(data)
        assert (kind, image_type(data), opened.size) == ("image/jpeg", "image/jpeg", (1000, 500))
        assert near(opened.getpixel((0, 0)), (255, 0, 0))

    def test_a_small_picture_keeps_its_size(self):
        assert open_image(encode(arrow())[1]).size == (40, 60)

    @pytest.mark.parametrize("limit", [200_000, 20_000, 4_000])
    def test_the_limit_counts_what_base64_adds(self, limit):
        noise = Image.frombytes("RGB", (800, 600), os.urandom(800 * 600 * 3))
        data = encode(noise, max_bytes=limit)[1]
        assert -(-len(data) // 3) * 4 <= limit
        assert max(open_image(data).size) >= 32

    def test_where_nothing_fits_it_says_so(self):
        with pytest.raises(InputError, match="no picture fits into 100 bytes"):
            encode(Image.new("RGB", (100, 100)), max_bytes=100)

    def test_the_picture_that_is_given_stays_as_it_is(self):
        picture = Image.new("RGB", (3000, 10))
        encode(picture, max_side=100)
        assert picture.size == (3000, 10)


@pytest.mark.skipif("GAMUT_EXTRACTS" not in os.environ, reason="GAMUT_EXTRACTS names no folder of public extracts")
def test_the_sample_images_of_installed_packages_are_those_listed():
    import csv

    seen = 0
    with open(Path(os.environ["GAMUT_EXTRACTS"]) / "images.csv", newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            package, _, path = row["path"].partition("/")
            try:
                data = image_bytes(ImageRef(package=package, path=path, sha256=row["sha256"]), Path())
            except MissingExtraError:
                continue
            assert open_image(data).mode == "RGB"
            seen += 1
    if not seen:
        pytest.skip("no package with sample images is installed")
