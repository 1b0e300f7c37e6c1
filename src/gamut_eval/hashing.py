"""One way to hash: SHA-256 over canonical JSON (UTF-8, sorted keys, no white space)."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson


def canonical(value: Any) -> bytes:
    """Canonical JSON of plain data.

    >>> canonical({"b": 1, "a": "é"}).decode()
    '{"a":"é","b":1}'
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def sha256(value: Any) -> str:
    """Hex SHA-256 of a text's UTF-8 bytes, of bytes, or of any other plain data's canonical JSON."""
    if isinstance(value, str):
        value = value.encode()
    return hashlib.sha256(value if isinstance(value, bytes) else canonical(value)).hexdigest()
