"""Write the generated pages anew: docs/commands.md, the rules in docs/lint.md, gamut_mini's figures. `make docs`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from gamut_eval.benchmark.lint.catalogue import OTHER_CODES, rules
from gamut_eval.benchmark.lint.rule import Rule
from gamut_eval.cli.main import COMMANDS, gamut

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

from mini_card import card  # noqa: E402 (from beside this file, wherever this is called from)

START, END = "<!-- rules: written by make docs -->", "<!-- end of rules -->"


def commands(_: str) -> str:
    """The help of every command."""
    root = click.Context(gamut, info_name="gamut", terminal_width=100, **gamut.context_settings)
    parts = ["# Commands\n\nWritten from the commands' own help by `make docs`.\n", _help(gamut, root)]
    for name in COMMANDS:
        command = gamut.get_command(root, name)
        context = click.Context(command, info_name=name, parent=root)
        parts.append(f"## gamut {name}\n\n{_help(command, context)}")
    return "\n".join(parts)


def _help(command: click.Command, context: click.Context) -> str:
    lines = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    return f"```text\n{lines}\n```\n"


def lint(page: str) -> str:
    """The page with its generated part as it is today: the rules as a table and a section each, then other codes."""
    before, _, rest = page.partition(START)
    table = ["| code | severity | finds |", "|---|---|---|"]
    table += [f"| [`{rule.code}`](#{rule.code}) | {rule.severity} | {rule.summary} |" for rule in rules()]
    others = [f"- `{code}` {text}" for code, text in OTHER_CODES.items()]
    parts = ["\n".join(table), *map(_section, rules()), "### Other codes", "\n".join(others)]
    return f"{before}{START}\n\n" + "\n\n".join(parts) + f"\n\n{END}{rest.partition(END)[2]}"


def _section(rule: Rule) -> str:
    bad, good = (f"```yaml\n{example.strip()}\n```" for example in (rule.triggers, rule.clean))
    return f"### {rule.code}\n\n{rule.why}\n\nFinds fault with:\n\n{bad}\n\nIs content with:\n\n{good}"


CARD = "../src/gamut_eval/data/gamut_mini/README.md"
PAGES: dict[str, Callable[[str], str]] = {"commands.md": commands, "lint.md": lint, CARD: card}

if __name__ == "__main__":
    for name, renewed in PAGES.items():
        path = FOLDER / name
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
