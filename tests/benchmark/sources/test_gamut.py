"""The paper's benchmark in plausible shapes: what is read, and where the command stops and asks."""

import json
import random
import time

import polars as pl
import pytest

from gamut_eval.benchmark.importing.source import Ledger, Request
from gamut_eval.benchmark.importing.tiers import TierNames
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.benchmark.sources.gamut import SOURCE
from gamut_eval.errors import InputError
from gamut_eval.rubric.fields import Tier

TIERS = ("answer_critical", "valuable", "context")
WRITTEN = {
    "answer_critical": ("Answer-Critical", "AC", "answer critical", "ANSWER_CRITICAL"),
    "valuable": ("Valuable", "Val", "valuable", "VALUABLE"),
    "context": ("Context", "Ctx", "context", "CONTEXT"),
}
QUESTIONS = [(f"g{n}", f"What is thing {n}, and how is it made?") for n in range(5)]
LINES = {name: [(tier, f"Fact {tier} of {name}.") for tier in TIERS] for name, _ in QUESTIONS}


def each(make):
    return [{"id": name, "question": text, **make(LINES[name])} for name, text in QUESTIONS]


def by_tier(lines, style):
    return {WRITTEN[tier][style]: [text for other, text in lines if other == tier] for tier in TIERS}


def structs(lines, tier="tier", text="criterion", style=0, **more):
    return [{tier: WRITTEN[name][style], text: words, **more} for name, words in lines]


SHAPES = {
    "structs": each(lambda lines: {"rubric": structs(lines)}),
    "other field names": each(lambda lines: {"grading": structs(lines, "importance", "check_text", 1)}),
    "names that nobody foresees": [
        {"k": name, "ask": text, "blob": structs(LINES[name], "t", "body", 2)} for name, text in QUESTIONS
    ],
    "two lists": each(
        lambda lines: {"checks": [text for _, text in lines], "tiers": [WRITTEN[tier][3] for tier, _ in lines]}
    ),
    "JSON": each(lambda lines: {"binary_rubric": json.dumps(structs(lines))}),
    "a list of JSON": each(lambda lines: {"checks": [json.dumps(one) for one in structs(lines)]}),
    "mapping from tiers": each(lambda lines: {"rubric": by_tier(lines, 0)}),
    "mapping from tiers to structs": each(
        lambda lines: {"rubric": {tier: [{"text": one} for one in some] for tier, some in by_tier(lines, 1).items()}}
    ),
    "a column a tier": each(lambda lines: by_tier(lines, 3)),
    "struct of lists": each(
        lambda lines: {"checks": {"text": [one for _, one in lines], "tier": [WRITTEN[t][0] for t, _ in lines]}}
    ),
    "mapping from ids": each(
        lambda lines: {"checks": json.dumps({f"c{n}": one for n, one in enumerate(structs(lines))})}
    ),
    "one row a check": [
        {"question_id": name, "question": text, "tier": WRITTEN[tier][1], "criterion": words}
        for name, text in QUESTIONS
        for tier, words in LINES[name]
    ],
    "a meta-rubric beside it": each(
        lambda lines: {
            "meta_rubric": [{"type": "simple", "tier": "AC", "statement": "Not this."}],
            "binary_rubric": structs(lines, evidence=["https://a.example"]),
        }
    ),
    "a meta-rubric around it": each(
        lambda lines: {"rubric": {"meta": [{"statement": "Not this.", "tier": "AC"}], "binary": structs(lines)}}
    ),
}


def write(rows, path):
    if path.suffix == ".parquet":
        pl.DataFrame(rows).write_parquet(path)
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    elif path.suffix == ".json":
        path.write_text(json.dumps({"data": rows}))
    else:
        shown = json.dumps if path.stem == "json" else repr
        rows = [{key: one if isinstance(one, str) else shown(one) for key, one in row.items()} for row in rows]
        pl.DataFrame(rows).write_csv(path, include_bom=True)
    return path


@pytest.fixture
def imported(tmp_path):
    """Writes rows, imports them, and reads the result: the benchmark and what was said."""

    def run(rows, name="in.jsonl", output="out.jsonl", columns=None, **options):
        file = write(rows, tmp_path / name) if isinstance(rows, list) else rows
        ledger = Ledger()
        SOURCE.run(Request(str(file), str(tmp_path / output), columns or {}, options), ledger)
        return load_benchmark(tmp_path / output), list(ledger.lines())

    return run


def lines_of(benchmark):
    return {one.id: [(check.tier.value, check.text) for check in one.rubric.checks] for one in benchmark.questions}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("file", ["in.parquet", "in.jsonl", "in.json", "json.csv", "python.csv"])
def test_every_shape_is_read_in_every_format(imported, shape, file):
    benchmark, said = imported(SHAPES[shape], file)
    assert lines_of(benchmark) == LINES
    assert [(one.id, one.question, one.domain) for one in benchmark.questions] == [
        (name, text, "unknown") for name, text in QUESTIONS
    ]
    told = [line for line in said if "not taken over" in line]
    assert bool(told) == (shape == "a meta-rubric beside it")
    assert {check.source for checks in benchmark.checks.values() for check in checks} == {"imported"}


def test_what_else_there_is_is_taken_or_named(imported):
    more = {"domain": "Food", "subject": "jollof", "split": "heldout", "author": "x"}
    benchmark, said = imported([row | more for row in SHAPES["a meta-rubric beside it"]])
    first = benchmark.questions[0]
    assert (first.domain, first.subject, first.split) == ("Food", "jollof", "heldout")
    assert any(line.endswith("columns not taken over: meta_rubric, author") for line in said)
    assert any(line.endswith("fields of checks not taken over: evidence") for line in said)


def test_images_in_the_table_are_not_read(imported):
    image = {"image": {"bytes": b"\xff\xd8\xff", "path": "a.jpg"}}
    _, said = imported([row | image for row in SHAPES["structs"]], "in.parquet")
    assert any(line.endswith("columns not taken over: image") for line in said)


def test_a_folder_names_the_licence_and_its_terms(imported, tmp_path):
    benchmark, _ = imported(SHAPES["structs"], output="out")
    assert (benchmark.name, benchmark.license) == ("gamut", "CC-BY-NC-4.0")
    written = " ".join((tmp_path / "out" / "benchmark.yaml").read_text().split())
    assert "may not be redistributed or used commercially" in written


def test_a_folder_and_its_files_give_the_same_bytes_wherever_they_are(imported, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    first = write(SHAPES["structs"], tmp_path / "data" / "test.jsonl")
    second = write(SHAPES["structs"], tmp_path / "data" / "test_text_only.jsonl")
    imported(first, output="a", text_only=str(second))
    imported(tmp_path / "data", output="b")
    monkeypatch.chdir(tmp_path / "data")
    SOURCE.run(Request(".", str(tmp_path / "c")), Ledger())
    written = [(tmp_path / name / "benchmark.yaml").read_bytes() for name in "abc"]
    assert b"Imported from test.jsonl and test_text_only.jsonl." in written[0]
    assert written[0] == written[1] == written[2]


@pytest.mark.parametrize("number", [1, "1", 1.5])
def test_a_domain_that_is_a_bare_number_is_left_out_and_named(imported, number):
    benchmark, said = imported([row | {"domain": number} for row in SHAPES["structs"][:1]])
    assert benchmark.questions[0].domain == "unknown"
    assert f"domains that are numbers without names, now 'unknown': 1 left out ({number} of g0)" in said


def test_a_domain_that_is_a_class_label_has_its_name(imported, tmp_path):
    label = {"names": ["food", "animals"], "_type": "ClassLabel"}
    noted = {"huggingface": json.dumps({"info": {"features": {"domain": label}}})}
    rows = [row | {"domain": 1} for row in SHAPES["structs"]]
    pl.DataFrame(rows).write_parquet(tmp_path / "l.parquet", metadata=noted)
    benchmark, said = imported(tmp_path / "l.parquet")
    assert {one.domain for one in benchmark.questions} == {"animals"}
    assert not any("left out" in line for line in said)


def test_what_is_inside_a_column_is_named_with_dots(imported):
    rows = [{"doc": {"id": name, "ask": [{"q": text}]}, "rubric": structs(LINES[name])} for name, text in QUESTIONS]
    for file in ("in.jsonl", "in.parquet", "json.csv"):
        benchmark, _ = imported(rows, file, columns={"id": "doc.id", "question": "doc.ask.0.q"})
        assert lines_of(benchmark) == LINES
    with pytest.raises(InputError, match=r"there is no column 'doc\.name'"):
        imported(rows, columns={"id": "doc.name", "question": "doc.ask.0.q"})


@pytest.mark.parametrize("tier", TIERS)
def test_tier_names_in_any_usual_writing(tier):
    names = [*WRITTEN[tier], f"{WRITTEN[tier][0]} Tier", f" {tier.upper()} ", tier.replace("_", "-")]
    assert {TierNames().of(name) for name in names} == {Tier(tier)}


@pytest.mark.parametrize("name", ["", "tier 1", 1, True, None, "important", "critically", ["AC"], 0.6])
def test_other_names_are_no_tier(name):
    assert TierNames().of(name) is None


SECOND = [{"id": name, "question": f"How is an object like {name} made?"} for name, _ in QUESTIONS[:4]]


class TestBothSplits:
    def test_they_are_joined_by_id_from_two_files(self, imported, tmp_path):
        other = write([*SECOND, {"id": "x9", "question": "Alone?"}], tmp_path / "test_text_only.parquet")
        benchmark, said = imported(SHAPES["structs"], text_only=str(other))
        assert [one.text_only for one in benchmark.questions] == [*(one["question"] for one in SECOND), None]
        assert any(line == "questions without checks: 1 left out (x9)" for line in said)
        assert any(line.startswith("1 question with no text-only form (such as g4)") for line in said)

    def test_they_are_joined_by_id_from_a_folder(self, imported, tmp_path):
        (tmp_path / "in" / "data").mkdir(parents=True)
        write(SHAPES["structs"], tmp_path / "in" / "data" / "test-00000-of-00001.parquet")
        whole = [row | {"rubric": SHAPES["structs"][0]["rubric"]} for row in SECOND]
        write(whole, tmp_path / "in" / "data" / "test_text_only-00000-of-00001.parquet")
        benchmark, said = imported(tmp_path / "in")
        assert [bool(one.text_only) for one in benchmark.questions] == [True] * 4 + [False]
        assert lines_of(benchmark) == LINES
        assert any(line.endswith("differ from those with the image: 3 left out (g1, g2, g3)") for line in said)

    def test_one_alone_is_asked_for_by_its_name(self, imported, tmp_path):
        (tmp_path / "in").mkdir()
        write(SHAPES["structs"], tmp_path / "in" / "test.parquet")
        rows = [{"id": "t1", "question": "Alone?", "rubric": [{"tier": "AC", "text": "It is."}]}]
        write(rows, tmp_path / "in" / "test_text_only.parquet")
        benchmark, said = imported(tmp_path / "in", split="test_text_only")
        assert [(one.id, one.question, one.text_only) for one in benchmark.questions] == [("t1", "Alone?", None)]
        assert said == []
        with pytest.raises(InputError, match=r"no file of the split 'train': there are test.parquet, test_text_only"):
            imported(tmp_path / "in", output="b.jsonl", split="train")

    def test_one_table_may_have_both_texts(self, imported):
        benchmark, said = imported([row | {"text_only_question": "How is it made?"} for row in SHAPES["structs"]])
        assert {one.text_only for one in benchmark.questions} == {"How is it made?"}
        assert said == []


class TestWhereItStops:
    def refusal(self, imported, rows, **more):
        with pytest.raises(InputError) as caught:
            imported(rows, **more)
        return str(caught.value)

    def test_without_checks_it_shows_the_columns_and_a_command(self, imported):
        told = self.refusal(imported, [{"id": "a", "question": "What?", "answer": "It.", "n": 3, "l": [{"x": 1}]}])
        assert "cannot tell which column is the 'checks'" in told
        assert "answer    text, e.g. 'It.'" in told
        assert "l         list of {x}, e.g. [{'x': 1}]" in told
        assert told.endswith("Say which with --column checks=NAME (NAME.FIELD is a field inside a column)")

    @pytest.mark.parametrize("empty", ["{}", "[]", " [ ] ", '{"AC": [], "Val": []}', "", None, [], {"AC": []}])
    def test_a_row_with_an_empty_rubric_is_left_out_alone(self, imported, empty):
        rows = each(lambda lines: {"rubric": json.dumps(by_tier(lines, 1))})
        rows[2]["rubric"] = empty
        benchmark, said = imported(rows)
        assert len(benchmark.questions) == 4
        assert "questions without checks: 1 left out (g2)" in said

    @pytest.mark.parametrize("columns", [{}, {"checks": "rubric"}])
    def test_one_row_that_cannot_be_read_is_named_and_no_column_blamed(self, imported, columns):
        rows = each(lambda lines: {"rubric": json.dumps(by_tier(lines, 1))})
        rows[2]["rubric"] = "to do"
        told = self.refusal(imported, rows, columns=columns)
        assert "in.jsonl:3: 'rubric' holds a rubric in other rows, but not here: it is no list; mend or empty" in told
        assert "--column" not in told

    def test_a_given_column_without_any_rubric_is_not_suggested_again(self, imported):
        told = self.refusal(imported, [{"id": "a", "question": "What?", "l": "x"}], columns={"checks": "l"})
        assert "the column 'l' has no shape of a rubric" in told
        assert "checks=l" not in told

    def test_two_columns_that_may_be_the_checks(self, imported):
        rows = each(lambda lines: {"first": structs(lines), "second": structs(lines)})
        assert "'first' and 'second' may all be the checks" in self.refusal(imported, rows)
        benchmark, _ = imported(rows, columns={"checks": "second"})
        assert lines_of(benchmark) == LINES

    def test_a_meta_rubric_alone_is_no_binary_rubric(self, imported):
        rows = each(lambda lines: {"meta_rubric": structs(lines)})
        assert "cannot tell" in self.refusal(imported, rows)
        rows = each(lambda lines: {"rubric": [{"tier": "AC", "topic": "t", "options": ["a", "b"], "text": "x"}]})
        assert "cannot tell" in self.refusal(imported, rows)

    def test_a_tier_that_nobody_can_know(self, imported):
        rows = each(lambda lines: {"rubric": [{"tier": "P0", "text": "x"}, {"tier": "P1", "text": "y"}]})
        assert "the tier 'P0' is not known; say which" in self.refusal(imported, rows)
        benchmark, _ = imported(rows, tier={"P0": "answer_critical", "P1": "context"})
        assert lines_of(benchmark)["g0"] == [("answer_critical", "x"), ("context", "y")]
        assert "no tier 'critical'" in self.refusal(imported, rows, tier={"P0": "critical"})

    @pytest.mark.parametrize("bad", [{"tier": "P9", "text": "x"}, {"text": "x"}, {"tier": "AC"}, "x", 5])
    def test_a_bad_row_far_down_names_its_place(self, imported, bad):
        rows = [{"id": f"g{n}", "question": "What?", "checks": [{"tier": "AC", "text": "x"}]} for n in range(300)]
        rows[250]["checks"] = [{"tier": "AC", "text": "x"}, bad]
        told = self.refusal(imported, rows)
        assert "in.jsonl:251: the checks of this row cannot be read" in told

    def test_an_id_that_comes_twice(self, imported):
        rows = [*SHAPES["structs"], SHAPES["structs"][0] | {"rubric": SHAPES["structs"][1]["rubric"]}]
        told = self.refusal(imported, rows)
        assert "in.jsonl:6: the question 'g0' has other contents at" in told
        assert told.endswith("leave one of the two out, or name another column for the id with --column id=NAME")
        rows = [*SHAPES["one row a check"], SHAPES["one row a check"][0] | {"question": "Other?"}]
        assert "the question 'g0' is worded otherwise at" in self.refusal(imported, rows)

    @pytest.mark.parametrize("shape", ["structs", "one row a check"])
    def test_identical_rows_are_read_once_and_counted(self, imported, shape):
        benchmark, said = imported([*SHAPES[shape], SHAPES[shape][0], SHAPES[shape][0]])
        assert lines_of(benchmark) == LINES
        assert "rows that repeat one before: 2 read once (such as g0)" in said

    def test_identical_rows_of_two_files_are_read_once(self, imported, tmp_path):
        (tmp_path / "data").mkdir()
        for name in ("test-00000-of-00002.jsonl", "test-00001-of-00002.jsonl"):
            write(SHAPES["structs"], tmp_path / "data" / name)
        benchmark, said = imported(tmp_path / "data")
        assert lines_of(benchmark) == LINES
        assert "rows that repeat one before: 5 read once (such as g0)" in said

    def test_no_id_at_all(self, imported):
        rows = [{key: one for key, one in row.items() if key != "id"} for row in SHAPES["structs"]]
        told = self.refusal(imported, rows)
        assert "cannot tell which column is the 'id'" in told
        assert told.endswith("--column 'id=#'") or told.endswith("--column id=#")
        benchmark, _ = imported(rows, columns={"id": "#"})
        assert [one.id for one in benchmark.questions] == ["q00001", "q00002", "q00003", "q00004", "q00005"]

    def test_a_column_that_is_not_there(self, imported):
        told = self.refusal(imported, SHAPES["structs"], columns={"checks": "rubrics"})
        assert "there is no column 'rubrics' (did you mean 'rubric'?)" in told
        told = self.refusal(imported, SHAPES["structs"], columns={"checks": "question"})
        assert "the column 'question' has no shape of a rubric" in told

    @pytest.mark.parametrize(
        ("name", "content", "words"),
        [
            ("a.parquet", b"PAR1 this is none", "cannot be read as Parquet"),
            ("a.parquet", b"", "cannot be read as Parquet"),
            ("a.jsonl", b'{"id": NaN}', "not valid JSON"),
            ("a.json", b'{"id": 1', "not valid JSON"),
            ("a.json", b"[1, 2]", "must be a list of objects"),
            ("a.csv", b"a,b\n1,2,3\n", "a.csv:2: has 3 cells where the first line has 2"),
            ("a.csv", b"a,a\n1,2\n", "two columns are called 'a'"),
            ("a.csv", b'a,b\n1,"2\n', "cannot be read as CSV"),
            ("a.csv", b"a\xff\n", "is not UTF-8"),
            ("a.csv", b"", "holds no row"),
            ("a.xlsx", b"PK", "the ending '.xlsx' is of no table"),
        ],
    )
    def test_files_that_cannot_be_read(self, imported, tmp_path, name, content, words):
        (tmp_path / name).write_bytes(content)
        assert words in self.refusal(imported, tmp_path / name)

    def test_a_file_that_is_not_there(self, imported, tmp_path):
        assert "no such file or folder" in self.refusal(imported, tmp_path / "none.parquet")

    def test_two_ways_to_say_what_is_text_only(self, imported):
        told = self.refusal(imported, SHAPES["structs"], split="test", text_only="x.parquet")
        assert "do not go together" in told

    def test_an_output_that_is_no_benchmark(self, imported):
        assert "'.csv' is none of a benchmark" in self.refusal(imported, SHAPES["structs"], output="out.csv")


class TestQuestionsThatAreNotTaken:
    def test_they_are_counted_and_named(self, imported):
        rows = [*SHAPES["structs"], {"id": "e1", "question": "What?", "rubric": []}, {"id": "e2", "question": "Why?"}]
        rows += [{"id": "e3", "question": " ", "rubric": [{"tier": "AC", "text": "x"}]}]
        benchmark, said = imported(rows)
        assert len(benchmark.questions) == 5
        assert "questions without checks: 2 left out (e1, e2)" in said
        assert "questions without text: 1 left out (e3)" in said

    def test_control_characters_are_taken_out_and_counted(self, imported):
        rows = [{"id": "a", "question": "What\x07 is it?", "rubric": [{"tier": "AC", "text": "x\x00y"}]}]
        benchmark, said = imported(rows)
        assert benchmark.questions[0].question == "What  is it?"
        assert "control characters were taken out of 2 texts" in said

    def test_where_nothing_is_left_nothing_is_written(self, imported, tmp_path):
        rows = [{"id": "a", "question": " ", "rubric": [{"tier": "AC", "text": "x"}]}]
        with pytest.raises(InputError, match="holds no question with checks"):
            imported(rows)
        assert not (tmp_path / "out.jsonl").exists()


class TestIds:
    def test_of_questions_are_made_fit(self, imported):
        rows = [row | {"id": f"train/0 {n}?"} for n, row in enumerate(SHAPES["structs"])]
        benchmark, _ = imported(rows)
        assert benchmark.questions[0].id == "train-0-0"

    def test_of_checks_are_kept_if_all_can_be(self, imported):
        rows = each(lambda lines: {"rubric": [one | {"id": f"k.{n}"} for n, one in enumerate(structs(lines))]})
        assert [check.id for check in imported(rows)[0].questions[0].rubric.checks] == ["k.0", "k.1", "k.2"]

    def test_of_checks_are_else_made_of_their_text_whatever_their_place(self, imported):
        same = [{"tier": "AC", "text": "x" * 70}, {"tier": "AC", "text": "x" * 80}, {"tier": "AC", "text": "…"}]
        same += [{"tier": "AC", "text": "水"}, {"tier": "AC", "text": "Tea."}, {"tier": "Val", "text": "Tea."}]
        forward, _ = imported([{"id": "a", "question": "What?", "rubric": same}])
        back, _ = imported([{"id": "a", "question": "What?", "rubric": same[:4][::-1]}], output="b.jsonl")
        ids = {check.text: check.id for check in forward.questions[0].rubric.checks}
        assert len({check.id for check in forward.questions[0].rubric.checks}) == 6
        assert {check.text: check.id for check in back.questions[0].rubric.checks}.items() <= ids.items()
        assert ids["水"] == "c-水"


def test_a_benchmark_of_the_paper_s_size(tmp_path, imported):
    rng = random.Random(0)
    rows = [
        {
            "id": f"g{n:04}",
            "question": f"What is thing {n}?",
            "checks": [{"tier": rng.choice(WRITTEN[rng.choice(TIERS)]), "text": f"Fact {k}."} for k in range(15)],
        }
        for n in range(1813)
    ]
    started = time.monotonic()
    benchmark, _ = imported(rows, "in.parquet", "out.parquet")
    assert len(benchmark.questions) == 1813
    assert sum(len(checks) for checks in benchmark.checks.values()) == 1813 * 15
    assert time.monotonic() - started < 60


def test_rubrics_in_one_large_row_group(tmp_path, imported):
    rows = [
        {"id": f"g{n}", "question": "What?", "checks": [{"tier": "AC", "text": f"{k} {'x' * 2000}"} for k in range(12)]}
        for n in range(900)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "big.parquet", row_group_size=10_000, compression="uncompressed")
    assert (tmp_path / "big.parquet").stat().st_size > 16 * 2**20
    assert len(imported(tmp_path / "big.parquet")[0].questions) == 900


def test_a_spreadsheet_s_file_with_mark_carriage_returns_and_semicolons(imported, tmp_path):
    head = "id;question;tier;criterion"
    body = ["0510;Wie heißt das, 'Café 水'?;AC;Es ist 1.10.", "0510;Wie heißt das, 'Café 水'?;Val;NO"]
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbf" + "\r\n".join([head, *body, ""]).encode())
    benchmark, _ = imported(tmp_path / "a.csv", output="out")
    assert [(one.id, one.question) for one in benchmark.questions] == [("0510", "Wie heißt das, 'Café 水'?")]
    assert lines_of(benchmark)["0510"] == [("answer_critical", "Es ist 1.10."), ("valuable", "NO")]


def test_ids_that_pandas_made_fractions_of(imported, tmp_path):
    rows = [row | {"id": float(n)} for n, row in enumerate(SHAPES["structs"])]
    benchmark, _ = imported(rows, "in.parquet")
    assert [one.id for one in benchmark.questions] == ["0", "1", "2", "3", "4"]


def test_nothing_depends_on_the_machine_s_encoding(tmp_path):
    import os
    import subprocess
    import sys

    rows = [{"id": "a", "question": "Wie heißt das? ☕", "checks": [{"tier": "AC", "text": "水"}]}]
    (tmp_path / "in.jsonl").write_text(json.dumps(rows[0], ensure_ascii=False), encoding="utf-8")
    env = os.environ | {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    command = [sys.executable, "-m", "gamut_eval", "import", "gamut", "in.jsonl", "-o", "out"]
    subprocess.run(command, check=True, capture_output=True, env=env, cwd=tmp_path)
    assert load_benchmark(tmp_path / "out").questions[0].question == rows[0]["question"]
