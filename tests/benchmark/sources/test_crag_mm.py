import hashlib
import io
import json

import polars as pl
import pytest
from PIL import Image

from gamut_eval.benchmark.importing.source import Ledger, Request, find_source
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.errors import InputError

CHECKS = {"checks": [{"id": "a", "tier": "context", "text": "It is."}]}


def picture(colour, kind="JPEG", size=8):
    stream = io.BytesIO()
    Image.new("RGB", (size, size), colour).save(stream, kind)
    return stream.getvalue()


RED, BLUE = picture("red"), picture("blue", "WEBP")


def row(session, interaction, data=None, address=None, quality="normal", **more):
    turn = {"interaction_id": interaction, "domain": "food", "query": "What?", "image_quality": quality}
    image = None if data is None else {"bytes": data, "path": "whatever.png"}
    return {"session_id": session, "image": image, "image_url": address, "turns": [turn]} | more


@pytest.fixture(params=["folder", "q.jsonl", "q.parquet"])
def bench(request, tmp_path):
    """A benchmark folder as the import of the questions writes it, with questions q1 to q3."""
    rows = [{"id": f"q{n}", "question": f"What is {n}?", "rubric": [{"tier": "AC", "text": "x"}]} for n in (1, 2, 3)]
    (tmp_path / "g.jsonl").write_text("\n".join(map(json.dumps, rows)))
    output = "bench" if request.param == "folder" else f"bench/{request.param}"
    find_source("gamut").run(Request(str(tmp_path / "g.jsonl"), str(tmp_path / output)), Ledger())
    if request.param != "folder":
        (tmp_path / "bench" / "benchmark.yaml").write_text(f"name: gamut\nquestions: {request.param}\n")
    return tmp_path / "bench"


@pytest.fixture
def attach(tmp_path, bench):
    def run(rows, columns=None):
        path = tmp_path / "crag.parquet"
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(path)
        ledger = Ledger()
        said = find_source("crag-mm").run(Request(str(path), str(bench), columns or {}), ledger)
        return said, list(ledger.lines())

    return run


def tree(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_images_are_matched_written_and_vouched_for(attach, bench):
    before = load_benchmark(bench)
    rows = [row("s1", "q1", RED, quality="low light", is_ego=True), row("q2", "i2", BLUE), row("s9", "i9", RED)]
    said, lines = attach(rows)
    after = load_benchmark(bench)
    first, second, third = after.questions
    assert (first.image.path, second.image.path, third.image) == ("images/q1.jpg", "images/q2.webp", None)
    assert (bench / "images" / "q1.jpg").read_bytes() == RED
    assert first.image.sha256 == hashlib.sha256(RED).hexdigest()
    assert (first.image.quality, first.image.egocentric, second.image.quality) == (("low_light",), True, ())
    assert said.startswith("Matched 2 of 3 questions; attached 2 images in ")
    assert lines == [
        "questions that are not in the file: 1 left out (q3)",
        "1 row of the file to no question of the benchmark (such as i9): passed over",
    ]
    assert after.checks == before.checks
    assert first.variants == ("image",)


def test_done_twice_it_changes_nothing(attach, bench):
    attach([row("s1", "q1", RED)])
    before = tree(bench)
    said, _ = attach([row("s1", "q1", RED)])
    assert "attached 0 images" in said
    assert said.endswith(f"; 1 had theirs already.\nNext: gamut validate --images {bench}")
    assert tree(bench) == before


def test_another_image_is_refused_before_anything_is_lost(attach, bench):
    attach([row("s1", "q1", RED)])
    before = tree(bench)
    with pytest.raises(InputError, match="the question 'q1' has another image already"):
        attach([row("s1", "q1", picture("green"))])
    assert tree(bench) == before


def test_images_got_from_addresses_are_attached_from_files(bench, tmp_path):
    (tmp_path / "2.jpg").write_bytes(RED)
    (tmp_path / "got.jsonl").write_text(json.dumps({"id": "q2", "image": "2.jpg", "image_url": "https://a.example"}))
    find_source("crag-mm").run(Request(str(tmp_path / "got.jsonl"), str(bench)), Ledger())
    assert load_benchmark(bench).questions[1].image.path == "images/q2.jpg"


def test_what_has_only_an_address_is_listed_and_nothing_is_fetched(attach, bench):
    rows = [row("s1", "q1", RED), row("s2", "q2", None, "https://images.example/2.jpg")]
    said, lines = attach(rows)
    assert said.startswith("Matched 2 of 3 questions; attached 1 image in")
    side = bench.parent / "bench.addresses.jsonl"
    what = f"questions with an address in place of an image, which is not fetched (listed in {side}): 1 left out"
    assert f"{what} (q2)" in lines
    assert json.loads(side.read_text()) == {"id": "q2", "image_url": "https://images.example/2.jpg"}
    assert not list((bench / "images").glob("q2*"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"no image", "questions with bytes that are no image: 1 left out (q1"),
        (b"", "questions with neither an image that is there nor an address: 1 left out (q1"),
        (None, "questions with neither an image that is there nor an address: 1 left out (q1"),
    ],
)
def test_what_is_no_image_is_named(attach, data, words):
    _, lines = attach([row("s1", "q1", data), row("s2", "q2", RED)])
    assert any(line.startswith(words) for line in lines)


def test_a_cut_off_image_is_named_and_not_attached(attach, bench):
    said, lines = attach([row("s1", "q1", picture("red", "JPEG", size=300)[:900]), row("s2", "q2", RED)])
    assert "attached 1 image" in said
    (line,) = [one for one in lines if one.startswith("questions with an image that cannot be opened: 1 left out (q1")]
    assert "cut off or damaged" in line
    assert load_benchmark(bench).questions[0].image is None


def test_without_pillow_images_are_taken_unopened(attach, monkeypatch):
    from gamut_eval.benchmark import images

    find = images.importlib.util.find_spec
    monkeypatch.setattr(images.importlib.util, "find_spec", lambda name: None if name == "PIL" else find(name))
    assert "attached 1 image" in attach([row("s1", "q1", RED[:300])])[0]


def test_a_second_image_of_a_question_is_named(attach):
    said, lines = attach([row("s1", "q1", RED), row("s2", "q1", BLUE), row("s3", "q1", RED)])
    assert "attached 1 image" in said
    assert any(one.startswith("further images of questions, of which the first is taken: 1 left out (q1") for one in lines)


@pytest.mark.parametrize("number", [3, "3", 3.5])
def test_a_quality_that_is_a_bare_number_is_left_out_and_named(attach, bench, number):
    _, lines = attach([row("s1", "q1", RED, quality=number)])
    assert load_benchmark(bench).questions[0].image.quality == ()
    assert f"qualities of images that are numbers without names: 1 left out ({number} of q1)" in lines


LABEL = {"names": ["normal", "blurred"], "_type": "ClassLabel"}


@pytest.mark.parametrize(
    "turns",
    [
        [{"image_quality": LABEL}],
        {"feature": {"image_quality": LABEL}, "_type": "Sequence"},
        {"feature": {"image_quality": LABEL}, "_type": "List"},
        {"feature": {"image_quality": LABEL}, "_type": "LargeList"},
    ],
)
def test_labels_have_their_names_wherever_they_are(bench, tmp_path, turns):
    rows = [row("s1", "q1", RED, quality=1), row("s2", "q2", RED, quality=-1) | {"image_quality": 1}]
    rows[0]["image_quality"] = None
    features = {"turns": turns, "image_quality": LABEL}
    noted = {"huggingface": json.dumps({"info": {"features": features}})}
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(tmp_path / "l.parquet", metadata=noted)
    ledger = Ledger()
    find_source("crag-mm").run(Request(str(tmp_path / "l.parquet"), str(bench)), ledger)
    assert [one.image.quality for one in load_benchmark(bench).questions[:2]] == [("blurred",), ("blurred",)]
    assert list(ledger.lines()) == ["questions that are not in the file: 1 left out (q3)"]


def test_turns_as_a_struct_of_lists_and_labels_as_numbers(attach, bench, tmp_path):
    some = row("s1", "q1", RED)
    some["turns"] = {"interaction_id": ["q1", "q3"], "image_quality": [1, 0]}
    label = {"names": ["normal", "blurred"], "_type": "ClassLabel"}
    features = {"turns": {"feature": {"image_quality": label}, "_type": "Sequence"}}
    path = tmp_path / "labelled.parquet"
    noted = {"huggingface": json.dumps({"info": {"features": features}})}
    pl.DataFrame([some]).write_parquet(path, metadata=noted)
    find_source("crag-mm").run(Request(str(path), str(bench)), Ledger())
    first, _, third = load_benchmark(bench).questions
    assert (first.image.quality, third.image.path) == (("blurred",), "images/q3.jpg")


def test_files_beside_the_table_and_none_outside(bench, tmp_path):
    (tmp_path / "crag" / "photos").mkdir(parents=True)
    (tmp_path / "crag" / "photos" / "1.png").write_bytes(RED)
    (tmp_path / "secret.jpg").write_bytes(BLUE)
    rows = [{"session_id": "q1", "image": "photos/1.png"}, {"session_id": "q2", "image": "../secret.jpg"}]
    rows.append({"session_id": "q3", "image": str(tmp_path / "secret.jpg")})
    path = tmp_path / "crag" / "in.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    ledger = Ledger()
    find_source("crag-mm").run(Request(str(path), str(bench)), ledger)
    first, second, third = load_benchmark(bench).questions
    assert (first.image.path, second.image, third.image) == ("images/q1.jpg", None, None)
    assert "leaves its folder" in "\n".join(ledger.lines())


def test_columns_under_other_names(attach, bench):
    rows = [{"photo": {"bytes": RED, "path": None}, "which": "q2"}]
    with pytest.raises(InputError, match="there is no column 'image'"):
        attach(rows)
    attach(rows, {"image": "photo", "id": "which"})
    assert load_benchmark(bench).questions[1].image.path == "images/q2.jpg"


def test_a_folder_that_is_no_benchmark_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"has no benchmark.yaml; -o names the benchmark folder"):
        find_source("crag-mm").run(Request("x.parquet", str(tmp_path)), Ledger())


def test_a_question_s_comments_stay(tmp_path):
    (tmp_path / "questions").mkdir()
    (tmp_path / "benchmark.yaml").write_text("name: b\n")
    file = tmp_path / "questions" / "q1.yaml"
    rubric = "{checks: [{id: a, tier: context, text: x}]}"
    text = f"# mine\r\nid: q1 # its id\r\ndomain: d\r\nquestion: What?\r\nrubric: {rubric}\r\n"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    pl.DataFrame([row("s1", "q1", RED)]).write_parquet(tmp_path / "crag.parquet")
    find_source("crag-mm").run(Request(str(tmp_path / "crag.parquet"), str(tmp_path)), Ledger())
    written = file.read_bytes()
    assert written.startswith(b"\xef\xbb\xbf# mine\r\nid: q1 # its id\r\n")
    assert b"image:\r\n  path: images/q1.jpg\r\n" in written
    assert load_benchmark(tmp_path).questions[0].image.path == "images/q1.jpg"


def test_the_images_of_a_large_table_are_not_all_in_memory(bench, tmp_path):
    import tracemalloc

    rows = [row(f"s{n}", f"q{n}", RED + bytes(300_000)) for n in range(1, 300)]
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(tmp_path / "crag.parquet", row_group_size=50)
    tracemalloc.start()
    find_source("crag-mm").run(Request(str(tmp_path / "crag.parquet"), str(bench)), Ledger())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 2**20
