"""`evaluate` and `score` with models that answer and judge, over HTTP to the stub server."""

import asyncio
import json
import random
import re
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

import gamut_eval
import stub_server as s
from gamut_eval import (
    AnswerOptions,
    BudgetError,
    CallOptions,
    EndpointError,
    JudgeOptions,
    Run,
    aevaluate,
    ascore,
    evaluate,
    score,
)
from gamut_eval.answering.prompt import AnswerPrompt
from gamut_eval.api import Budget
from gamut_eval.llm import client as client_module
from model_study import answer_in, answer_to, check_in, fair, judging, questions, scores_of, text_of, verdict_on

N, N_CHECKS = 6, 3
QUESTIONS = questions(N, N_CHECKS)
PLANNED = {(f"q{n:03}", f"c{at}") for n in range(N) for at in range(N_CHECKS)}


def expected(n=N, n_checks=N_CHECKS):
    """What the fair judge says of the fair answers."""
    return {
        (f"q{at:03}", f"c{check}"): verdict_on(answer_to(f"What of q{at:03}?"), f"Fact {check} holds.")
        for at in range(n)
        for check in range(n_checks)
    }


def verdicts_of(run):
    rows = run.verdicts().iter_rows(named=True)
    found = [((row["question_id"], row["check_id"]), row["verdict"] or row["error"]) for row in rows]
    assert len(dict(found)) == len(found)
    return dict(found)


class Study:
    """Runs the model and the judge of the stub, and counts what each was asked since the last run."""

    def __init__(self, stub):
        self.stub = stub
        stub.script = fair
        stub.models = s.of_json({"data": [{"id": "j"}]})

    def options(self, *, prompt=None, args=None, judge_args=None, connections=8, checks_per_call=1, **more):
        calls = CallOptions(base_url=self.stub.base_url, environment={}, connections=connections)
        of_model = CallOptions(base_url=self.stub.base_url, environment={}, args=args or {}, connections=connections)
        of_judge = CallOptions(base_url=calls.base_url, environment={}, args=judge_args or {}, connections=connections)
        return {
            "model": "stub/m",
            "model_options": AnswerOptions(of_model, prompt or AnswerPrompt()),
            "judge_options": JudgeOptions(of_judge, checks_per_call=checks_per_call),
            **more,
        }

    def run(self, given=QUESTIONS, **more):
        """Verdicts, and how many calls the model and the judge got."""
        self.stub.requests.clear()
        with evaluate(given, None, "stub/j", **self.options(**more)) as run:
            return verdicts_of(run), *self.calls()

    def calls(self):
        n = sum(map(judging, self.stub.bodies))
        return len(self.stub.bodies) - n, n


@pytest.fixture
def study(stub, monkeypatch):
    monkeypatch.setattr(client_module, "_FIRST_PAUSE_S", 0.002)
    return Study(stub)


# --- the whole way -------------------------------------------------------------------------------


def test_a_model_answers_and_its_answers_are_judged_and_scored(study, tmp_path):
    got, asked, judgings = study.run(run=tmp_path)
    assert got == expected()
    assert (asked, judgings) == (N, N * N_CHECKS)
    with Run.open(tmp_path) as run:
        assert {r.question_id: r.text for r in run.responses()} == {
            f"q{n:03}": answer_to(f"What of q{n:03}?") for n in range(N)
        }
        assert {r.more["served_by"] for r in run.responses()} == {"stub-1.0"}
        calls = run.calls()
        assert dict(calls.group_by("role").len().iter_rows()) == {"model": N, "judge": N * N_CHECKS}
        assert calls["prompt_tokens"].to_list() == [120] * (N + N * N_CHECKS)
    (row,) = scores_of(tmp_path)["scores"]
    value = {"meets": 1.0, "partially_meets": 0.5, "missing": 0.0, "contradicts": -1.0}  # of a tier of one check
    weight = dict(zip(("c0", "c1", "c2"), (0.6, 0.3, 0.1), strict=True))  # one check in each tier
    each = [sum(weight[check] * value[expected()[f"q{n:03}", check]] for check in weight) for n in range(N)]
    assert row["gamut"] == pytest.approx(sum(each) / N)
    manifest = json.loads((tmp_path / "manifest.json").read_bytes())
    assert manifest["served_by"] == {"model stub/m": ["stub-1.0"], "judge stub/j": ["stub-1.0"]}


def test_in_memory_it_is_the_same(study, tmp_path):
    assert study.run() == study.run(run=tmp_path)


def test_two_models_and_two_judges_at_once(study):
    study.stub.script = lambda body, seen: fair(body | {"model": body["model"][0]}, seen)
    study.stub.models = s.of_json({"data": [{"id": "j1"}, {"id": "j2"}]})
    options = study.options() | {"model": ["stub/m1", "stub/m2"]}
    with evaluate(QUESTIONS, None, ["stub/j1", "stub/j2"], **options) as run:
        frame = run.verdicts()
        keys = frame.select("question_id", "model", "judge", "check_id")
        assert len(frame) == len(keys.unique()) == 2 * 2 * N * N_CHECKS
        assert frame["error"].null_count() == len(frame)
        for _, part in frame.group_by("model", "judge"):
            got = {(row["question_id"], row["check_id"]): row["verdict"] for row in part.iter_rows(named=True)}
            assert got == expected()


def test_a_function_and_a_program_answer_beside_a_model(study):
    def my_agent(question):
        return answer_to(question)

    options = study.options() | {"model": ["stub/m", my_agent]}
    with evaluate(QUESTIONS, None, "stub/j", **options) as run:
        scores = {row.model: row.gamut for row in run.scores().rows}
    assert scores["my_agent"] == scores["stub/m"] is not None


def test_a_judge_that_is_the_model_is_named_in_the_report(study, tmp_path):
    study.stub.script = lambda body, seen: fair(body | {"model": "j" if "response_format" in body else "m"}, seen)
    for name, itself in (("stub/m", True), ("stub/j", False)):
        evaluate(QUESTIONS, None, name, run=tmp_path / name[-1], **study.options()).close()
        told = "judged its own answers" in (tmp_path / name[-1] / "report.html").read_text(encoding="utf-8")
        assert told is itself


# --- every answer in its place -------------------------------------------------------------------


def test_answers_and_verdicts_that_come_in_any_order_go_where_they_belong(study):
    """B56: 200 items, 16 at once, each after a random delay."""
    chance = random.Random(56)

    def late(body, seen):
        answer = fair(body, seen)
        return s.replace(answer, delay_s=chance.choice((0, 0, 0.001, 0.005, 0.02)))

    study.stub.script = late
    seen = []
    options = study.options(connections=16)
    with evaluate(questions(200, 1), None, "stub/j", on_verdict=seen.append, **options) as run:
        assert verdicts_of(run) == expected(200, 1)
        assert {r.question_id: r.text for r in run.responses()} == {
            f"q{n:03}": answer_to(f"What of q{n:03}?") for n in range(200)
        }
    assert {row.key[0::4]: row.outcome.verdict.value for row in seen} == expected(200, 1)
    assert len(seen) == 200
    assert 8 < study.stub.most_in_flight <= 16


def test_the_callback_is_told_each_new_verdict_once_and_no_known_one(study, tmp_path):
    told = []
    study.run(QUESTIONS[:2], run=tmp_path, on_verdict=told.append)
    assert {(row.question_id, row.check_id) for row in told} == {key for key in PLANNED if key[0] < "q002"}
    assert len(told) == 2 * N_CHECKS
    told.clear()
    study.run(run=tmp_path, on_verdict=told.append)
    assert {row.question_id for row in told} == {f"q{n:03}" for n in range(2, N)}


def test_a_callback_that_raises_stops_the_run_which_goes_on_later(study, tmp_path):
    def stop(row):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        study.run(run=tmp_path, on_verdict=stop)
    assert study.run(run=tmp_path)[0] == expected()


# --- going on ------------------------------------------------------------------------------------


def test_the_same_again_asks_nothing(study, tmp_path):
    first, *_ = study.run(run=tmp_path)
    assert study.run(run=tmp_path) == (first, 0, 0)
    assert study.stub.checked == study.stub.checked[:1]


def test_after_a_fault_that_stopped_it_a_run_goes_on_where_it_was(study, tmp_path):
    study.stub.script = lambda body, seen: s.BAD_KEY if len(study.stub.requests) > 15 else fair(body, seen)
    with pytest.raises(EndpointError, match="stub/j: HTTP 401"):
        study.run(run=tmp_path, connections=1)
    assert study.calls() == (N, 10)
    study.stub.script = fair
    assert study.run(run=tmp_path) == (expected(), 0, N * N_CHECKS - 9)


def test_a_fault_while_answering_keeps_the_answers_there_are(study, tmp_path):
    study.stub.script = lambda body, seen: s.NO_QUOTA if len(study.stub.requests) > 4 else fair(body, seen)
    with pytest.raises(EndpointError, match="top up the account"):
        study.run(run=tmp_path, connections=1)
    study.stub.script = fair
    assert study.run(run=tmp_path) == (expected(), N - 4, N * N_CHECKS)


@pytest.mark.parametrize(
    "change", [{"prompt": AnswerPrompt(text_only="Be brief.")}, {"args": {"temperature": 0.7}}, {"args": {"seed": 1}}]
)
def test_a_changed_prompt_or_parameter_asks_for_answers_anew_and_judges_only_those_that_changed(
    study, tmp_path, change
):
    study.run(run=tmp_path)
    other = {"q001", "q003"}

    def changed(body, seen):
        differs = not judging(body) and text_of(body)[8:12] in other
        return s.completion("Something else.") if differs else fair(body, seen)

    study.stub.script = changed
    got, asked, judgings = study.run(run=tmp_path, **change)
    assert (asked, judgings) == (N, len(other) * N_CHECKS)
    assert {key: got[key] for key in got if key[0] not in other} == {
        key: verdict for key, verdict in expected().items() if key[0] not in other
    }
    assert study.run(run=tmp_path, **change) == (got, 0, 0)


def test_a_changed_judge_judges_the_same_answers_anew(study, tmp_path):
    study.run(run=tmp_path)
    assert study.run(run=tmp_path, judge_args={"temperature": 1})[1:] == (0, N * N_CHECKS)
    assert study.run(run=tmp_path) == (expected(), 0, 0)


def test_limits_and_addresses_change_nothing(study, tmp_path):
    study.run(run=tmp_path)
    assert study.run(run=tmp_path, connections=2) == (expected(), 0, 0)


def test_an_answer_that_was_an_error_is_asked_for_again_and_its_verdicts_follow(study, tmp_path):
    bad = "What of q002?"
    study.stub.script = lambda body, seen: (
        s.FILTERED if not judging(body) and text_of(body) == bad else fair(body, seen)
    )
    with evaluate(QUESTIONS, None, "stub/j", run=tmp_path, **study.options()) as run:
        assert verdicts_of(run).keys() == {key for key in PLANNED if key[0] != "q002"}
        (failed,) = [response for response in run.responses() if not response.answered]
        assert failed.question_id == "q002"
        assert failed.error.startswith("content_filter: HTTP 400")
        (row,) = run.scores().rows
        assert (row.gamut, row.n_incomplete) == (None, 1)
    study.stub.script = fair
    assert study.run(run=tmp_path) == (expected(), 1, N_CHECKS)


def test_verdicts_that_failed_are_asked_for_again(study, tmp_path):
    study.stub.script = lambda body, seen: (
        s.FILTERED if judging(body) and "Fact 1" in text_of(body) else fair(body, seen)
    )
    got, *_ = study.run(run=tmp_path)
    assert got == expected() | {key: "content_filter" for key in PLANNED if key[1] == "c1"}
    study.stub.script = fair
    assert study.run(run=tmp_path) == (expected(), 0, N)


def test_more_samples_and_repeats_ask_only_what_is_new(study, tmp_path):
    samples = iter(range(1000))
    study.stub.script = lambda body, seen: (
        fair(body, seen) if judging(body) else s.completion(f"Sample {next(samples)}.")
    )
    study.run(run=tmp_path)
    with evaluate(QUESTIONS, None, "stub/j", run=tmp_path, samples=3, **study.options()) as run:
        assert study.calls() == (3 * N, 3 * N * N_CHECKS)  # the first sample's included
        assert len({r.text for r in run.responses()}) == 3 * N
    study.stub.requests.clear()
    with evaluate(QUESTIONS, None, "stub/j", run=tmp_path, samples=3, repeats=2, **study.options()) as run:
        assert study.calls() == (0, 3 * N * N_CHECKS)
        frame = run.verdicts()
        assert len(frame) == len(frame.unique(["question_id", "sample", "check_id", "repeat"])) == 6 * N * N_CHECKS
        (row,) = run.scores().rows
        assert row.gamut is not None


def test_fewer_samples_judge_and_ask_nothing_and_lose_nothing(study, tmp_path):
    study.run(QUESTIONS[:1], run=tmp_path, samples=1)
    evaluate(QUESTIONS[:1], None, "stub/j", run=tmp_path, samples=2, **study.options()).close()
    study.stub.requests.clear()
    evaluate(QUESTIONS[:1], None, "stub/j", run=tmp_path, samples=1, **study.options()).close()
    assert study.calls() == (0, 0)
    with Run.open(tmp_path) as run:
        assert [response.sample for response in run.responses()] == [0, 1]


def test_an_answer_in_a_variant_that_a_question_no_longer_has_is_left_alone(study, tmp_path):
    """The benchmark is worked on while runs of it go on."""
    once = [QUESTIONS[0], QUESTIONS[1] | {"image": {"path": "a.png"}, "text_only": "And without it?"}]
    now = [QUESTIONS[0], QUESTIONS[1] | {"image": {"path": "a.png"}}]
    study.run(once, run=tmp_path, variant="text_only")
    got, asked, judgings = study.run(now, run=tmp_path, variant="text_only")
    assert (asked, judgings) == (0, 0)
    assert {key for key in got if key[0] == "q000"} == {("q000", f"c{n}") for n in range(N_CHECKS)}


def test_a_judge_is_asked_nothing_about_a_refusal_and_about_an_empty_answer(study):
    said = {"q000": s.completion(None, message={"refusal": "I will not."}), "q001": s.completion("")}
    study.stub.script = lambda body, seen: (
        said.get(text_of(body)[8:12], fair(body, seen)) if not judging(body) else fair(body, seen)
    )
    got, asked, judgings = study.run()
    assert (asked, judgings) == (N, (N - 2) * N_CHECKS)
    assert {got[key] for key in got if key[0] in said} == {"missing"}


# --- budgets -------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 3, N, N + 1, N + 7])
@pytest.mark.parametrize("connections", [1, 4])
def test_a_budget_of_calls_stops_the_run_and_loses_no_call_and_a_larger_one_goes_on(study, tmp_path, most, connections):
    study.stub.delay_s = 0.002
    with pytest.raises(BudgetError, match=f"{most} calls"):
        study.run(run=tmp_path, budget=Budget(calls=most), connections=connections)
    assert sum(study.calls()) == most
    with Run.open(tmp_path) as run:
        assert len(run.calls()) == most
        answers, verdicts = len(run.responses()), len(run.verdicts())
    assert (answers, verdicts) == (min(most, N), max(0, most - N))
    got, *calls = study.run(run=tmp_path, budget=Budget(calls=1000))
    assert (got, *calls) == (expected(), N - answers, N * N_CHECKS - verdicts)


def test_a_budget_that_suffices_stops_nothing(study):
    assert study.run(budget=Budget(calls=N + N * N_CHECKS))[0] == expected()


def test_a_budget_of_dollars_stops_the_run(study, monkeypatch, tmp_path):
    monkeypatch.setattr(client_module, "price_of", lambda provider, model: lambda usage: 0.25)
    with pytest.raises(BudgetError, match=r"\$2 \(--max-cost\)"):
        study.run(run=tmp_path, budget=Budget(dollars=2), connections=1)
    assert study.calls() == (N, 8 - N)
    assert study.run(run=tmp_path, budget=Budget(dollars=1000)) == (expected(), 0, N * N_CHECKS - (8 - N))


# --- a judge that is at fault is known before answers are asked for (B29) ------------------------


@pytest.mark.parametrize(
    ("of_judge", "words"),
    [
        (s.NO_MODEL, r"stub/j: HTTP 404: .*check the model's name \('j'\)"),
        (s.BAD_KEY, "stub/j: HTTP 401.*check whether the server wants a key"),
        (s.error(403, "Not for you."), "stub/j: HTTP 403: Not for you.*what it may do"),
        (s.Answer(b"404 page not found", 404), "stub/j: HTTP 404.*check --base-url"),
        (s.NO_MONEY, "stub/j: HTTP 402.*top up"),
    ],
)
@pytest.mark.parametrize("models", [s.of_json({"data": []}), s.Answer(b"nothing here", 404), s.FAILED])
def test_a_judge_that_takes_no_call_stops_the_run_before_any_answer(study, tmp_path, of_judge, words, models):
    study.stub.models = models
    study.stub.script = lambda body, seen: of_judge if judging(body) else fair(body, seen)
    with pytest.raises(EndpointError, match=words):
        study.run(run=tmp_path)
    assert study.calls() == (0, 1)


@pytest.mark.parametrize("trial", [s.CUT_OFF, s.FILTERED, s.FAILED, s.NO_MAX_TOKENS, s.HTML, s.CLOSED])
def test_a_judge_that_only_dislikes_the_trial_is_no_reason_to_stop(study, trial):
    study.stub.models = s.of_json({"data": [{"id": "other"}]})
    study.stub.script = lambda body, seen: trial if judging(body) and len(body["messages"]) == 1 else fair(body, seen)
    assert study.run()[0] == expected()


@pytest.mark.parametrize("listed", ["j", "models/j"])
def test_a_judge_that_the_endpoint_lists_is_not_tried(study, listed):
    study.stub.models = s.of_json({"data": [{"id": "other"}, {"id": listed}]})
    assert study.run() == (expected(), N, N * N_CHECKS)
    assert len(study.stub.checked) == 1


# --- from every kind of code ---------------------------------------------------------------------


def test_it_works_twice_in_one_process_and_inside_a_running_loop_both_ways(study):
    async def cell():
        nested, _, _ = study.run()
        run = await aevaluate(QUESTIONS, None, "stub/j", **study.options())
        with run:
            return nested, verdicts_of(run)

    assert [study.run()[0], study.run()[0], *asyncio.run(cell())] == [expected()] * 4


def test_two_runs_at_once_in_one_loop_have_their_own_counts(study, tmp_path):
    async def both():
        works = [aevaluate(QUESTIONS[:n], None, "stub/j", run=tmp_path / str(n), **study.options()) for n in (2, 5)]
        return await asyncio.gather(*works)

    for n, run in zip((2, 5), asyncio.run(both()), strict=True):
        with run:
            assert len(run.calls()) == n + n * N_CHECKS
            assert verdicts_of(run) == {key: said for key, said in expected().items() if key[0] < f"q{n:03}"}


def responses_to_score(n):
    return [f"Response number {at}." for at in range(n)]


def verdicts_expected(response):
    return [verdict_on(response, f"Fact {at} holds.") for at in range(N_CHECKS)]


def verdicts_got(result):
    return [graded.outcome.verdict.value for graded in result.checks]


def test_scores_from_many_threads_share_their_connections(study):
    study.stub.delay_s = 0.003
    options = study.options(connections=6)["judge_options"]
    texts = responses_to_score(40)
    with ThreadPoolExecutor(20) as threads:
        results = list(threads.map(lambda text: score(QUESTIONS[0], text, "stub/j", judge_options=options), texts))
    assert [verdicts_got(result) for result in results] == [verdicts_expected(text) for text in texts]
    assert 3 <= study.stub.most_in_flight <= 6
    assert len(study.stub.requests) == 40 * N_CHECKS


def test_scores_awaited_by_the_hundred_share_their_connections(study):
    study.stub.delay_s = 0.002
    options = study.options(connections=16)["judge_options"]
    texts = responses_to_score(200)

    async def main():
        return await asyncio.gather(*(ascore(QUESTIONS[0], text, "stub/j", judge_options=options) for text in texts))

    results = asyncio.run(main())
    assert [verdicts_got(result) for result in results] == [verdicts_expected(text) for text in texts]
    assert 8 <= study.stub.most_in_flight <= 16


def test_a_reward_of_a_failing_judge_has_bounds_and_no_number(study):
    study.stub.script = lambda body, seen: s.FILTERED if "Fact 2" in text_of(body) else s.verdict("meets", "R")
    result = score(QUESTIONS[0], "R", "stub/j", judge_options=study.options()["judge_options"])
    assert result.gamut is None
    assert [graded.check.id for graded in result.failures] == ["c2"]
    assert result.bounds == (pytest.approx(0.9 - 0.1), pytest.approx(1.0))


def test_a_reward_from_a_judge_that_takes_no_call_raises(study):
    study.stub.answers(s.BAD_KEY)
    with pytest.raises(EndpointError, match="stub/j: HTTP 401"):
        score(QUESTIONS[0], "R", "stub/j", judge_options=study.options()["judge_options"])


def test_several_checks_in_a_call_are_scored_alike(study):
    def many(body, seen):
        checks = re.findall(r"Check '(c\d)':\n(.*)\n", text_of(body))
        return s.verdicts(**{name: verdict_on(answer_in(body), text) for name, text in checks})

    study.stub.script = many
    result = score(QUESTIONS[0], "R", "stub/j", judge_options=study.options(checks_per_call=2)["judge_options"])
    assert verdicts_got(result) == verdicts_expected("R")
    assert len(study.stub.requests) == 2


def test_every_public_option_is_there():
    assert {"AnswerOptions", "CallOptions", "JudgeOptions", "BudgetError", "EndpointError"} <= set(gamut_eval.__all__)


def test_calls_are_in_the_report_and_a_change_of_version_is_named(study, tmp_path):
    study.stub.script = lambda body, seen: (
        s.completion(json.loads(fair(body, seen).body)["choices"][0]["message"]["content"], model="stub-2.0")
        if judging(body) and check_in(body) == "Fact 2 holds."
        else fair(body, seen)
    )
    study.run(run=tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Calls and cost" in page
    assert re.search(r"was answered by several versions: .*stub-1\.0, stub-2\.0", page)
    with Run.open(tmp_path) as run:
        served = run.calls().filter(pl.col("role") == "judge")["model"]
    assert dict(served.value_counts().iter_rows()) == {"stub-1.0": 2 * N, "stub-2.0": N}
