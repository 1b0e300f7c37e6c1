import pytest
from pydantic import ValidationError

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.benchmark.parquet_file import columns_of, write_parquet
from gamut_eval.benchmark.question import ImageRef, Question
from gamut_eval.benchmark.write import question_row, write_folder, write_jsonl

RUBRIC = {"items": [{"id": "fact", "type": "simple", "tier": "context", "statement": "So."}]}
IMAGE = {"path": "images/a.jpg"}


def question(**more):
    return Question.model_validate({"id": "q", "domain": "d", "question": "What is it?", "rubric": RUBRIC} | more)


@pytest.mark.parametrize(
    ("fields", "variants", "asked"),
    [
        ({"image": IMAGE, "text_only": "What is tea?"}, ("image", "text_only"), ["What is it?", "What is tea?"]),
        ({"image": IMAGE, "text_only": None}, ("image",), ["What is it?"]),
        ({"image": None, "text_only": None}, ("text_only",), ["What is it?"]),
        ({"text_only": "What is tea?"}, ("text_only",), ["What is tea?"]),
    ],
    ids=["both", "image only", "as it stands", "text only"],
)
def test_in_which_variants_a_question_can_be_asked_and_how(fields, variants, asked):
    assert question(**fields).variants == variants
    assert [question(**fields).asked(variant) for variant in variants] == asked


@pytest.mark.parametrize("field", ["id", "domain", "question", "rubric"])
def test_what_is_required(field):
    row = {"id": "q", "domain": "d", "question": "What?", "rubric": RUBRIC}
    del row[field]
    with pytest.raises(ValidationError, match="missing"):
        Question.model_validate(row)


def image_problems(**fields):
    return [problem.code for problem in ImageRef.model_validate(fields).problems()]


@pytest.mark.parametrize(
    "path",
    ["/a.jpg", "../a.jpg", "a/../../b.jpg", "a/..", r"..\a.jpg", r"a\..\b", r"C:\a.jpg", "C:a.jpg", r"\\host\a.jpg"],
)
def test_an_image_outside_its_folder_is_refused(path):
    assert image_problems(path=path) == ["image-path"]


@pytest.mark.parametrize("path", ["a.jpg", "images/a.jpg", "./a.jpg", "..a.jpg", "日本/é.jpg", "a b.jpg"])
def test_an_image_inside_it_is_accepted(path):
    assert image_problems(path=path) == []


def test_an_image_in_a_package_needs_a_hash():
    assert image_problems(path="a.png", package="skimage.data") == ["image-hash"]
    assert image_problems(path="a.png", package="skimage.data", sha256="0" * 64) == []


@pytest.mark.parametrize("package", ["a/b", "..", "a.", "os; x", "", "1a"])
def test_a_package_is_an_import_name(package):
    with pytest.raises(ValidationError):
        ImageRef(path="a.png", package=package, sha256="0" * 64)


def test_problems_of_image_and_rubric_carry_their_path():
    found = question(image={"path": "/a.jpg"}, rubric={"items": []}).problems
    assert [(problem.code, problem.path) for problem in found] == [
        ("image-path", ("image", "path")),
        ("empty-rubric", ("rubric", "items")),
    ]


def test_the_split_is_kept_in_every_format_and_changes_no_hash(tmp_path):
    rows = [question(split=split) for split in (None, "heldout")]
    one, other = (Benchmark("b", (row,)) for row in rows)
    assert one.hash == other.hash
    assert "split" not in question_row(rows[0])
    write_folder(other, tmp_path / "a")
    write_jsonl(tmp_path / "b.jsonl", [question_row(rows[1])])
    write_parquet(tmp_path / "c.parquet", [question_row(rows[1])], columns_of(Question))
    for name in ("a", "b.jsonl", "c.parquet"):
        assert load_benchmark(tmp_path / name).questions[0].split == "heldout"
