import datetime
import hashlib
import json
import os
import random
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gamut_eval
from gamut_eval.benchmark.load import inspect_benchmark, load_benchmark, question_from_dict
from gamut_eval.benchmark.yaml_file import read_yaml
from gamut_eval.errors import InputError

GOLDEN = Path(__file__).parents[1] / "golden"
JOLLOF = (GOLDEN / "jollof.yaml").read_text(encoding="utf-8")
IMAGE = (GOLDEN / "images" / "food-001.jpg").read_bytes()
BOM = b"\xef\xbb\xbf"
# Unicode's White_Space property.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
here = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def folder(tmp_path):
    """A folder for files with the image that the example names."""
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "food-001.jpg").write_bytes(IMAGE)
    return tmp_path


def question(question_id="q", statement="It is so.", **more):
    item = {"id": "fact", "type": "simple", "tier": "context", "statement": statement}
    return {"id": question_id, "domain": "d", "question": "What?", "rubric": {"items": [item]}} | more


def jsonl(path, *rows):
    text = "\n".join(json.dumps(row, ensure_ascii=False, default=datetime.date.isoformat) for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


def bench(folder, manifest="name: b\n", **files):
    """A benchmark's folder with files under questions/."""
    (folder / "benchmark.yaml").write_text(manifest, encoding="utf-8")
    (folder / "questions").mkdir(exist_ok=True)
    for name, row in files.items():
        (folder / "questions" / f"{name}.yaml").write_text(json.dumps(row), encoding="utf-8")
    return folder


def found(path):
    """Each finding as line, code and message."""
    return [(finding.line, finding.code, finding.message) for finding in inspect_benchmark(path)[1]]


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


# What replaces what in the example of the contract, on which of the new text's lines the mistake is, and what is said.
MISTAKES = [
    ("min_coverage: 2", "min_coverage: two", "must be a whole number, not 'two'"),
    ("min_coverage: 2", "min_coverage: 2.0", "must be a whole number, not 2.0"),
    ("min_coverage: 2", "min_coverage: true", "must be a whole number, not True"),
    ("min_coverage: 2", 'min_coverage: "2"', "must be a whole number, not '2'"),
    ("min_coverage: 2", "min_coverage: 1_0", "must be a whole number, not '1_0'"),
    ("min_coverage: 2", "min_coverage: .nan", "must be a whole number, not nan"),
    ("min_coverage: 2", "min_coverage: .inf", "must be a whole number, not inf"),
    ("min_coverage: 2", "min_coverage: 0", "greater than or equal to 1, not 0"),
    ("min_coverage: 2", "min_coverage: 7", "there are only 6 options; at most 6"),
    ("required: false", "required: no", "must be true or false, not 'no'"),
    ("[thyme, curry", "thyme #", "options: must be a list, not 'thyme'"),
    ("[thyme, curry", "[] #", "options: needs at least 1, but has 0"),
    ("[thyme,", "[1.10,", '1.10 is not a text here; put it in quotes: "1.10"'),
    ("[thyme,", "[2020-07-11,", '2020-07-11 is not a text here; put it in quotes: "2020-07-11"'),
    ("[thyme,", "[true,", 'true is not a text here; put it in quotes: "true"'),
    ("[thyme,", "[null,", "must be a text, but is empty"),
    ("[thyme,", "[[thyme],", "must be a text, but is a list"),
    ("[thyme,", "[{aliases: [a]},", "the required field 'rubric.items[2].options[0].text' is missing"),
    ("[thyme,", "[curry powder,", "the option 'curry powder' is there twice; remove one"),
    ("[thyme,", "[order,", "the id 'order' is reserved for compiled checks; give it an explicit id"),
    ("[thyme,", "[…,", "'…' has no letter or digit to make an id of; give it an explicit id"),
    ("[thyme,", "[{text: thyme, alias: [x]},", "unknown field 'rubric.items[2].options[0].alias' (did you mean 'alia"),
    ("tier: context", "tier: contxt", "'contxt' is not one of answer_critical, valuable, context"),
    ("tier: context", "tier: 1", "1 is not one of answer_critical, valuable, context"),
    ("text_only: What", "text_only: 5 #", '5 is not a text here; put it in quotes: text_only: "5"'),
    ("domain: food", "domain: ''", "domain: must not be empty"),
    ("domain: food", "domain: ' '", "domain: must not be empty"),
    ("domain: food", r'domain: "a\ab"', "holds the control character U+0007; remove it"),
    ("id: food-001", "id: 0510", 'id: 0510 is not a text here; put it in quotes: id: "0510"'),
    ("id: food-001", "id: food 001", "ids are letters, digits, '.', '_' and '-', and start with a letter or digit"),
    ("id: food-001", "id: [a]", "id: must be a text, but is a list"),
    ("[low_light]", "low_light", "image.quality: must be a list, not 'low_light'"),
    ("egocentric: true", "egocentric: yes", "must be true or false, not 'yes'"),
    ("egocentric: true", "sha256: abc", "64 hexadecimal digits in lower case"),
    ("egocentric: true", f"sha256: {'a' * 64}", f"the file's SHA-256 is {hashlib.sha256(IMAGE).hexdigest()}"),
    ("images/food-001.jpg", "../x.jpg", "leaves its folder; give a path inside it"),
    ("images/food-001.jpg", "/etc/passwd", "leaves its folder; give a path inside it"),
    ("images/food-001.jpg", r"..\x.jpg", "leaves its folder; give a path inside it"),
    ("images/food-001.jpg", r"C:\x.jpg", "leaves its folder; give a path inside it"),
    ("images/food-001.jpg", "images/none.jpg", "no such file or folder; check the path"),
    ("images/food-001.jpg", "images", "is a folder where a file is expected"),
    ("images/food-001.jpg", "x" * 300, "file name too long"),
    ("{path: images", "{package: skimage, path: images", "an image in a package needs its 'sha256'"),
    ("kind: person", "kind: human", "'human' is not one of person, model"),
    ("supports: true", "supports: yes", "must be true or false, not 'yes'"),
    ("retrieved: 2026-11-30, reviews: []", "retrieved: soon", "'soon' is not a date; write it as 2026-11-30"),
    ("retrieved: 2026-11-30, reviews: []", "retrieved: 20261130", "must be a date like 2026-11-30, not 20261130"),
    ("evidence: [e1]", "evidence: [e9]", "evidence 'e9' does not exist (known: e1, e2)"),
    ("evidence: [e1]", "evidence: e1", "evidence: must be a list, not 'e1'"),
    ("items: [base, cooking]", "items: [base, cook]", "item 'cook' does not exist (did you mean 'cooking'?)"),
    ("{id: pattern", "{id: base", "the item id 'base' comes more than once"),
    ("oil, wash]", "oil, washing]", "which does not exist (did you mean 'wash'?); name required steps by their id"),
    ("oil, wash]", "oil, add-smoked-paprika]", "which is optional; name required steps by their id"),
    ("required: false}", "required: false, after: []}", "has no place in the order; remove 'after'"),
    ("[Nigerian jollof, Ghanaian jollof]", "[Nigerian jollof]", "entities: needs at least 2, but has 1"),
    ("subject: jollof rice", "subjct: jollof rice", "unknown field 'subjct' (did you mean 'subject'?)"),
    ("subject: jollof rice", "subject: a\nsubject: b", "the key 'subject' comes twice; it is first on line 5"),
    ("subject: jollof rice", "1: jollof rice", "keys must be texts; quote this one"),
    ("subject: jollof rice", "subject: dish: rice", """a text with ': ' must be quoted: subject: "dish: rice\""""),
    ("subject: jollof rice", "\tsubject: rice", "indent with spaces, not tabs"),
    ("subject: jollof rice", "subject: !!python/none x", "is not known here; remove it"),
]


@pytest.mark.parametrize(("old", "new", "said"), MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_is_one_finding_with_its_line_and_what_to_do(folder, old, new, said):
    text = JOLLOF.replace(old, new, 1)
    (folder / "x.yaml").write_text(text, encoding="utf-8")
    ((line, _, message),) = found(folder / "x.yaml")
    assert said in message
    assert line == line_of(text, new) + new.count("\n")


@pytest.mark.parametrize(
    ("old", "new", "line_with", "said"),
    [
        ("      type: process\n", "", "- id: cooking", "rubric.items[3]: the required field 'type' is missing"),
        ("type: process", "type: proces", "- id: cooking", "unknown item type 'proces' (did you mean 'process'?)"),
        ("      min_coverage: 2\n", "", "- id: spices", "the required field 'rubric.items[2].min_coverage' is missing"),
        ("domain: food\n", "", "id: food-001", "the required field 'domain' is missing"),
        ("after: []", "after: [cover-and-steam-on-low-heat]", "steps:", "these steps wait for each other: "),
    ],
)
def test_what_is_missing_or_wrong_as_a_whole_is_told_at_what_holds_it(folder, old, new, line_with, said):
    text = JOLLOF.replace(old, new, 1)
    (folder / "x.yaml").write_text(text, encoding="utf-8")
    ((line, _, message),) = found(folder / "x.yaml")
    assert said in message
    assert line == line_of(text, line_with)


def test_all_mistakes_in_all_files_are_told_in_file_order(folder):
    bench(folder, b=question("b", domain=3, question=None), a=question("a", colour="red"), c=question("c"))
    (folder / "questions" / "d.yml").write_text("a: [")
    findings = inspect_benchmark(folder)[1]
    places = [(Path(finding.file).name, finding.code, finding.question_id) for finding in findings]
    assert places == [
        ("a.yaml", "unknown-field", "a"),
        ("b.yaml", "schema", "b"),
        ("b.yaml", "schema", "b"),
        ("d.yml", "syntax", None),
    ]


def test_a_mistake_in_a_jsonl_file_has_its_line(folder):
    path = jsonl(folder / "b.jsonl", question("a"), question("b", rubric={"items": []}), question("c", domain=1))
    assert [(line, code) for line, code, _ in found(path)] == [(2, "empty-rubric"), (3, "schema")]


def test_load_raises_the_errors_and_keeps_quiet_about_warnings(folder):
    (folder / "x.yaml").write_text(JOLLOF.replace("min_coverage: 2", "min_coverage: 6"), encoding="utf-8")
    benchmark, (warning,) = inspect_benchmark(folder / "x.yaml")
    assert (warning.severity, warning.code) == ("warning", "coverage-is-all")
    assert (
        [q.id for q in benchmark.questions]
        == ["food-001"]
        == [q.id for q in load_benchmark(folder / "x.yaml").questions]
    )
    (folder / "x.yaml").write_text("id: x", encoding="utf-8")
    assert inspect_benchmark(folder / "x.yaml")[0] is None
    with pytest.raises(InputError, match=r"x\.yaml:1:1: the required field 'domain' is missing"):
        load_benchmark(folder / "x.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "the document: must be a mapping of fields, not []"),
        ("text", "the document: must be a mapping of fields, not 'text'"),
        ("1", "the document: must be a mapping of fields, not 1"),
        ("id: q\ndomain: d\nquestion: q\nrubric: {}", "has no items; write at least one under 'items'"),
        ("id: q\ndomain: d\nquestion: q\nrubric: []", "rubric: must be a mapping of fields, not []"),
        ("id: q\ndomain: d\nquestion: q\nrubric: {items: {a: 1}}", "rubric.items: must be a list, not {'a': 1}"),
        ("id: q\ndomain: d\nquestion: q\nrubric: {items: [x]}", "rubric.items[0]: must be a mapping of fields"),
        ("id: q\ndomain: d\nquestion: q\nrubric: {checks: []}", "rubric.checks: needs at least 1, but has 0"),
        (
            "id: q\ndomain: d\nquestion: q\nrubric: {checks: [{id: a b, tier: context, text: x}]}",
            "a check's id has no white space",
        ),
        (
            "id: q\ndomain: d\nquestion: q\nimage: x.jpg\nrubric: {checks: [{id: a, tier: context, text: x}]}",
            "image: must",
        ),
    ],
    ids=range(10),
)
def test_a_file_of_the_wrong_shape_is_one_finding(folder, text, said):
    (folder / "x.yaml").write_text(text, encoding="utf-8")
    ((_, _, message),) = found(folder / "x.yaml")
    assert said in message


@pytest.mark.parametrize("value", ["x" * 100_000, 10**17, list(range(50_000))], ids=["text", "number", "list"])
def test_a_message_stays_short_whatever_the_value(folder, value):
    path = jsonl(folder / "b.jsonl", question(rubric={"items": [question()["rubric"]["items"][0] | {"tier": value}]}))
    assert all(len(message) < 400 for _, _, message in found(path))


class TestBenchmarkFile:
    def test_settings_come_from_it_and_defaults_from_the_paper(self, folder):
        bench(
            folder,
            "name: mini\nversion: '1.10'\nlicense: CC0-1.0\nscoring: {lambda: 0.25, mu: -1, weights: {context: 0}}\n"
            "compile: {rules: 1, long_list: 3}\n",
            q=question(),
        )
        loaded = load_benchmark(folder)
        assert (loaded.name, loaded.version, loaded.license) == ("mini", "1.10", "CC0-1.0")
        assert (loaded.scoring.lambda_, loaded.scoring.mu) == (0.25, -1.0)
        assert loaded.scoring.weights.as_tuple() == (0.6, 0.3, 0.0)
        assert loaded.compile.long_list == 3

    @pytest.mark.parametrize(
        ("written", "said"),
        [
            ("version: 1.10", '1.10 is not a text here; put it in quotes: version: "1.10"'),
            ("version: 2020-07-11", '2020-07-11 is not a text here; put it in quotes: version: "2020-07-11"'),
            ("scoring: {lambda: .nan}", "scoring.lambda: must be a finite number, not nan"),
            ("scoring: {lambda: 1.01}", "scoring.lambda: must be less than or equal to 1, not 1.01"),
            ("scoring: {lambda: '0.5'}", "scoring.lambda: must be a number, not '0.5'"),
            ("scoring: {mu: -0.4}", "scoring.mu: must be less than or equal to -0.5, not -0.4"),
            ("scoring: {mu: -.inf}", "scoring.mu: must be a finite number, not -inf"),
            ("scoring: {weights: {context: -1}}", "must be greater than or equal to 0, not -1"),
            ("scoring: {weights: {context: true}}", "must be a number, not True"),
            ("scoring: {weights: {contxt: 1}}", "unknown field 'scoring.weights.contxt' (did you mean 'context'?)"),
            ("scoring: {weights: {answer_critical: 0, valuable: 0, context: 0}}", "the weights are all 0"),
            ("scoring: {lambda_: 0.5}", "unknown field 'scoring.lambda_' (did you mean 'lambda'?)"),
            ("compile: {rules: 2}", "compile rules 2 are not known; this version has rules 1"),
            ("compile: {rules: true}", "compile rules True are not known"),
            ("compile: {long_list: 1}", "must be greater than or equal to 2, not 1"),
            ("questons: q/", "unknown field 'questons' (did you mean 'questions'?)"),
            ("questions: [q]", "questions: must be a text, but is a list"),
        ],
    )
    def test_a_mistake_in_it_is_one_finding_on_its_line(self, folder, written, said):
        ((line, _, message),) = found(bench(folder, f"name: b\n{written}\n", q=question()))
        assert (line, said in message) == (2, True), message

    @pytest.mark.parametrize("questions", ["questions/", "questions", "./questions/", "q.jsonl", "questions/q.yaml"])
    def test_questions_may_be_a_folder_or_a_file(self, folder, questions):
        bench(folder, f"name: b\nquestions: {questions}\n", q=question("a"))
        jsonl(folder / "q.jsonl", question("a"))
        assert [q.id for q in load_benchmark(folder).questions] == ["a"]

    def test_questions_come_in_the_order_of_file_names_in_folders_too(self, folder):
        bench(folder, b=question("1"), a=question("2"))
        (folder / "questions" / "aa").mkdir()
        (folder / "questions" / "aa" / "z.yml").write_text(json.dumps(question("3")))
        (folder / "questions" / "notes.md").write_text("not a question")
        assert [q.id for q in load_benchmark(folder).questions] == ["2", "3", "1"]


class TestWhatCannotBeRead:
    @pytest.mark.parametrize(
        ("make", "path", "said"),
        [
            (lambda f: None, "none", "no such file or folder; check the path"),
            (lambda f: None, "none.jsonl", "no such file or folder; check the path"),
            (lambda f: None, "x" * 300, "file name too long"),
            (lambda f: None, "images", "has no benchmark.yaml; 'gamut init "),
            (lambda f: (f / "q.jsonl").mkdir(), "q.jsonl", "has no benchmark.yaml; 'gamut init "),
            (lambda f: (f / "q.txt").touch(), "q.txt", "is neither a folder, nor "),
            (lambda f: (f / "q.jsonl").touch(), "q.jsonl", "holds no question"),
            (lambda f: (f / "q.yaml").touch(), "q.yaml", "the file is empty"),
            (lambda f: (f / "q.yaml").write_bytes(b"\xff"), "q.yaml", "is not UTF-8; save the file as UTF-8"),
            (lambda f: (f / "benchmark.yaml").mkdir(), "", "is a folder where a file is expected"),
            (lambda f: (f / "benchmark.yaml").touch(), "", "the file is empty"),
            (lambda f: (f / "benchmark.yaml").write_text("name: b"), "", "no such file or folder; check the path"),
            (bench, "", "holds no .yaml file"),
            (lambda f: bench(f, "name: b\nquestions: images"), "", "holds no .yaml file"),
            (lambda f: bench(f, "name: b\nquestions: q.csv") / "q.csv", "", "no such file or folder"),
            (lambda f: bench(f, f"name: b\nquestions: {'x' * 300}"), "", "file name too long"),
            (lambda f: (bench(f, "name: b\nquestions: q.jsonl") / "q.jsonl").mkdir(), "", "is a folder where a file"),
            (lambda f: (bench(f) / "questions" / "loop.yaml").symlink_to("loop.yaml"), "", "too many levels of symbol"),
        ],
        ids=range(18),
    )
    def test_it_is_one_finding_with_the_reason(self, folder, make, path, said):
        make(folder)
        ((_, _, message),) = found(folder / path)
        assert said in message

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    @pytest.mark.parametrize("name", ["questions/pipe.yaml", "benchmark.yaml", "image.jpg"])
    def test_a_pipe_in_the_folder_is_refused_instead_of_waited_for(self, folder, name):
        bench(folder, q=question(image={"path": "image.jpg"}))
        (folder / "image.jpg").write_bytes(IMAGE)
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
        ((_, _, message),) = found(folder)
        assert "is a pipe or a device" in message

    @pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs POSIX users")
    @pytest.mark.parametrize("locked", ["questions", "questions/locked", "questions/q.yaml"])
    def test_what_the_user_may_not_read_is_an_error_and_no_silent_gap(self, locked):
        root = Path(tempfile.mkdtemp())
        bench(root, q=question("q"))
        (root / "questions" / "locked").mkdir()
        root.chmod(0o755)
        (root / locked).chmod(0)
        was = os.geteuid()
        try:
            os.seteuid(65534 if was == 0 else was)  # permission bits do not bind root
            findings = inspect_benchmark(root)[1]
        finally:
            os.seteuid(was)
            (root / locked).chmod(0o755)
            shutil.rmtree(root)
        assert [(finding.file, finding.message) for finding in findings] == [
            (str(root / locked), "permission denied; check who owns it")
        ]


class TestIds:
    def test_a_second_question_of_that_id_in_one_file_is_named_with_both_lines(self, folder):  # B37
        path = jsonl(folder / "b.jsonl", question("q1"), question("q2"), question("q1", "Other."))
        ((line, code, message),) = found(path)
        assert (line, code) == (3, "duplicate-id")
        assert message == f"the question id 'q1' is taken: it is also at {path}:1"

    def test_a_second_question_of_that_id_in_another_file_is_named_with_both_places(self, folder):  # B37
        bench(folder, a=question("q1"), b=question("q1", "Other."))
        (finding,) = inspect_benchmark(folder)[1]
        assert finding.place == f"{folder / 'questions' / 'b.yaml'}:1:8"
        assert f"the question id 'q1' is taken: it is also at {folder / 'questions' / 'a.yaml'}:1:8" in finding.message

    def test_two_sets_that_both_count_from_0_cannot_be_one_benchmark(self, folder):  # B39
        rows = [question(str(n), f"{part}{n}.") for part in "ab" for n in range(5)]
        assert [line for line, _, _ in found(jsonl(folder / "both.jsonl", *rows))] == [6, 7, 8, 9, 10]

    def test_questions_of_the_same_id_in_two_benchmarks_have_other_hashes(self, folder):  # B39
        one, other = (
            load_benchmark(jsonl(folder / f"{part}.jsonl", *(question(str(n), f"{part}{n}.") for n in range(5))))
            for part in "ab"
        )
        assert one.hash != other.hash
        hashes = [check.hash for part in (one, other) for checks in part.checks.values() for check in checks]
        assert len(set(hashes)) == 10


class TestFormats:
    def plain(self):
        return json.loads(json.dumps(read_yaml(GOLDEN / "jollof.yaml")[0], default=datetime.date.isoformat))

    def test_yaml_jsonl_and_folder_of_the_same_question_mean_the_same(self, folder):
        alone = load_benchmark(GOLDEN / "jollof.yaml")
        lines = load_benchmark(jsonl(folder / "b.jsonl", self.plain()))
        bench(folder)
        (folder / "questions" / "any-name.yml").write_text(JOLLOF, encoding="utf-8")
        within = load_benchmark(folder)
        assert alone.questions == lines.questions == within.questions
        assert alone.checks == lines.checks == within.checks
        assert alone.hash == lines.hash == within.hash

    @pytest.mark.parametrize("mark", [BOM, b""])
    @pytest.mark.parametrize("end", [b"\r\n", b"\n"])
    def test_byte_order_mark_and_crlf_change_nothing(self, folder, mark, end):  # B64
        bench(folder, "name: né\nscoring: {mu: -3}\n")
        jsonl(folder / "b.jsonl", self.plain(), question("e", "é\u2028x."))
        (folder / "questions" / "q.yaml").write_text(JOLLOF, encoding="utf-8")
        before = [load_benchmark(folder), load_benchmark(folder / "b.jsonl")]
        for name in ("benchmark.yaml", "b.jsonl", "questions/q.yaml"):
            (folder / name).write_bytes(mark + (folder / name).read_bytes().replace(b"\n", end))
        assert [load_benchmark(folder), load_benchmark(folder / "b.jsonl")] == before

    def test_a_jsonl_file_is_named_by_its_stem_and_has_no_version(self, folder):
        loaded = load_benchmark(jsonl(folder / " my.bench-1.jsonl", question()))
        assert (loaded.name, loaded.version, loaded.license) == (" my.bench-1", None, None)

    @pytest.mark.parametrize("name", [" ", "\x07", "日本", "a'b"])
    def test_any_file_name_will_do(self, folder, name):
        assert load_benchmark(jsonl(folder / f"{name}.jsonl", question())).name == name

    def test_an_image_that_is_a_link_out_of_the_folder_is_refused(self, folder, tmp_path_factory):
        outside = tmp_path_factory.mktemp("outside") / "secret.jpg"
        outside.write_bytes(IMAGE)
        (folder / "link.jpg").symlink_to(outside)
        file = jsonl(folder / "b.jsonl", question(image={"path": "link.jpg"}))
        ((_, code, message),) = found(file)
        assert code == "image-path"
        assert "leaves its folder" in message

    def test_a_question_file_inside_a_benchmark_finds_its_image_in_the_benchmarks_folder(self, folder):
        bench(folder)
        (folder / "questions" / "q.yaml").write_text(JOLLOF, encoding="utf-8")
        alone, whole = load_benchmark(folder / "questions" / "q.yaml"), load_benchmark(folder)
        assert alone.image_hashes == whole.image_hashes == {"food-001": hashlib.sha256(IMAGE).hexdigest()}

    @here
    @given(text=st.text(), spaced=st.booleans())
    def test_any_text_in_a_statement_reaches_its_check_or_is_refused(self, folder, text, spaced):
        row = question(statement=f" {text}\n" if spaced else text)
        (folder / "x.yaml").write_text(json.dumps(row), encoding="utf-8")
        said = text.strip(WHITE_SPACE)
        if not said or any((c < " " and c not in "\t\n\r") or c == "\x7f" for c in said):
            assert inspect_benchmark(folder / "x.yaml")[0] is None
            return
        ((check,),) = load_benchmark(folder / "x.yaml").checks.values()
        assert check.text == (said if said[-1] in '.!?…。！？।؟"”»' else said + ".")
        assert load_benchmark(jsonl(folder / "x.jsonl", row)).checks == {"q": (check,)}


def test_a_question_from_plain_data_is_checked_like_a_file():
    assert question_from_dict(question()).id == "q"
    for row in (question(colour="red"), question(rubric={"items": []}), question(domain=None), {}):
        with pytest.raises(InputError):
            question_from_dict(row)


def mutated(raw, rng):
    """The bytes with one to three deletions, insertions, exchanges or a cut."""
    data = bytearray(raw)
    for _ in range(rng.randint(1, 3)):
        at, to = sorted((rng.randrange(len(data)), rng.randrange(len(data))))
        action = rng.choice(["delete", "insert", "swap", "cut", "move"])
        if action == "delete":
            del data[at : at + rng.randint(1, 12)]
        elif action == "insert":
            data[at:at] = bytes([rng.choice([*b"\n\t :-[]{}'\"#&*!|>%@`,?\\0~\0\xff\x85", rng.randrange(256)])])
        elif action == "swap":
            data[at], data[to] = data[to], data[at]
        elif action == "cut":
            del data[max(to, 10) :]
        else:
            data[at:at] = data[to : to + 40]
    return bytes(data)


N_DAMAGED = int(os.environ.get("GAMUT_FUZZ", "50"))  # `make fuzz` damages more


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("form", "become"), [("yaml", {True, False}), ("jsonl", {False})])
def test_a_damaged_file_is_a_benchmark_or_an_input_error_and_nothing_else(folder, form, become, seed):
    rng = random.Random(f"{form} {seed}")
    mini = sorted((Path(gamut_eval.__file__).parent / "data/gamut_mini/questions").iterdir())
    yaml = mini[seed % len(mini)].read_bytes() if seed % 2 else JOLLOF.encode()
    source = yaml if form == "yaml" else jsonl(folder / "b.jsonl", TestFormats().plain()).read_bytes()
    whole = folder / f"whole.{form}"
    whole.write_bytes(source)
    assert load_benchmark(whole).checks
    outcomes = set()
    for _ in range(N_DAMAGED):
        (folder / f"x.{form}").write_bytes(mutated(source, rng))
        benchmark, findings = inspect_benchmark(folder / f"x.{form}")
        outcomes.add(benchmark is not None)
        assert benchmark.checks if benchmark else findings
        assert all(finding.message and finding.file for finding in findings)
    assert outcomes >= become
