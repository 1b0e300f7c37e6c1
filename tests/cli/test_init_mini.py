import re
import shlex
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "flat.md"


def test_init_mini_copies_the_bundled_benchmark_with_all_that_tests_a_judge(gamut, tmp_path):
    code, _, err = gamut("init", str(tmp_path / "mini"), "--mini")
    assert code == 0
    code, _, err_too = gamut("validate", str(tmp_path / "mini"))
    assert (code, "30 questions, 533 checks" in err_too) == (0, True)
    assert "verdicts/reference.jsonl" in err
    written, reference = tmp_path / "mini/responses/written.jsonl", tmp_path / "mini/verdicts/reference.jsonl"
    run = ("--run", str(tmp_path / "run"), "--subset")
    code, out, _ = gamut(
        "judge", str(tmp_path / "mini"), "--responses", str(written), "--judge", f"recorded:{reference}", *run
    )
    assert (code, "written-complete" in out) == (0, True)
    assert gamut("init", str(tmp_path / "mini"), "--mini")[0] == 2


def test_the_way_from_the_bundled_answers_to_both_scores_is_as_the_page_says(gamut, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    section = PAGE.read_text(encoding="utf-8").partition("## On the bundled answers\n")[2].partition("\n## ")[0]
    commands = [shlex.split(line) for line in re.findall(r"^\$ gamut (.*)", section, re.MULTILINE)]
    assert [command[0] for command in commands] == ["init", "judge", "judge", "compare"]
    for command in commands:
        code, out, err = gamut(*command)
        assert code == 0, err
    (row,) = (line.split() for line in out.splitlines() if line.startswith("written-wrong "))
    two_level, flat = row[1:3]
    order = row[-3]
    assert f"score {flat} by the flat checklist and {two_level} by two levels" in section
    assert f"order alone takes {order.removeprefix('-')} points" in section.replace("\n", " ")
