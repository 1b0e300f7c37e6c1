"""Two texts are one fact only if nothing that could matter differs."""

import pytest

from gamut_eval.benchmark.lint.sameness import name_key, same_word, say_the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The dish is jollof rice.", "The dish is a jollof rice"),
        ("Espresso is brewed at about 9 bar.", "An espresso is usually brewed at 9 bar."),
        ("Tabby is a pattern of the cat's coat.", "Tabby is the pattern of cats' coats."),
        ("The cheese on the pizza is mozzarella.", "The cheese on the pizza is mozarella."),
        ("Блюдо называется джолоф.", "блюдо называется Джолоф"),
        ("这道菜叫辣椒炒肉", "这道菜叫辣椒炒肉。"),
    ],
)
def test_the_same(one, other):
    assert say_the_same(one, other)
    assert say_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Espresso has more caffeine than filter coffee.", "Filter coffee has more caffeine than espresso."),
        ("Espresso has more caffeine than filter coffee.", "Espresso has less caffeine than filter coffee."),
        ("The bridge was built in 1889.", "The bridge was built in 1899."),
        ("The kettle is safe for all induction hobs.", "The kettle is not safe for all induction hobs."),
        ("Hypertension damages the arteries.", "Hypotension damages the arteries."),
        (
            "Travellers should get the hepatitis A vaccine first.",
            "Travellers should get the hepatitis B vaccine first.",
        ),
        ("Travellers should get a hepatitis vaccine in time.", "Travellers should get a hepatitis A vaccine in time."),
        (
            "The answer should define GIS models of land use.",
            "The answer should mention limits of GIS models of land use.",
        ),
        ("Side effects of the drug include headache.", "Side effects of the drug include insomnia."),
        ("Блюдо называется джолоф.", "Блюдо называется плов."),
        ("红茶是中国茶", "绿茶是中国茶"),
        ("🍅", "🌶"),
        ("The lake freezes at -5 °C.", "The lake freezes at 5 °C."),
        ("Doses > 5 mg are harmful.", "Doses < 5 mg are harmful."),
        ("The kernel of the system is written in C.", "The kernel of the system is written in C++."),
    ],
)
def test_not_the_same(one, other):
    assert not say_the_same(one, other)
    assert not say_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("vinegar", "vinegra", True),
        ("broccoli", "brocoli", True),
        ("flour", "floor", False),
        ("alkanes", "alkenes", False),
        ("macroevolution", "microevolution", False),
        ("rice", "rcie", False),
    ],
)
def test_slips_of_the_pen(one, other, same):
    assert same_word(one, other) is same


def test_names():
    assert name_key("The Blossom-End Rot") == name_key("blossom end rots")
    assert name_key("berries") == name_key("berry")
    assert name_key("glass") != name_key("glas")
    assert len({name_key(name) for name in ("C", "C++", "C#")}) == 3
    assert name_key("!") == ""
