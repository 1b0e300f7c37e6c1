"""`gamut eval`, `answer` and `judge` with models, over HTTP to the stub server."""

import json
import os
import sys
import time

import pytest

import stub_server as s
from gamut_eval.records import read_responses
from model_study import answer_to, fair, judging, process, questions, scores_of, text_of, verdict_on, write_rows

N, N_CHECKS = 4, 3
KEY = "sk-4f9c-never-to-be-seen"
NOWHERE = "http://127.0.0.1:9/v1"
EXPECTED = {
    (f"q{n:03}", f"c{at}"): verdict_on(answer_to(f"What of q{n:03}?"), f"Fact {at} holds.")
    for n in range(N)
    for at in range(N_CHECKS)
}


# --- the whole way -------------------------------------------------------------------------------


def test_eval_answers_judges_scores_and_reports(study, gamut):
    code, out, err = gamut(*study.eval())
    assert (code, study.calls(), study.verdicts()) == (0, (N, N * N_CHECKS), EXPECTED)
    assert f"{N * N_CHECKS} checks: {N * N_CHECKS} judged." in err
    assert f"judge stub/j: {N * N_CHECKS} calls, {120 * N * N_CHECKS:,} prompt tokens" in err
    assert "price unknown" in err
    assert "stub/m" in out
    assert {"verdicts.parquet", "scores.json", "report.html"} <= {file.name for file in study.run.iterdir()}
    assert gamut(*study.eval())[0] == 0
    assert study.calls() == (0, 0)


def test_answer_then_judge_gives_the_scores_of_eval(study, gamut, tmp_path):
    gamut(*study.eval())
    expected = scores_of(study.run)
    study.run = tmp_path / "second"
    study.calls()
    assert gamut(*study.answer())[0] == 0
    assert study.calls() == (N, 0)
    assert gamut(*study.judge())[0] == 0
    assert study.calls() == (0, N * N_CHECKS)
    assert scores_of(study.run) == expected


def test_answer_goes_on_asks_again_for_errors_and_anew_after_a_change(study, gamut):
    bad = "What of q002?"
    study.stub.script = lambda body, seen: s.FILTERED if text_of(body) == bad else fair(body, seen)
    code, out, err = gamut(*study.answer())
    assert (code, out) == (1, "")
    assert f"{N} responses: {N - 1} new, 1 failed" in err
    assert "1 content_filter" in err
    study.stub.script = fair
    study.calls()
    code, _, err = gamut(*study.answer())
    assert (code, study.calls()) == (0, (1, 0))
    assert f"1 new, {N - 1} known from before" in err
    rows = read_responses([study.file])
    assert [(row.question_id, row.text) for row in rows] == [
        (f"q{n:03}", answer_to(f"What of q{n:03}?")) for n in range(N)
    ]
    gamut(*study.answer("--model-arg", "temperature=1"))
    assert study.calls() == (N, 0)


def test_answer_goes_on_after_a_half_written_line(study, gamut):
    gamut(*study.answer())
    before = study.file.read_bytes()
    study.file.write_bytes(before[:-20])
    study.calls()
    assert gamut(*study.answer())[0] == 0
    assert (study.calls(), study.file.read_bytes()) == ((1, 0), before)


def test_a_program_that_sends_back_what_it_was_given_answers_like_any_model(study, gamut):
    program = study.folder / "agent.py"
    program.write_text(
        "import json, sys\n"
        "asked = json.load(sys.stdin)\n"
        "print(json.dumps(asked | {'response': 'An answer to: ' + asked['question'], 'question_id': 'lost'}))\n"
    )
    model = f"command:{sys.executable} {program}"
    assert gamut(*study.eval(model=model))[0] == 0
    assert study.verdicts() == EXPECTED
    assert gamut(*study.answer(model=model))[0] == 0
    assert {row.question_id for row in read_responses([study.file])} == {f"q{n:03}" for n in range(N)}


def test_prompts_are_taken_from_files(study, gamut, tmp_path):
    (tmp_path / "text.txt").write_text("Be brief, {name}.\n", encoding="utf-8")
    (tmp_path / "judge.txt").write_text("Be strict.\n", encoding="utf-8")
    told = ("--text-prompt", str(tmp_path / "text.txt"), "--judge-prompt", str(tmp_path / "judge.txt"))
    assert gamut(*study.eval(*told))[0] == 0
    systems = {judging(body): body["messages"][0]["content"] for body in study.stub.bodies}
    assert systems[False] == "Be brief, {name}."
    assert systems[True].startswith("Be strict.\n\nReply with one JSON object")


def test_parameters_reach_whom_they_are_for(study, gamut):
    gamut(*study.eval("--model-arg", "top_k=5", "--model-arg", "seed=3", "--judge-arg", "reasoning_effort=low"))
    for body in study.stub.bodies:
        more = {name: value for name, value in body.items() if name not in ("messages", "model", "response_format")}
        judge = {"temperature": 0.0, "max_tokens": 4096, "reasoning_effort": "low"}
        assert more == (judge if judging(body) else {"top_k": 5, "seed": 3})


# --- nothing is sent by mistake ------------------------------------------------------------------


@pytest.mark.parametrize("command", ["eval", "answer", "judge"])
def test_a_dry_run_sends_nothing_needs_no_key_and_makes_nothing(study, command):
    write_rows(study.file, [
        {"question_id": "q000", "model": "x", "variant": "text_only", "response": "Basil."}
    ])  # fmt: skip
    before = sorted(study.folder.rglob("*"))
    named = {
        "eval": ("eval", study.bench, "--model", "openai/gpt-4o", "--judge", "google/gemini-2.5-pro"),
        "answer": ("answer", study.bench, "--model", "openai/gpt-4o", "-o", str(study.folder / "new.jsonl")),
        "judge": ("judge", study.bench, "--responses", str(study.file), "--judge", "openai/gpt-4o"),
    }[command]
    run = () if command == "answer" else ("--run", str(study.run))
    done = process(*named, *run, "--no-cache", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert b"openai/gpt-4o" in done.stdout
    assert b"Nothing was sent" in done.stderr
    assert sorted(study.folder.rglob("*")) == before


def test_a_dry_run_counts_the_calls_that_are_then_made(study, gamut):
    code, out, _ = gamut(*study.eval("--samples", "2", "--dry-run"))
    assert (code, study.calls()) == (0, (0, 0))
    counted = {row.split()[0]: int(row.split()[2]) for row in out.splitlines()[1:]}
    gamut(*study.eval("--samples", "2"))
    assert study.calls() == (counted["model"], counted["judge"]) == (2 * N, 2 * N * N_CHECKS)
    code, out, _ = gamut(*study.eval("--samples", "2", "--dry-run"))
    assert [row.split()[2] for row in out.splitlines()[1:]] == ["0", "0"]


# --- settings that are wrong ---------------------------------------------------------------------


def refused(gamut, *arguments):
    start = time.monotonic()
    code, out, err = gamut(*arguments)
    assert (code, out) == (2, "")
    assert time.monotonic() - start < 10
    lines = [line for line in err.strip().splitlines() if not line.startswith("model stub/m: ")]  # what was spent
    assert len(lines) == 1, err
    assert lines[0].startswith("error: ")
    return lines[0]


@pytest.mark.parametrize(
    ("model", "judge", "words"),
    [
        ("openai/gpt-5", "stub/j", ("openai/gpt-5", "OPENAI_API_KEY", "--env-file")),
        ("stub/m", "google/gemini", ("google/gemini", "GEMINI_API_KEY or GOOGLE_API_KEY")),
        ("opnai/gpt-5", "stub/j", ("unknown provider 'opnai'", "did you mean 'openai'", "--base-url")),
        ("stub/m", "antropic/claude", ("unknown provider 'antropic'", "did you mean 'anthropic'", "--judge-base-url")),
        ("gpt-5", "stub/j", ("no model is called 'gpt-5'", "provider/model")),
        ("stub/", "stub/j", ("'stub/' names no model",)),
        ("comand:./agent", "stub/j", ("did you mean 'command'",)),
    ],
)
def test_a_name_or_key_that_is_wrong_is_told_before_anything_is_sent(study, gamut, model, judge, words):
    own = {
        "--base-url": model.split("/")[0] == "stub" or "/" not in model,
        "--judge-base-url": judge.startswith("stub"),
    }
    arguments = list(study.eval(model=model, judge=judge))
    for option, stays in own.items():
        if not stays:
            at = arguments.index(option)
            del arguments[at : at + 2]
    message = refused(gamut, *arguments)
    assert all(word in message for word in words), message
    assert study.calls() == (0, 0)
    assert not study.run.exists()


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--base-url", "localhost:8080", "--base-url 'localhost:8080' is no address"),
        ("--judge-base-url", f"http://me:{KEY}@host/v1", "--judge-base-url must not hold a password"),
        ("--judge-api-key-env", "ABSENT", "export ABSENT"),
        ("--model-arg", "temperature", "write name=value"),
        ("--judge-arg", "temperature=-1", "temperature must be a number from 0"),
        ("--judge-arg", "model=x", "'model' is set by this program"),
        ("--cache", "x.sqlite", "--cache and --no-cache exclude each other"),
        ("--env-file", "absent.env", "absent.env"),
        ("--judge-prompt", os.devnull, "is empty"),
    ],
)
def test_a_setting_that_is_wrong_is_named(study, gamut, option, value, words):
    message = refused(gamut, *study.eval(option, value))
    assert words in message
    assert KEY not in message
    assert study.calls() == (0, 0)
    assert not study.run.exists()


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (s.BAD_KEY, "stub/j: HTTP 401: Incorrect API key provided.; check the key in MINE"),
        (s.NO_MODEL, "check the model's name ('j')"),
        (s.NO_QUOTA, "top up the account, then run the same command again"),
        (s.Answer(b"<html>nginx</html>", 404), "check --judge-base-url"),
    ],
)
def test_a_judge_at_fault_is_told_before_any_answer_is_asked_for(study, gamut, monkeypatch, reply, words):
    monkeypatch.setenv("MINE", KEY)
    study.stub.models = s.Answer(b"nothing here", 404)
    study.stub.script = lambda body, seen: reply if judging(body) else fair(body, seen)
    message = refused(gamut, *study.eval("--judge-api-key-env", "MINE"))
    assert words in message
    assert study.calls()[0] == 0


def test_a_judge_s_key_that_is_refused_and_an_address_where_nobody_is_are_told_before_any_answer(
    study, gamut, monkeypatch
):
    monkeypatch.setenv("MINE", KEY)
    study.stub.models = s.error(401, f"Bad key {KEY}")
    assert "check the key in MINE" in refused(gamut, *study.eval("--judge-api-key-env", "MINE"))
    message = refused(gamut, *study.eval(judge_url=NOWHERE))
    assert f"{NOWHERE} cannot be reached" in message
    assert "--judge-base-url" in message
    assert study.calls() == (0, 0)


@pytest.mark.parametrize("command", ["eval", "answer", "judge"])
@pytest.mark.parametrize("reply", [s.BAD_KEY, s.NO_MODEL, s.Answer(b"nothing", 404), None])
def test_a_model_at_fault_stops_every_command_with_one_message(study, gamut, command, reply):
    gamut(*study.answer())
    rest = {"eval": study.eval, "answer": study.answer, "judge": study.judge}[command]
    if reply is not None:
        study.stub.answers(reply)
    url = study.stub.base_url if reply is not None else NOWHERE
    more = ("--model-arg", "seed=1") if command == "answer" else ()
    message = refused(gamut, *rest(*more, url=url))
    assert f"stub/{'j' if command == 'judge' else 'm'}: " in message
    assert ("cannot be reached" if reply is None else "HTTP 40") in message


def test_a_program_that_is_not_there_stops_the_run_with_one_message(study, gamut):
    for command in (study.eval, study.answer):
        assert "no program './absent'" in refused(gamut, *command(model="command:./absent"))


def test_an_env_file_sets_keys_where_the_environment_does_not(study, gamut, monkeypatch, tmp_path):
    (tmp_path / ".env").write_text(
        f"# mine\nMODEL_KEY={KEY}\nexport JUDGE_KEY='of ${{HOME}} {KEY}'\n", encoding="utf-8"
    )
    keys = ("--env-file", str(tmp_path / ".env"), "--api-key-env", "MODEL_KEY", "--judge-api-key-env", "JUDGE_KEY")
    assert gamut(*study.eval(*keys))[0] == 0
    sent = {judging(request.body): request.headers["Authorization"] for request in study.stub.requests}
    assert sent == {False: f"Bearer {KEY}", True: f"Bearer of ${{HOME}} {KEY}"}
    assert "MODEL_KEY" not in os.environ
    monkeypatch.setenv("MODEL_KEY", "from-the-environment")
    study.calls()
    gamut(*study.answer(*keys[:4]))
    assert {request.headers["Authorization"] for request in study.stub.requests} == {"Bearer from-the-environment"}


# --- budgets -------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [2, N + 5])
def test_a_budget_of_calls_exits_1_and_the_same_command_with_more_goes_on(study, gamut, most):
    code, out, err = gamut(*study.eval("--max-calls", str(most)))
    assert (code, out) == (1, "")
    assert f"the budget of {most} calls (--max-calls) is used up" in err
    assert "goes on from there" in err
    done = f"{most} of {N} responses" if most < N else f"{most - N} of {N * N_CHECKS} checks"
    assert f"{done} are saved" in err
    assert sum(study.calls()) == most
    assert gamut(*study.eval("--max-calls", "1000"))[0] == 0
    assert sum(study.calls()) == N + N * N_CHECKS - most
    assert study.verdicts() == EXPECTED


def test_a_budget_of_calls_stops_answer_and_judge_too(study, gamut):
    code, _, err = gamut(*study.answer("--max-calls", "3"))
    assert (code, len(read_responses([study.file]))) == (1, 3)
    assert "3 of 4 responses are saved" in err
    gamut(*study.answer())
    assert study.calls() == (N, 0)
    code, _, err = gamut(*study.judge("--max-calls", "5"))
    assert (code, study.calls()) == (1, (0, 5))
    assert "5 of 12 checks are saved" in err
    assert gamut(*study.judge())[0] == 0
    assert study.calls() == (0, N * N_CHECKS - 5)


# --- what is printed -----------------------------------------------------------------------------


def test_where_there_is_no_terminal_lines_are_plain_and_few_and_stdout_is_clean(study):
    """B80."""
    study.write(questions(100, 5))
    study.stub.models = s.of_json({"data": []})
    done = process(*study.eval(), CI="1", FORCE_COLOR="", XDG_CACHE_HOME=str(study.folder))
    assert done.returncode == 0, done.stderr
    for stream in (done.stdout, done.stderr):
        assert not {b"\x1b", b"\r"} & {stream[at : at + 1] for at in range(len(stream))}
        assert len(stream.splitlines()) < 20
        stream.decode("utf-8")
    assert b"calls" not in done.stdout
    done = process("score", str(study.run), "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == scores_of(study.run)
    assert done.stderr == b""
