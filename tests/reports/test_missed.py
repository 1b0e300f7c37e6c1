"""What was missed: which checks are listed, in what order, with which words and links."""

import re

import pytest

from gamut_eval.reports import views
from gamut_eval.reports.html.page import render_page
from gamut_eval.reports.kind import REGISTRY
from gamut_eval.reports.kinds import missed
from gamut_eval.reports.shapes import plain

GIVEN = {
    "a": ("meets", "missing", "meets", "missing", "contradicts"),
    "b": ("meets", "missing", "contradicts", "partially_meets", "meets"),
}
TIERS = ("answer_critical", "answer_critical", "answer_critical", "valuable", "context")


@pytest.fixture
def two(source_of, question, answer):
    """Two models, one judge, one question with five checks."""

    def make(given=None, judges=("j",), **options):
        given = given or GIVEN
        verdicts = [("q", m, f"c{n}", j, v) for m, row in given.items() for n, v in enumerate(row) for j in judges]
        return source_of([question("q", TIERS)], [answer("q", m) for m in given], verdicts, **options)

    return make


def tables(source):
    built = REGISTRY.get("missed").build(source)
    return built.blocks if built else ()


def test_rows_are_by_tier_then_by_how_many_models_miss_them(two):
    matrix, _ = tables(two())
    assert [(row[0].check_id, row[1], row[2]) for row in matrix.rows] == [
        ("c1", "Answer-Critical", 2),
        ("c2", "Answer-Critical", 1),
        ("c3", "Valuable", 1),
        ("c4", "Context", 1),
    ]
    models = [column.title for column in matrix.columns[3:]]
    for row in matrix.rows:
        place = int(row[0].check_id[1:])
        assert row[3:] == tuple(GIVEN[model][place] for model in models)


def test_the_reading_counts_the_most_important_tier(two):
    matrix, _ = tables(two())
    assert plain(matrix.note) == (
        "2 of 5 checks were met by no model. "
        "Of 3 answer-critical checks, b misses 2 and a misses 1; 1 is missed by every model."
    )


def test_nothing_missed_lists_nothing(two):
    matrix, _ = tables(two({"a": ("meets",) * 5}))
    assert matrix.rows == ()
    assert plain(matrix.note) == "Of 3 answer-critical checks, a misses 0."


def test_an_open_check_is_neither_met_nor_missed(two):
    matrix, _ = tables(
        two({"a": ("meets", None, "missing", "meets", None), "b": (None, None, None, "missing", "meets")})
    )
    assert [(row[0].check_id, row[2]) for row in matrix.rows] == [("c2", 1), ("c3", 1)]
    models = [column.title for column in matrix.columns[3:]]
    assert dict(zip(models, matrix.rows[0][3:], strict=True)) == {"a": "missing", "b": "not_judged"}
    assert plain(matrix.note).endswith("0 are missed by every model. 5 outcomes are not known and not counted.")


def test_a_model_without_an_answer_is_called_so(source_of, question, answer):
    answers = [answer("q", "a"), answer("q", "b", error="HTTP 500")]
    verdicts = [("q", "a", "c0", "j", "missing")]
    matrix, _ = tables(source_of([question("q", ["valuable"])], answers, verdicts))
    models = [column.title for column in matrix.columns[3:]]
    assert dict(zip(models, matrix.rows[0][3:], strict=True)) == {"a": "missing", "b": "no_answer"}


def test_kinds_have_each_verdicts_share(two):
    _, kinds = tables(two())
    titles = [column.title for column in kinds.columns]
    assert titles == ["Kind of check", "Model", "Checks", "Meets", "Partially", "Missing", "Contradicts"]
    rows = {row[1]: row for row in kinds.rows}
    for model, given in GIVEN.items():
        shares = [given.count(v) / 5 for v in ("meets", "partially_meets", "missing", "contradicts")]
        assert rows[model][2:] == (5, *map(pytest.approx, shares))
    assert not kinds.folded


def test_several_judges_have_the_panel_first_and_their_own_tables_folded(two):
    kinds, panel, *own = tables(two(judges=("x", "y")))
    assert "judged by panel" in plain(kinds.title)
    assert "judged by panel" in plain(panel.title)
    assert not panel.folded
    assert [(plain(table.title).rpartition(" ")[2], table.folded) for table in own] == [("x", True), ("y", True)]


def test_more_rows_than_the_page_has_room_for_are_counted(two, monkeypatch):
    monkeypatch.setattr(missed, "MOST_ROWS", 1)
    matrix, _ = tables(two())
    assert [row[0].check_id for row in matrix.rows] == ["c1"]
    assert "3 more checks that some model does not meet are in verdicts.parquet" in plain(matrix.note)


def missed_part(html):
    return html.partition('<section id="missed"')[2].partition("</section>")[0]


def test_a_row_links_to_its_check_beside_an_answer_that_misses_it(two):
    html = render_page(two())
    links = dict(re.findall(r'<a href="#(\w+)" dir="auto">(Says \d\.)</a>', missed_part(html)))
    assert sorted(links.values()) == ["Says 1.", "Says 2.", "Says 3.", "Says 4."]
    for anchor, text in links.items():
        item = html.partition(f'<li class="check" id="{anchor}"')[2].partition("</li>")[0]
        assert text in item
        assert 'class="v missing"' in item or 'class="v contradicts"' in item


def test_no_link_to_a_question_that_is_not_shown(source_of, question, answer, monkeypatch):
    monkeypatch.setattr(views, "MOST_CHARACTERS", 1)
    names = ("q1", "q2")
    verdicts = [(q, "a", "c0", "j", "missing") for q in names]
    asked = [question(q, ["valuable"]) for q in names]
    part = missed_part(render_page(source_of(asked, [answer(q, "a") for q in names], verdicts)))
    assert part.count("Says 0.") == 2
    assert part.count("<a href=") == 1


@pytest.mark.parametrize("n_models", [6, 7])
def test_of_many_models_a_verdict_is_a_mark_with_its_word_for_readers_aloud(source_of, question, answer, n_models):
    models = [f"m{place}" for place in range(n_models)]
    verdicts = [("q", model, "c0", "j", "missing") for model in models]
    part = missed_part(
        render_page(source_of([question("q", ["valuable"])], [answer("q", m) for m in models], verdicts))
    )
    many = n_models > 6
    assert ('<table class="crowded">' in part) == ('<p class="legend">' in part) == many
    assert part.count('<span class="v missing" title="Missing">Missing</span>') == n_models
    assert ('<details class="data"><summary>By kind of check' in part) == many
