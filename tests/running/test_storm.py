"""A server at which everything goes wrong at random: nothing may be lost, doubled, or taken for a verdict."""

import random
from collections import Counter

import pytest

import stub_server as s
from gamut_eval import AnswerOptions, CallOptions, EndpointError, JudgeOptions, Run, evaluate
from gamut_eval.llm import client as client_module
from model_study import VERDICTS, answer_in, answer_to, fair, judging, questions, scores_of, text_of, verdict_on

N, N_CHECKS = 14, 4
QUESTIONS = questions(N, N_CHECKS)
PLANNED = {(f"q{n:03}", f"c{at}") for n in range(N) for at in range(N_CHECKS)}
FAULTS = (
    s.FAILED,
    s.OVERLOADED,
    s.rate_limited(Retry_After="0"),
    s.FILTERED,
    s.ERROR_INSIDE,
    s.NULL_CHOICES,
    s.NO_CHOICES,
    s.NULL_CONTENT,
    s.EMPTY_CONTENT,
    s.CUT_OFF,
    s.CUT_JSON,
    s.HTML,
    s.CLOSED,
    s.SILENT,
    s.NO_JSON_SCHEMA,
    s.NO_TEMPERATURE,
    s.NO_MAX_TOKENS,
    s.error(400, "Something that nobody has seen before."),
    s.completion("ANSWER: C"),
    s.completion('{"quote": "x", "rationale": "so it meets it", "verdict": "not_meets"}'),
    s.completion("I will not say.", message={"refusal": "I will not say."}),
    s.completion("x", "content_filter"),
)
OF_THE_RUN = (s.BAD_KEY, s.NO_MODEL, s.NO_QUOTA)
EXPECTED = {
    (f"q{n:03}", f"c{at}"): verdict_on(answer_to(f"What of q{n:03}?"), f"Fact {at} holds.")
    for n in range(N)
    for at in range(N_CHECKS)
}


def storm(seed, share, *, ends=False):
    """A script that goes wrong in that share of calls; answers that come are right, so that verdicts compare."""
    chance = random.Random(seed)

    def script(body, seen):
        answer = fair(body, seen)
        if ends and chance.random() < 0.01:
            answer = chance.choice(OF_THE_RUN)
        elif chance.random() < share:
            fault = chance.choice(FAULTS)
            # A model may say anything at all, and it is an answer; here it is to say what it says undisturbed.
            says_something = fault.status == 200 and fault not in (s.CUT_OFF, s.FILTERED) and b"content" in fault.body
            answer = answer if says_something and not judging(body) else fault
        return s.replace(answer, delay_s=chance.choice((0, 0, 0, 0.001, 0.003)))

    return script


def options(stub, checks_per_call=1, timeout_s=30.0):
    calls = CallOptions(base_url=stub.base_url, environment={}, connections=8, timeout_s=timeout_s)
    return {
        "model": "stub/m",
        "model_options": AnswerOptions(calls),
        "judge_options": JudgeOptions(calls, checks_per_call=checks_per_call),
    }


@pytest.fixture
def stub(stub, monkeypatch):
    """Pauses are short here."""
    monkeypatch.setattr(client_module, "_FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(client_module, "_LONGEST_PAUSE_S", 0.003)
    stub.models = s.of_json({"data": [{"id": "j"}]})
    return stub


def outcomes(run):
    """What is on record of each check, exactly once."""
    rows = list(run.verdicts().iter_rows(named=True))
    keys = [(row["question_id"], row["check_id"]) for row in rows]
    assert len(keys) == len(set(keys))
    for row in rows:
        assert (row["verdict"] is None) != (row["error"] is None)
        assert row["verdict"] in (None, *VERDICTS)
    return {key: row["verdict"] or row["error"] for key, row in zip(keys, rows, strict=True)}


def answered(run):
    """Which questions have an answer, and which an error; each has one of them."""
    responses = run.responses()
    assert Counter(r.question_id for r in responses) == {f"q{n:03}": 1 for n in range(N)}
    for response in responses:
        assert response.answered == (response.error is None)
        assert not response.answered or response.text == answer_to(f"What of {response.question_id}?")
    return {response.question_id for response in responses if response.answered}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    server = s.StubServer()
    server.script = fair
    folder = tmp_path_factory.mktemp("undisturbed")
    with evaluate(QUESTIONS, None, "stub/j", run=folder, **options(server)) as run:
        assert outcomes(run) == EXPECTED
    server.close()
    return scores_of(folder)


@pytest.mark.parametrize(("seed", "share"), [(1, 0.1), (2, 0.3), (3, 0.6), (4, 0.9), (5, 0.3)])
def test_after_a_storm_each_check_has_one_verdict_or_one_error_and_a_calm_run_completes_it(
    stub, tmp_path, undisturbed, seed, share
):
    stub.script = storm(seed, share)
    with evaluate(QUESTIONS, None, "stub/j", run=tmp_path, **options(stub, timeout_s=0.15)) as run:
        got, there = outcomes(run), answered(run)
        assert set(got) == {key for key in PLANNED if key[0] in there}
        wrong = {key for key, said in got.items() if said in VERDICTS and said != EXPECTED[key]}
        assert wrong == set()
        assert len(run.calls()) <= len(stub.requests)  # a call that nobody answered is on record, too
        failed = len(got) - sum(said in VERDICTS for said in got.values())
        assert (run.progress.judged, run.progress.failures.total()) == (len(got) - failed, failed)
    assert failed or len(there) < N or share < 0.5
    stub.script = fair
    stub.requests.clear()
    with evaluate(QUESTIONS, None, "stub/j", run=tmp_path, **options(stub)) as run:
        assert outcomes(run) == EXPECTED
        assert answered(run) == {f"q{n:03}" for n in range(N)}
    judgings = sum(map(judging, stub.bodies))
    assert (len(stub.bodies) - judgings, judgings) == (N - len(there), failed + (N - len(there)) * N_CHECKS)
    assert scores_of(tmp_path) == undisturbed


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_a_storm_that_ends_the_run_again_and_again_loses_nothing(stub, tmp_path, undisturbed, seed):
    stub.script = storm(seed, 0.3, ends=True)
    known = {}
    for _ in range(12):
        try:
            evaluate(QUESTIONS, None, "stub/j", run=tmp_path, **options(stub, timeout_s=0.15)).close()
        except EndpointError:
            with Run.open(tmp_path) as run:
                got = outcomes(run)
            assert {key: got.get(key) for key in known} == known
            known = {key: said for key, said in got.items() if said in VERDICTS}
            assert known.items() <= EXPECTED.items()
    stub.script = fair
    evaluate(QUESTIONS, None, "stub/j", run=tmp_path, **options(stub)).close()
    assert scores_of(tmp_path) == undisturbed


def test_many_checks_in_a_call_survive_replies_that_lack_some(stub, tmp_path):
    chance = random.Random(21)

    def script(body, seen):
        if not judging(body):
            return fair(body, seen)
        if chance.random() < 0.3:
            return chance.choice(FAULTS)
        verdicts = {f"c{at}": verdict_on(answer_in(body), f"Fact {at} holds.") for at in range(N_CHECKS)}
        asked = [name for name in verdicts if f"Check {name!r}" in text_of(body)]
        return s.verdicts(**{name: verdicts[name] for name in asked if chance.random() < 0.7})

    stub.script = script
    for _ in range(2):
        with evaluate(QUESTIONS, None, "stub/j", run=tmp_path, **options(stub, 3, timeout_s=0.15)) as run:
            got = outcomes(run)
            assert set(got) == PLANNED
            assert {key: said for key, said in got.items() if said in VERDICTS}.items() <= EXPECTED.items()
