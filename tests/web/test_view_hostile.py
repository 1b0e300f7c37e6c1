"""Texts and names that mean harm, in every place where they can stand: shown as text, and nothing else."""

import json
import os
import sqlite3
from html.parser import HTMLParser
from urllib.parse import quote

import pytest

import gamut_eval
from view_server import answer, question, verdict, viewed, write_run

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'\u202egnp.\u0000\x1b[31m"
NAME = EVIL[:-6]  # benchmarks and names take no control characters, answers and verdicts any
URLS = ("javascript:alert(3)", 'https://example.org/"onclick=alert(4)', "https://ok.example/a")
PLACES = (
    "/",
    "/questions",
    "/checks",
    "/questions/q..1",
    "/questions?q=alert",
    f"/questions/q..1?models={quote(NAME)}",
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "a <b>run"
    items = [{"id": "i", "type": "simple", "tier": "valuable", "statement": NAME, "evidence": ["e1", "e2", "e3"]}]
    evidence = [
        {"id": f"e{n}", "url": url, "title": NAME, "summary": NAME, "retrieved": "2026-11-30", "reviews": []}
        for n, url in enumerate(URLS, 1)
    ]
    asked = question("q..1", domain=NAME, question=NAME, group=NAME, subject=NAME)
    asked["rubric"] = {"items": items, "evidence": evidence}
    asked["image"] = {"path": "<img>.png", "license": NAME, "source": NAME, "quality": [NAME]}
    asked["text_only"] = NAME
    said = {"quote": "alert(1)", "rationale": EVIL, "flags": ["quote_not_in_response", EVIL]}
    rows = [verdict("q..1", NAME, "i", NAME, "meets", **said), verdict("q..1", "b", "i", NAME, None)]
    rows[1]["error"] = {"code": EVIL, "message": EVIL}
    answers = [answer("q..1", NAME, EVIL), answer("q..1", "b", EVIL), answer("q..1", "c", error=EVIL)]
    write_run(folder, [asked], answers, rows)
    with viewed(folder) as site:
        yield site


class Elements(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


@pytest.mark.parametrize("path", PLACES)
def test_hostile_text_adds_no_element_and_no_attribute(hostile, path):
    page = hostile.get(path)
    assert page.status == 200, page.words
    assert "alert(1)" in page.text
    elements = Elements(page.text).found
    assert [attributes["src"] for tag, attributes in elements if tag == "script"] == ["/static/view.js"]
    assert not [tag for tag, _ in elements if tag == "img"]
    names = {name for _, attributes in elements for name in attributes}
    assert not [name for name in names if name.startswith("on") or name == "style"]
    links = [attributes["href"] for tag, attributes in elements if tag == "a"]
    assert not [to for to in links if not to.startswith(("/", "#", "https://ok.example/"))]


@pytest.mark.parametrize("path", PLACES)
def test_what_nobody_sees_is_made_visible(hostile, path):
    page = hostile.get(path).text
    assert not set(page) & {"\u202e", "\x00", "\x1b"}


def test_links_to_the_web_give_nothing_away(hostile):
    elements = Elements(hostile.get("/questions/q..1").text).found
    outward = [attributes for tag, attributes in elements if tag == "a" and attributes["href"].startswith("http")]
    assert outward
    assert {attributes["rel"] for attributes in outward} == {"noopener noreferrer nofollow"}


def test_a_mistaken_address_is_shown_as_text(hostile):
    page = hostile.get(f"/?model={quote(EVIL)}2")
    assert page.status == 400
    assert not [tag for tag, _ in Elements(page.text).found if tag == "img"]


def test_flags_errors_and_what_is_not_in_the_answer_are_told(hostile):
    words = hostile.get("/questions/q..1").words
    assert "doubtful: the quote is not in the answer" in words
    assert "No answer to judge: <script>" in words


def test_doubtful_and_failed_can_be_looked_for(hostile):
    assert hostile.get("/questions?state=doubtful").listed == ["q..1"]
    assert hostile.get("/questions?state=failed").listed == ["q..1"]
    assert hostile.get("/questions?state=failed&model=b").listed == ["q..1"]
    assert hostile.get("/questions?state=failed&model=c").listed == ["q..1"]
    assert hostile.get(f"/questions?state=failed&model={quote(NAME)}").listed == []
    assert hostile.get("/questions?state=incomplete&model=b").listed == ["q..1"]


# --- images ---------------------------------------------------------------------------------------


@pytest.fixture
def pictured(tmp_path):
    """A function from the bytes of an image file to the viewer of a run that has it."""
    image = pytest.importorskip("PIL.Image")

    def make(data=None, path="images/a.png", **more):
        bench = tmp_path / "bench"
        (bench / "images").mkdir(parents=True)
        if data is None:
            image.new("RGB", (30, 20), "red").save(bench / path)
        else:
            (bench / path).write_bytes(data)
        row = question("q1", text_only="What is it?") | {"image": {"path": path} | more}
        (bench / "bench.jsonl").write_text(json.dumps(row) + "\n")
        benchmark = gamut_eval.load_benchmark(bench / "bench.jsonl")
        rows = [verdict("q1", "m", f"c{at}", "j", "meets", variant="image") for at in range(3)]
        write_run(tmp_path / "run", benchmark, [answer("q1", "m", variant="image")], rows)
        return bench, viewed(tmp_path / "run")

    return make


def test_an_image_is_shown_from_where_the_run_says(pictured):
    import io

    from PIL import Image

    _, opened = pictured()
    with opened as site:
        assert 'src="/questions/q1/image"' in site.get("/questions/q1").text
        reply = site.get("/questions/q1/image")
        assert reply.headers["content-type"] == "image/jpeg"
        picture = Image.open(io.BytesIO(reply.data))
        assert picture.size == (30, 20)
        assert picture.getpixel((5, 5))[0] > 200


def test_an_image_that_is_gone_leaves_a_placeholder(pictured):
    bench, opened = pictured()
    os.rename(bench, bench.with_name("elsewhere"))
    with opened as site:
        page = site.get("/questions/q1")
        assert "The image cannot be shown" in page.words
        assert "/image" not in page.text.replace("/images/", "")
        assert site.get("/questions/q1/image").status == 404


def test_benchmark_says_where_the_images_are(pictured, tmp_path):
    bench, _ = pictured()
    moved = bench.rename(bench.with_name("elsewhere"))
    with viewed(tmp_path / "run", root=moved) as site:
        assert site.get("/questions/q1/image").headers["content-type"] == "image/jpeg"


def test_a_page_that_is_called_an_image_is_not_served(tmp_path, pictured):
    bench, _ = pictured()
    (bench / "images/a.png").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    with viewed(tmp_path / "run") as site:
        assert "is no image" in site.get("/questions/q1").words
        reply = site.get("/questions/q1/image")
        assert reply.status == 404
        assert b"<script>" not in reply.data


def test_a_run_without_a_benchmark_file_says_what_to_do(tmp_path):
    row = question("q1", text_only="What is it?") | {"image": {"path": "a.png"}}
    rows = [verdict("q1", "m", f"c{at}", "j", "meets") for at in range(3)]
    with viewed(write_run(tmp_path / "run", [row], [answer("q1", "m")], rows)) as site:
        assert "gamut view --benchmark PATH" in site.get("/questions/q1").words


def test_a_journal_that_leads_to_another_folder_shows_none_of_it(pictured, tmp_path):
    bench, _ = pictured()
    (tmp_path / "secret.png").write_bytes((bench / "images/a.png").read_bytes())
    os.remove(bench / "images/a.png")
    os.symlink(tmp_path / "secret.png", bench / "images/a.png")
    with viewed(tmp_path / "run") as site:
        assert site.get("/questions/q1/image").status == 404


def test_ids_that_no_question_may_have_make_a_damaged_journal(tmp_path):
    from gamut_eval.errors import JournalError

    folder = write_run(
        tmp_path / "run", [question("q1")], [answer("q1", "m")], [verdict("q1", "m", "c0", "j", "meets")]
    )
    with sqlite3.connect(folder / "run.sqlite") as db:
        db.execute("UPDATE questions SET json = replace(json, '\"q1\"', '\"../q1\"')")
    with pytest.raises(JournalError, match="damaged"), viewed(folder):
        pass
