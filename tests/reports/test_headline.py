"""Which judge and variant the headline is about."""

from dataclasses import replace

import pytest

from gamut_eval.reports.kind import REGISTRY
from gamut_eval.reports.kinds.leaderboard import leaderboard_table
from gamut_eval.reports.ranking import main_facets
from gamut_eval.reports.shapes import plain


@pytest.fixture
def judged(source_of, question, answer):
    """A run of judges ``x`` and ``y``, of whom something else is told."""

    def make(**judges):
        verdicts = [("q", "a", f"c{n}", j, v) for j, v in (("x", "meets"), ("y", "missing")) for n in range(3)]
        source = source_of([question("q")], [answer("q", "a")], verdicts)
        return replace(source, judges={name: {"settings": {}, "note": None} | about for name, about in judges.items()})

    return make


RECORDED = {"settings": {"recorded": "abc"}}
NOTED = {"note": "Matches words."}


@pytest.mark.parametrize(
    ("judges", "main"),
    [
        ({"x": {}, "y": {}}, "panel"),
        ({"x": RECORDED, "y": RECORDED}, "panel"),
        ({"x": NOTED, "y": {}}, "y"),
        ({"x": NOTED, "y": RECORDED}, "y"),
        ({"x": RECORDED, "y": {}}, "x"),
        ({"y": {}, "x": RECORDED}, "y"),  # the first that was added
        ({"x": NOTED, "y": NOTED}, "x"),
    ],
)
def test_the_panel_is_in_the_headline_only_where_its_judges_are_of_a_kind(judged, judges, main):
    source = judged(**judges)
    assert [facet.judge for facet in main_facets(source)] == [main]
    assert f"judged by {main})" in plain(REGISTRY.get("leaderboard").build(source).lead)
    assert main in plain(REGISTRY.get("missed").build(source).blocks[0].title)
    assert {row[2] for row in leaderboard_table(source).rows} == {"x", "y", "panel", "consensus"}


@pytest.fixture
def two_variants(source_of, question, answer):
    """Three questions as text, one of them with its image, too."""
    questions = [
        question(f"q{n}", ["valuable"] * (n + 1), image={"path": "a.jpg"}, text_only="What?") for n in range(3)
    ]
    asked = [(f"q{n}", "text_only", n + 1) for n in range(3)] + [("q0", "image", 1)]
    answers = [answer(q, "a") | {"variant": variant} for q, variant, _ in asked]
    verdicts = [
        (q, "a", f"c{n}", "j", "meets" if variant == "image" else "missing", {"variant": variant})
        for q, variant, n_checks in asked
        for n in range(n_checks)
    ]
    return source_of(questions, answers, verdicts, subset=True)


def test_the_headline_is_of_the_variant_with_most_questions(two_variants):
    lead = plain(REGISTRY.get("leaderboard").build(two_variants).lead)
    assert lead.startswith("a scores 0.0 (text only, judged by j).")


def test_the_number_of_checks_of_a_kind_is_that_of_the_variant(two_variants):
    tables = REGISTRY.get("missed").build(two_variants).blocks
    kinds = {plain(table.title): table.rows for table in tables if "By kind" in plain(table.title)}
    counts = {title.partition(": ")[2].partition(",")[0]: [row[1] for row in rows] for title, rows in kinds.items()}
    assert counts == {"with image": [1], "text only": [6]}
