"""Several runs as one: what is shared, what is renamed, and numbers that are those of one run."""

from dataclasses import replace
from itertools import permutations

import polars as pl
import pytest

from gamut_eval.analysis.joining import Named, joined
from gamut_eval.api import evaluate
from gamut_eval.benchmark.settings import ScoringSettings
from gamut_eval.errors import InputError
from gamut_eval.run import Run
from gamut_eval.scoring.score import leaderboard_rows

CHECKS = {"c0": "answer_critical", "c1": "valuable", "c2": "context"}
GIVEN = {
    "a": {"q1": ("meets", "missing", "meets"), "q2": ("meets", "meets", "missing"), "q3": ("missing",) * 3},
    "b": {"q1": ("missing", "meets", "meets"), "q2": ("partially_meets", "meets", "meets"), "q3": ("meets",) * 3},
    "c": {"q1": ("contradicts", "meets", "meets"), "q2": ("missing",) * 3, "q3": ("meets", "missing", "missing")},
}


@pytest.fixture
def run_of(source_of, question, answer):
    """A run of some models and judges over some questions, as ``GIVEN`` has the verdicts, with changes.

    ``verdicts`` replaces those of (judge, question, model); ``texts`` the answers of (question, model).
    """

    def make(models="ab", judges="x", *, questions=("q1", "q2", "q3"), verdicts=None, texts=None, more=None, **options):
        ids = list(questions)
        made = [question(name, **(more or {}).get(name, {})) for name in ids]
        told = texts or {}
        answers = [
            answer(q, m, told.get((q, m), f"{m} on {q}."))
            for q in ids
            for m in models
            if told.get((q, m), "") is not None
        ]
        rows = [
            (q, m, check, judge, verdict)
            for q in ids
            for m in models
            if told.get((q, m), "") is not None
            for judge in judges
            for check, verdict in zip(CHECKS, (verdicts or {}).get((judge, q, m), GIVEN[m].get(q)), strict=True)
        ]
        return source_of(made, answers, rows, **options)

    return make


def together(*sources):
    return joined([Named(f"run {place}", source) for place, source in enumerate(sources, 1)])


def board(source):
    return {(row.model, row.judge): row.gamut for row in source.scores.rows}


# --- what fits -----------------------------------------------------------------------------------


def test_one_run_stays_itself(run_of):
    source = run_of()
    assert together(source) is source


def test_other_models_of_the_same_benchmark_stand_beside_each_other_as_in_one_run(run_of):
    source = together(run_of("ab"), run_of("c"))
    whole = run_of("abc")
    assert source.scores.rows == whole.scores.rows
    assert source.scores.questions.equals(whole.scores.questions)
    assert source.notes == ()
    assert source.benchmark == whole.benchmark
    assert sorted(source.asked) == sorted(whole.asked)
    assert [s.interval for c in source.contests for s in c.standings] == [
        s.interval for c in whole.contests for s in c.standings
    ]


def test_another_judge_of_the_same_answers_is_a_second_judge(run_of):
    harsh = dict.fromkeys((("y", q, m) for q in ("q1", "q2", "q3") for m in "ab"), ("missing",) * 3)
    source = together(run_of(judges="x"), run_of(judges="y", verdicts=harsh))
    assert set(source.judges) == {"x", "y"}
    assert board(source) == board(run_of(judges="x")) | {("a", "y"): 0.0, ("b", "y"): 0.0}
    assert len(source.responses) == 6
    assert source.verdicts.height == 2 * 2 * 3 * 3
    assert source.notes == ()  # there was no panel that could be left out


def test_panel_and_consensus_are_kept_where_the_judges_are_the_same(run_of):
    source = together(run_of("ab", judges="xy"), run_of("c", judges="xy"))
    assert source.scores.rows == run_of("abc", judges="xy").scores.rows
    assert {row.judge for row in source.scores.rows} == {"x", "y", "panel", "consensus"}


def test_panel_and_consensus_are_left_out_where_the_judges_differ(run_of):
    source = together(run_of("ab", judges="xy"), run_of("c", judges="x"))
    assert {row.judge for row in source.scores.rows} == {"x", "y"}
    assert set(source.scores.questions["judge"]) == {"x", "y"}
    assert source.notes == ("The runs were graded by different judges, so panel and consensus are left out.",)


def test_a_model_that_both_runs_have_with_the_same_verdicts_is_counted_once(run_of):
    source = together(run_of("ab"), run_of("bc"))
    whole = run_of("abc")
    assert source.scores.rows == whole.scores.rows
    assert source.notes == ()
    assert len(source.responses) == 9
    assert sorted(source.asked) == sorted(whole.asked)
    keys = ["model", "question_id", "check_id"]
    assert (
        source.verdicts.select(*keys, "verdict").sort(keys).equals(whole.verdicts.select(*keys, "verdict").sort(keys))
    )


# --- models and judges that only share a name ----------------------------------------------------


def test_a_model_with_different_answers_is_two_models(run_of):
    lucky = {("x", "q3", "a"): ("meets",) * 3}
    source = together(run_of("ab"), run_of("ac", texts={("q3", "a"): "Another answer."}, verdicts=lucky))
    assert {row.model for row in source.scores.rows} == {"a [run 1]", "a [run 2]", "b", "c"}
    assert board(source)["a [run 1]", "x"] == board(run_of("ab"))["a", "x"]
    assert board(source)["a [run 2]", "x"] == board(run_of("ac", verdicts=lucky))["a", "x"]
    assert source.notes == (
        "The model a gave different answers in the runs; it stands here as a [run 1] and a [run 2].",
    )
    assert {r.text for r in source.responses if r.model == "a [run 2]"} == {"a on q1.", "a on q2.", "Another answer."}
    assert set(source.verdicts["model"]) == {"a [run 1]", "a [run 2]", "b", "c"}


def test_an_error_in_place_of_an_answer_is_no_answer_of_the_same_model(run_of, source_of, question, answer):
    failed = source_of([question("q1")], [answer("q1", "a", error="HTTP 500")], [("q1", "a", "c0", "x", "meets")])
    source = together(run_of("a", questions=["q1"]), failed)
    assert board(source) == {
        ("a [run 1]", "x"): board(run_of("a", questions=["q1"]))["a", "x"],
        ("a [run 2]", "x"): None,
    }


def test_runs_in_which_a_model_gave_the_same_answers_share_its_name(run_of):
    other = {("q1", "a"): "Another answer."}
    source = together(run_of("a", "x"), run_of("a", "y"), run_of("a", "x", texts=other))
    assert {(row.model, row.judge) for row in source.scores.rows} == {
        ("a [run 1, run 2]", "x"),
        ("a [run 1, run 2]", "y"),
        ("a [run 3]", "x"),
    }


def test_the_same_judge_twice_on_the_same_answers_is_a_retest(run_of):
    changed = {("x", "q1", "a"): ("missing", "missing", "meets")}
    one, other = run_of(), run_of(verdicts=changed)
    source = together(one, other)
    assert set(source.judges) == {"x [run 1]", "x [run 2]"}
    assert board(source)["a", "x [run 1]"] == board(one)["a", "x"]
    assert board(source)["a", "x [run 2]"] == board(other)["a", "x"] != board(one)["a", "x"]
    assert len(source.responses) == len(one.responses)
    assert source.verdicts.height == 2 * one.verdicts.height
    assert source.notes == (
        "The judge x graded the same answers twice, with different verdicts; "
        "it stands here as x [run 1] and x [run 2].",
    )


def test_a_judge_that_failed_the_second_time_is_a_retest_too(run_of):
    source = together(run_of(), run_of(verdicts={("x", "q1", "a"): (None, "missing", "meets")}))
    assert board(source)["a", "x [run 2]"] is None
    assert board(source)["a", "x [run 1]"] is not None


def test_judges_of_one_name_with_other_settings_are_two(run_of):
    one, other = run_of("a"), run_of("b")
    set_up = [
        replace(source, judges={"x": {"settings": {"temperature": t}, "note": None}})
        for source, t in ((one, 0), (other, 1), (run_of("c"), 0))
    ]
    source = together(*set_up)
    assert set(board(source)) == {("a", "x [run 1, run 3]"), ("c", "x [run 1, run 3]"), ("b", "x [run 2]")}
    assert source.notes[0].startswith("The judge x was set up differently in the runs; it stands here as ")
    assert source.judges["x [run 2]"]["settings"] == {"temperature": 1}


def test_how_often_a_judge_was_asked_is_part_of_it(run_of):
    source = together(run_of("a"), replace(run_of("a"), asked=[("a", "text_only", "x", 3)]))
    assert "was asked a different number of times" in source.notes[0]


def test_calls_keep_to_their_model_and_judge(run_of):
    calls = pl.DataFrame({"role": ["judge", "model"], "name": ["x", "x"], "cost": [1.0, 2.0]})
    changed = run_of(verdicts={("x", "q1", "a"): ("missing", "missing", "meets")})
    source = together(replace(run_of(), calls=calls), replace(changed, calls=calls))
    assert source.calls.rows() == [
        ("judge", "x [run 1]", 1.0),
        ("model", "x", 2.0),
        ("judge", "x [run 2]", 1.0),
        ("model", "x", 2.0),
    ]


def test_names_that_look_like_ours_stay_apart(run_of, source_of, question, answer):
    def run(name, text, verdict):
        return source_of([question("q1", ["valuable"])], [answer("q1", name, text)], [("q1", name, "c0", "x", verdict)])

    source = together(run("m", "One.", "meets"), run("m", "Two.", "missing"), run("m [run 1]", "Three.", "contradicts"))
    assert board(source) == {("m [run 1] (2)", "x"): 1.0, ("m [run 2]", "x"): 0.0, ("m [run 1]", "x"): -1.0}
    assert len(source.responses) == 3


@pytest.mark.parametrize("name", ["$0\\1", "\x1b[31m<script>", "=cmd()", "panel", "ا\u202eب"])
def test_hostile_names_of_models_and_runs_are_only_names(name, source_of, question, answer):
    def run(text, verdict):
        return source_of([question("q1", ["valuable"])], [answer("q1", name, text)], [("q1", name, "c0", "x", verdict)])

    source = joined([Named(name, run("One.", "meets")), Named("$1", run("Two.", "missing"))])
    assert board(source) == {(f"{name} [{name}]", "x"): 1.0, (f"{name} [$1]", "x"): 0.0}


# --- other questions -----------------------------------------------------------------------------


def test_only_questions_with_the_same_checks_count_and_the_others_are_named(run_of, question):
    given = {("x", "q4", m): ("meets",) * 3 for m in "bc"}
    other = run_of("bc", questions=["q1", "q2", "q3", "q4"], verdicts=given, more={"q2": {"question": "New words?"}})
    one = run_of("ab")
    source = together(one, other)
    assert [question.id for question in source.questions] == ["q1", "q3"]
    assert source.notes[1:] == (
        "Left out, since text, image or checks differ between the runs: 1 question (q2).",
        "Left out, since not every run has them: 1 question (q4).",
        "All numbers are over the 2 questions that the runs share.",
    )
    assert source.notes[0].startswith("The benchmarks differ: run 1 is of unnamed without a version; run 2 is of")
    assert source.benchmark["hash"] is None
    only = run_of("abc", questions=["q1", "q3"])
    assert source.scores.rows == only.scores.rows
    assert set(source.verdicts["question_id"]) == {r.question_id for r in source.responses} == {"q1", "q3"}
    assert {check.question_id for check in source.checks} == {"q1", "q3"}
    assert source.scores.rows == tuple(leaderboard_rows(source.scores.questions))


@pytest.mark.parametrize(
    "change",
    [
        {"rubric": {"checks": [{"id": id, "tier": tier, "text": "Other."} for id, tier in CHECKS.items()]}},
        {"rubric": {"checks": [{"id": id, "tier": "valuable", "text": f"Says {id[1]}."} for id in CHECKS]}},
    ],
)
def test_another_text_or_tier_of_a_check_is_another_question(run_of, change):
    source = together(run_of(), run_of(more={"q3": change}))
    assert [question.id for question in source.questions] == ["q1", "q2"]


def test_another_picture_is_another_question(run_of):
    one, other = (
        replace(source, questions=[q.model_copy(update={"image": image}) for q in source.questions])
        for source, image in ((run_of(), picture("1")), (run_of(), picture("2")))
    )
    with pytest.raises(InputError, match=r"share no question \(3 have the same id, but other texts or checks\)"):
        together(one, other)


def picture(digit):
    from gamut_eval.benchmark.question import ImageRef

    return ImageRef(package="p", path="x.png", sha256=digit * 64)


def test_what_one_run_did_not_ask_is_left_out_of_all(run_of):
    skipped = run_of("c", texts={("q2", "c"): None}, subset=True)
    source = together(run_of("ab"), skipped)
    assert source.scores.rows == run_of("abc", questions=["q1", "q3"]).scores.rows
    assert source.notes[0] == "Left out, since they were not asked in every run: 1 question (q2)."


def test_a_model_whose_answers_are_spread_over_runs_is_put_together(run_of):
    first, second = run_of("ab", texts={("q3", "a"): None}), run_of("a", texts={("q1", "a"): None, ("q2", "a"): None})
    for sources in permutations((first, second)):
        source = together(*sources)
        assert source.scores.rows == run_of("ab").scores.rows
        assert len(source.responses) == 6


def test_incomplete_questions_stay_incomplete_and_may_be_left_out(run_of):
    holes = {("x", "q2", "c"): (None, "meets", "meets")}
    assert board(together(run_of("ab"), run_of("c", verdicts=holes)))["c", "x"] is None
    allowed = together(run_of("ab", allow_incomplete=True), run_of("c", verdicts=holes, allow_incomplete=True))
    assert allowed.scores.rows == run_of("abc", verdicts=holes, allow_incomplete=True).scores.rows
    assert {row.n_questions for row in allowed.scores.rows} == {2}


def test_domain_and_group_are_those_of_the_first_run(run_of):
    source = together(run_of("ab"), run_of("c", more={"q1": {"domain": "animal"}}))
    assert source.questions[0].domain == "food"
    assert source.notes[-1] == "Domain or group differ between the runs, and are those of run 1: 1 question (q1)."


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_runs_changes_no_number(run_of, order):
    runs = [Named(name, run_of(name, judges="xy")) for name in "abc"]
    there, again = joined(runs), joined([runs[place] for place in order])
    key = lambda row: (row.judge, row.model)  # noqa: E731
    assert sorted(there.scores.rows, key=key) == sorted(again.scores.rows, key=key)
    standings = [
        {(c.judge, s.model): (s.interval, s.rank, s.letters) for c in source.contests for s in c.standings}
        for source in (there, again)
    ]
    assert standings[0] == standings[1]


# --- what is refused -----------------------------------------------------------------------------


def test_runs_without_a_shared_question_are_refused(run_of):
    with pytest.raises(InputError, match=r"run 1 and run 2 share no question \(not even an id\); nothing can be"):
        together(run_of(questions=["q1"]), run_of(questions=["q2"]))


def test_other_constants_are_refused_and_told(run_of):
    source = run_of()
    other = replace(source, scores=replace(source.scores, settings=ScoringSettings(**{"lambda": 0.25})))
    with pytest.raises(
        InputError, match=r"different constants, run 1 with lambda 0\.5, .* and run 2 with lambda 0\.25"
    ):
        together(source, other)


def test_other_ways_to_coverage_verdicts_are_refused(run_of):
    with pytest.raises(InputError, match=r"run 1 with 'ask' and run 2 with 'derive'; .*--composite"):
        together(run_of(), run_of(composite="derive"))


def test_a_name_given_twice_is_refused(run_of):
    with pytest.raises(InputError, match="here is given twice"):
        joined([Named("here", run_of("a")), Named("here", run_of("b"))])


# --- a run's texts -------------------------------------------------------------------------------


def test_texts_are_read_only_when_they_are_looked_at(tmp_path, question, answer, monkeypatch):
    read = []
    sources, runs = [], []
    for name, text in (("one", "First."), ("two", "Second.")):
        evaluate([question("q1")], [answer("q1", "m", text)], "lexical", run=tmp_path / name).close()
        run = Run.open(tmp_path / name)
        fetch = run._journal._text
        monkeypatch.setattr(run._journal, "_text", lambda key, fetch=fetch: read.append(key) or fetch(key))
        runs.append(run)
        sources.append(Named(name, run.source(run.scores())))
    source = joined(sources)
    assert {response.model for response in source.responses} == {"m [one]", "m [two]"}
    assert len({response.hash for response in source.responses}) == 2
    assert read == []
    assert [response.text for response in source.responses] == ["First.", "Second."]
    assert len(read) == 2
    for run in runs:
        run.close()
