import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut_eval.reports.html.quotes import Segment, find_quote, mark_quotes

WORDS = st.text("ab \n\t\u00a0.", max_size=30)


def marked(text: str, *quotes: tuple[str, str | None]) -> list[tuple[str, tuple[str, ...]]]:
    return [(segment.text, segment.checks) for segment in mark_quotes(text, quotes)]


def test_exact_quote():
    assert marked("Fry the base.", ("a", "the base")) == [("Fry ", ()), ("the base", ("a",)), (".", ())]


def test_white_space_is_taken_for_any_other():
    assert marked("Fry the\n  base.", ("a", "the base")) == [("Fry ", ()), ("the\n  base", ("a",)), (".", ())]
    assert marked("Fry the base.", ("a", " the\nbase")) == [("Fry ", ()), ("the base", ("a",)), (".", ())]


def test_an_exact_quote_goes_before_an_earlier_one_with_other_white_space():
    assert find_quote("a\nb, a b", "a b") == (5, 8)


@pytest.mark.parametrize("quote", [None, "", "  ", "not there", "FRY", "Fry.the"])
def test_what_is_not_there_marks_nothing(quote):
    assert marked("Fry the base.", ("a", quote)) == [("Fry the base.", ())]


def test_overlapping_quotes_share_what_they_share():
    assert marked("one two three", ("a", "one two"), ("b", "two three")) == [
        ("one ", ("a",)),
        ("two", ("a", "b")),
        (" three", ("b",)),
    ]


def test_nested_and_equal_quotes():
    assert marked("one two three", ("a", "one two three"), ("b", "two"), ("c", "two")) == [
        ("one ", ("a",)),
        ("two", ("a", "b", "c")),
        (" three", ("a",)),
    ]


def test_neighbours_are_not_merged():
    assert marked("onetwo", ("a", "one"), ("b", "two")) == [("one", ("a",)), ("two", ("b",))]


def test_a_repeated_passage_is_marked_where_it_first_stands():
    assert marked("no, no", ("a", "no")) == [("no", ("a",)), (", no", ())]


def test_one_check_quoted_by_several_judges():
    assert marked("one two", ("a", "one"), ("a", "one two")) == [("one", ("a",)), (" two", ("a",))]


def test_patterns_in_quotes_mean_nothing():
    assert marked("a.*b (c", ("a", ".*b  (c")) == [("a", ()), (".*b (c", ("a",))]


def test_empty_text():
    assert mark_quotes("", [("a", "x")]) == []


@given(WORDS, st.lists(st.tuples(st.sampled_from("abc"), WORDS), max_size=6))
def test_segments_joined_are_the_text_and_cover_every_quote(text, quotes):
    segments = mark_quotes(text, quotes)
    assert "".join(segment.text for segment in segments) == text
    assert all(segment.text for segment in segments)
    for check, quote in quotes:
        span = find_quote(text, quote)
        if span is not None:
            assert _covered_by(segments, check) >= set(range(*span))
            assert text[slice(*span)].split() == quote.split()


def _covered_by(segments: list[Segment], check: str) -> set[int]:
    covered, at = set(), 0
    for segment in segments:
        if check in segment.checks:
            covered |= set(range(at, at + len(segment.text)))
        at += len(segment.text)
    return covered
