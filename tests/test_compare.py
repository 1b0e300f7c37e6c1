"""Comparing runs from Python."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import gamut_eval
from gamut_eval.api import as_benchmark
from gamut_eval.comparing import open_runs
from gamut_eval.errors import InputError, RunError, UnknownNameError
from gamut_eval.reports.compared import ComparedRuns
from gamut_eval.reports.shapes import Column, Table
from gamut_eval.reports.table_kind import REGISTRY, Tabulated

QUESTIONS = [
    {
        "id": f"q{n}",
        "domain": "food",
        "question": f"What is in dish {n}?",
        "rubric": {
            "items": [{"id": "i", "type": "simple", "tier": "answer_critical", "statement": f"The dish {n} has basil."}]
        },
    }
    for n in range(3)
]


def answers(**good):
    """For each model on how many of the questions it says what the check requires."""
    return [
        {"question_id": f"q{n}", "model": model, "variant": "text_only"}
        | {"response": f"The dish {n} has basil." if n < n_good else "I do not know."}
        for model, n_good in good.items()
        for n in range(3)
    ]


@pytest.fixture
def run():
    with gamut_eval.evaluate(QUESTIONS, answers(a=3, b=1)) as made:
        yield made


def scores(compared):
    return {row["model"]: row["text_only"] for row in compared.to_dict()["paper"]["own"]}


def test_open_runs_in_memory(run):
    compared = gamut_eval.compare(run, show="paper")
    assert scores(compared) == {"a": 1.0, "b": pytest.approx(1 / 3)}
    assert [(one["name"], one["folder"]) for one in compared.runs] == [("run 1", None)]
    assert run.scores().rows  # it is still open


def test_folders_and_open_runs_together(run, tmp_path):
    gamut_eval.evaluate(QUESTIONS, answers(c=2), run=tmp_path / "other").close()
    compared = gamut_eval.compare([run, tmp_path / "other"], show=["paper"])
    assert scores(compared) == {"a": 1.0, "b": pytest.approx(1 / 3), "c": pytest.approx(2 / 3)}
    assert [one["name"] for one in compared.runs] == ["run 1", "other"]
    assert scores(gamut_eval.compare(str(tmp_path / "other"), show="paper")) == {"c": pytest.approx(2 / 3)}


def test_the_order_of_runs_changes_no_number(run, tmp_path):
    gamut_eval.evaluate(QUESTIONS, answers(c=2), run=tmp_path / "other").close()
    one, other = (
        gamut_eval.compare(runs, show="paper") for runs in ([run, tmp_path / "other"], [tmp_path / "other", run])
    )
    assert scores(one) == scores(other)


def test_a_run_of_the_flat_rubric_stands_beside(run, tmp_path):
    folder = tmp_path / "bench.jsonl"
    folder.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS), encoding="utf-8")
    with gamut_eval.evaluate(gamut_eval.load_benchmark(folder).flattened(), answers(a=3, b=1)) as beside:
        compared = gamut_eval.compare([run, beside], show="paper")
        assert [one["flat"] for one in compared.runs] == [False, True]
        assert scores(compared) == {"a": 1.0, "b": pytest.approx(1 / 3)}
        assert scores(gamut_eval.compare(beside, show="paper")) == scores(compared)


def test_that_a_flat_run_stands_in_one_table_only_is_said_unless_that_is_shown(run, tmp_path):
    flat = as_benchmark(QUESTIONS).flattened()
    gamut_eval.evaluate(flat, answers(a=3, b=1), run=tmp_path / "beside").close()
    told = (
        "beside is graded by the flat checklist: only 'gamut compare … --show levels' holds it against the others.",
    )

    def of_flat(runs, show):
        notes = gamut_eval.compare(runs, show=show, replicates=100).to_dict()["notes"]
        return tuple(note for note in notes if "flat" in note)

    both = [run, tmp_path / "beside"]
    assert of_flat(both, ()) == of_flat(both, "paper") == told
    assert of_flat(both, ["paper", "levels"]) == of_flat(both[1], "paper") == of_flat(run, "paper") == ()


def test_other_constants_and_how_sure_it_is_to_be(run):
    compared = gamut_eval.compare(
        run, show="paper", scoring=gamut_eval.ScoringSettings(mu=-1), level=0.9, replicates=100, seed=3
    )
    assert compared.scoring["mu"] == -1
    assert (compared.inference.level, compared.inference.replicates, compared.inference.seed) == (0.9, 100, 3)


def test_some_models_only(run):
    assert scores(gamut_eval.compare(run, show="paper", model="b")) == {"b": pytest.approx(1 / 3)}
    assert set(scores(gamut_eval.compare(run, show="paper", model=["b", "a"]))) == {"a", "b"}


def test_a_run_of_the_flat_rubric_need_not_have_the_models_chosen(run):
    with gamut_eval.evaluate(as_benchmark(QUESTIONS).flattened(), answers(a=3)) as beside:
        assert scores(gamut_eval.compare([run, beside], show="paper", model="b")) == {"b": pytest.approx(1 / 3)}


def test_where_one_run_cannot_be_opened_the_others_are_closed(run, tmp_path, monkeypatch):
    gamut_eval.evaluate(QUESTIONS, answers(c=2), run=tmp_path / "other").close()
    closed = []
    monkeypatch.setattr(gamut_eval.Run, "close", lambda run: closed.append(run.folder))
    with pytest.raises(RunError):
        open_runs([run, tmp_path / "other", tmp_path / "absent"])
    assert closed == [tmp_path / "other"]
    (one, other) = open_runs([run, tmp_path / "other"])
    assert (one.run, other.name, len(closed)) == (run, "other", 1)


def test_what_comes_of_it_outlives_the_run(run):
    compared = gamut_eval.compare(run, show=["main", "paper"], replicates=100)
    run.close()
    assert list(compared.tables) == ["main", "paper"]
    assert json.loads(json.dumps(compared.to_dict()))["paper"]
    assert pickle.loads(pickle.dumps(compared)) == compared  # noqa: S301 (made on the line before)
    assert set(compared.to_csv()) == {"main", "paper"}
    assert compared.to_latex().count(r"\toprule") == 2


def test_a_notebook_shows_every_table_and_no_name_does_anything():
    hostile = "<img src=x onerror=alert(1)>"
    table = Table((Column("Model"), Column(hostile, "percent")), ((hostile, 0.5),), (hostile,), (hostile,))
    compared = ComparedRuns({}, {}, "ask", (), (hostile,), None, {"x": Tabulated((table, table), None), "y": None})
    page = compared._repr_html_()
    assert "<img" not in page
    assert page.count("&lt;img") == 9
    assert page.count("<table>") == 2
    assert "<img" not in MarkdownIt("commonmark", {"html": True}).enable("table").render(compared.to_markdown())
    assert compared.absent == ["y"]


def test_names_of_csv_texts_are_those_of_files():
    table = Table((Column("Model"),), (("a",),))

    def titled(*titles):
        return Tabulated(tuple(replace(table, title=(title,), of=tuple(of)) for title, *of in titles), None)

    found = {
        "one": titled(("A", "x")),
        "../two": titled(("A", "x"), ("A", "y"), ("A", "y")),
        "three": titled(("A: what it is",), ("../../etc/B", "x")),
        "four": Tabulated((), None),
    }
    compared = ComparedRuns({}, {}, "ask", (), (), None, found)
    assert compared.to_csv() == {
        "one": "Of,Model\r\nx,a\r\n",
        "two": "Of,Model\r\nx,a\r\ny,a\r\ny (3),a\r\n",
        "three-1-a-what-it-is": "Model\r\na\r\n",
        "three-2-etc-b": "Of,Model\r\nx,a\r\n",
    }


def test_every_table_is_explained():
    page = (Path(__file__).parent.parent / "docs" / "compare.md").read_text(encoding="utf-8")
    for name in REGISTRY.names():
        mark = " *" if REGISTRY.get(name).unasked else ""
        assert f"| `{name}`{mark} |" in page


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"show": "papr"}, UnknownNameError, "did you mean 'paper'"),
        ({"judge": "lexcal"}, UnknownNameError, "did you mean 'lexical'"),
        ({"model": "c"}, UnknownNameError, "unknown model 'c'"),
        ({"variant": "image"}, InputError, "nothing was answered"),
        ({"variant": "images"}, UnknownNameError, "did you mean 'image'"),
        ({"level": 95}, InputError, "between 0 and 1"),
        ({"level": 0}, InputError, "between 0 and 1"),
        ({"replicates": 0}, InputError, "from 100 to"),
        ({"seed": -1}, InputError, "seed"),
        ({"method": "normal"}, InputError, "BCa"),
        ({"most": 0}, InputError, "most"),
        ({"words": 0}, InputError, "words"),
    ],
)
def test_what_makes_no_sense_is_refused(run, options, error, words):
    with pytest.raises(error, match=words):
        gamut_eval.compare(run, **{"show": "paper"} | options)


def test_the_same_run_twice_or_none(run, tmp_path):
    for given in ([run, run], [], [tmp_path, tmp_path]):
        with pytest.raises((InputError, RunError)):
            gamut_eval.compare(given, show="paper")
    gamut_eval.evaluate(QUESTIONS, answers(c=2), run=tmp_path / "other").close()
    with gamut_eval.Run.open(tmp_path / "other") as opened, pytest.raises(InputError, match="is given twice"):
        gamut_eval.compare([opened, tmp_path / "other"], show="paper")


def test_what_has_to_be_said_of_a_judge_is_said_with_its_numbers():
    question = {"id": "q", "domain": "food", "question": "What is in pesto?"} | {
        "rubric": {"items": [{"id": "herb", "type": "simple", "tier": "valuable", "statement": "Pesto has basil."}]}
    }
    answer = {"question_id": "q", "model": "m", "variant": "text_only", "response": "Pesto has basil."}
    with gamut_eval.evaluate([question], [answer], "lexical") as run:
        compared = gamut_eval.compare(run)
    (note,) = compared.notes
    assert "lexical" in note
    assert compared.to_dict()["notes"] == [note]
    assert note.split()[0] in compared.to_markdown()
