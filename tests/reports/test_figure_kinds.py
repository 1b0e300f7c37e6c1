"""Sections with figures: their numbers, what they say, and what they do where there is little."""

import pytest

from gamut_eval.analysis.variants import variant_shifts
from gamut_eval.reports.html.drawing import drawings
from gamut_eval.reports.kind import REGISTRY
from gamut_eval.reports.shapes import Figure, plain

KINDS = ("standings", "variants", "distribution", "judges", "length")


def built(source, name):
    return REGISTRY.get(name).build(source)


def rows_of(figure):
    titles = [column.title for column in figure.data.columns]
    return {row[0]: dict(zip(titles, row, strict=True)) for row in figure.data.rows}


def graded(source_of, question, answer, **verdicts_of):
    """Questions of one check each; a model's verdicts in their order, None an error."""
    n = max(map(len, verdicts_of.values()))
    questions = [question(f"q{k:02}", ["valuable"]) for k in range(n)]
    answers = [answer(f"q{k:02}", m, "word " * (k + 1)) for m in verdicts_of for k in range(n)]
    rows = [(f"q{k:02}", m, "c0", "j", v) for m, given in verdicts_of.items() for k, v in enumerate(given)]
    return source_of(questions, answers, rows)


M, P, N, C = "meets", "partially_meets", "missing", "contradicts"


def test_a_difference_that_is_sure_is_called_so(source_of, question, answer):
    source = graded(source_of, question, answer, a=[M] * 39 + [N], b=[N] * 20 + [M] * 20)
    (figure,) = built(source, "standings").blocks
    said = plain(figure.reading)
    assert said.startswith("a is ahead of b by 47.5 points (95% interval ")
    assert "which is significant after Holm’s correction (p " in said
    rows = rows_of(figure)
    assert (rows["a"]["Gamut"], rows["b"]["Gamut"]) == (0.975, 0.5)
    assert (rows["a"]["Group"], rows["b"]["Group"]) == ("a", "b")
    assert rows["a"]["Interval"][0] < 0.975 < rows["a"]["Interval"][1]
    assert (rows["a"]["Rank"], rows["b"]["Rank interval"], rows["b"]["Questions"]) == (1, (2, 2), 40)


def test_a_difference_that_is_not_sure_is_called_so(source_of, question, answer):
    source = graded(source_of, question, answer, a=[M, N] * 20, b=[N, M] * 19 + [N, N])
    (figure,) = built(source, "standings").blocks
    assert "is ahead of b by 2.5 points" in plain(figure.reading)
    assert "not significant after Holm’s correction" in plain(figure.reading)
    assert {row["Group"] for row in rows_of(figure).values()} == {"a"}


def test_all_are_named_that_cannot_be_told_from_the_first(source_of, question, answer):
    given = {"a": [M] * 40, "b": [M] * 39 + [N], "c": [M] * 38 + [N] * 2, "d": [N] * 40}
    (figure,) = built(graded(source_of, question, answer, **given), "standings").blocks
    assert plain(figure.reading).startswith("a is ahead of b by 2.5 points (")
    assert plain(figure.reading).endswith("). c cannot be told apart from the first either.")


def test_intervals_say_how_they_were_made(source_of, question, answer):
    given = {"a": [M, N] * 10, "b": [N] * 20, "c": [M] * 20, "d": [M] * 19 + [N]}
    section = built(graded(source_of, question, answer, **given), "standings")
    lead = plain(section.lead)
    assert lead.startswith("Whiskers are intervals: 95% percentile bootstrap, 10,000 resamples of questions, seed 0.")
    assert "for 6 comparisons (sign-flip permutation test, level 0.05)" in lead


def test_one_question_has_no_interval_and_the_reason_is_said(source_of, question, answer):
    (figure,) = built(graded(source_of, question, answer, a=[P]), "standings").blocks
    assert (
        plain(figure.reading)
        == "a scores 50.0; how sure that is cannot be told: one question: there is nothing to resample."
    )
    assert rows_of(figure)["a"]["Interval"] is None


def test_no_score_at_all(source_of, question, answer):
    source = graded(source_of, question, answer, a=[None, M], b=[None, None])
    (figure,) = built(source, "standings").blocks
    assert "No model has a score yet" in plain(figure.reading)
    assert [row["Gamut"] for row in rows_of(figure).values()] == [None, None]
    assert drawings([figure])[0].get(figure)
    assert built(source, "judges") is None
    assert built(source, "variants") is None
    (figure,) = built(source, "distribution").blocks
    assert rows_of(figure)["b"]["Median"] is None
    assert rows_of(figure)["a"]["Questions"] == (1, 2)


def test_a_histogram_has_every_question_in_its_bin(source_of, question, answer):
    source = graded(source_of, question, answer, a=[M, M, P, N, C])
    (figure,) = built(source, "distribution").blocks
    models, low = figure.draw.args
    assert low == -1.0
    assert models[0].counts == (1, *[0] * 9, 1, *[0] * 4, 1, *[0] * 3, 2)
    assert rows_of(figure)["a"]["At 100, %"] == 0.4
    assert rows_of(figure)["a"]["Below 0, %"] == 0.2
    assert plain(figure.reading) == "a: the middle half of its scores spans 100.0 points."


def test_length_goes_with_score_where_it_does(source_of, question, answer):
    questions = [question(f"q{n}", ["valuable"]) for n in range(12)]
    answers = [answer(q["id"], m, "word " * n) for q in questions for m, n in (("short", 10), ("long", 80))]
    rows = [
        (q["id"], m, "c0", "j", M if m == "long" or n % 4 == 0 else N)
        for n, q in enumerate(questions)
        for m in ("short", "long")
    ]
    (figure,) = built(source_of(questions, answers, rows), "length").blocks
    assert "the longer ones score higher" in plain(figure.reading)
    row = figure.data.rows[0]
    assert row[:4] == ("long", 80.0, 80.0, 80.0)
    assert row[4:] == (1.0, 1.0, 1.0)


def test_length_without_two_answers_to_a_question(source_of, question, answer):
    (figure,) = built(graded(source_of, question, answer, a=[M, N]), "length").blocks
    assert plain(figure.reading).startswith("Whether longer answers score higher cannot be said: too few answers")


@pytest.fixture
def two_variants(source_of, question, answer):
    """Scores with image 50, 25 and text only 75, 100: the ranking is turned round."""
    questions = [
        question(
            f"q{n}",
            ["valuable"],
            text_only=f"Name {n}?",
            image={"package": "p", "path": f"{n}.png", "sha256": f"{n:064}"},
        )
        for n in range(4)
    ]
    given = {("a", "image"): 2, ("b", "image"): 1, ("a", "text_only"): 3, ("b", "text_only"): 4}
    answers = [answer(q["id"], m, variant=v) for m, v in given for q in questions]
    rows = [
        (f"q{k}", m, "c0", j, M if k < n else N, {"variant": v})
        for (m, v), n in given.items()
        for k in range(4)
        for j in ("x", "y")
    ]
    return source_of(questions, answers, rows)


def test_variants_side_by_side(two_variants):
    (figure,) = built(two_variants, "variants").blocks
    rows = rows_of(figure)
    assert (rows["a"]["With image"], rows["a"]["Text only"], rows["a"]["Gain"]) == (0.5, 0.75, 0.25)
    assert rows["b"]["Gain"] == 0.75
    assert plain(figure.reading) == (
        "Text only is 25.0 (a) to 75.0 (b) points higher, over the 4 questions that count in both. "
        "The rankings agree with Kendall’s tau −1.00 (1: the same)."
    )
    _, lines, _ = figure.draw.args
    assert {line.name: line.places for line in lines} == {"a": (2 / 3, 1 / 3), "b": (1.0, 0.0)}
    assert all(line.marked for line in lines)


def test_a_gain_is_over_the_questions_that_count_in_both(source_of, question, answer):
    questions = [
        question(
            f"q{n}",
            ["valuable"],
            text_only=f"Name {n}?" if n else None,  # the first cannot be asked without its image
            image={"package": "p", "path": f"{n}.png", "sha256": f"{n:064}"},
        )
        for n in range(4)
    ]
    said = {"image": [M, M, N, N], "text_only": [None, M, M, N]}
    asked = [(q["id"], v, verdict) for v in said for q, verdict in zip(questions, said[v], strict=True) if verdict]
    answers = [answer(q, "a", variant=v) for q, v, _ in asked]
    source = source_of(questions, answers, [(q, "a", "c0", "x", verdict, {"variant": v}) for q, v, verdict in asked])
    (figure,) = built(source, "variants").blocks
    row = rows_of(figure)["a"]
    assert (row["With image"], row["Text only"]) == (0.5, pytest.approx(2 / 3))
    assert (row["Gain"], row["Over questions"]) == (pytest.approx(1 / 3), 3)  # the means differ by 1/6
    assert plain(figure.reading) == (
        "a scores 33.3 points more text only than with image, over the 3 questions that count in both."
    )
    assert figure.data.rows[0][3] == pytest.approx(variant_shifts(source)[0].shifts[0].difference.interval.estimate)


def test_judges_that_rank_alike_and_otherwise(source_of, question, answer):
    questions = [question(f"q{n}", ["valuable"]) for n in range(3)]
    met = {("x", "a"): 3, ("x", "b"): 2, ("x", "c"): 0, ("y", "a"): 2, ("y", "b"): 3, ("y", "c"): 0}
    rows = [(f"q{k}", m, "c0", j, M if k < n else N) for (j, m), n in met.items() for k in range(3)]
    source = source_of(questions, [answer(q["id"], m) for q in questions for m in "abc"], rows)
    (figure,) = built(source, "judges").blocks
    assert plain(figure.reading) == (
        "Kendall’s tau of the rankings (1: the same order): x and y 0.33. Mean score: x 55.6 and y 55.6."
    )
    assert [(row[0], row[1], row[3]) for row in figure.data.rows] == [("a", 1, 2), ("b", 2, 1), ("c", 3, 3)]
    lines = figure.draw.args[1]
    assert [line.marked for line in lines] == [True, True, False]


def test_kinds_of_checks_are_compared(source_of, answer):
    items = [
        {"id": "f", "type": "simple", "tier": "valuable", "statement": "It is red."},
        {"id": "l", "type": "strict_list", "tier": "valuable", "topic": "parts", "options": ["wheel", "door"]},
    ]
    question = {"id": "q", "domain": "d", "question": "What?", "rubric": {"items": items}}
    rows = [("q", "a", "f", "j", M), ("q", "a", "l/wheel", "j", M), ("q", "a", "l/door", "j", N)]
    (table,) = built(source_of([question], [answer("q", "a")], rows), "item_types").blocks
    assert table.rows == (("Fact", 1, 1.0), ("List item", 2, 0.5))
    assert plain(table.note) == "Over all models, facts are met most often (100.0%), list items least (50.0%)."


@pytest.mark.parametrize("name", KINDS)
def test_every_figure_has_a_title_a_reading_and_its_numbers(two_variants, name):
    section = built(two_variants, name)
    for figure in section.blocks:
        assert isinstance(figure, Figure)
        assert plain(figure.title)
        assert plain(figure.reading).endswith(".")
        assert len(figure.data.rows) == 2
    assert drawings(section.blocks)[0].get(section.blocks[0])
