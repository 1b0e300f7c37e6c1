import hashlib
import io
import json

import pytest

from gamut_eval.errors import InputError
from gamut_eval.records import Failure, Judgement, Response, Verdict, VerdictRow, read_responses, read_verdicts

RESPONSE = {"question_id": "q1", "model": "m", "variant": "text_only", "sample": 0, "response": "Basil."}
VERDICT = {
    "question_id": "q1",
    "model": "m",
    "variant": "text_only",
    "sample": 0,
    "check_id": "herb",
    "judge": "j",
    "repeat": 0,
    "verdict": "meets",
    "quote": "Basil.",
    "rationale": "It says so.",
}


def jsonl(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def without(row, *names):
    return {name: value for name, value in row.items() if name not in names}


def refusal(read, path):
    with pytest.raises(InputError) as caught:
        read([path])
    (finding,) = caught.value.findings
    return finding


def test_a_response_keeps_the_file_s_other_fields(tmp_path):
    row = RESPONSE | {"latency_s": 1.5, "usage": {"in": 3}}
    (response,) = read_responses([jsonl(tmp_path / "r.jsonl", row)])
    assert response.to_dict() == row


def test_sample_and_repeat_are_0_where_they_are_not_given(tmp_path):
    (response,) = read_responses([jsonl(tmp_path / "r.jsonl", without(RESPONSE, "sample"))])
    (verdict,) = read_verdicts([jsonl(tmp_path / "v.jsonl", without(VERDICT, "sample", "repeat"))])
    assert (response.sample, verdict.sample, verdict.repeat) == (0, 0, 0)


def test_an_error_in_place_of_a_response_is_no_answer(tmp_path):
    (response,) = read_responses([jsonl(tmp_path / "r.jsonl", without(RESPONSE, "response") | {"error": "timeout"})])
    assert (response.text, response.error, response.says_nothing) == (None, "timeout", False)


@pytest.mark.parametrize(
    ("change", "nothing"),
    [({"response": ""}, True), ({"response": " \n\t"}, True), ({"refusal": True}, True), ({"refusal": False}, False)],
)
def test_an_empty_response_and_a_refusal_say_nothing(tmp_path, change, nothing):
    (response,) = read_responses([jsonl(tmp_path / "r.jsonl", RESPONSE | change)])
    assert response.says_nothing is nothing


def test_the_hash_of_a_response_is_that_of_its_utf8_text():
    assert Response("q", "m", "image", 0, "né").hash == hashlib.sha256("né".encode()).hexdigest()


def test_a_refusal_does_not_share_the_hash_of_the_same_words_as_an_answer():
    answer = Response("q", "m", "image", 0, "I cannot say.")
    assert Response("q", "m", "image", 0, "I cannot say.", more={"refusal": True}).hash != answer.hash


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"question_id": ""}, ["question_id", "empty"]),
        ({"question_id": 7}, ["question_id", "7"]),
        ({"model": None}, ["model", "missing"]),
        ({"variant": "text"}, ["variant", "image", "text_only", "'text'"]),
        ({"sample": -1}, ["sample", "-1"]),
        ({"sample": 1.0}, ["sample", "1.0"]),
        ({"sample": True}, ["sample", "True"]),
        ({"sample": 2**63}, ["sample", "9223372036854775808"]),
        ({"response": ["a"]}, ["response", "['a']"]),
        ({"error": "timeout"}, ["both"]),
        ({"response": None}, ["neither"]),
    ],
)
def test_a_malformed_response_is_refused_with_file_line_field_and_value(tmp_path, change, words):
    path = jsonl(tmp_path / "r.jsonl", RESPONSE, RESPONSE | {"question_id": "q2"} | change)
    found = refusal(read_responses, path)
    assert (found.file, found.line) == (str(path), 2)
    assert all(word in found.message for word in words)


@pytest.mark.parametrize("unclear", ["false", "No", "", 0, 1, [True]])
def test_a_refusal_that_could_be_read_either_way_is_refused(tmp_path, unclear):
    finding = refusal(read_responses, jsonl(tmp_path / "r.jsonl", RESPONSE | {"refusal": unclear}))
    assert "'refusal' must be true or false" in finding.message


@pytest.mark.parametrize(("said", "nothing"), [(None, False), (False, False), (True, True), ("I cannot.", True)])
def test_a_refusal_is_said_by_true_or_by_its_words(tmp_path, said, nothing):
    (response,) = read_responses([jsonl(tmp_path / "r.jsonl", RESPONSE | {"refusal": said})])
    assert response.says_nothing is nothing


def test_a_field_too_deep_to_be_kept_is_refused_with_its_line(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(RESPONSE)[:-1] + f', "more": {"[" * 300}{"]" * 300}}}', encoding="utf-8")
    finding = refusal(read_responses, path)
    assert (finding.line, "cannot be kept" in finding.message) == (1, True)


@pytest.mark.parametrize("field", ["response", "sample", "variant"])
def test_a_value_is_cut_to_what_a_message_can_bear(tmp_path, field):
    finding = refusal(read_responses, jsonl(tmp_path / "r.jsonl", RESPONSE | {field: ["x" * 100_000]}))
    assert len(finding.message) < 200


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_file_in_another_encoding_says_how_to_save_it(tmp_path, encoding):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(RESPONSE | {"response": "crème"}, ensure_ascii=False), encoding=encoding)
    assert "save the file as UTF-8" in refusal(read_responses, path).message


def test_a_misspelt_field_is_named_beside_the_missing_one(tmp_path):
    path = jsonl(tmp_path / "r.jsonl", without(RESPONSE, "question_id") | {"question": "q1"})
    assert "'question_id' is missing (did you mean 'question'?)" in refusal(read_responses, path).message


@pytest.mark.parametrize("change", [{"response": "a"}, {"error": "timeout"}])
def test_a_missing_field_that_nothing_is_near_to_is_only_named(tmp_path, change):
    path = jsonl(tmp_path / "r.jsonl", without(RESPONSE, "variant", "response") | change)
    assert refusal(read_responses, path).message == "the field 'variant' is missing"


@pytest.mark.parametrize(
    ("said", "near"), [("text-only", "text_only"), ("TEXT ONLY", "text_only"), ("Image", "image"), ("x", None)]
)
def test_a_variant_that_is_nearly_one_is_told_which(tmp_path, said, near):
    message = refusal(read_responses, jsonl(tmp_path / "r.jsonl", RESPONSE | {"variant": said})).message
    assert message == f"'variant' must be image or text_only, not {said!r}" + (
        f" (did you mean {near!r}?)" if near else ""
    )


@pytest.mark.parametrize("name", ["answer", "output", "completion"])
def test_another_name_for_the_response_is_told_apart(tmp_path, name):
    path = jsonl(tmp_path / "r.jsonl", without(RESPONSE, "response") | {name: "Basil."})
    message = refusal(read_responses, path).message
    assert message == f"has neither 'response' nor 'error'; write 'response' in place of {name!r}"


def test_another_name_for_the_verdict_and_a_slip_of_the_pen_are_told_too(tmp_path):
    path = jsonl(tmp_path / "v.jsonl", without(VERDICT, "verdict") | {"label": "meets"})
    assert refusal(read_verdicts, path).message.endswith("write 'verdict' in place of 'label'")
    path = jsonl(tmp_path / "r.jsonl", without(RESPONSE, "response") | {"respones": "Basil."})
    assert refusal(read_responses, path).message.endswith("a row has one of them (did you mean 'respones'?)")


@pytest.mark.parametrize(
    "said", ["Meets", "not_meets", "does not meet", "partially meets", "\u200bmeets", "contradicts - the opposite", ""]
)
def test_a_verdict_is_one_of_the_four_words_exactly(tmp_path, said):
    assert repr(said) in refusal(read_verdicts, jsonl(tmp_path / "v.jsonl", VERDICT | {"verdict": said})).message


@pytest.mark.parametrize("change", [{"error": "overloaded"}, {"verdict": None}])
def test_a_verdict_row_has_either_a_verdict_or_an_error(tmp_path, change):
    assert "one of them" in refusal(read_verdicts, jsonl(tmp_path / "v.jsonl", VERDICT | change)).message


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        ("overloaded", Failure("error", "overloaded")),
        ({"code": "timeout", "message": "30 s"}, Failure("timeout", "30 s")),
    ],
)
def test_a_judge_s_error_is_a_failure_and_no_verdict(tmp_path, error, failure):
    row = without(VERDICT, "verdict", "quote", "rationale") | {"error": error}
    (verdict,) = read_verdicts([jsonl(tmp_path / "v.jsonl", row)])
    assert verdict.outcome == failure


@pytest.mark.parametrize("outcome", [Judgement(Verdict.MISSING, None, "No."), Failure("timeout", "30 s")])
def test_a_verdict_row_that_is_written_reads_back_the_same(tmp_path, outcome):
    row = VerdictRow("q1", "m", "image", 1, "base/red-bell-peppers", "j", 2, outcome, "c" * 64, "r" * 64)
    assert read_verdicts([jsonl(tmp_path / "v.jsonl", row.to_dict())]) == [row]


@pytest.mark.parametrize(("read", "row"), [(read_responses, RESPONSE), (read_verdicts, VERDICT)])
@pytest.mark.parametrize("files", [1, 2])
def test_a_repeated_row_is_refused_naming_both_places_in_one_file_and_across_two(tmp_path, read, row, files):
    other = row | {"question_id": "q2"}
    if files == 1:
        paths = [jsonl(tmp_path / "a.jsonl", row, other, row)]
        places = [f"{paths[0]}:1", f"{paths[0]}:3"]
    else:
        paths = [jsonl(tmp_path / "a.jsonl", row), jsonl(tmp_path / "b.jsonl", other, row)]
        places = [f"{paths[0]}:1", f"{paths[1]}:2"]
    with pytest.raises(InputError) as caught:
        read(paths)
    assert all(place in str(caught.value) for place in places)


def test_rows_that_differ_in_variant_sample_or_repeat_are_no_repetition(tmp_path):
    responses = jsonl(tmp_path / "r.jsonl", RESPONSE, RESPONSE | {"sample": 1}, RESPONSE | {"variant": "image"})
    verdicts = jsonl(tmp_path / "v.jsonl", VERDICT, VERDICT | {"repeat": 1}, VERDICT | {"judge": "k"})
    assert (len(read_responses([responses])), len(read_verdicts([verdicts]))) == (3, 3)


def test_a_long_text_is_read_from_its_file_when_it_is_looked_at(tmp_path):
    path = tmp_path / "r.jsonl"
    rows = [{"question_id": f"q{n}", "model": "m", "variant": "text_only", "response": f"é {n}"} for n in (1, 2)]
    path.write_text("\ufeff" + "\n\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    responses = read_responses([path])
    assert [response.text for response in reversed(responses)] == ["é 2", "é 1"]


def test_a_file_that_changes_meanwhile_is_no_longer_read(tmp_path):
    path = tmp_path / "r.jsonl"
    row = {"question_id": "q", "model": "m", "variant": "text_only", "response": "one"}
    path.write_text(json.dumps(row), encoding="utf-8")
    (response,) = read_responses([path])
    with open(path, "r+b") as stream:  # in place, as an editor may
        stream.write(json.dumps(row | {"response": "two"}).encode())
    with pytest.raises(InputError, match=r"r\.jsonl:1: the file was changed while it was in use"):
        _ = response.text


def test_standard_input_is_kept_for_a_second_look(monkeypatch):
    row = {"question_id": "q", "model": "m", "variant": "text_only", "response": "piped"}
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(row).encode())))
    (response,) = read_responses(["-"])
    assert response.text == response.text == "piped"
