"""The tables of a journal: how they came to be, what they hold, how rows get in."""

from __future__ import annotations

import polars as pl

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE questions (question_id TEXT PRIMARY KEY, place INTEGER NOT NULL, json TEXT NOT NULL);
    CREATE TABLE checks (
        question_id TEXT NOT NULL, check_id TEXT NOT NULL, place INTEGER NOT NULL, tier TEXT NOT NULL,
        kind TEXT NOT NULL, check_hash TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (question_id, check_id));
    CREATE TABLE responses (
        question_id TEXT NOT NULL, model TEXT NOT NULL, variant TEXT NOT NULL, sample INTEGER NOT NULL,
        response_hash TEXT NOT NULL, question_hash TEXT NOT NULL, response TEXT, error TEXT, json TEXT NOT NULL,
        PRIMARY KEY (question_id, model, variant, sample));
    CREATE TABLE judges (
        judge TEXT PRIMARY KEY, judge_hash TEXT NOT NULL, settings TEXT NOT NULL, note TEXT);
    CREATE TABLE asked (
        model TEXT NOT NULL, variant TEXT NOT NULL, judge TEXT NOT NULL, repeats INTEGER NOT NULL,
        PRIMARY KEY (model, variant, judge));
    CREATE TABLE verdict_log (
        key BLOB PRIMARY KEY, question_id TEXT NOT NULL, model TEXT NOT NULL, variant TEXT NOT NULL,
        sample INTEGER NOT NULL, check_id TEXT NOT NULL, judge TEXT NOT NULL, repeat INTEGER NOT NULL,
        verdict TEXT, quote TEXT, rationale TEXT, error TEXT, error_message TEXT,
        question_hash TEXT NOT NULL, check_hash TEXT NOT NULL, response_hash TEXT NOT NULL,
        judge_hash TEXT NOT NULL, at TEXT NOT NULL, more TEXT) WITHOUT ROWID;
    CREATE INDEX verdict_log_by_question ON verdict_log (question_id, model, judge);
    CREATE VIEW verdicts AS
        SELECT l.question_id, l.model, l.variant, l.sample, l.check_id, c.tier, c.kind, l.judge, l.repeat,
               l.verdict, l.quote, l.rationale, l.error, l.error_message, l.check_hash, l.response_hash, l.at,
               l.more
        FROM verdict_log l
        JOIN checks c USING (question_id, check_id, check_hash)
        JOIN responses r USING (question_id, model, variant, sample, response_hash, question_hash)
        JOIN judges j USING (judge, judge_hash);
    """,
    """
    ALTER TABLE responses ADD COLUMN answer_key BLOB;
    CREATE TABLE calls (
        at TEXT NOT NULL, role TEXT NOT NULL, name TEXT NOT NULL, model TEXT, error TEXT, prompt_tokens INTEGER,
        cached_tokens INTEGER, completion_tokens INTEGER, reasoning_tokens INTEGER, cost REAL, seconds REAL NOT NULL,
        from_cache INTEGER NOT NULL);
    """,
    # Rows in the order they come: by key, each commit would touch as many pages as it has rows.
    """
    DROP VIEW verdicts;
    DROP INDEX verdict_log_by_question;
    ALTER TABLE verdict_log RENAME TO former_log;
    CREATE TABLE verdict_log (
        key BLOB NOT NULL UNIQUE, question_id TEXT NOT NULL, model TEXT NOT NULL, variant TEXT NOT NULL,
        sample INTEGER NOT NULL, check_id TEXT NOT NULL, judge TEXT NOT NULL, repeat INTEGER NOT NULL,
        verdict TEXT, quote TEXT, rationale TEXT, error TEXT, error_message TEXT,
        question_hash TEXT NOT NULL, check_hash TEXT NOT NULL, response_hash TEXT NOT NULL,
        judge_hash TEXT NOT NULL, at TEXT NOT NULL, more TEXT);
    INSERT INTO verdict_log SELECT * FROM former_log ORDER BY at;
    DROP TABLE former_log;
    CREATE INDEX verdict_log_by_question ON verdict_log (question_id, model, judge);
    CREATE VIEW verdicts AS
        SELECT l.question_id, l.model, l.variant, l.sample, l.check_id, c.tier, c.kind, l.judge, l.repeat,
               l.verdict, l.quote, l.rationale, l.error, l.error_message, l.check_hash, l.response_hash, l.at,
               l.more
        FROM verdict_log l
        JOIN checks c USING (question_id, check_id, check_hash)
        JOIN responses r USING (question_id, model, variant, sample, response_hash, question_hash)
        JOIN judges j USING (judge, judge_hash);
    """,
)
"""What each journal version adds to the one before; the file's ``user_version`` counts them."""

IN_FORCE = """
    FROM verdict_log l NOT INDEXED
    CROSS JOIN checks c USING (question_id, check_id, check_hash)
    CROSS JOIN responses r USING (question_id, model, variant, sample, response_hash, question_hash)
    CROSS JOIN judges j USING (judge, judge_hash)
"""
"""What the view ``verdicts`` selects from, in the order in which a whole log is gone through fastest."""

VERDICT_COLUMNS = {
    "question_id": pl.String,
    "model": pl.String,
    "variant": pl.String,
    "sample": pl.Int64,
    "check_id": pl.String,
    "tier": pl.String,
    "kind": pl.String,
    "judge": pl.String,
    "repeat": pl.Int64,
    "verdict": pl.String,
    "quote": pl.String,
    "rationale": pl.String,
    "error": pl.String,
    "error_message": pl.String,
    "check_hash": pl.String,
    "response_hash": pl.String,
    "at": pl.String,
    "more": pl.String,
}


_TEXTLESS = ("question_id", "model", "variant", "sample", "judge", "repeat", "check_id", "verdict", "error", "more")
OUTCOME_COLUMNS = {name: VERDICT_COLUMNS[name] for name in _TEXTLESS}


CALL_COLUMNS = {
    "at": pl.String,
    "role": pl.String,
    "name": pl.String,
    "model": pl.String,
    "error": pl.String,
    "prompt_tokens": pl.Int64,
    "cached_tokens": pl.Int64,
    "completion_tokens": pl.Int64,
    "reasoning_tokens": pl.Int64,
    "cost": pl.Float64,
    "seconds": pl.Float64,
    "from_cache": pl.Boolean,
}


def _insert(table: str, columns: int, instead: str = "") -> str:
    return f"INSERT {instead} INTO {table} VALUES ({', '.join('?' * columns)})"


INSERT_VERDICT = _insert("verdict_log", 19, "OR REPLACE")
INSERT_RESPONSE = _insert("responses", 10, "OR REPLACE")
INSERT_CALL = _insert("calls", len(CALL_COLUMNS))
