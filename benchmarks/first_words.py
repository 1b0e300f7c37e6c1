"""How good is the estimate of what an answer's first words score, held against judging these words?

Usage: first_words.py [N …]   (default: 50 100 150)

The bundled benchmark's answers are judged whole by ``lexical``, and once more cut to N words. For each N: the estimate
from the whole answers' verdicts beside the exact question scores.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

import gamut_eval
from gamut_eval.analysis.length import scores_at

MINI = Path(gamut_eval.__file__).parent / "data" / "gamut_mini"
KEY = ["question_id", "model", "variant", "judge"]
_SAME = 1e-9


def main(lengths: list[int]) -> None:
    files = sorted((MINI / "responses").glob("*.jsonl"))
    with gamut_eval.evaluate(MINI, files, "lexical", subset=True) as run:
        source = run.source(run.scores())
        for n in lengths:
            with gamut_eval.evaluate(MINI, files, "lexical", subset=True, first_words=n) as cut:
                exact = cut.scores().questions.select(*KEY, exact="gamut")
            print(f"{n} words:", told(scores_at(source, n).join(exact, on=KEY).drop_nulls()))


def told(scores: pl.DataFrame) -> str:
    """Errors in points, of all scores; how often the bounds hold, of all and of those that the cut changes."""
    error = (pl.col("at_length") - pl.col("exact")).abs()
    held = (pl.col("low") - _SAME <= pl.col("exact")) & (pl.col("exact") <= pl.col("high") + _SAME)
    changed = (pl.col("gamut") - pl.col("exact")).abs() > _SAME
    found = scores.select(
        error=100 * error.mean(),
        whole=100 * (pl.col("gamut") - pl.col("exact")).abs().mean(),
        width=100 * (pl.col("high") - pl.col("low")).mean(),
        held=100 * held.mean(),
        held_of_changed=100 * held.filter(changed).mean(),
        n_changed=changed.sum(),
    ).row(0, named=True)
    return ", ".join(
        (
            f"{len(scores)} scores of questions",
            f"{found['n_changed']} changed",
            f"mean absolute error {found['error']:.1f} points",
            f"of the whole answers' scores {found['whole']:.1f}",
            f"bounds {found['width']:.1f} points wide on average",
            f"they hold {found['held']:.0f}% of all and {found['held_of_changed']:.0f}% of the changed exact scores",
        )
    )


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or [50, 100, 150])
