import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gamut_eval.reports.shapes import Column, Table
from gamut_eval.reports.writers.latex import latex, latex_text

GOLDEN = Path(__file__).parents[2] / "golden" / "writers"
OURS = {
    *"begin end centering caption label toprule midrule bottomrule cmidrule multicolumn textbf usepackage".split(),
    *"providecommand gamutchar ifdefined Umathchar symbol else fi".split(),
}
SYMBOLS = re.compile(r"\\(text[a-z]+|symbol|dots|l|rightarrow|lambda|gamutchar)(?=[{$])")
COLUMNS = (
    Column("Model"),
    Column("Gamut", "percent", best="highest"),
    Column("Interval", "interval", beyond_paper=True),
    Column("Answer-Critical", "percent", "AC", "Tier score", best="highest"),
    Column("Valuable", "percent", "Val", "Tier score", best="highest"),
    Column("Missing", "percent", "missing", "Share of all checks", best="lowest"),
    Column("Questions", "count", beyond_paper=True),
)
ROWS = (
    ("a", 0.5871, (0.5, 0.6), 0.6, None, 0.292, 10),
    ("b", 0.5874, (0.5, 0.6), 0.5, 0.5, 0.25, 10),
    ("c", -0.05, None, 0.6, 0.4, 0.3, 10),
)


def lines(*tables, **options):
    return latex([(f"t{place}", table) for place, table in enumerate(tables)], **options).splitlines()


def test_the_layout_is_the_papers():
    assert lines(Table(COLUMNS, ROWS, title=("T",), note=("N.",))) == [
        r"% Needs \usepackage{booktabs} in the preamble.",
        "",
        "% N.",
        r"\begin{table}",
        r"\centering",
        r"\caption{T.}",
        r"\label{tab:t0}",
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r" &  & \multicolumn{2}{c}{Tier score} & \multicolumn{1}{c}{Share of all checks} \\",
        r"\cmidrule(lr){3-4} \cmidrule(lr){5-5}",
        r"Model & Gamut & AC & Val & missing \\",
        r"\midrule",
        r"a & \textbf{58.7} & \textbf{60.0} & n/a & 29.2 \\",
        r"b & \textbf{58.7} & 50.0 & \textbf{50.0} & \textbf{25.0} \\",
        r"c & $-$5.0 & \textbf{60.0} & 40.0 & 30.0 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_a_wide_table_has_all_columns():
    text = "\n".join(lines(Table(COLUMNS, ROWS), wide=True))
    assert r"\begin{tabular}{lrrrrrr}" in text
    assert r"a & \textbf{58.7} & 50.0 to 60.0 & \textbf{60.0} & n/a & 29.2 & 10 \\" in text
    assert r"\cmidrule(lr){4-5} \cmidrule(lr){6-6}" in text


def test_what_is_best_alone_or_of_equals_is_not_bold():
    columns = (Column("Model"), Column("Gamut", "percent", best="highest"), Column("Difference", "percent"))
    same = Table(columns, (("a", 0.5, 0.1), ("b", 0.5, 0.2)))
    assert "textbf" not in "\n".join(lines(same, Table(columns, (("a", 0.5, 0.1),))))


def test_what_is_best_is_said_by_the_column_and_not_by_any_title():
    columns = (Column("Model"), Column("food", "percent", best="lowest"), Column("Gamut", "percent"))
    rows = (("a", 0.5, 0.1), ("b", 0.25, 0.2))
    assert r"b & \textbf{25.0} & 20.0 \\" in lines(Table(columns, rows, title=("Gamut by domain, %",)))


def test_rows_that_do_not_compare_stand_apart_each_with_a_best_of_its_own():
    columns = (Column("Model"), Column("From", apart=True), Column("Gamut", "percent", best="highest"))
    rows = (("a", "own", 0.5), ("p", "paper", 0.4), ("b", "own", 0.3), ("q", "paper", 0.2))
    text = lines(Table(columns, rows))
    first = text.index(r"\midrule")
    assert text[first:-2] == [
        r"\midrule",
        r"a & own & \textbf{50.0} \\",
        r"b & own & 30.0 \\",
        r"\midrule",
        r"p & paper & \textbf{40.0} \\",
        r"q & paper & 20.0 \\",
        r"\bottomrule",
    ]


def test_a_caution_is_read_in_the_caption_and_a_note_in_the_source():
    table = Table(COLUMNS, ROWS, title=("T",), of=("image, by x_y",), caution=("Not comparable.",), note=("N.",))
    text = lines(table)
    assert r"\caption{T: image, by x\_y. Not comparable.}" in text
    assert "% N." in text


def test_a_table_shows_as_many_rows_as_it_wants_to():
    assert sum(line.endswith(r" 30.0 \\") for line in lines(Table(COLUMNS, ROWS, most=2))) == 0


def test_notes_are_comments_that_end_with_their_line():
    head = lines(notes=["a\n\\input{x}", "100%"])
    assert head == [head[0], r"% a \textbackslash{}input\{x\}", r"% 100\%"]


@pytest.mark.parametrize(
    ("text", "set_as"),
    [
        (r"a\b", r"a\textbackslash{}b"),
        ("100% & $5 #1 a_b {c}", r"100\% \& \$5 \#1 a\_b \{c\}"),
        ("a~b^c", r"a\textasciitilde{}b\textasciicircum{}c"),
        ("<a>|b", r"\textless{}a\textgreater{}\textbar{}b"),
        ("a---b", "a-{}-{}-b"),
        ("gpt-5.4", "gpt-5.4"),
        ("é ü ç ø e\u0301", r"\'{e} \"{u} \c{c} \o{} \'{e}"),
        ("[a] *", "{[}a{]} {*}"),
        ("μ = −2", r"$\mu$ = $-$2"),
        ("名", r"\gamutchar{21517}{540D}"),
        ("a\r\n\n b", "a b"),
    ],
)
def test_a_text_is_set_as_it_is(text, set_as):
    assert latex_text(text) == set_as
    assert latex_text(text).isascii()


def test_no_command_comes_from_a_name(hostile):
    text = latex([("t", hostile)], notes=[row[0] for row in hostile.rows], wide=True)
    assert text.isascii()
    rest = SYMBOLS.sub("", text)
    assert set(re.findall(r"\\([A-Za-z]+)", rest)) <= OURS
    body = re.search(r"\\midrule\n(.*)\n\\bottomrule", text, re.DOTALL).group(1).split("\n")
    assert len(body) == len(hostile.rows)
    for line in body:
        assert len(re.findall(r"(?<!\\)&", line)) == len(hostile.columns) - 1
        assert line.endswith(r" \\")
        assert not re.search(r"(?<!\\)%", line)


def test_braces_balance(hostile):
    depth = 0
    for mark in re.findall(r"\\.|[{}]", latex([("t", hostile)], wide=True), re.DOTALL):
        depth += {"{": 1, "}": -1}.get(mark, 0)
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize("engine", ["pdflatex", "xelatex", "lualatex"])
def test_it_compiles(hostile, engine, tmp_path):
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    (tmp_path / "t.tex").write_text(latex([("t", hostile), ("u", hostile)], notes=["x"], wide=True))
    document = r"\documentclass{article}\usepackage{booktabs}\begin{document}\input{t}See \ref{tab:u}.\end{document}"
    (tmp_path / "main.tex").write_text(document)
    command = [engine, "-halt-on-error", "-interaction=nonstopmode", "main.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_golden_file(hostile):
    assert latex([("t", hostile)], notes=["a note"], wide=True) == (GOLDEN / "hostile.tex").read_text(encoding="ascii")
