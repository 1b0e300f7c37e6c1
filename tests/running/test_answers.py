import asyncio
import json

import pytest

from gamut_eval.answering.answerer import Answer, Answerer, Asking, FromFunction, fingerprint
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import question_from_dict
from gamut_eval.errors import BudgetError, EndpointError, Finding, InputError
from gamut_eval.hashing import sha256
from gamut_eval.llm.pictures import Pictures
from gamut_eval.records import Failure, Response, response_from_dict
from gamut_eval.running.answers import MOST_SAMPLES, AnswerPlan, answer_key, gather_answers
from gamut_eval.running.progress import Progress
from model_study import questions

PICTURE = {"path": "a.png"}
PLAIN, SHOWN, BOTH = (
    questions(1)[0] | {"id": "plain"},
    questions(1)[0] | {"id": "shown", "image": PICTURE},
    questions(1)[0] | {"id": "both", "image": PICTURE, "text_only": "What of it?"},
)
BENCHMARK = Benchmark("b", tuple(map(question_from_dict, (PLAIN, SHOWN, BOTH))))


class Echo(Answerer):
    workers, settings = 3, None

    def __init__(self, name="echo", version=1, fails=()):
        self.name, self.settings, self.fails, self.asked = name, {"version": version}, fails, []

    async def answer(self, asking):
        self.asked.append((asking.question_id, asking.variant, asking.sample))
        await asyncio.sleep(0)
        if asking.question_id in self.fails:
            return Failure("truncated", "cut off", {"served_by": "v2"})
        return Answer(f"{asking.question} {asking.sample}", {"served_by": "v1"})


def gather(plan, known=()):
    kept, progress = {}, Progress()

    def keep(key, response, question_hash):
        assert key not in kept
        kept[key] = (response, question_hash)

    asyncio.run(gather_answers(plan, set(known), keep, progress))
    return kept, progress


def plan_of(*answerers, variants=("image", "text_only"), samples=1, benchmark=BENCHMARK):
    return AnswerPlan(benchmark, answerers, variants, samples, Pictures(benchmark))


def test_each_question_is_asked_in_each_variant_it_has_in_a_fixed_order():
    askings = [(a.question_id, a.question, a.variant) for a in plan_of(Echo()).askings()]
    assert askings == [
        ("shown", "What of q000?", "image"),
        ("both", "What of q000?", "image"),
        ("plain", "What of q000?", "text_only"),
        ("both", "What of it?", "text_only"),
    ]


def test_a_picture_goes_with_the_variant_that_has_one():
    with_picture = {(a.question_id, a.variant) for a in plan_of(Echo()).askings() if a.image is not None}
    assert with_picture == {("shown", "image"), ("both", "image")}


@pytest.mark.parametrize(("variants", "n"), [(("image",), 2), (("text_only",), 2), (("image", "text_only"), 4)])
def test_how_many_are_wanted_is_how_many_are_asked(variants, n):
    plan = plan_of(Echo(), Echo("other"), variants=variants, samples=3)
    kept, progress = gather(plan)
    assert plan.n_wanted == progress.total == len(kept) == 2 * 3 * n
    assert set(kept) == set(plan.keys())


def test_answers_go_where_they_belong_with_what_else_was_said():
    kept, progress = gather(plan_of(Echo(), samples=2, variants=("text_only",)))
    assert {response.key: (response.text, response.more) for response, _ in kept.values()} == {
        (q, "echo", "text_only", n): (f"{text} {n}", {"served_by": "v1"})
        for q, text in (("plain", "What of q000?"), ("both", "What of it?"))
        for n in (0, 1)
    }
    assert {hashed for _, hashed in kept.values()} == {sha256("What of q000?"), sha256("What of it?")}
    assert (progress.judged, progress.known, progress.failures) == (4, 0, {})


def test_a_failure_is_kept_as_an_error_and_stops_nothing():
    kept, progress = gather(plan_of(Echo(fails=["both"]), variants=("text_only",)))
    errors = [response for response, _ in kept.values() if not response.answered]
    assert errors == [Response("both", "echo", "text_only", 0, None, "truncated: cut off", {"served_by": "v2"})]
    assert (progress.judged, progress.failures) == (1, {"truncated": 1})


def test_what_is_known_is_not_asked():
    plan = plan_of(Echo())
    first, *_ = keys = list(plan.keys())
    kept, progress = gather(plan, [first])
    assert set(kept) == set(keys[1:])
    assert (progress.known, progress.judged, progress.done) == (1, 3, 4)


def test_everything_that_can_change_an_answer_is_in_its_key():
    whose = fingerprint(Echo())
    base = Asking("q", "What?", "image", 0, None, "0" * 64)
    others = [
        Asking("p", "What?", "image", 0, None, "0" * 64),
        Asking("q", "What??", "image", 0, None, "0" * 64),
        Asking("q", "What?", "text_only", 0, None, "0" * 64),
        Asking("q", "What?", "image", 1, None, "0" * 64),
        Asking("q", "What?", "image", 0, None, "1" * 64),
    ]
    keys = {answer_key(whose, asking) for asking in (base, *others)}
    keys |= {answer_key(fingerprint(one), base) for one in (Echo("other"), Echo(version=2))}
    assert len(keys) == 8


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def crash(error):
    def fail(question):
        raise error

    return fail


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (crash(LookupError("no oil")), "model_crashed: LookupError: no oil"),
        (crash(asyncio.CancelledError()), "model_crashed: CancelledError: "),
        (crash(Wordless()), "model_crashed: Wordless"),
        (crash(LookupError("half \ud83c")), "model_crashed: LookupError: half \\ud83c"),
        (crash(InputError("a wrong value")), "input: a wrong value"),
        (crash(InputError([Finding("image-missing", "a.png: no such file")])), "image-missing: a.png: no such file"),
        (lambda question: 5, "model_crashed: TypeError: the model '<lambda>' returned a int, not a text"),
        (lambda question: "half \ud83c", "model_crashed: UnicodeEncodeError: "),
        (lambda question: Answer("Basil.", {"of": {1, 2}}), "input: a field beyond the known ones cannot be kept"),
        (lambda question: Answer("Basil.", {"refusal": "no"}), "input: 'refusal' must be true or false"),
    ],
)
def test_whatever_goes_wrong_with_an_answer_is_an_error_on_record_that_can_be_kept(function, error):
    kept, _ = gather(plan_of(FromFunction(function), variants=("text_only",)))
    assert len(kept) == 2
    for response, _ in kept.values():
        assert response.error.startswith(error)
        assert response_from_dict(json.loads(json.dumps(response.to_dict()))) == response


def test_an_answer_cannot_say_that_it_belongs_elsewhere():
    lying = {"question_id": "p", "model": "other", "variant": "image", "sample": 9, "response": "x", "error": "y"}
    lying |= {"n": 1}
    kept, _ = gather(plan_of(FromFunction(lambda question: Answer("Basil.", lying), "m"), variants=("text_only",)))
    rows = [response.to_dict() for response, _ in kept.values()]
    assert rows == [
        {"question_id": q, "model": "m", "variant": "text_only", "sample": 0, "response": "Basil.", "n": 1}
        for q in ("plain", "both")
    ]


@pytest.mark.parametrize("error", [EndpointError("a wrong key"), BudgetError("no more")])
def test_what_is_of_the_run_stops_it(error):
    with pytest.raises(type(error), match=str(error)):
        gather(plan_of(FromFunction(crash(error))))


def test_a_picture_that_is_not_there_is_an_error_of_that_question_alone():
    class Looking(Echo):
        async def answer(self, asking):
            return Answer("Seen." if asking.image is None else str(asking.image()))

    kept, _ = gather(plan_of(Looking()))
    told = {response.key[0::2]: response.error or response.text for response, _ in kept.values()}
    assert told["plain", "text_only"] == told["both", "text_only"] == "Seen."
    assert told["shown", "image"].startswith("image-missing: ")


@pytest.mark.parametrize("samples", [0, -1, MOST_SAMPLES + 1])
def test_a_number_of_samples_that_cannot_be_is_refused(samples):
    with pytest.raises(InputError, match=f"samples is {samples}"):
        plan_of(Echo(), samples=samples).refuse_misfits()


def test_a_variant_that_no_question_has_is_refused():
    benchmark = Benchmark("b", (question_from_dict(PLAIN),))
    with pytest.raises(InputError, match="no question can be asked in the variant image"):
        plan_of(Echo(), variants=("image",), benchmark=benchmark).refuse_misfits()


@pytest.mark.parametrize("samples", [0, 10_001, True, "3", 1.5, None])
def test_a_wrong_number_of_samples_is_refused(samples):
    with pytest.raises(InputError, match=r"samples is .*; it can be 1 to 10000"):
        plan_of(Echo(), samples=samples).refuse_misfits()
