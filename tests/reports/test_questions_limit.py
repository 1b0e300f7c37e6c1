"""A page of a large run shows as many questions in full as a browser opens readily."""

from dataclasses import replace

import pytest

import gamut_eval
from gamut_eval.reports import views
from gamut_eval.reports.html.page import render_page


class Said(gamut_eval.Judge):
    name = "said"
    settings = {"version": 1}  # noqa: RUF012 (never changed)

    async def judge(self, ask):
        return gamut_eval.Judgement(gamut_eval.Verdict.MEETS, None, f"seen {ask.check.question_id}")


@pytest.fixture
def run():
    item = {"id": "a", "type": "strict_list", "tier": "valuable", "topic": "colours", "options": ["red", "blue"]}
    questions = [{"id": f"q{n}", "domain": "d", "question": f"Ask {n}?", "rubric": {"items": [item]}} for n in range(4)]
    answers = [
        {"question_id": f"q{n}", "model": "m", "variant": "text_only", "response": f"Answer {n}."} for n in range(4)
    ]
    with gamut_eval.evaluate(questions, answers, Said()) as run:
        yield run


def shown(run, *only):
    page = render_page(replace(run.source(run.scores()), only=only))
    return [n for n in range(4) if f"seen q{n}" in page], page


def test_a_small_run_is_shown_whole(run):
    found, page = shown(run)
    assert found == [0, 1, 2, 3]
    assert "are shown here in full" not in page


def test_a_large_run_shows_the_first_questions_and_says_so(run, monkeypatch):
    monkeypatch.setattr(views, "MOST_CHARACTERS", 3500)
    found, page = shown(run)
    assert found == [0, 1]
    assert "2 of 4 questions are shown here in full" in page


def test_long_answers_count(run, monkeypatch):
    verdicts = 4 * 2 * 700
    monkeypatch.setattr(views, "MOST_CHARACTERS", verdicts + 3 * len("Answer 0."))
    assert shown(run)[0] == [0, 1, 2]


def test_one_question_is_shown_however_large(run, monkeypatch):
    monkeypatch.setattr(views, "MOST_CHARACTERS", 1)
    assert shown(run)[0] == [0]


def test_chosen_questions_are_shown(run):
    assert shown(run, "q3", "q1")[0] == [1, 3]
