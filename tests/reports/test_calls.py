"""Calls and cost: a price that is not known is never shown as a sum."""

from dataclasses import replace

import polars as pl
import pytest

from gamut_eval.reports.kind import REGISTRY
from gamut_eval.reports.shapes import plain

GOOD = {"error": None, "prompt_tokens": 100, "completion_tokens": 10, "cost": None, "from_cache": False}
PRICED = GOOD | {"cost": 0.5}
FAILED = GOOD | {"error": "timed_out", "prompt_tokens": None, "completion_tokens": None, "cost": 0.0}
HIT = GOOD | {"cost": 0.0, "from_cache": True}


@pytest.fixture
def priced(mixed):
    """What the section says of calls, and its lead."""

    def make(*rows):
        every = [
            {"role": "judge", "name": "j", "model": "j-1", "cached_tokens": None, "reasoning_tokens": None} | row
            for row in rows
        ]
        calls = pl.DataFrame(every, schema_overrides={"cost": pl.Float64, "error": pl.String}, infer_schema_length=None)
        types = {name: pl.Int64 for name in calls.columns if name.endswith("_tokens")}
        section = REGISTRY.get("calls").build(replace(mixed(), calls=calls.cast(types)))
        table = section.blocks[-1]
        (row,) = table.rows
        cells = dict(zip([column.title for column in table.columns], row, strict=True))
        return cells["US$"], plain(section.lead)

    return make


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ((GOOD, GOOD), "unknown"),
        ((GOOD, FAILED), "unknown"),  # the 0 of a call that failed is no price
        ((PRICED, PRICED), "1.0000"),
        ((PRICED, FAILED), "0.5000"),
        ((PRICED, FAILED | {"cost": None}), "0.5000"),
        ((PRICED, GOOD), "0.5000, 1 call unknown"),
        ((PRICED, GOOD, GOOD, FAILED), "0.5000, 2 calls unknown"),
        ((PRICED, FAILED | {"prompt_tokens": 100, "cost": None}), "0.5000, 1 call unknown"),
        ((FAILED, FAILED), "unknown"),
        ((HIT, HIT), "0.0000"),
    ],
)
def test_a_price_is_known_or_called_unknown(priced, calls, said):
    cost, lead = priced(*calls)
    assert cost == said
    assert ('pip install "gamut-eval[prices]"' in lead) == ("unknown" in said)
