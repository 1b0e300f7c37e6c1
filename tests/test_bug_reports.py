"""Bug reports of other evaluators, each as its right behaviour here: themes score, statistics, report."""

import csv
import io
import json
import re

import numpy as np
import polars as pl
import pytest

from gamut_eval.api import evaluate
from gamut_eval.cli.main import run as run_command

MEETS, MISSING = "meets", "missing"


def rows_of(questions, models, verdicts, errors=()):
    """Answers, and verdicts in the form of a file; ``verdicts`` maps (model, question) to one a check, None failed."""
    answers, judged = [], []
    for model in models:
        for question in questions:
            unit = {"question_id": question["id"], "model": model, "variant": "text_only"}
            if (model, question["id"]) in errors:
                answers.append(unit | {"error": "HTTP 500"})
                continue
            answers.append(unit | {"response": "An answer."})
            checks = question["rubric"]["checks"]
            for check, verdict in zip(checks, verdicts[model, question["id"]], strict=True):
                outcome = {"verdict": verdict} if verdict else {"error": {"code": "timed_out", "message": "60 s"}}
                judged.append(unit | {"check_id": check["id"], "judge": "j"} | outcome)
    return answers, judged


def question(name, tiers=("valuable",), **more):
    checks = [{"id": f"c{place}", "tier": tier, "text": f"Says {place}."} for place, tier in enumerate(tiers)]
    return {"id": name, "domain": "food", "question": f"What is {name}?", "rubric": {"checks": checks}} | more


@pytest.fixture
def made(tmp_path):
    """Makes a run folder by recorded verdicts."""

    def make(questions, models, verdicts, errors=(), **options):
        answers, judged = rows_of(questions, models, verdicts, errors)
        file = tmp_path / "verdicts.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in judged), encoding="utf-8")
        evaluate(questions, answers, f"recorded:{file}", run=tmp_path / "run", **options).close()
        return tmp_path / "run"

    return make


@pytest.fixture
def gamut(capsys):
    def run(*arguments):
        code = run_command([str(argument) for argument in arguments])
        out, _ = capsys.readouterr()
        return code, out

    return run


def csv_rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def text_of(page):
    """The words of an HTML page, its tags left out."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


# --- score ---------------------------------------------------------------------------------------


@pytest.fixture
def half_broken(made):
    """Ten questions of which five are perfect; three fail in judging, two in answering."""
    questions = [question(f"q{place}") for place in range(10)]
    verdicts = {("m", f"q{place}"): [MEETS] if place < 5 else [None] for place in range(10)}
    return made(questions, ["m"], verdicts, errors={("m", "q8"), ("m", "q9")})


class TestHalfBrokenRuns:
    """B19: items that failed are no part of a clean high score."""

    def test_there_is_no_mean_but_its_bounds_and_the_coverage(self, half_broken, gamut):
        code, out = gamut("score", half_broken)
        assert code == 1
        (line,) = [line for line in out.splitlines() if line.startswith("m ")]
        assert line.split()[:12] == "m text only j n/a 0.0 to 100.0 5 of 10 complete".split()
        assert gamut("compare", half_broken)[0] == 1

    @pytest.mark.parametrize("command", ["score", "compare"])
    def test_a_mean_over_the_complete_ones_has_the_coverage_beside_it(self, half_broken, gamut, command):
        _, out = gamut(command, half_broken, "--allow-incomplete")
        line = next(line for line in out.splitlines() if line.startswith("m "))
        assert "100.0" in line
        assert "5 of 10 complete" in line

    def test_csv_has_how_many_are_complete(self, half_broken, gamut, tmp_path):
        assert gamut("export", half_broken, "--scores", "-o", tmp_path / "s.csv")[0] == 1
        (row,) = csv_rows((tmp_path / "s.csv").read_text(encoding="utf-8"))
        assert (row["gamut"], row["n_questions"], row["n_incomplete"]) == ("", "5", "5")
        _, out = gamut("compare", half_broken, "--allow-incomplete", "--show", "main", "--format", "csv")
        (row,) = csv_rows(out)
        assert (float(row["Gamut"]), row["Questions complete"], row["Questions all"]) == (1.0, "5", "10")

    def test_the_page_says_that_the_run_is_incomplete(self, half_broken):
        words = text_of((half_broken / "report.html").read_text(encoding="utf-8"))
        assert "This run is incomplete" in words
        assert "5 of 10 complete" in words


def test_a_tier_without_checks_is_not_scorable_and_neither_0_nor_100(made, gamut, tmp_path):
    # B21: the rest of it, rubrics without a check, is in tests/rubric/test_compile.py.
    folder = made([question("q", ["valuable"])], ["m"], {("m", "q"): [MISSING]})
    (row,) = json.loads((folder / "scores.json").read_text(encoding="utf-8"))["scores"]
    assert row["tiers"] == {"answer_critical": None, "valuable": 0.0, "context": None}
    assert row["gamut"] == 0.0
    gamut("export", folder, "--scores", "-o", tmp_path / "s.csv")
    (written,) = csv_rows((tmp_path / "s.csv").read_text(encoding="utf-8"))
    assert (written["answer_critical"], written["valuable"], written["context"]) == ("", "0.0", "")
    (line,) = [line for line in gamut("score", folder)[1].splitlines() if line.startswith("m ")]
    assert line.split()[-7:] == ["n/a", "0.0", "n/a", "0.0", "0.0", "100.0", "0.0"]


# 3 : 1 within a tier by the number of checks, and between tiers by their weights.
@pytest.mark.parametrize(
    ("tiers", "verdicts", "weights", "expected"),
    [
        (["valuable"] * 4, [MEETS, MEETS, MEETS, MISSING], [], (None, 0.75, None)),
        (
            ["answer_critical", "valuable"],
            [MEETS, MISSING],
            ["--weights", "answer_critical=3,valuable=1"],
            (1, 0, None),
        ),
    ],
)
def test_weights_count_alike_in_every_output(made, gamut, tmp_path, tiers, verdicts, weights, expected):  # noqa: PLR0917
    # B23: tier and total are the same in the command's table, JSON, CSV, Parquet and HTML.
    folder = made([question("q", tiers)], ["m"], {("m", "q"): verdicts})
    names = ("answer_critical", "valuable", "context")
    data = json.loads(gamut("score", folder, *weights, "--format", "json")[1])["scores"][0]
    assert (data["gamut"], tuple(data["tiers"][name] for name in names)) == (0.75, expected)
    percent = ["n/a" if value is None else f"{value * 100:.1f}" for value in expected]
    (line,) = [line for line in gamut("score", folder, *weights)[1].splitlines() if line.startswith("m ")]
    assert line.split()[4] == "75.0"
    assert line.split()[-7:-4] == percent
    compared = csv_rows(gamut("compare", folder, *weights, "--show", "main", "--format", "csv")[1])[0]
    assert [float(compared["Gamut"])] + [compared[name] and float(compared[name]) for name in _TITLES] == [
        0.75,
        *("" if value is None else value for value in expected),
    ]
    if not weights:
        gamut("export", folder, "--scores", "-o", tmp_path / "s.parquet")
        (row,) = pl.read_parquet(tmp_path / "s.parquet").iter_rows(named=True)
        assert (row["gamut"], *(row["tiers"][name] for name in names)) == (0.75, *expected)
    gamut("report", folder, *weights, "-o", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    shown = [text_of(row).split() for row in re.findall(r"<tr\b.*?</tr>", page, re.DOTALL)]
    leaderboard = next(row for row in shown if row[0] == "m" and "75.0" in row)
    assert leaderboard[4] == "75.0"
    assert " ".join(percent) in " ".join(leaderboard)


_TITLES = ("Answer-Critical", "Valuable", "Context")


def test_one_item_s_error_is_its_own(made):
    # B27: the judge fails on the second of five questions only.
    questions = [question(f"q{place}") for place in range(5)]
    verdicts = {("m", f"q{place}"): [MEETS if place != 1 else None] for place in range(5)}
    folder = made(questions, ["m"], verdicts)
    found = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    assert {row["question_id"]: (row["complete"], row["gamut"]) for row in found["questions"]} == {
        "q0": (True, 1.0),
        "q1": (False, None),
        **{f"q{place}": (True, 1.0) for place in (2, 3, 4)},
    }
    verdicts = pl.read_parquet(folder / "verdicts.parquet")
    assert verdicts.filter(pl.col("error").is_not_null())["question_id"].to_list() == ["q1"]


# --- statistics ----------------------------------------------------------------------------------


def many(n, models, drawn, tiers=10):
    """Questions of ``tiers`` checks, and the verdicts by how many of them are met: ``drawn(model, place)``."""
    questions = [question(f"q{place:03}", ["valuable"] * tiers) for place in range(n)]
    verdicts = {
        (model, f"q{place:03}"): [MEETS] * drawn(model, place) + [MISSING] * (tiers - drawn(model, place))
        for model in models
        for place in range(n)
    }
    return questions, verdicts


def test_an_interval_is_of_the_mean_beside_it(made, gamut):
    # B31: two groups of 5 and 100 questions with very different means.
    rng = np.random.default_rng(0)
    met = [int(rng.integers(8, 11)) for _ in range(5)] + [int(rng.integers(0, 3)) for _ in range(100)]
    questions, verdicts = many(105, "m", lambda _, place: met[place])
    questions = [row | {"domain": "small" if place < 5 else "large"} for place, row in enumerate(questions)]
    folder = made(questions, "m", verdicts)
    (row,) = csv_rows(gamut("compare", folder, "--show", "main", "--format", "csv")[1])
    assert float(row["Gamut"]) == pytest.approx(np.mean(met) / 10)
    assert float(row["95% interval low"]) < np.mean(met) / 10 < float(row["95% interval high"]) < 0.25
    groups = _by_domain(gamut, folder)
    for name, own in (("small", met[:5]), ("large", met[5:])):
        assert groups[name]["estimate"] == pytest.approx(np.mean(own) / 10)
        assert groups[name]["low"] <= groups[name]["estimate"] <= groups[name]["high"]
        assert groups[name]["n_questions"] == len(own)


def _by_domain(gamut, folder):
    data = json.loads(gamut("compare", folder, "--by", "domain", "--format", "json")[1])["by"]
    return {row["group"]: row for breakdown in data["breakdowns"] for row in breakdown["scores"]}


def _main(gamut, folder):
    return json.loads(gamut("compare", folder, "--show", "main", "--format", "json")[1])["main"]["contests"][0]


@pytest.mark.parametrize(("grouped", "n_clusters"), [(False, 100), (True, 10)])
def test_questions_about_one_passage_are_one_cluster(made, gamut, grouped, n_clusters):
    # B33: 10 passages of 10 questions, scores alike within one: the error is that of 10 means, √10 times the naive one.
    met = np.random.default_rng(1).integers(0, 11, 10)
    questions, verdicts = many(100, "m", lambda _, place: int(met[place // 10]))
    if grouped:
        questions = [row | {"group": f"passage {place // 10}"} for place, row in enumerate(questions)]
    interval = _main(gamut, made(questions, "m", verdicts))["models"][0]["interval"]
    assert (interval["n_questions"], interval["n_clusters"]) == (100, n_clusters)
    assert interval["standard_error"] == pytest.approx(np.std(met / 10) / np.sqrt(n_clusters), rel=0.05)


def test_two_models_are_paired_by_question(made, gamut):
    # B35: the same 50 questions, b a little better on each, its rows in another order and three of them missing.
    rng = np.random.default_rng(4)
    met = rng.integers(0, 19, 50)
    lead = rng.integers(1, 3, 50)
    questions, verdicts = many(
        50, "ab", lambda model, place: int(met[place] + (lead[place] if model == "b" else 0)), 20
    )
    absent = {("b", name) for name in ("q007", "q011", "q042")}
    folder = made(rng.permutation(questions).tolist(), "ab", verdicts, absent)
    command = ("compare", folder, "--show", "pairs", "--allow-incomplete")
    (contest,) = json.loads(gamut(*command, "--format", "json")[1])["pairs"]["contests"]
    (pair,) = contest["pairs"]
    shared = [place for place in range(50) if f"q{place:03}" not in {name for _, name in absent}]
    assert (pair["one"], pair["other"], pair["n_shared"], pair["wins"]) == ("b", "a", 47, 47)
    assert pair["difference"]["estimate"] == pytest.approx(np.mean(lead[shared]) / 20)
    assert pair["difference"]["high"] - pair["difference"]["low"] < 0.02
    assert pair["p_holm"] < 0.001
    assert sorted(contest["left_out"]) == ["q007", "q011", "q042"]
    assert "left out: 3 (" in " ".join(gamut(*command)[1].split())
    data = json.loads(gamut("compare", folder, "--show", "main", "--allow-incomplete", "--format", "json")[1])
    alone = [model["interval"] for model in data["main"]["contests"][0]["models"]]
    assert all(interval["high"] - interval["low"] > 0.1 for interval in alone)


# --- report --------------------------------------------------------------------------------------

FORMULAS = ('=HYPERLINK("http://x.example")', "+1", "-2 degrees", "@x", "\t=1", '"quoted"\nand = on two lines')


def _hostile(name, text):
    answer = {"question_id": "q", "model": name, "variant": "text_only", "response": text}
    return answer, {key: answer[key] for key in ("question_id", "model", "variant")} | {"check_id": "c0", "judge": "j"}


@pytest.fixture
def hostile(tmp_path):
    """A run whose models, answers, quotes and reasons are formulas."""
    pairs = [_hostile(text.strip().replace("\n", " "), text) for text in FORMULAS]
    said = [row | {"verdict": MEETS, "quote": a["response"], "rationale": a["response"]} for a, row in pairs]
    file = tmp_path / "verdicts.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in said), encoding="utf-8")
    evaluate([question("q")], [answer for answer, _ in pairs], f"recorded:{file}", run=tmp_path / "run").close()
    return tmp_path / "run"


@pytest.mark.parametrize(("what", "columns"), [("responses", ["response"]), ("verdicts", ["quote", "rationale"])])
def test_no_cell_of_a_csv_file_is_a_formula(hostile, gamut, tmp_path, what, columns):
    # B83: in CSV an apostrophe stands in front, in Parquet the texts are as they were.
    for ending in ("csv", "parquet"):
        assert gamut("export", hostile, f"--{what}", "-o", tmp_path / f"x.{ending}")[0] == 0
    written = csv_rows((tmp_path / "x.csv").read_bytes().decode())
    assert len(written) == len(FORMULAS)
    assert not [cell for row in written for cell in row.values() if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    exact = pl.read_parquet(tmp_path / "x.parquet")
    for column in columns:
        assert sorted(exact[column]) == sorted(FORMULAS)
        assert sorted(row[column].removeprefix("'") for row in written) == sorted(FORMULAS)


@pytest.mark.parametrize("table", ["main", "pairs"])
def test_no_model_s_name_is_a_formula_in_a_compared_csv(hostile, gamut, table):
    written = csv_rows(gamut("compare", hostile, "--show", table, "--format", "csv")[1])
    assert len(written) == (6 if table == "main" else 15)
    names = {row[column] for row in written for column in ("Model", "Less") if column in row}
    assert {"'+1", "'@x"} <= names
    assert not [name for name in names if name.startswith(("=", "+", "-", "@"))]


MARKUP = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![](http://remote.example/p.png)",
    "</textarea>",
)


def test_what_a_model_says_is_text_on_the_page(tmp_path, gamut):
    # B84: in answer, quote, reason and the model's name; tests/reports/html/test_page.py has evidence and ids.
    pairs = [_hostile(text, f"Before {text} after.") for text in MARKUP]
    said = [row | {"verdict": MEETS, "quote": a["response"], "rationale": a["response"]} for a, row in pairs]
    file = tmp_path / "verdicts.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in said), encoding="utf-8")
    evaluate([question("q")], [answer for answer, _ in pairs], f"recorded:{file}", run=tmp_path / "run").close()
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert page.count("Before ") >= len(MARKUP)
    assert "alert(1)</script>" not in page
    assert "<img src=x" not in page
    assert "</textarea>" not in page
    assert not re.search(r"(?:href|src)=[\"']?(?:javascript:|http://remote)", page)
    assert "url(http" not in page
