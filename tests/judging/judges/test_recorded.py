import asyncio
import json

import pytest

from gamut_eval.api import evaluate
from gamut_eval.errors import InputError
from gamut_eval.judging.judge import Ask, fingerprint, make_judges
from gamut_eval.records import Failure, Judgement, Response, Verdict
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import Tier

ROW = {
    "question_id": "q1",
    "model": "m",
    "variant": "text_only",
    "check_id": "herb",
    "judge": "ann",
    "verdict": "meets",
}
QUESTION = {
    "id": "q1",
    "domain": "food",
    "question": "What is pesto made with?",
    "rubric": {
        "items": [{"id": "herb", "type": "simple", "tier": "answer_critical", "statement": "Basil is in pesto."}]
    },
}
ANSWER = Response("q1", "m", "text_only", 0, "Basil.")
CHECK = Check("q1", "herb", Tier.ANSWER_CRITICAL, "fact", "Basil is in pesto.", "herb", "")


@pytest.fixture
def recorded(tmp_path):
    def write(*rows, name="verdicts.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return f"recorded:{path}"

    return write


def ask(judge, repeat=0, response=ANSWER):
    return asyncio.run(judge.judge(Ask("?", response, CHECK, repeat)))


def test_a_file_holds_as_many_judges_as_it_names_each_with_its_own_verdicts(recorded):
    ann, ben = make_judges(
        [recorded(ROW, ROW | {"judge": "ben", "verdict": "missing", "quote": None, "rationale": "No."})]
    )
    assert (ann.name, ben.name) == ("ann", "ben")
    assert ask(ann) == Judgement(Verdict.MEETS)
    assert ask(ben) == Judgement(Verdict.MISSING, None, "No.")


@pytest.mark.parametrize(
    ("repeat", "response"),
    [
        (1, ANSWER),
        (0, Response("q1", "m", "text_only", 1, "Basil.")),
        (0, Response("q1", "other", "text_only", 0, "Basil.")),
        (0, Response("q1", "m", "image", 0, "Basil.")),
    ],
)
def test_what_was_not_recorded_is_a_failure_and_never_a_verdict(recorded, repeat, response):
    (ann,) = make_judges([recorded(ROW)])
    failure = ask(ann, repeat, response)
    assert isinstance(failure, Failure)
    assert failure.code == "not_recorded"


def test_a_failure_names_the_file_without_the_folders_it_is_in(recorded, tmp_path):
    (ann,) = make_judges([recorded(ROW)])
    message = ask(ann, 1).message
    assert "verdicts.jsonl" in message
    assert str(tmp_path) not in message


def test_a_recorded_error_stays_an_error(recorded):
    row = {name: value for name, value in ROW.items() if name != "verdict"}
    (ann,) = make_judges([recorded(row | {"error": {"code": "timeout", "message": "30 s"}})])
    assert ask(ann) == Failure("timeout", "30 s")


def test_a_changed_file_is_another_judge_and_a_moved_one_is_not(recorded):
    judges = [
        make_judges([recorded(ROW | more, name=name)])[0]
        for more, name in (({}, "a"), ({}, "b"), ({"verdict": "missing"}, "c"))
    ]
    first, moved, changed = map(fingerprint, judges)
    assert first == moved != changed


def test_matching_hashes_are_accepted(recorded):
    with evaluate([QUESTION], [ANSWER], recorded(ROW)) as run:
        (row,) = run.verdicts().iter_rows(named=True)
    hashes = {name: row[name] for name in ("check_hash", "response_hash")}
    with evaluate([QUESTION], [ANSWER], recorded(ROW | hashes)) as again:
        assert again.verdicts()["verdict"].to_list() == ["meets"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"question_id": "q2"}, "unknown question 'q2' (known: q1)"),
        ({"check_id": "herbs"}, "unknown check of 'q1' 'herbs' (did you mean 'herb'?)"),
        ({"check_hash": "0" * 64}, "another text of the check 'herb'"),
        ({"response_hash": "0" * 64}, "another text of the response"),
    ],
)
def test_a_verdict_that_does_not_fit_is_refused_with_file_and_line(recorded, change, words):
    name = recorded(ROW | {"model": "other"}, ROW | change)
    with pytest.raises(InputError) as caught:
        evaluate([QUESTION], [ANSWER], name)
    (finding,) = caught.value.findings
    assert (finding.file, finding.line) == (name.removeprefix("recorded:"), 2)
    assert words in finding.message


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("recorded", "recorded:verdicts.jsonl"),
        ("recorded:", "recorded:verdicts.jsonl"),
        ("recorded:-", "standard input"),
    ],
)
def test_the_judge_needs_a_file(name, words):
    with pytest.raises(InputError, match=words):
        make_judges([name])


def test_an_empty_and_an_absent_file_are_refused_by_name(recorded, tmp_path):
    for name in (recorded(), f"recorded:{tmp_path / 'absent.jsonl'}"):
        with pytest.raises(InputError, match=r"(verdicts|absent)\.jsonl"):
            make_judges([name])
