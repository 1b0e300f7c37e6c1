import json
import re
import sqlite3

import pytest

from gamut_eval.api import evaluate
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.cli.main import run as run_command

MEETS, PARTIAL, MISSING, CONTRADICTS = "meets", "partially_meets", "missing", "contradicts"
ANN = {"q1": {"herb": MEETS, "nuts": PARTIAL}, "q2": {"colour": MISSING}}


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def item(name, tier):
    return {"id": name, "type": "simple", "tier": tier, "statement": f"The {name} is right."}


BENCHMARK = [
    {"id": "q1", "domain": "food", "question": "What is in pesto?"}
    | {"rubric": {"items": [item("herb", "answer_critical"), item("nuts", "valuable")]}},
    {"id": "q2", "domain": "food", "question": "What colour is it?"}
    | {"rubric": {"items": [item("colour", "answer_critical")]}},
]


@pytest.fixture
def made(tmp_path):
    """Makes a run folder from {judge: {question: {check: verdict, or None for an error}}}."""

    def make(judges, *, benchmark=BENCHMARK, answered=None, name="run", **options):
        unit = {"model": "m", "variant": "text_only"}
        rows = [
            unit
            | {"question_id": q, "check_id": check, "judge": judge}
            | ({"verdict": verdict} if verdict else {"error": "30 s"})
            for judge, said in judges.items()
            for q, verdicts in said.items()
            for check, verdict in verdicts.items()
        ]
        questions = load_benchmark(write_rows(tmp_path / "bench.jsonl", benchmark))
        answers = [
            unit | {"question_id": q["id"], "response": "Basil."} for q in benchmark if q["id"] in (answered or q["id"])
        ]
        verdicts = write_rows(tmp_path / "verdicts.jsonl", rows)
        evaluate(questions, answers, f"recorded:{verdicts}", run=tmp_path / name, **options).close()
        return str(tmp_path / name)

    return make


@pytest.fixture
def gamut(capsys):
    """Runs the command in this process: exit code, standard output, standard error."""

    def run(*arguments):
        code = run_command(list(arguments))
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return run


@pytest.fixture
def scored(gamut):
    """The exit code and the parsed JSON of `gamut score`, numbers to 12 digits."""

    def score(*arguments):
        code, out, _ = gamut("score", *arguments, "--format", "json")
        return code, json.loads(out, parse_float=lambda text: round(float(text), 12))

    return score


def rows(data):
    return {row["judge"]: row for row in data["scores"]}


# --- the JSON form -------------------------------------------------------------------------------


def test_the_json_form_of_scores(made, scored):
    code, data = scored(made({"ann": ANN}))
    assert code == 0
    assert re.fullmatch("[0-9a-f]{64}", data["benchmark"].pop("hash"))
    q1, third = round(0.75 / 0.9, 12), round(1 / 3, 12)
    mean = round(0.75 / 0.9 / 2, 12)
    no_context = {"answer_critical": 0.5, "valuable": 0.5, "context": None}
    assert data == {
        "benchmark": {"name": "bench", "version": None},
        "scoring": {
            "lambda": 0.5,
            "mu": -2.0,
            "weights": {"answer_critical": 0.6, "valuable": 0.3, "context": 0.1},
            "missing_tier": "proportional",
        },
        "composite": "ask",
        "scores": [
            {
                "model": "m",
                "variant": "text_only",
                "judge": "ann",
                "n_questions": 2,
                "n_incomplete": 0,
                "gamut": mean,
                "bounds": [mean, mean],
                "tiers": no_context,
                "verdicts": {MEETS: third, PARTIAL: third, MISSING: third, CONTRADICTS: 0.0},
            }
        ],
        "questions": [
            {
                "question_id": "q1",
                "model": "m",
                "variant": "text_only",
                "judge": "ann",
                "gamut": q1,
                "tiers": no_context | {"answer_critical": 1.0},
                "complete": True,
                "bounds": [q1, q1],
            },
            {
                "question_id": "q2",
                "model": "m",
                "variant": "text_only",
                "judge": "ann",
                "gamut": 0.0,
                "tiers": {"answer_critical": 0.0, "valuable": None, "context": None},
                "complete": True,
                "bounds": [0.0, 0.0],
            },
        ],
    }


def test_scores_json_in_the_folder_is_what_the_command_prints(made, gamut):
    folder = made({"ann": ANN, "ben": {"q1": {"herb": MEETS}}})
    code, out, _ = gamut("score", folder, "--format", "json")
    with open(f"{folder}/scores.json", encoding="utf-8") as file:
        assert (code, out) == (1, file.read())


def test_while_a_question_is_incomplete_there_is_no_headline_and_the_exit_code_is_1(made, gamut):
    folder = made({"ann": ANN | {"q1": {"herb": MEETS, "nuts": None}}})
    code, out, err = gamut("score", folder, "--format", "json")
    data = json.loads(out)
    (row,) = data["scores"]
    assert code == 1
    assert "1 of 2 questions are incomplete" in err
    assert "--allow-incomplete" in err
    assert (row["gamut"], row["n_questions"], row["n_incomplete"]) == (None, 1, 1)
    assert row["bounds"] == pytest.approx([(0.3 / 0.9) / 2, 0.5])
    assert row["tiers"] == {"answer_critical": None, "valuable": None, "context": None}
    assert row["verdicts"] == dict.fromkeys((MEETS, PARTIAL, MISSING, CONTRADICTS))
    assert [(q["gamut"], q["complete"]) for q in data["questions"]] == [(None, False), (0.0, True)]


def test_allowing_incomplete_ones_gives_the_mean_over_the_complete_and_says_over_how_many(made, scored):
    code, data = scored(made({"ann": ANN | {"q2": {"colour": None}}}), "--allow-incomplete")
    (row,) = data["scores"]
    assert (code, row["gamut"], row["n_questions"], row["n_incomplete"]) == (0, round(0.75 / 0.9, 12), 1, 1)


def test_a_question_without_a_response_is_incomplete_unless_it_was_left_out_on_purpose(made, scored):
    folder = made({"ann": {"q1": ANN["q1"]}}, answered=["q1"])
    code, data = scored(folder)
    assert (code, data["scores"][0]["n_incomplete"]) == (1, 1)
    code, data = scored(folder, "--subset")
    assert (code, data["scores"][0]["n_incomplete"], data["scores"][0]["n_questions"]) == (0, 0, 1)


def test_coverage_stands_beside_the_bounds_and_beside_the_mean_in_the_table(made, gamut):
    benchmark = [
        q | {"id": f"q{n}", "rubric": {"items": [item("a", "answer_critical")]}}
        for n in range(10)
        for q in BENCHMARK[:1]
    ]
    folder = made({"ann": {f"q{n}": {"a": MEETS if n < 5 else None} for n in range(10)}}, benchmark=benchmark)
    code, out, _ = gamut("score", folder)
    assert code == 1
    assert "5 of 10 complete" in out
    code, out, _ = gamut("score", folder, "--allow-incomplete")
    assert "5 of 10 complete" in out
    assert "100.0" in out


def test_several_judges_have_rows_of_their_own_then_panel_and_consensus(made, scored):
    ben = {"q1": {"herb": MEETS, "nuts": MEETS}, "q2": {"colour": MISSING}}
    code, data = scored(made({"ann": ANN, "ben": ben}))
    found = {judge: (row["gamut"], row["n_incomplete"]) for judge, row in rows(data).items()}
    ann_mean = 0.75 / 0.9 / 2
    assert list(found) == ["ann", "ben", "panel", "consensus"]
    assert found["ann"] == (round(ann_mean, 12), 0)
    assert found["ben"] == (0.5, 0)
    assert found["panel"] == (round((ann_mean + 0.5) / 2, 12), 0)
    assert found["consensus"] == (None, 1)  # they differ on the nuts
    assert code == 0


def test_derived_coverage_is_scored_from_its_parts(made, scored):
    pool = {"id": "pool", "type": "flexible_list", "tier": "answer_critical", "topic": "pastas", "min_coverage": 2}
    benchmark = [BENCHMARK[0] | {"rubric": {"items": [pool | {"options": ["trofie", "trenette", "gnocchi"]}]}}]
    said = {"q1": {"pool/trofie": MEETS, "pool/trenette": MISSING, "pool/gnocchi": MISSING}}
    code, data = scored(made({"ann": said}, benchmark=benchmark, composite="derive"))
    assert (code, data["composite"]) == (0, "derive")
    assert data["questions"][0]["tiers"] == {"answer_critical": 0.5, "valuable": round(1 / 3, 12), "context": None}


# --- scoring constants ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "gamut_of_q1"),
    [
        (["--lambda", "1"], 1.0),
        (["--lambda", "0"], 0.6 / 0.9),
        (["--weights", "answer_critical=1,valuable=3,context=0"], (1 + 1.5) / 4),
        (["--weights", "valuable=0"], 1.0),
        (["--weights", " answer_critical = 1 , valuable = 1 "], 0.75),
    ],
)
def test_other_constants_change_the_scores_and_are_named_in_the_output(made, scored, options, gamut_of_q1):
    _, data = scored(made({"ann": ANN}), *options)
    assert data["questions"][0]["gamut"] == pytest.approx(gamut_of_q1)
    assert data["scoring"] != {"lambda": 0.5, "mu": -2.0}
    name, value = options
    if name == "--lambda":
        assert data["scoring"]["lambda"] == float(value)


def test_mu_changes_what_a_contradiction_costs(made, scored):
    folder = made({"ann": ANN | {"q1": {"herb": MEETS, "nuts": CONTRADICTS}}})
    for mu, nuts in (("-0.5", -1.0), ("-4", -1.0)):
        _, data = scored(folder, "--mu", mu)
        assert data["questions"][0]["tiers"]["valuable"] == nuts
        assert data["scoring"]["mu"] == float(mu)


def test_weights_that_are_not_given_stay_as_the_benchmark_has_them(made, scored, tmp_path):
    folder = tmp_path / "bench"
    (folder / "questions").mkdir(parents=True)
    (folder / "benchmark.yaml").write_text(
        "name: b\nquestions: q.jsonl\nscoring: {weights: {answer_critical: 5, valuable: 2, context: 1}}\n"
    )
    write_rows(folder / "q.jsonl", BENCHMARK)
    answers = [{"question_id": q["id"], "model": "m", "variant": "text_only", "response": ""} for q in BENCHMARK]
    verdict = {
        "question_id": "q1",
        "model": "m",
        "variant": "text_only",
        "check_id": "herb",
        "judge": "ann",
        "verdict": MEETS,
    }
    verdicts = write_rows(tmp_path / "v.jsonl", [verdict])
    evaluate(folder, answers, f"recorded:{verdicts}", run=tmp_path / "run").close()
    _, data = scored(str(tmp_path / "run"), "--weights", "valuable=3")
    assert data["scoring"]["weights"] == {"answer_critical": 5.0, "valuable": 3.0, "context": 1.0}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--lambda", "1.5"], "--lambda"),
        (["--lambda", "-0.1"], "--lambda"),
        (["--lambda", "nan"], "--lambda"),
        (["--lambda", "half"], "--lambda"),
        (["--mu", "-0.4"], "--mu"),
        (["--mu", "2"], "--mu"),
        (["--mu", "nan"], "--mu"),
        (["--mu", "-inf"], "--mu"),
        (["--weights", "answer_critical=0,valuable=0,context=0"], "--weights"),
        (["--weights", "valuable=-1"], "--weights.valuable"),
        (["--weights", "valuable=inf"], "--weights.valuable"),
        (["--weights", "valuable"], "--weights"),
        (["--weights", "valuable=much"], "'much'"),
        (["--weights", "valuble=1"], "did you mean 'valuable'"),
        (["--weights", ""], "--weights"),
        (["--format", "xml"], "--format"),
        (["--lambada", "1"], "--lambda"),
    ],
)
def test_a_wrong_option_is_refused_by_name_with_nothing_on_stdout(made, gamut, options, words):
    code, out, err = gamut("score", made({"ann": ANN}), *options)
    assert (code, out) == (2, "")
    assert words in err


def test_weights_that_leave_a_question_without_a_score_are_refused_naming_it(made, gamut):
    code, out, err = gamut("score", made({"ann": ANN}), "--weights", "answer_critical=0,valuable=1,context=0")
    assert (code, out) == (2, "")
    assert "'q2'" in err


# --- folders -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["score", "report"])
def test_what_holds_no_run_is_refused_by_name(gamut, tmp_path, command):
    for folder in (tmp_path, tmp_path / "absent"):
        code, out, err = gamut(command, str(folder))
        assert (code, out) == (2, "")
        assert str(folder) in err


@pytest.mark.parametrize("command", ["score", "report"])
def test_a_newer_journal_is_refused(made, gamut, command):
    folder = made({"ann": ANN})
    with sqlite3.connect(f"{folder}/run.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    code, out, err = gamut(command, folder)
    assert (code, out) == (2, "")
    assert "version 99" in err


def test_scoring_changes_nothing_in_the_folder(made, gamut, tmp_path):
    folder = made({"ann": ANN})
    names = ("run.sqlite", "scores.json", "verdicts.parquet", "report.html", "manifest.json")
    before = [(tmp_path / "run" / name).read_bytes() for name in names]
    gamut("score", folder, "--mu", "-1")
    assert [(tmp_path / "run" / name).read_bytes() for name in names] == before


def test_the_report_goes_to_stdout_alone_where_that_is_asked(made, gamut):
    code, out, err = gamut("report", made({"ann": ANN}), "-o", "-")
    assert (code, err) == (0, "")
    assert out.lstrip().lower().startswith("<!doctype html")
    assert out.rstrip().lower().endswith("</html>")


def test_the_report_is_written_into_the_run_folder_or_where_it_is_asked_for(made, gamut, tmp_path):
    folder = made({"ann": ANN})
    (tmp_path / "run" / "report.html").unlink()
    for options, target in (
        ([], tmp_path / "run" / "report.html"),
        (["-o", str(tmp_path / "x" / "r.html")], tmp_path / "x" / "r.html"),
    ):
        code, out, err = gamut("report", folder, *options)
        assert code == 0
        assert str(target) in out + err
        assert target.stat().st_size > 1000


def test_an_incomplete_run_s_report_is_written_with_exit_code_1(made, gamut, tmp_path):
    code, _, err = gamut("report", made({"ann": ANN | {"q2": {"colour": None}}}), "-o", str(tmp_path / "r.html"))
    assert (code, (tmp_path / "r.html").exists()) == (1, True)
    assert "incomplete" in err


def test_a_report_on_some_judges_or_models_goes_where_it_is_told_not_over_the_whole_one(made, gamut, tmp_path):
    folder = made({"ann": ANN, "bob": ANN})
    whole = (tmp_path / "run" / "report.html").read_bytes()
    code, _, err = gamut("report", folder, "--judge", "bob")
    assert code == 2
    assert "with --judge, --model or --variant, say with -o where the report goes" in err
    assert (tmp_path / "run" / "report.html").read_bytes() == whole
    assert gamut("report", folder, "--judge", "bob", "-o", str(tmp_path / "bob.html"))[0] == 0
    page = (tmp_path / "bob.html").read_text(encoding="utf-8")
    assert "bob" in page
    assert "ann" not in re.findall(r"<bdi>(\w+)</bdi>", page)
    assert gamut("report", folder, "--model", "n", "-o", str(tmp_path / "n.html"))[0] == 2
