"""The command that says what a benchmark is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import click

from gamut_eval.benchmark.stats import PAPER, statistics
from gamut_eval.cli.output import console, exit_code, format_option, plain_text, read_benchmark, write_data
from gamut_eval.files import dump_json
from gamut_eval.rubric.fields import TIERS


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def _percent(value: float) -> str:
    return f"{100 * value:.3g}%"


_Row = tuple[str, str, Callable[[float], str]]
_FIGURES: tuple[_Row, ...] = (
    ("questions", "questions.n", _number),
    ("  asked with the image", "questions.image", _number),
    ("  asked text-only", "questions.text_only", _number),
    ("  words, median", "questions.median_words", _number),
    ("  that need more than simple facts", "questions.share_beyond_simple", _percent),
    ("checks", "checks.n", _number),
    ("  a question, mean", "checks.per_question.mean", _number),
    ("  a question, median", "checks.per_question.median", _number),
    ("  a question, most", "checks.per_question.max", _number),
    *(
        (f"  {tier.value.replace('_', '-')}, {label}", f"checks.tiers.{tier.value}.{path}", unit)
        for tier in TIERS
        for label, path, unit in (
            ("share of checks", "share", _percent),
            ("a question, mean", "per_question.mean", _number),
            ("a question, median", "per_question.median", _number),
            ("a question, most", "per_question.max", _number),
        )
    ),
    ("flexible lists", "flexible_lists.n", _number),
    ("  options, median", "flexible_lists.median_options", _number),
    ("  with more than 7 options", "flexible_lists.share_over_7", _percent),
    ("strict lists", "strict_lists.n", _number),
    ("  options, median", "strict_lists.median_options", _number),
    ("processes", "processes.n", _number),
    ("  steps, median", "processes.median_steps", _number),
    ("  that mix mandatory and optional steps", "processes.share_mixed", _percent),
    ("relationships", "relationships.n", _number),
    ("  entities, median", "relationships.median_entities", _number),
    ("  with more than two entities", "relationships.share_multi_entity", _percent),
    ("meta-insights", "insights.n", _number),
    ("  questions with one", "insights.share_of_questions", _percent),
    ("evidence", "evidence.n", _number),
    ("  a question, mean", "evidence.per_question.mean", _number),
    ("  a question, most", "evidence.per_question.max", _number),
    ("  pages a question, mean", "evidence.pages_per_question.mean", _number),
    ("  distinct pages", "evidence.distinct_pages", _number),
    ("  reviewed by a person", "evidence.reviewed.person", _percent),
    ("  reviewed by a model", "evidence.reviewed.model", _percent),
    ("domains", "domains.n", _number),
)
_IN_WORDS = {
    "evidence.per_question.mean": "about 10",
    "evidence.distinct_pages": "over 9,400",
    "relationships.share_multi_entity": "52% multi-entity",
}
_NOTE = (
    "The paper does not define multi-entity; with a median of two entities, 52% cannot have more than two.\n"
    "Figures of another benchmark compare only where its rubrics were written by the same rules."
)


@click.command("stats")
@click.argument("benchmark", metavar="BENCHMARK", type=click.Path())
@click.option("--paper", is_flag=True, help="Put the figures that the paper states of its benchmark beside these.")
@format_option("table", "json", default="table")
def stats_command(benchmark: str, *, paper: bool, form: str) -> int:
    """Print what a benchmark is made of, in the paper's figures.

    Sizes of questions, checks, tiers, lists, processes, relationships and evidence. What a benchmark has no
    figure for (the steps of no process, say) is n/a.

    \b
    Examples:
      gamut stats my-benchmark --paper
      gamut stats my-benchmark --format json
    """
    loaded = read_benchmark(benchmark)
    figures = statistics(loaded)
    if form == "json":
        write_data(dump_json(figures | ({"paper": PAPER} if paper else {})))
    else:
        _print(figures, paper=paper)
    return exit_code(loaded)


def _print(figures: dict[str, Any], *, paper: bool) -> None:
    from rich.table import Table

    name, version = figures["benchmark"]["name"], figures["benchmark"]["version"]
    table = Table("", box=None, pad_edge=False)
    table.add_column(plain_text(f"{name} {version or ''}".strip()), justify="right")
    if paper:
        table.add_column("paper", justify="right")
    for label, *cells in _rows(figures):
        table.add_row(*(plain_text(cell) for cell in (label, *(cells if paper else cells[:1]))))
    console().print(table)
    if paper:
        click.echo(f"\n{_NOTE}")


def _rows(figures: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """A label, this benchmark's figure and the paper's ("" where it states none)."""
    for label, path, shown in _FIGURES:
        stated = _at(PAPER, path)
        yield label, _shown(_at(figures, path), shown), "" if stated is None else _IN_WORDS.get(path, shown(stated))
    for domain, n in figures["domains"]["questions"].items():
        stated = PAPER["domains"]["questions"].get(domain.casefold().replace("&", "and"))
        yield f"  {domain}", _number(n), "" if stated is None else _number(stated)
    splits = figures["splits"]
    if splits["n"]:
        yield "splits", _number(splits["n"]), ""
        yield from ((f"  {split}", _number(n), "") for split, n in splits["questions"].items())
        if splits["without"]:
            yield "  in none", _number(splits["without"]), ""
    yield "most common openings", "", ""
    for opening in figures["openings"]:
        yield f"  {opening['words']} …", _number(opening["n"]), ""


def _at(figures: Any, path: str) -> Any:
    for name in path.split("."):
        figures = (figures or {}).get(name)
    return figures


def _shown(value: float | None, shown: Callable[[float], str]) -> str:
    return "n/a" if value is None else shown(value)
