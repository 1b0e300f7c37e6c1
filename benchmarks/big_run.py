"""A run of the paper's size and shape, simulated: models of known ability, judges of known leniency.

Usage: big_run.py FOLDER [--models 14] [--judges 3] [--questions 1813] [--variants text_only,image]

Nothing in it was said by a model: names, answers and verdicts are drawn at random, to measure reports and pages with.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import synthetic

import gamut_eval
from gamut_eval.hashing import sha256
from gamut_eval.judging.judge import Ask, Judge
from gamut_eval.records import Judgement, Outcome, Response, Verdict

N_MODELS, N_JUDGES = 14, 3
_QUALITIES = ("rotated", "truncated", "occluded", "low_light", "blurred", "normal")


def _draw(*about: Any) -> random.Random:
    return random.Random(sha256(list(about)))


def ability(model: str) -> float:
    """Between 0 and 1, the first model's highest; neighbours come close to each other."""
    place = int(model.rsplit("-", 1)[1])
    return 0.75 - 0.045 * place + 0.02 * (place % 2)


class Simulated(Judge):
    """Draws verdicts from a model's ability, a question's difficulty, and its own leniency."""

    def __init__(self, number: int) -> None:
        self.name = f"simulated-judge-{number}"
        self.note = "Simulated: verdicts are drawn at random."
        self._leniency = (0.0, 0.01, 0.07)[number % 3]

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"leniency": self._leniency}

    async def judge(self, ask: Ask) -> Outcome:
        response, check = ask.response, ask.check
        shared = _draw("truth", response.question_id, check.id, response.model).random()
        ease = 0.3 * _draw("ease", response.question_id).random()
        seeing = 0.15 if response.variant == "text_only" else 0.0
        own = 0.08 * (_draw(self.name, *response.key, check.id).random() - 0.5)
        reached = ability(response.model) + ease + seeing - 0.2 + self._leniency + own - shared
        words = (response.text or "").split(". ")
        quote = words[_draw(check.id).randrange(len(words))]
        if reached > 0:
            return Judgement(Verdict.MEETS, quote, "It says so in other words.")
        if reached > -0.1:
            return Judgement(Verdict.PARTIALLY_MEETS, quote, "It says part of it.")
        if shared > 0.96:
            return Judgement(Verdict.CONTRADICTS, quote, "It says the opposite.")
        return Judgement(Verdict.MISSING, None, "It says nothing of it.")


def questions(n: int) -> Iterator[dict[str, Any]]:
    """Synthetic questions with images of known quality, some of them shared by several questions."""
    for place, question in enumerate(synthetic.questions(n)):
        draw = random.Random(place)
        image = {"path": f"images/{place - place % 40 % 3:05}.jpg", "quality": [draw.choice(_QUALITIES)]}
        yield question | {"image": image | {"egocentric": draw.random() < 0.8}}


def responses(ids: list[str], n_models: int, variants: list[str]) -> Iterator[Response]:
    """Answers of random words; abler models' are longer, on the whole."""
    for place in range(n_models):
        model = f"simulated-model-{place:02}"
        for name in ids:
            draw = _draw(model, name)
            n_words = int(80 + 200 * ability(model) + 80 * draw.random())
            for variant in variants:
                yield Response(name, model, variant, text=synthetic.answer(draw, n_words))  # type: ignore[arg-type]


def make(folder: Path, n_models: int, n_judges: int, n_questions: int, variants: list[str]) -> None:
    """Write the run."""
    rows = list(questions(n_questions))
    answers = list(responses([row["id"] for row in rows], n_models, variants))
    judges: list[str | Judge] = [Simulated(number) for number in range(n_judges)]
    gamut_eval.evaluate(rows, answers, judges, run=folder).close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=int, default=N_MODELS)
    parser.add_argument("--judges", type=int, default=N_JUDGES)
    parser.add_argument("--questions", type=int, default=synthetic.N_QUESTIONS)
    parser.add_argument("--variants", default="text_only")
    given = parser.parse_args()
    make(given.folder, given.models, given.judges, given.questions, given.variants.split(","))
