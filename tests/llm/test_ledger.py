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
    ledger.start()
    ledger.start()  # counted when they begin, not when they end
    with pytest.raises(BudgetError, match=r"2 calls .*--max-calls"):
        ledger.start()
    assert ledger.in_flight == 2


def test_no_call_is_begun_once_the_money_is_spent():
    ledger = Ledger(max_cost=1.0)
    for _ in range(2):
        ledger.start()
        ledger.ended(record())
    with pytest.raises(BudgetError, match=r"\$1 .*--max-cost"):
        ledger.start()


def test_an_unknown_cost_uses_up_no_budget():
    ledger = Ledger(max_cost=0.1)
    ledger.start()
    ledger.ended(record(cost=None))
    ledger.start()
