import json

import pytest

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.load import question_from_dict
from gamut_eval.benchmark.stats import PAPER, statistics

IMAGE = {"package": "p", "path": "a.png", "sha256": "0" * 64}


def fact(name, tier="answer_critical"):
    return {"id": name, "type": "simple", "tier": tier, "statement": f"It is {name}."}


def many(name, kind, options, **more):
    texts = [f"option {n}" for n in range(options)]
    return {"id": name, "type": kind, "tier": "valuable", "topic": "things", "options": texts} | more


def process(name, steps, optional=0):
    parts = [{"text": f"step {n}", "required": n >= optional} for n in range(steps)]
    return {"id": name, "type": "process", "tier": "answer_critical", "goal": "a goal", "steps": parts}


def relation(name, entities):
    named = [f"thing {n}" for n in range(entities)]
    return {"id": name, "type": "relationship", "tier": "context", "entities": named, "statement": "They differ."}


def question(question_id, *items, domain="food", text="What is it?", insights=(), evidence=(), **more):
    rubric = {"items": items, "insights": insights, "evidence": evidence}
    return question_from_dict({"id": question_id, "domain": domain, "question": text, "rubric": rubric} | more)


def figures(*questions):
    return statistics(Benchmark("b", questions))


def test_questions_count_by_variant_and_their_median_length_is_in_words():
    some = figures(
        question("a", fact("f"), text="What is this?", image=IMAGE),
        question("b", fact("f"), text="How is  this\nmade, and why?", image=IMAGE, text_only="How is bread made?"),
        question("c", fact("f"), text="Who?"),
    )["questions"]
    assert some == {"n": 3, "image": 2, "text_only": 2, "median_words": 3.0, "share_beyond_simple": 0.0}


def test_checks_a_question_overall_and_by_tier():
    # a: 1 fact; b: 3 list items (valuable) and 2 facts (context); c: 1 fact and 1 list item.
    some = figures(
        question("a", fact("f")),
        question("b", many("l", "strict_list", 3), fact("f", "context"), fact("g", "context")),
        question("c", many("l", "strict_list", 1), fact("f")),
    )["checks"]
    assert (some["n"], some["per_question"]) == (8, {"mean": 8 / 3, "median": 2.0, "max": 5})
    assert some["tiers"] == {
        "answer_critical": {"per_question": {"mean": 2 / 3, "median": 1.0, "max": 1}, "share": 2 / 8},
        "valuable": {"per_question": {"mean": 4 / 3, "median": 1.0, "max": 3}, "share": 4 / 8},
        "context": {"per_question": {"mean": 2 / 3, "median": 0.0, "max": 2}, "share": 2 / 8},
    }


def test_sizes_of_lists_processes_and_relationships():
    some = figures(
        question("a", *(many(f"l{n}", "flexible_list", n, min_coverage=1) for n in (2, 7, 8, 9))),
        question("b", *(many(f"l{n}", "strict_list", n) for n in (1, 2, 6))),
        question("c", process("p1", 3), process("p2", 5, optional=2), process("p3", 8, optional=8)),
        question("d", *(relation(f"r{place}", n) for place, n in enumerate((2, 2, 3)))),
    )
    assert some["flexible_lists"] == {"n": 4, "median_options": 7.5, "share_over_7": 0.5}
    assert some["strict_lists"] == {"n": 3, "median_options": 2.0}
    assert some["processes"] == {"n": 3, "median_steps": 5.0, "share_mixed": 1 / 3}
    assert some["relationships"] == {"n": 3, "median_entities": 2.0, "share_multi_entity": 1 / 3}
    assert some["items"] == {"flexible_list": 4, "strict_list": 3, "process": 3, "relationship": 3}
    assert some["questions"]["share_beyond_simple"] == 1.0


def test_insights_are_counted_and_the_questions_that_have_one():
    insight = {"tier": "valuable", "statement": "So it follows.", "items": ["f"]}
    two = [insight | {"id": "i1"}, insight | {"id": "i2"}]
    some = figures(question("a", fact("f"), insights=two), question("b", fact("f")), question("c", fact("f")))
    assert some["insights"] == {"n": 2, "share_of_questions": 1 / 3}
    assert some["questions"]["share_beyond_simple"] == 0.0


def test_a_page_is_an_address_without_the_place_in_it_and_counts_once():
    def entry(name, url, *kinds):
        reviews = [{"by": "x", "kind": kind, "at": "2026-01-01", "supports": True} for kind in kinds]
        return {"id": name, "url": url, "reviews": reviews}

    first = [
        entry("e1", "https://a.org/x", "person", "person"),
        entry("e2", "https://a.org/x#part", "model", "person"),
        entry("e3", "https://a.org/y"),
    ]
    some = figures(
        question("a", fact("f"), evidence=first), question("b", fact("f"), evidence=[entry("e1", "https://a.org/y")])
    )
    assert some["evidence"] == {
        "n": 4,
        "per_question": {"mean": 2.0, "median": 2.0, "max": 3},
        "pages_per_question": {"mean": 1.5, "median": 1.5, "max": 2},
        "distinct_pages": 2,
        "reviewed": {"person": 2 / 4, "model": 1 / 4},
    }


def test_domains_and_openings_come_most_first_and_then_by_name():
    some = figures(
        question("a", fact("f"), domain="vehicle", text="What is this?"),
        question("b", fact("f"), domain="food", text="“What is” that?"),
        question("c", fact("f"), domain="food", text="How?"),
        question("d", fact("f"), domain="animal", text="¿Qué es esto?"),
    )
    assert list(some["domains"]["questions"].items()) == [("food", 2), ("animal", 1), ("vehicle", 1)]
    assert some["domains"]["n"] == 3
    assert [(one["words"], one["n"]) for one in some["openings"]] == [("what is", 2), ("how", 1), ("qué es", 1)]


def test_only_the_ten_most_common_openings_are_listed():
    some = figures(*(question(f"q{n}", fact("f"), text=f"w{n:02} x?") for n in range(12)))
    assert [one["words"] for one in some["openings"]] == [f"w{n:02} x" for n in range(10)]


def test_what_is_not_there_is_none_and_never_zero():
    some = figures(question("a", fact("f")))
    assert some["flexible_lists"] == {"n": 0, "median_options": None, "share_over_7": None}
    assert some["strict_lists"] == {"n": 0, "median_options": None}
    assert some["processes"] == {"n": 0, "median_steps": None, "share_mixed": None}
    assert some["relationships"] == {"n": 0, "median_entities": None, "share_multi_entity": None}
    assert some["evidence"]["reviewed"] == {"person": None, "model": None}
    assert some["evidence"]["per_question"] == {"mean": 0.0, "median": 0.0, "max": 0}


def test_a_benchmark_of_no_question_has_no_figure_but_counts():
    some = figures()
    assert some["questions"]["n"] == some["checks"]["n"] == 0
    assert some["questions"]["median_words"] is None
    assert some["checks"]["per_question"] == {"mean": None, "median": None, "max": None}
    assert some["checks"]["tiers"]["context"]["share"] is None


def test_imported_checks_are_counted_and_a_rubric_without_items_says_nothing_of_structure():
    checks = [{"id": f"c{n}", "tier": "context", "text": "It says so."} for n in range(4)]
    alone = question_from_dict({"id": "a", "domain": "d", "question": "What?", "rubric": {"checks": checks}})
    with_items = question("b", relation("r", 2))
    assert figures(alone)["questions"]["share_beyond_simple"] is None
    both = figures(alone, with_items)
    assert both["questions"]["share_beyond_simple"] == 1.0
    assert both["checks"]["per_question"] == {"mean": 2.5, "median": 2.5, "max": 4}


def test_the_paper_s_figures_have_the_places_of_ours():
    def places(value, path=()):
        if not isinstance(value, dict):
            return {path}
        return {place for name, field in value.items() for place in places(field, (*path, name))}

    ours = places(figures(question("a", fact("f"))))
    stated = {place for place in places(PAPER) if place[:2] != ("domains", "questions")}
    assert stated <= ours


@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_figures_are_plain_data(n):
    some = figures(*(question(f"q{i}", fact("f"), process("p", 3, 1)) for i in range(n)))
    assert json.loads(json.dumps(some, allow_nan=False)) == some
