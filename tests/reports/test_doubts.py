"""Doubtful verdicts: counted, marked beside their checks, found by the filter, linked to."""

import re
from dataclasses import replace

import pytest

from gamut_eval.judging import reply
from gamut_eval.reports.doubts import doubtful, doubts
from gamut_eval.reports.html.page import render_page
from gamut_eval.reports.kind import REGISTRY
from gamut_eval.reports.shapes import plain
from gamut_eval.reports.wording import DOUBT_NAMES

NO_QUOTE = {"flags": ["no_quote"]}


@pytest.fixture
def flagged(source_of, question, answer):
    """Two questions, models and a judge; four of the twelve verdicts are doubtful, one for two reasons."""

    def make(**options):
        names = [(q, m, f"c{n}") for q in ("q1", "q2") for m in ("a", "b") for n in range(3)]
        more = {
            ("q1", "b", "c1"): NO_QUOTE,
            ("q2", "b", "c2"): NO_QUOTE,
            ("q2", "a", "c1"): {"flags": ["quote_not_in_response", "no_quote", 7, "no_quote"]},
            ("q1", "a", "c0"): {"flags": ["made <up>"]},
        }
        verdicts = [(*key, "j", "meets" if key[1] == "a" else "missing", more.get(key, {})) for key in names]
        asked = [question("q1"), question("q2")]
        return source_of(asked, [answer(q, m) for q in ("q1", "q2") for m in ("a", "b")], verdicts, **options)

    return make


def table(source):
    (block,) = REGISTRY.get("doubts").build(source).blocks
    return block


def test_doubts_are_counted_by_judge_and_reason(flagged):
    found = table(flagged())
    assert [column.title for column in found.columns] == ["Judge", "What", "Verdicts", "Share of its verdicts, %"]
    assert [(row[0], row[1].text, row[2]) for row in found.rows] == [
        ("j", "a verdict other than missing has no quote", 3),
        ("j", "made <up>", 1),
        ("j", "the quote is not in the answer", 1),
    ]
    assert found.rows[0][3] == pytest.approx(3 / 12)


def test_a_reason_leads_to_its_first_check_on_the_page(flagged):
    html = render_page(flagged())
    part = html.partition('<section id="doubts"')[2].partition("</section>")[0]
    links = re.findall(r'<a href="#(\w+)" dir="auto">([^<]*)</a>', part)
    assert [reason for _, reason in links] == [
        "a verdict other than missing has no quote",
        "made &lt;up&gt;",
        "the quote is not in the answer",
    ]
    for anchor, reason in links:
        item = html.partition(f'<li class="check" id="{anchor}"')[2].partition("</li>")[0]
        assert f"doubtful: <bdi>{reason}</bdi>" in item


def test_the_link_is_to_the_sample_that_has_it(source_of, question, answer):
    answers = [answer("q", "a", f"Answer {n}.", sample=n) for n in range(2)]
    verdicts = [("q", "a", "c0", "j", "meets", {"sample": n} | (NO_QUOTE if n else {})) for n in range(2)]
    html = render_page(source_of([question("q", ["valuable"])], answers, verdicts))
    assert '<a href="#q1r2c0" dir="auto">a verdict other than missing has no quote</a>' in html


def test_a_reason_leads_to_what_the_page_shows(flagged):
    source = flagged()
    first = {row[1].text: (row[1].question_id, row[1].model, row[1].check_id) for row in table(source).rows}
    assert first["a verdict other than missing has no quote"] == ("q1", "b", "c1")
    narrow = replace(source, only=("q2",))
    first = {row[1].text: (row[1].question_id, row[1].model, row[1].check_id) for row in table(narrow).rows}
    assert first["a verdict other than missing has no quote"] == ("q2", "a", "c1")
    part = render_page(narrow).partition('<section id="doubts"')[2].partition("</section>")[0]
    assert part.count("<a href=") == 2
    assert '<span dir="auto">made &lt;up&gt;</span>' in part  # only in q1, which is not shown


def test_the_mark_has_its_reason_in_words_and_the_filter_finds_it(flagged):
    html = render_page(flagged())
    assert html.count('<span class="doubt">') == 5
    marked = re.findall(r'<li class="check" id="(\w+)" data-c="\d" data-v="[^"]*\bdoubtful"', html)
    assert len(marked) == 4
    assert '<option value="doubtful">doubtful</option>' in html


def test_nothing_doubtful_has_no_section_and_no_mark(mixed):
    assert REGISTRY.get("doubts").build(mixed()) is None
    assert 'class="doubt"' not in render_page(mixed())


def test_a_verdict_in_whose_place_a_derived_one_counts_is_not_doubted(source_of, answer):
    item = {"id": "i", "type": "flexible_list", "tier": "answer_critical", "topic": "fruit", "min_coverage": 1}
    rubric = {"items": [item | {"options": ["apple", "pear"]}]}
    question = {"id": "q", "domain": "food", "question": "Which fruit?", "rubric": rubric}
    probe = source_of([question], [answer("q", "a")], [("q", "a", "i/apple", "j", "meets")])
    (whole,) = [check.id for check in probe.checks if check.parts]
    rows = [("q", "a", name, "j", "meets", NO_QUOTE) for name in (whole, "i/apple", "i/pear")]
    assert len(list(doubts(source_of([question], [answer("q", "a")], rows)))) == 3
    derived = source_of([question], [answer("q", "a")], rows, composite="derive")
    assert whole not in {doubt.check_id for doubt in doubts(derived)}
    assert doubtful(derived) == {"j": (2, 2)}


def test_a_verdict_with_several_doubts_is_one_doubtful_verdict(flagged):
    assert doubtful(flagged()) == {"j": (4, 12)}


def test_the_lead_says_what_many_of_them_mean(flagged):
    assert "If there are many, the judge copies badly" in plain(REGISTRY.get("doubts").build(flagged()).lead)


def test_each_flag_of_ours_has_words():
    assert set(DOUBT_NAMES) == {reply.QUOTE_NOT_FOUND, reply.NO_QUOTE, reply.AT_ODDS, reply.DELIMITER}
