"""Good replies kept by the content of their calls, in one SQLite file that any number of processes share."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from pathlib import Path

import orjson

from gamut_eval.errors import InputError
from gamut_eval.llm.call import Reply, Usage
from gamut_eval.sqlite_rows import insert_rows

VERSION = 1
_FLUSH_S = 0.25
_BUSY_S = 30
_LEARN_S, _MOST_KNOWN = 1.0, 500_000


def default_path() -> Path:
    """Where the cache is unless told otherwise: in the user's cache folder."""
    from platformdirs import user_cache_path

    return user_cache_path("gamut-eval", appauthor=False) / "replies.sqlite"


class Cache:
    """Replies by key. Writes are gathered and committed by a thread of its own.

    Raises
    ------
    InputError
        The file cannot be made, or is no cache.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = _opened(path)
        self._reader = sqlite3.connect(path, timeout=_BUSY_S, check_same_thread=False, isolation_level=None)
        self._known = _Known(self._reader)
        self._pending: dict[bytes, bytes] = {}
        self._wake, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._write_as_it_comes, daemon=True)
        self._thread.start()

    def get(self, key: bytes) -> Reply | None:
        """The reply to a call of that key, if there is one."""
        found = self._pending.get(key)
        if found is None:
            try:
                if not self._known.may_have(key):
                    return None
                row = self._reader.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            except sqlite3.Error:
                return None  # a cache that cannot be read has nothing
            found = row[0] if row else None
        return _reply(found) if found is not None else None

    def put(self, key: bytes, reply: Reply) -> None:
        """Keep a good reply."""
        usage = reply.usage
        values = [reply.text, reply.finish_reason, reply.model]
        counts = [usage.prompt, usage.cached, usage.completion, usage.reasoning]
        self._pending[key] = orjson.dumps([*values, *counts])
        if not self._wake.is_set():
            self._wake.set()

    def _write_as_it_comes(self) -> None:
        while not self._closed.is_set():
            self._wake.wait()
            self._wake.clear()
            self._closed.wait(_FLUSH_S)
            self._write()

    def _write(self) -> None:
        rows = list(self._pending.items())
        try:
            with self._db:
                insert_rows(self._db, "INSERT OR IGNORE INTO replies VALUES (?, ?)", rows)
        except sqlite3.Error:
            return  # a cache that cannot be written is no reason to lose a run; the journal has the verdicts
        for key, _ in rows:
            self._pending.pop(key, None)

    def close(self) -> None:
        """Write what is pending and let go of the file."""
        self._closed.set()
        self._wake.set()
        self._thread.join()
        self._write()
        self._reader.close()
        self._db.close()


class _Known:
    """Which keys a file may have, so that it need not be asked for each new call.

    What other processes add is learnt once a second: until then their replies are asked for again.
    """

    def __init__(self, reader: sqlite3.Connection) -> None:
        self._reader = reader
        self._starts: set[bytes] | None = set()
        self._last = 0
        self._learnt_at = float("-inf")

    def may_have(self, key: bytes) -> bool:
        """False where it surely had no such key a second ago."""
        if self._starts is not None and time.monotonic() - self._learnt_at > _LEARN_S:
            self._learn(self._starts)
        return self._starts is None or key[:8] in self._starts

    def _learn(self, starts: set[bytes]) -> None:
        query = "SELECT rowid, substr(key, 1, 8) FROM replies WHERE rowid > ? ORDER BY rowid LIMIT ?"
        for rowid, start in self._reader.execute(query, (self._last, _MOST_KNOWN)):
            self._last = rowid
            starts.add(start)
        if len(starts) >= _MOST_KNOWN:
            self._starts = None  # more would take much memory; the file is asked each time
        self._learnt_at = time.monotonic()


def _opened(path: Path) -> sqlite3.Connection:
    """The file, made if need be. Another process that is making it right now is waited for."""
    deadline = time.monotonic() + _BUSY_S
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return _prepared(path)
        except (sqlite3.Error, OSError) as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                message = f"the cache {path} cannot be used: {error}; name another with --cache"
                raise InputError(message) from None
            time.sleep(_FLUSH_S)


def _prepared(path: Path) -> sqlite3.Connection:
    with contextlib.ExitStack() as on_failure:
        db = sqlite3.connect(path, timeout=_BUSY_S, check_same_thread=False)
        on_failure.callback(db.close)
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise InputError(f"{path} is a cache of version {version}; name another with --cache, or --no-cache")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA wal_autocheckpoint = 8000")
        db.execute("CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, reply BLOB)")
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.commit()
        on_failure.pop_all()
    return db


def _reply(stored: bytes) -> Reply | None:
    try:
        text, finish, model, *counts = orjson.loads(stored)
        if not isinstance(text, str):
            return None
        return Reply(text, finish, model, Usage(*counts), from_cache=True)
    except (ValueError, TypeError):
        return None
