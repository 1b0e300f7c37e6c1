import csv
import datetime
import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gamut_eval
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import load_benchmark, question_from_dict
from gamut_eval.benchmark.parquet_file import columns_of, write_parquet
from gamut_eval.benchmark.question import Question
from gamut_eval.benchmark.settings import CompileSettings, ScoringSettings
from gamut_eval.benchmark.write import question_row, write_csv, write_folder, write_jsonl, yaml_text
from gamut_eval.benchmark.yaml_file import read_yaml
from gamut_eval.errors import InputError
from gamut_eval.hashing import sha256

MINI = Path(gamut_eval.__file__).parent / "data" / "gamut_mini"
FACT = {"id": "fact", "type": "simple", "tier": "context", "statement": "It is so."}
NASTY = [
    *(" \n\t\r\x85\xa0\u2028\u2029\ufeff\ufffe\uffff\u200d\u202e\"'\\:#-?[]{},&*!|>%@`=~.01eEx+_<"),
    *(
        "\r\n",
        ": ",
        " #",
        "---",
        "...",
        "%YAML 1.1",
        "null",
        "No",
        "on",
        "1.10",
        "2026-11-30",
        "12:30",
        "0o17",
        "1_000",
    ),
    *("é", "漢字", "हिन्दी", "العربية", "😀", "👩\u200d🔬", "\U0001fffe", "word " * 30, "x" * 130),
]


def question(question_id="q", *items, **more):
    return question_from_dict(
        {"id": question_id, "domain": "d", "question": "What?", "rubric": {"items": items or [FACT]}} | more
    )


def compiled(benchmark):
    return [check.to_dict() for checks in benchmark.checks.values() for check in checks]


def around(benchmark, folder, images=None):
    """The benchmark through a folder of YAML, JSONL, Parquet and a folder again; each as it was read."""
    write_folder(benchmark, folder / "first", images)
    yield load_benchmark(folder / "first")
    write_jsonl(folder / "b.jsonl", map(question_row, load_benchmark(folder / "first").questions))
    yield load_benchmark(folder / "b.jsonl")
    rows = [question_row(one) for one in load_benchmark(folder / "b.jsonl").questions]
    write_parquet(folder / "b.parquet", rows, columns_of(Question))
    yield load_benchmark(folder / "b.parquet")
    write_folder(load_benchmark(folder / "b.parquet"), folder / "last", images)
    yield load_benchmark(folder / "last")


# --- any rubric ------------------------------------------------------------------------------

characters = st.characters(
    exclude_categories=["Cs"], exclude_characters=[*map(chr, [*range(9), 11, 12, *range(14, 32), 127])]
)
texts = st.one_of(st.text(characters, max_size=60), st.lists(st.sampled_from(NASTY), max_size=30).map("".join))
texts = texts.map(lambda text: text.strip()).filter(bool)
maybe = st.none() | texts
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}", fullmatch=True)
tiers = st.sampled_from(["answer_critical", "valuable", "context"])
days = st.dates()


def parts(**more):
    """Options or steps with ids that cannot clash."""
    part = st.fixed_dictionaries({"text": texts, "evidence": st.sampled_from([[], ["e0"]])}, optional=more)
    several = st.lists(part, min_size=2, max_size=9)
    return several.map(lambda some: [{**one, "id": f"{place}-part"} for place, one in enumerate(some)])


def item(kind, **more):
    return st.fixed_dictionaries(
        {"type": st.just(kind), "tier": tiers, "evidence": st.sampled_from([[], ["e0"]]), **more}
    )


items = st.one_of(
    item("simple", statement=texts),
    item("strict_list", topic=texts, options=parts(aliases=st.lists(texts, max_size=2))),
    item("flexible_list", topic=texts, options=parts(), min_coverage=st.integers(1, 2)),
    item("process", goal=texts, steps=parts(after=st.just([]))),
    item("relationship", statement=texts, entities=st.lists(texts, min_size=2, max_size=3)),
)
reviews = st.fixed_dictionaries(
    {"by": texts, "kind": st.sampled_from(["person", "model"]), "at": days, "supports": st.booleans(), "note": maybe}
)
evidence = st.fixed_dictionaries(
    {
        "url": texts,
        "title": maybe,
        "summary": maybe,
        "retrieved": st.none() | days,
        "reviews": st.lists(reviews, max_size=2),
    }
)


def with_ids(some, prefix):
    return [{"id": f"{prefix}{place}", **one} for place, one in enumerate(some)]


rubrics = st.builds(
    lambda some, pages, said: {
        "items": with_ids(some, "i"),
        "evidence": with_ids(pages, "e"),
        "insights": with_ids([{"tier": "valuable", "statement": one, "items": ["i0"]} for one in said], "s"),
    },
    st.lists(items, min_size=1, max_size=4),
    st.lists(evidence, min_size=1, max_size=3),
    st.lists(texts, max_size=2),
)
questions = st.fixed_dictionaries(
    {
        "id": names,
        "domain": texts,
        "question": texts,
        "text_only": maybe,
        "subject": maybe,
        "group": maybe,
        "rubric": rubrics,
    }
)
benchmarks = st.lists(questions, min_size=1, max_size=3, unique_by=lambda one: one["id"]).map(
    lambda rows: Benchmark("b", tuple(map(question_from_dict, rows)))
)

field_names = st.sampled_from(["id", "items", "options", "evidence", "text"])
plain_data = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**62), 2**62),
        st.floats(allow_nan=False, allow_infinity=False),
        days,
        st.text(characters),
        texts,
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(field_names, inner, max_size=3),
    max_leaves=12,
)


class TestEveryFormatSaysTheSame:
    def test_of_the_bundled_benchmark(self, tmp_path):
        mini = load_benchmark(MINI)
        for again in around(mini, tmp_path):
            assert (compiled(again), again.hash, again.questions) == (compiled(mini), mini.hash, mini.questions)

    @settings(max_examples=40, deadline=None)
    @given(benchmark=benchmarks)
    def test_of_any_rubric(self, benchmark):
        with tempfile.TemporaryDirectory() as folder:
            for again in around(benchmark, Path(folder)):
                assert (compiled(again), again.hash, again.questions) == (
                    compiled(benchmark),
                    benchmark.hash,
                    benchmark.questions,
                )

    def test_of_imported_checks_edits_and_image_facts(self, tmp_path):
        checks = [{"id": "a/b:c", "tier": "context", "text": "It says so."}]
        edit = {"check": "fact", "op": "add", "author": "me", "at": datetime.date(2026, 1, 2), "reason": "yes"}
        edits = [edit | {"check": "more", "text": "No.", "tier": "valuable"}]
        image = {"package": "p", "path": "a b.png", "sha256": "0" * 64, "quality": ["low_light"], "egocentric": False}
        some = [
            question("imported", rubric={"checks": checks}),
            question("edited", rubric={"items": [FACT], "edits": edits}, image=image),
        ]
        benchmark = Benchmark("b", tuple(some), image_hashes={"edited": "0" * 64})
        assert [check["id"] for check in compiled(benchmark)] == ["a/b:c", "fact", "more"]
        for again in around(benchmark, tmp_path):
            assert (compiled(again), again.hash, set(again.questions)) == (
                compiled(benchmark),
                benchmark.hash,
                set(some),
            )

    def test_of_images_in_the_folder_which_are_copied(self, tmp_path):
        (tmp_path / "bench" / "images").mkdir(parents=True)
        (tmp_path / "bench" / "images" / "é.jpg").write_bytes(b"\xef\xbb\xbfimage")
        (tmp_path / "bench" / "benchmark.yaml").write_text("name: b\nquestions: q.jsonl\n")
        image = {"path": "images/é.jpg"}
        rows = [question_row(question("a", image=image)), question_row(question("b", image=image))]
        (tmp_path / "bench" / "q.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
        benchmark = load_benchmark(tmp_path / "bench")
        assert write_folder(benchmark, tmp_path / "out", tmp_path / "bench") == 1
        assert (tmp_path / "out" / "images" / "é.jpg").read_bytes() == b"\xef\xbb\xbfimage"
        assert load_benchmark(tmp_path / "out").hash == benchmark.hash


class TestFolder:
    @pytest.mark.parametrize(
        ("ids", "files"),
        [
            (["a", "b"], ["a.yaml", "b.yaml"]),
            (["b", "a"], ["1-b.yaml", "2-a.yaml"]),
            (["a", "A"], ["1-a.yaml", "2-A.yaml"]),
            (["B", "a"], ["1-B.yaml", "2-a.yaml"]),
            (["a.b", "a-b"], ["1-a.b.yaml", "2-a-b.yaml"]),
        ],
    )
    def test_questions_keep_their_order_by_numbers_where_names_alone_would_not(self, tmp_path, ids, files):
        write_folder(Benchmark("b", tuple(map(question, ids))), tmp_path)
        assert sorted(path.name for path in (tmp_path / "questions").iterdir()) == sorted(files)
        assert [one.id for one in load_benchmark(tmp_path).questions] == ids

    def test_numbers_have_as_many_digits_as_it_takes(self, tmp_path):
        ids = [f"q{n}" for n in range(12)]
        write_folder(Benchmark("b", tuple(map(question, ids))), tmp_path)
        assert [one.id for one in load_benchmark(tmp_path).questions] == ids

    def test_benchmark_yaml_has_the_constants_that_are_no_defaults(self, tmp_path):
        scoring = ScoringSettings.model_validate({"lambda": 0.25, "weights": {"context": 0.0}})
        settings = {"version": "1.10", "license": "CC0", "scoring": scoring, "compile": CompileSettings(long_list=5)}
        write_folder(Benchmark("no", (question(),), **settings), tmp_path)
        assert (tmp_path / "benchmark.yaml").read_text() == (
            'name: "no"\nversion: "1.10"\nlicense: CC0\nquestions: questions/\n'
            "scoring:\n  lambda: 0.25\n  weights:\n    context: 0.0\ncompile:\n  long_list: 5\n"
        )
        again = load_benchmark(tmp_path)
        assert {name: getattr(again, name) for name in settings} == settings

    def test_a_folder_with_something_in_it_is_left_alone(self, tmp_path):
        (tmp_path / "notes.txt").write_text("mine")
        with pytest.raises(InputError, match="is not empty; nothing was written"):
            write_folder(Benchmark("b", (question(),)), tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]

    def test_a_file_in_the_folder_s_place_is_left_alone(self, tmp_path):
        (tmp_path / "notes").write_text("mine")
        with pytest.raises(InputError, match="notes"):
            write_folder(Benchmark("b", (question(),)), tmp_path / "notes")
        assert (tmp_path / "notes").read_text() == "mine"


class TestYaml:
    def test_a_question_reads_as_people_write_it(self, tmp_path):
        long = (
            "It is made of tomatoes, peppers and onions, blended, fried in oil until red, and then cooked, "
            "covered, with long-grain rice."
        )
        some = question_from_dict(
            {
                "domain": "food",
                "id": "0510",
                "question": "What is this dish?\nHow is it made?",
                "rubric": {
                    "evidence": [
                        {"id": "e1", "url": "https://x.org/a#b", "title": "Rice: a history", "retrieved": "2026-11-30"}
                    ],
                    "insights": [
                        {
                            "id": "why",
                            "tier": "context",
                            "statement": "Hence \"the\" taste: 'smoky'.",
                            "items": ["dish"],
                        }
                    ],
                    "items": [
                        {
                            "statement": long,
                            "type": "simple",
                            "evidence": ["e1"],
                            "id": "dish",
                            "tier": "answer_critical",
                        },
                        {
                            "options": [
                                "yes",
                                {"text": "bay leaf", "evidence": ["e1"], "aliases": ["laurel", "1.10"]},
                                "thyme",
                            ],
                            "min_coverage": 2,
                            "topic": "spices",
                            "id": "spices",
                            "tier": "valuable",
                            "type": "flexible_list",
                        },
                    ],
                },
            }
        )
        write_folder(Benchmark("b", (some,)), tmp_path)
        assert (tmp_path / "questions" / "0510.yaml").read_text() == (
            'id: "0510"\n'
            "domain: food\n"
            "question: |-\n"
            "  What is this dish?\n"
            "  How is it made?\n"
            "rubric:\n"
            "  items:\n"
            "    - id: dish\n"
            "      type: simple\n"
            "      tier: answer_critical\n"
            "      statement: >-\n"
            "        It is made of tomatoes, peppers and onions, blended, fried in oil until red, "
            "and then cooked, covered,\n"
            "        with long-grain rice.\n"
            "      evidence: [e1]\n"
            "\n"
            "    - id: spices\n"
            "      type: flexible_list\n"
            "      tier: valuable\n"
            "      topic: spices\n"
            "      min_coverage: 2\n"
            "      options:\n"
            '        - "yes"\n'
            "        - text: bay leaf\n"
            '          aliases: [laurel, "1.10"]\n'
            "          evidence: [e1]\n"
            "        - thyme\n"
            "\n"
            "  insights:\n"
            "    - id: why\n"
            "      tier: context\n"
            "      statement: 'Hence \"the\" taste: ''smoky''.'\n"
            "      items: [dish]\n"
            "\n"
            "  evidence:\n"
            "    - id: e1\n"
            "      url: https://x.org/a#b\n"
            '      title: "Rice: a history"\n'
            "      retrieved: 2026-11-30\n"
        )

    @pytest.mark.parametrize(
        "text", "NO on y null ~ 1.10 0510 0o17 0x1F 1e3 1_000 12:30 2026-11-30 .5 .inf +1 - ? : = << & * ! % @".split()
    )
    def test_what_looks_like_something_else_is_quoted(self, text):
        assert yaml_text({"a": text}) == f'a: "{text}"\n'

    def test_texts_that_no_line_may_hold_are_escaped(self):
        assert (
            yaml_text({"a": "\ufeffa\r\nb\u2028\x85c\t\uffff😀"}) == 'a: "\\ufeffa\\r\\nb\\u2028\\x85c\\t\\uffff😀"\n'
        )

    @settings(max_examples=300, deadline=None)
    @given(data=st.dictionaries(field_names, plain_data, min_size=1))
    @example(data={"text": " " + "x" * 130 + " ", "id": "\u2028 " + "x" * 130 + " x" * 60})
    @example(data={"items": [[], {}, [{}], {"id": {"text": None}}], "text": " padded "})
    def test_any_plain_data_reads_back_as_it_was(self, data):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.yaml"
            path.write_bytes(yaml_text(data).encode())
            assert read_yaml(path)[0] == data


class TestCsv:
    def test_cells_that_would_run_as_formulas_get_an_apostrophe(self, tmp_path):
        texts = ["=1+1", "+1", "-2 degrees", "@x", "\tx", "\rx", "a=1", "'=1", "", 'say "hi",\nthen', "é漢😀", " =1"]
        write_csv(
            tmp_path / "c.csv",
            [{"id": "q", "text": text, "evidence": ["e1", "e2"]} for text in texts],
            ["text", "evidence", "none"],
        )
        rows = list(csv.reader(io.StringIO((tmp_path / "c.csv").read_bytes().decode(), newline="")))
        assert rows[0] == ["text", "evidence", "none"]
        assert [row[0] for row in rows[1:]] == ["'" + text if text[:1] in {*"=+-@\t\r"} else text for text in texts]
        assert {tuple(row[1:]) for row in rows[1:]} == {("e1 e2", "")}


def test_a_question_s_row_has_no_default_and_no_null():
    row = question_row(
        question("q", text_only=None, rubric={"items": [FACT | {"evidence": []}], "insights": [], "edits": []})
    )
    assert row == {"id": "q", "domain": "d", "question": "What?", "rubric": {"items": [FACT]}}
    assert sha256(row)  # plain data, down to the tier
