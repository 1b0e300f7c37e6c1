"""A caller's mistake is told as one, with what to do."""

import pytest

import gamut_eval
from gamut_eval import InputError

ITEM = {"id": "a", "type": "simple", "tier": "valuable", "statement": "A fact."}
QUESTION = {"id": "q", "domain": "d", "question": "Q?", "rubric": {"items": [ITEM]}}
ANSWER = {"question_id": "q", "model": "m", "variant": "text_only", "response": "A fact."}


class Mine(gamut_eval.Judge):
    name = "mine"
    settings = {"version": 1}  # noqa: RUF012 (never changed)

    async def judge(self, ask):
        return gamut_eval.Judgement(gamut_eval.Verdict.MEETS)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: gamut_eval.score("q", "x"), "score() takes one question"),
        (lambda: gamut_eval.score([QUESTION], "x"), "score() takes one question"),
        (lambda: gamut_eval.score(QUESTION, "x", Mine), "Mine is a class; give a judge made of it: Mine()"),
        (lambda: gamut_eval.score(QUESTION, "x", 3), "3 is no judge"),
        (lambda: gamut_eval.evaluate(QUESTION, [ANSWER]), "put the question into a list"),
        (lambda: gamut_eval.evaluate([QUESTION], [ANSWER], Mine), "Mine is a class"),
        (lambda: gamut_eval.evaluate([QUESTION], [ANSWER], []), "no judge is named"),
    ],
)
def test_it_says_what_to_do(call, said):
    with pytest.raises(InputError) as caught:
        call()
    assert said in str(caught.value)


def test_a_closed_run_says_so():
    with gamut_eval.evaluate([QUESTION], [ANSWER], Mine()) as run:
        pass
    with pytest.raises(gamut_eval.RunError, match="the run is closed"):
        run.scores()
