"""Flat against two levels on rubrics whose difference is known: λ 0.5, μ −2, weights 0.6, 0.3, 0.1."""

from dataclasses import replace

import pytest

from gamut_eval.analysis.two_levels import levels
from gamut_eval.api import as_benchmark, evaluate
from gamut_eval.errors import InputError
from gamut_eval.judging.judge import Judge
from gamut_eval.records import Judgement, Verdict

POOL = {"id": "pool", "type": "flexible_list", "tier": "answer_critical", "topic": "spices", "min_coverage": 2}
LONG = POOL | {"options": [f"spice{n}" for n in range(10)]}
SHORT = POOL | {"options": ["spice0", "spice1", "spice2"]}
FACT = {"id": "fact", "type": "simple", "tier": "answer_critical", "statement": "It is hot."}
STEPS = {"id": "way", "type": "process", "tier": "answer_critical", "goal": "tea", "steps": ["boil it", "pour it"]}
INSIGHT = {"id": "why", "tier": "answer_critical", "statement": "Heat is all.", "items": ["fact"]}


class Said(Judge):
    """Takes an answer as the ids of the checks that it meets; a ``-`` before one says that it contradicts."""

    name = "said"
    version = 1

    @property
    def settings(self):
        return {"version": self.version}

    async def judge(self, ask):
        words = ask.response.text.split()
        if f"-{ask.check.id}" in words:
            return Judgement(Verdict.CONTRADICTS)
        return Judgement(Verdict.MEETS if ask.check.id in words else Verdict.MISSING)


class Kinder(Said):
    version = 2


def question(name, *items, insights=(), edits=()):
    rubric = {"items": list(items), "insights": list(insights), "edits": list(edits)}
    return {"id": name, "domain": "food", "question": f"What is {name}?", "rubric": rubric}


def answers(**texts):
    """Answers by model and, within the text, by question: ``q1: …; q2: …`` or one text for q."""
    return [
        {"question_id": q, "model": model, "variant": "text_only", "response": text}
        for model, own in texts.items()
        for q, text in own.items()
    ]


def source_of(benchmark, responses, judge=Said, **options):
    allow = options.pop("allow_incomplete", False)
    with evaluate(benchmark, responses, judge(), **options) as run:
        source = run.source(run.scores(allow_incomplete=allow))
        return replace(source, responses=run.responses())


def both(questions, responses, flat_responses=None, **options):
    benchmark = as_benchmark(questions)
    flat = source_of(benchmark.flattened(), flat_responses or responses, **options)
    return source_of(benchmark, responses, **options), flat


def test_a_long_list_of_which_two_are_enough():
    texts = {"two": {"q": "pool/at-least-2 pool/spice0 pool/spice1"}}
    found = levels(*both([question("q", LONG)], answers(**texts)))
    assert (found.judged, found.n_questions, found.n_all, found.notes) == (True, 1, 1, ())
    (contest,) = found.contests
    (model,) = contest.models
    # two levels: at least 2 (Answer-Critical) met, at least 4 (Valuable) missing; flat: 2 of 10
    assert (model.two_level, model.flat) == pytest.approx((0.6 / 0.9, 0.2))
    assert model.causes == pytest.approx({"lists": 0.6 / 0.9 - 0.2, "order": 0, "insights": 0, "other": 0})
    (one,) = contest.questions
    assert (one.cause, one.longest, one.n_models) == ("lists", 10, 1)
    assert one.difference == pytest.approx(0.6 / 0.9 - 0.2)
    assert model.correlation is None


def test_the_order_of_steps():
    told = "way/boil-it way/pour-it"
    texts = {"right": {"q": f"{told} way/order"}, "wrong": {"q": f"{told} -way/order"}}
    (contest,) = levels(*both([question("q", STEPS)], answers(**texts))).contests
    # flat: both steps; two levels: 3 of 3, or (2 − 2) / (2 + 2)
    assert [(m.model, m.two_level, m.flat, m.causes["order"]) for m in contest.models] == [
        ("right", 1.0, 1.0, 0.0),
        ("wrong", 0.0, 1.0, -1.0),
    ]
    assert [(m.rank_two_level, m.rank_flat) for m in contest.models] == [(1, 1), (2, 1)]
    assert contest.questions[0].cause == "order"
    assert contest.agreement.kendall_tau_b is None
    assert contest.agreement.why


def test_insights_and_what_is_left():
    texts = {"m": {"q": "fact"}}
    (contest,) = levels(*both([question("q", FACT, insights=[INSIGHT])], answers(**texts))).contests
    (model,) = contest.models
    assert (model.two_level, model.flat, model.causes["insights"]) == (0.5, 1.0, -0.5)
    # insight and list together: (1 + 1) / 3 and 0 of 3 at the lower tier, against 1 of 4
    texts = {"m": {"q": "fact pool/at-least-2"}}
    (contest,) = levels(*both([question("q", FACT, SHORT, insights=[INSIGHT])], answers(**texts))).contests
    (model,) = contest.models
    two, lists, insights = 2 / 3 * 2 / 3, 2 / 3 * 1, 1 / 5
    assert (model.two_level, model.flat) == pytest.approx((two, 1 / 4))
    expected = {"lists": lists - 1 / 4, "order": 0, "insights": insights - 1 / 4}
    expected["other"] = two - 1 / 4 - sum(expected.values())
    assert model.causes == pytest.approx(expected)


def test_ranks_tau_and_the_interval_are_over_the_same_questions():
    questions = [question("q1", LONG), question("q2", FACT), question("q3", FACT)]
    few = {"q1": "pool/at-least-2 pool/at-least-4 pool/spice0", "q2": "fact", "q3": ""}
    many = {"q1": " ".join(f"pool/spice{n}" for n in range(10)), "q2": "fact", "q3": ""}
    (contest,) = levels(*both(questions, answers(few=few, many=many))).contests
    assert contest.n_questions == 3
    assert [(m.model, m.rank_two_level, m.rank_flat) for m in contest.models] == [("few", 1, 2), ("many", 2, 1)]
    assert contest.agreement.kendall_tau_b == -1.0
    first = contest.models[0]
    assert first.difference.interval.estimate == pytest.approx(0.9 / 3)
    assert first.difference.interval.low <= 0.3 <= first.difference.interval.high
    assert (first.difference.one, first.difference.other) == ("two-level", "flat")
    assert first.correlation == pytest.approx((11 / 30) / (2 / 3 * 0.60666667) ** 0.5)  # of (1, 1, 0) and (0.1, 1, 0)
    assert [(q.question_id, q.cause) for q in contest.questions] == [("q1", "lists"), ("q2", None), ("q3", None)]


def test_without_a_flat_run_only_questions_whose_flat_checks_were_judged():
    questions = [question("q1", SHORT), question("q2", LONG), question("q3", FACT)]
    texts = {"m": {"q1": "pool/at-least-2 pool/spice0 pool/spice1", "q2": "pool/at-least-2", "q3": "fact"}}
    source, flat = both(questions, answers(**texts))
    alone = levels(source)
    assert (alone.judged, alone.n_questions, alone.n_all) == (False, 2, 3)
    (contest,) = alone.contests
    assert {q.question_id for q in contest.questions} == {"q1", "q3"}
    by_id = {q.question_id: q for q in contest.questions}
    # two levels: 0.6·1 + 0.3·⅔ of 0.9; flat: 2 of 3 at the list's tier
    assert (by_id["q1"].two_level, by_id["q1"].flat) == pytest.approx((0.8 / 0.9, 2 / 3))
    judged = {q.question_id: q for q in levels(source, flat).contests[0].questions}
    assert all(judged[name].flat == pytest.approx(one.flat) for name, one in by_id.items())


def test_a_context_list_has_no_parts_and_an_edited_option_has_another_text():
    context = SHORT | {"tier": "context"}
    found = levels(source_of([question("q", context)], answers(m={"q": ""})))
    assert (found.contests, found.n_questions, found.judged) == ((), 0, False)
    benchmark = as_benchmark([question("q", SHORT)])
    base = next(check.base for check in benchmark.checks["q"] if check.id == "pool/spice0")
    edit = {"check": "pool/spice0", "op": "reword", "text": "Names spice zero.", "base": base}
    edit |= {"author": "me", "at": "2026-01-01", "reason": "clearer"}
    assert levels(source_of([question("q", SHORT, edits=[edit])], answers(m={"q": ""}))).n_questions == 0


def test_a_flat_run_alone_says_that_it_is_flat():
    _, flat = both([question("q", LONG)], answers(m={"q": "pool/spice0"}))
    found = levels(flat)
    assert (found.n_questions, found.contests[0].models[0].flat) == (1, 0.1)
    assert found.notes == ("The run’s own checks are a flat checklist, so there is nothing to compare it with.",)


def test_questions_without_answers_do_not_count():
    texts = answers(m={"q1": "fact"})
    found = levels(source_of([question("q1", FACT, STEPS), question("q2", FACT)], texts, subset=True))
    assert (found.n_questions, found.n_all, found.notes) == (1, 1, ())


def test_answers_that_differ_are_left_out():
    questions = [question("q1", FACT), question("q2", FACT)]
    old = answers(m={"q1": "fact", "q2": "fact"})
    new = answers(m={"q1": "fact", "q2": "fact indeed"})
    found = levels(*both(questions, old, new))
    assert (found.n_questions, found.notes) == (1, ("Left out, since they differ between the runs: 1 answer.",))
    assert [q.question_id for q in found.contests[0].questions] == ["q1"]


def test_questions_that_changed_are_left_out():
    source = source_of([question("q1", FACT), question("q2", FACT)], answers(m={"q1": "fact", "q2": "fact"}))
    reworded = FACT | {"statement": "It is very hot."}
    other = as_benchmark([question("q1", FACT), question("q2", reworded)]).flattened()
    found = levels(source, source_of(other, answers(m={"q1": "fact", "q2": "fact"})))
    assert found.n_questions == 1
    assert found.notes[0].endswith("another rubric’s flat checklist: 1 question.")
    two_level = source_of([question("q1", LONG)], answers(m={"q1": "x"}))
    assert levels(two_level, two_level).contests == ()


def test_judges_that_were_set_up_differently_are_left_out():
    questions, texts = [question("q", FACT)], answers(m={"q": "fact"})
    found = levels(source_of(questions, texts), source_of(as_benchmark(questions).flattened(), texts, judge=Kinder))
    assert found.contests == ()
    assert found.notes == ("Left out, since they did not judge both runs, set up alike: said.",)


def test_incomplete_models_are_named_and_left_out():
    questions = [question("q1", FACT), question("q2", FACT)]
    texts = answers(whole={"q1": "fact", "q2": ""}, part={"q1": "fact"})
    found = levels(*both(questions, texts))
    assert [m.model for m in found.contests[0].models] == ["whole"]
    assert found.notes == ("Left out of text_only, said, since a question is incomplete: part.",)
    found = levels(*both(questions, texts, allow_incomplete=True))
    assert {m.model: m.flat for m in found.contests[0].models} == {"whole": 1.0, "part": 1.0}
    assert (found.contests[0].n_questions, found.notes) == (1, ())


def test_runs_scored_with_other_constants_are_refused():
    source, flat = both([question("q", FACT)], answers(m={"q": "fact"}))
    settings = flat.scores.settings.model_copy(update={"mu": -1.0})
    with pytest.raises(InputError, match="different constants"):
        levels(source, replace(flat, scores=replace(flat.scores, settings=settings)))


LONE = "Left out, since no answer of theirs was graded by both rubrics: "


def test_models_that_one_run_lacks_are_named_and_left_out():
    questions = [question("q", LONG)]
    texts = answers(a={"q": "pool/spice0"}, b={"q": "pool/spice1"}, c={"q": ""})
    old, new = ([row for row in texts if row["model"] in models] for models in ("ab", "ac"))
    found = levels(*both(questions, old, new))
    assert [(m.model, m.flat) for m in found.contests[0].models] == [("a", 0.1)]
    assert found.notes == (f"{LONE}b, c.",)
    nothing = levels(*both(questions, old[1:], new[1:]))
    assert (nothing.contests, nothing.notes) == ((), (f"{LONE}b, c.",))


def test_a_model_whose_answers_all_differ_leaves_the_others_be():
    questions = [question("q", FACT)]
    old, new = (answers(a={"q": "fact"}, b={"q": text}) for text in ("fact", "indeed"))
    found = levels(*both(questions, old, new))
    assert [m.model for m in found.contests[0].models] == ["a"]
    assert found.notes == ("Left out, since they differ between the runs: 1 answer.", f"{LONE}b.")


def test_a_model_that_one_run_lacks_in_one_variant_is_named_with_it():
    image = {"path": "q.png", "license": "CC0-1.0", "source": "made"}
    asked = question("q", FACT) | {"image": image, "text_only": "What is q?"}
    rows = answers(a={"q": "fact"}, b={"q": "fact"})
    every = [row | {"variant": variant} for variant in ("image", "text_only") for row in rows]
    fewer = [row for row in every if (row["model"], row["variant"]) != ("b", "image")]
    found = levels(*both([asked], every, fewer))
    named = {contest.variant: [m.model for m in contest.models] for contest in found.contests}
    assert (named, found.notes) == ({"image": ["a"], "text_only": ["a", "b"]}, (f"{LONE}b (image, said).",))


def test_that_models_share_no_question_is_said():
    questions = [question("q1", FACT), question("q2", FACT)]
    every = answers(a={"q1": "fact", "q2": ""}, b={"q1": "", "q2": "fact"})
    found = levels(*both(questions, every, every[::3]))
    assert found.contests == ()
    assert found.notes == (
        "Nothing is left of text_only, said: no question has a score of every model by both rubrics.",
    )
