import pytest

from gamut_eval.errors import BudgetError
from gamut_eval.llm.call import Usage
from gamut_eval.llm.ledger import CallRecord, Ledger


def record(error=None, cost=0.5, *, from_cache=False, name="a/m", role="judge", model="m-1"):
    return CallRecord(role, name, error, Usage(10, 4, 2), cost, 0.1, from_cache, model)


def test_calls_tokens_costs_and_errors_add_up_by_role_and_name():
    ledger = Ledger()
    records = [record(), record("server_error", 0.0), record(cost=None), record(name="b/m", role="model")]
    for one in records:
        ledger.start()
        ledger.ended(one)
    judge = ledger.spent[("judge", "a/m")]
    assert (judge.calls, judge.cost, judge.unpriced, dict(judge.errors)) == (3, 0.5, 1, {"server_error": 1})
    assert judge.usage == Usage(30, 12, 6)
    assert dict(judge.models) == {"m-1": 3}
    assert (ledger.total.calls, ledger.total.cost, ledger.total.usage) == (4, 1.0, Usage(40, 16, 8))
    assert ledger.in_flight == 0


def test_a_reply_from_the_cache_costs_nothing_and_is_no_call():
    ledger = Ledger(max_calls=1)
    for _ in range(3):
        ledger.ended(record(cost=0.0, from_cache=True))
    spent = ledger.total
    assert (spent.calls, spent.hits, spent.cost, spent.usage) == (0, 3, 0.0, Usage())
    assert ledger.in_flight == 0
    ledger.start()


def test_each_record_is_passed_on_as_it_comes():
    seen = []
    ledger = Ledger(on_call=seen.append)
    ledger.start()
    ledger.ended(record())
    ledger.ended(record(from_cache=True))
    assert seen == [record(), record(from_cache=True)]


def test_no_call_is_begun_beyond_the_most():
    ledger = Ledger(max_calls=2)
    assert ledger.start()
    assert ledger.start()  # counted when they begin, not when they end
    assert not ledger.start()  # those under way come back first
    assert ledger.in_flight == 2
    ledger.ended(record())
    ledger.ended(record())
    with pytest.raises(BudgetError, match=r"2 calls .*--max-calls"):
        ledger.start()


def test_no_call_is_begun_once_the_money_is_spent():
    ledger = Ledger(max_cost=1.0)
    for _ in range(2):
        ledger.start()
        ledger.ended(record())
    with pytest.raises(BudgetError, match=r"\$1 .*--max-cost"):
        ledger.start(0.01)


def test_calls_under_way_are_reckoned_with_what_they_are_expected_to_cost():
    ledger = Ledger(max_cost=1.0)
    assert ledger.start(0.6)
    assert not ledger.start(0.6)  # both might cost more than there is
    ledger.ended(record(cost=0.3), 0.6)
    assert ledger.start(0.6)
    ledger.cancelled(0.6)
    assert ledger.start(0.7)


def test_what_earlier_commands_took_counts():
    before = {"max_calls": 3, "max_cost": 1.0, "calls_so_far": 2, "cost_so_far": 0.9}
    with pytest.raises(BudgetError, match=r"\$0\.1000 is left"):
        Ledger(**before).start(0.2)
    ledger = Ledger(**before)
    assert ledger.start(0.1)
    ledger.ended(record(cost=0.0), 0.1)
    with pytest.raises(BudgetError, match="3 calls"):
        ledger.start()


def test_an_unknown_cost_uses_up_no_budget():
    ledger = Ledger(max_cost=0.1)
    ledger.start()
    ledger.ended(record(cost=None))
    ledger.start()


def test_once_a_budget_has_ended_a_run_no_smaller_call_slips_through():
    ledger = Ledger(max_cost=1.0)
    with pytest.raises(BudgetError):
        ledger.start(2.0)
    with pytest.raises(BudgetError):
        ledger.start(0.1)
