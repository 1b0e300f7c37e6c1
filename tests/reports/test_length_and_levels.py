"""The tables ``length`` and ``levels``: what their notes say in words, and their plain data."""

from dataclasses import replace

import orjson
import pytest

from gamut_eval.analysis.two_levels import levels
from gamut_eval.api import as_benchmark, evaluate
from gamut_eval.judging.judge import Judge
from gamut_eval.records import Judgement, Verdict
from gamut_eval.reports.shapes import plain
from gamut_eval.reports.table_kind import REGISTRY, Wanted
from gamut_eval.reports.tables.levels import _differing
from gamut_eval.reports.wording import shown

M, X = "meets", "missing"
TEXT = "one two three four five six"


def built(name, source, **wanted):
    found = REGISTRY.get(name).build(source, Wanted(**wanted))
    for table in found.tables:
        assert all(len(row) == len(table.columns) for row in table.rows)
        for row in table.rows:
            assert [shown(cell, column.kind) for cell, column in zip(row, table.columns, strict=True)]
        assert len({(column.group, column.title) for column in table.columns}) == len(table.columns)
    assert orjson.loads(orjson.dumps(found.data)) == found.data
    return found


@pytest.fixture
def contest(source_of, question, answer):
    """Models by text and by what they meet: pairs of check and quote."""

    def make(**models):
        rows = [
            ("q", model, f"c{n}", "j", M if n in met else X, {"quote": met.get(n)})
            for model, (_, met) in models.items()
            for n in range(3)
        ]
        return source_of([question("q")], [answer("q", m, text) for m, (text, _) in models.items()], rows)

    return make


def test_who_gains_and_loses_a_rank_at_equal_length(contest):
    source = contest(wordy=(TEXT, {0: "one", 1: "six"}), brief=("six one", {0: "six", 2: "one"}))
    found = built("length", source)
    (table,) = found.tables
    assert plain(table.title) == "All answers cut to their first 2 words, %"
    note = plain(table.note)
    assert note.startswith(
        "Whether longer answers score higher cannot be said. Correlation of score and log length: among answers to one "
        "question n/a (too few answers: no degrees of freedom are left), among answers of one model n/a ("
    )
    assert "). Cut to 2 words, up: brief (2 → 1); down: wordy (1 → 2). Words: the median" in note
    assert [row[0] for row in table.rows] == ["wordy", "brief"]
    wordy = table.rows[0]
    assert wordy[1:4] == (6.0, 1.0, pytest.approx(0.9))
    assert wordy[4:7] == (pytest.approx(0.6), pytest.approx((0.6, 0.6)), pytest.approx(-0.3))
    assert wordy[7:] == (1, 2, 0.0)
    (data,) = found.data
    assert (data["words"], data["judge"], data["variant"]) == (2, "j", "text_only")
    assert data["models"][0]["at_length"] == pytest.approx(0.6)
    assert set(data["correlation"]) == {"given_question", "given_model"}


def test_what_the_bounds_leave_open_is_said(contest):
    source = contest(a=(TEXT, {0: "one", 1: None}), b=(TEXT, {0: "one", 1: "two"}))
    note = plain(built("length", source, words=3).tables[0].note)
    assert " At 3 words no model changes its rank. The bounds leave the order of the pair open; " in note
    assert "'gamut judge --first-words 3' settles it" in note
    note = plain(built("length", source, words=6).tables[0].note)
    assert " No answer has more than 6 words. " in note
    assert "bounds" not in note


def test_one_model_has_no_order(contest):
    found = built("length", contest(a=(TEXT, {0: "one"})), words=1)
    assert plain(found.tables[0].title) == "All answers cut to their first 1 word, %"
    assert "Fewer than two models have a score, so there is no order" in plain(found.tables[0].note)
    assert "n/a (" in plain(found.tables[0].note)


@pytest.mark.parametrize(
    ("sign", "said"),
    [
        (1, "Of several answers to one question the longer ones score higher. "),
        (-1, "Of several answers to one question the longer ones score lower. "),
        (0, "There is no sign that longer answers score higher. "),
    ],
)
def test_the_note_begins_with_whether_longer_answers_score_higher(source_of, question, answer, sign, said):
    names = [f"q{n:02}" for n in range(20)]
    rows, answers = [], []
    for n, name in enumerate(names):
        for model, size in (("a", 2), ("b", 6 + n % 3)):
            answers.append(answer(name, model, " ".join(["word"] * size)))
            better = {1: "b", -1: "a", 0: "ab"[n % 2]}[sign]
            noisy = n % 7 == 0
            rows.append((name, model, "c0", "j", "partially_meets" if noisy else M if model == better else X))
    source = source_of([question(name, ["context"]) for name in names], answers, rows)
    (table,) = built("length", source).tables
    assert plain(table.note).startswith(f"{said}Correlation of score and log length: among answers to one question ")
    assert "(95% interval " in plain(table.note)


def test_a_difference_that_is_shown_as_none_is_none():
    source, flat = pair(few=FEW, many=MANY)
    models, _ = built("levels", replace(source, flat=flat)).tables
    assert "95% interval" in [column.title for column in models.columns]
    (contest,) = levels(source, flat).contests
    small = replace(contest.questions[0], two_level=0.5, flat=0.4998)
    assert small.cause is not None
    changed = replace(contest, questions=(small, *contest.questions[1:]))
    assert _differing(contest) == [contest.questions[0]]
    assert _differing(changed) == []


def test_without_answers_there_is_nothing_on_length(source_of, question, answer):
    source = source_of([question("q")], [answer("q", "a", error="HTTP 500")], [("q", "a", "c0", "j", M)])
    assert REGISTRY.get("length").build(source, Wanted()) is None


def test_incomplete_runs_have_both_tables(mixed):
    assert built("length", mixed()).tables
    assert built("levels", mixed(allow_incomplete=True)).tables


class Said(Judge):
    """Takes an answer as the ids of the checks that it meets."""

    name = "said"
    settings = {}  # noqa: RUF012

    async def judge(self, ask):
        return Judgement(Verdict.MEETS if ask.check.id in ask.response.text.split() else Verdict.MISSING)


POOL = {"id": "pool", "type": "flexible_list", "tier": "answer_critical", "topic": "spices", "min_coverage": 2}
POOL |= {"options": [f"spice{n}" for n in range(10)]}
FACT = {"id": "fact", "type": "simple", "tier": "answer_critical", "statement": "It is hot."}


def pair(items=None, **texts):
    items = items or {"q1": [POOL], "q2": [FACT]}
    questions = [
        {"id": name, "domain": "food", "question": f"What is {name}?", "rubric": {"items": own}}
        for name, own in items.items()
    ]
    rows = [
        {"question_id": name, "model": model, "variant": "text_only", "response": text}
        for model, text in texts.items()
        for name in items
    ]
    benchmark = as_benchmark(questions)
    sources = []
    for one in (benchmark, benchmark.flattened()):
        with evaluate(one, rows, Said()) as run:
            sources.append(replace(run.source(run.scores()), responses=run.responses()))
    return sources


FEW = "fact pool/at-least-2 pool/at-least-4 pool/spice0"
MANY = "fact " + " ".join(f"pool/spice{n}" for n in range(10))


def test_flat_against_two_levels_in_words():
    source, flat = pair(few=FEW, many=MANY)
    found = built("levels", replace(source, flat=flat))
    models, questions = found.tables
    assert plain(models.note) == (
        "From flat to two levels ranks change: few (2 → 1) and many (1 → 2) (Kendall’s tau −1.00). "
        "By two levels scores are 2.5 points lower on average; the 95% interval excludes 0 for none of 2 models. "
        "The largest part, −2.5, is that enough of a flexible list is asked for, not each option. "
        "Means over 2 questions. The runs share answers to 2 of 2 questions. "
    )
    # few: by two levels both met, flat (0.1 + 1) / 2
    assert models.rows[0][:4] == ("few", 1.0, pytest.approx(0.55), pytest.approx(0.45))
    assert [(row[0], row[4], row[5]) for row in questions.rows] == [("q1", "Lists", 10)]
    assert plain(questions.note) == "1 of 2 questions differ, mainly by lists (1); means over the models."
    (contest,) = found.data["contests"]
    assert found.data["judged"] is True
    assert contest["kendall_tau_b"] == -1.0
    assert contest["models"][0]["causes"]["lists"] == pytest.approx(0.45)
    assert contest["questions"][1]["cause"] is None


def test_without_a_flat_run_it_says_how_to_make_one():
    source, _ = pair(few=FEW)
    models, questions = built("levels", source).tables
    assert "Over the 1 of 2 questions whose flat checks this run has judged all; 'gamut judge --flat'" in plain(
        models.note
    )
    assert plain(questions.note) == "No question is scored differently."
    source, _ = pair({"q1": [POOL]}, few=FEW)
    (table,) = built("levels", source).tables
    assert table.rows == ()
    assert plain(table.note).startswith(
        "No question has all of its flat checks judged in this run; 'gamut judge --flat'"
    )


def test_the_most_that_differ_are_shown():
    source, flat = pair(few=FEW, many=MANY)
    _, questions = built("levels", replace(source, flat=flat), most=0).tables
    assert questions.rows == ()
    assert plain(questions.note).endswith("The 0 largest are shown.")


class First(Said):
    name = "first"


def test_where_the_first_judge_did_not_judge_both_ways_another_one_stands():
    question = {"id": "q", "domain": "food", "question": "What is q?", "rubric": {"items": [FACT]}}
    rows = [{"question_id": "q", "model": "m", "variant": "text_only", "response": "fact"}]
    benchmark = as_benchmark([question])
    with evaluate(benchmark, rows, [First(), Said()]) as run, evaluate(benchmark.flattened(), rows, Said()) as beside:
        flat = replace(beside.source(beside.scores()), responses=beside.responses())
        found = built("levels", replace(run.source(run.scores()), responses=run.responses(), flat=flat))
    models, questions = found.tables
    assert [row[:3] for row in models.rows] == [("m", 1.0, 1.0)]
    assert plain(models.of) == plain(questions.of) == "text only, judged by said"
    (note,) = found.data["notes"]
    assert note == "Left out, since they did not judge both runs, set up alike: first."
    assert note in plain(models.note)
    assert "Only as judged" not in plain(models.note)


def test_of_several_judges_the_one_that_goes_first_is_named():
    question = {"id": "q", "domain": "food", "question": "What is q?", "rubric": {"items": [FACT]}}
    rows = [{"question_id": "q", "model": "m", "variant": "text_only", "response": "fact"}]
    with evaluate([question], rows, [First(), Said()]) as run:
        models, _ = built("levels", replace(run.source(run.scores()), responses=run.responses())).tables
    assert plain(models.of) == "text only, judged by panel"
    assert plain(models.note).startswith("Only as judged by panel")


def test_models_that_only_one_run_has_are_named_where_the_table_is_empty():
    (source, _), (_, flat) = pair(a=FEW), pair(b=FEW)
    found = built("levels", replace(source, flat=flat))
    (table,) = found.tables
    assert (table.rows, found.data["contests"]) == ((), [])
    (note,) = found.data["notes"]
    assert note == "Left out, since no answer of theirs was graded by both rubrics: a, b."
    assert note in plain(table.note)
