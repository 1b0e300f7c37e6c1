"""`gamut judge --first-words N` and `--flat`: what is judged, what is kept apart, what is refused."""

import json

import pytest

import gamut_eval
from gamut_eval.errors import InputError
from gamut_eval.hashing import sha256
from gamut_eval.judging.judge import Judge
from gamut_eval.records import Judgement, Verdict
from gamut_eval.run import Run

SPICES = {"id": "spices", "type": "flexible_list", "tier": "answer_critical", "topic": "spices", "min_coverage": 2}
SPICES |= {"options": ["thyme", "curry", "bay leaf"]}
QUESTION = {"id": "q", "domain": "food", "question": "Which spices?", "rubric": {"items": [SPICES]}}
TEXT = "Use thyme and curry, then bay leaf."


def answer(text=TEXT, **more):
    return {"question_id": "q", "model": "m", "variant": "text_only", "response": text} | more


class Seen(Judge):
    """Keeps the texts that it is shown."""

    name = "seen"
    settings = {}  # noqa: RUF012

    def __init__(self):
        self.texts = []

    async def judge(self, ask):
        self.texts.append(ask.response.text)
        return Judgement(Verdict.MISSING)


class Files:
    def __init__(self, folder):
        self.folder = folder
        self.write("bench", QUESTION)
        self.write("answers", answer())

    def write(self, name, *rows):
        (self.folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def judge(self, *more, run="run", judge="lexical"):
        bench, answers = (str(self.folder / f"{name}.jsonl") for name in ("bench", "answers"))
        return ("judge", bench, "--responses", answers, "--judge", judge, "--run", str(self.folder / run), *more)

    def opened(self, run="run"):
        return Run.open(self.folder / run)

    def manifest(self, run="run"):
        return json.loads((self.folder / run / "manifest.json").read_bytes())


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def verdicts(run):
    return {row["check_id"]: row["verdict"] for row in run.verdicts().iter_rows(named=True)}


def test_judges_see_the_first_words_and_the_hash_is_theirs(files, gamut):
    assert gamut(*files.judge("--first-words", "2"))[0] == 0
    with files.opened() as run:
        (response,) = run.responses()
        assert (response.text, response.hash) == ("Use thyme", sha256("Use thyme"))
        assert response.more == {"first_words": 2}
        assert verdicts(run)["spices/thyme"] == "meets"
        assert verdicts(run)["spices/curry"] == "missing"
        assert set(run.verdicts()["response_hash"]) == {sha256("Use thyme")}
        assert (run.first_words, run.flat) == (2, False)
    assert (files.manifest()["first_words"], files.manifest()["flat"]) == (2, False)


def test_an_answer_with_no_more_words_is_the_same_answer(files, gamut):
    assert gamut(*files.judge("--first-words", "7"))[0] == 0
    with files.opened() as run:
        (response,) = run.responses()
        assert (response.text, response.hash, response.more) == (TEXT, sha256(TEXT), {})
    gamut(*files.judge(run="whole"))
    with files.opened("whole") as whole, files.opened() as cut:
        assert verdicts(whole) == verdicts(cut)
        assert (whole.first_words, whole.flat) == (None, False)


def test_a_refusal_stays_one_and_an_error_too():
    seen = Seen()
    rows = [answer("No, I will not say.", refusal=True), answer(model="n", variant="text_only", text="")]
    rows.append({"question_id": "q", "model": "o", "variant": "text_only", "error": "HTTP 500"})
    with gamut_eval.evaluate([QUESTION], rows, seen, first_words=2) as run:
        assert seen.texts == []
        assert [(r.model, r.text, r.error, r.says_nothing) for r in run.responses()] == [
            ("m", "No, I", None, True),
            ("n", "", None, True),
            ("o", None, "HTTP 500", False),
        ]


def test_from_python_the_same():
    seen = Seen()
    with gamut_eval.evaluate([QUESTION], [answer()], seen, first_words=4) as run:
        assert set(seen.texts) == {"Use thyme and curry,"}
        assert run.first_words == 4


@pytest.mark.parametrize("n", [0, -3, 1.5, True, "3"])
def test_what_is_no_number_of_words(n):
    with pytest.raises(InputError, match="first_words is"):
        gamut_eval.evaluate([QUESTION], [answer()], first_words=n)


def test_a_model_that_answers_is_not_cut():
    with pytest.raises(InputError, match="then judge these"):
        gamut_eval.evaluate([QUESTION], None, "lexical", model=lambda text: "Thyme.", first_words=3)


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        ([], ["--first-words", "2"], "of whole answers, this command judges answers cut to their first 2 words"),
        (["--first-words", "1"], [], "of answers cut to their first 1 word, this command judges whole answers"),
        (["--first-words", "3"], ["--first-words", "2"], "cut to their first 3 words, this command judges answers cut"),
        ([], ["--flat"], "has benchmark 'bench', this command has 'bench-flat'"),
        (["--flat"], [], "has benchmark 'bench-flat', this command has 'bench'"),
    ],
)
def test_a_folder_of_another_kind_is_refused_and_stays_as_it_was(files, gamut, first, then, told):
    gamut(*files.judge(*first))
    before = files.manifest()
    code, out, err = gamut(*files.judge(*then))
    assert (code, out) == (2, "")
    assert told in err
    assert "--run" in err
    assert files.manifest() == before


def test_the_same_command_asks_nothing_again(files, gamut):
    gamut(*files.judge("--first-words", "2", "--flat"))
    code, _, err = gamut(*files.judge("--first-words", "2", "--flat"))
    assert code == 0
    assert "0 judged, 3 known from before" in err


def test_a_dry_run_counts_the_cut_text(files, gamut, monkeypatch):
    files.write("answers", answer(" ".join(["thyme"] * 4000)))

    def tokens(*more):
        url = ("--judge-base-url", "http://127.0.0.1:9/v1", "--dry-run", "--no-cache")
        code, out, _ = gamut(*files.judge(*more, *url, judge="local/j"))
        assert code == 0
        return int(out.splitlines()[-1].split()[3].replace(",", ""))

    assert tokens() > 4 * tokens("--first-words", "100")
    assert not (files.folder / "run").exists()


def test_recorded_verdicts_must_say_that_they_are_of_the_cut_text(files, gamut):
    row = {"question_id": "q", "model": "m", "variant": "text_only", "judge": "ann", "verdict": "meets"}
    ids = ["spices/at-least-2", "spices/thyme", "spices/curry", "spices/bay-leaf"]
    files.write("verdicts", *(row | {"check_id": name} for name in ids))
    judge = f"recorded:{files.folder / 'verdicts.jsonl'}"
    code, _, err = gamut(*files.judge("--first-words", "2", judge=judge))
    assert code == 2
    assert "the response is cut" in err
    files.write("verdicts", *(row | {"check_id": name, "response_hash": sha256("Use thyme")} for name in ids))
    assert gamut(*files.judge("--first-words", "2", judge=judge))[0] == 0
    files.write("verdicts", *(row | {"check_id": name} for name in ids))
    assert gamut(*files.judge("--first-words", "7", run="whole", judge=judge))[0] == 0


def test_the_flat_checklist(files, gamut):
    assert gamut(*files.judge("--flat"))[0] == 0
    with files.opened() as run:
        assert [(check.id, check.tier.value) for check in run.checks] == [
            ("spices/thyme", "answer_critical"),
            ("spices/curry", "answer_critical"),
            ("spices/bay-leaf", "answer_critical"),
        ]
        assert run.flat
        assert run.benchmark["name"] == "bench-flat"
        assert run.scores().rows[0].gamut == 1.0
    assert files.manifest()["flat"] is True


def test_help_has_an_example_of_each(gamut):
    code, out, _ = gamut("judge", "--help")
    assert code == 0
    examples = out.partition("Examples:")[2].partition("Options:")[0]
    assert "--first-words 150" in examples
    assert "--flat" in examples
