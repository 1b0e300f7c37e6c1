import contextlib
import re
import sqlite3
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from gamut_eval.errors import JournalError
from gamut_eval.records import Failure, Judgement, Response, Verdict
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import Tier
from gamut_eval.running.journal import FILE, MIGRATIONS, Asked, Journal

MEETS, MISSING = Judgement(Verdict.MEETS, "Basil.", "It says so."), Judgement(Verdict.MISSING)


def check(text="Pesto has basil.", name="herb", tier=Tier.ANSWER_CRITICAL):
    return Check("q", name, tier, "fact", text, "herb", "Guidance.")


def response(text="Basil.", question="q", sample=0, **more):
    return Response(question, "m", "text_only", sample, text, None if text is not None else "timeout", more)


def set_up(journal, checks=None, responses=None, judge_hash="A", question_hash="Q"):
    journal.set_questions([("q", {"id": "q"}, checks or [check()])])
    journal.set_responses((one, question_hash) for one in responses or [response()])
    journal.set_judge("j", judge_hash, {"version": judge_hash})


def asked(one=None, of=None, judge_hash="A", question_hash="Q", repeat=0):
    return Asked(question_hash, of or response(), one or check(), "j", judge_hash, repeat)


def record(journal, outcome, *args, **more):
    of = asked(*args, **more)
    journal.record(of.key, of, outcome)
    journal.flush()


def seen(journal):
    return journal.verdicts().select("check_id", "verdict").rows()


def on_disk(folder, query="SELECT count(*) FROM verdicts"):
    with sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True) as db:
        rows = db.execute(query).fetchall()
    db.close()
    return rows


@pytest.mark.parametrize("folder", ["memory", "disk"])
def test_what_is_recorded_comes_back_as_one_row_a_check(tmp_path, folder):
    with Journal(tmp_path if folder == "disk" else None) as journal:
        set_up(journal, [check(), check("Pesto has nuts.", "nuts", Tier.CONTEXT)])
        record(journal, MEETS)
        record(journal, Failure("timeout", "30 s"), check("Pesto has nuts.", "nuts"))
        herb, nuts = journal.verdicts().iter_rows(named=True)
    assert herb | {"at": ""} == {
        "question_id": "q",
        "model": "m",
        "variant": "text_only",
        "sample": 0,
        "check_id": "herb",
        "tier": "answer_critical",
        "kind": "fact",
        "judge": "j",
        "repeat": 0,
        "verdict": "meets",
        "quote": "Basil.",
        "rationale": "It says so.",
        "error": None,
        "error_message": None,
        "check_hash": check().hash,
        "response_hash": response().hash,
        "at": "",
        "more": None,
    }
    assert [nuts[name] for name in ("tier", "verdict", "error", "error_message")] == [
        "context",
        None,
        "timeout",
        "30 s",
    ]


def test_a_verdict_is_known_and_a_failure_is_not():
    with Journal(None) as journal:
        set_up(journal)
        record(journal, Failure("timeout", ""))
        assert journal.known_keys() == set()
        record(journal, MEETS)
        assert journal.known_keys() == {asked().key}
        assert seen(journal) == [("herb", "meets")]


KEYS = {
    "question": asked(question_hash="Q2"),
    "check": asked(check("Pesto has fresh basil.")),
    "check id": asked(check(name="leaf")),
    "response": asked(of=response("Basil!")),
    "refusal": asked(of=response(refusal=True)),
    "sample": asked(of=response(sample=1)),
    "question id": asked(of=response(question="p")),
    "judge": asked(judge_hash="B"),
    "repeat": asked(repeat=1),
}


@pytest.mark.parametrize("changed", KEYS)
def test_a_key_changes_with_everything_that_can_change_the_verdict(changed):
    assert KEYS[changed].key != asked().key


def test_a_key_does_not_change_with_the_tier_or_the_evidence():
    moved = Check("q", "herb", Tier.CONTEXT, "fact", "Pesto has basil.", "herb", "Guidance.", evidence=("e1",))
    assert asked(moved).key == asked().key


@pytest.mark.parametrize(
    "change",
    [
        {"checks": [check("Pesto has fresh basil.")]},
        {"responses": [response("Basil, fresh.")]},
        {"responses": [response(refusal=True)]},
        {"responses": [response(None)]},
        {"judge_hash": "B"},
        {"question_hash": "Q2"},
    ],
    ids=["check", "response", "refusal", "error", "judge", "question"],
)
def test_only_verdicts_on_the_texts_and_settings_in_force_are_seen_also_after_changing_back(change):
    with Journal(None) as journal:
        set_up(journal)
        record(journal, MEETS)
        set_up(journal, **change)
        assert seen(journal) == []
        set_up(journal)
        assert seen(journal) == [("herb", "meets")]


def test_a_check_moved_to_another_tier_keeps_its_verdict_and_shows_the_new_tier():
    with Journal(None) as journal:
        set_up(journal)
        record(journal, MEETS)
        set_up(journal, [check(tier=Tier.CONTEXT)])
        assert journal.verdicts().select("tier", "verdict").rows() == [("context", "meets")]


def test_outcomes_are_on_disk_without_a_flush_while_the_journal_is_open(tmp_path):
    with Journal(tmp_path) as journal:
        set_up(journal)
        journal.record(asked().key, asked(), MEETS)
        deadline = time.monotonic() + 10
        while on_disk(tmp_path) == [(0,)] and time.monotonic() < deadline:
            time.sleep(0.005)
        assert on_disk(tmp_path, "SELECT check_id, verdict, quote FROM verdicts") == [("herb", "meets", "Basil.")]


def test_closing_commits_what_is_pending(tmp_path):
    with Journal(tmp_path) as journal:
        set_up(journal)
        journal.record(asked().key, asked(), MEETS)
    assert on_disk(tmp_path) == [(1,)]


@pytest.fixture
def restless():
    """Threads take turns as often as Python can, so that a race shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless")
def test_after_a_flush_everything_recorded_before_is_seen_whoever_else_is_committing():
    def flush_until(done):
        while not done.is_set():
            journal.flush()

    done = threading.Event()
    with Journal(None) as journal, ThreadPoolExecutor(3) as threads:
        set_up(journal)
        others = [threads.submit(flush_until, done) for _ in range(3)]
        try:
            several = [asked(repeat=repeat) for repeat in range(3000)]
            for at in range(0, 3000, 50):
                for one in several[at : at + 50]:
                    journal.record(one.key, one, MEETS)
                journal.flush()
                assert len(journal.known_keys()) == at + 50
        finally:
            done.set()
    assert [other.result() for other in others] == [None] * 3


def test_a_closed_journal_refuses_work_from_whatever_thread():
    journal = Journal(None)
    set_up(journal)
    journal.close()
    with ThreadPoolExecutor(2) as threads:
        for refused in (threads.submit(journal.known_keys), threads.submit(journal.flush)):
            assert isinstance(refused.exception(), JournalError)


def test_a_journal_can_be_opened_for_reading_while_another_writes(tmp_path):
    with Journal(tmp_path) as journal:
        set_up(journal)
        with Journal(tmp_path, readonly=True) as reader:
            assert seen(reader) == []
            record(journal, MEETS)
            assert seen(reader) == [("herb", "meets")]


def test_a_reader_cannot_write(tmp_path):
    Journal(tmp_path).close()
    with Journal(tmp_path, readonly=True) as reader, pytest.raises(JournalError):
        reader.set_settings(benchmark="x")


@pytest.mark.parametrize("readonly", [False, True])
def test_a_newer_journal_is_refused_with_its_version_and_left_as_it_is(tmp_path, readonly):
    Journal(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(JournalError, match=f"version 99, this program knows up to {len(MIGRATIONS)}"):
        Journal(tmp_path, readonly=readonly)
    assert on_disk(tmp_path, "PRAGMA user_version") == [(99,)]


def test_an_older_journal_is_migrated_by_a_writer_and_not_touched_by_a_reader(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.executescript(f"{MIGRATIONS[0]} PRAGMA user_version = 1")
    with pytest.raises(JournalError, match="is of version 1; run the command"):
        Journal(tmp_path, readonly=True)
    with Journal(tmp_path) as journal:
        set_up(journal)
        record(journal, MEETS)
        assert seen(journal) == [("herb", "meets")]
    assert on_disk(tmp_path, "PRAGMA user_version") == [(len(MIGRATIONS),)]


@pytest.mark.parametrize("readonly", [False, True])
def test_another_file_in_its_place_is_refused_by_name(tmp_path, readonly):
    (tmp_path / FILE).write_text("not a database, but long enough to be taken for one" * 50)
    with pytest.raises(JournalError, match=r"run\.sqlite.* is not a journal"):
        Journal(tmp_path, readonly=readonly)


def test_settings_of_the_same_name_are_replaced():
    with Journal(None) as journal:
        journal.set_settings(benchmark="a", subset=True)
        journal.set_settings(benchmark="b")
        assert [journal.setting(name) for name in ("benchmark", "subset", "other")] == ["b", True, None]


def test_how_often_a_judge_grades_never_shrinks():
    with Journal(None) as journal:
        set_up(journal)
        for repeats in (1, 3, 2):
            journal.set_asked([("m", "text_only", "j", repeats)])
        assert journal.asked() == [("m", "text_only", "j", 3)]


def test_responses_and_checks_come_back_as_they_were_given():
    given = [response("né 日本"), response(None, sample=1), response("No.", sample=2, refusal=True)]
    checks = [check("b", "b"), check("a", "a")]
    with Journal(None) as journal:
        set_up(journal, checks, given)
        assert journal.responses() == given
        assert journal.checks() == checks


def test_a_response_to_a_question_that_is_gone_goes_with_it():
    with Journal(None) as journal:
        set_up(journal)
        journal.set_questions([("p", {"id": "p"}, [])])
        assert journal.responses() == []


def test_an_outcome_that_cannot_be_stored_is_an_error_and_not_silence(tmp_path):
    journal = Journal(tmp_path)
    set_up(journal)
    journal.record(asked().key, asked(), Judgement(Verdict.MEETS, "half a pair: \ud83d"))
    with pytest.raises(JournalError):
        journal.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE checks SET json = '{'",
        "UPDATE checks SET json = '{}'",
        "UPDATE checks SET json = '[]'",
        "UPDATE checks SET json = CAST(X'ff' AS TEXT)",
        "UPDATE responses SET json = ''",
        "UPDATE judges SET settings = 'x'",
    ],
)
def test_a_damaged_journal_is_an_error_that_says_so(tmp_path, damage):
    with Journal(tmp_path) as journal:
        set_up(journal)
        record(journal, MEETS)
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute(damage)
    db.close()
    with (
        Journal(tmp_path, readonly=True) as journal,
        pytest.raises(JournalError, match=f"^{re.escape(str(tmp_path / FILE))} is damaged"),
    ):
        _ = journal.checks(), journal.responses(), journal.judges()


def test_a_verdict_that_is_none_is_damage_of_the_journal(tmp_path):
    with Journal(tmp_path) as journal:
        set_up(journal)
        record(journal, MEETS)
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("UPDATE verdict_log SET verdict = 'meetS'")
    db.close()
    for read in (Journal.verdicts, Journal.outcomes):
        with Journal(tmp_path, readonly=True) as journal, pytest.raises(JournalError, match="is damaged"):
            read(journal)


def test_a_page_that_the_disk_has_lost_is_an_error_that_names_the_folder(tmp_path):
    with Journal(tmp_path) as journal:
        set_up(journal)
        record(journal, MEETS)
    pages = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(pages[:4096] + b"\xa5" * (len(pages) - 4096))
    for read in (Journal.checks, Journal.verdicts, Journal.judges, Journal.known_keys):
        with (
            Journal(tmp_path, readonly=True) as journal,
            pytest.raises(
                JournalError, match=f"^{re.escape(str(tmp_path / FILE))} is damaged.* restore it from a copy"
            ),
        ):
            read(journal)


def test_an_empty_file_is_no_version_of_a_journal_and_becomes_one(tmp_path):
    (tmp_path / FILE).touch()  # killed before the first migration
    with pytest.raises(JournalError, match=f"^{re.escape(str(tmp_path / FILE))} is empty.* run the command"):
        Journal(tmp_path, readonly=True)
    with Journal(tmp_path) as journal:
        set_up(journal)
        record(journal, MEETS)
        assert seen(journal) == [("herb", "meets")]


@pytest.mark.parametrize("readonly", [False, True])
def test_a_database_of_somebody_else_is_left_as_it_is(tmp_path, readonly):
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(JournalError, match="is not a journal of a run"):
        Journal(tmp_path, readonly=readonly)
    assert on_disk(tmp_path, "SELECT name FROM sqlite_master") == [("recipes",)]
