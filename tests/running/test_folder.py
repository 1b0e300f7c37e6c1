import json
import subprocess
import sys

import pytest

from gamut_eval.errors import InputError, RunBusyError, RunError
from gamut_eval.running.folder import LOCK, MANIFEST, claimed, existing, write_manifest
from gamut_eval.running.journal import FILE

HOLD = """
import sys
from pathlib import Path
from gamut_eval.running.folder import claimed
with claimed(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that has claimed ``tmp_path / "run"``."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "run")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_folder_is_made_with_its_parents(tmp_path):
    with claimed(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_of_another_living_process_is_refused_and_free_once_that_is_killed(tmp_path, holder):
    with pytest.raises(RunBusyError, match="in use"), claimed(tmp_path / "run"):
        pytest.fail("claimed twice")
    holder.kill()
    holder.wait()
    with claimed(tmp_path / "run"):
        pass


def test_a_folder_is_refused_to_the_same_process_a_second_time_and_free_afterwards(tmp_path):
    with claimed(tmp_path), pytest.raises(RunBusyError), claimed(tmp_path):
        pytest.fail("claimed twice")
    with claimed(tmp_path):
        pass


def test_the_claim_ends_with_an_exception(tmp_path):
    with pytest.raises(LookupError), claimed(tmp_path):
        raise LookupError
    with claimed(tmp_path):
        pass


def test_a_folder_with_other_files_and_no_run_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.docx").touch()
    with pytest.raises(InputError, match="holds no run"), claimed(tmp_path):
        pytest.fail("claimed")
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.docx"]


@pytest.mark.parametrize("name", [FILE, LOCK])
def test_a_folder_with_a_run_or_with_what_is_left_of_a_claim_is_taken(tmp_path, name):
    (tmp_path / name).touch()
    with claimed(tmp_path):
        pass


def test_a_file_in_place_of_the_folder_is_refused_by_name(tmp_path):
    (tmp_path / "run").touch()
    with pytest.raises(InputError, match=str(tmp_path / "run")), claimed(tmp_path / "run"):
        pytest.fail("claimed")


def test_reading_needs_a_run_and_the_message_says_how_to_make_one(tmp_path):
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(RunError, match=f"gamut judge … --run {folder}"):
            existing(folder)
    (tmp_path / FILE).touch()
    assert existing(tmp_path) == tmp_path


def test_the_manifest_holds_the_facts_and_the_versions_that_made_it(tmp_path):
    write_manifest(tmp_path, {"repeats": 3})
    manifest = json.loads((tmp_path / MANIFEST).read_bytes())
    assert manifest["repeats"] == 3
    assert manifest["made_by"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert set(manifest["made_by"]["packages"]) >= {"numpy", "polars"}
