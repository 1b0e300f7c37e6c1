"""Runs as frames, and the page that shows how to look at them in a notebook."""

import re
from pathlib import Path

import polars as pl
import pytest

import gamut_eval
from gamut_eval.analysis.frames import pairs_frame, standings_frame
from gamut_eval.analysis.inference import Inference

PAGE = Path(__file__).parent.parent / "docs" / "notebook.md"
HOSTILE = "<img src=x onerror=alert(1)>"


def question(name):
    checks = [{"id": "c", "tier": "answer_critical", "text": "Says that grass is green."}]
    return {"id": name, "domain": "food", "question": f"What is {name}?", "rubric": {"checks": checks}}


@pytest.fixture
def run():
    texts = {"good": "Grass is green.", HOSTILE: "I would not know.", "none": None}
    answers = [
        {"question_id": name, "model": model, "variant": "text_only"}
        | ({"error": "HTTP 500"} if text is None else {"response": text})
        for name in ("q1", "q2", "q3")
        for model, text in texts.items()
    ]
    with gamut_eval.evaluate([question(name) for name in ("q1", "q2", "q3")], answers) as run:
        yield run


def test_the_leaderboard_is_a_frame_of_its_rows(run):
    scores = run.scores()
    frame = scores.leaderboard()
    assert frame.columns[:5] == ["model", "variant", "judge", "n_questions", "n_incomplete"]
    for row, shown in zip(scores.rows, frame.iter_rows(named=True), strict=True):
        own = row.to_dict()
        low, high = own.pop("bounds")
        tiers, verdicts = own.pop("tiers"), own.pop("verdicts")
        assert shown == own | {"low": low, "high": high} | tiers | verdicts
    assert dict(frame.select("model", "gamut").iter_rows()) == {"good": 1.0, HOSTILE: 0.0, "none": None}


def test_scores_show_themselves_in_a_notebook_with_names_as_text(run):
    shown = run.scores()._repr_html_()
    assert shown.count("<tr>") == 2 + 3  # names, types, models
    assert "<img" not in shown
    assert "&lt;img src=x onerror=alert(1)&gt;" in shown


def test_standings_are_a_row_a_model_best_first(run):
    frame = run.standings()
    assert frame["model"].to_list() == ["good", HOSTILE, "none"]
    assert frame["gamut"].to_list() == [1.0, 0.0, None]
    assert frame["rank"].to_list() == [1, 2, None]
    assert frame["why"].to_list() == [
        *["every question has the same score"] * 2,
        "a question lacks an answer or a verdict, so there is no mean",
    ]
    assert frame["low"].null_count() == 3


def test_pairs_are_a_row_a_pair_the_better_one_first(run):
    (pair,) = run.pairs().iter_rows(named=True)
    assert (pair["one"], pair["other"], pair["difference"], pair["n_shared"]) == ("good", HOSTILE, 1.0, 3)
    assert (pair["wins"], pair["ties"], pair["losses"], pair["p"], pair["p_holm"]) == (3, 0, 0, 0.25, 0.25)
    assert (pair["low"], pair["p_bootstrap"]) == (None, None)
    assert pair["why"].startswith("the difference is the same on every shared question")


def test_frames_without_a_row_have_their_columns():
    assert standings_frame([]).columns[:4] == ["variant", "judge", "model", "gamut"]
    assert pairs_frame([]).columns[:4] == ["variant", "judge", "one", "other"]


def test_scores_and_method_may_be_given(run):
    strict = run.scores(gamut_eval.ScoringSettings(mu=-3))
    how = Inference(level=0.5, replicates=500, seed=1)
    frame = run.standings(strict, how)
    assert frame.equals(standings_frame(run._contests(strict, how)))


def test_responses_are_a_frame_with_their_lengths(run):
    frame = run.response_frame()
    assert frame.height == 9
    assert frame.filter(model="good", question_id="q1").rows() == [
        ("q1", "good", "text_only", 0, "Grass is green.", None, 3)
    ]
    assert frame.filter(model="none")["error"].to_list() == ["HTTP 500"] * 3
    assert frame.filter(model="none")["n_words"].to_list() == [None] * 3


def test_frames_become_pandas(run):
    frame = run.scores().leaderboard().to_pandas()
    assert list(frame["model"]) == run.scores().leaderboard()["model"].to_list()
    assert frame.loc[frame["model"] == "none", "gamut"].isna().all()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """What the page's code leaves behind, run from top to bottom beside a run that `gamut demo` made."""
    from gamut_eval.cli.main import run as command

    folder = tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert command(["demo"]) == 0
        cells = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        names = {}
        for cell in cells:
            exec(compile(cell, str(PAGE), "exec"), names)  # noqa: S102 (our own page)
    return names


@pytest.mark.parametrize("name", ["leaderboard", "shares", "length"])
def test_the_charts_of_the_page_can_be_drawn(page, name, tmp_path):
    file = tmp_path / f"{name}.svg"
    page[name].save(file)
    drawn = file.read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "qwen2.5-coder-1.5b-instruct" in drawn
    assert {"leaderboard": "95% interval", "shares": "partially_meets", "length": "words in the answer"}[name] in drawn


def test_the_charts_show_every_answer_and_every_check(page):
    assert page["by_answer"].height == page["scores"].questions.filter(judge="reference").height > 0
    shown = dict(page["counted"].group_by("model").agg(pl.col("n").sum()).iter_rows())
    assert set(shown) == set(page["one_judge"]["model"])
    assert len(set(shown.values())) == 1  # as many checks for each model


def test_the_page_names_only_what_there_is(page):
    text = PAGE.read_text(encoding="utf-8")
    for owner, name in re.findall(r"^\| `(run|scores)\.(\w+)", text, re.MULTILINE):
        assert hasattr(page[owner], name), f"{owner}.{name}"
