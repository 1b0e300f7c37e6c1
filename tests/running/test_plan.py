import asyncio
from collections import Counter

import pytest

from gamut_eval.api import as_benchmark
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.errors import InputError, RunMismatchError
from gamut_eval.judging.judge import Judge
from gamut_eval.records import Failure, Judgement, Response, Verdict
from gamut_eval.running.journal import Journal
from gamut_eval.running.plan import Plan, carry_out, enter
from gamut_eval.running.progress import Progress

POOL = {"id": "pool", "type": "flexible_list", "tier": "valuable", "topic": "pastas", "min_coverage": 2}
POOL |= {"options": ["trofie", "trenette", "gnocchi"]}


def question(name, *statements, items=(), **more):
    simple = [
        {"id": f"s{n}", "type": "simple", "tier": "answer_critical", "statement": text}
        for n, text in enumerate(statements)
    ]
    return {"id": name, "domain": "food", "question": f"What of {name}?", "rubric": {"items": [*simple, *items]}} | more


def answer(question_id, text="Basil.", model="m", variant="text_only", sample=0, **more):
    return Response(question_id, model, variant, sample, text, None if text is not None else "timeout", more)


class Counting(Judge):
    """Says what it is told to say of a (question, check) or of a question, else *meets*; keeps every ask."""

    def __init__(self, says=None, name="counting", workers=1, **settings):
        self.name, self.workers = name, workers
        self.says, self._settings = says or {}, settings
        self.asks = []

    @property
    def settings(self):
        return self._settings

    async def judge(self, ask):
        r = ask.response
        self.asks.append((r.question_id, ask.check.id, r.sample, ask.repeat))
        await asyncio.sleep(0)
        say = self.says.get((r.question_id, ask.check.id), self.says.get(r.question_id, Judgement(Verdict.MEETS)))
        if isinstance(say, BaseException):
            raise say
        return say


def plan(questions, responses, *judges, name="unnamed", **more):
    benchmark = Benchmark(name, as_benchmark(questions).questions)
    return Plan(benchmark, responses, judges or (Counting(),), **more)


def work(of, journal=None):
    """Enter and carry out; the progress, and a dictionary of verdicts or errors by (question, check)."""
    own = journal or Journal(None)
    progress = Progress()
    enter(of, own)
    asyncio.run(carry_out(of, own, progress))
    own.flush()
    rows = own.verdicts().iter_rows(named=True)
    said = {(row["question_id"], row["check_id"]): row["verdict"] or row["error"] for row in rows}
    if journal is None:
        own.close()
    return progress, said


def test_every_check_of_every_response_is_asked_of_every_judge_as_often_as_wanted():
    judges = Counting(name="a"), Counting(name="b")
    of = plan(
        [question("p", "x", "y"), question("q", "z")],
        [answer("p"), answer("p", sample=1), answer("q")],
        *judges,
        repeats=2,
    )
    progress, _ = work(of)
    wanted = {
        (q, c, s, r)
        for q, c, s in [("p", "s0", 0), ("p", "s1", 0), ("p", "s0", 1), ("p", "s1", 1), ("q", "s0", 0)]
        for r in (0, 1)
    }
    for judge in judges:
        assert len(judge.asks) == len(wanted)
        assert set(judge.asks) == wanted
    assert (progress.total, progress.judged, progress.done, of.n_wanted) == (20, 20, 20, 20)


@pytest.mark.parametrize("nothing", [answer("q", ""), answer("q", "\n "), answer("q", "I cannot.", refusal=True)])
def test_an_empty_response_and_a_refusal_miss_everything_and_no_one_is_asked(nothing):
    judge = Counting()
    _, said = work(plan([question("q", "x", "y")], [nothing], judge))
    assert said == {("q", "s0"): "missing", ("q", "s1"): "missing"}
    assert judge.asks == []


def test_words_that_are_marked_as_a_refusal_later_miss_everything():
    with Journal(None) as journal:
        work(plan([question("q", "x")], [answer("q", "I cannot.")]), journal)
        _, said = work(plan([question("q", "x")], [answer("q", "I cannot.", refusal=True)]), journal)
    assert said == {("q", "s0"): "missing"}


def test_an_error_in_place_of_a_response_is_not_judged():
    judge = Counting()
    progress, said = work(plan([question("q", "x")], [answer("q", None)], judge))
    assert (said, judge.asks, progress.total) == ({}, [], 0)


def test_deriving_asks_no_coverage_check_that_has_parts():
    ask, derive = Counting(), Counting()
    work(plan([question("q", items=[POOL])], [answer("q")], ask))
    work(plan([question("q", items=[POOL])], [answer("q")], derive, composite="derive"))
    assert Counter(check for _, check, _, _ in ask.asks) - Counter(check for _, check, _, _ in derive.asks) == {
        "pool/at-least-2": 1
    }
    assert len(derive.asks) == 3


@pytest.mark.parametrize("failed", [Failure("timeout", "30 s"), ValueError("oops")])
def test_a_judge_that_fails_on_one_item_leaves_the_others_alone(failed):
    questions = [question(f"q{n}", "x") for n in range(1, 6)]
    progress, said = work(plan(questions, [answer(f"q{n}") for n in range(1, 6)], Counting({"q2": failed})))
    code = "timeout" if isinstance(failed, Failure) else "judge_crashed"
    assert said == {(f"q{n}", "s0"): code if n == 2 else "meets" for n in range(1, 6)}
    assert (progress.judged, progress.failures) == (4, {code: 1})


class Speechless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


NO_OUTCOMES = {
    "nothing": None,
    "a word": "meets",
    "a verdict": Verdict.MEETS,
    "a plain word as verdict": Judgement("meets"),
    "no text as quote": Judgement(Verdict.MEETS, ["Basil."]),
    "half a character": Judgement(Verdict.MEETS, "\ud83d"),
    "half a character in a failure": Failure("timeout", "\ud83d"),
    "an exception that cannot say what it is": Speechless(),
    "cancelled by itself": asyncio.CancelledError(),
}


@pytest.mark.parametrize("kind", NO_OUTCOMES)
def test_whatever_a_judge_returns_that_is_no_outcome_is_a_failure_of_that_item(kind):
    judge = Counting({"p": NO_OUTCOMES[kind]})
    _, said = work(plan([question("p", "x"), question("q", "x")], [answer("p"), answer("q")], judge))
    assert said == {("p", "s0"): "judge_crashed", ("q", "s0"): "meets"}


def test_200_items_at_16_at_once_in_any_finishing_order_keep_their_own_outcomes():
    class Echo(Counting):
        async def judge(self, ask):
            for _ in range(hash(ask.response.text) % 23):
                await asyncio.sleep(0)
            return Judgement(Verdict.MEETS, None, f"{ask.response.text} {ask.check.text}")

    questions = [question(f"q{n}", f"Fact {n}.") for n in range(200)]
    with Journal(None) as journal:
        work(plan(questions, [answer(f"q{n}", f"Answer {n}.") for n in range(200)], Echo(workers=16)), journal)
        said = dict(journal.verdicts().select("question_id", "rationale").iter_rows())
    assert said == {f"q{n}": f"Answer {n}. Fact {n}." for n in range(200)}


# --- going on ------------------------------------------------------------------------------------


def again(first, second):
    """What the judge of the second plan is asked after the first was carried out, and what is seen then."""
    with Journal(None) as journal:
        work(first, journal)
        _, said = work(second, journal)
        return second.judges[0].asks, said


TEN = [question(f"q{n}", "x") for n in range(10)]


def test_only_what_is_missing_is_asked():
    first = plan(TEN, [answer(f"q{n}") for n in range(7)])
    asks, said = again(first, plan(TEN, [answer(f"q{n}") for n in range(10)], Counting()))
    assert [q for q, *_ in asks] == ["q7", "q8", "q9"]
    assert len(said) == 10


@pytest.mark.parametrize(("before", "after", "repeats"), [(1, 3, [1, 2]), (3, 3, []), (3, 1, [])])
def test_more_repeats_ask_only_the_repeats_that_are_new(before, after, repeats):
    first = plan([question("q", "x")], [answer("q")], repeats=before)
    asks, _ = again(first, plan([question("q", "x")], [answer("q")], Counting(), repeats=after))
    assert [repeat for *_, repeat in asks] == repeats


def test_failures_are_asked_again_and_verdicts_are_not():
    two = [question("p", "x"), question("q", "x")]
    first = plan(two, [answer("p"), answer("q")], Counting({"q": Failure("timeout", "")}))
    asks, said = again(first, plan(two, [answer("p"), answer("q")], Counting()))
    assert [q for q, *_ in asks] == ["q"]
    assert said == {("p", "s0"): "meets", ("q", "s0"): "meets"}


CHANGES = {
    "check": ([question("q", "X!", "y")], [answer("q")], {}, ["s0"]),
    "question": ([question("q", "x", "y", question="And now?")], [answer("q")], {}, ["s0", "s1"]),
    "response": ([question("q", "x", "y")], [answer("q", "Basil, fresh.")], {}, ["s0", "s1"]),
    "judge": ([question("q", "x", "y")], [answer("q")], {"seed": 2}, ["s0", "s1"]),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changed_is_judged_again_and_changing_back_asks_nothing_and_shows_the_first_verdicts(what):
    questions, responses, settings, asked = CHANGES[what]
    said_a, said_b = Judgement(Verdict.MEETS, None, "A"), Judgement(Verdict.MISSING, None, "B")
    a = [question("q", "x", "y")], [answer("q")]
    with Journal(None) as journal:
        work(plan(*a, Counting({"q": said_a})), journal)
        changed = Counting({"q": said_b}, **settings)
        _, said = work(plan(questions, responses, changed), journal)
        assert [check for _, check, *_ in changed.asks] == asked
        assert said == {("q", c): "missing" if c in asked else "meets" for c in ("s0", "s1")}
        third = Counting({"q": said_b})
        _, said = work(plan(*a, third), journal)
        assert third.asks == []
        assert said == {("q", "s0"): "meets", ("q", "s1"): "meets"}


@pytest.mark.parametrize(
    "same",
    [
        [question("q", "x") | {"subject": "pesto", "domain": "sauces", "group": "g"}],
        [question("q") | {"rubric": {"items": [{"id": "s0", "type": "simple", "tier": "context", "statement": "x"}]}}],
    ],
    ids=["what no judge sees", "tier"],
)
def test_what_changes_no_verdict_is_not_asked_again(same):
    asks, said = again(plan([question("q", "x")], [answer("q")]), plan(same, [answer("q")], Counting()))
    assert (asks, said) == ([], {("q", "s0"): "meets"})


def test_scoring_constants_are_no_part_of_a_key():
    from gamut_eval.benchmark.settings import ScoringSettings

    first = plan([question("q", "x")], [answer("q")])
    changed = Benchmark("unnamed", first.benchmark.questions, scoring=ScoringSettings(mu=-1.0))
    judge = Counting()
    asks, _ = again(first, Plan(changed, [answer("q")], [judge]))
    assert asks == []


def test_questions_of_the_same_id_in_turn_each_get_their_own_verdicts():
    one = [question(f"{n}", f"one {n}") for n in range(5)], [answer(f"{n}", f"One {n}.") for n in range(5)]
    two = [question(f"{n}", f"two {n}") for n in range(5)], [answer(f"{n}", f"Two {n}.") for n in range(5)]
    asks, _ = again(plan(*one), plan(*two, Counting()))
    assert len(asks) == 5


def test_a_check_that_is_gone_is_seen_no_more():
    _, said = again(
        plan([question("q", "x", "y")], [answer("q")]), plan([question("q", "x")], [answer("q")], Counting())
    )
    assert said == {("q", "s0"): "meets"}


def test_another_judge_joins_those_before():
    with Journal(None) as journal:
        work(plan([question("q", "x")], [answer("q")], Counting(name="a")), journal)
        work(plan([question("q", "x")], [answer("q")], Counting(name="b")), journal)
        assert journal.verdicts()["judge"].to_list() == ["a", "b"]
        assert [row[2] for row in journal.asked()] == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "other"}, ["benchmark", "'unnamed'", "'other'"]),
        ({"composite": "derive"}, ["composite", "'ask'", "'derive'"]),
    ],
)
def test_a_folder_of_another_benchmark_or_mode_is_refused_naming_both_and_stays_as_it_was(change, words):
    with Journal(None) as journal:
        _, before = work(plan([question("q", "x")], [answer("q")]), journal)
        with pytest.raises(RunMismatchError) as caught:
            enter(plan([question("p", "x")], [answer("p")], **change), journal)
        assert all(word in str(caught.value) for word in words)
        _, after = work(plan([question("q", "x")], [answer("q")]), journal)
        assert (before, journal.setting("benchmark"), journal.setting("composite")) == (after, "unnamed", "ask")


@pytest.mark.parametrize("cut", ["set_responses", "set_judge", "set_asked"])
def test_what_a_run_is_about_changes_as_a_whole_or_not_at_all(monkeypatch, cut):
    def killed(*_):
        raise KeyboardInterrupt

    old, new = plan([question("p", "x")], [answer("p")]), plan([question("p", "y")], [answer("p", "Nuts.")])
    with Journal(None) as journal:
        work(old, journal)
        with monkeypatch.context() as patch:
            patch.setattr(journal, cut, killed)
            with pytest.raises(KeyboardInterrupt):
                enter(new, journal)
        assert journal.setting("hash") == old.benchmark.hash
        assert [check.text for check in journal.checks()] == ["x."]
        assert work(new, journal)[1] == {("p", "s0"): "meets"}
        assert journal.setting("hash") == new.benchmark.hash


# --- misfits -------------------------------------------------------------------------------------

PICTURE = {"path": "data/coffee.png", "package": "skimage", "sha256": "0" * 64}


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (answer("fod-001"), "unknown question 'fod-001' (did you mean 'food-001'?)"),
        (answer("seen"), "cannot be asked without its image"),
        (answer("food-001", "half a character: \ud83d"), "U+D83D"),
    ],
)
def test_a_response_that_does_not_fit_is_refused_before_anything_is_asked(response, words):
    questions = [question("food-001", "x"), question("seen", "x", image=PICTURE)]
    with pytest.raises(InputError) as caught:
        plan(questions, [answer("food-001", model="other"), response]).refuse_misfits()
    (finding,) = caught.value.findings
    assert words in finding.message


def test_every_misfit_is_named_at_once():
    with pytest.raises(InputError) as caught:
        plan([question("q", "x")], [answer("a"), answer("b")]).refuse_misfits()
    assert len(caught.value.findings) == 2


def test_many_unknown_questions_among_many_are_told_in_good_time(monkeypatch):
    looked_up = Counter()
    monkeypatch.setattr("gamut_eval.running.plan.did_you_mean", lambda name, known: looked_up.update([name]) or "")
    with pytest.raises(InputError) as caught:
        plan([question("q", "x")], [answer(f"a{n}") for n in range(500)]).refuse_misfits()
    assert len(caught.value.findings) == 500
    assert looked_up.total() <= 20


@pytest.mark.parametrize("repeats", [0, 1.5, True, 10**30, 2_000_000_000])
def test_repeats_that_no_run_could_have_are_refused(repeats):
    with pytest.raises(InputError, match="repeats is"):
        plan([question("q", "x")], [answer("q")], repeats=repeats).refuse_misfits()


def test_no_response_at_all_is_refused():
    with pytest.raises(InputError, match="no response"):
        plan([question("q", "x")], []).refuse_misfits()
