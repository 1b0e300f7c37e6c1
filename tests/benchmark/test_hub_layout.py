import hashlib
import importlib
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from PIL import Image
from ruamel.yaml import YAML

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.hub_layout import DATA, concerns, write_hub_folder
from gamut_eval.benchmark.images import image_bytes, image_findings
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.errors import InputError, MissingExtraError

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture
def bench(tmp_path):
    """The contract's example with a picture, and a question with imported checks."""
    home = tmp_path / "bench"
    (home / "questions").mkdir(parents=True)
    (home / "images").mkdir()
    shutil.copy(GOLDEN / "jollof.yaml", home / "questions")
    Image.new("RGB", (8, 8), "green").save(home / "images" / "food-001.jpg")
    row = {"id": "plain", "domain": "a|b", "question": "Why?", "split": "heldout"}
    row["rubric"] = {"checks": [{"id": "a", "tier": "context", "text": "x"}]}
    (home / "questions" / "plain.yaml").write_text(json.dumps(row))
    manifest = "name: jollof\nversion: 1.0.0\nlicense: CC-BY-4.0\ndescription: Mine.\ncompile: {long_list: 5}\n"
    (home / "benchmark.yaml").write_text(manifest)
    return home


def card(folder):
    _, head, body = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return YAML(typ="safe", pure=True).load(head), body


@pytest.mark.parametrize("with_images", [False, True])
def test_reading_it_back_gives_the_same_benchmark(bench, tmp_path, with_images):
    before = load_benchmark(bench)
    assert write_hub_folder(before, tmp_path / "out", bench, with_images=with_images) == 1
    after = load_benchmark(tmp_path / "out")
    assert after.hash == before.hash
    assert (after.name, after.version, after.license, after.description) == ("jollof", "1.0.0", "CC-BY-4.0", "Mine.")
    assert after.questions == before.questions
    assert after.compile == before.compile


def test_the_card_declares_the_files_and_counts_what_is_there(bench, tmp_path):
    benchmark = load_benchmark(bench)
    write_hub_folder(benchmark, tmp_path / "out", bench)
    head, body = card(tmp_path / "out")
    assert head == {
        "license": "cc-by-4.0",
        "pretty_name": "jollof",
        "size_categories": ["n<1K"],
        "configs": [{"config_name": "default", "data_files": [{"split": "test", "path": "data/test-*"}]}],
    }
    n_checks = sum(len(checks) for checks in benchmark.checks.values())
    for line in ("| questions | 2 |", "| asked with their image | 1 |", f"| checks | {n_checks} (", benchmark.hash):
        assert line in body
    assert "| domain: a\\|b | 1 |" in body
    assert "| split: heldout | 1 |" in body


def test_images_are_embedded_on_demand_only(bench, tmp_path):
    benchmark = load_benchmark(bench)
    write_hub_folder(benchmark, tmp_path / "without", bench)
    assert "picture" not in pl.read_parquet_schema(tmp_path / "without" / DATA)
    write_hub_folder(benchmark, tmp_path / "with", bench, with_images=True)
    pictures = pl.read_parquet(tmp_path / "with" / DATA)["picture"].to_list()
    data = (bench / "images" / "food-001.jpg").read_bytes()
    assert pictures == [{"bytes": data, "path": "food-001.jpg"}, None]
    assert Image.open(io.BytesIO(pictures[0]["bytes"])).size == (8, 8)


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """A benchmark whose image is in a package; the package is not there once the function is called."""
    (tmp_path / "site" / "photos_of_ours").mkdir(parents=True)
    (tmp_path / "site" / "photos_of_ours" / "__init__.py").touch()
    Image.new("RGB", (8, 8), "red").save(tmp_path / "site" / "photos_of_ours" / "a.png")
    data = (tmp_path / "site" / "photos_of_ours" / "a.png").read_bytes()
    image = {"package": "photos_of_ours", "path": "a.png", "sha256": hashlib.sha256(data).hexdigest()}
    rubric = {"checks": [{"id": "a", "tier": "context", "text": "x"}]}
    rows = [{"id": name, "domain": "d", "question": "Why?", "rubric": rubric} for name in ("q1", "q2")]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, (rows[0], rows[1] | {"image": image}))))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))

    def uninstall():
        shutil.rmtree(tmp_path / "site")
        importlib.invalidate_caches()
        return data

    return load_benchmark(tmp_path / "b.jsonl"), uninstall


@pytest.mark.parametrize("place", ["folder", "file"])
def test_an_embedded_image_is_read_where_its_package_is_not_installed(packaged, tmp_path, place):
    benchmark, uninstall = packaged
    write_hub_folder(benchmark, tmp_path / "out", tmp_path, with_images=True)
    data = uninstall()
    if place == "folder":
        after, root = load_benchmark(tmp_path / "out"), tmp_path / "out"
    else:
        shutil.copy(tmp_path / "out" / DATA, tmp_path / "alone.parquet")
        after, root = load_benchmark(tmp_path / "alone.parquet"), tmp_path
    assert image_bytes(after.questions[1].image, root) == data
    assert list(image_findings(after, root)) == []


def test_another_embedded_image_does_not_do(packaged, tmp_path):
    benchmark, uninstall = packaged
    write_hub_folder(benchmark, tmp_path / "out", tmp_path, with_images=True)
    uninstall()
    other = benchmark.questions[1].image.model_copy(update={"sha256": "0" * 64})
    with pytest.raises(MissingExtraError, match="photos_of_ours"):
        image_bytes(other, tmp_path / "out")


def test_without_the_pictures_the_package_is_named(packaged, tmp_path):
    benchmark, uninstall = packaged
    write_hub_folder(benchmark, tmp_path / "out", tmp_path)
    uninstall()
    with pytest.raises(MissingExtraError, match="photos_of_ours"):
        image_bytes(benchmark.questions[1].image, tmp_path / "out")


def test_the_card_declares_the_pictures_and_every_other_column(bench, tmp_path):
    write_hub_folder(load_benchmark(bench), tmp_path / "out", bench, with_images=True)
    features = card(tmp_path / "out")[0]["dataset_info"]["features"]
    schema = pl.read_parquet_schema(tmp_path / "out" / DATA)
    assert [one["name"] for one in features] == list(schema)
    by_name = {one["name"]: one for one in features}
    assert by_name["picture"] == {"name": "picture", "dtype": "image"}
    assert by_name["id"] == {"name": "id", "dtype": "string"}
    assert {"name": "quality", "list": "string"} in by_name["image"]["struct"]
    items = {one["name"]: one for one in by_name["rubric"]["struct"]}["items"]["list"]
    assert {"name": "min_coverage", "dtype": "int64"} in items


def test_the_card_says_under_which_licences_it_may_be_used(bench, tmp_path):
    benchmark = load_benchmark(bench)
    first, second = benchmark.questions
    image = first.image.model_copy(update={"license": "CC0", "source": "a|b"})
    benchmark = replace(benchmark, questions=(first.model_copy(update={"image": image}), second))
    write_hub_folder(benchmark, tmp_path / "out", bench)
    body = card(tmp_path / "out")[1]
    assert "\nMine.\n\nLicence: CC-BY-4.0\n" in body
    assert "| images | source | licence |\n|---|---|---|\n| 1 | a\\|b | CC0 |\n" in body
    bare = first.model_copy(update={"image": image.model_copy(update={"license": None, "source": None})})
    write_hub_folder(replace(benchmark, questions=(bare, second)), tmp_path / "bare", bench)
    assert "| 1 | not stated | not stated |" in card(tmp_path / "bare")[1]


@pytest.mark.parametrize(
    ("licence", "of_image", "words"),
    [
        ("CC-BY-4.0", "CC0", []),
        ("CC-BY-NC-4.0", "CC0", ["CC-BY-NC-4.0 forbids commercial use"]),
        ("CC-BY-4.0", "cc by-nc 2.0", ["cc by-nc 2.0 forbids commercial use"]),
        ("Non-Commercial", "CC0", ["Non-Commercial forbids"]),
        ("ODC-BY-1.0", None, ["no licence is stated of 1 image (such as images/food-001.jpg)"]),
        ("NCSA", "Franconian", []),
        (None, "CC0", ["no licence is known"]),
    ],
)
def test_what_is_to_be_settled_before_it_is_published(bench, licence, of_image, words):
    benchmark = load_benchmark(bench)
    first, second = benchmark.questions
    first = first.model_copy(update={"image": first.image.model_copy(update={"license": of_image})})
    found = concerns(replace(benchmark, license=licence, questions=(first, second)), with_images=False)
    assert len(found) == len(words)
    assert all(one.startswith(start) for one, start in zip(found, words, strict=True))


def test_a_folder_that_holds_something_is_left_alone(bench, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x").touch()
    with pytest.raises(InputError, match="is not empty; nothing was written"):
        write_hub_folder(load_benchmark(bench), tmp_path / "out", bench)


def test_images_of_a_run_cannot_be_embedded(bench, tmp_path):
    benchmark = load_benchmark(bench)
    run = Benchmark("b", benchmark.questions)
    with pytest.raises(InputError, match=r"the image of 'food-001' is not in a run"):
        write_hub_folder(run, tmp_path / "out", None, with_images=True)
    assert write_hub_folder(run, tmp_path / "again", None) == 0
