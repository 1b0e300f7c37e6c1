import asyncio
import os
import shlex
import sys
import time

import pytest

from gamut_eval.answering.answerer import Answer, Asking
from gamut_eval.answering.answerers import command as command_module
from gamut_eval.answering.answerers.command import Command
from gamut_eval.errors import EndpointError, InputError
from gamut_eval.records import Failure
from stub_server import until

URL = "data:image/jpeg;base64,AA=="
ASKING = Asking("q", "What is pesto? 🌿", "text_only", 1)
READ = "import json, sys, time; asked = json.load(sys.stdin); "


def run(line, asking=ASKING):
    return asyncio.run(Command(line).answer(asking))


def program(code):
    return shlex.join([sys.executable, "-c", code])


def says(code, asking=ASKING):
    return run(program(READ + code), asking)


def test_a_program_is_given_the_question_as_json_and_its_response_is_the_answer():
    code = "print(json.dumps({'response': json.dumps(asked, sort_keys=True)}))"
    expected = (
        '{"image": null, "question": "What is pesto? \\ud83c\\udf3f", "question_id": "q", '
        '"sample": 1, "variant": "text_only"}'
    )
    assert says(code) == Answer(expected)


def test_a_picture_is_a_data_address():
    asking = Asking("q", "?", "image", 0, lambda: {"type": "image_url", "image_url": {"url": URL}})
    assert says("print(json.dumps({'response': asked['image']}))", asking) == Answer(URL)


def test_more_fields_are_kept_and_an_empty_response_is_an_answer():
    code = "print(json.dumps({'response': '', 'refusal': True, 'tokens': 12}))"
    assert says(code) == Answer("", {"refusal": True, "tokens": 12})


def test_a_program_may_send_back_what_it_was_given_which_is_not_kept():
    assert says("print(json.dumps({**asked, 'response': 'Basil.', 'tokens': 1}))") == Answer("Basil.", {"tokens": 1})


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("print('Basil.')", Failure("bad_reply", "the program wrote no JSON object: Basil.")),
        ("print('[1]')", Failure("bad_reply", "the program wrote no JSON object: [1]")),
        ("pass", Failure("bad_reply", "the program wrote no JSON object: ")),
        ("sys.stdout.buffer.write(bytes([255, 10]))", Failure("bad_reply", "the program wrote no JSON object: \ufffd")),
        (
            "print(json.dumps({'answer': 'Basil.'}))",
            Failure("bad_reply", "the program's object has neither 'response', a text, nor 'error'"),
        ),
        (
            "print(json.dumps({'response': 5}))",
            Failure("bad_reply", "the program's object has neither 'response', a text, nor 'error'"),
        ),
        ("print(json.dumps({'error': 'out of oil'}))", Failure("command_failed", "out of oil")),
        ("sys.exit(3)", Failure("command_failed", "exit code 3: ")),
        (
            "print(json.dumps({'response': 'Basil.'})); sys.stderr.write('no\\n oil'); sys.exit(3)",
            Failure("command_failed", "exit code 3: no oil"),
        ),
    ],
)
def test_anything_else_is_a_failure_that_says_what_came(code, failure):
    assert says(code) == failure


def test_a_program_that_does_not_read_its_question_may_answer_all_the_same():
    asking = Asking("q", "long " * 100_000, "text_only")
    code = 'import os; os.close(0); print(\'{"response": "Basil."}\')'
    assert run(program(code), asking) == Answer("Basil.")


@pytest.mark.parametrize("code", ["pass", "import subprocess; subprocess.Popen(['sleep', '20'])"])
def test_a_program_that_hangs_is_killed_with_what_it_started_which_would_hold_the_run_up(monkeypatch, code):
    monkeypatch.setattr(command_module, "TIMEOUT_S", 0.2)
    start = time.monotonic()
    got = run(program(f"{code}\nimport time\ntime.sleep(20)"))
    assert got == Failure("timed_out", "the program did not answer within 0.2 s")
    assert time.monotonic() - start < 4


def test_a_program_is_killed_when_the_run_is_stopped(tmp_path):
    pid = tmp_path / "pid"
    code = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(60)"

    async def main():
        task = asyncio.create_task(Command(program(code)).answer(ASKING))
        await until(lambda: pid.exists() and pid.read_text())
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


@pytest.mark.parametrize("line", ["./absent", "./absent --x", sys.prefix])
def test_a_program_that_is_not_there_is_refused_before_anything_is_asked(line):
    with pytest.raises(InputError, match=f"no program '{line.split()[0]}'"):
        Command(line)


def test_a_program_that_cannot_be_started_stops_the_run(tmp_path):
    program = tmp_path / "agent"
    program.write_text("#!/absent/interpreter\n")
    program.chmod(0o755)
    with pytest.raises(EndpointError, match="cannot be started: No such file"):
        run(str(program))


@pytest.mark.parametrize("line", ["", "  ", "agent 'half"])
def test_a_line_that_names_no_program_is_refused(line):
    with pytest.raises(InputError, match="command"):
        Command(line)


def test_a_line_is_split_as_a_shell_does():
    assert Command(f"{sys.executable} 'two words' --x").settings == {"command": [sys.executable, "two words", "--x"]}
