import errno
import io
import json
import os
import stat
import sys

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut_eval import files
from gamut_eval.errors import InputError

BOM = b"\xef\xbb\xbf"


@pytest.fixture
def write(tmp_path):
    def write(content, name="rows.jsonl"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


def json_rows(path):
    return list(files.json_rows(path))


def refusal(action, *arguments):
    with pytest.raises(InputError) as caught:
        action(*arguments)
    (finding,) = caught.value.findings
    return finding


class TestReading:
    def test_a_byte_order_mark_is_no_part_of_the_text(self, write):
        assert files.read_text(write(BOM + "é".encode())) == "é"
        assert files.read_bytes(write(BOM + BOM)) == BOM

    @pytest.mark.parametrize(("raw", "line"), [(b"\xe9", 1), (b"a\nb\n\xff\n", 3), ("é".encode("utf-16"), 1)])
    def test_a_byte_that_is_not_utf8_is_named_by_its_line(self, write, raw, line):
        path = write(raw)
        finding = refusal(files.read_text, path)
        assert (finding.code, finding.file, finding.line) == ("encoding", str(path), line)
        assert "save the file as UTF-8" in finding.message

    @pytest.mark.parametrize("read", [files.read_text, files.read_bytes, json_rows])
    def test_a_file_that_cannot_be_read_is_named_with_the_reason(self, tmp_path, read):
        (tmp_path / "folder.jsonl").mkdir()
        (tmp_path / "file").touch()
        (tmp_path / "loop").symlink_to(tmp_path / "loop")
        reasons = {
            "folder.jsonl": "is a folder where a file is expected",
            "none.jsonl": "no such file or folder; check the path",
            "file/x": "a part of the path is a file, not a folder",
            "x" * 300: "file name too long; shorten it",
            "loop": "too many levels of symbolic links",
        }
        for name, reason in reasons.items():
            finding = refusal(read, tmp_path / name)
            assert (finding.code, finding.message, finding.file) == ("unreadable", reason, str(tmp_path / name))

    @pytest.mark.skipif(sys.platform != "linux", reason="needs a file of /proc that opens but cannot be read")
    def test_an_error_in_the_middle_of_reading_is_told_too(self):
        assert refusal(files.read_bytes, "/proc/self/mem").message == "input/output error"

    def test_a_hyphen_is_standard_input(self, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(BOM + b'{"a": 1}\n')))
        assert json_rows("-") == [(1, {"a": 1})]


class TestJsonRows:
    def test_rows_come_with_their_line_numbers_and_blank_lines_are_passed_over(self, write):
        assert json_rows(write(b'\n{"a":1}\n  \n\r\n{"b":[2]}')) == [(2, {"a": 1}), (5, {"b": [2]})]

    def test_byte_order_mark_and_crlf_change_nothing(self, write):  # B64
        plain = b'{"a": "x"}\n{"a": "y"}\n'
        expected = [(1, {"a": "x"}), (2, {"a": "y"})]
        assert json_rows(write(BOM + plain.replace(b"\n", b"\r\n"))) == expected

    def test_only_a_line_feed_ends_a_line(self, write):
        text = "a\u2028b\u2029c\x85d\x0be"
        line = json.dumps({"text": text}, ensure_ascii=False).encode()
        assert json_rows(write(line + b"\n" + line)) == [(1, {"text": text}), (2, {"text": text})]

    @pytest.mark.parametrize(
        "line",
        [
            b"{",
            b"nonsense",
            b"{'a': 1}",
            b'{"a": 1,}',
            b'{"a": NaN}',
            b'{"a": Infinity}',
            b'{"a": -Infinity}',
            b'{"a": 01}',
            b'{"a": "\x01"}',
            b'{"a": "\xff"}',
            b'{"a": "\\ud800"}',
            b'{"a": 1} {"b": 2}',
            '{"a": 1}'.encode("utf-16"),
            b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}",
            b'{"a": ' + b"[" * 900 + b"]" * 900 + b"}",
            b'{"a": ' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"}",
            b'{"a": "\\":", "b": ' + b"[" * 900 + b"]" * 900 + b"}",
        ],
        ids=range(17),
    )
    def test_anything_but_strict_json_is_refused_with_its_line(self, write, line):
        path = write(b"{}\n\n" + line + b"\n{}\n")
        finding = refusal(json_rows, path)
        assert (finding.code, finding.file, finding.line) == ("syntax", str(path), 3)

    @pytest.mark.parametrize(
        ("content", "line", "said"),
        [
            (json.dumps([{"a": 1}], indent=2).encode(), 1, "this is one JSON array; JSONL has one object a line"),
            (b'[{"a": 1},\n{"a": 2}]', 1, "this is one JSON array; JSONL has one object a line"),
            (b'[{"a": 1}]', 1, "this is one JSON array; JSONL has one object a line"),
            (json.dumps({"a": [1]}, indent=2).encode(), 1, "this JSON object is not closed on its line"),
            (b'{"a": 1}\n{"a": [\n1]}', 2, "this JSON object is not closed on its line"),
            (b"PAR1\x15\x04\nPAR1", 1, "this is a Parquet file; responses and verdicts are read from JSONL"),
            (b"\x1f\x8b\x08\x00\n", 1, "this is a gzip file; unpack it first"),
            (b"PK\x03\x04\n", 1, "this is a zip file; unpack it first"),
        ],
        ids=range(8),
    )
    def test_a_file_of_another_kind_is_told_what_it_is(self, write, content, line, said):
        finding = refusal(json_rows, write(content))
        assert (finding.code, finding.line) == ("syntax", line)
        assert said in finding.message

    @pytest.mark.parametrize("line", [b"[]", b"1", b'"a"', b"null"])
    def test_a_row_is_an_object(self, write, line):
        finding = refusal(json_rows, write(line))
        assert (finding.line, finding.message) == (1, "each line must be a JSON object {…}")

    @pytest.mark.parametrize(
        "line",
        [
            '{"a": 1, "a": 1}',
            '{"b": {"a": 1, "c": [], "a": 2}}',
            '{"b": [[{"a": 1, "a": 2}]]}',
            '{"a" : 1, "\\u0061": 2}',
            '{"text": "\\":", "a": 1, "a": 2}',
        ],
    )
    def test_a_key_that_comes_twice_is_named(self, write, line):
        finding = refusal(json_rows, write(line.encode()))
        assert (finding.code, finding.line, finding.message) == ("duplicate-key", 1, "the key 'a' comes twice")

    @given(st.dictionaries(st.text(max_size=4), st.text(alphabet='":\\ {}a', max_size=6) | st.none(), max_size=4))
    def test_no_other_text_is_taken_for_a_key(self, row):
        assert files.parse_json(orjson.dumps(row), file="f") == row


class TestWriting:
    def test_a_file_is_written_with_its_folders_and_nothing_beside_it(self, tmp_path):
        files.write_bytes(tmp_path / "a" / "b" / "out", b"\r\n\xff")
        assert (tmp_path / "a" / "b" / "out").read_bytes() == b"\r\n\xff"
        assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["out"]

    def test_a_failure_half_way_leaves_the_old_file_and_no_other(self, tmp_path):
        (tmp_path / "out").write_text("old")
        with pytest.raises(ZeroDivisionError):
            self._fail_half_way(tmp_path / "out")
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "old")]

    def _fail_half_way(self, path):
        with files.writing(path) as stream:
            stream.write(b"half of it")
            _ = 1 / 0

    def test_the_name_appears_only_once_the_file_is_whole(self, tmp_path):
        with files.writing(tmp_path / "out") as stream:
            stream.write(b"half")
            assert not (tmp_path / "out").exists()
        assert (tmp_path / "out").read_bytes() == b"half"

    def test_a_place_that_cannot_be_written_is_named_with_the_reason(self, tmp_path):
        (tmp_path / "folder").mkdir()
        (tmp_path / "file").touch()
        reasons = {
            "folder": "is a folder where a file is expected",
            "file/out": "a part of the path is a file, not a folder",
            "file/a/out": "a part of the path is a file, not a folder",
            "x" * 300: "file name too long; shorten it",
        }
        for name, reason in reasons.items():
            finding = refusal(files.write_bytes, tmp_path / name, b"")
            assert (finding.code, finding.message, finding.file) == ("unwritable", reason, str(tmp_path / name))
        assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]

    def test_a_long_name_that_is_allowed_can_be_written(self, tmp_path):
        files.write_bytes(tmp_path / ("x" * 255), b"1")
        assert (tmp_path / ("x" * 255)).read_bytes() == b"1"

    def test_a_link_stays_a_link(self, tmp_path):
        (tmp_path / "real").write_text("old")
        (tmp_path / "link").symlink_to("real")
        files.write_bytes(tmp_path / "link", b"new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_text() == "new"

    def test_a_pipe_is_written_to_and_not_replaced(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        files.write_bytes(tmp_path / "pipe", b"through it")
        assert os.read(reader, 99) == b"through it"
        os.close(reader)
        assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    def test_a_full_device_is_told_with_the_remedy(self, tmp_path):
        (tmp_path / "full").symlink_to("/dev/full")
        finding = refusal(files.write_bytes, tmp_path / "full", b"x")
        assert "the disk is full; free some space" in finding.message
        assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.ENOENT, errno.EFBIG])
def test_the_reason_says_what_to_do(code):
    assert "; " in files.why(OSError(code, os.strerror(code)))


def test_an_error_without_a_number_keeps_its_own_words():
    assert files.why(OSError("Some Reason")) == "some reason"


@pytest.mark.parametrize(
    ("path", "text"), [("a/é.yaml", "a/é.yaml"), ("a\udcc3\udca9", "aé"), ("\udcff.yaml", "\\xff.yaml")]
)
def test_a_path_is_shown_as_the_text_its_bytes_spell(path, text):
    assert files.shown(path) == text
    orjson.dumps(files.shown(path))


def test_json_ends_with_a_line_feed_and_rows_with_one_each():
    assert files.dump_json({"ä": [1]}) == '{\n  "ä": [\n    1\n  ]\n}\n'.encode()
    assert files.dump_rows([{"b": 1, "a": None}, {}]) == b'{"b":1,"a":null}\n{}\n'


def test_what_is_undefined_is_null_and_never_nan():
    assert files.dump_json([float("nan"), float("inf")]).split() == [b"[", b"null,", b"null", b"]"]
