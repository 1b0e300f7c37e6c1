"""What a dry run says, against what the stub then really receives."""

import json
from dataclasses import replace

import pytest
from PIL import Image

from gamut_eval import AnswerOptions, CallOptions, JudgeOptions, evaluate
from gamut_eval.api import planned
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.running.estimate import (
    ANSWER_TOKENS,
    IMAGE_TOKENS,
    VERDICT_TOKENS,
    estimate_answers,
    estimate_verdicts,
    placeholders,
)
from gamut_eval.running.journal import Journal
from model_study import fair, judging, questions, write_rows
from stub_server import completion, of_json

N, N_CHECKS = 4, 3


@pytest.fixture
def benchmark(tmp_path):
    Image.new("RGB", (40, 30), "red").save(tmp_path / "a.png")
    rows = questions(N, N_CHECKS)
    rows[0] |= {"image": {"path": "a.png"}, "text_only": "And without it?"}
    return load_benchmark(write_rows(tmp_path / "bench.jsonl", rows))


@pytest.fixture
def options(stub):
    """What `evaluate` takes to ask the model and the judge of the stub."""
    stub.script = fair
    stub.models = of_json({"data": [{"id": "j"}]})
    calls = CallOptions(base_url=stub.base_url, environment={})
    return {"model": "stub/m", "model_options": AnswerOptions(calls), "judge_options": JudgeOptions(calls)}


def estimated(benchmark, options, folder=None):
    plan, answers = planned(benchmark, None, "stub/j", **options)
    with Journal(folder, readonly=folder is not None) as journal:
        known = journal.known_answers()
        (of_model,) = estimate_answers(answers, known)
        responses = placeholders(answers, journal.responses(), known)
        (of_judge,) = estimate_verdicts(replace(plan, responses=responses), journal.known_keys())
    return of_model, of_judge


def received(stub):
    """Calls to the model and to the judge since the last look."""
    bodies = stub.bodies
    stub.requests.clear()
    judged = [body for body in bodies if judging(body)]
    return [body for body in bodies if not judging(body)], judged


@pytest.mark.parametrize(
    ("more", "per_call", "expected"),
    [
        ({}, 1, (N + 1, (N + 1) * N_CHECKS)),
        ({"samples": 3}, 1, (3 * (N + 1), 3 * (N + 1) * N_CHECKS)),
        ({"repeats": 2}, 1, (N + 1, 2 * (N + 1) * N_CHECKS)),
        ({"variant": "image"}, 1, (1, N_CHECKS)),
        ({"variant": "text_only"}, 1, (N, N * N_CHECKS)),
        ({}, 2, (N + 1, (N + 1) * 2)),
        ({"repeats": 2}, 5, (N + 1, 2 * (N + 1))),
    ],
)
def test_as_many_calls_are_made_as_were_estimated(stub, benchmark, options, more, per_call, expected):  # noqa: PLR0917
    options |= more
    options["judge_options"] = JudgeOptions(options["judge_options"].calls, checks_per_call=per_call)
    stub.script = of_several(per_call)
    of_model, of_judge = estimated(benchmark, options)
    assert (of_model.role, of_model.name, of_judge.role, of_judge.name) == ("model", "stub/m", "judge", "stub/j")
    assert (of_model.calls, of_judge.calls) == expected
    assert stub.requests == []
    evaluate(benchmark, None, "stub/j", **options).close()
    assert tuple(map(len, received(stub))) == expected


def of_several(per_call):
    def script(body, seen):
        if per_call == 1 or not judging(body):
            return fair(body, seen)
        entries = [{"check": f"c{n}", "quote": "", "rationale": "", "verdict": "missing"} for n in range(N_CHECKS)]
        return completion(json.dumps({"checks": entries}))

    return script


def test_completion_tokens_are_counted_for_each_answer_and_each_verdict(benchmark, options):
    options["judge_options"] = JudgeOptions(options["judge_options"].calls, checks_per_call=2)
    of_model, of_judge = estimated(benchmark, options)
    assert of_model.completion_tokens == (N + 1) * ANSWER_TOKENS
    assert of_judge.completion_tokens == (N + 1) * N_CHECKS * VERDICT_TOKENS


def test_prompt_tokens_are_a_quarter_of_the_characters_that_are_then_sent(stub, benchmark, options):
    """Answers are as long as assumed, so that nothing but rounding tells them apart."""
    stub.script = lambda body, seen: fair(body, seen) if judging(body) else said_at_length()
    of_model, of_judge = estimated(benchmark, options)
    evaluate(benchmark, None, "stub/j", **options).close()
    asked, judged = received(stub)
    pictured = [body for body in asked if not isinstance(body["messages"][1]["content"], str)]
    assert len(pictured) == 1
    pictured[0]["messages"][1]["content"] = pictured[0]["messages"][1]["content"][1]["text"]
    for estimate, bodies, pictures in ((of_model, asked, 1), (of_judge, judged, 0)):
        characters = sum(len(json.dumps(body["messages"], ensure_ascii=False)) for body in bodies)
        assert estimate.prompt_tokens == pytest.approx(characters / 4 + pictures * IMAGE_TOKENS, rel=0.02)


def said_at_length():
    return completion("words " * (ANSWER_TOKENS * 4 // 6))


def test_a_judge_that_is_shown_pictures_is_counted_with_them(benchmark, options):
    without = estimated(benchmark, options)[1]
    shown = estimated(benchmark, options | {"judge_images": True})[1]
    assert shown.prompt_tokens - without.prompt_tokens == N_CHECKS * IMAGE_TOKENS


def test_what_is_known_is_not_counted(stub, benchmark, options, tmp_path):
    evaluate(benchmark, None, "stub/j", run=tmp_path / "run", **options).close()
    received(stub)
    assert [one.calls for one in estimated(benchmark, options, tmp_path / "run")] == [0, 0]
    more = options | {"samples": 2}
    of_model, of_judge = estimated(benchmark, more, tmp_path / "run")
    evaluate(benchmark, None, "stub/j", run=tmp_path / "run", **more).close()
    asked, judged = received(stub)
    assert (of_model.calls, of_judge.calls) == (len(asked), len(judged)) == (N + 1, (N + 1) * N_CHECKS)


def test_verdicts_on_answers_that_will_be_asked_for_anew_are_counted(stub, benchmark, options, tmp_path):
    evaluate(benchmark, None, "stub/j", run=tmp_path / "run", **options).close()
    warm = CallOptions(base_url=stub.base_url, environment={}, args={"temperature": 1})
    changed = options | {"model_options": AnswerOptions(warm)}
    of_model, of_judge = estimated(benchmark, changed, tmp_path / "run")
    assert (of_model.calls, of_judge.calls) == (N + 1, (N + 1) * N_CHECKS)


def test_an_unknown_price_is_unknown(benchmark, options):
    assert [one.cost for one in estimated(benchmark, options)] == [None, None]


def test_a_known_price_is_that_of_the_estimated_tokens(benchmark):
    calls = CallOptions(environment={}, needs_key=False)
    plan, answers = planned(
        benchmark,
        None,
        "lexical",
        model="openai/gpt-4o",
        model_options=AnswerOptions(calls),
    )
    (estimate,) = estimate_answers(answers, set())
    # gpt-4o: 2.50 and 10.00 dollars a million tokens
    assert estimate.cost == pytest.approx((estimate.prompt_tokens * 2.5 + estimate.completion_tokens * 10) / 1e6)
    assert list(estimate_verdicts(plan, set())) == []
