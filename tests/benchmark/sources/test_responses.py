import json

import polars as pl
import pytest

from gamut_eval.benchmark.importing.source import Ledger, Request, find_source
from gamut_eval.errors import InputError
from gamut_eval.records import read_responses

CHECKS = {"checks": [{"id": "a", "tier": "context", "text": "It is."}]}
IMAGE = {"package": "p", "path": "a.png", "sha256": "0" * 64}
BENCH = [
    {"id": "q1", "domain": "d", "question": "What is it?", "text_only": "What is tea?", "image": IMAGE},
    {"id": "q2", "domain": "d", "question": "What is bread?"},
]


@pytest.fixture
def bench(tmp_path):
    path = tmp_path / "bench.jsonl"
    path.write_text("\n".join(json.dumps(row | {"rubric": CHECKS}) for row in BENCH))
    return str(path)


@pytest.fixture
def imported(tmp_path):
    def run(rows, name="in.jsonl", columns=None, **options):
        path = tmp_path / name
        if path.suffix == ".parquet":
            pl.DataFrame(rows).write_parquet(path)
        elif path.suffix == ".csv":
            pl.DataFrame(rows).write_csv(path)
        else:
            path.write_text("\n".join(map(json.dumps, rows)))
        ledger = Ledger()
        find_source("responses").run(Request(str(path), str(tmp_path / "o.jsonl"), columns or {}, options), ledger)
        return read_responses([tmp_path / "o.jsonl"]), list(ledger.lines())

    return run


@pytest.mark.parametrize("file", ["in.jsonl", "in.csv", "in.parquet"])
@pytest.mark.parametrize(
    "names",
    [
        ("question_id", "model", "response", "variant"),
        ("id", "model_name", "output", "mode"),
        ("qid", "generator", "completion", "modality"),
        ("prompt_id", "system", "prediction", "setting"),
        ("Question ID", "Model", "Answer", "Variant"),
    ],
)
def test_usual_names_of_columns(imported, file, names):
    id_, model, answer, variant = names
    rows = [{id_: f"q{n}", model: "m", answer: f"Answer {n}.", variant: "text-only", "seed": "7"} for n in (1, 2)]
    found, said = imported(rows, file)
    assert [(one.key, one.text, dict(one.more)) for one in found] == [
        ((f"q{n}", "m", "text_only", 0), f"Answer {n}.", {"seed": "7"}) for n in (1, 2)
    ]
    assert said == []


def test_names_that_nobody_foresees_are_given(imported):
    columns = {"question_id": "a", "response": "b"}
    found, _ = imported([{"a": "q1", "b": "Tea."}], columns=columns, model="m", variant="image")
    assert found[0].key == ("q1", "m", "image", 0)


def test_by_wording_which_also_tells_the_variant(imported, bench):
    rows = [
        {"question": "  what IS it? ", "answer": "Tea."},
        {"question": "What is tea?", "answer": "A drink."},
        {"question": "What is bread?", "answer": "Food."},
    ]
    found, _ = imported(rows, benchmark=bench, model="m")
    assert [one.key[:3] for one in found] == [("q1", "m", "image"), ("q1", "m", "text_only"), ("q2", "m", "text_only")]


def test_what_the_benchmark_does_not_have_is_named(imported, bench):
    rows = [{"id": "q2", "answer": "x"}, {"id": "q9", "answer": "x"}, {"id": "q8", "question": "Who?", "answer": "x"}]
    found, said = imported(rows, benchmark=bench, model="m")
    assert [one.question_id for one in found] == ["q2"]
    assert said[0].startswith("rows to questions that the benchmark does not have: 2 left out (q9 at ")


def test_a_wording_of_two_questions_is_not_guessed(imported, tmp_path):
    rows = [{"id": name, "domain": "d", "question": "Same?", "rubric": CHECKS} for name in ("a", "b")]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = [{"id": "a", "answer": "x"}, {"id": "?", "question": "Same?", "answer": "x"}]
    _, said = imported(asked, benchmark=str(tmp_path / "b.jsonl"), model="m")
    assert said[0].startswith("rows that fit several questions: 1 left out")


def test_errors_empty_answers_and_samples_are_told_apart(imported):
    base = {"model": "m", "variant": "image"}
    rows = [
        base | {"id": "a", "response": None, "error": "HTTP 500"},
        base | {"id": "b", "response": None},
        base | {"id": "c", "response": " "},
        base | {"id": "d", "response": ["x", "y"]},
        base | {"id": "e", "response": "x"},
        base | {"id": "e", "response": "y"},
        base | {"id": "f", "response": '["x", "y"]'},
        base | {"id": "g", "response": "[1] is a reference."},
    ]
    found, said = imported(rows)
    assert [(one.question_id, one.sample, one.text, one.error) for one in found] == [
        ("a", 0, None, "HTTP 500"),
        ("b", 0, None, "no response in the file"),
        ("c", 0, " ", None),
        ("d", 0, "x", None),
        ("d", 1, "y", None),
        ("e", 0, "x", None),
        ("e", 1, "y", None),
        ("f", 0, "x", None),
        ("f", 1, "y", None),
        ("g", 0, "[1] is a reference.", None),
    ]
    assert [line.partition(" to look at")[0] for line in said] == [
        "rows without response or error, which count as errors: 1",
        "responses that are empty, which are answers that say nothing: 1",
        "rows that come again for a question and model, taken for further samples: 1",
    ]


def test_bytes_are_named_and_other_fields_kept(imported):
    rows = [{"id": "q1", "model": "m", "variant": "image", "response": "x", "image": b"\xff", "usage": {"tokens": 3}}]
    found, said = imported(rows, "in.parquet")
    assert found[0].more == {"usage": {"tokens": 3}}
    assert said[0].endswith("columns of bytes not taken over: image")


CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is tea?"},
    {"role": "assistant", "content": "Wait."},
    {"role": "user", "content": "What is bread?"},
    {"role": "assistant", "content": "A food."},
]


@pytest.mark.parametrize("file", ["in.jsonl", "in.parquet"])
@pytest.mark.parametrize(
    ("name", "value", "texts"),
    [
        ("messages", CHAT, ["A food."]),
        ("messages", [{"role": "assistant", "content": [{"type": "text", "text": "A"}]}], ["A"]),
        ("messages", CHAT[:2], [None]),
        ("message", CHAT[-1], ["A food."]),
        ("conversations", [{"from": "human", "value": "?"}, {"from": "gpt", "value": "A food."}], ["A food."]),
        ("messages", json.dumps(CHAT), ["A food."]),
        ("resps", [["A food."]], ["A food."]),
        ("resps", [["A food.", "Baked."]], ["A food.", "Baked."]),
    ],
)
def test_what_other_tools_write_for_an_answer(imported, file, name, value, texts):
    columns = {"response": name} if name == "message" else {}
    found, _ = imported([{"id": "a", name: value}], file, columns=columns, model="m", variant="image")
    assert [one.text for one in found] == texts


def test_other_columns_do_not_take_the_place_of_what_is_given(imported):
    row = {"id": "a", "model": "theirs", "response": "Theirs.", "text": "Ours."}
    found, said = imported([row], columns={"response": "text"}, model="ours", variant="image")
    assert (found[0].model, found[0].text) == ("ours", "Ours.")
    assert found[0].more == {"model_column": "theirs", "response_column": "Theirs."}
    assert said[0].endswith("columns with names of ours, kept as model_column, response_column")


@pytest.mark.parametrize("value", [[["a"], ["b"]], [[5]], [{"x": "y"}]])
def test_other_lists_are_refused(imported, value):
    with pytest.raises(InputError, match="neither a text nor a list of texts nor chat messages"):
        imported([{"id": "a", "response": value}], model="m", variant="image")


def test_a_question_by_its_wording_in_the_chat(imported, bench):
    found, _ = imported([{"messages": CHAT}], benchmark=bench, model="m")
    assert [(one.question_id, one.variant, one.text) for one in found] == [("q2", "text_only", "A food.")]


def test_fields_inside_columns_as_an_evaluation_harness_and_a_batch_write_them(imported):
    harness = {"doc_id": 0, "doc": {"id": "q7", "x": 1}, "resps": [["Tea."]]}
    found, _ = imported([harness], columns={"question_id": "doc.id"}, model="m", variant="image")
    assert (found[0].question_id, found[0].text, found[0].more) == ("q7", "Tea.", {"doc_id": 0, "doc": harness["doc"]})
    batch = {"custom_id": "q8", "response": {"body": {"model": "m", "choices": [{"message": CHAT[-1]}]}}}
    columns = {
        "question_id": "custom_id",
        "response": "response.body.choices.0.message",
        "model": "response.body.model",
    }
    found, _ = imported([batch], columns=columns, variant="image")
    assert (found[0].question_id, found[0].model, found[0].text) == ("q8", "m", "A food.")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            {"id": "a", "response": "x y", "latency": 1.5},
            "--column model=NAME, for example: gamut import .* --model NAME",
        ),
        ({"id": "a", "response": "x y", "engine": "m"}, "for example: gamut import .* --column model=engine"),
        ({"id": "a", "n": 1, "said": "It is tea."}, "for example: gamut import .* --column response=said"),
        ({"id": "a", "n": [1]}, r"Say which with --column response=NAME \(NAME.FIELD is a field inside a column\)$"),
    ],
)
def test_the_example_is_one_that_works(imported, row, words):
    with pytest.raises(InputError, match=words):
        imported([row], variant="image")


@pytest.mark.parametrize(
    ("row", "options", "words"),
    [
        ({"response": "x"}, {}, "cannot tell which column has the question's id, nor, with --benchmark"),
        ({"question": "Who?", "response": "x"}, {}, "cannot tell which column has the question's id"),
        ({"id": "a"}, {"model": "m"}, "cannot tell which column is the 'response'"),
        ({"id": "a", "response": "x"}, {}, r"the 'model' \(or give --model NAME\)"),
        ({"id": "a", "response": "x"}, {"model": "m"}, r"in.jsonl:1: cannot tell the variant"),
        ({"id": "a", "response": "x", "mode": "sound"}, {"model": "m"}, "the variant 'sound' is neither image nor"),
        ({"id": "a", "response": 5}, {"model": "m", "variant": "image"}, "neither a text nor a list of texts"),
        ({"id": "", "response": "x"}, {"model": "m", "variant": "image"}, "the question's id is empty"),
        ({"id": "a", "model": "", "response": "x"}, {"variant": "image"}, "the model is empty"),
        ({"id": "a", "response": "x", "sample": "b"}, {"model": "m", "variant": "image"}, "'b' is no whole number"),
    ],
)
def test_in_doubt_it_stops(imported, row, options, words):
    with pytest.raises(InputError, match=words):
        imported([row], **options)


def test_samples_that_are_given_and_come_twice_are_refused(imported):
    rows = [{"id": "a", "response": text, "sample": 1, "model": "m", "variant": "image"} for text in "xy"]
    with pytest.raises(InputError, match="a second response for"):
        imported(rows)


def test_a_column_called_like_a_field_of_ours_does_not_overwrite_what_is_said(imported):
    row = {"qid": "q1", "model": ["other"], "output": "Tea.", "variant": "image", "response": {"a": 1}, "place": "x"}
    found, said = imported([row], columns={"response": "output"}, model="m", variant="text_only")
    assert [(one.key, one.text) for one in found] == [(("q1", "m", "text_only", 0), "Tea.")]
    kept = found[0].more
    assert (kept["model_column"], kept["variant_column"], kept["response_column"]) == (["other"], "image", {"a": 1})
    assert "columns with names of ours, kept as model_column, variant_column, response_column" in said[0]
