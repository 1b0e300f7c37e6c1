"""Commands about the binary rubric that people see: `edit`, and `compile --diff`."""

from __future__ import annotations

from datetime import date
from typing import Any

import click

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.difference import Change, difference, difference_dict
from gamut_eval.benchmark.editing import make_edit, write_edit
from gamut_eval.cli.main import DONE
from gamut_eval.cli.output import console, plain_text, read_benchmark, say, write_data
from gamut_eval.files import dump_json
from gamut_eval.rubric.fields import TIERS

_TIERS = [tier.value for tier in TIERS]


@click.command("edit")
@click.argument("benchmark", type=click.Path())
@click.argument("question")
@click.argument("check")
@click.option("--reword", metavar="TEXT", help="Give the check this text.")
@click.option("--retier", type=click.Choice(_TIERS), help="Move the check to this tier.")
@click.option("--drop", is_flag=True, help="Leave the check out.")
@click.option("--add", metavar="TEXT", help="Add a check of that id with this text; needs --tier.")
@click.option("--tier", type=click.Choice(_TIERS), help="The added check's tier.")
@click.option("--author", required=True, help="Who makes the edit.")
@click.option("--reason", required=True, help="Why.")
def edit_command(benchmark: str, question: str, check: str, author: str, reason: str, **choice: Any) -> int:
    """Write an edit of one check into its question's file.

    The edit is kept beside the rubric with the hash of the check it was made for: when the rubric changes under it, it
    is reported instead of applied. A reworded coverage or sequence check loses its structure.

    \b
    Examples:
      gamut edit my-benchmark food-001 herb --reword "Pesto is made with basil." --author Ada --reason clearer
      gamut edit my-benchmark food-001 uses/at-least-2 --retier valuable --author Ada --reason "asked for"
      gamut edit my-benchmark food-001 oil --add "Pesto has olive oil." --tier valuable --author Ada --reason missing
    """
    loaded = read_benchmark(benchmark)
    fields = _operation(**choice)
    edit = make_edit(loaded, question, check, author=author, reason=reason, at=date.today(), **fields)
    file = write_edit(loaded, question, edit)
    say(f"Wrote the edit into {file}.")
    return DONE


def _operation(
    *, reword: str | None, retier: str | None, drop: bool, add: str | None, tier: str | None
) -> dict[str, Any]:
    given = {"reword": reword, "retier": retier, "drop": drop or None, "add": add}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        raise click.UsageError("give one of --reword, --retier, --drop, --add")
    if (add is None) != (tier is None):
        raise click.UsageError("--add and --tier go together; to move a check use --retier")
    fields = {"op": chosen[0], "text": reword or add, "tier": retier or tier}
    return {name: value for name, value in fields.items() if value is not None}


def show_difference(old: Benchmark, new: Benchmark, form: str) -> None:
    """Print what changed between two versions of a benchmark."""
    changes = difference(old, new)
    if form != "table":
        write_data(dump_json(difference_dict(old, new, changes)))
        return
    _print_changes(changes)
    again = sum(change.asked_again for change in changes)
    say(f"Checks changed: {len(changes)}; a run asks {again} of them again for each response.")


def _print_changes(changes: list[Change]) -> None:
    from rich.table import Table

    table = Table("question", "check", "change", "asked again", "was", "is", box=None, pad_edge=False)
    for change in changes:
        again = "yes" if change.asked_again else "no"
        was, now = _side(change.old_tier, change.old_text), _side(change.new_tier, change.new_text)
        cells = (change.question_id, change.check_id, change.what, again, was, now)
        table.add_row(*map(plain_text, cells))
    if changes:
        console().print(table)


def _side(tier: str | None, text: str | None) -> str:
    return f"{tier}: {text}" if tier else ""
