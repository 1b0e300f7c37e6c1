import io
import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from PIL import Image
from ruamel.yaml import YAML

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.hub_layout import DATA, write_hub_folder
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.errors import InputError

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
