"""What a command would send: `--dry-run`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gamut_eval.answering.model_answerer import ModelAnswerer
from gamut_eval.api import planned
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.cli.main import DONE
from gamut_eval.cli.output import console, plain_text, say
from gamut_eval.judging.model_judge import ModelJudge
from gamut_eval.llm.client import Client
from gamut_eval.records import Response
from gamut_eval.running.estimate import (
    ANSWER_TOKENS,
    CHARACTERS_A_TOKEN,
    IMAGE_TOKENS,
    VERDICT_TOKENS,
    Estimate,
    estimate_answers,
    estimate_verdicts,
    placeholders,
)
from gamut_eval.running.journal import FILE, Journal


def show_estimates(
    benchmark: Benchmark, responses: Sequence[Response] | None, judges: Sequence[str], folder: Path, **options: Any
) -> int:
    """Print what would be sent; nothing is."""
    options.pop("budget")
    plan, answers = planned(benchmark, responses, judges, **options)
    with _known(folder) as journal:
        estimates: list[Estimate] = []
        if answers:
            known = journal.known_answers() if journal else set()
            estimates += estimate_answers(answers, known)
            plan = replace(plan, responses=placeholders(answers, journal.responses() if journal else [], known))
        estimates += estimate_verdicts(plan, journal.known_keys() if journal else set())
    print_estimates(estimates)
    workers = [*plan.judges, *(answers.answerers if answers else ())]
    say_keyless([worker.client for worker in workers if isinstance(worker, ModelJudge | ModelAnswerer)])
    return DONE


def say_keyless(clients: Sequence[Client]) -> None:
    """On stderr: whose keys are not set, which a dry run does not need."""
    for client in clients:
        if client.endpoint.lacks_key:
            say(f"{client.endpoint.name}: its key is not set yet ({' or '.join(client.endpoint.key_variables)}).")


@contextlib.contextmanager
def _known(folder: Path) -> Iterator[Journal | None]:
    if not (folder / FILE).is_file():
        yield None
        return
    with Journal(folder, readonly=True) as journal:
        yield journal


def print_estimates(estimates: Sequence[Estimate]) -> None:
    """The table on stdout, what it rests on on stderr."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("As", "Name"):
        table.add_column(name)
    for name in ("Calls", "Prompt tokens", "Completion tokens", "US$"):
        table.add_column(name, justify="right")
    for one in estimates:
        counts = [f"{n:,}" for n in (one.calls, one.prompt_tokens, one.completion_tokens)]
        cost = "unknown" if one.cost is None else f"{one.cost:,.2f}"
        table.add_row(one.role, plain_text(one.name), *counts, cost)
    if estimates:
        console().print(table)
    else:
        say("No model would be called.")
    say(
        f"Nothing was sent. Estimated from {CHARACTERS_A_TOKEN} characters a token, {ANSWER_TOKENS} tokens an answer, "
        f"{VERDICT_TOKENS} a verdict and {IMAGE_TOKENS} an image; without retries, cached prompts and kept replies, "
        "and without the short call that tries a judge before answers are asked for."
    )
