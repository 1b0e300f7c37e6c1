"""Packages of the extra ``stats``, imported where they are first needed."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from gamut_eval.errors import MissingExtraError

_NAMES = {"scipy": "SciPy"}


def needed(module: str, purpose: str) -> Any:
    """The module.

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
        raise MissingExtraError(purpose, _NAMES.get(top, top), "gamut-eval[stats]") from None
