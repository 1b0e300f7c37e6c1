"""What tokens cost, from the package genai-prices where it is installed. An unknown price is unknown."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from gamut_eval.llm.call import Usage

Price = Callable[[Usage], float | None]


@lru_cache(maxsize=256)
def price_of(provider: str | None, model: str) -> Price | None:
    """A function from the tokens of one call to US dollars; None where no price is known."""
    if provider is None or not prices_are_installed():
        return None
    if _dollars(provider, model, Usage(1, 0, 1)) is None:
        return None
    return lambda usage: _dollars(provider, model, usage)


@lru_cache(maxsize=1)
def prices_are_installed() -> bool:
    """Whether there are any prices."""
    from importlib.util import find_spec

    return find_spec("genai_prices") is not None


@lru_cache(maxsize=65_536)
def _dollars(provider: str, model: str, usage: Usage) -> float | None:
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    if usage.prompt is None or usage.completion is None:
        return None
    tokens = Tokens(input_tokens=usage.prompt, cache_read_tokens=usage.cached or 0, output_tokens=usage.completion)
    try:
        return float(calc_price(tokens, model_ref=model, provider_id=provider).total_price)
    except (LookupError, ValueError):
        return None
