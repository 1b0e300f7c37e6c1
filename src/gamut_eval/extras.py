"""Packages of extras, imported where they are first needed."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from gamut_eval.errors import MissingExtraError

_NAMES = {"altair": "Altair", "fastapi": "FastAPI", "scipy": "SciPy", "sklearn": "scikit-learn"}


def needed(module: str, purpose: str, extra: str = "stats") -> Any:
    """The module, for a purpose that is told to whoever lacks its package; ``extra`` is the extra that has it.

    Raises
    ------
    MissingExtraError
        Its package is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        top = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != top or sys.modules.get(top):
            raise
        raise MissingExtraError(purpose, _NAMES.get(top, top), extra) from None
