import math
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from gamut_eval.rubric.fields import TIERS, Day, Id, Model, Text, Tier, slug


class Fields(Model):
    text: Text = "x"
    id: Id = "x"
    day: Day | None = None
    number: float = 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tomatoes", "tomatoes"),
        ("Red  Bell\tPEPPERS", "red-bell-peppers"),
        ("  (at once!) ", "at-once"),
        ("fry — then: stir", "fry-then-stir"),
        ("snake_case and kebab-case", "snake-case-and-kebab-case"),
        ("Crème brûlée", "crème-brûlée"),
        ("Cre\u0300me", "crème"),  # the decomposed spelling is the same word
        ("ﬁne ½ cup x²", "fine-1-2-cup-x2"),  # NFKC takes compatibility characters apart
        ("STRASSE Straße", "strasse-strasse"),  # casefolded, not lowercased
        ("寿司 と ﾗｰﾒﾝ", "寿司-と-ラーメン"),
        ("हिन्दी भाषा", "हिन्दी-भाषा"),  # vowel signs are part of the word
        ("٣ أيام", "٣-أيام"),
        ("🍅 … !", ""),
        ("", ""),
    ],
)
def test_slug_keeps_letters_and_digits_of_any_script(text, expected):
    assert slug(text) == expected


def test_slug_is_cut_at_60_characters_without_a_trailing_hyphen():
    assert slug("a" * 61) == "a" * 60
    assert slug("a" * 59 + " bcd") == "a" * 59


@given(st.text())
@example("İ ŉ ϓ")
@example("a" * 59 + "-\u0301b")
def test_slug_is_short_folded_and_free_of_stray_hyphens(text):
    made = slug(text)
    assert len(made) <= 60
    assert made == made.strip("-")
    assert "--" not in made
    assert all(char == "-" or unicodedata.category(char)[0] in "LMN" for char in made)


@given(st.text(max_size=40))
def test_slug_does_not_depend_on_the_normal_form_the_text_was_typed_in(text):
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    assert {slug(form) for form in forms} == {slug(forms[0])}


def test_tiers_go_down_to_context_and_end_there():
    assert [tier.value for tier in TIERS] == ["answer_critical", "valuable", "context"]
    assert [tier.one_lower for tier in TIERS] == [Tier.VALUABLE, Tier.CONTEXT, None]


@pytest.mark.parametrize("value", ["a", "A1", "0510", "food-001", "a.b_c-d", "x" * 200])
def test_ids_are_letters_digits_dots_underscores_and_hyphens(value):
    assert Fields(id=value).id == value


@pytest.mark.parametrize("value", ["", "-a", ".a", "_a", "a b", "a/b", "a\n", "é", "٣", "x" * 201, 510, None])
def test_other_ids_are_refused(value):
    with pytest.raises(ValidationError):
        Fields(id=value)


@pytest.mark.parametrize("value", ["", "  \n", "a\x00", "bell \x07", "\x7f", "a\x1bb", 1, 1.1, True, None, b"a", ["a"]])
def test_a_text_is_a_printable_non_empty_string(value):
    with pytest.raises(ValidationError):
        Fields(text=value)


def test_a_text_keeps_its_inside_and_loses_white_space_around_it():
    assert Fields(text=" \u3000 a\tb\nc\u2028d \n").text == "a\tb\nc\u2028d"


@pytest.mark.parametrize("value", ["soon", "2026-13-01", "2026-02-30", "30.11.2026", 20261130, 2026.0, True])
def test_a_day_is_a_real_date(value):
    with pytest.raises(ValidationError):
        Fields(day=value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_are_finite(value):
    with pytest.raises(ValidationError):
        Fields(number=value)


def test_unknown_fields_are_refused_and_nothing_can_be_changed():
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Fields(txt="x")
    with pytest.raises(ValidationError, match="frozen"):
        Fields().text = "y"
