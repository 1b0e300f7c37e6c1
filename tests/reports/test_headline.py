"""Which judge and variant the headline is about."""

from dataclasses import replace

import pytest

from gamut_eval.benchmark.settings import ScoringSettings, TierWeights
from gamut_eval.reports.kind import REGISTRY
from gamut_eval.reports.leaderboard import leaderboard_table
from gamut_eval.reports.ranking import main_facets
from gamut_eval.reports.shapes import plain


@pytest.fixture
def judged(source_of, question, answer):
    """A run of judges, of whom something else is told; ``x`` is kind, the others are not."""

    def make(**judges):
        verdicts = [("q", "a", f"c{n}", j, "meets" if j == "x" else "missing") for j in judges for n in range(3)]
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
    judges = [row[2] for row in leaderboard_table(source).rows]
    assert judges[0] == main
    assert sorted(judges) == ["panel", "x", "y"]  # x and y agree on nothing
    assert "consensus is left out: for every model there are checks on which" in plain(leaderboard_table(source).note)


@pytest.mark.parametrize(
    ("judges", "why"),
    [
        ({"x": {}, "y": {}}, " panel, the mean of all judges, goes first. "),
        ({"x": NOTED, "y": {}}, " y, the only judge without a warning, goes first. "),
        ({"x": NOTED, "y": {}, "z": {}}, " y, the first judge without a warning, goes first. "),
        (
            {"x": NOTED, "y": NOTED},
            " x, the judge added first, goes first; a panel of judges with a warning does not. ",
        ),
        (
            {"x": RECORDED, "y": {}},
            " x, the judge added first, goes first; a panel of recorded verdicts and judges that were asked here does",
        ),
    ],
)
def test_the_headline_says_why_it_is_of_that_judge(judged, judges, why):
    assert why in plain(REGISTRY.get("leaderboard").build(judged(**judges)).lead)


def test_a_single_judge_needs_no_reason(two_variants):
    assert "goes first" not in plain(REGISTRY.get("leaderboard").build(two_variants).lead)


def test_first_come_the_rows_that_the_headline_is_about(two_variants):
    assert [row[1] for row in leaderboard_table(two_variants).rows] == ["text only", "with image"]


def test_it_is_said_why_a_variant_has_fewer_questions(two_variants, source_of, question, answer):
    assert plain(leaderboard_table(two_variants).note).startswith(
        "Not in it (with image): 2 questions were not put to the models. "
    )
    questions = [question("q0", text_only="What?", image={"path": "a.jpg"}), question("q1", image={"path": "b.jpg"})]
    source = source_of(questions, [answer("q0", "a")], [("q0", "a", "c0", "j", "meets")])
    note = plain(leaderboard_table(source).note)
    assert note == "Not in it (text only): 1 question cannot be asked without its image. "
    question_without = [question("q0"), question("q1", text_only="What?", image={"path": "b.jpg"})]
    seen = answer("q1", "a") | {"variant": "image"}
    source = source_of(question_without, [seen], [("q1", "a", "c0", "j", "meets", {"variant": "image"})])
    assert plain(leaderboard_table(source).note) == "Not in it (with image): 1 question has no image. "


def test_how_a_score_is_made_is_told_with_the_numbers_used(two_variants):
    settings = ScoringSettings(
        lambda_=0.25, mu=-1.0, weights=TierWeights(answer_critical=2.0, valuable=1.0, context=0.0)
    )
    source = replace(two_variants, scores=replace(two_variants.scores, settings=settings))
    note = plain(REGISTRY.get("leaderboard").build(source).blocks[-1].words)
    assert "(meets + 0.25 × partially meets − 1 × contradicts) ÷ (meets + partially meets + missing + 1 × co" in note
    assert "Answer-Critical 2, Valuable 1, Context 0;" in note
    assert "Answer-Critical (AC): without it the answer is wrong; Valuable (Val): clearly better" in note


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
    counts = {title.partition(": ")[2].partition(",")[0]: [row[2] for row in rows] for title, rows in kinds.items()}
    assert counts == {"with image": [1], "text only": [6]}
