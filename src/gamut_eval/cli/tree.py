"""A meta-rubric as a tree, its checks beside each item: `gamut compile --explain`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from gamut_eval.benchmark.question import Question
from gamut_eval.reports.wording import visible
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import TIERS, Tier

_STYLES = {Tier.ANSWER_CRITICAL: "bold red", Tier.VALUABLE: "bold blue", Tier.CONTEXT: "dim"}
_SHORT = {Tier.ANSWER_CRITICAL: "AC ", Tier.VALUABLE: "Val", Tier.CONTEXT: "Ctx"}


def print_tree(question: Question, checks: Sequence[Check], console: Console) -> None:
    """Print one question's rubric."""
    sizes = ", ".join(f"{sum(check.tier == tier for check in checks)} {_SHORT[tier].strip()}" for tier in TIERS)
    root = Tree(Text.assemble((question.id, "bold"), "  ", visible(question.question), (f"  ({sizes})", "dim")))
    shown: set[str] = set()
    lines = [(item, getattr(item, "type", "insight")) for item in (*question.rubric.items, *question.rubric.insights)]
    for item, kind in lines:
        label = Text.assemble(
            (_SHORT[item.tier], _STYLES[item.tier]), f" {kind} ", (item.id, "bold"), f": {visible(item.summary())}"
        )
        branch = root.add(label)
        for check in checks:
            if check.item_id == item.id:
                branch.add(_line(check))
                shown.add(check.id)
    for check in checks:
        if check.id not in shown:
            root.add(_line(check))
    console.print(root)


def _line(check: Check) -> Text:
    mark = "" if check.source == "compiled" else f" ({check.source})"
    return Text.assemble(
        (_SHORT[check.tier], _STYLES[check.tier]), (f" {check.id}", "bold"), (mark, "dim"), f": {visible(check.text)}"
    )
