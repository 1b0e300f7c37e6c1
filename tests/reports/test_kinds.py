from dataclasses import replace
from typing import get_args

import polars as pl
import pytest

import gamut_eval
from gamut_eval.records import VERDICTS
from gamut_eval.reports.kind import REGISTRY, Kind, build_sections
from gamut_eval.reports.leaderboard import leaderboard_table
from gamut_eval.reports.shapes import Block, Column, Section, Table, plain
from gamut_eval.reports.wording import shown, visible
from gamut_eval.rubric.fields import TIERS

TITLES = ["Model", "Variant", "Judge", "Gamut", "Bounds (all questions)", "Questions"]


def section(source, name: str) -> Section | None:
    return REGISTRY.get(name).build(source)


def as_dicts(table: Table) -> list[dict]:
    return [dict(zip([column.title for column in table.columns], row, strict=True)) for row in table.rows]


@pytest.mark.parametrize("name", REGISTRY.names())
def test_every_report_is_made_of_the_known_shapes(name, mixed):
    kind = REGISTRY.get(name)
    assert isinstance(kind, Kind)
    built = kind.build(mixed())
    assert built is None or built.blocks
    for block in built.blocks if built else ():
        assert isinstance(block, get_args(Block))


def test_orders_differ_and_sections_follow_them(mixed):
    orders = [kind.order for kind in REGISTRY.all()]
    assert len(set(orders)) == len(orders)
    ids = [section.id for section in build_sections(mixed())]
    assert ids == [
        *("leaderboard", "standings", "verdicts", "tiers", "distribution", "domains", "agreement", "length"),
        *("failures", "missed", "questions"),
    ]


def test_leaderboard_has_the_scores_numbers(mixed):
    source = mixed()
    rows = {(row["Model"], row["Judge"]): row for row in as_dicts(leaderboard_table(source))}
    assert len(rows) == len(source.scores.rows)
    for row in source.scores.rows:
        shown_row = rows[row.model, row.judge]
        assert shown_row["Gamut"] == row.gamut
        assert shown_row["Bounds (all questions)"] == row.bounds
        assert shown_row["Questions"] == (row.n_questions, row.n_questions + row.n_incomplete)
        assert shown_row["Answer-Critical"] == row.tiers["answer_critical"]
        assert shown_row["Contradicts"] == row.verdicts["contradicts"]


def test_leaderboard_is_best_first_with_undefined_scores_last(mixed):
    table = leaderboard_table(mixed())
    judge = [row["Gamut"] for row in as_dicts(table) if row["Judge"] == "x/small"]
    defined = [gamut for gamut in judge if gamut is not None]
    assert judge == [*sorted(defined, reverse=True), *[None] * (len(judge) - len(defined))]


def test_a_score_below_zero_comes_before_none(source_of, question, answer):
    verdicts = [("q", m, "c0", "j", verdict) for m, verdict in (("a", None), ("b", "contradicts"))]
    source = source_of([question("q", ["valuable"])], [answer("q", "a"), answer("q", "b")], verdicts)
    assert [row["Gamut"] for row in as_dicts(leaderboard_table(source))] == [-1.0, None]


def test_complete_runs_need_no_bounds_and_no_warning(source_of, question, answer):
    source = source_of([question("q", ["valuable"])], [answer("q", "a")], [("q", "a", "c0", "j", "meets")])
    built = section(source, "leaderboard")
    assert [block.shape for block in built.blocks] == ["table", "note"]
    assert "Bounds (all questions)" not in [column.title for column in built.blocks[0].columns]
    assert section(source, "failures") is None
    assert section(source, "domains") is None


def half_broken(source_of, question, answer, **options):
    """Ten questions: five perfect, five whose answer or judge failed."""
    questions = [question(f"q{n}", ["answer_critical"]) for n in range(10)]
    answers = [answer(f"q{n}", "a", **({"error": "HTTP 500"} if n in (5, 6) else {})) for n in range(10)]
    verdicts = [(f"q{n}", "a", "c0", "j", "meets" if n < 5 else None) for n in range(10)]
    return source_of(questions, answers, verdicts, **options)


def test_a_half_broken_run_shows_no_clean_score(source_of, question, answer):
    (row,) = as_dicts(leaderboard_table(half_broken(source_of, question, answer)))
    assert row["Gamut"] is None
    assert row["Bounds (all questions)"] == pytest.approx((0.0, 1.0))
    assert shown(row["Questions"], "coverage") == "5 of 10 complete"


def test_a_mean_over_complete_questions_stands_beside_its_coverage(source_of, question, answer):
    source = half_broken(source_of, question, answer, allow_incomplete=True)
    built = section(source, "leaderboard")
    (row,) = as_dicts(leaderboard_table(source))
    assert row["Gamut"] == 1.0
    assert row["Questions"] == (5, 10)
    assert "over 5 of 10 questions" in plain(built.lead)
    assert "This run is incomplete" in plain(built.blocks[0].words)
    (chart,) = section(source, "tiers").blocks
    assert chart.groups[0].note == "5 of 10 complete"


def test_lexical_is_called_what_it_is(question, answer):
    with gamut_eval.evaluate([question("q", ["valuable"])], [answer("q", "a")], "lexical") as run:
        source = run.source(run.scores())
    assert "matches words" in plain(section(source, "leaderboard").blocks[0].words)


@pytest.mark.parametrize(("name", "keys", "field"), [("verdicts", VERDICTS, "verdicts"), ("tiers", TIERS, "tiers")])
def test_charts_have_the_scores_numbers(name, keys, field, mixed):
    source = mixed()
    charts = section(source, name).blocks
    assert len(charts) == 2  # one a judge; panel and consensus are in the leaderboard only
    for chart, judge in zip(charts, ("x/large", "x/small"), strict=True):
        assert judge in plain(chart.title)
        wanted = {
            row.model: tuple(getattr(row, field)[key] for key in keys)
            for row in source.scores.rows
            if row.judge == judge
        }
        assert {group.label: group.values for group in chart.groups} == wanted
        assert [row[1:] for row in chart.table().rows] == [group.values for group in chart.groups]


def test_readings_say_what_the_data_say(source_of, question, answer):
    verdicts = [("q", "a", f"c{n}", "j", v) for n, v in enumerate(("missing", "missing", "meets", "contradicts"))]
    source = source_of([question("q", ["answer_critical"] * 3 + ["context"])], [answer("q", "a")], verdicts)
    (shares,) = section(source, "verdicts").blocks
    assert plain(shares.reading) == "a leaves 50.0% of all checks missing and contradicts 25.0%."
    (tiers,) = section(source, "tiers").blocks
    assert plain(tiers.reading) == "a scores 33.3 on Answer-Critical, −100.0 on Context."
    assert tiers.domain == (-1.0, 0.5)
    assert plain(section(source, "leaderboard").lead).startswith("a scores 14.3.")


def test_readings_over_several_models(source_of, question, answer):
    given = {"a": ("meets", "missing"), "b": ("meets", "meets"), "c": ("meets", "meets")}
    verdicts = [("q", m, f"c{n}", "j", verdict) for m in given for n, verdict in enumerate(given[m])]
    answers = [answer("q", m) for m in given]
    source = source_of([question("q", ["valuable", "context"])], answers, verdicts)
    assert plain(section(source, "leaderboard").lead).startswith("b and c come first with 100.0.")
    (shares,) = section(source, "verdicts").blocks
    assert plain(shares.reading) == "a leaves 50.0% of all checks missing, the most; no answer contradicts a check."
    (tiers,) = section(source, "tiers").blocks
    assert plain(tiers.reading) == "a has the widest gap between tiers: 100.0 on Valuable, 0.0 on Context."


def test_readings_without_any_number(source_of, question, answer):
    source = source_of([question("q", ["valuable"])], [answer("q", "a")], [("q", "a", "c0", "j", None)])
    for name in ("verdicts", "tiers"):
        (chart,) = section(source, name).blocks
        assert "no " in plain(chart.reading)
    assert "No model has a score yet" in plain(section(source, "leaderboard").lead)


def test_domains_leave_undefined_what_is_incomplete(mixed):
    panel, large, small = section(mixed(), "domains").blocks
    assert [table.folded for table in (panel, large, small)] == [False, True, True]
    of = {row["Domain"]: row for row in as_dicts(small)}
    assert of["animal"]["b"] is None
    assert of["food"]["b"] is not None
    assert of["food"]["Questions"] == 1
    assert all(row["b"] is not None and row["c"] is None for row in as_dicts(large))


def test_a_domain_is_not_scored_on_some_of_its_questions(source_of, question, answer):
    questions = [question("q1", ["valuable"]), question("q2", ["valuable"]), question("q3", ["valuable"], domain="art")]
    answers = [answer(q["id"], "a") for q in questions]
    verdicts = [(f"q{n}", "a", "c0", "j", verdict) for n, verdict in ((1, "meets"), (2, None), (3, "meets"))]
    (table,) = section(source_of(questions, answers, verdicts), "domains").blocks
    assert table.rows == (("art", 1, 1.0), ("food", 2, None))


def test_failures_are_counted_by_judge_and_code(mixed):
    verdicts, answers = section(mixed(), "failures").blocks
    assert as_dicts(verdicts) == [
        {"Judge": "x/small", "Error": "timed_out", "Checks": 1, "Example": "no reply in 60 s"}
    ]
    assert [(row["Model"], row["Error"], row["Answers"]) for row in as_dicts(answers)] == [
        ("c", "answer_error", 1),
        ("c", "no_response", 1),
    ]


def test_checks_not_judged_yet_are_listed(mixed):
    source = mixed()
    begun = replace(source, verdicts=source.verdicts.filter(pl.col("judge") != "x/large"))
    rows = as_dicts(section(begun, "failures").blocks[0])
    assert [(row["Judge"], row["Error"], row["Checks"]) for row in rows] == [
        ("x/small", "timed_out", 1),
        ("x/large", "not_judged", 12),
    ]
    (views,) = section(begun, "questions").blocks
    opinions = {o.judge: o for o in views.views[0].responses[0].checks[0].opinions}
    assert opinions["x/large"].verdict is None
    assert opinions["x/large"].error == "not_judged"


def test_question_views_hold_everything(mixed):
    (questions,) = section(mixed(), "questions").blocks
    first, second = questions.views
    assert (first.id, first.domain, first.gamut) == ("q1", "food", None)
    assert [(r.model, r.text, r.error) for r in first.responses] == [
        ("b", "An answer.", None),
        ("a", "An answer.", None),
        ("c", None, "HTTP 500"),
    ]
    assert second.responses[2].error == "There is no response."
    assert {score.judge for score in first.responses[0].scores} == {"x/large", "x/small", "panel", "consensus"}
    failed = [o for o in second.responses[0].checks[0].opinions if o.judge == "x/small"]
    assert [(o.verdict, o.error, o.error_message) for o in failed] == [(None, "timed_out", "no reply in 60 s")]


def test_derived_verdicts_are_shown_in_place_of_asked_ones(source_of, answer):
    item = {"id": "i", "type": "flexible_list", "tier": "answer_critical", "topic": "fruit", "min_coverage": 2}
    rubric = {"items": [item | {"options": ["apple", "pear", "plum"]}]}
    question = {"id": "q", "domain": "food", "question": "Which fruit?", "rubric": rubric}
    verdicts = [
        ("q", "a", "i/apple", "j", "meets"),
        ("q", "a", "i/pear", "j", "meets"),
        ("q", "a", "i/plum", "j", "missing"),
    ]
    source = source_of([question], [answer("q", "a")], verdicts, composite="derive")
    (questions,) = section(source, "questions").blocks
    check, *_ = questions.views[0].responses[0].checks
    assert check.kind == "coverage"
    assert [(o.verdict, o.error) for o in check.opinions] == [("meets", None)]
    assert section(source, "failures") is None


def test_cells_are_never_zero_for_undefined():
    for kind in ("text", "percent", "count", "number", "interval", "coverage", "check"):
        assert shown(None, kind) == "n/a"
    assert shown(0.0, "percent") == "0.0"
    assert shown(12345, "count") == "12,345"
    assert shown(0.0, "number") == "0.00"
    assert Column("x").kind == "text"


@pytest.mark.parametrize(
    "char", [*map(chr, range(9)), "\x0b", "\x1b", "\x7f", "\x85", "\u202e", "\u2066", "\u2069", "\ud800"]
)
def test_no_control_character_is_left(char):
    assert char not in visible(f"a{char}b")
    visible(f"a{char}b").encode()


def test_ordinary_text_is_left_alone():
    text = "tab\tline\nשלום\u200f 👩\u200d🍳 é"
    assert visible(text) == text


def lopsided(source_of, question, answer, **options):
    """Three questions; ``a`` is complete, ``b`` lacks an answer and a verdict."""
    questions = [question(f"q{n}", ["valuable"]) for n in range(3)]
    answers = [answer(f"q{n}", m) for n in range(3) for m in ("a", "b") if (n, m) != (2, "b")]
    verdicts = [(f"q{n}", m, "c0", "j", None if (n, m) == (1, "b") else "meets") for n in range(3) for m in ("a", "b")]
    return source_of(questions, answers, [row for row in verdicts if row[:2] != ("q2", "b")], **options)


def test_means_over_shared_questions_are_called_so_and_only_incomplete_models_are_marked(source_of, question, answer):
    source = lopsided(source_of, question, answer, allow_incomplete=True)
    over = "over 1 of 3 questions (those complete for every model)"
    built, table = section(source, "leaderboard"), leaderboard_table(source)
    assert over in plain(built.lead)
    assert over in plain(built.blocks[0].words)
    assert over in plain(table.note)
    assert {row["Model"]: shown(row["Questions"], "coverage") for row in as_dicts(table)} == {
        "a": "3 of 3",
        "b": "1 of 3 complete",
    }
    (chart,) = section(source, "verdicts").blocks
    assert over in plain(chart.title)
    assert {group.label: group.note for group in chart.groups} == {"a": "", "b": "1 of 3 complete"}
    titles = [plain(block.title) for block in section(source, "missed").blocks]
    assert titles
    assert not [title for title in titles if "complete for every model" in title]


def test_without_that_view_nothing_is_said_to_be_over_shared_questions(source_of, question, answer):
    source = lopsided(source_of, question, answer)
    assert "complete for every model" not in plain(section(source, "leaderboard").lead)
    assert plain(leaderboard_table(source).note) == ""


def judged(source_of, question, answer, **verdicts_of):
    """One question of four checks, judged by each judge as given."""
    rows = [("q", "a", f"c{n}", j, v) for j, given in verdicts_of.items() for n, v in enumerate(given)]
    return source_of([question("q", ["valuable"] * 4)], [answer("q", "a")], rows)


def test_the_lead_speaks_of_the_panel(source_of, question, answer):
    source = judged(source_of, question, answer, x=["meets"] * 4, y=["meets", "meets", "missing", "missing"])
    assert plain(section(source, "leaderboard").lead).startswith("a scores 75.0 (text only, judged by panel).")


def test_two_judges_agreement_is_over_what_both_judged(source_of, question, answer):
    source = judged(
        source_of, question, answer, x=["meets", "missing", "meets", None], y=["meets", "meets", "meets", "meets"]
    )
    note = plain(leaderboard_table(source).note)
    assert note.endswith(
        "All judges gave the same verdict on 66.7% of the 3 checks that all judged (Cohen's kappa 0.00)."
    )


def test_three_judges_agreement_is_given_by_pairs_too(source_of, question, answer):
    m, o = "meets", "missing"
    source = judged(source_of, question, answer, x=[m, m, m, m], y=[m, m, m, o], z=[m, o, o, None])
    assert plain(leaderboard_table(source).note).endswith(
        "All judges gave the same verdict on 33.3% of the 3 checks that all judged; "
        "by pairs, with Cohen's kappa: x with y 75.0% (0.00), x with z 33.3% (0.00) and y with z 33.3% (0.00)."
    )


def test_one_judge_agrees_with_nobody(source_of, question, answer):
    source = judged(source_of, question, answer, x=["meets"] * 4)
    assert "judges" not in plain(leaderboard_table(source).note)


def test_a_questions_mean_says_of_what_it_is_one(mixed):
    (views,) = section(mixed(), "questions").blocks
    assert views.views[0].mean_of == "mean of 3 models, 2 judges"
