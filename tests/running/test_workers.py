"""Each judge is asked as much at once as it takes, and no more."""

import asyncio

import pytest

import gamut_eval


class Watching(gamut_eval.Judge):
    settings = {"version": 1}  # noqa: RUF012 (never changed)

    def __init__(self, name, workers):
        self.name, self.workers, self.now, self.most = name, workers, 0, 0

    async def judge(self, ask):
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        return gamut_eval.Judgement(gamut_eval.Verdict.MEETS)


ITEMS = [{"id": f"i{n}", "type": "simple", "tier": "valuable", "statement": f"Fact {n}."} for n in range(12)]
QUESTION = {"id": "q", "domain": "d", "question": "Q?", "rubric": {"items": ITEMS}}


def test_in_a_run_with_several_judges():
    alone, many = Watching("alone", 1), Watching("many", 5)
    answer = {"question_id": "q", "model": "m", "variant": "text_only", "response": "Facts."}
    gamut_eval.evaluate([QUESTION], [answer], [alone, many]).close()
    assert (alone.most, many.most) == (1, 5)


@pytest.mark.parametrize("workers", [1, 4])
def test_in_scoring_one_response(workers):
    judge = Watching("j", workers)
    assert gamut_eval.score(QUESTION, "Facts.", judge).gamut == 1.0
    assert judge.most == workers
