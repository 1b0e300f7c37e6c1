import pytest

from gamut_eval.reports.shapes import CheckRef, Column, Name, Table

HOSTILE = (
    r"\input{/etc/passwd}",
    "=cmd|' /C calc'!A0",
    "+1",
    "-2+3",
    "@SUM(1)",
    "<script>alert(1)</script>",
    "a\nb\r\nc\td",
    "\x1b[2J\x1b]0;x\x07",
    "a | b || `c` ``d`` ```",
    "[x](javascript:alert(1)) ![y](http://z/) <http://z> https://z.example/a?b&c www.z.example",
    "@everyone and #1, GH-2, z/z#3, mail@z.example :smile:",
    "*a* __b__ ~~c~~ $d$ # e &amp; &lt;",
    "100% of {x} & y~z^2 \"q\" ''r'' --- [s]",
    "名前 é ü ł “x” − → λ 🎉 \u202egnp\ud800",
)
"""Names of models, judges and domains that want to be more than names."""


@pytest.fixture
def hostile():
    """A table in which every text is hostile, with cells of every kind."""
    columns = (
        Column("Model"),
        Column("Domain | *x*", group="G & h"),
        Column("Gamut", "percent", group="G & h", bar=True, best="highest"),
        Column("Interval", "interval", beyond_paper=True),
        Column("Missing", "percent", "missing", "Share_of all", best="lowest"),
        Column("n", "count"),
        Column("Rate", "number"),
        Column("Complete", "coverage"),
        Column("Check", "check"),
        Column("Verdict", "verdict"),
        Column("=HYPERLINK()", "percent"),
    )
    rows = tuple(
        (
            text,
            text,
            None if place == 1 else place / 10 - 0.35,
            None if place == 1 else (-0.5, place / 10),
            place / 100,
            1000 * place,
            -place / 3,
            (place, 20),
            CheckRef("=q", "c/1", text, "m", "image"),
            "partially_meets" if place % 2 else text,
            -0.125,
        )
        for place, text in enumerate(HOSTILE)
    )
    title = ("Scores of ", Name(HOSTILE[0]), " and ", Name(HOSTILE[9]))
    return Table(columns, rows, title, ("1. Note on ", Name("\n".join(HOSTILE))))
