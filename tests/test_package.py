"""The package as a whole: public names, commands, docs, the house's rules."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import click
import pytest

import gamut_eval
from gamut_eval.cli.main import COMMANDS, gamut

ROOT = Path(__file__).parent.parent


def test_public_names_are_sorted_and_importable():
    assert gamut_eval.__all__ == sorted(gamut_eval.__all__)
    assert all(getattr(gamut_eval, name) is not None for name in gamut_eval.__all__)


def test_importing_the_package_imports_nothing_heavy():
    code = "import gamut_eval, sys; print([m for m in ('polars', 'numpy', 'pydantic', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from gamut_eval.cli.main import run; run(['--help']);"
        "print([m for m in ('polars', 'numpy', 'pydantic', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_the_listed_summary_and_an_example(name):
    context = click.Context(gamut, info_name="gamut")
    command = gamut.get_command(context, name)
    assert command is not None
    assert command.help is not None
    assert command.help.splitlines()[0] == COMMANDS[name][1]
    assert f"gamut {name}" in command.help


def _pages():
    spec = importlib.util.spec_from_file_location("make_pages", ROOT / "docs" / "make_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PAGES


@pytest.mark.parametrize(("name", "renewed"), _pages().items())
def test_the_generated_pages_are_current(name, renewed):
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert page == renewed(page), "run: make docs"


def test_every_relative_link_of_the_docs_leads_somewhere():
    import re

    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_source_files_and_functions_stay_small():
    import ast

    too_long = []
    for file in (ROOT / "src").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if text.count("\n") > 500:
            too_long.append(f"{file.name}: {text.count(chr(10))} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = (node.end_lineno or 0) - node.body[0].lineno
                if body > 60:
                    too_long.append(f"{file.name}:{node.name}: {body} lines")
    assert not too_long
