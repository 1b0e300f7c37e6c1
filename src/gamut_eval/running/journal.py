"""The journal of a run: one SQLite file, committed as results come, readable meanwhile.

Tables say what the run is about as of the last command: ``questions``, ``checks``, ``responses``,
``judges``, ``asked``. ``verdict_log`` keeps every outcome ever got, by its key; nothing in it is
deleted or overwritten but failures. The view ``verdicts`` is the log seen through the tables: one
row a check, for the texts and settings in force.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson
import polars as pl

from gamut_eval.errors import JournalError, RunError
from gamut_eval.garbage import uncollected
from gamut_eval.hashing import sha256
from gamut_eval.llm.ledger import CallRecord
from gamut_eval.records import Failure, Outcome, Response, Variant
from gamut_eval.rubric.check import Check
from gamut_eval.running.tables import (
    CALL_COLUMNS,
    INSERT_CALL,
    INSERT_RESPONSE,
    INSERT_VERDICT,
    MIGRATIONS,
    OUTCOME_COLUMNS,
    VERDICT_COLUMNS,
)
from gamut_eval.running.verdict_frame import read_verdicts
from gamut_eval.sqlite_rows import insert_rows

FILE = "run.sqlite"
COMMIT_INTERVAL_S = 0.03


@dataclass(frozen=True, slots=True)
class Asked:
    """What one verdict is about: the question as it was put, a response, a check, a judge."""

    question_hash: str
    response: Response
    check: Check
    judge: str
    judge_hash: str
    repeat: int

    @property
    def key(self) -> bytes:
        """SHA-256 of everything that can change the verdict, and of whose response it is about."""
        hashes = [self.question_hash, self.check.hash, self.response.hash, self.judge_hash]
        return bytes.fromhex(sha256([*hashes, *self.response.key, self.repeat]))


class Journal:
    """Opens or makes a journal. One process writes; any number may read.

    Outcomes are committed by a thread of its own within 50 ms, so that whoever records one does
    not wait for the disk. ``close`` (or leaving the ``with``) commits the rest.
    """

    def __init__(self, folder: Path | None, *, readonly: bool = False) -> None:
        self._lock = threading.RLock()
        self._inside = False
        self._pending: deque[tuple[str, tuple[Any, ...]]] = deque()
        self._wake, self._stopped = threading.Event(), False
        self._broken: RunError | None = None
        self._read: dict[str, tuple[tuple[int, int], Any]] = {}
        self._folder = folder
        self._db = _open(folder, readonly)
        self._committer = None if readonly else threading.Thread(target=self._commit_as_it_comes, daemon=True)
        if self._committer:
            self._committer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Commit what is pending and let go of the file."""
        if self._committer and self._committer.is_alive():
            self._stopped = True
            self._wake.set()
            self._committer.join()
        with self._lock:
            self._db.close()
        if self._broken:
            raise self._broken

    def flush(self) -> None:
        """Commit what is pending now."""
        with self._transaction() as db:
            rows: dict[str, list[tuple[Any, ...]]] = {}
            for _ in range(len(self._pending)):
                statement, row = self._pending.popleft()
                rows.setdefault(statement, []).append(row)
            for statement, several in rows.items():
                insert_rows(db, statement, several)

    # --- what the run is about -------------------------------------------------------------

    def setting(self, name: str) -> Any:
        """A setting recorded earlier; None where there is none."""
        rows = self._rows("SELECT value FROM settings WHERE name = ?", (name,))
        with legible(self._folder):
            return orjson.loads(rows[0][0]) if rows else None

    def set_settings(self, **settings: Any) -> None:
        """Record settings, replacing those of the same name."""
        rows = [(name, _json(value)) for name, value in settings.items()]
        self._write("INSERT OR REPLACE INTO settings VALUES (?, ?)", rows)

    def set_questions(self, questions: Iterable[tuple[str, dict[str, Any], Sequence[Check]]]) -> None:
        """Replace the questions and checks; responses to questions that are gone go with them."""
        question_rows, check_rows = [], []
        for place, (question_id, question, checks) in enumerate(questions):
            question_rows.append((question_id, place, _json(question)))
            check_rows += [
                (question_id, c.id, at, c.tier.value, c.kind, c.hash, _json(c.to_dict())) for at, c in enumerate(checks)
            ]
        with self._transaction() as db:
            db.execute("DELETE FROM questions")
            db.execute("DELETE FROM checks")
            db.executemany("INSERT INTO questions VALUES (?, ?, ?)", question_rows)
            db.executemany("INSERT INTO checks VALUES (?, ?, ?, ?, ?, ?, ?)", check_rows)
            db.execute("DELETE FROM responses WHERE question_id NOT IN (SELECT question_id FROM questions)")

    def set_responses(self, responses: Iterable[tuple[Response, str]]) -> None:
        """Add responses, each with the hash of the question as it was put; a later one replaces an earlier one."""
        self._write(INSERT_RESPONSE, (_response_row(response, asked, None) for response, asked in responses))

    def set_judge(self, judge: str, judge_hash: str, settings: dict[str, Any], note: str | None = None) -> None:
        """Add a judge, or replace its settings."""
        query = (
            "INSERT INTO judges VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE "
            "SET judge_hash = excluded.judge_hash, settings = excluded.settings, note = excluded.note"
        )
        self._write(query, [(judge, judge_hash, _json(settings), note)])

    def set_asked(self, asked: Iterable[tuple[str, str, str, int]]) -> None:
        """Record which judges grade which (model, variant), and how often; never fewer times than before."""
        self._write(
            "INSERT INTO asked VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET repeats = max(repeats, excluded.repeats)",
            asked,
        )

    def questions(self) -> list[dict[str, Any]]:
        """The questions as their files had them, in order."""
        with legible(self._folder):
            return [orjson.loads(row[0]) for row in self._rows("SELECT json FROM questions ORDER BY place")]

    def checks(self) -> list[Check]:
        """All checks, in the order of questions and rubrics."""
        return list(self._as_of_now("checks", _read_checks))

    def responses(self, question_id: str | None = None) -> list[Response]:
        """All responses, or those to one question, by model, variant, question and sample.

        A text is read when it is looked at.
        """
        only, values = _only(question_id)
        query = (
            "SELECT question_id, model, variant, sample, error, r.json, response_hash FROM responses r "
            f"JOIN questions USING (question_id){only} ORDER BY model, variant, place, sample"
        )
        with legible(self._folder), uncollected():
            return [self._response(row[:4], *row[4:]) for row in self._rows(query, values)]

    def _response(self, key: tuple[str, str, Variant, int], error: str | None, more: str, known: str) -> Response:
        text = partial(self._text, key) if error is None else None
        response = Response(*key, text, error, orjson.loads(more))
        response.__dict__["hash"] = known  # which else would read the text
        return response

    def _text(self, key: Sequence[Any]) -> str:
        query = "SELECT response FROM responses WHERE (question_id, model, variant, sample) = (?, ?, ?, ?)"
        with legible(self._folder):
            return str(self._rows(query, key)[0][0])

    def response_keys(self) -> list[tuple[str, str, str, int]]:
        """Question id, model, variant and sample of all responses."""
        return self._rows(
            "SELECT question_id, model, variant, sample FROM responses JOIN questions USING (question_id)"
        )

    def judges(self) -> dict[str, dict[str, Any]]:
        """Each judge's ``settings`` and ``note``, in the order added."""
        rows = self._rows("SELECT judge, settings, note FROM judges ORDER BY rowid")
        with legible(self._folder):
            return {name: {"settings": orjson.loads(settings), "note": note} for name, settings, note in rows}

    def asked(self) -> list[tuple[str, str, str, int]]:
        """Rows of model, variant, judge, repeats; judges in the order added."""
        query = (
            "SELECT model, variant, judge, repeats FROM asked JOIN judges USING (judge) "
            "ORDER BY judges.rowid, model, variant"
        )
        return self._rows(query)

    # --- outcomes --------------------------------------------------------------------------

    def record(self, key: bytes, asked: Asked, outcome: Outcome) -> None:
        """Hand over an outcome; it is on disk within 50 ms.

        Raises
        ------
        JournalError
            An earlier one could not be written (a full disk, say).
        """
        if isinstance(outcome, Failure):
            said: tuple[Any, ...] = (None, None, None, outcome.code, outcome.message)
        else:
            said = (outcome.verdict.value, outcome.quote, outcome.rationale, None, None)
        hashes = (asked.question_hash, asked.check.hash, asked.response.hash, asked.judge_hash)
        more = _json(dict(outcome.more)) if outcome.more else None
        row = (key, *asked.response.key, asked.check.id, asked.judge, asked.repeat, *said, *hashes, _now(), more)
        self._keep(INSERT_VERDICT, row)

    def record_answer(self, key: bytes, response: Response, question_hash: str) -> None:
        """Hand over what a model answered, or the error in its place; it is on disk within 50 ms."""
        self._keep(INSERT_RESPONSE, _response_row(response, question_hash, key))

    def record_call(self, call: CallRecord) -> None:
        """Hand over what a call took; it is on disk within 50 ms."""
        tokens = (call.usage.prompt, call.usage.cached, call.usage.completion, call.usage.reasoning)
        row = (_now(), call.role, call.name, call.model, call.error, *tokens)
        self._keep(INSERT_CALL, (*row, call.cost, call.seconds, call.from_cache))

    def _keep(self, statement: str, row: tuple[Any, ...]) -> None:
        if self._broken:
            raise self._broken
        self._pending.append((statement, row))
        if not self._wake.is_set():
            self._wake.set()

    def known_answers(self) -> set[bytes]:
        """Keys of the answers that there are; errors are not among them."""
        query = "SELECT answer_key FROM responses WHERE answer_key IS NOT NULL AND error IS NULL"
        return {row[0] for row in self._rows(query)}

    def spent(self) -> tuple[int, float]:
        """How many calls were made, and what those of a known price cost in US dollars."""
        query = "SELECT count(*), coalesce(sum(cost), 0.0) FROM calls WHERE NOT from_cache"
        ((n, cost),) = self._rows(query)
        return int(n), float(cost)

    def calls(self) -> pl.DataFrame:
        """One row a call, in the order they ended: who was asked, tokens, cost in US dollars, seconds."""
        rows = self._rows(f"SELECT {', '.join(CALL_COLUMNS)} FROM calls ORDER BY rowid")
        with legible(self._folder):
            rows = [(*row[:-1], bool(row[-1])) for row in rows]
            return pl.DataFrame(rows, schema=CALL_COLUMNS, orient="row")

    def known_keys(self) -> set[bytes]:
        """Keys that have a verdict; failures are not among them."""
        return {row[0] for row in self._rows("SELECT key FROM verdict_log WHERE verdict IS NOT NULL")}

    def verdicts(self, question_id: str | None = None) -> pl.DataFrame:
        """The view ``verdicts`` as a frame, in a fixed order: all of it, or what is of one question."""
        if question_id is None:
            return self._all_verdicts()
        order = "model, variant, question_id, sample, judge, repeat, check_id"
        query = f"SELECT {', '.join(VERDICT_COLUMNS)} FROM verdicts WHERE question_id = ? ORDER BY {order}"
        rows = self._rows(query, (question_id,))
        with legible(self._folder):
            return pl.DataFrame(rows, schema=VERDICT_COLUMNS, orient="row")

    def _all_verdicts(self) -> pl.DataFrame:
        frame: pl.DataFrame = self._as_of_now("verdicts", read_verdicts)
        return frame

    def _as_of_now(self, name: str, read: Callable[[sqlite3.Connection], Any]) -> Any:
        """What is read of the journal, which nobody may change; read anew only after something was written."""
        with self._transaction() as db, legible(self._folder):
            if not db.in_transaction:
                db.execute("BEGIN")  # so that all tables are read as of one moment
            version = (db.execute("PRAGMA data_version").fetchone()[0], db.total_changes)
            if name not in self._read or self._read[name][0] != version:
                self._read[name] = (version, read(db))
            return self._read[name][1]

    def outcomes(self) -> pl.DataFrame:
        """The view ``verdicts`` without its texts: `OUTCOME_COLUMNS`. It takes a fraction of the memory."""
        with self._transaction() as db, legible(self._folder):
            if not db.in_transaction:
                db.execute("BEGIN")
            return read_verdicts(db, tuple(OUTCOME_COLUMNS))

    def texts_of(self, question_id: str) -> Iterator[str]:
        """What models answered to a question, and why judges gave their verdicts, each text once."""
        for query in (
            "SELECT DISTINCT response FROM responses WHERE question_id = ?",
            "SELECT DISTINCT rationale FROM verdict_log WHERE question_id = ?",
        ):
            yield from (text for (text,) in self._rows(query, (question_id,)) if text)

    def state(self) -> int:
        """A number that is another one after somebody else has written into the journal."""
        return int(self._rows("PRAGMA data_version")[0][0])

    def _commit_as_it_comes(self) -> None:
        while not self._broken:
            self._wake.wait()
            if not self._stopped:
                time.sleep(COMMIT_INTERVAL_S)
            self._wake.clear()
            try:
                self.flush()
            except RunError as error:
                self._broken = error
            if self._stopped and not self._pending:
                return

    # --- SQLite ----------------------------------------------------------------------------

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """All that the body reads is of one moment; all that it writes is kept together or, cut off, not at all."""
        with self._transaction() as db:
            db.execute("BEGIN")
            yield

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """The connection for one thread at a time; what the body did is kept whole or not at all."""
        try:
            with self._lock:
                if self._inside:  # of a body that is kept as a whole
                    yield self._db
                    return
                self._inside = True
                try:
                    with self._db:
                        yield self._db
                finally:
                    self._inside = False
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise _journal_error(error, self._folder) from None

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._transaction() as db:
            return db.execute(query, values).fetchall()

    def _write(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._transaction() as db:
            db.executemany(query, rows)


def _read_checks(db: sqlite3.Connection) -> tuple[Check, ...]:
    query = "SELECT c.json FROM checks c JOIN questions q USING (question_id) ORDER BY q.place, c.place"
    with uncollected():
        return tuple(Check.from_dict(orjson.loads(row[0])) for row in db.execute(query))


@contextlib.contextmanager
def legible(folder: Path | None) -> Iterator[None]:
    """What a journal holds is made sense of here: where there is none in it, the file is damaged."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, pl.exceptions.PolarsError):
        raise JournalError(f"{_of(folder)}{_DAMAGED}") from None


def _open(folder: Path | None, readonly: bool) -> sqlite3.Connection:
    try:
        with contextlib.ExitStack() as on_failure:
            db = _connect(folder, readonly)
            on_failure.callback(db.close)
            if not readonly:
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("PRAGMA synchronous = NORMAL")
                db.execute("PRAGMA wal_autocheckpoint = 8000")
            _migrate(db, readonly, folder)
            on_failure.pop_all()
    except sqlite3.Error as error:
        raise _journal_error(error, folder) from None
    return db


def _connect(folder: Path | None, readonly: bool) -> sqlite3.Connection:
    if folder is None:
        return sqlite3.connect(":memory:", check_same_thread=False)
    mode = "mode=ro" if readonly else "mode=rwc"
    if readonly and not os.access(folder, os.W_OK) and not (folder / f"{FILE}-wal").exists():
        # On a read-only disk SQLite cannot make the files it shares with a writer; nor is there one.
        mode += "&immutable=1"
    return sqlite3.connect(f"{(folder / FILE).resolve().as_uri()}?{mode}", uri=True, check_same_thread=False)


def _migrate(db: sqlite3.Connection, readonly: bool, folder: Path | None) -> None:
    version, where = db.execute("PRAGMA user_version").fetchone()[0], _of(folder)
    if not version and db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise JournalError(f"{where}{_DAMAGED}")
    if not version and readonly:
        raise JournalError(f"{where}is empty: there is no run in it yet; run the command that was to make it again")
    if version > len(MIGRATIONS):
        known = f"this program knows up to {len(MIGRATIONS)}"
        raise JournalError(f"{where}is of version {version}, {known}; upgrade gamut-eval")
    if version < len(MIGRATIONS) and readonly:
        raise JournalError(f"{where}is of version {version}; run the command that made it again to bring it up to date")
    for number, step in enumerate(MIGRATIONS[version:], version + 1):
        db.executescript(f"BEGIN; {step} PRAGMA user_version = {number}; COMMIT;")


def _journal_error(error: Exception, folder: Path | None) -> RunError:
    where, said = _of(folder), str(error)
    if "closed database" in said:
        return JournalError("the run is closed; use it inside its 'with', or before close()")
    if "full" in said or "I/O" in said:  # SQLite calls some of what a full disk does an I/O error
        what = "is full" if "full" in said else "is full or broken"
        return JournalError(
            f"{where}cannot be used: the disk {what}; free some space and run the same command again, nothing is lost"
        )
    if any(words in said for words in ("not a database", "malformed", "decode")):
        return JournalError(f"{where}{_DAMAGED}")
    return JournalError(f"{where}cannot be used: {error}")


_DAMAGED = "is damaged, or is not a journal of a run; restore it from a copy, or make the run again in another folder"


def _of(folder: Path | None) -> str:
    """The journal, as the start of a message."""
    return f"{folder / FILE} " if folder else "the journal "


def _only(question_id: str | None) -> tuple[str, tuple[str, ...]]:
    """What makes a query one about a single question, and its values."""
    return ("", ()) if question_id is None else (" WHERE question_id = ?", (question_id,))


def _response_row(response: Response, question_hash: str, key: bytes | None) -> tuple[Any, ...]:
    more = _json(dict(response.more))
    return (*response.key, response.hash, question_hash, response.text, response.error, more, key)


def _now() -> str:
    return _said(time.time_ns() // 1_000_000)


@lru_cache(maxsize=4)
def _said(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
