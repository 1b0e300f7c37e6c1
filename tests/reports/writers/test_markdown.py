import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from gamut_eval.reports.shapes import Column, Table
from gamut_eval.reports.wording import visible
from gamut_eval.reports.writers.markdown import markdown, markdown_paragraph, markdown_text

GOLDEN = Path(__file__).parents[2] / "golden" / "writers"
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
JOINER = "\u2060"


def tags(text):
    """The tags that a renderer makes of it, and the text that is left."""
    html = RENDERER.render(text)
    return set(re.findall(r"</?(\w+)", html)), html


def flat(text):
    return " ".join(visible(text).split())


def test_hostile_names_are_read_and_nothing_else(hostile):
    made, _ = tags(markdown(hostile))
    assert made == {"table", "thead", "tbody", "tr", "th", "td", "p", "strong"}


def test_every_cell_shows_the_name_itself(hostile):
    tokens = [token for token in RENDERER.parse(markdown(hostile)) if token.type == "inline"]
    cells = ["".join(child.content for child in token.children).replace(JOINER, "") for token in tokens]
    for row in hostile.rows:
        assert cells.count(flat(row[0])) >= 2


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("@me", r"@\w"),
        ("x@y.example", r"@\w"),
        ("see #12", r"#\d"),
        ("a/b#12", r"#\d"),
        ("GH-12", r"GH-\d"),
        ("http://a.example", r":/"),
        ("WWW.a.example", r"WWW\."),
        (":smile:", r":\w+:"),
    ],
)
def test_what_renderers_look_for_in_finished_text_is_parted(text, broken):
    assert re.search(broken, text)
    escaped = markdown_text(text)
    assert not re.search(broken, escaped)
    assert escaped.replace(JOINER, "") == text


@pytest.mark.parametrize("text", ["gpt-5.4 (high)", "Qwen3-VL 235B", "text only, judged by x/y", "12:30, a: b", "-0.5"])
def test_ordinary_names_are_left_alone(text):
    assert markdown_text(text) == text


@pytest.mark.parametrize(
    "text", ["1. a", "1) a", "- a", "+ a", "# a", "---", "===", "* a", "> a", "    a", "```", "~~~"]
)
def test_a_paragraph_is_one_whatever_it_begins_with(text):
    made, html = tags(markdown_paragraph(text))
    assert made == {"p"}
    assert text.strip().replace(">", "&gt;") in html


def test_numbers_are_those_that_people_read():
    columns = (Column("Model"), Column("Gamut", "percent", group="Scores"), Column("n", "coverage"))
    text = markdown(Table(columns, (("a", -0.0512, (5, 10)), ("b", None, None)), title=("T",), note=("N.",)))
    assert text.splitlines() == [
        "**T**",
        "",
        "| Model | Scores: Gamut | n |",
        "| :-- | --: | --: |",
        "| a | -5.1 | 5 of 10 complete |",
        "| b | n/a | n/a |",
        "",
        "N.",
    ]


def test_an_empty_table():
    assert markdown(Table((), ())) == ""


def test_the_golden_file(hostile):
    assert markdown(hostile).encode() == (GOLDEN / "hostile.md").read_bytes()
