"""The figures that the method's paper reports, to put beside one's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.rubric.fields import TIERS, Tier

PAPER = (
    "Chen et al., Two-Level Meta-Rubrics for Evaluating Open-Ended Generation: GAMUT, "
    "a Benchmark for Factual Completeness, arXiv:2607.19322 (2026)"
)
WHERE = (
    "The main table of results, with the image, and the scores that the paper gives of questions asked without it "
    "(text-only)."
)
JUDGE = "Gemini 3.1 Pro"
N_QUESTIONS = {"image": 1813, "text_only": 1806}
WARNING = (
    "Scores compare with published ones only when the official checks, judge model and judge prompt are used. "
    "Rows marked as one's own were made here, on the benchmark and by the judge named beside them."
)


@dataclass(frozen=True)
class PublishedRow:
    """One model's line: fractions. ``text_only`` is its score without the image, None where the paper gives none."""

    model: str
    gamut: float
    tiers: Mapping[Tier, float]
    verdicts: Mapping[Verdict, float]
    text_only: float | None

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "model": self.model,
            "gamut": self.gamut,
            "tiers": {tier.value: self.tiers[tier] for tier in TIERS},
            "verdicts": {verdict.value: self.verdicts[verdict] for verdict in VERDICTS},
            "text_only": self.text_only,
        }


# Percentages as printed: Gamut; answer-critical, valuable, context; meets, partially meets, missing, contradicts.
_PRINTED: tuple[tuple[str, tuple[float, ...], float | None], ...] = (
    ("Gemini 3.1 Pro", (58.7, 63.9, 51.9, 45.1, 55.2, 11.5, 29.2, 4.1), 74.1),
    ("Gemini 3 Flash", (57.9, 63.0, 51.6, 44.7, 54.9, 12.1, 28.5, 4.5), 71.2),
    ("Claude Opus 4.8", (53.1, 59.4, 43.9, 40.4, 45.3, 13.5, 38.6, 2.6), 60.8),
    ("Gemini 2.5 Pro", (51.8, 55.8, 47.2, 39.7, 52.1, 11.5, 30.5, 5.9), None),
    ("Claude Opus 4.6", (50.5, 54.6, 45.7, 38.8, 49.2, 12.9, 32.6, 5.2), None),
    ("GPT-5.4", (42.6, 46.8, 37.8, 29.0, 39.5, 14.0, 42.0, 4.5), None),
    ("Claude Sonnet 4.6", (41.5, 46.7, 34.3, 30.5, 38.4, 13.5, 43.2, 4.9), None),
    ("GPT-4o", (34.2, 39.1, 28.0, 21.5, 29.7, 12.6, 54.3, 3.4), 58.1),
    ("Qwen3-VL 235B", (33.0, 34.1, 32.6, 26.4, 39.4, 12.1, 39.8, 8.7), None),
    ("Llama 4 Maverick", (18.3, 19.5, 17.3, 12.3, 22.9, 11.7, 57.9, 7.6), None),
    ("Llama 4 Scout", (14.1, 14.4, 14.3, 10.5, 21.1, 11.3, 59.3, 8.3), None),
    ("Qwen3-VL 8B", (13.7, 12.3, 17.0, 11.5, 27.3, 10.6, 50.7, 11.5), None),
    ("Llama 3.2 90B", (11.8, 12.7, 10.9, 8.2, 17.8, 10.0, 65.1, 7.2), None),
    ("Llama 3.2 11B", (5.1, 3.8, 7.8, 4.3, 14.2, 9.2, 68.3, 8.3), 22.7),
)


def _row(model: str, printed: tuple[float, ...], text_only: float | None) -> PublishedRow:
    gamut, *others = (round(value / 100, 3) for value in printed)
    tiers, verdicts = others[: len(TIERS)], others[len(TIERS) :]
    return PublishedRow(
        model,
        gamut,
        dict(zip(TIERS, tiers, strict=True)),
        dict(zip(VERDICTS, verdicts, strict=True)),
        None if text_only is None else round(text_only / 100, 3),
    )


PUBLISHED = tuple(_row(*line) for line in _PRINTED)
"""The paper's models, best first."""
