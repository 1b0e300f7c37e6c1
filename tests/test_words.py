import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut_eval.words import first_words, n_words

TEXTS = [
    ("", 0),
    (" \n ", 0),
    ("Fry the base, then simmer.", 5),
    ("- one\n- two", 4),
    ("naïve café", 2),
    ("加鹽。", 2),
    ("「中文」字", 3),
    ("iPhone手机 x", 4),
    ("สวัสดี", 4),
    ("한국어 단어", 2),
]


@pytest.mark.parametrize(("text", "n"), TEXTS)
def test_words_are_counted_by_white_space_and_by_character_where_there_is_none(text, n):
    assert n_words(text) == n


@pytest.mark.parametrize(
    ("text", "n", "head"),
    [
        ("Fry the base, then.", 3, "Fry the base,"),
        ("  Fry\tthe  base", 2, "  Fry\tthe"),
        ("Fry the. ", 2, "Fry the. "),
        ("「中文」字", 2, "「中文」"),
        ("crème brûlée now", 2, "crème brûlée"),
    ],
)
def test_a_cut_ends_with_a_word(text, n, head):
    assert first_words(text, n) == head


@given(st.text(alphabet="ab ,\n中文「」é가ก็", max_size=40), st.integers(1, 12))
def test_the_first_words_are_a_beginning_with_as_many_words_as_there_are(text, n):
    head = first_words(text, n)
    assert text.startswith(head)
    assert n_words(head) == min(n, n_words(text))
    assert first_words(head, n) == head
    if n_words(text) <= n:
        assert head == text
    # white space made single spaces moves no word's end: analysis counts in such texts
    assert " ".join(head.split()) == first_words(" ".join(text.split()), n)
