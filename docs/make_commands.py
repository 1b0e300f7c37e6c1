"""Write docs/commands.md from the commands' own help; with --check, only say whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gamut_eval.cli.main import COMMANDS, gamut

TARGET = Path(__file__).parent / "commands.md"


def pages() -> str:
    """The help of every command, as Markdown."""
    root = click.Context(gamut, info_name="gamut", terminal_width=100, **gamut.context_settings)
    parts = ["# Commands\n\nWritten from the commands' own help by `make docs`.\n", _block(gamut, root)]
    for name in COMMANDS:
        command = gamut.get_command(root, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=root)
        parts.append(f"## gamut {name}\n\n{_block(command, context)}")
    return "\n".join(parts)


def _block(command: click.Command, context: click.Context) -> str:
    lines = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    return f"```text\n{lines}\n```\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(None if TARGET.read_text(encoding="utf-8") == pages() else "docs/commands.md is not current: make docs")
    TARGET.write_text(pages(), encoding="utf-8")
