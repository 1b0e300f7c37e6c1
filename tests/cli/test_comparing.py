import contextlib
import csv
import io
import json
import sqlite3

import pytest

from gamut_eval.api import evaluate
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.reports.table_kind import REGISTRY

MEETS, PARTIAL, MISSING, CONTRADICTS = "meets", "partially_meets", "missing", "contradicts"
SAID = {"a": (MEETS, MEETS, PARTIAL, MEETS), "b": (MISSING, PARTIAL, MISSING, CONTRADICTS)}
FEW = ("--replicates", "200")


def question(name, domain="food", text="The herb is right.", tier="answer_critical"):
    items = [{"id": "herb", "type": "simple", "tier": tier, "statement": text}]
    return {"id": name, "domain": domain, "question": f"What is in {name}?", "rubric": {"items": items}}


QUESTIONS = [question(f"q{n}", "food" if n % 2 else "art") for n in range(4)]


@pytest.fixture
def made(tmp_path):
    """Makes a run folder from {model: verdicts on the questions, None for an error}, by one judge or more."""

    def make(name="run", said=SAID, *, judges=("ann",), benchmark=QUESTIONS, manifest=None, answer="Basil", **options):
        units = [
            {"question_id": q["id"], "model": model, "variant": "text_only"} | {"said": verdict}
            for model, verdicts in said.items()
            for q, verdict in zip(benchmark, verdicts, strict=True)
        ]
        answers = [{k: v for k, v in unit.items() if k != "said"} | {"response": answer} for unit in units]
        rows = [
            {k: v for k, v in unit.items() if k != "said"}
            | {"check_id": "herb", "judge": judge}
            | ({"verdict": unit["said"]} if unit["said"] else {"error": "30 s"})
            for unit in units
            for judge in judges
        ]
        folder = tmp_path / f"bench-{name.replace('/', '-')}"
        folder.mkdir()
        (folder / "q.jsonl").write_text("".join(json.dumps(q) + "\n" for q in benchmark), encoding="utf-8")
        (folder / "benchmark.yaml").write_text(f"name: b\nversion: '1'\nquestions: q.jsonl\n{manifest or ''}")
        (folder / "v.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        run = tmp_path / name
        evaluate(load_benchmark(folder), answers, f"recorded:{folder / 'v.jsonl'}", run=run, **options).close()
        return str(run)

    return make


@pytest.fixture
def compared(gamut):
    """The exit code and the parsed JSON of `gamut compare`."""

    def compare(*arguments):
        code, out, _ = gamut("compare", *arguments, *FEW, "--format", "json")
        return code, json.loads(out)

    return compare


def own(data):
    """Own rows of the table `paper` by model and judge: the text-only score."""
    return {(row["model"], row["judge"]): row["text_only"] for row in data["paper"]["own"]}


# --- one run, several runs -----------------------------------------------------------------------


def test_of_several_runs_the_one_that_is_too_new_is_named(made, gamut):
    folders = [made("first"), made("second")]
    with contextlib.closing(sqlite3.connect(f"{folders[1]}/run.sqlite")) as db:
        db.execute("PRAGMA user_version = 99")
    code, out, err = gamut("compare", *folders)
    assert (code, out, f"{folders[1]}/run.sqlite is of version 99" in err) == (2, "", True)


def test_what_the_json_form_holds(made, compared):
    folder = made()
    code, data = compared(folder, "--show", "paper", "--seed", "7", "--level", "90", "--method", "percentile")
    assert code == 0
    assert list(data) == ["benchmark", "scoring", "composite", "runs", "notes", "inference", "paper"]
    assert data["inference"] == {"level": 0.9, "method": "percentile", "replicates": 200, "seed": 7}
    assert (data["benchmark"]["name"], data["benchmark"]["version"], data["notes"]) == ("b", "1", [])
    assert data["scoring"]["missing_tier"] == "proportional"
    (run,) = data["runs"]
    assert (run["name"], run["folder"], run["flat"]) == ("run", folder, False)
    assert run["scoring"] == data["scoring"]
    assert own(data) == {("a", "ann"): 3.5 / 4, ("b", "ann"): (0.5 - 1) / 4}


def test_unasked_come_the_tables_that_say_so(made, compared):
    code, data = compared(made(judges=("ann", "ben")))
    unasked = {name for name in REGISTRY.names() if REGISTRY.get(name).unasked}
    shown = {name for name in REGISTRY.names() if name in data}
    assert (code, shown <= unasked, "main" in shown) == (0, True, True)


def test_several_runs_are_one_comparison(made, compared):
    first, second = made("first", {"a": SAID["a"]}), made("second", {"b": SAID["b"]})
    code, data = compared(first, second, "--show", "paper")
    assert (code, own(data)) == (0, {("a", "ann"): 0.875, ("b", "ann"): -0.125})
    assert [run["name"] for run in data["runs"]] == ["first", "second"]


def test_runs_in_folders_of_one_name_are_told_apart_by_their_paths(made, compared):
    first, second = made("x/run", {"a": SAID["a"]}), made("y/run", {"b": SAID["b"]})
    _, data = compared(first, second, "--show", "paper")
    assert [run["name"] for run in data["runs"]] == ["x/run", "y/run"]


def test_what_is_left_out_is_said_in_every_format(made, gamut):
    changed = [*QUESTIONS[:3], question("q3", text="Another herb is right.")]
    runs = (made("first", {"a": SAID["a"]}), made("second", {"b": SAID["b"]}, benchmark=changed))
    told = "or checks differ"
    for form in ("table", "json", "markdown", "latex"):
        code, out, err = gamut("compare", *runs, "--show", "paper", *FEW, "--format", form)
        assert (code, told in out, told in err) == (0, True, form != "table")
    code, out, err = gamut("compare", *runs, "--show", "paper", *FEW, "--format", "csv")
    assert (code, told in out, told in err) == (0, False, True)


def test_all_runs_are_scored_with_the_first_one_s_constants(made, compared, gamut):
    first = made("first", {"a": SAID["a"]}, manifest="scoring: {lambda: 0.25}")
    second = made("second", {"b": SAID["b"]})
    _, data = compared(first, second, "--show", "paper")
    assert own(data) == {("a", "ann"): 3.25 / 4, ("b", "ann"): (0.25 - 1) / 4}
    assert data["scoring"]["lambda"] == 0.25
    assert [run["scoring"]["lambda"] for run in data["runs"]] == [0.25, 0.5]
    (note,) = [note for note in data["notes"] if "constants differ" in note]
    assert "λ 0.25" in note
    assert "second: λ 0.5" in note
    _, out, err = gamut("compare", second, first, "--show", "paper", *FEW, "--lambda", "1", "--format", "csv")
    assert "All runs are scored with λ 1" in err
    assert float(next(row for row in csv.DictReader(io.StringIO(out)) if row["Model"] == "a")["Gamut, text only"]) == 1


def test_constants_of_one_s_own_are_said_on_stderr(made, gamut):
    _, _, err = gamut("compare", made(), "--show", "paper", *FEW, "--mu", "-1")
    assert "Scored with λ 0.5, μ -1" in err


def test_runs_that_took_coverage_verdicts_in_different_ways_are_refused(made, gamut):
    runs = (made("first", {"a": SAID["a"]}), made("second", {"b": SAID["b"]}, composite="derive"))
    code, out, err = gamut("compare", *runs)
    assert (code, out) == (2, "")
    assert "'derive'" in err
    assert "--composite" in err


# --- what is shown -------------------------------------------------------------------------------


def test_judge_and_variant_narrow_what_is_compared(made, compared):
    folder = made(judges=("ann", "ben"))
    _, data = compared(folder, "--show", "paper", "--judge", "ben", "--variant", "text_only")
    assert {judge for _, judge in own(data)} == {"ben"}
    _, data = compared(folder, "--show", "paper", "--judge", "ben", "--judge", "panel")
    assert {judge for _, judge in own(data)} == {"ben", "panel"}
    _, data = compared(folder, "--show", "judges")
    assert data["judges"] is not None


def test_only_these_models_are_compared_and_tested_together(made, compared):
    more = {"c": (MEETS, MEETS, None, MEETS), "d": (PARTIAL, MEETS, MEETS, MISSING)}
    folder, chosen = made(said=SAID | more), ("--model", "a", "--model", "b")
    code, data = compared(folder, "--show", "paper", "--show", "pairs", *chosen)
    assert (code, own(data)) == (0, {("a", "ann"): 0.875, ("b", "ann"): -0.125})  # c, which is incomplete, is not there
    (contest,) = data["pairs"]["contests"]
    assert [(pair["one"], pair["other"]) for pair in contest["pairs"]] == [("a", "b")]
    code, data = compared(folder, "--show", "main", "--allow-incomplete", "--model", "a", "--model", "d")
    (contest,) = data["main"]["contests"]
    assert {model["n_questions"] for model in contest["models"]} == {4}  # with c they would be three


def test_a_model_that_is_not_there_is_told_from_one_that_a_choice_leaves_out(made, gamut, tmp_path):
    folder = made(said={"ann/big": SAID["a"], "ann/small": SAID["b"]})
    code, out, err = gamut("compare", folder, "--model", "ann/smal")
    assert (code, out) == (2, "")
    assert "unknown model 'ann/smal'" in err
    assert "did you mean 'ann/small'" in err
    picture = {"image": {"package": "p", "path": "a.png", "sha256": f"{1:064}"}}
    answers = [
        {"question_id": "q0", "model": model, "variant": variant, "response": "Basil"}
        for model, variant in (("a", "image"), ("b", "text_only"))
    ]
    evaluate([QUESTIONS[0] | picture | {"text_only": "What is in q0?"}], answers, run=tmp_path / "apart").close()
    code, out, err = gamut("compare", str(tmp_path / "apart"), "--model", "b", "--variant", "image")
    assert (code, out) == (2, "")
    assert "nothing is left" in err


def test_power_is_of_the_models_chosen(made, gamut):
    folder = made(said=SAID | {"c": (MEETS, MISSING, MEETS, MEETS)})
    code, out, _ = gamut("power", folder, "--half-width", "5", "--format", "json", "--model", "a", "--model", "b")
    (contest,) = json.loads(out)["contests"]
    assert (code, [plan["model"] for plan in contest["models"]]) == (0, ["a", "b"])


@pytest.mark.parametrize(
    ("table", "takes"), [("variants", "a model with a score in both variants"), ("judges", "two judges")]
)
def test_what_was_asked_for_and_has_nothing_is_said_and_null(made, gamut, table, takes):
    code, out, err = gamut("compare", made(), "--show", table, "--format", "json", *FEW)
    assert (code, json.loads(out)[table]) == (0, None)
    assert f"{table}: nothing to show; it takes {takes}" in err


def test_while_a_question_is_incomplete_the_exit_code_is_1(made, gamut, compared):
    folder = made(said=SAID | {"b": (MISSING, None, MISSING, MEETS)})
    code, data = compared(folder, "--show", "paper")
    assert (code, own(data)) == (1, {("a", "ann"): 0.875, ("b", "ann"): None})
    _, _, err = gamut("compare", folder, *FEW)
    assert "1 of 4 questions are incomplete: b" in err
    code, data = compared(folder, "--show", "paper", "--allow-incomplete")
    assert (code, own(data)) == (0, {("a", "ann"): 2.5 / 3, ("b", "ann"): 1 / 3})


def test_a_run_without_an_answer(made, gamut, tmp_path):
    folder = made()
    with sqlite3.connect(f"{folder}/run.sqlite") as db:
        for table in ("asked", "responses", "verdict_log"):
            db.execute(f"DELETE FROM {table}")
    db.close()
    for command in (["compare"], ["power"]):
        code, out, err = gamut(*command, folder)
        assert (code, out) == (1, "")
        assert "no answer and no verdict yet" in err


# --- formats and files ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "begins"),
    [("x.json", b"{\n"), ("x.csv", b"Model,"), ("x.md", b"**"), ("x.tex", b"% Needs"), ("x.txt", b"The paper")],
)
def test_the_ending_says_the_format(made, gamut, tmp_path, name, begins):
    target = tmp_path / "new" / name
    code, out, err = gamut("compare", made(), "--show", "paper", *FEW, "-o", str(target))
    assert (code, out) == (0, "")
    assert str(target) in err
    assert target.read_bytes().startswith(begins)


def test_a_dash_is_standard_output(made, gamut):
    code, out, err = gamut("compare", made(), "--show", "paper", "--format", "csv", *FEW, "-o", "-")
    assert (code, err) == (0, "")
    assert out.startswith("Model,From,Judge,Gamut,")


def test_several_tables_as_csv_go_into_a_folder(made, gamut, tmp_path):
    folder = made(judges=("ann", "ben"))
    code, out, err = gamut("compare", folder, "--format", "csv", *FEW)
    assert (code, out) == (2, "")
    assert "CSV holds one table" in err
    assert "main" in err
    code, *_ = gamut("compare", folder, "--format", "csv", *FEW, "-o", str(tmp_path / "tables"))
    names = {path.name for path in (tmp_path / "tables").iterdir()}
    assert code == 0
    assert "main.csv" in names
    assert len(names) > 1
    text = (tmp_path / "tables" / "main.csv").read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == 2 * 4
    assert {row["Of"] for row in rows if row["Model"] == "a"} == {
        f"text only, judged by {judge}" for judge in ("ann", "ben", "panel", "consensus")
    }


def test_wide_tables_for_a_paper(made, gamut):
    _, narrow, _ = gamut("compare", made(), "--show", "main", "--format", "latex", *FEW)
    _, wide, _ = gamut("compare", made("again"), "--show", "main", "--format", "latex", "--wide", *FEW)
    assert "interval &" not in narrow
    assert "interval &" in wide
    assert r"\cmidrule" in narrow
    assert r"a & \textbf{87.5} &" in narrow


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("table", "\n=1+1|<img src=x>␛[2J\\input{x} @me "),
        ("json", r'"=1+1|<img src=x>\u001b[2J\\input{x} @me"'),
        ("csv", ",'=1+1|<img src=x>␛[2J\\input{x} @me,"),
        ("markdown", "\n| =1+1\\|&lt;img src=x&gt;␛\\[2J\\\\input{x} @\u2060me |"),
        (
            "latex",
            "\n=1+1\\textbar{}\\textless{}img src=x\\textgreater{}\\gamutchar{9243}{241B}{[}2J\\textbackslash{}input",
        ),
    ],
)
def test_hostile_names_reach_no_format_as_more_than_names(made, gamut, form, shown):
    name = "=1+1|<img src=x>\x1b[2J\\input{x} @me"
    folder = made(said={name: SAID["a"], "b": SAID["b"]}, judges=("<script>",))
    code, out, err = gamut("compare", folder, "--show", "main", "--format", form, *FEW)
    assert code == 0
    assert shown in out
    assert "\x1b" not in out + err
    assert ("<img" in out, r"\input{x}" in out) == {
        "table": (True, True),
        "json": (True, True),
        "csv": (True, True),
        "markdown": (False, True),
        "latex": (False, False),
    }[form]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--show", "mian"], "did you mean 'main'"),
        (["--by", "domian"], "did you mean 'domain'"),
        (["--judge", "amn"], "did you mean 'ann'"),
        (["--variant", "image"], "there is text_only"),
        (["--variant", "text"], "--variant"),
        (["--level", "0"], "--level is 0"),
        (["--level", "100"], "--level is 100"),
        (["--level", "0.95"], "in percent"),
        (["--level", "nan"], "--level"),
        (["--replicates", "0"], "replicates is 0"),
        (["--replicates", "999999999999"], "from 100 to 1,000,000"),
        (["--seed", "-1"], "seed is -1"),
        (["--seed", str(2**70)], "2^63"),
        (["--method", "bca"], "--method"),
        (["--words", "0"], "words is 0"),
        (["--words", "1" + 23 * "0"], "it is a whole number of words, from 1 to 1,000,000"),
        (["--most", "0"], "most is 0"),
        (["--most", str(10**22)], "from 1 to 1,000,000"),
        (["--mu", "1"], "--mu"),
        (["--weights", "answer_critical=0,valuable=1,context=1"], "'q0'"),
        (["--format", "pdf"], "--format"),
        (["--wide"], "--format latex"),
        (["-o", "x.pdf"], "x.pdf"),
        (["-o", "x"], "--format"),
    ],
)
def test_a_wrong_option_is_refused_by_name_with_nothing_on_stdout(made, gamut, options, words):
    code, out, err = gamut("compare", made(), *options)
    assert (code, out) == (2, "")
    assert words in err


def test_no_run_at_all(gamut, tmp_path):
    assert gamut("compare")[0] == 2
    for place in (tmp_path, tmp_path / "absent"):
        code, out, err = gamut("compare", str(place))
        assert (code, out) == (2, "")
        assert str(place) in err


def test_the_same_run_twice(made, gamut, tmp_path):
    folder = made()
    (tmp_path / "link").symlink_to(folder)
    for again in (folder, f"{folder}/", str(tmp_path / "link")):
        code, out, err = gamut("compare", folder, again)
        assert (code, out) == (2, "")
        assert "is given twice" in err


def test_a_benchmark_or_a_file_in_place_of_a_run(made, gamut, tmp_path):
    folder = made()
    for other in (tmp_path / "bench-run", tmp_path / "bench-run" / "q.jsonl"):
        code, out, err = gamut("compare", folder, str(other))
        assert (code, out) == (2, "")
        assert f"{other} is a benchmark, not a run" in err
    code, _, err = gamut("compare", f"{folder}/run.sqlite")
    assert (code, "a run is a folder" in err) == (2, True)


def test_runs_that_share_no_question(made, gamut):
    others = [question(f"other-{n}") for n in range(4)]
    code, out, err = gamut("compare", made("first"), made("second", benchmark=others))
    assert (code, out) == (2, "")
    assert "share no question" in err


@pytest.mark.parametrize("name", ["run.sqlite", "manifest.json", "report.html"])
def test_a_run_s_own_files_are_not_overwritten(made, gamut, tmp_path, name):
    folder = made()
    before = (tmp_path / "run" / name).read_bytes()
    code, _, err = gamut("compare", folder, "--format", "json", "-o", f"{folder}/{name}")
    assert (code, (tmp_path / "run" / name).read_bytes()) == (2, before)
    assert name in err


@pytest.mark.parametrize("command", [("compare", "--format", "json"), ("report",), ("gaps", "--format", "json")])
def test_what_a_run_that_goes_on_has_committed_is_not_overwritten(made, gamut, tmp_path, command):
    folder = made()
    with contextlib.closing(sqlite3.connect(f"{folder}/run.sqlite")) as writer:
        writer.execute("CREATE TABLE committed (n)")
        name, *options = command
        for ending in ("-wal", "-shm"):
            code, _, err = gamut(name, folder, *options, "-o", f"{folder}/run.sqlite{ending}")
            assert (code, "belongs to the run" in err) == (2, True)
        with contextlib.closing(sqlite3.connect(f"{folder}/run.sqlite")) as reader:
            assert reader.execute("SELECT count(*) FROM committed").fetchone() == (0,)


# --- reports of several runs, and the paper's figures --------------------------------------------


def test_a_report_of_several_runs_says_what_it_is_of(made, gamut, tmp_path):
    changed = [*QUESTIONS[:3], question("q3", text="Another herb is right.")]
    runs = (made("first", {"a": SAID["a"]}), made("second", {"b": SAID["b"]}, benchmark=changed))
    code, out, err = gamut("report", *runs)
    assert (code, out) == (2, "")
    assert "-o" in err
    code, _, err = gamut("report", *runs, "-o", str(tmp_path / "both.html"))
    page = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert code == 0
    assert "or checks differ" in err
    assert "q0" in page
    assert "Beside the paper" not in page


def test_the_paper_s_results_stand_beside_one_s_own_with_the_warning(made, gamut, tmp_path):
    code, *_ = gamut("report", made(), "--paper", "-o", str(tmp_path / "r.html"))
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert code == 0
    assert "only when the official checks, judge model and judge prompt are used" in page
    assert "Llama 3.2 11B" in page


def test_a_report_shows_only_questions_that_there_are(made, gamut):
    code, out, err = gamut("report", made(), "--question", "q9")
    assert (code, out) == (2, "")
    assert "unknown question 'q9'" in err
