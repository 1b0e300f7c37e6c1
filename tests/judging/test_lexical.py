"""The embedded judge: every structure of a check, all four verdicts, and whatever a model may answer."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut_eval.errors import InputError
from gamut_eval.judging.judge import Ask, make_judges
from gamut_eval.judging.judges.lexical import Lexical
from gamut_eval.judging.lexical.order import told_order
from gamut_eval.judging.lexical.quantities import agree, conflict, quantities
from gamut_eval.judging.lexical.reading import LONGEST_QUOTE, Reading
from gamut_eval.judging.lexical.sentences import spans
from gamut_eval.judging.lexical.spelling import MOST_WORDS, Vocabulary, misspells
from gamut_eval.judging.lexical.words import words_of
from gamut_eval.records import Judgement, Response, Verdict
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.compile import compile_rubric
from gamut_eval.rubric.item import Compiling
from gamut_eval.rubric.meta import MetaRubric

MEETS, PARTIAL, MISSING, CONTRADICTS = Verdict
QUESTION = "What is this dish, and how is it made?"

JOLLOF: dict[str, Any] = {
    "items": [
        {"id": "identity", "type": "simple", "tier": "answer_critical", "statement": "The dish is jollof rice."},
        {
            "id": "base",
            "type": "strict_list",
            "tier": "answer_critical",
            "topic": "ingredients of the tomato base",
            "options": ["tomatoes", "red bell peppers", {"text": "scotch bonnet", "aliases": ["habanero"]}],
        },
        {
            "id": "spices",
            "type": "flexible_list",
            "tier": "valuable",
            "topic": "spices used in jollof rice",
            "min_coverage": 3,
            "options": ["thyme", "curry powder", "bay leaf", "nutmeg", "ginger", "white pepper"],
        },
        {
            "id": "cooking",
            "type": "process",
            "tier": "answer_critical",
            "goal": "cooking jollof rice",
            "steps": [
                {"text": "blend the tomatoes and peppers", "id": "blend"},
                {"text": "fry the blended base in oil", "id": "fry"},
                {"text": "wash the rice", "id": "wash", "after": []},
                {"text": "add stock and the rice", "id": "add", "after": ["fry", "wash"]},
                {"text": "cover and steam on low heat", "id": "steam"},
            ],
        },
        {
            "id": "rivalry",
            "type": "relationship",
            "tier": "context",
            "entities": ["Nigerian jollof", "Ghanaian jollof"],
            "statement": "Nigerian jollof usually uses long-grain parboiled rice, Ghanaian jollof basmati.",
        },
        {
            "id": "soap",
            "type": "simple",
            "tier": "context",
            "statement": "A little mild soap does not ruin the seasoning of the iron pot.",
        },
        {
            "id": "pressure",
            "type": "simple",
            "tier": "context",
            "statement": "The stock is added at a pressure of about 9 bar.",
        },
        {
            "id": "simmer",
            "type": "simple",
            "tier": "context",
            "statement": "The rice simmers for 20 to 30 minutes at 90-96 °C.",
        },
    ],
    "insights": [
        {
            "id": "colour",
            "tier": "valuable",
            "statement": "The fried tomato-pepper base gives the dish its colour and taste.",
            "items": ["base", "cooking"],
        }
    ],
}
CHECKS = {c.id: c for c in compile_rubric(MetaRubric.model_validate(JOLLOF), Compiling("q"))}
TOLD = (
    "Blend the tomatoes with the peppers. Fry the blended base in oil. Wash the rice. "
    "Add the stock and the rice, then cover the pot and steam it on low heat."
)


def ask(check: Check | str, text: str, question: str = QUESTION) -> Judgement:
    check = CHECKS[check] if isinstance(check, str) else check
    outcome = asyncio.run(Lexical().judge(Ask(question, Response("q", "m", "text_only", 0, text), check)))
    assert isinstance(outcome, Judgement)
    assert outcome.rationale
    assert (outcome.quote is None) is (outcome.verdict is MISSING)
    assert outcome.quote is None or outcome.quote in text
    return outcome


def verdict(check: Check | str, text: str, question: str = QUESTION) -> Verdict:
    return ask(check, text, question).verdict


def fact(statement: str) -> Check:
    item = {"id": "f", "type": "simple", "tier": "answer_critical", "statement": statement}
    return compile_rubric(MetaRubric.model_validate({"items": [item]}), Compiling("q"))[0]


def option(text: str, *aliases: str, topic: str = "things that belong") -> Check:
    options = [{"text": text, "aliases": list(aliases)}]
    item = {"id": "o", "type": "strict_list", "tier": "answer_critical", "topic": topic, "options": options}
    return compile_rubric(MetaRubric.model_validate({"items": [item]}), Compiling("q"))[0]


class TestOneOption:
    @pytest.mark.parametrize(
        ("check", "text", "expected"),
        [
            ("base/tomatoes", "The base is made of ripe tomatoes.", MEETS),
            ("base/tomatoes", "A TOMATO goes in.", MEETS),
            ("base/red-bell-peppers", "Bell peppers, red ones, are blended in.", MEETS),
            ("base/red-bell-peppers", "Some bell peppers are blended in.", PARTIAL),
            ("base/red-bell-peppers", "The red pan goes on the stove.", MISSING),
            ("base/scotch-bonnet", "It gets its heat from a scotch bonnet.", MEETS),
            ("base/scotch-bonnet", "It gets its heat from habaneros.", MEETS),
            ("base/scotch-bonnet", "Perhaps a scotch bonnet goes in.", PARTIAL),
            ("base/scotch-bonnet", "A Scotch whisky is drunk with it.", MISSING),
            ("base/tomatoes", "The base does not contain tomatoes.", CONTRADICTS),
            ("base/tomatoes", "It is a base without any tomatoes.", CONTRADICTS),
            ("base/tomatoes", "There is no tomato in it.", CONTRADICTS),
            ("base/tomatoes", "It has no onions, garlic or tomatoes.", CONTRADICTS),
            ("base/tomatoes", "Tomato is not one of the ingredients.", CONTRADICTS),
            ("base/tomatoes", "Tomatoes aren't used in it.", CONTRADICTS),
            ("base/tomatoes", "Tomatoes are absent.", CONTRADICTS),
            ("base/tomatoes", "Use peppers instead of tomatoes.", MISSING),
            ("base/tomatoes", "", MISSING),
        ],
    )
    def test_verdict(self, check: str, text: str, expected: Verdict) -> None:
        assert verdict(check, text) is expected

    @pytest.mark.parametrize(
        "text",
        [
            "There is no meat in it, but tomatoes are.",
            "Do not burn the tomatoes.",
            "It contains not only peppers but also tomatoes.",
            "No doubt the tomatoes matter most.",
            "It has no onions. The tomatoes are blended.",
            "Some make it without tomatoes. The usual base has tomatoes.",
            "Tomatoes, which are not native to Africa, are blended.",
            "No, it is made of tomatoes.",
        ],
    )
    def test_a_negation_of_something_else_does_not_deny(self, text: str) -> None:
        assert verdict("base/tomatoes", text) is MEETS

    def test_a_word_of_the_topic_may_stand_elsewhere(self) -> None:
        oil = option("canola oil", "rapeseed oil", topic="oils for frying")
        assert verdict(oil, "Good oils are canola, sunflower and corn.") is MEETS
        assert verdict(oil, "Good oils for frying:\n- corn\n- canola\n- sunflower") is MEETS
        assert verdict(oil, "Any oil will do.") is MISSING

    def test_but_only_near_it(self) -> None:
        ticked = option("ticked", "agouti tabby", topic="tabby patterns")
        assert verdict(ticked, "There is the agouti tabby.") is MEETS
        assert verdict(ticked, "This is a tabby. It is a cat. It has stripes. The agouti gene matters.") is not MEETS

    def test_an_alias_that_denies_is_met_by_the_denial(self) -> None:
        care = option("washing by hand", "not in the dishwasher")
        assert verdict(care, "Never put it in the dishwasher.") is MEETS

    def test_the_words_must_stand_together(self) -> None:
        text = "The curry is yellow and comes to the table in a big bowl of clay with rice. Powder your hands."
        assert verdict("spices/curry-powder", text) is MISSING

    def test_a_question_names_nothing(self) -> None:
        assert verdict("base/tomatoes", "Does it contain tomatoes?") is MISSING


class TestThreshold:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Thyme, nutmeg and ginger go in.", MEETS),
            ("Season with thyme. A bay leaf is added. So is curry powder.", MEETS),
            ("Thyme and nutmeg go in.", PARTIAL),
            ("Thyme goes in.", MISSING),
            ("Thyme, thyme and more thyme.", MISSING),
            ("No thyme, nutmeg or ginger.", MISSING),
            ("Saffron, cumin and paprika.", MISSING),
        ],
    )
    def test_counts_distinct_options(self, text: str, expected: Verdict) -> None:
        assert verdict("spices/at-least-3", text) is expected

    def test_says_what_was_counted(self) -> None:
        outcome = ask("spices/at-least-3", "It has a bay leaf. Thyme, nutmeg and ginger go in.")
        assert outcome.rationale == "names 4 of 6 options: thyme, bay leaf, nutmeg, ginger; 3 are needed"
        assert outcome.quote == "Thyme, nutmeg and ginger go in."

    def test_a_longer_option_takes_the_words_of_a_shorter_one(self) -> None:
        options = ["pepper", "white pepper", "salt"]
        item = {
            "id": "o",
            "type": "flexible_list",
            "tier": "context",
            "topic": "x",
            "min_coverage": 2,
            "options": options,
        }
        check = compile_rubric(MetaRubric.model_validate({"items": [item]}), Compiling("q"))[0]
        assert verdict(check, "White pepper is added.") is PARTIAL
        assert verdict(check, "White pepper and some more pepper are added.") is MEETS


class TestOneStep:
    @pytest.mark.parametrize(
        ("check", "text", "expected"),
        [
            ("cooking/wash", "Wash the rice well.", MEETS),
            ("cooking/wash", "The rice is washed three times.", MEETS),
            ("cooking/blend", "Blending peppers and tomatoes comes first.", MEETS),
            ("cooking/blend", "Blend everything.", PARTIAL),
            ("cooking/blend", "Put tomatoes and peppers in.", PARTIAL),
            ("cooking/blend", "Eat it hot.", MISSING),
            ("cooking/wash", "Do not wash the rice.", CONTRADICTS),
            ("cooking/wash", "Skip washing the rice.", CONTRADICTS),
        ],
    )
    def test_verdict(self, check: str, text: str, expected: Verdict) -> None:
        assert verdict(check, text) is expected


class TestOrder:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (TOLD, MEETS),
            ("Wash the rice. " + TOLD.replace("Wash the rice. ", ""), MEETS),
            ("Blend the tomatoes with the peppers. Fry the blended base in oil. Serve.", PARTIAL),
            ("Fry the blended base in oil. Then blend the tomatoes and peppers.", CONTRADICTS),
            ("First cover it and steam it on low heat. Finally blend the tomatoes and peppers.", CONTRADICTS),
            ("Fry the blended base in oil.", MISSING),
            ("It is eaten at parties.", MISSING),
            ("- cover and steam on low heat\n- wash the rice\n- blend the tomatoes and peppers", MISSING),
            ("You wash the rice, blend the tomatoes and peppers, fry the blended base in oil.", MISSING),
        ],
    )
    def test_verdict(self, text: str, expected: Verdict) -> None:
        assert verdict("cooking/order", text) is expected

    def test_numbered_lines_tell_an_order(self) -> None:
        steps = ["Blend tomatoes and peppers", "Fry the blended base in oil", "Wash the rice", "Add stock and rice"]
        listed = "\n".join(
            f"{number}. **{step}**" for number, step in enumerate([*steps, "Cover, steam on low heat"], 1)
        )
        assert verdict("cooking/order", listed) is MEETS

    @pytest.mark.parametrize(
        "text",
        [
            "Fry the blended base in oil. Before that, blend the tomatoes and peppers.",
            "Before you fry the blended base in oil, blend the tomatoes and peppers.",
            "Fry the blended base in oil after you blend the tomatoes and peppers.",
            "Blend the tomatoes and peppers before you fry the blended base in oil.",
            "After you blend the tomatoes and peppers, fry the blended base in oil.",
        ],
    )
    def test_the_order_told_counts_not_that_of_mention(self, text: str) -> None:
        assert verdict("cooking/order", text) is PARTIAL

    @pytest.mark.parametrize(
        "text",
        [
            "Blend the tomatoes and peppers. Before that, fry the blended base in oil.",
            "Before you blend the tomatoes and peppers, fry the blended base in oil.",
            "Blend the tomatoes and peppers after you fry the blended base in oil.",
        ],
    )
    def test_a_wrong_order_told_contradicts(self, text: str) -> None:
        assert verdict("cooking/order", text) is CONTRADICTS

    def test_orders_that_follow_from_others_count(self) -> None:
        text = "First add the stock and the rice. Then blend the tomatoes and peppers."
        assert ("blend", "add") not in CHECKS["cooking/order"].before
        assert verdict("cooking/order", text) is CONTRADICTS

    def test_steps_that_may_come_at_any_time_do(self) -> None:
        assert verdict("cooking/order", "First wash the rice. Then blend the tomatoes and peppers.") is PARTIAL
        assert verdict("cooking/order", "First blend the tomatoes and peppers. Then wash the rice.") is PARTIAL

    def test_a_summary_does_not_break_the_order(self) -> None:
        assert verdict("cooking/order", f"{TOLD} After you blend the tomatoes and peppers, it is easy.") is MEETS

    def test_an_amount_of_time_moves_nothing(self) -> None:
        assert told_order("Stir it after 20 minutes") == (0, 1, 2, 3, 4)


class TestStatement:
    @pytest.mark.parametrize(
        ("check", "text", "expected"),
        [
            ("identity", "This is jollof rice.", MEETS),
            ("identity", "It's jollof rice, a West African dish.", MEETS),
            ("identity", "Perhaps this is jollof rice.", PARTIAL),
            ("identity", "A spicy meal from Africa.", MISSING),
            ("identity", "This is a paella from Spain.", CONTRADICTS),
            ("identity", "The dish is not jollof rice.", CONTRADICTS),
            ("colour", "The fried base of tomato and pepper gives it its color and its taste.", MEETS),
            ("colour", "Colour and taste come from the base.", PARTIAL),
            ("colour", "It tastes good.", MISSING),
            ("rivalry", "Nigerian jollof uses parboiled long-grain rice; Ghanaian jollof uses basmati.", MEETS),
            ("rivalry", "In Nigeria they like it hot.", MISSING),
            ("rivalry", "Ghanaian jollof uses long-grain parboiled rice, Nigerian jollof basmati.", CONTRADICTS),
            ("soap", "A little mild soap won't ruin the pot's iron seasoning.", MEETS),
            ("soap", "Mild soap is allowed on the iron.", MISSING),
            ("soap", "A little soap ruins the seasoning of an iron pot.", CONTRADICTS),
            ("pressure", "Stock is added at 9 bars of pressure.", MEETS),
            ("pressure", "Stock is added under pressure.", PARTIAL),
            ("pressure", "Stock is added at a pressure of 15 bar.", CONTRADICTS),
            ("simmer", "The rice simmers twenty-five minutes at 93 degrees Celsius.", MEETS),
            ("simmer", "Let the rice simmer at 200 °F for 25 min.", MEETS),
            ("simmer", "The rice simmers at 93 °C.", PARTIAL),
            ("simmer", "The rice simmers for two hours at 93 °C.", CONTRADICTS),
            ("simmer", "The rice simmers for 5 minutes.", CONTRADICTS),
        ],
    )
    def test_verdict(self, check: str, text: str, expected: Verdict) -> None:
        assert verdict(check, text) is expected

    def test_two_neighbours_make_it_together(self) -> None:
        outcome = ask(
            "colour", "It starts with a fried tomato and pepper base. That gives the colour and the taste. Enjoy!"
        )
        assert outcome.verdict is MEETS
        assert outcome.quote == "It starts with a fried tomato and pepper base. That gives the colour and the taste."

    def test_the_reason_names_what_is_lacking(self) -> None:
        outcome = ask("rivalry", "Nigerian jollof usually uses long-grain rice, Ghanaian jollof basmati.")
        assert outcome.rationale == "covers 9 of 10 content words; lacks 'parboiled'"

    def test_a_statement_made_elsewhere_outweighs_a_contradiction(self) -> None:
        text = (
            "A little soap ruins the seasoning of an iron pot? A little soap ruins an iron pot's seasoning, some say. "
            "But a little mild soap does not ruin the pot's seasoning."
        )
        assert verdict("soap", text) is MEETS

    def test_a_warning_is_no_contradiction_of_a_ban(self) -> None:
        ban = fact("Nobody should get under a car that is held up only by a jack.")
        assert verdict(ban, "It is dangerous to get under a car held up by a jack.") is not CONTRADICTS
        assert verdict(ban, "You can get under a car that is held up by a jack.") is CONTRADICTS

    @pytest.mark.parametrize(
        ("statement", "text"),
        [
            (
                "Wheel nuts are loosened by turning them anticlockwise.",
                "Loosen the wheel nuts by turning them clockwise.",
            ),
            ("A shot has less caffeine than a full cup.", "A shot has more caffeine than a full cup."),
            ("The machine was patented in Turin in 1884.", "The machine was patented in Turin in 1901."),
            ("The uprights weigh about 25 tons each.", "The uprights weigh 90 tonnes each."),
            ("Gravity draws the water through.", "Gravity never draws the water through."),
        ],
    )
    def test_opposites_and_other_values_contradict(self, statement: str, text: str) -> None:
        assert verdict(fact(statement), text) is CONTRADICTS
        assert verdict(fact(statement), statement) is MEETS

    def test_an_opposite_counts_only_in_the_same_place(self) -> None:
        check = fact("Plant the tomatoes out after the last frost.")
        assert verdict(check, "Plant the tomatoes out before the last frost.") is CONTRADICTS
        text = "When the last frost has passed, plant the tomatoes out, deeper than they stood before."
        assert verdict(check, text) is not CONTRADICTS

    def test_denying_a_part_of_what_the_statement_denies_is_no_contradiction(self) -> None:
        check = fact("Tabby is a coat pattern, not a cat breed.")
        assert verdict(check, "Tabby isn't a breed: it's a coat pattern of many cats.") is MEETS
        assert verdict(check, "Tabby is a cat breed, not a coat pattern.") is CONTRADICTS

    def test_a_contrast_is_no_denial(self) -> None:
        check = fact("Too much oil bakes into a sticky layer.")
        assert verdict(check, "Too much oil bakes sticky instead of into a hard layer.") is not CONTRADICTS

    def test_hedged_statements_may_be_answered_hedged(self) -> None:
        check = fact("The stones were possibly brought by sea.")
        assert verdict(check, "The stones were perhaps brought by sea.") is MEETS


class TestOnlyTheQuestion:
    @pytest.mark.parametrize(
        "question", [QUESTION, "What is jollof rice, how is the tomato base blended and fried, and is thyme in it?"]
    )
    @pytest.mark.parametrize("form", ["{}", "**{}**", "{} {}"])
    def test_repeating_it_meets_nothing(self, question: str, form: str) -> None:
        text = form.format(question, question)
        assert {check.id: verdict(check, text, question) for check in CHECKS.values()} == dict.fromkeys(CHECKS, MISSING)

    def test_nor_does_it_without_the_question_mark(self) -> None:
        question = "What is jollof rice, and how is it made?"
        text = "What is jollof rice\nHow is it made\nHere is how jollof rice is made:"
        assert {verdict(check, text, question) for check in CHECKS.values()} == {MISSING}

    def test_naming_what_the_question_names_is_an_answer(self) -> None:
        assert verdict("identity", "The dish is jollof rice.", "What is jollof rice, and how is it made?") is MEETS


class TestAnyScript:
    @pytest.mark.parametrize(
        ("statement", "text", "expected"),
        [
            ("这道菜是扬州炒饭。", "图片里的这道菜是扬州炒饭，很好吃。", MEETS),
            ("这道菜是扬州炒饭。", "我不知道。", MISSING),
            ("Это блюдо называется плов.", "Это блюдо называется плов.", MEETS),
            ("यह व्यंजन बिरयानी है।", "यह व्यंजन बिरयानी है।", MEETS),
            ("Das Gericht heißt Käsespätzle.", "Das Gericht heisst Kasespatzle.", MEETS),
        ],
    )
    def test_statement(self, statement: str, text: str, expected: Verdict) -> None:
        assert verdict(fact(statement), text, "?") is expected

    def test_options(self) -> None:
        assert verdict(option("炒饭"), "他们喜欢吃炒饭。") is MEETS
        assert verdict(option("饭"), "他们喜欢吃炒饭。") is MEETS
        assert verdict(option("炒面"), "他们喜欢吃炒饭。") is MISSING
        assert verdict(option("김치"), "김치를 먹어요.") is MEETS
        assert verdict(option("caffè latte"), "A CAFFE LATTE, please.") is MEETS


class TestQuantities:
    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ("9 bar", "9 bars"),
            ("1,500 g", "1.5 kg"),
            ("1500 grams", "1.5 kilograms"),
            ("90-96 °C", "93 degrees Celsius"),
            ("90 °C to 96 °C", "95°C"),
            ("between 350 and 500 °F", "450 F"),
            ("50 miles", "80 km"),
            ("about 25 tons", "26 tonnes"),
            ("more than 200 km", "240 kilometres"),
            ("at least 750 km", "over 750 km"),
            ("no farther than 50 miles", "20 miles"),
            ("twenty-five seconds", "25 s"),
            ("two hundred people", "200 people"),
            ("1.5 million dollars", "$1,500,000"),
            ("30 %", "thirty percent"),
            ("50 mph", "80 km/h"),
            ("around 3000 BC", "2950 BCE"),
            ("in 1884", "the year 1884"),
            ("9,5 cm", "95 mm"),
            ("５ cm", "5 cm"),
        ],
    )
    def test_the_same(self, a: str, b: str) -> None:
        (one,), (other,) = (quantities(text, words_of(text)) for text in (a, b))
        assert agree(one, other)
        assert not conflict(one, other)

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ("9 bar", "15 bar"),
            ("20 to 30 seconds", "50 seconds"),
            ("more than 200 km", "150 km"),
            ("at most 50 miles", "at most 200 miles"),
            ("no faster than about 50 mph", "up to 90 mph"),
            ("no less than 5 kg", "3 kg"),
            ("in 1884", "in 1885"),
            ("350 °F", "350 °C"),
            ("two kinds", "three kinds"),
            ("30 cm", "25 inches"),
        ],
    )
    def test_a_conflict(self, a: str, b: str) -> None:
        (one,), (other,) = (quantities(text, words_of(text)) for text in (a, b))
        assert conflict(one, other)

    @pytest.mark.parametrize(("a", "b"), [("30 cm", "25 km"), ("5 bar", "5 minutes"), ("two eggs", "three pans")])
    def test_neither(self, a: str, b: str) -> None:
        (one,), (other,) = (quantities(text, words_of(text)) for text in (a, b))
        assert not agree(one, other)
        assert not conflict(one, other)

    @pytest.mark.parametrize("text", ["one of the ways", "1" * 5000, "1.2.3", "the M2", "no number"])
    def test_no_quantity(self, text: str) -> None:
        assert quantities(text, words_of(text)) == []


class TestMisspelt:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Rub it with flaxseed oil.", MEETS),
            ("Rub it with flaxsed oil.", MEETS),
            ("Rub it with Flaxsed Oil.", MEETS),
            ("Rub it with flaxsed.", MISSING),
            ("Perhaps with flaxsed oil.", PARTIAL),
            ("It is made without flaxsed oil.", MISSING),
            ("There is no flaxsed oil in it.", MISSING),
            ("Use it instead of flaxsed oil.", MISSING),
        ],
    )
    def test_in_an_option(self, text: str, expected: Verdict) -> None:
        assert verdict(option("flaxseed oil"), text) is expected

    @pytest.mark.parametrize(
        ("name", "spelled"),
        [
            ("cappuccino", "cappucino"),
            ("macchiato", "machiato"),
            ("Worcester", "Worchester"),
            ("paprika", "papprika"),
            ("saffron", "safron"),
            ("chipotle", "chipolte"),
            ("guacamole", "guacomole"),
            ("Worcestershire", "Worchestershrie"),
        ],
    )
    def test_alone_it_is_partly_named(self, name: str, spelled: str) -> None:
        outcome = ask(option(name), f"It is {spelled}.")
        assert outcome.verdict is PARTIAL
        assert outcome.rationale == f"{name!r} is named, but misspelt"
        assert verdict(option(name), f"It has no {spelled}.") is MISSING
        assert verdict(option(name), f"It is {spelled}, that is, {name}.") is MEETS
        assert verdict(fact(f"It goes with {name}."), f"It goes with {spelled}.") is PARTIAL

    def test_several_are_counted_but_do_not_meet_alone(self) -> None:
        options = ["paprika", "saffron", "cinnamon"]
        item = {"id": "o", "type": "flexible_list", "tier": "context", "topic": "spices", "options": options}
        check = compile_rubric(MetaRubric.model_validate({"items": [item | {"min_coverage": 2}]}), Compiling("q"))[0]
        assert verdict(check, "Papprika and safron.") is PARTIAL
        assert verdict(check, "Paprika and safron.") is MEETS
        assert verdict(check, "No papprika and no safron.") is MISSING

    def test_in_a_statement_it_counts_less(self) -> None:
        check = fact("The pot is rubbed with flaxseed oil and baked.")
        outcome = ask(check, "The pot is rubbed with flaxsed oil and baked.")
        assert outcome.verdict is MEETS
        assert outcome.rationale == "covers 5 of 5 content words; misspelt: 'flaxseed'"
        assert verdict(check, "The pot is not rubbed with flaxsed oil.") is not MEETS

    def test_a_misspelt_name_is_no_other_name(self) -> None:
        check = fact("The drink is a cappuccino.")
        assert verdict(check, "This is a cappucino.", "What is this drink?") is PARTIAL
        assert verdict(check, "This is a macchiato.", "What is this drink?") is CONTRADICTS

    @pytest.mark.parametrize(
        ("word", "other"),
        [
            ("affect", "effect"),
            ("causal", "casual"),
            ("desert", "dessert"),
            ("barley", "barely"),
            ("carton", "cartoon"),
            ("complement", "compliment"),
            ("contact", "contract"),
            ("chloride", "chlorine"),
            ("country", "county"),
            ("conversation", "conservation"),
            ("hyperglycemia", "hypoglycemia"),
            ("macroscopic", "microscopic"),
            ("mackerel", "macerate"),
            ("mousse", "mouse"),
            ("Nigerian", "Nigerien"),
            ("perspective", "prospective"),
            ("refuge", "refugee"),
            ("scraping", "scrapping"),
            ("shallots", "shallows"),
            ("striped", "stripped"),
            ("sulfate", "sulfite"),
            ("kilometres", "kilometers"),
            ("northern", "norhtern"),
            ("thousand", "thousnad"),
            ("anticlockwise", "anticlokwise"),
        ],
    )
    def test_other_words_do_not_meet(self, word: str, other: str) -> None:
        for one, two in ((word, other), (other, word)):
            reading = Reading(f"There is the {two} here")
            assert reading.misspelt(one.lower(), ()) == []
            same = words_of(one)[0].stem == words_of(two)[0].stem
            assert verdict(option(one), f"It is {two}.") is (MEETS if same else MISSING)

    def test_what_else_the_check_or_question_says_is_meant_as_written(self) -> None:
        assert misspells("charlestown", "charleston")
        assert verdict(option("Charleston"), "It is Charlestown.") is PARTIAL
        assert verdict(option("Charleston", topic="ships, Charlestown"), "It is Charlestown.") is MISSING
        assert verdict(option("Charleston"), "It is Charlestown.", "Is it Charlestown?") is MISSING
        assert verdict(fact("Charleston lies south of Charlestown."), "It lies by Charlestown.") is not MEETS

    @given(st.text("abcdefg", min_size=1, max_size=14), st.text("abcdefg", min_size=1, max_size=14))
    def test_it_is_mutual_and_never_of_a_word_itself(self, one: str, other: str) -> None:
        assert misspells(one, other) == misspells(other, one)
        assert not misspells(one, one)
        assert other not in Vocabulary([other]).near(one) or misspells(other, one)

    def test_a_hostile_vocabulary_is_cut(self) -> None:
        letters = itertools.product("bcdfgh", repeat=6)
        words = [f"flax{''.join(some)}d" for some in itertools.islice(letters, 3 * MOST_WORDS)]
        assert Vocabulary(["flaxsed", *words]).near("flaxseed") == ["flaxsed"]
        assert Vocabulary([*words, "flaxsed"]).near("flaxseed") == []


class TestSentences:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Use e.g. thyme. Stir.", ["Use e.g. thyme.", "Stir."]),
            ("It took approx. 5 min. Then it was done.", ["It took approx. 5 min.", "Then it was done."]),
            ("Heat to 1.5 bar! Really?", ["Heat to 1.5 bar!", "Really?"]),
            ("这是饭。那是面。", ["这是饭。", "那是面。"]),
            ("## Base\n- salt\n2) oil\n**3.** rice", ["Base", "salt", "oil", "rice"]),
            ("a line that\ngoes on", ["a line that\ngoes on"]),
        ],
    )
    def test_spans(self, text: str, expected: list[str]) -> None:
        assert [text[span.start : span.end].lstrip("# ") for span in spans(text)] == expected


HOSTILE = {
    "one word": "jollof " * 28_000,
    "one long word": "a" * 200_000,
    "digits": "1" * 100_000,
    "numbers": "9 bar " * 33_000,
    "scales": "million " * 25_000,
    "digits and commas": "1," * 100_000,
    "stops": "." * 200_000,
    "stops and quotes": '."' * 100_000,
    "questions": "a? " * 60_000,
    "control characters": "".join(chr(n % 32) for n in range(200_000)),
    "zeros": "\0" * 200_000,
    "new lines": "\n" * 200_000,
    "short lines": "a\n" * 100_000,
    "bullets": "- " * 100_000,
    "numbered": "1. " * 60_000,
    "hashes": "#" * 200_000,
    "stars": "*" * 200_000,
    "spaces": " " * 200_000,
    "apostrophes": "a'" * 100_000,
    "negations": "not " * 50_000,
    "enumerations": "no, or, " * 25_000,
    "denied": "tomatoes are not " * 12_000,
    "going back": "Before that, wash the rice. " * 7_000,
    "after": "wash rice after fry base " * 8_000,
    "characters": "炒饭" * 100_000,
    "accents": "e" + "\u0301" * 200_000,
    "surrogates": "\ud800 jollof rice" * 1_000,
    "words alike": " ".join(f"tom{''.join(some)}es" for some in itertools.product("abdefgh", repeat=5)),
    "right to left": "\u202ejollof rice" * 10_000,
}


class TestHostile:
    @pytest.mark.parametrize("name", HOSTILE)
    def test_ends_with_a_short_quote(self, name: str) -> None:
        for check in CHECKS.values():
            assert len(ask(check, HOSTILE[name]).quote or "") <= LONGEST_QUOTE

    @pytest.mark.parametrize("text", ["", " \n", "?", "…", "\u200b", "-", "1.", "**"])
    def test_nothing_said_is_missing(self, text: str) -> None:
        assert {verdict(check, text) for check in CHECKS.values()} == {MISSING}

    def test_checks_of_any_text(self) -> None:
        for statement in (
            "?",
            "…",
            "the",
            "not",
            "9",
            "9 bar",
            "饭",
            "Says how a and b relate: ",
            "\u0301",
            "or or or",
        ):
            for text in ("", "the not 9 bar 饭 or", statement):
                ask(fact(statement), text)
                ask(option("x", statement), text)


FRAGMENTS = [
    "jollof rice", "tomatoes", "not", "no", "before that", "After", "first", "fry the blended base in oil", "steam on",
    "low heat", "blend the tomatoes and peppers", "wash the rice", "9 bar", "15 bar", "20 minutes", "is", "This",
    "thyme", "nutmeg", "Nigerian", "basmati", "soap", "ruins the seasoning", ".", ",", "\n", "\n1. ", "\n- ", "?", "or",
    "perhaps", "without", "饭", "“", "'s", "°C", "-", "\u0301",
]  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(" ".join))


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_every_text_gets_a_verdict_with_a_quote_of_it_and_always_the_same(text: str) -> None:
    for check in CHECKS.values():
        assert ask(check, text) == ask(check, text)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_words_and_sentences_keep_to_their_places(text: str) -> None:
    reading = Reading(text)
    assert sorted(told_order(text)) == list(range(len(reading.words)))
    for sentence in reading.sentences:
        assert sentence.first < sentence.last
        for word in reading.words[sentence.first : sentence.last]:
            assert sentence.start <= word.start < word.end <= sentence.end
    ends = [0, *(end for s in spans(text) for end in (s.start, s.end))]
    assert all(a <= b for a, b in itertools.pairwise(ends))


def test_a_complete_answer_beats_half_an_answer_and_that_a_wrong_one() -> None:
    whole = (
        "This is jollof rice. The base is made of tomatoes, red bell peppers and a scotch bonnet, with thyme, nutmeg, "
        f"ginger and a bay leaf. {TOLD} The fried tomato and pepper base gives the dish its colour and taste."
    )
    half = "This is jollof rice. It has tomatoes, thyme and nutmeg. Wash the rice, then add the stock and the rice."
    wrong = "This is a risotto. It has no tomatoes. First steam it on low heat. Then blend tomatoes and peppers."
    worth = {MEETS: 1.0, PARTIAL: 0.5, MISSING: 0.0, CONTRADICTS: -2.0}
    scores = [sum(worth[verdict(check, text)] for check in CHECKS.values()) for text in (whole, half, wrong)]
    assert scores[0] > scores[1] + 5 > scores[2] + 10


def test_structure_decides_not_the_kind() -> None:
    for check in CHECKS.values():
        other = Check.from_dict(check.to_dict() | {"kind": "something new"})
        assert ask(other, TOLD) == ask(check, TOLD)


def test_it_is_found_by_name_and_takes_no_argument() -> None:
    (judge,) = make_judges(["lexical"])
    assert judge.name == "lexical"
    assert judge.settings == Lexical().settings
    assert {"lexical", "snowballstemmer"} <= judge.settings.keys()
    with pytest.raises(InputError, match="takes no argument"):
        make_judges(["lexical:strict"])
