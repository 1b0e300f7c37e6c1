"""The command that lists what answers share and no check covers, for authors of rubrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from gamut_eval.analysis.gaps import ALIKE, Gap, GapFinder
from gamut_eval.analysis.source import Source
from gamut_eval.benchmark.write import write_csv, yaml_text
from gamut_eval.cli.main import DONE, say
from gamut_eval.cli.output import format_of, format_option, output_option, showing, write_printed
from gamut_eval.cli.results import RUNS, say_notes
from gamut_eval.comparing import opened, put_together
from gamut_eval.errors import InputError
from gamut_eval.files import dump_json, write_bytes
from gamut_eval.records import VARIANTS
from gamut_eval.reports.shapes import Cell, Column, Table
from gamut_eval.reports.terminal import print_table
from gamut_eval.reports.wording import counted
from gamut_eval.reports.writers.markdown import markdown
from gamut_eval.running.progress import Progress

WARNING = (
    "Shared does not mean true: models make the same mistakes. Check a statement against a source before adding it."
)
_MOST_WORDINGS = 2
_LONGEST = 100
_CSV = ("question_id", "statement", "n_stating_models", "n_models", "n_stating", "n_responses", "centrality", "models")
_NEAREST = ("nearest_check", "nearest_text", "nearest_similarity", "wordings")


@click.command("gaps")
@RUNS
@click.option("--question", "only", multiple=True, metavar="ID", help="Only this question; may be repeated.")
@click.option("--variant", type=click.Choice(VARIANTS), help="Only answers to this variant.")
@click.option(
    "--models", "n_models", type=click.IntRange(2, 9999), default=2, show_default=True, help="That share it, at least."
)
@click.option(
    "--threshold", type=float, default=ALIKE, show_default=True, help="How alike sentences have to be, 0 to 1."
)
@format_option("table", "json", "csv", "markdown", "yaml", default=None)
@output_option("File; its ending is a format.", default="-")
def gaps_command(
    runs: tuple[Path, ...],
    *,
    only: tuple[str, ...],
    variant: str | None,
    n_models: int,
    threshold: float,
    form: str | None,
    output: str,
) -> int:
    """List what several models' answers state and no check covers.

    Sentences of different models that say the same, by the words they share, are a gap where no verdict quotes them
    and no check, item or question resembles them. It asks no model. Shared does not mean true: check a statement
    before adding it. --format yaml prints items to edit. Needs the extra 'gaps'.

    \b
    Examples:
      gamut gaps runs/first
      gamut gaps runs/first runs/second --models 4 --question food-001
      gamut gaps runs/first -o gaps.csv
      gamut gaps runs/first --question food-001 --format yaml
    """
    if not 0 < threshold < 1:
        raise InputError(f"--threshold is {threshold:g}; it is a similarity, more than 0 and less than 1")
    form = format_of(form, output, _WRITERS)
    with opened(runs) as several:
        source = put_together(several, allow_incomplete=True)
        say_notes(source.notes)
        finder = GapFinder(source, n_models=n_models, threshold=threshold, variant=variant)
        found = _found(finder, source, only)
    _WRITERS[form](found, output, {"benchmark": source.benchmark, "models": n_models, "threshold": threshold})
    if form != "table":
        say(f"{counted(len(found), 'gap')}. {WARNING}")
    return DONE


def _found(finder: GapFinder, source: Source, only: Sequence[str]) -> list[Gap]:
    """Of all questions, those that the largest share of models state first."""
    names = list(dict.fromkeys(only)) or [question.id for question in source.questions]
    finder.require(names)
    progress = Progress(total=len(names), stage="questions")
    found: list[Gap] = []
    with showing(progress):
        for name in names:
            found += finder.of(name)
            progress.judged += 1
    return sorted(found, key=lambda gap: (-gap.share, -gap.centrality))


def _table(gaps: Sequence[Gap]) -> Table:
    columns = (
        *(Column("Question"), Column("Shared statement"), Column("Also worded"), Column("Models", aside=True)),
        *(Column("Central", "number"), Column("Nearest in the rubric"), Column("Similarity", "number", short="Simil.")),
    )
    rows = tuple(_row(gap) for gap in gaps)
    note = "No statement is shared by so many models and covered by no check."
    if gaps:
        note = f"{counted(len(gaps), 'statement')} that no check covers. {WARNING}"
    return Table(columns, rows, ("What answers share and no check covers",), (note,))


def _row(gap: Gap) -> tuple[Cell, ...]:
    others = list(dict.fromkeys(wording.text for wording in gap.wordings if wording.text != gap.statement))
    more = f" (and {len(others) - _MOST_WORDINGS:,} more)" if len(others) > _MOST_WORDINGS else ""
    also = " / ".join(_cut(text) for text in others[:_MOST_WORDINGS]) + more
    near = gap.nearest
    rubric = "" if near is None else _cut(f"{near.check_id}: {near.text}" if near.check_id else near.text)
    stated = f"{len(gap.models)} of {gap.n_models}"
    return gap.question_id, gap.statement, also, stated, gap.centrality, rubric, near.similarity if near else None


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} …"


def _print(gaps: Sequence[Gap], output: str, about: dict[str, Any]) -> None:
    write_printed(lambda terminal: print_table(_table(gaps), terminal), output)


def _write_json(gaps: Sequence[Gap], output: str, about: dict[str, Any]) -> None:
    rows = [asdict(gap) | {"share": gap.share} for gap in gaps]
    write_bytes(output, dump_json(about | {"warning": WARNING, "gaps": rows}))


def _write_csv(gaps: Sequence[Gap], output: str, about: dict[str, Any]) -> None:
    rows = [asdict(gap) | _flat(gap) for gap in gaps]
    write_csv(output, rows, (*_CSV, *_NEAREST))


def _flat(gap: Gap) -> dict[str, Any]:
    near = gap.nearest
    values = (near.check_id, near.text, near.similarity) if near else (None, None, None)
    others = " / ".join(dict.fromkeys(wording.text for wording in gap.wordings if wording.text != gap.statement))
    about = {"n_stating_models": len(gap.models), "models": ", ".join(gap.models)}
    return about | dict(zip(_NEAREST, (*values, others), strict=True))


def _write_markdown(gaps: Sequence[Gap], output: str, about: dict[str, Any]) -> None:
    write_bytes(output, markdown(_table(gaps)).encode())


def _write_yaml(gaps: Sequence[Gap], output: str, about: dict[str, Any]) -> None:
    """A list of simple items a question, to be edited and pasted."""
    questions: dict[str, list[dict[str, Any]]] = {}
    for gap in gaps:
        items = questions.setdefault(gap.question_id, [])
        name = f"shared-{len(items) + 1}"
        items.append({"id": name, "type": "simple", "tier": "context", "statement": gap.statement})
    head = f"# {WARNING}\n# Reword each, choose its tier, and give its evidence.\n"
    write_bytes(output, (head + (yaml_text(questions) if questions else "")).encode())


_WRITERS: dict[str, Callable[[Sequence[Gap], str, dict[str, Any]], None]] = {
    "table": _print,
    "json": _write_json,
    "csv": _write_csv,
    "markdown": _write_markdown,
    "yaml": _write_yaml,
}
