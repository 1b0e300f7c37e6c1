"""A benchmark of GAMUT's size with the structure that the paper reports, made up of random words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

N_QUESTIONS = 1813
WORDS = [
    a + b + c
    for a in ("ba", "re", "mo", "tiv", "sul", "gar", "pen")
    for b in ("ka", "lo", "ni", "tu")
    for c in "nrstel"
]
TIERS = (["answer_critical"] * 39) + (["valuable"] * 38) + (["context"] * 23)


def questions(n: int = N_QUESTIONS, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Plain data of ``n`` questions: about 15 checks and 10 evidence pages each."""
    rng = random.Random(seed)
    for place in range(n):
        evidence = [_evidence(rng, f"e{k}") for k in range(rng.randint(7, 13))]
        items = list(_items(rng, [page["id"] for page in evidence]))
        insights = []
        if rng.random() < 0.13:
            insights = [{"id": "insight", "tier": "valuable", "statement": _text(rng, 16), "items": [items[0]["id"]]}]
        yield {
            "id": f"q-{place:05}",
            "domain": rng.choice(["plants", "local", "vehicle", "food", "objects"]),
            "question": _text(rng, 23) + "?",
            "text_only": _text(rng, 25) + "?",
            "rubric": {"items": items, "insights": insights, "evidence": evidence},
        }


def _items(rng: random.Random, pages: list[str]) -> Iterator[dict[str, Any]]:
    makers = [_simple] * 4 + [_strict] + [_flexible] + [_relationship] * 2 + [_process]
    chosen = rng.sample(makers, k=rng.randint(6, 9))
    for place, make in enumerate(chosen):
        yield {
            "id": f"item-{place}",
            "tier": rng.choice(TIERS),
            **make(rng),
            "evidence": rng.sample(pages, k=2),
        }


def _simple(rng: random.Random) -> dict[str, Any]:
    return {"type": "simple", "statement": _text(rng, 12)}


def _strict(rng: random.Random) -> dict[str, Any]:
    return {"type": "strict_list", "topic": _text(rng, 6), "options": _options(rng, rng.choice([2, 2, 3]))}


def _flexible(rng: random.Random) -> dict[str, Any]:
    n = rng.randint(8, 12) if rng.random() < 0.12 else rng.choice([3, 4, 4, 5])
    return {"type": "flexible_list", "topic": _text(rng, 6), "min_coverage": 2, "options": _options(rng, n)}


def _relationship(rng: random.Random) -> dict[str, Any]:
    entities = [_text(rng, 2) for _ in range(rng.choice([2, 2, 3]))]
    return {"type": "relationship", "entities": entities, "statement": _text(rng, 15)}


def _process(rng: random.Random) -> dict[str, Any]:
    mixed = rng.random() < 0.57
    steps: list[Any] = [f"{_text(rng, 7)} {k}" for k in range(rng.choice([3, 4, 4, 5]))]
    if mixed:
        steps[-1] = {"text": steps[-1], "required": False}
    return {"type": "process", "goal": _text(rng, 5), "steps": steps}


def _options(rng: random.Random, n: int) -> list[Any]:
    return [{"text": f"{_text(rng, 2)} {k}", "aliases": [_text(rng, 2)]} for k in range(n)]


def _evidence(rng: random.Random, name: str) -> dict[str, Any]:
    return {
        "id": name,
        "url": f"https://{rng.choice(WORDS)}.example/{rng.choice(WORDS)}",
        "title": _text(rng, 6),
        "summary": _text(rng, 30),
        "retrieved": "2026-11-30",
        "reviews": [{"by": rng.choice(WORDS), "kind": "model", "at": "2026-11-30", "supports": True}],
    }


def _text(rng: random.Random, n: int) -> str:
    return " ".join(rng.choices(WORDS, k=n))


def answer(rng: random.Random, n_words: int = 300) -> str:
    """A long answer of random words, in sentences."""
    sentences = [_text(rng, 15).capitalize() + "." for _ in range(n_words // 15)]
    return " ".join(sentences)
