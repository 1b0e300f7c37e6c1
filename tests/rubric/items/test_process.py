import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut_eval.rubric.item import Compiling
from gamut_eval.rubric.items.process import Process

TO = Compiling("q")


def process(*steps, tier="valuable"):
    return Process.model_validate({"id": "p", "type": "process", "tier": tier, "goal": "tea", "steps": list(steps)})


def order_check(item):
    return next((check for check in item.compile(TO) if check.kind == "sequence"), None)


def optional(text):
    return {"text": text, "required": False}


def test_each_step_is_a_check_and_the_required_ones_have_an_order():
    item = process("boil", optional("warm the pot"), {"text": "steep", "id": "s", "evidence": ["e1"]})
    assert [(c.id, c.kind, c.tier, c.text) for c in item.compile(TO)] == [
        ("p/boil", "step", "valuable", "Gives this step of tea: boil."),
        ("p/warm-the-pot", "step", "context", "Gives this optional step of tea: warm the pot."),
        ("p/s", "step", "valuable", "Gives this step of tea: steep."),
        ("p/order", "sequence", "valuable", "Gives the steps of tea in this order: (1) boil; (2) steep."),
    ]
    order = order_check(item)
    assert [(step.id, step.text) for step in order.steps] == [("boil", "boil"), ("s", "steep")]
    assert order.before == (("boil", "s"),)
    assert order.evidence == ("e1",)


def test_optional_steps_of_a_context_process_are_not_graded():
    checks = process("a", optional("x"), "b", tier="context").compile(TO)
    assert [check.id for check in checks] == ["p/a", "p/b", "p/order"]


def test_flat_has_the_steps_without_their_order():
    assert [c.id for c in process("a", optional("x"), "b").flat(TO)] == ["p/a", "p/x", "p/b"]


@pytest.mark.parametrize(
    ("steps", "before"),
    [
        (["a"], []),
        (["a", optional("x")], []),
        ([optional("x"), optional("y")], []),
        (["a", {"text": "b", "after": []}], []),
        (["a", "b", "c"], ["ab", "bc"]),
        (["a", optional("x"), "b"], ["ab"]),
        (["a", {"text": "b", "after": []}, "c"], ["bc"]),
        (["a", {"text": "b", "after": []}, {"text": "c", "after": ["a", "b"]}], ["ac", "bc"]),
        ([{"text": "a", "after": ["c"]}, {"text": "b", "after": []}, {"text": "c", "after": []}], ["ca"]),
        (["a", {"text": "b", "after": ["a", "a"]}], ["ab"]),
        ([{"text": "a", "after": []}, "b"], ["ab"]),
    ],
)
def test_after_gives_any_partial_order(steps, before):
    check = order_check(process(*steps))
    assert (check is not None) == bool(before)
    assert [a + b for a, b in (check.before if check else ())] == before
    assert not list(process(*steps).problems())


def test_an_order_that_is_no_chain_is_spelled_out_with_all_required_steps():
    item = process("grind", {"text": "boil", "after": []}, {"text": "pour", "after": ["grind", "boil"]}, optional("x"))
    assert order_check(item).text == (
        "Gives the steps of tea in an order that keeps (1) before (3), (2) before (3): (1) grind; (2) boil; (3) pour."
    )


@pytest.mark.parametrize(
    ("steps", "code", "path", "said"),
    [
        (["a", {"text": "b", "after": ["z"]}], "unknown-step", ("steps", 1, "after", 0), "'z', which does not exist"),
        (
            ["pour it", {"text": "b", "after": ["pour-itt"]}],
            *("unknown-step", ("steps", 1, "after", 0), "did you mean 'pour-it'?"),
        ),
        (
            ["a", optional("x"), {"text": "b", "after": ["a", "x"]}],
            *("unknown-step", ("steps", 2, "after", 1), "'x', which is optional"),
        ),
        (
            ["a", optional("x") | {"after": ["a"]}],
            *("optional-after", ("steps", 1, "after"), "remove 'after'"),
        ),
        (["a", optional("x") | {"after": []}], "optional-after", ("steps", 1, "after"), "remove 'after'"),
        (["a", {"text": "b", "after": ["b"]}], "step-cycle", ("steps",), "b → b"),
        ([{"text": "a", "after": ["b"]}, "b"], "step-cycle", ("steps",), "wait for each other: "),
        (["Order", "b"], "part-id", ("steps", 0), "reserved"),
        (["a!", "a?"], "part-id", ("steps", 1), "share the id 'a'"),
    ],
)
def test_an_order_that_cannot_be_kept_is_an_error_at_its_place(steps, code, path, said):
    (problem,) = process(*steps).problems()
    assert (problem.code, problem.severity, problem.path) == (code, "error", path)
    assert said in problem.message


def test_a_context_process_of_optional_steps_only_is_an_error():
    (problem,) = process(optional("x"), optional("y"), tier="context").problems()
    assert problem.code == "nothing-graded"
    assert not list(process(optional("x"), tier="valuable").problems())


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8))
def test_a_cycle_is_found_exactly_where_no_order_of_the_steps_would_do(pairs):
    after = {b: [f"s{a}" for a, other in pairs if other == b] for b in range(5)}
    item = process(*({"text": f"s{b}", "after": after[b]} for b in range(5)))
    some_order_works = any(
        all(order.index(a) < order.index(b) for a, b in pairs) for order in itertools.permutations(range(5))
    )
    assert [p.code for p in item.problems()] == ([] if some_order_works else ["step-cycle"])
