"""A real browser for pages. ``GAMUT_SCREENSHOTS`` names a folder that pictures of them are kept in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium; one a module, since Playwright runs only once at a time."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def picture(tmp_path: Path) -> Callable[[Any, str], bytes]:
    """Keeps a picture of a page under a name, and returns it."""
    folder = Path(os.environ.get("GAMUT_SCREENSHOTS") or tmp_path)

    def keep(page: Any, name: str) -> bytes:
        folder.mkdir(parents=True, exist_ok=True)
        return page.screenshot(path=str(folder / f"{name}.png"), full_page=True)

    return keep
