"""What a journal holds, as the frames that scoring takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from gamut_eval.benchmark.question import Question
from gamut_eval.running.journal import Journal
from gamut_eval.scoring.counts import ASKED_TYPES, RESPONSE_TYPES, UNIT, Graded, checks_frame


def graded(
    journal: Journal, questions: Sequence[Question], *, subset: bool = False, outcomes: pl.DataFrame | None = None
) -> Graded:
    """The journal's checks, responses and verdicts.

    Parameters
    ----------
    journal
        Any journal, also of a run that goes on.
    questions
        Its questions.
    subset
        Expect only the questions that some model answered in that variant.
    outcomes
        The journal's `Journal.outcomes`, where they have been read already.
    """
    responses = _frame(journal.response_keys(), RESPONSE_TYPES)
    could = [(variant, question.id) for question in questions for variant in question.variants] if not subset else []
    askable = _frame(could, {"variant": pl.String, "question_id": pl.String})
    askable = pl.concat([askable, responses.select(askable.columns)]).unique(maintain_order=True)
    verdicts = (journal.verdicts() if outcomes is None else outcomes).select(*UNIT, "check_id", "verdict")
    asked = _frame(journal.asked(), ASKED_TYPES)
    return Graded(checks_frame(journal.checks()), responses, asked, askable, verdicts)


def _frame(rows: Sequence[Any], schema: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=schema, orient="row")
