import json
import math
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamut_eval.benchmark.yaml_file import read_yaml
from gamut_eval.errors import InputError

here = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def read(tmp_path):
    def read(text):
        (tmp_path / "x.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_yaml(tmp_path / "x.yaml")

    return read


def refusal(read, text):
    with pytest.raises(InputError) as caught:
        read(text)
    (finding,) = caught.value.findings
    return finding


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *((word, word) for word in "NO no on off yes Y n 12:30 1:30:00 1_000 1_0.5 0x_f = << nan inf 1e 1.2.3".split()),
        ("2026-7-1", "2026-7-1"),
        ("!!str 1.10", "1.10"),
        ("'1.10'", "1.10"),
        ("true", True),
        ("False", False),
        ("TRUE", True),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("+3", 3),
        ("0510", 510),
        ("0o17", 15),
        ("0x1F", 31),
        ("9223372036854775807", 2**63 - 1),
        ("1.10", 1.1),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-.inf", -math.inf),
        (".INF", math.inf),
        ("2026-11-30", date(2026, 11, 30)),
        ("!!int 3", 3),
    ],
)
def test_values_are_read_by_the_rules_of_yaml_1_2(read, written, value):  # B62
    found = read(f"a: {written}")[0]["a"]
    assert (found, type(found)) == (value, type(value))


def test_nan_is_read_as_a_number_for_the_schema_to_refuse(read):
    assert math.isnan(read("a: .nan")[0]["a"])


def test_values_that_are_no_text_are_remembered_as_spelled(read):
    spelled = read("a: [1.10, 0510, x, 2020-07-11]\nb: {c: True, d: ~, e: '1'}")[2]
    assert spelled == {("a", 0): "1.10", ("a", 1): "0510", ("a", 3): "2020-07-11", ("b", "c"): "True"}


def test_every_value_has_its_line_and_column(read):
    places = read("# c\na:\n  - x\n  - b: 1\n    c:\n      d: 'é'\ne:\n")[1]
    assert places == {
        (): (2, 1),
        ("a",): (2, 1),
        ("a", 0): (3, 5),
        ("a", 1): (4, 5),
        ("a", 1, "b"): (4, 8),
        ("a", 1, "c"): (5, 5),
        ("a", 1, "c", "d"): (6, 10),
        ("e",): (7, 1),
    }


def test_byte_order_mark_and_crlf_change_nothing(read):  # B64
    text = "a: é\nb: |\n  one\n  two\nc: 'x\n\n  y'\n"
    same = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    assert read(same) == read(text)


def test_an_alias_is_a_copy_and_an_anchor_may_be_set_anew(read):
    data = read("a: &x [1]\nb: *x\nc: &x 2\nd: *x\n")[0]
    assert data == {"a": [1], "b": [1], "c": 2, "d": 2}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "the file is empty"),
        ("# only a comment\n", 1, "the file is empty"),
        ("a: 1\n\tb: 2", 2, "indent with spaces, not tabs"),
        ("a: x\nb: y: z", 2, """a text with ': ' must be quoted: b: "y: z\""""),
        ('b: "y": z', 1, "quote a text that holds ': '"),
        ('- b: y "q": z # c', 1, """a text with ': ' must be quoted: - b: 'y "q": z'"""),
        ('b: it\'s y: "z"', 1, "a text with ': ' must be quoted"),
        ("id:x\nb: 1", 2, "line 1 is not 'name: value'; write a space after ':'"),
        ("a: b\nc:d\ne: f", 3, "line 2 is neither 'name: value' nor '- text'"),
        ("a: b\n  c: d", 2, "line 2 is deeper than line 1, whose field has its value already"),
        ("a:\n- b\n-c\n- d", 4, "write a space after ':' and '-'"),
        ("a:\n  b: 1\n c: 2", 3, "the indentation of line 3 does not match any block above"),
        ("a:\n    - b\n  - c", 3, "the indentation of line 3 does not match any block above"),
        ("  a: 1\nb: 2", 2, "the indentation of line 2 does not match any block above"),
        ("a:\n  - b: 1\n    c: 2\n  d: 3", 4, "line 4 stands where '- ' of a list does, and has none"),
        ("a:\n  b: 1\n  - c", 3, "line 3 begins with '- ' where fields stand"),
        ("a: |\n    x\n   y", 3, "check the indentation"),
        ("a: - b", 1, "a list begins on a line of its own"),
        ("a: 'open\nb: c", 1, "the quote that opens on line 1 is never closed"),
        ('a: 1\nb: "open\nc: "d"\n', 3, "the quote was opened on line 2: should it have been closed there?"),
        ('a: "quoted" and more', 1, "text after the closing quote; put the whole in quotes"),
        ("- a\n- 'quoted' and more", 2, "text after the closing quote; put the whole in quotes"),
        ('a: [b, "c" d]', 1, "text after the closing quote; put the whole in quotes"),
        ("a: 'it's here'", 1, "write '' for an apostrophe"),
        ("a: [b] c", 1, "quote a text that holds ': '"),
        ("a: [1, 2\nb: 3", 2, "the '[' of line 1 is not closed"),
        ("a: {b: 1", 1, "the '{' of line 1 is not closed"),
        ("a: {b: c: d}", 1, "a text with ': ' must be quoted, here inside '{'"),
        ("a: {b: [1}", 1, "a text that holds one of , [ ] { } must be quoted"),
        ("a: @x", 1, "a text that starts with '@' must be in quotes"),
        ("- `x`", 1, "a text that starts with '`' must be in quotes"),
        ("- b\n- %c", 2, "a text that starts with '%' must be in quotes"),
        ("a: b\n%c: d", 2, "line 2 starts with '%'; put a text that does in quotes"),
        ("a: > quoted", 1, "if a text starts with '>', put it in quotes"),
        ("a: *bold* text", 1, "if a text starts with '*', put it in quotes"),
        ("a: ]x", 1, "if a text starts with ']', put it in quotes"),
        ("a: *nowhere", 1, "undefined alias 'nowhere'"),
        ("a: 1\n---\nb: 2\n", 2, "several documents"),
        ("a: !!python/object:os.system x", 1, "the tag"),
        ("a: !mine {b: 1}", 1, "is not known here; remove it"),
        ("a: !!set {b}", 1, "is not known here; remove it"),
        ("a: !!binary aGk=", 1, "is not known here; remove it"),
        ("a: !!bool yes", 1, "is not known here; remove it"),
        ("a: !!null none", 1, "is not known here; remove it"),
        ("a: !!int x", 1, "'x' is not a number"),
        ("a: !!float x", 1, "'x' is not a number"),
        ("b: 1\na: 2026-02-30", 2, "write it as 2026-11-30"),
        ("a: 2026-11-30T10:00:00Z", 1, "if it is a text, quote it"),
        ("a: 9223372036854775808", 1, "is not a number that can be read"),
        ("a: " + "9" * 5000, 1, "is not a number that can be read"),
        ("a: 0x" + "f" * 5000, 1, "is not a number that can be read"),
        ("x:\n  1: b", 2, "keys must be texts; quote this one"),
        ("true: b", 1, "keys must be texts; quote this one"),
        ("? [a]\n: b", 1, "keys must be texts"),
        ("<<: {a: 1}", 1, "keys must be texts"),
        ("a: &a [*a]", 1, "an alias holds itself"),
        ("a: &a {b: {c: *a}}", 1, "an alias holds itself"),
        ("a: b\nc: \x07", 2, "U+0007 is not allowed in YAML; remove it"),
        ("a: b\n\nc: \x00", 3, "U+0000 is not allowed in YAML; remove it"),
        ("a: b\nc: 'x\x85y'", 2, "U+0085"),
        ('a: "\\ud83d"', 1, "half of a surrogate pair"),
        ('"\\ud83d": a', 1, "half of a surrogate pair"),
        ("%YAML 1.1\n---\na: yes", 1, "read as YAML 1.2; remove the line '%YAML 1.1'"),
        (b"a: b\nc: \xff", 2, "save the file as UTF-8"),
        ("[" * 1000, None, "nested too deeply"),
        ("a: " + "{a: " * 1000, None, "nested too deeply"),
        ('a: "\\U00110000"', None, "not valid YAML"),
    ],
)
def test_what_cannot_be_read_is_one_finding_with_its_line(read, tmp_path, text, line, said):
    finding = refusal(read, text)
    assert (finding.file, finding.line) == (str(tmp_path / "x.yaml"), line)
    assert said in finding.message
    assert len(finding.message) < 200


def test_a_key_that_comes_twice_is_named_with_both_lines(read):
    finding = refusal(read, "a: 1\nb:\n  c: 1\n  d: 2\n  'c': 3\n")
    assert (finding.code, finding.line, finding.column) == ("duplicate-key", 5, 3)
    assert finding.message == "the key 'c' comes twice; it is first on line 3"


def test_aliases_that_multiply_are_stopped(read):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "more than 500,000 values" in refusal(read, "\n".join(lines)).message


def test_the_directive_of_yaml_1_2_is_accepted(read):
    assert read("%YAML 1.2\n---\na: NO\n")[0] == {"a": "NO"}


@here
@given(text=st.text())
def test_any_text_survives_the_quoting_that_json_and_yaml_share(read, text):
    assert read(f"a: {json.dumps(text)}\n")[0] == {"a": text}


@here
@given(text=st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1))
def test_printable_text_survives_single_quotes(read, text):
    quoted = "'" + text.replace("'", "''") + "'"
    assert read(f"a: {quoted}\n")[0] == {"a": text}


@here
@given(text=st.text())
def test_text_that_is_quoted_without_escapes_is_kept_or_refused_and_never_altered(read, text):
    try:
        data = read(f"a: {json.dumps(text, ensure_ascii=False)}\n")[0]
    except InputError:
        return
    assert data == {"a": text}


def test_aliases_of_a_long_text_cannot_fill_the_memory(read):
    long = "x" * 100_000
    finding = refusal(read, f"a: &long {long}\nb: [{', '.join(['*long'] * 2000)}]\n")
    assert "aliases repeat more than" in finding.message
    data, _, _ = read(f"a: &long {long}\nb: [*long, *long]\n")
    assert data["b"] == [long, long]
