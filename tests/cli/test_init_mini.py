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
