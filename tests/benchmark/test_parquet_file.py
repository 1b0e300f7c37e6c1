import datetime
import json
import os
import subprocess
import sys

import polars as pl
import pytest

from gamut_eval.benchmark.load import inspect_benchmark, load_benchmark
from gamut_eval.benchmark.parquet_file import columns_of, parquet_rows, write_parquet
from gamut_eval.benchmark.question import Question
from gamut_eval.errors import InputError
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.items import REGISTRY

FACT = {"id": "fact", "type": "simple", "tier": "context", "statement": "It is so."}
PARTS = {
    "id": "making",
    "type": "process",
    "tier": "valuable",
    "goal": "making it",
    "steps": [{"text": "wash"}, {"text": "dry", "after": []}, {"text": "sing", "required": False}],
}
POOL = {
    "id": "pool",
    "type": "flexible_list",
    "tier": "valuable",
    "topic": "things",
    "min_coverage": 1,
    "options": [{"text": "a", "aliases": ["b"]}, {"text": "c"}],
}


def question(question_id="q1", *items, **more):
    return {"id": question_id, "domain": "d", "question": "What?", "rubric": {"items": list(items) or [FACT]}} | more


def parquet(path, *rows, **options):
    """A file with whatever columns polars makes of the rows."""
    pl.DataFrame(list(rows), infer_schema_length=None).write_parquet(path, **options)
    return path


def found(path):
    return [(f.line, f.code, f.message) for f in inspect_benchmark(path)[1] if f.severity == "error"]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "b.parquet"


class TestReading:
    def test_fields_that_a_struct_has_for_other_items_are_absent_here(self, file, tmp_path):
        rows = [question("q1", FACT, PARTS), question("q2", POOL, FACT)]
        (tmp_path / "b.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
        expected = load_benchmark(tmp_path / "b.jsonl")
        loaded = load_benchmark(parquet(file, *rows))
        assert loaded.questions == expected.questions
        assert (loaded.name, loaded.version, loaded.hash) == ("b", None, expected.hash)
        assert loaded.questions[0].rubric.items[1].steps[1].after == ()
        assert loaded.questions[0].rubric.items[1].steps[0].after is None

    def test_benchmark_yaml_may_name_the_file(self, tmp_path):
        parquet(tmp_path / "all.parquet", question())
        (tmp_path / "benchmark.yaml").write_text("name: b\nquestions: all.parquet\ncompile: {rules: 1, long_list: 3}\n")
        loaded = load_benchmark(tmp_path)
        assert (loaded.name, loaded.compile.long_list, [q.id for q in loaded.questions]) == ("b", 3, ["q1"])

    @pytest.mark.parametrize("day", [datetime.date(2026, 11, 30), "2026-11-30"])
    def test_a_date_is_a_date_column_or_an_iso_text(self, file, day):
        rubric = {"items": [FACT], "evidence": [{"id": "e", "url": "https://x.org", "retrieved": day}]}
        loaded = load_benchmark(parquet(file, question(rubric=rubric)))
        assert loaded.questions[0].rubric.evidence[0].retrieved == datetime.date(2026, 11, 30)

    def test_the_rubric_may_be_json(self, file):
        loaded = load_benchmark(parquet(file, question(rubric=json.dumps({"items": [PARTS, POOL]}))))
        assert [item.id for item in loaded.questions[0].rubric.items] == ["making", "pool"]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ('{"items": [}', "rubric: not valid JSON"),
            ('{"items": [], "items": []}', "rubric: the key 'items' comes twice"),
            ('{"items": null}', "rubric.items: must be a list"),
            ("[]", "rubric: must be a mapping"),
        ],
    )
    def test_json_in_a_column_is_as_strict_as_jsonl(self, file, text, words):
        rows = [question("q1", rubric=json.dumps({"items": [FACT]})), question("q2", rubric=text)]
        ((line, _, message),) = found(parquet(file, *rows))
        assert line == 2
        assert words in message

    def test_what_pandas_makes_of_whole_numbers_and_nulls_is_read_for_what_it_was(self, file):
        loaded = load_benchmark(parquet(file, question("q1", POOL | {"min_coverage": 2.0}, FACT)))
        assert loaded.questions[0].rubric.items[0].min_coverage == 2

    def test_a_struct_of_nulls_is_an_absent_one(self, file):
        image = {"path": None, "license": None, "quality": None}
        assert load_benchmark(parquet(file, question(image=image))).questions[0].image is None

    def test_rows_keep_their_numbers_beyond_a_batch(self, file):
        rows = [question(f"q{n}") for n in range(1, 601)]
        rows[516] = question("q517", FACT | {"tier": "vital"})
        ((line, code, message),) = found(parquet(file, *rows, row_group_size=100))
        assert (line, code) == (517, "schema")
        assert message.startswith("rubric.items[0].tier: 'vital' is not one of")
        assert str(inspect_benchmark(file)[1][0]).startswith(f"{file}:517: ")

    def test_one_large_row_group_of_nested_columns_is_read_in_little_memory(self, file):
        # 80 MB of texts in one row group, over the 16 MB at which other readers gave up.
        texts = [f"{n} " + os.urandom(10_000).hex() for n in range(4000)]
        rows = [question(f"q{n}", FACT | {"statement": text}, POOL) for n, text in enumerate(texts)]
        pl.DataFrame(rows, schema=columns_of(Question)).write_parquet(file, row_group_size=10**6)
        code = (
            "import resource, sys\n"
            "from gamut_eval.benchmark.parquet_file import parquet_rows\n"
            "from gamut_eval.benchmark.question import Question\n"
            "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024\n"
            "before, read = peak(), 0\n"
            "for number, row in parquet_rows(sys.argv[1], Question.model_fields):\n"
            "    read += len(row['rubric']['items'][0]['statement'])\n"
            "print(number, read, peak() - before)\n"
        )
        command, env = [sys.executable, "-c", code, file], os.environ | {"POLARS_MAX_THREADS": "2"}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        number, read, grown_mb = map(int, done.stdout.split())
        assert (number, read) == (4000, sum(map(len, texts)))
        assert grown_mb < 150  # read whole, it takes 220; the compressed file alone is 40


class TestMistakes:
    @pytest.mark.parametrize(
        ("row", "message"),
        [
            (question(domain=3), "domain: must be a text, but is 3"),
            (question(domain=3.0), "domain: must be a text, but is 3"),
            (question(domain=b"d"), "domain: must be a text, but is b'd'"),
            (question(domain=datetime.date(2026, 1, 1)), "domain: must be a text, but is datetime.date(2026, 1, 1)"),
            (question(domain=None), "the required field 'domain' is missing"),
            (
                question("q", POOL | {"min_coverage": 1.5}),
                "rubric.items[0].min_coverage: must be a whole number, not 1.5",
            ),
            (
                question("q", POOL | {"options": ["a", None]}),
                "rubric.items[0].options[1]: must be a text, but is empty",
            ),
            (
                question("q", FACT | {"statment": "x"}),
                "unknown field 'rubric.items[0].statment' (did you mean 'statement'?)",
            ),
            (question("q", FACT | {"statement": None}), "the required field 'rubric.items[0].statement' is missing"),
        ],
    )
    def test_the_rules_are_those_of_the_other_formats(self, file, row, message):
        assert [(line, text) for line, _, text in found(parquet(file, row))] == [(1, message)]

    def test_an_unknown_column_is_named_once_also_where_it_is_null(self, file):
        rows = [question("q1", domian=None), question("q2", domian=None)]
        ((line, code, message),) = found(parquet(file, *rows))
        assert (line, code) == (None, "unknown-field")
        assert message == "unknown column 'domian' (did you mean 'domain'?); remove it"

    def test_a_repeated_id_names_both_rows(self, file):
        ((line, code, message),) = found(parquet(file, question(), question()))
        assert (line, code) == (2, "duplicate-id")
        assert f"{file}:1" in message

    def test_no_row_is_no_question(self, file):
        pl.DataFrame([question()]).clear().write_parquet(file)
        assert [code for _, code, _ in found(file)] == ["no-questions"]

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 no parquet PAR1", b'{"id": "q"}\n'])
    def test_what_is_no_parquet_is_refused_by_name(self, file, content):
        file.write_bytes(content)
        ((_, code, message),) = found(file)
        assert code == "syntax"
        assert message.startswith("cannot be read as Parquet: ")

    def test_a_file_cut_short_is_refused(self, file):
        whole = parquet(file, question()).read_bytes()
        file.write_bytes(whole[: len(whole) // 2])
        assert [code for _, code, _ in found(file)] == ["syntax"]

    def test_damage_inside_is_refused(self, file):
        raw = bytearray(parquet(file, *(question(f"q{n}") for n in range(300))).read_bytes())
        raw[100:130] = b"x" * 30
        file.write_bytes(raw)
        assert [code for _, code, _ in found(file)] == ["syntax"]

    def test_an_absent_file_and_a_folder_are_refused_by_name(self, tmp_path):
        assert [code for _, code, _ in found(tmp_path / "absent.parquet")] == ["unreadable"]
        (tmp_path / "benchmark.yaml").write_text("name: b\nquestions: q.parquet\n")
        (tmp_path / "q.parquet").mkdir()
        assert [code for _, code, _ in found(tmp_path)] == ["unreadable"]


class TestColumns:
    def test_an_item_s_column_has_the_fields_of_all_types(self):
        items = columns_of(Question)["rubric"].to_schema()["items"].inner.to_schema()
        assert set(items) == {name for kind in REGISTRY.all() for name in kind.model_fields}
        assert (items["min_coverage"], items["entities"]) == (pl.Int64, pl.List(pl.String))
        assert items["steps"].inner.to_schema() == {
            "text": pl.String,
            "id": pl.String,
            "evidence": pl.List(pl.String),
            "required": pl.Boolean,
            "after": pl.List(pl.String),
        }

    def test_a_dataclass_has_columns_too(self):
        columns = columns_of(Check)
        assert (columns["tier"], columns["threshold"], columns["before"]) == (
            pl.String,
            pl.Int64,
            pl.List(pl.List(pl.String)),
        )
        assert columns["options"] == pl.List(pl.Struct({"text": pl.String, "aliases": pl.List(pl.String)}))

    def test_a_field_that_no_column_holds_is_refused_by_name(self):
        class Odd(Question):
            extra: dict[str, str] | int = 0

        with pytest.raises(InputError, match=r"'extra'.*write \.jsonl instead"):
            columns_of(Odd)


class TestWriting:
    def test_the_schema_does_not_depend_on_the_rows(self, tmp_path):
        for name, rows in (("a", [question()]), ("b", [question("q", PARTS, POOL)]), ("c", [])):
            write_parquet(tmp_path / name, rows, columns_of(Question))
        schemas = {str(pl.read_parquet_schema(tmp_path / name)) for name in "abc"}
        assert schemas == {str(pl.Schema(columns_of(Question)))}

    def test_a_written_row_reads_back_as_it_was(self, tmp_path):
        row = question("q1", FACT, PARTS, POOL)
        write_parquet(tmp_path / "a", [row], columns_of(Question))
        assert list(parquet_rows(tmp_path / "a", Question.model_fields)) == [(1, row)]

    def test_row_groups_stay_small_enough_for_other_readers(self, tmp_path, monkeypatch):
        sizes = []
        write = pl.DataFrame.write_parquet
        monkeypatch.setattr(
            pl.DataFrame, "write_parquet", lambda *a, **more: (sizes.append(more["row_group_size"]), write(*a, **more))
        )
        rows = [question(f"q{n}", FACT | {"statement": "x" * 100_000}) for n in range(300)]
        write_parquet(tmp_path / "a", rows, columns_of(Question))
        assert 40 < sizes[0] < 84
        assert len(list(parquet_rows(tmp_path / "a", Question.model_fields))) == 300
