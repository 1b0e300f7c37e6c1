import json

import pytest

from gamut_eval.api import evaluate
from gamut_eval.stats.power import questions_needed, questions_to_tell, smallest_difference, spread

SAID = {
    "a": "meets meets meets meets meets meets meets missing",
    "b": "missing meets missing missing meets meets missing meets",
    "c": "missing missing meets missing missing meets missing missing",
}


@pytest.fixture
def ran(tmp_path):
    """Makes a run folder from {model: verdicts on the questions in order}; ``groups`` has one a question."""

    def make(said=SAID, groups=None, name="run"):
        n = max(len(words.split()) for words in said.values())
        rubric = {"items": [{"id": "herb", "type": "simple", "tier": "answer_critical", "statement": "It is basil."}]}
        questions = [
            {"id": f"q{k}", "domain": "food", "question": f"What is in {k}?", "rubric": rubric}
            | ({"group": groups[k]} if groups else {})
            for k in range(n)
        ]
        keys = [
            {"question_id": f"q{k}", "model": model, "variant": "text_only", "verdict": verdict}
            for model, words in said.items()
            for k, verdict in enumerate(words.split())
        ]
        rows = [
            key
            | {"check_id": "herb", "judge": "ann"}
            | ({"verdict": None, "error": "30 s"} if "error" in key.values() else {})
            for key in keys
        ]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        answers = [{k: v for k, v in key.items() if k != "verdict"} | {"response": "Basil."} for key in keys]
        evaluate(questions, answers, f"recorded:{path}", run=tmp_path / name).close()
        return str(tmp_path / name)

    return make


def scores(model):
    return [float(word == "meets") for word in SAID[model].split()]


def differences(one, other):
    return [x - y for x, y in zip(scores(one), scores(other), strict=True)]


# --- a run ---------------------------------------------------------------------------------------


def test_everything_about_a_run(ran, gamut):
    code, out, _ = gamut(
        "power", ran(), "--half-width", "10", "--difference", "20", "--level", "90", "--format", "json"
    )
    data = json.loads(out)
    (contest,) = data["contests"]
    a, b, c = contest["models"]
    gap, second = contest["neighbours"]
    told = (data["half_width"], data["difference"], data["power"], data["level"], contest["n_tests"])
    assert (code, told) == (0, (0.1, 0.2, 0.8, 0.9, 3))
    assert [model["model"] for model in (a, b, c)] == ["a", "b", "c"]
    assert (a["estimate"], a["n_questions"], a["n_clusters"], a["design_effect"]) == (0.875, 8, 8, 1.0)
    assert a["standard_deviation"] == pytest.approx(0.125**0.5)  # of seven 1 and a 0: √(7/8 · 1/8 · 8/7)
    assert a["n_for_half_width"] == questions_needed(0.1, a["standard_deviation"], level=0.9)
    assert (a["n_for_difference"], a["detects"]) == (None, None)
    assert (gap["model"], gap["other"], gap["estimate"]) == ("a", "b", 0.375)
    assert (second["model"], second["other"]) == ("b", "c")
    sd = spread(differences("a", "b")).standard_deviation
    assert gap["n_for_half_width"] == questions_needed(0.1, sd, level=0.9)
    assert gap["n_for_difference"] == questions_to_tell(0.2, sd, level=0.9, tests=3)
    assert gap["detects"] == smallest_difference(8, sd, level=0.9, tests=3)


def test_without_a_wish_it_says_what_the_questions_at_hand_find(ran, gamut):
    code, out, err = gamut("power", ran(), "--tests", "1")
    low, high = sorted(smallest_difference(8, spread(differences(*pair)).standard_deviation) for pair in ("ab", "bc"))
    assert code == 0
    assert "Neighbours in rank: text only, judged by ann. With 80% probability (p ≤ 0.05), the 8 questions at" in out
    told = f"find true differences of at least {low * 100:.1f} to {high * 100:.1f} points, depending on the pair."
    assert told in out.replace("\n", " ")
    assert "Scores:" not in out
    assert "--difference" in err


def test_each_table_begins_with_its_answer(ran, gamut):
    _, out, _ = gamut("power", ran(), "--half-width", "10", "--difference", "20")
    sds = {pair: spread(differences(*pair)).standard_deviation for pair in ("ab", "bc")}
    pair = max(sds, key=sds.get)
    to_know = questions_needed(0.1, spread(scores("b")).standard_deviation)
    apart = questions_to_tell(0.2, sds[pair], tests=3)
    width = questions_needed(0.1, sds[pair])
    models = f"Scores: text only, judged by ann. To know every score within ±10 points at 95%: {to_know} questions (b "
    named = f"{pair[0]} with {pair[1]}"
    told = f"of 20 points with 80% probability (p ≤ 0.05 among 3 pairs): {apart} questions ({named} needs most). "
    assert models in out.replace("\n", " ")
    assert f"To find a true difference {told}" in out.replace("\n", " ")
    assert f"To know every difference within ±10 points at 95%: {width} questions ({named} " in out.replace("\n", " ")
    assert "Each pair counts as one of 3 tested together" in out


def test_pairs_in_a_note_can_be_told_apart(ran, gamut):
    _, out, _ = gamut("power", ran(), "--half-width", "60")
    assert "would include 0: a with b; b with c." in out


def test_more_tests_take_more_questions(ran, gamut):
    folder = ran()

    def needs(*options):
        _, out, _ = gamut("power", folder, "--difference", "10", "--format", "json", *options)
        return json.loads(out)["contests"][0]["neighbours"][0]["n_for_difference"]

    assert needs() == needs("--tests", "3") > needs("--tests", "1") == needs("--model", "a", "--model", "b")
    assert needs("--power", "90") > needs()


def test_a_design_effect_below_1_counts_as_1_and_that_is_said(ran, gamut):
    """Each pair of questions holds one that is met and one that is missing, so that their means are all alike."""
    folder = ran({"a": "meets missing " * 4, "b": "missing " * 7 + "meets"}, groups=[f"g{k // 2}" for k in range(8)])
    _, out, _ = gamut("power", folder, "--half-width", "10", "--format", "json")
    a = json.loads(out)["contests"][0]["models"][0]
    assert (a["model"], a["n_clusters"], a["design_effect"]) == ("a", 4, 0)
    assert a["n_for_half_width"] == questions_needed(0.1, a["standard_deviation"], cluster_size=2)
    _, out, _ = gamut("power", folder, "--half-width", "10")
    assert "A design effect below 1 counts as 1: it is an estimate, here from 4 clusters." in out


def test_what_is_not_known_has_a_reason(ran, gamut):
    one = ran({"a": "meets", "b": "missing"}, name="one")
    same = ran({"a": "meets " * 4, "b": "missing " * 4}, name="same")
    few = ran({"a": "meets meets missing meets", "b": "missing missing missing meets"}, name="few")
    reasons = {one: "fewer than two questions", same: "every difference, is the same", few: "find no difference"}
    for folder, why in reasons.items():
        code, out, _ = gamut("power", folder)
        assert (code, why in out, "questions at hand find: n/a" in out) == (0, True, True)
    _, out, _ = gamut("power", same, "--half-width", "2", "--difference", "2", "--format", "json")
    (contest,) = json.loads(out)["contests"]
    for plan in contest["models"] + contest["neighbours"]:
        assert (plan["n_for_half_width"], plan["n_for_difference"], plan["detects"]) == (None, None, None)


def test_only_where_more_questions_help_it_is_said_how_many_to_ask_for(ran, gamut):
    one = ran({"a": "meets", "b": "missing"}, name="one")
    few = ran({"a": "meets meets missing meets", "b": "missing missing missing meets"}, name="few")
    assert ["--difference" in gamut("power", folder)[2] for folder in (one, few)] == [False, True]


@pytest.fixture
def undecided(tmp_path):
    """Two judges who never agree on the first question: no verdict has a majority there."""
    rubric = {"items": [{"id": "herb", "type": "simple", "tier": "answer_critical", "statement": "It is basil."}]}
    questions = [{"id": q, "domain": "food", "question": f"What is {q}?", "rubric": rubric} for q in ("q0", "q1", "q2")]
    keys = [{"question_id": q["id"], "model": m, "variant": "text_only"} for q in questions for m in "ab"]
    rows = [
        key | {"check_id": "herb", "judge": judge, "verdict": "meets" if meets else "missing"}
        for key in keys
        for judge in ("ann", "bob")
        for meets in [judge == "ann" if key["question_id"] == "q0" else key["model"] == "a"]
    ]
    path = tmp_path / "both.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    answers = [key | {"response": "Basil."} for key in keys]
    evaluate(questions, answers, f"recorded:{path}", run=tmp_path / "both").close()
    return str(tmp_path / "both")


def test_a_consensus_without_a_score_is_left_out_in_one_sentence(undecided, gamut):
    _, out, _ = gamut("power", undecided, "--half-width", "20")
    words = " ".join(out.split())
    assert "judged by panel" in words
    assert "judged by consensus" not in words
    assert words.count("consensus is left out: for every model there are checks on which no verdict has a majo") == 1
    _, out, _ = gamut("power", undecided, "--format", "json")
    contests = {contest["judge"]: contest for contest in json.loads(out)["contests"]}
    why = "a question lacks a verdict of more than half of the judges, so there is no mean"
    assert {plan["why"] for plan in contests["consensus"]["neighbours"]} == {why}
    _, out, err = gamut("power", undecided, "--judge", "consensus")
    assert ("judged by consensus" in out, "is left out" in out, "--difference" in err) == (True, False, False)
    _, out, _ = gamut("power", undecided, "--judge", "ann")
    assert "left out" not in out


def test_an_incomplete_run(ran, gamut):
    code, out, _ = gamut("power", ran(SAID | {"b": "error " + SAID["b"][8:]}))
    assert (code, "so there is no mean" in out) == (1, True)


def test_one_model_differs_from_none(ran, gamut):
    folder = ran({"a": SAID["a"]})
    code, out, err = gamut("power", folder)
    assert (code, out, "--half-width" in err) == (2, "", True)
    code, out, _ = gamut("power", folder, "--half-width", "2")
    assert (code, "To know every score within ±2 points" in out) == (0, True)


def test_names_are_shown_and_do_nothing(ran, gamut):
    _, out, _ = gamut("power", ran({"a\x1b[1m": SAID["a"], "[red]b": SAID["b"]}), "--difference", "10")
    assert "\x1b" not in out
    assert "[red]b" in out


# --- without a run -------------------------------------------------------------------------------


def test_of_a_spread(gamut):
    code, out, _ = gamut("power", "--half-width", "2", "--sd", "35", "--format", "json")
    data = json.loads(out)
    assert (code, data["n_for_half_width"], data["n_for_difference"]) == (0, 1179, None)
    assert "independently" in data["assumes"]
    assert "1,179 questions for ±2 points" in gamut("power", "--half-width", "2", "--sd", "35")[1]


def test_a_difference_takes_more_than_the_half_width_of_that_size(gamut):
    """The number is statsmodels' TTestPower().solve_power(2 / 35, alpha=0.05, power=0.8), rounded up."""
    code, out, _ = gamut("power", "--difference", "2", "--sd", "35", "--format", "json")
    data = json.loads(out)
    assert (code, data["n_for_difference"], data["n_tests"], data["power"]) == (0, 2406, 1, 0.8)
    _, out, _ = gamut("power", "--difference", "2", "--sd", "35")
    assert (
        "2,406 questions to find a true difference of 2 points with 80% probability (p ≤ 0.05), where the diff" in out
    )
    _, out, _ = gamut("power", "--difference", "2", "--sd", "35", "--tests", "91")
    assert f"{questions_to_tell(0.02, 0.35, tests=91):,} questions" in out
    assert "(p ≤ 0.05 among 91 pairs)" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--half-width", "0", "--sd", "30"], "--half-width is 0"),
        (["--half-width", "1e-9", "--sd", "30"], "--half-width is 1e-09"),
        (["--half-width", "100", "--sd", "30"], "--half-width is 100"),
        (["--half-width", "nan", "--sd", "30"], "--half-width is nan"),
        (["--difference", "0", "--sd", "30"], "--difference is 0"),
        (["--difference", "-2", "--sd", "30"], "--difference is -2"),
        (["--difference", "1e30", "--sd", "30"], "--difference is 1e+30"),
        (["--difference", "nan", "--sd", "30"], "--difference is nan"),
        (["--difference", "2", "--sd", "30", "--power", "100"], "--power is 100"),
        (["--difference", "2", "--sd", "30", "--power", "0"], "--power is 0"),
        (["--difference", "2", "--sd", "30", "--power", "0.8"], "--power is 0.8; it is in percent"),
        (["--difference", "2", "--sd", "30", "--power", "nan"], "--power is nan"),
        (["--difference", "2", "--sd", "30", "--power", "80", "--level", "20"], "no more than by chance"),
        (["--difference", "2", "--sd", "30", "--tests", "0"], "--tests is 0"),
        (["--difference", "2", "--sd", "30", "--tests", "1" + "0" * 30], "--tests is 1000"),
        (["--half-width", "2"], "--sd"),
        (["--half-width", "2", "--sd", "-1"], "--sd is -1"),
        (["--half-width", "2", "--sd", "0"], "--sd is 0"),
        (["--half-width", "2", "--sd", "1e30"], "--sd is 1e+30"),
        (["--half-width", "2", "--sd", "nan"], "--sd is nan"),
        (["--half-width", "2", "--sd", "30", "--level", "0.9"], "in percent"),
        (["--sd", "30"], "--difference"),
        ([], "give either a run, or --sd"),
    ],
)
def test_what_makes_no_sense_is_refused(gamut, options, words):
    code, out, err = gamut("power", *options)
    assert (code, out) == (2, "")
    assert words in err


def test_the_largest_number_is_found(gamut):
    hardest = ("--difference", "0.001", "--sd", "200", "--power", "99.9", "--level", "99.9999", "--tests", "1000000")
    code, out, _ = gamut("power", *hardest, "--half-width", "0.001", "--format", "json")
    assert (code, json.loads(out)["n_for_difference"] > 10**12) == (0, True)
