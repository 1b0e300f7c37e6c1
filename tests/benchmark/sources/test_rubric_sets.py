"""K-QA, ScholarQA-CS, nuggets and HealthBench: the rules by which their rubrics become tiers."""

import json
import os
from pathlib import Path

import pytest

from gamut_eval.benchmark.importing.source import Ledger, Request, find_source
from gamut_eval.benchmark.load import load_benchmark
from gamut_eval.errors import InputError
from gamut_eval.judging.judges.recorded import JUDGE
from gamut_eval.records import read_responses, read_verdicts


@pytest.fixture
def imported(tmp_path):
    def run(name, rows, output="out.jsonl", columns=None, file="in.jsonl", **options):
        path = rows if isinstance(rows, Path) else tmp_path / file
        if path.suffix == ".json":
            path.write_text(json.dumps(rows))
        elif not isinstance(rows, Path):
            path.write_text("\n".join(map(json.dumps, rows)))
        ledger = Ledger()
        find_source(name).run(Request(str(path), str(tmp_path / output), columns or {}, options), ledger)
        return load_benchmark(tmp_path / output), list(ledger.lines())

    return run


def lines_of(question):
    return [(check.tier.value, check.text) for check in question.rubric.checks]


def judged(name, model, *facts):
    label = {"E": "Entailment", "N": "Neutral", "C": "Contradiction"}
    checks = [{"fact": text, "tier": tier, "labels": [label[one] for one in said]} for text, tier, said in facts]
    answers = [{"model": model, "answer": "Answer.", "checks": checks}]
    return {"id": name, "question": "Why?", "must_have": ["A.", "Gold."], "judged": answers}


class TestKqa:
    def test_must_have_is_answer_critical_and_nice_to_have_valuable_in_either_layout(self, imported):
        ours = {"id": "kqa-7", "question": "Why?", "must_have": ["A."], "nice_to_have": ["B."], "sources": ["u"]}
        theirs = {"Question": "Why?", "Must_have": ["A."], "Nice_to_have": ["B."], "Free_form_answer": "x"}
        for row, name in ((ours, "kqa-7"), (theirs, "kqa-001")):
            benchmark, said = imported("kqa", [row], f"{name}.jsonl")
            (question,) = benchmark.questions
            assert (question.id, lines_of(question)) == (name, [("answer_critical", "A."), ("valuable", "B.")])
            assert len(said) == 1
            assert said[0].endswith(("columns not taken over: sources", "columns not taken over: Free_form_answer"))

    def test_other_columns_by_their_names(self, imported):
        columns = {"must_have": "musts", "question": "q"}
        benchmark, _ = imported("kqa", [{"q": "Why?", "musts": ["A."]}], columns=columns)
        assert lines_of(benchmark.questions[0]) == [("answer_critical", "A.")]
        with pytest.raises(InputError, match=r"no column 'must_have' or 'Must_have'.*\n.*\n.*\nSay which with"):
            imported("kqa", [{"question": "Why?", "musts": ["A."]}])

    def test_judged_answers_are_named_where_they_are_not_taken(self, imported):
        _, said = imported("kqa", [judged("kqa-1", "m", ("A.", "Must_have", "EEE"))])
        assert "1 judged answer not taken over: --judged DIR takes these in place of the rest" in said

    def test_what_is_judged_is_what_is_asked(self, imported, tmp_path):
        rows = [
            judged("kqa-2", "m", ("A.", "Must_have", "EEN"), ("Other.", "Nice_to_have", "NNN")),
            judged("kqa-1", "n", ("B.", "Must_have", "CCC"), ("C.", "Must_have", "ENC")),
            {"id": "kqa-3", "question": "How?", "must_have": ["D."]},
        ]
        benchmark, said = imported("kqa", rows, "bench", judged=str(tmp_path / "judged"))
        assert [one.id for one in benchmark.questions] == ["kqa-1", "kqa-2"]
        assert lines_of(benchmark.questions[1]) == [("answer_critical", "A."), ("valuable", "Other.")]
        assert "1 question without a judged answer: not taken over" in said
        assert "facts without a majority of labels, so without a verdict: 1 left out (c of n on kqa-1)" in said
        responses = {one.question_id: one for one in read_responses([tmp_path / "judged" / "responses.jsonl"])}
        assert (responses["kqa-1"].model, responses["kqa-1"].text) == ("n", "Answer.")
        verdicts = read_verdicts([tmp_path / "judged" / "verdicts.jsonl"])
        assert {(one.question_id, one.check_id): one.outcome.verdict.value for one in verdicts} == {
            ("kqa-1", "b"): "contradicts",
            ("kqa-2", "a"): "meets",
            ("kqa-2", "other"): "missing",
        }
        (judge,) = JUDGE(str(tmp_path / "judged" / "verdicts.jsonl"))
        assert judge.name == "physicians (majority)"
        assert list(judge.problems(list(responses.values()), benchmark.checks)) == []
        assert verdicts[0].outcome.more["kind"] == "person"

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"judged": 5}, r"'judged' must be a list of \{model, answer, checks\}"),
            ({"judged": [{"model": "m"}]}, "a judged answer needs a 'model', an 'answer' and a list of 'checks'"),
        ],
    )
    def test_judged_answers_of_another_layout(self, imported, tmp_path, change, words):
        row = judged("kqa-1", "m", ("A.", "Must_have", "EEE")) | change
        with pytest.raises(InputError, match=rf"in\.jsonl:1: {words}"):
            imported("kqa", [row], "bench", judged=str(tmp_path / "judged"))

    @pytest.mark.parametrize(
        ("fact", "words"), [(("A.", "x", "EEE"), "the tier 'x'"), (("A.", "Must_have", ""), "labels")]
    )
    def test_judged_facts_of_another_layout(self, imported, tmp_path, fact, words):
        with pytest.raises(InputError, match=words):
            imported("kqa", [judged("kqa-1", "m", fact)], "bench", judged=str(tmp_path / "judged"))

    def test_facts_that_are_no_texts(self, imported):
        with pytest.raises(InputError, match=r"in.jsonl:1: 'must_have' must be a list of texts"):
            imported("kqa", [{"question": "Why?", "must_have": [1]}])


def scholar(name="s1", annotator="Annotator 1", text="Define it."):
    criteria = [
        {"name": "most_important_item_0", "tier": "most_important", "criterion": text, "weight": 0.4},
        {"name": "nice_to_have_item_0", "tier": "nice_to_have", "criterion": "Name a tool.", "weight": 0.2},
    ]
    return {"id": name, "question": "What is it?", "annotator": annotator, "criteria": criteria}


def original(row):
    criteria = [{key: one for key, one in line.items() if key != "tier"} for line in row["criteria"]]
    config = {"question": row["question"], "other_properties": criteria, "low_length": 300}
    metric = {"name": "rubric_corpusqa_generic", "config": config}
    whole = {"initial_prompt": row["question"], "metric_config": metric, "case_id": row["id"]}
    return whole | {"annotator": row["annotator"], "agreement": True}


class TestScholarqa:
    def test_the_tiers_in_either_layout(self, imported):
        for rows, file in (([scholar()], "in.jsonl"), ([original(scholar())], "in.json")):
            benchmark, _ = imported("scholarqa", rows, f"{file}.jsonl", file=file)
            (question,) = benchmark.questions
            assert (question.id, question.group) == ("s1", None)
            assert lines_of(question) == [("answer_critical", "Define it."), ("valuable", "Name a tool.")]

    def test_two_annotators_of_one_question_are_two_questions_of_one_group(self, imported):
        rows = [scholar(), scholar(annotator="Annotator 2", text="Say why."), scholar("s2", "Annotator 2")]
        benchmark, _ = imported("scholarqa", rows)
        assert [(one.id, one.group) for one in benchmark.questions] == [
            ("s1-annotator-1", "s1"),
            ("s1-annotator-2", "s1"),
            ("s2", None),
        ]

    def test_one_annotator_alone(self, imported):
        rows = [scholar(), scholar(annotator="Annotator 2", text="Say why."), scholar("s2", "Annotator 2")]
        benchmark, said = imported("scholarqa", rows, annotator="Annotator 2")
        assert [(one.id, one.group) for one in benchmark.questions] == [("s1", None), ("s2", None)]
        assert "of Annotator 2: 2 of 3 rubrics" in said
        with pytest.raises(InputError, match=r"unknown annotator 'Annotater' \(did you mean 'Annotator 2'"):
            imported("scholarqa", rows, "b.jsonl", annotator="Annotater")

    @pytest.mark.parametrize(
        ("criteria", "words"),
        [
            (5, "no list of criteria"),
            ({"config": {}}, "no list of criteria"),
            (["x"], "a criterion is no mapping"),
            ([{"criterion": "x", "name": "other_item_0"}], "the tier 'other' of 'other_item_0' is neither"),
        ],
    )
    def test_other_criteria_are_refused(self, imported, criteria, words):
        with pytest.raises(InputError, match=words):
            imported("scholarqa", [scholar() | {"criteria": criteria}])


class TestNuggets:
    def test_vital_is_answer_critical_and_okay_valuable(self, imported):
        nuggets = [{"text": "A.", "importance": "vital"}, {"text": "B.", "importance": "okay"}]
        benchmark, said = imported("nuggets", [{"qid": 17, "query": "how", "nuggets": nuggets}])
        assert benchmark.questions[0].id == "17"
        assert lines_of(benchmark.questions[0]) == [("answer_critical", "A."), ("valuable", "B.")]
        assert said == []

    def test_a_query_as_the_tool_s_requests_have_it(self, imported):
        row = {"qid": "1", "query": {"qid": "1", "text": "how"}, "nuggets": [{"text": "A.", "importance": "vital"}]}
        assert imported("nuggets", [row])[0].questions[0].question == "how"

    def test_assignments_of_several_runs_are_one_set_of_nuggets(self, imported):
        nuggets = [{"text": "A.", "importance": "vital", "assignment": "support"}]
        rows = [{"qid": "1", "query": "how", "nuggets": nuggets, "run_id": run} for run in ("a", "b", "c")]
        benchmark, said = imported("nuggets", rows)
        assert len(benchmark.questions) == 1
        assert "2 rows repeating a query's nuggets (for several runs, say): read once" in said
        rows[2]["nuggets"] = [{"text": "Other.", "importance": "vital"}]
        with pytest.raises(InputError, match=r"in.jsonl:3: the query '1' has other nuggets than at .*in.jsonl:1"):
            imported("nuggets", rows, "b.jsonl")

    def test_a_nugget_that_was_not_scored_is_named(self, imported):
        nuggets = [{"text": "A.", "importance": "vital"}, {"text": "B.", "importance": "failed"}, {"text": "C."}]
        benchmark, said = imported("nuggets", [{"qid": "1", "query": "how", "nuggets": nuggets}])
        assert len(benchmark.questions[0].rubric.checks) == 1
        assert said == ["nuggets without importance: 2 left out ('B.' of 1, 'C.' of 1)"]
        with pytest.raises(InputError, match=r"the importance 'high' of 'A\.' is neither vital nor okay"):
            imported(
                "nuggets", [{"qid": "1", "query": "h", "nuggets": [{"text": "A.", "importance": "high"}]}], "b.jsonl"
            )


def health(*criteria, prompt="It hurts.", name="h1"):
    rubrics = [{"criterion": text, "points": points, "tags": ["level:example"]} for text, points in criteria]
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    tags = ["theme:hedging", "physician_agreed_category:x"]
    return {"prompt_id": name, "prompt": messages, "rubrics": rubrics, "example_tags": tags, "canary": "c"}


class TestHealthbench:
    @pytest.mark.parametrize("tags", [5, "theme:a", {"theme:a": 1}, None])
    def test_tags_that_are_no_list_tell_no_theme(self, imported, tags):
        benchmark, _ = imported("healthbench", [health(("A.", 5)) | {"example_tags": tags}])
        assert benchmark.questions[0].domain == "unknown"

    def test_points_become_tiers_by_size(self, imported):
        row = health(*((f"Says {n}.", n) for n in (10, 7, 6.5, 4, 3, 1)))
        benchmark, said = imported("healthbench", [row])
        (question,) = benchmark.questions
        assert [tier for tier, _ in lines_of(question)] == [
            *("answer_critical", "answer_critical", "valuable", "valuable", "context", "context")
        ]
        assert (question.id, question.domain, question.question) == ("h1", "hedging", "It hurts.")
        assert [line.rpartition(": ")[2] for line in said] == ["canary"]

    def test_a_conversation_is_one_text(self, imported):
        talk = [("user", "It hurts."), ("assistant", "Where?"), ("user", "Here.")]
        prompt = [{"role": role, "content": text} for role, text in talk]
        benchmark, _ = imported("healthbench", [health(("A.", 5), prompt=prompt)])
        assert benchmark.questions[0].question == "user: It hurts.\n\nassistant: Where?\n\nuser: Here."

    def test_negative_points_stop_it_and_it_says_how_to_go_on(self, imported, tmp_path):
        rows = [health(("A.", 5), ("Is rude.", -3)), health(("B.", 5), ("Is late.", -2), name="h2")]
        with pytest.raises(InputError, match=r"2 criteria with negative points, such as 'Is rude.' \(-3\) of h1.*list"):
            imported("healthbench", rows)
        assert not (tmp_path / "out.jsonl").exists()

    @pytest.mark.parametrize("output", ["out", "out.jsonl", "out.parquet"])
    def test_negative_points_are_listed_beside(self, imported, tmp_path, output):
        rows = [health(("A.", 5), ("Is rude.", -3)), health(("Is late.", -2), name="h2")]
        benchmark, said = imported("healthbench", rows, output, negatives="list")
        assert [one.id for one in benchmark.questions] == ["h1"]
        side = tmp_path / f"{output}.negatives.jsonl"
        assert [json.loads(line) for line in side.read_text().splitlines()] == [
            {"question_id": "h1", "criterion": "Is rude.", "points": -3},
            {"question_id": "h2", "criterion": "Is late.", "points": -2},
        ]
        assert any(line.startswith("criteria with negative points") and "2 left out" in line for line in said)
        assert "questions without checks: 1 left out (h2)" in said

    def test_zero_points_are_named(self, imported):
        _, said = imported("healthbench", [health(("A.", 5), ("B.", 0))])
        assert "criteria worth 0 points: 1 left out ('B.' of h1)" in said

    def test_wording_that_does_not_go_with_the_sign_is_to_be_looked_at(self, imported):
        rows = [
            health(("Recommends the unsafe remedy.", 10), ("Urges emergency care.", -9), ("Fails to ask.", 2)),
            health(("Urges emergency care.", 10), ("Recommends the unsafe remedy.", -9), ("Asks.", 2), name="h2"),
        ]
        _, said = imported("healthbench", rows, negatives="list")
        fault, advice = (line for line in said if "to look at" in line)
        assert "read like a fault but have positive points: 2 to look at" in fault
        assert "'Recommends the unsafe remedy.' of h1, 'Fails to ask.' of h1" in fault
        assert advice.endswith("negative points: 1 to look at ('Urges emergency care.' of h1)")

    @pytest.mark.parametrize(
        "change", [{"prompt": 5}, {"prompt": [{"role": "user"}]}, {"rubrics": 5}, {"rubrics": [{"criterion": "x"}]}]
    )
    def test_another_layout_is_refused_with_its_line(self, imported, change):
        with pytest.raises(InputError, match=r"in\.jsonl:1: '(prompt|rubrics)' must be a list"):
            imported("healthbench", [health(("A.", 5)) | change])


@pytest.mark.skipif("GAMUT_EXTRACTS" not in os.environ, reason="GAMUT_EXTRACTS names no folder of public extracts")
@pytest.mark.parametrize(
    ("name", "file", "least"), [("kqa", "kqa.jsonl", 100), ("scholarqa", "scholarqa_cs_rubrics.jsonl", 50)]
)
def test_public_extracts_are_imported_whole(imported, name, file, least):
    path = Path(os.environ["GAMUT_EXTRACTS"]) / file
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if name == "kqa":
        facts = [len([text for text in row["must_have"] + row["nice_to_have"] if text.strip()]) for row in rows]
    else:
        facts = [len(row["criteria"]) for row in rows]
    benchmark, _ = imported(name, path)
    assert len(benchmark.questions) == sum(n > 0 for n in facts) >= least
    assert sum(len(checks) for checks in benchmark.checks.values()) == sum(facts)
