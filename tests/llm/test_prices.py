import pytest

from gamut_eval.llm import prices
from gamut_eval.llm.call import Usage
from gamut_eval.llm.prices import price_of


@pytest.fixture
def price():
    pytest.importorskip("genai_prices")
    found = price_of("openai", "gpt-4o-mini")
    assert found
    return found


def rate(price, **usage):
    """Dollars for one more token of a kind."""
    none = {"prompt": 0, "cached": 0, "completion": 0}
    return (price(Usage(**(none | usage))) - price(Usage(**none))) / 1_000_000


def test_cached_tokens_are_charged_once_at_their_own_rate_and_reasoning_is_in_the_completion(price):
    full = rate(price, prompt=1_000_000)
    cached = rate(price, prompt=1_000_000, cached=1_000_000)
    out = rate(price, completion=1_000_000)
    assert 0 < cached < full < out
    cost = price(Usage(prompt=2006, cached=1920, completion=300, reasoning=100))
    assert cost == pytest.approx(86 * full + 1920 * cached + 300 * out)


def test_without_a_count_of_cached_tokens_all_are_charged_in_full(price):
    assert price(Usage(100, None, 10)) == price(Usage(100, 0, 10)) > 0


@pytest.mark.parametrize("usage", [Usage(), Usage(prompt=5), Usage(completion=5)])
def test_unknown_tokens_have_an_unknown_price(price, usage):
    assert price(usage) is None


@pytest.mark.parametrize(
    ("provider", "model"), [(None, "gpt-4o-mini"), ("openai", "no-such-model"), ("nobody", "gpt-4o-mini")]
)
def test_an_unknown_price_is_none_and_not_zero(provider, model):
    assert price_of(provider, model) is None


def test_without_the_package_no_price_is_known(monkeypatch):
    monkeypatch.setattr(prices, "prices_are_installed", lambda: False)
    price_of.cache_clear()
    try:
        assert price_of("openai", "gpt-4o-mini") is None
    finally:
        price_of.cache_clear()
