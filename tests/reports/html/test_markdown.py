"""Markdown of answers: what is styled, that no character is lost, and that hostile texts take no time."""

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut_eval.reports.html.answers import cut
from gamut_eval.reports.html.markdown import styled
from gamut_eval.reports.html.page import environment
from gamut_eval.reports.shapes import CheckView, Opinion, ResponseView
from gamut_eval.rubric.fields import Tier

HARD = st.text("ab1 *_`|#->.~\n\t:\u2028<&", max_size=60)


def css_of(text, words):
    """The styles of the run in which words begin."""
    at = text.index(words)
    for run, css in styled(text):
        if at < len(run):
            return set(css.split())
        at -= len(run)
    raise AssertionError(words)


@pytest.mark.parametrize(
    ("text", "words", "css"),
    [
        ("Fry **the base** now", "the", {"strong"}),
        ("Fry **the base** now", "** now", {"syntax"}),
        ("Fry **the base** now", " now", set()),
        ("__so__", "so", {"strong"}),
        ("an *Amanita muscaria*.", "Aman", {"em"}),
        ("**a *b* c**", "b", {"em", "strong"}),
        ("### Steps\nthen", "Steps", {"heading"}),
        ("### Steps\nthen", "###", {"syntax"}),
        ("### Steps\nthen", "then", set()),
        ("- **a**: b", "-", {"bullet"}),
        ("- **a**: b", "a", {"strong"}),
        ("12. a", "12.", {"bullet"}),
        ("| a | **b** |", "b", {"cells", "strong"}),
        ("|---|:-:|", "|", {"cells", "syntax"}),
        ("use `a*b*c` here", "a*b*c", {"code"}),
        ("```py\n**a**\n```\n**b**", "a", {"code"}),
        ("```py\n**a**\n```\n**b**", "b", {"strong"}),
        ("---", "---", {"syntax"}),
        # What only looks like it:
        ("2*3*4 = 24", "2", set()),
        ("2 * 3 * 4", "2", set()),
        ("snake_case_name", "snake", set()),
        ("**never closed", "**", set()),
        ("a ` tick", "a", set()),
        ("a | b", "a", set()),
        ("#hashtag", "#", set()),
        ("1.5 litres", "1.5", set()),
    ],
)
def test_what_is_styled(text, words, css):
    assert css_of(text, words) == css


@given(HARD)
def test_no_character_is_lost(text):
    assert "".join(run for run, _ in styled(text)) == text


@given(HARD, st.lists(st.integers(1, 9), max_size=80))
def test_runs_are_cut_where_quotes_are(text, lengths):
    kept = []
    for length in lengths:
        if sum(kept) + length <= len(text):
            kept.append(length)
    kept += [len(text) - sum(kept)] if sum(kept) < len(text) else []
    pieces = list(cut(styled(text), kept))
    assert [sum(len(run) for run, _ in piece) for piece in pieces] == kept
    assert "".join(run for piece in pieces for run, _ in piece) == text


@given(HARD, st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_the_page_has_the_answer_to_the_letter(text, quoted, line_end):
    """Whatever is quoted, the words that a reader sees are those of the answer."""
    text = text.replace("\n", line_end) if line_end != "\n" and not quoted else text
    check = CheckView("c", Tier.VALUABLE, "fact", "?", (Opinion("j", 0, "meets", text[3:9] if quoted else None),))
    view = ResponseView("m", "image", 0, 1, text, None, (), (check,))
    source = '{% from "answer_text.html" import answer_text %}{{ answer_text(answer(view), "r") }}'
    shown = environment().from_string(source).render(view=view)
    plain = environment().from_string("{{ text }}").render(text=text)
    assert re.sub("<[^>]*>", "", shown) == plain


def n_calls(text):
    """How many functions are called, built-in ones too."""
    calls = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, arg: calls.append(1) if event in ("call", "c_call") else None)
    try:
        styled(text)
    finally:
        sys.setprofile(before)
    return len(calls)


@pytest.mark.parametrize(
    "text",
    [
        unit * (100_000 // len(unit))
        for unit in (*"*`_#|-~1 \n", "* ", "*a", "*a* ", "`a", "| ", "_*", "**a", "* **a**\n")
    ],
    ids=lambda text: repr(text[:4]),
)
def test_hostile_texts_take_steps_in_proportion_and_make_no_huge_page(text):
    assert n_calls(text[:20_000]) < 2.2 * n_calls(text[:10_000])
    runs = styled(text)
    assert "".join(run for run, _ in runs) == text
    assert len(runs) <= 4000
