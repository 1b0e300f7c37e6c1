import polars as pl
import pytest

from gamut_eval.records import VERDICTS
from gamut_eval.rubric.fields import TIERS
from gamut_eval.scoring.counts import CONSENSUS, Graded, count_verdicts, derive_coverage

TEXT, INT = pl.String, pl.Int64


def frame(columns, rows=()):
    return pl.DataFrame(list(rows), schema=columns, orient="row")


def graded(checks, verdicts, *, responses, asked=(("m", "text_only", "j", 1),), askable=("q",)):
    """checks: (question, check, tier, threshold, parts); verdicts: (question, judge, repeat, check, verdict)."""
    check_columns = {"question_id": TEXT, "check_id": TEXT, "tier": TEXT, "threshold": INT, "parts": pl.List(TEXT)}
    unit = {"question_id": TEXT, "model": TEXT, "variant": TEXT, "sample": INT, "judge": TEXT, "repeat": INT}
    return Graded(
        frame(check_columns, checks),
        frame(dict(list(unit.items())[:4]), [(q, "m", "text_only", sample) for q, sample in responses]),
        frame({"model": TEXT, "variant": TEXT, "judge": TEXT, "repeats": INT}, asked),
        frame({"variant": TEXT, "question_id": TEXT}, [("text_only", q) for q in askable]),
        frame(
            unit | {"check_id": TEXT, "verdict": TEXT},
            [(q, "m", "text_only", 0, judge, repeat, check, verdict) for q, judge, repeat, check, verdict in verdicts],
        ),
    )


SIMPLE = [
    ("q", "a", "answer_critical", None, []),
    ("q", "b", "answer_critical", None, []),
    ("q", "c", "context", None, []),
    ("p", "a", "valuable", None, []),
]


def counts(of):
    """What is not 0, by (question, sample, judge, repeat)."""
    tally = count_verdicts(of)
    found = {}
    for unit, cells, opened in zip(tally.units.iter_rows(named=True), tally.counts, tally.opened, strict=True):
        named = {f"{t}/{v}": int(cells[i, k]) for i, t in enumerate(TIERS) for k, v in enumerate(VERDICTS)}
        named |= {f"{t}/open": int(opened[i]) for i, t in enumerate(TIERS)}
        key = tuple(unit[name] for name in ("question_id", "sample", "judge", "repeat"))
        found[key] = {name: n for name, n in named.items() if n}
    return found


def test_verdicts_are_counted_by_tier_and_what_has_none_is_open():
    given = [("q", "j", 0, "a", "meets"), ("q", "j", 0, "b", None)]
    expected = {"answer_critical/meets": 1, "answer_critical/open": 1, "context/open": 1}
    assert counts(graded(SIMPLE, given, responses=[("q", 0)])) == {("q", 0, "j", 0): expected}


def test_a_question_without_a_response_is_open_in_every_check():
    of = graded(SIMPLE, [("q", "j", 0, "a", "missing")], responses=[("q", 0)], askable=("q", "p"))
    assert counts(of)["p", 0, "j", 0] == {"valuable/open": 1}


def test_a_question_that_no_one_was_to_be_asked_is_left_out():
    assert set(counts(graded(SIMPLE, [], responses=[("q", 0)]))) == {("q", 0, "j", 0)}


def test_every_sample_and_every_repeat_is_a_unit_of_its_own():
    of = graded(SIMPLE, [], responses=[("q", 0), ("q", 2)], asked=[("m", "text_only", "j", 2)])
    assert set(counts(of)) == {("q", sample, "j", repeat) for sample in (0, 2) for repeat in (0, 1)}


def test_a_response_that_no_judge_was_to_grade_counts_nowhere():
    of = graded(SIMPLE, [], responses=[("q", 0)], asked=[("another", "text_only", "j", 1)])
    assert count_verdicts(of).units["model"].to_list() == ["another"]


def coverage(threshold, *parts):
    whole = ("q", "pool/at-least-n", "answer_critical", threshold, [f"pool/{n}" for n in range(len(parts))])
    checks = [whole, *(("q", f"pool/{n}", "valuable", None, []) for n in range(len(parts)))]
    said = [("q", "j", 0, f"pool/{n}", part) for n, part in enumerate(parts) if part != "absent"]
    derived = derive_coverage(graded(checks, said, responses=[("q", 0)])).verdicts
    rows = derived.filter(pl.col("check_id") == "pool/at-least-n")["verdict"].to_list()
    return rows[0] if rows else None


@pytest.mark.parametrize(
    ("threshold", "parts", "verdict"),
    [
        (2, ["meets", "meets", "missing", "missing"], "meets"),
        (2, ["meets", "missing", "missing", "missing"], "partially_meets"),
        (2, ["missing"] * 4, "missing"),
        (3, ["meets", "missing", "missing", "missing"], "missing"),  # 1 is less than half of 3
        (3, ["meets", "meets", "missing", "missing"], "partially_meets"),
        (4, ["meets", "meets", "missing", "missing", "missing"], "partially_meets"),
        (1, ["partially_meets", "partially_meets"], "missing"),  # only what meets counts
        (2, ["meets", "contradicts", "contradicts"], "partially_meets"),
        (1, ["contradicts", "contradicts"], "missing"),
        (2, ["meets", "meets", None, None], "meets"),
        (2, ["meets", None, "missing"], None),
        (2, ["meets", "absent", "missing"], None),
        (2, ["absent", "absent"], None),
    ],
)
def test_a_derived_coverage_verdict(threshold, parts, verdict):
    assert coverage(threshold, *parts) == verdict


def test_deriving_leaves_coverage_without_parts_and_all_other_checks_as_they_were_judged():
    checks = [
        ("q", "long/at-least-4", "valuable", 4, []),
        ("q", "pool/at-least-1", "valuable", 1, ["pool/a"]),
        ("q", "pool/a", "context", None, []),
    ]
    said = [
        ("q", "j", 0, "long/at-least-4", "contradicts"),
        ("q", "j", 0, "pool/at-least-1", "meets"),
        ("q", "j", 0, "pool/a", "missing"),
    ]
    derived = derive_coverage(graded(checks, said, responses=[("q", 0)])).verdicts
    assert dict(derived.select("check_id", "verdict").iter_rows()) == {
        "long/at-least-4": "contradicts",
        "pool/at-least-1": "missing",
        "pool/a": "missing",
    }


def test_coverage_is_derived_for_each_judge_and_repeat_by_itself():
    checks = [("q", "pool/at-least-1", "valuable", 1, ["pool/a"]), ("q", "pool/a", "context", None, [])]
    said = [("q", "j", 0, "pool/a", "meets"), ("q", "j", 1, "pool/a", "missing"), ("q", "k", 0, "pool/a", None)]
    asked = [("m", "text_only", "j", 2), ("m", "text_only", "k", 1)]
    derived = derive_coverage(graded(checks, said, responses=[("q", 0)], asked=asked)).verdicts
    whole = derived.filter(pl.col("check_id") == "pool/at-least-1").select("judge", "repeat", "verdict")
    assert set(whole.iter_rows()) == {("j", 0, "meets"), ("j", 1, "missing"), ("k", 0, None)}


@pytest.mark.parametrize(
    ("votes", "agreed"),
    [
        (["meets", "meets", "missing"], "meets"),
        (["meets", "partially_meets", "missing"], None),
        (["meets", "missing"], None),
        (["contradicts", "contradicts"], "contradicts"),
        (["meets", "meets", None], "meets"),
        (["meets", None], None),  # one of two is not more than half
        (["meets", None, None], None),
        (["meets", "meets", "missing", "missing"], None),
        (["meets", "meets", "meets", "missing"], "meets"),
    ],
)
def test_consensus_needs_more_than_half_of_all_judges(votes, agreed):
    asked = [("m", "text_only", f"j{n}", 1) for n in range(len(votes))]
    said = [("q", f"j{n}", 0, "a", vote) for n, vote in enumerate(votes)]
    found = counts(graded(SIMPLE, said, responses=[("q", 0)], asked=asked))
    given = {f"answer_critical/{agreed}": 1} if agreed else {}
    assert found["q", 0, CONSENSUS, 0] == {"answer_critical/open": 2 - len(given), "context/open": 1, **given}


def test_one_judge_alone_has_no_consensus():
    of = graded(SIMPLE, [("q", "j", 0, "a", "meets")], responses=[("q", 0)])
    assert [key[2] for key in counts(of)] == ["j"]


def test_consensus_is_over_the_repeats_that_all_judges_have():
    asked = [("m", "text_only", "j", 3), ("m", "text_only", "k", 1)]
    of = graded(SIMPLE, [], responses=[("q", 0)], asked=asked)
    assert [key[3] for key in counts(of) if key[2] == CONSENSUS] == [0]
