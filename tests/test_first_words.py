"""What a newcomer reads and types first: the Makefile's targets, and how extras are installed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *(ROOT / "src").rglob("README.md")]


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_help_lists_every_target_with_what_it_is_for():
    told = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S607
    listed = dict(re.findall(r"^make (\S+) +(.+)$", told, re.MULTILINE))
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1].split()
    assert list(listed) == targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_install_extras_as_a_clone_can(page):
    text = page.read_text(encoding="utf-8")
    assert "gamut-eval[" not in text
    extras = re.search(r"\[project\.optional-dependencies\](.*?)\n\[", (ROOT / "pyproject.toml").read_text(), re.DOTALL)
    known = set(re.findall(r"^([\w-]+) = ", extras[1], re.MULTILINE))
    for named in re.findall(r"pip install '\.\[(.*?)\]'", text):
        assert set(named.split(",")) <= known
