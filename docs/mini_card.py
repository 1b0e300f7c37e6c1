"""The figures in gamut_mini's data card, from its own files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import gamut_eval
from gamut_eval import evaluate, load_benchmark
from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.records import VERDICTS, Judgement, VerdictRow, read_responses, read_verdicts
from gamut_eval.rubric.fields import TIERS
from gamut_eval.stats.kappa import cohen_kappa

MINI = Path(gamut_eval.__file__).parent / "data" / "gamut_mini"
START, END = "<!-- figures: written by make docs -->", "<!-- end of figures -->"


def card(page: str) -> str:
    """The card with its figures as they are today."""
    benchmark = load_benchmark(MINI)
    before, _, rest = page.partition(START)
    parts = [_questions(benchmark), _readers(benchmark), _scores(benchmark), _lexical(benchmark)]
    return f"{before}{START}\n\n" + "\n\n".join(parts) + f"\n\n{END}{rest.partition(END)[2]}"


def _table(titles: Sequence[str], rows: Iterator[Sequence[object]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _questions(benchmark: Benchmark) -> str:
    rows = (
        [
            f"`{question.id}`" + (" (held out)" if question.split == "heldout" else ""),
            question.subject or question.question.removesuffix("\n"),
            len(benchmark.checks[question.id]),
            len(question.rubric.evidence),
            f"`{question.image.package}` `{question.image.path}`" if question.image else "",
        ]
        for question in benchmark.questions
    )
    return "### Questions\n\n" + _table(("question", "about", "checks", "pages", "image"), rows)


def _verdicts(name: str) -> dict[tuple[object, ...], str]:
    return {row.key[:5]: _verdict(row) for row in read_verdicts([MINI / "verdicts" / f"{name}.jsonl"])}


def _verdict(row: VerdictRow) -> str:
    if not isinstance(row.outcome, Judgement):
        raise TypeError(f"{row.key}: not a verdict")
    return row.outcome.verdict.value


def _readers(benchmark: Benchmark) -> str:
    first, second = _verdicts("first"), _verdicts("second")
    checks = {(check.question_id, check.id): check for several in benchmark.checks.values() for check in several}
    kinds = list(dict.fromkeys(check.kind for check in checks.values()))
    groups = [("all", set(first))]
    groups += [(str(tier), {key for key in first if checks[key[0], key[4]].tier == tier}) for tier in TIERS]
    groups += [(kind, {key for key in first if checks[key[0], key[4]].kind == kind}) for kind in sorted(kinds)]
    rows = ([name, *_agreed(first, second, keys)] for name, keys in groups)
    return "### The two readings\n\n" + _table(("checks", "n", "same verdict", "Cohen's kappa"), rows)


def _agreed(one: dict[tuple[object, ...], str], other: dict[tuple[object, ...], str], keys: set[object]) -> list[str]:
    both = [(one[key], other[key]) for key in one if key in keys]
    kappa = cohen_kappa([a for a, _ in both], [b for _, b in both])
    same = sum(a == b for a, b in both) / len(both)
    return [f"{len(both):,}", f"{same:.1%}", "n/a" if kappa is None else f"{kappa:.2f}"]


def _scores(benchmark: Benchmark) -> str:
    responses = read_responses(sorted((MINI / "responses").glob("*.jsonl")))
    rows = []
    for written in (False, True):
        mine = [one for one in responses if one.model.startswith("written-") == written]
        with evaluate(benchmark, mine, f"recorded:{MINI / 'verdicts' / 'reference.jsonl'}", subset=True) as run:
            for row in sorted(run.scores().rows, key=lambda row: -(row.gamut or 0)):
                shares = [f"{100 * (row.verdicts[verdict] or 0):.1f}" for verdict in VERDICTS]
                rows.append([row.model, row.n_questions, f"{100 * (row.gamut or 0):.1f}", *shares])
    titles = ("answers of", "questions", "Gamut", "meets", "partially", "missing", "contradicts")
    return "### Scores by the reference verdicts (%)\n\n" + _table(titles, iter(rows))


def _lexical(benchmark: Benchmark) -> str:
    responses = read_responses(sorted((MINI / "responses").glob("*.jsonl")))
    held_out = {question.id for question in benchmark.questions if question.split == "heldout"}
    reference = _verdicts("reference")
    names = ["question_id", "model", "variant", "sample", "check_id", "verdict"]
    with evaluate(benchmark, responses, "lexical", subset=True) as run:
        judged = {row[:5]: row[5] for row in run.verdicts().select(names).iter_rows()}
    groups = {
        "held-out questions, three models": lambda key: key[0] in held_out and not str(key[1]).startswith("written-"),
        "held-out questions, written answers": lambda key: str(key[1]).startswith("written-"),
        "other questions, three models": lambda key: key[0] not in held_out,
    }
    rows = ([name, *_agreed(judged, reference, {key for key in judged if of(key)})] for name, of in groups.items())
    return "### `lexical` against the reference\n\n" + _table(("", "n", "same verdict", "Cohen's kappa"), rows)
