"""Titles name the variant and judge where a run has several, and it is said where only one of its judges is shown."""

from dataclasses import replace

import pytest

from gamut_eval.analysis.inference import Inference
from gamut_eval.reports import kind, table_kind
from gamut_eval.reports.shapes import plain

NAMED = ("standings", "distribution", "item_types", "length")
ONLY = "Only as judged by y (the only judge without a warning)"


@pytest.fixture
def run(source_of, question, answer):
    """Two models, text only; of the judges ``x`` comes with a warning."""

    def make(*judges):
        rows = [
            (q, m, f"c{n}", j, "meets" if (m, q) == ("a", "q1") else "missing")
            for q in ("q1", "q2", "q3")
            for m in "ab"
            for n in range(2)
            for j in judges
        ]
        questions = [question(q, ["valuable"] * 2) for q in ("q1", "q2", "q3")]
        texts = {"a": "one two three", "b": "one two"}
        answers = [answer(q, m, texts[m]) for q in ("q1", "q2", "q3") for m in "ab"]
        source = source_of(questions, answers, rows)
        checks = [replace(check, kind="step") if check.id == "c1" else check for check in source.checks]
        about = {name: {"settings": {}, "note": "Matches words." if name == "x" else None} for name in judges}
        return replace(source, checks=checks, judges=about, inference=Inference(replicates=200))

    return make


@pytest.mark.parametrize("name", NAMED)
def test_the_report_names_the_judge_that_it_shows_of_several(run, name):
    section = kind.REGISTRY.get(name).build(run("x", "y"))
    assert [plain(block.title).partition(": ")[2] for block in section.blocks] == ["text only, judged by y"]
    assert plain(section.lead).endswith(f" {ONLY}. ")


@pytest.mark.parametrize("name", NAMED)
def test_the_report_of_a_single_judge_names_it_in_no_title(run, name):
    section = kind.REGISTRY.get(name).build(run("y"))
    assert all("judged by" not in plain(block.title) for block in section.blocks)
    assert "Only as" not in plain(section.lead)


@pytest.mark.parametrize("name", ["length", "missed", "sensitivity", "by"])
def test_tables_name_their_judge_and_the_first_says_how_to_see_another(run, name):
    source, build = run("x", "y"), table_kind.REGISTRY.get(name).build
    first, *others = build(source, table_kind.Wanted()).tables
    assert {plain(table.of) for table in (first, *others)} == {"text only, judged by y"}
    assert plain(first.note).startswith(f"{ONLY}; '--judge NAME' shows another. ")
    assert not any("Only as" in plain(table.note) for table in others)
    narrowed = build(source.where(judges=["x"]), table_kind.Wanted()).tables
    assert {plain(table.of) for table in narrowed} == {"text only, judged by x"}
    assert "Only as" not in plain(narrowed[0].note)


def test_where_the_panel_goes_first_a_judge_of_its_own_can_still_be_shown(run):
    first, *_ = table_kind.REGISTRY.get("missed").build(run("y", "z"), table_kind.Wanted()).tables
    assert plain(first.note).startswith("Only as judged by panel (the mean of all judges); '--judge NAME' shows ")


def test_a_judge_that_leads_for_want_of_scores_by_others_is_not_said_to_go_first(run):
    source = run("x", "y")
    rows = tuple(replace(row, gamut=None) if row.judge != "x" else row for row in source.scores.rows)
    lead = plain(kind.REGISTRY.get("leaderboard").build(replace(source, scores=replace(source.scores, rows=rows))).lead)
    assert "judged by x)" in lead
    assert "goes first" not in lead
