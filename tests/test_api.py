import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

import gamut_eval
from gamut_eval import (
    Failure,
    InputError,
    Judge,
    Judgement,
    Response,
    Run,
    RunError,
    Verdict,
    aevaluate,
    ascore,
    evaluate,
    score,
)
from gamut_eval.benchmark.settings import ScoringSettings
from gamut_eval.errors import RunBusyError

QUESTION = {
    "id": "q",
    "domain": "food",
    "question": "What is in pesto?",
    "rubric": {
        "items": [
            {"id": "herb", "type": "simple", "tier": "answer_critical", "statement": "Pesto has basil."},
            {"id": "nuts", "type": "simple", "tier": "valuable", "statement": "Pesto has pine nuts."},
        ]
    },
}
ANSWER = {"question_id": "q", "model": "m", "variant": "text_only", "response": "Basil and pine nuts."}
OTHER = QUESTION | {"id": "p"}


class Word(Judge):
    """*Meets* where the check's last word is in the response; fails on the checks it is told to."""

    def __init__(self, name="word", fails=(), workers=4):
        self.name, self.fails, self.workers, self.asked = name, fails, workers, []

    @property
    def settings(self):
        return {"rule": 1}

    async def judge(self, ask):
        self.asked.append((ask.response.question_id, ask.check.id))
        await asyncio.sleep(0)
        if ask.check.id in self.fails:
            return Failure("timeout", "30 s")
        word = ask.check.text.rstrip(".").split()[-1]
        return Judgement(Verdict.MEETS if word in ask.response.text.casefold() else Verdict.MISSING)


def gamut_of(run):
    with run:
        (row,) = run.scores().rows
        return row.gamut


def test_every_public_name_is_there_and_sorted():
    assert gamut_eval.__all__ == sorted(gamut_eval.__all__)
    assert [name for name in gamut_eval.__all__ if getattr(gamut_eval, name).__name__ != name] == []
    with pytest.raises(AttributeError, match="evaluat"):
        _ = gamut_eval.evaluat


# --- from every kind of code ---------------------------------------------------------------------


def test_evaluate_and_score_work_twice_in_one_process():
    for _ in range(2):
        assert gamut_of(evaluate([QUESTION], [ANSWER], Word())) == 1.0
        assert score(QUESTION, "Basil.", Word()).gamut == pytest.approx(0.6 / 0.9)


def test_evaluate_and_score_work_inside_a_running_event_loop_which_goes_on_afterwards():
    async def cell():
        gamut = gamut_of(evaluate([QUESTION], [ANSWER], Word()))
        one = score(QUESTION, "Basil and pine nuts.", Word()).gamut
        return gamut, one, (await ascore(QUESTION, "", Word())).gamut

    assert asyncio.run(cell()) == (1.0, 1.0, 0.0)


def test_aevaluate_and_ascore_work_side_by_side_in_one_loop():
    async def both():
        run, one = await asyncio.gather(aevaluate([QUESTION], [ANSWER], Word()), ascore(QUESTION, "Basil.", Word()))
        return gamut_of(run), one.gamut

    assert asyncio.run(both()) == (1.0, pytest.approx(0.6 / 0.9))


def test_evaluate_and_score_work_from_several_threads_at_once(tmp_path):
    def one(n):
        answer = ANSWER | {"response": "Basil." if n % 2 else "Basil and pine nuts."}
        return gamut_of(evaluate([QUESTION], [answer], Word(), run=tmp_path / str(n))), score(
            QUESTION, answer["response"], Word()
        ).gamut

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(one, range(8)))
    assert found == [(pytest.approx(2 / 3), pytest.approx(2 / 3)) if n % 2 else (1.0, 1.0) for n in range(8)]


def test_a_run_can_be_read_from_another_thread():
    with evaluate([QUESTION], [ANSWER], Word()) as run, ThreadPoolExecutor(1) as thread:
        assert thread.submit(lambda: run.scores().rows[0].gamut).result() == 1.0


# --- evaluate ------------------------------------------------------------------------------------


def test_in_memory_and_in_a_folder_give_the_same_scores(tmp_path):
    with evaluate([QUESTION, OTHER], [ANSWER], Word(fails=["nuts"])) as memory:
        expected = memory.scores_dict(memory.scores())
    with evaluate([QUESTION, OTHER], [ANSWER], Word(fails=["nuts"]), run=tmp_path) as folder:
        assert folder.scores_dict(folder.scores()) == expected
    assert json.loads((tmp_path / "scores.json").read_bytes()) == expected


def test_a_failing_judge_raises_nothing_and_leaves_bounds_instead_of_a_score():
    with evaluate([QUESTION], [ANSWER], Word(fails=["nuts"])) as run:
        (row,) = run.scores().rows
        assert (row.gamut, row.bounds) == (None, (pytest.approx(1 / 3), 1.0))
        assert run.progress.failures == {"timeout": 1}
        assert run.verdicts().filter(pl.col("verdict").is_null())["error"].to_list() == ["timeout"]


def test_verdicts_are_reported_as_they_come():
    seen = []
    evaluate([QUESTION], [ANSWER], Word(fails=["nuts"]), on_verdict=seen.append).close()
    assert {row.check_id: row.outcome for row in seen} == {
        "herb": Judgement(Verdict.MEETS),
        "nuts": Failure("timeout", "30 s"),
    }


def test_an_interrupted_run_can_be_read_and_gone_on_with(tmp_path):
    class StopError(Exception):
        pass

    def stop_after(n):
        def on_verdict(_):
            nonlocal n
            n -= 1
            if not n:
                raise StopError

        return on_verdict

    questions = [QUESTION | {"id": f"q{n}"} for n in range(10)]
    answers = [ANSWER | {"question_id": f"q{n}"} for n in range(10)]
    with pytest.raises(StopError):
        evaluate(questions, answers, Word(workers=1), run=tmp_path, on_verdict=stop_after(13))
    assert (tmp_path / "manifest.json").exists()
    assert not (tmp_path / "scores.json").exists()
    with Run.open(tmp_path) as part:
        known = part.verdicts().select("question_id", "check_id").rows()
        assert len(known) == 13
        (row,) = part.scores().rows
        assert (row.gamut, row.n_questions + row.n_incomplete) == (None, 10)
    judge = Word()
    with evaluate(questions, answers, judge, run=tmp_path) as run, evaluate(questions, answers, Word()) as whole:
        assert run.scores_dict(run.scores()) == whole.scores_dict(whole.scores())
        assert (run.progress.known, run.progress.judged) == (13, 7)
    assert sorted([*known, *judge.asked]) == sorted((f"q{n}", check) for n in range(10) for check in ("herb", "nuts"))


def test_the_manifest_says_what_was_judged_by_whom_and_how(tmp_path):
    work = aevaluate([QUESTION], [ANSWER], Word(), run=tmp_path, repeats=2, command=["gamut", "judge", "…"])
    asyncio.run(work).close()
    manifest = json.loads((tmp_path / "manifest.json").read_bytes())
    names = ("benchmark", "judges", "repeats", "composite", "subset", "command")
    assert [manifest[name] for name in names] == [
        {"name": "unnamed", "version": None, "hash": manifest["benchmark"]["hash"]},
        {"word": {"rule": 1}},
        2,
        "ask",
        False,
        ["gamut", "judge", "…"],
    ]


def test_a_refused_folder_keeps_its_manifest(tmp_path):
    evaluate([QUESTION], [ANSWER], Word(), run=tmp_path).close()
    before = (tmp_path / "manifest.json").read_bytes()
    with pytest.raises(RunError):
        evaluate([QUESTION], [ANSWER], Word(), run=tmp_path, composite="derive")
    assert (tmp_path / "manifest.json").read_bytes() == before


def test_a_folder_in_use_is_refused_to_another_thread(tmp_path):
    entered, leave = threading.Event(), threading.Event()

    def wait(_):
        entered.set()
        leave.wait()

    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(evaluate, [QUESTION], [ANSWER], Word(), run=tmp_path, on_verdict=wait)
        try:
            assert entered.wait(30)
            with pytest.raises(RunBusyError):
                evaluate([QUESTION], [ANSWER], Word(), run=tmp_path)
        finally:
            leave.set()
        first.result().close()


def test_the_parquet_file_holds_every_verdict_with_its_quote_exactly(tmp_path):
    text = '=HYPERLINK("x")\n+1 "né" 日本 <script>'

    class Quoting(Word):
        async def judge(self, ask):
            return Judgement(Verdict.MEETS, ask.response.text, "Because.")

    evaluate([QUESTION], [ANSWER | {"response": text}], Quoting(), run=tmp_path).close()
    frame = pl.read_parquet(tmp_path / "verdicts.parquet")
    assert frame["quote"].to_list() == [text, text]
    assert frame["verdict"].to_list() == ["meets", "meets"]


def test_subset_leaves_unanswered_questions_out():
    with evaluate([QUESTION, OTHER], [ANSWER], Word(), subset=True) as run:
        assert [(row.gamut, row.n_questions, row.n_incomplete) for row in run.scores().rows] == [(1.0, 1, 0)]
        assert [(row.gamut, row.n_incomplete) for row in run.scores(subset=False).rows] == [(None, 1)]


def test_scoring_again_with_other_constants_asks_nothing():
    judge = Word()
    with evaluate([QUESTION], [ANSWER | {"response": "Basil."}], judge) as run:
        settings = ScoringSettings.model_validate({"weights": {"answer_critical": 1, "valuable": 3}})
        assert run.scores(settings).rows[0].gamut == 0.25
    assert len(judge.asked) == 2


def test_several_judges_have_a_row_each_with_panel_and_consensus():
    with evaluate([QUESTION], [ANSWER], [Word("a"), Word("b")]) as run:
        assert [(row.judge, row.gamut) for row in run.scores().rows] == [
            ("a", 1.0), ("b", 1.0), ("panel", 1.0), ("consensus", 1.0)
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"repeats": 0}, "repeats"),
        ({"repeats": -1}, "repeats"),
        ({"composite": "asks"}, "'asks'"),
        ({"judge": []}, "no judge"),
        ({"judge": "wrod"}, "unknown judge 'wrod'"),
        ({"benchmark": []}, "no question"),
        ({"benchmark": [QUESTION, QUESTION]}, "'q'"),
        ({"responses": []}, "no response"),
        ({"responses": [ANSWER, ANSWER]}, "two responses for (q, m, text_only, 0)"),
        ({"responses": [ANSWER | {"variant": "text"}]}, "'text'"),
        ({"responses": "absent.jsonl"}, "absent.jsonl"),
    ],
)
def test_a_caller_s_mistake_raises_before_anything_is_asked_or_written(tmp_path, options, words):
    judge = Word()
    given = {"benchmark": [QUESTION], "responses": [ANSWER], "judge": judge, "run": tmp_path / "run"} | options
    with pytest.raises(InputError) as caught:
        evaluate(**given)
    assert words in str(caught.value)
    assert judge.asked == []
    assert not (tmp_path / "run").exists()


# --- score ---------------------------------------------------------------------------------------


def test_score_gives_the_checks_behind_it():
    result = score(QUESTION, "Basil.", Word())
    assert [(graded.check.id, graded.outcome.verdict) for graded in result.checks] == [
        ("herb", "meets"),
        ("nuts", "missing"),
    ]
    assert result.tiers == {"answer_critical": 1.0, "valuable": 0.0, "context": None}
    assert result.bounds == (result.gamut, result.gamut)
    assert result.failures == ()


def test_a_failed_judge_is_never_a_zero():
    result = score(QUESTION, "Basil.", Word(fails=["nuts"]))
    assert (result.gamut, result.bounds) == (None, (pytest.approx(1 / 3), 1.0))
    assert [graded.check.id for graded in result.failures] == ["nuts"]


def test_an_empty_response_misses_everything_and_no_one_is_asked():
    judge = Word()
    assert (score(QUESTION, " ", judge).gamut, judge.asked) == (0.0, [])


def test_score_and_evaluate_agree():
    for text in ("Basil.", "Pine nuts.", "Nothing.", ""):
        assert score(QUESTION, text, Word()).gamut == gamut_of(
            evaluate([QUESTION], [ANSWER | {"response": text}], Word())
        )


def test_score_refuses_what_is_no_text():
    with pytest.raises(InputError, match="response"):
        score(QUESTION, None, Word())


def test_opening_what_holds_no_run_raises(tmp_path):
    with pytest.raises(RunError, match="holds no run"):
        Run.open(tmp_path)


def test_a_response_object_and_plain_data_are_the_same():
    answer = Response("q", "m", "text_only", 0, ANSWER["response"])
    with evaluate([QUESTION], [answer], Word()) as a, evaluate([QUESTION], [ANSWER], Word()) as b:
        assert a.responses() == b.responses()


ONE_QUESTION = {
    "id": "q",
    "domain": "food",
    "question": "What is pesto made with?",
    "rubric": {"items": [{"id": "a", "type": "simple", "tier": "valuable", "statement": "Pesto is made with basil."}]},
}


def test_one_response_has_to_stand_in_a_list():
    with pytest.raises(gamut_eval.InputError, match="put the response into a list"):
        gamut_eval.evaluate([ONE_QUESTION], {"question_id": "q", "model": "m", "variant": "text_only", "response": "x"})


@pytest.mark.parametrize("variant", ["images", None, ["image"]])
def test_a_wrong_variant_is_refused_with_those_there_are(variant):
    with pytest.raises(gamut_eval.InputError, match=r"variant is .*; it can be image, text_only or both"):
        gamut_eval.evaluate([ONE_QUESTION], model=str.upper, variant=variant)
