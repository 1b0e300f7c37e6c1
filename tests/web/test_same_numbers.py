"""One run has one set of numbers: the report, the viewer and `gamut compare` give the same intervals and letters."""

import html
import re
import zlib

import pytest

import gamut_eval
from gamut_eval.reports.html.page import render_page
from gamut_eval.reports.wording import interval, percent
from gamut_eval.run import Run
from view_server import answer, question, verdict, viewed, write_run

MODELS = tuple(f"m{place}" for place in range(6))


def _run(folder):
    """Six models, each better than the one before, on 40 questions of one check."""
    questions = [question(f"q{at}", 1) for at in range(40)]
    rows = [
        verdict(
            row["id"], model, "c0", "x", "meets" if zlib.crc32(f"{row['id']}{model}".encode()) % 8 <= at else "missing"
        )
        for row in questions
        for at, model in enumerate(MODELS)
    ]
    return write_run(folder, questions, [answer(row["id"], model) for row in questions for model in MODELS], rows)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The contest as plain data, and the rows of tables by where they stand."""
    folder = _run(tmp_path_factory.mktemp("same") / "run")
    (contest,) = gamut_eval.compare(folder, show="main").to_dict()["main"]["contests"]
    with Run.open(folder) as run:
        report = render_page(run.source(run.scores()))
    with viewed(folder) as site:
        overview = site.until(lambda page: "Models that share a letter" in page.text).text
    return contest, {"report": _rows(report), "viewer": _rows(overview)}


def _rows(page):
    rows = re.findall(r"<tr.*?</tr>", page, re.DOTALL)
    return [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", row)).replace("−", "-").split()) for row in rows]


@pytest.mark.parametrize("place", ["report", "viewer"])
def test_intervals_and_letters_are_those_of_compare(shown, place):
    contest, rows = shown
    assert len({tuple(model["alike"]) for model in contest["models"]}) > 2
    for model in contest["models"]:
        low, high = model["interval"]["low"], model["interval"]["high"]
        about = [percent(model["gamut"]), interval((low, high)), " ?".join(model["alike"])]
        own = [row for row in rows[place] if f"{model['model']} " in row]
        assert any(all(re.search(rf"(?<!\S){part}(?!\S)", row) for part in about) for row in own), (about, own)
