import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from gamut_eval.reports.leaderboard import leaderboard_table
from gamut_eval.reports.shapes import Column, Table
from gamut_eval.reports.terminal import print_table

COLUMNS = (Column("Model"), Column("Gamut", "percent"), Column("Bounds", "interval"), Column("n", "coverage"))


def printed(table: Table, encoding: str = "utf-8", width: int = 100) -> str:
    stream = io.BytesIO()
    console = Console(file=io.TextIOWrapper(stream, encoding=encoding), width=width, force_terminal=False)
    print_table(table, console)
    console.file.flush()
    return stream.getvalue().decode(encoding)


def test_numbers_are_right_aligned_and_undefined_ones_named():
    rows = (("a", 0.587, (0.5, 0.6), (5, 10)), ("b", None, None, None), ("c", -0.05, (0.25, 0.25), (10, 10)))
    lines = printed(Table(COLUMNS, rows)).splitlines()
    a, b, c = (next(line for line in lines if line.strip().startswith(name)) for name in "abc")
    assert a.split() == ["a", "58.7", "50.0", "to", "60.0", "5", "of", "10", "complete"]
    assert b.split() == ["b", "n/a", "n/a", "n/a"]
    assert c.split() == ["c", "-5.0", "25.0", "10", "of", "10"]
    assert a.index("58.7") + 4 == b.index("n/a") + 3 == c.index("-5.0") + 4


def test_nothing_in_a_name_is_markup_or_drives_the_terminal():
    name = "[bold red]x[/] :smile: \x1b[2J \u202egnp [link=http://x]y"
    table = Table((Column(name),), ((name,),), title=(name,), note=(name,))
    text = printed(table, width=200)
    assert text.count("[bold red]x[/] :smile:") == 4
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_ascii_only_terminal():
    text = printed(Table(COLUMNS, (("名前 “é” 🎉", 0.5, None, (1, 1)),), title=("—",)), encoding="ascii")
    assert "\\u540d" in text
    assert "50.0" in text


def test_legacy_code_page():
    assert "é" in printed(Table((Column("Model"),), (("é λ",),)), encoding="cp1252")


def test_a_narrow_terminal_folds_names_and_keeps_numbers_whole():
    name = "a-very-long-model-name-of-a-provider/with-a-version-20261130"
    text = printed(Table(COLUMNS, ((name, -0.587, (-1.0, 1.0), (1000, 2000)),)), width=30)
    for number in ("-58.7", "-100.0 to 100.0", "1,000 of 2,000 complete"):
        assert number in text
    assert "…" not in text
    assert name[:12] in text


def test_what_has_room_is_not_folded():
    (line,) = [
        line for line in printed(Table(COLUMNS, (("a" * 40, 0.5, None, None),)), width=100).splitlines() if "50" in line
    ]
    assert "a" * 40 in line


def test_rows_without_columns_of_text_and_empty_tables():
    assert "n" in printed(Table(COLUMNS, ()))
    assert printed(Table((), ())).strip() == ""


def test_a_run_with_incomplete_questions_shows_its_coverage(mixed):
    text = printed(leaderboard_table(mixed()), width=160)
    assert "1 of 2 complete" in text
    assert "2 of 2 " in text
    assert "n/a" in text


VERDICTS = tuple(Column(title, "percent", group="Share") for title in ("meets", "partial", "missing", "contra."))
LEADERBOARD = (
    Column("Model"),
    Column("Variant", aside=True),
    Column("Judge", aside=True),
    Column("Gamut", "percent"),
    *VERDICTS,
)


def leaderboard(*names: str, judges: tuple[str, ...] = ("lexical",)) -> Table:
    rows = tuple((name, "text only", judge, 0.5, 0.25, 0.125, 0.5, 0.125) for name in names for judge in judges)
    return Table(LEADERBOARD, rows, note=("A note.",))


@pytest.mark.parametrize("width", [10, 24, 40, 60, 80, 120])
@pytest.mark.parametrize(
    "name", ["short", "a-very-long-model/of-the-north-24b-instruct-2026", "x" * 90, "名前の長いモデル" * 9]
)
def test_no_line_is_wider_than_the_console_or_ends_in_blanks(name, width):
    lines = printed(leaderboard(name, "b", judges=("lexical", "example/judge-large")), width=width).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []
    assert lines[0]
    assert lines[-1]


def test_what_fits_is_shown_whole():
    head = printed(leaderboard("a"), width=120).splitlines()[0]
    assert head.split() == ["Model", "Variant", "Judge", "Gamut", "meets", "partial", "missing", "contra."]


def test_texts_that_are_all_the_same_leave_first():
    text = printed(leaderboard("a" * 20, "b"), width=66)
    head, *_, note = text.splitlines()
    assert head.split() == ["Model", "Gamut", "meets", "partial", "missing", "contra."]
    assert note == "A note. Variant: text only; judge: lexical."


def test_then_shares_stand_in_a_table_of_their_own():
    lines = printed(leaderboard("a" * 40, "b"), width=78).splitlines()
    heads = [line.split() for line in lines if line.startswith("Model")]
    assert heads == [["Model", "Gamut"], ["Model", "meets", "partial", "missing", "contra."]]
    assert sum(line.startswith("a" * 40) for line in lines) == 2


def test_names_fold_at_a_hyphen_only_when_nothing_else_helps():
    text = printed(leaderboard("some-model-of-the-north-24b-instruct", "b"), width=50)
    whole, folded = (line.split()[0] for line in text.splitlines() if line.startswith("some"))
    assert whole == "some-model-of-the-north-24b-instruct"
    assert whole.startswith(folded)
    assert folded.endswith("-")


@pytest.mark.parametrize("width", [40, 60, 80])
def test_what_says_what_a_row_is_stays_in_it_even_where_there_is_one_row(width):
    columns = (Column("Question"), Column("Statement"), Column("Of", aside=True), Column("n", "count"))
    table = Table(columns, (("q1", "The statement itself, which is the row.", "x" * 30, 3),), note=("A note.",))
    text = printed(table, width=width)
    assert text.split("─", maxsplit=1)[0].split() == ["Question", "Statement", "n"]
    assert "Statement:" not in text
    assert "Of:" in text


def test_texts_that_say_what_a_row_is_never_leave():
    columns = (Column("Better"), Column("Than"), Column("n", "count"))
    text = printed(Table(columns, (("a" * 30, "z" * 30, 1), ("b" * 30, "z" * 30, 2))), width=50)
    assert text.split()[:3] == ["Better", "Than", "n"]
    assert "Than:" not in text


def test_a_table_in_parts_says_how_wide_it_is_whole():
    table = leaderboard("a" * 40, "b")
    *_, last = printed(table, width=78).splitlines()
    width = int(last.removeprefix("In parts for want of room; whole in ").removesuffix(" columns."))
    whole = printed(table, width=width)
    assert "In parts" not in whole
    assert max(map(cell_len, whole.splitlines())) == width
    assert "In parts" in printed(table, width=width - 60)


def test_short_titles_are_explained_where_they_have_other_words():
    columns = (
        *(Column("Model"), Column("Answer-Critical", "percent", "AC"), Column("Rank before", "count", "Before")),
        Column("P(best), %", "percent", "P(best)"),
    )
    assert printed(Table(columns, (("a", 0.5, 1, 0.5),))).splitlines()[-1] == "AC: Answer-Critical."
    assert "Answer-Critical" not in printed(Table(columns[2:], ((1, 0.5),)))


def test_a_line_is_not_broken_after_a_minus_sign_or_at_a_blank_that_keeps_together():
    table = Table((Column("a", "count"),), ((1,),), note=("mmm nnn λ\u00a01, μ\u00a0−0.5, from −25 to −3 a-b",))
    for width in range(8, 30):
        lines = printed(table, width=width).splitlines()
        assert not [line for line in lines if line.endswith((" -", "λ", "μ"))], width
        assert "\u00a0" not in "".join(lines)
    assert "λ 1" in printed(table, width=30)
    assert "\\xa0" not in printed(table, encoding="ascii")


def test_a_table_shows_as_many_rows_as_it_wants_to():
    table = Table((Column("Model"),), (("one",), ("two",), ("three",)), most=2)
    assert printed(table).split()[2:] == ["one", "two"]
