from dataclasses import replace

import pytest

from gamut_eval.records import VERDICTS, Verdict
from gamut_eval.reports.kinds.paper import REPORT
from gamut_eval.reports.published import JUDGE, PAPER, PUBLISHED
from gamut_eval.reports.shapes import plain
from gamut_eval.reports.table_kind import Wanted
from gamut_eval.reports.tables.paper import TABLE
from gamut_eval.reports.writers.latex import latex
from gamut_eval.rubric.fields import TIERS, Tier


@pytest.fixture
def source(source_of, question, answer):
    """``a`` has 0.5 without an image; ``b`` an open check."""
    questions = [question("q", ["valuable", "valuable"])]
    answers = [answer("q", "a"), answer("q", "b")]
    verdicts = [("q", "a", "c0", "j", "meets"), ("q", "a", "c1", "j", "missing"), ("q", "b", "c0", "j", "meets")]
    return source_of(questions, answers, [*verdicts, ("q", "b", "c1", "j", None)])


def test_the_published_figures_are_consistent():
    assert (len(PUBLISHED), JUDGE) == (14, "Gemini 3.1 Pro")
    assert "arXiv:2607.19322" in PAPER
    assert [row.gamut for row in PUBLISHED] == sorted((row.gamut for row in PUBLISHED), reverse=True)
    for row in PUBLISHED:
        assert sum(row.verdicts.values()) == pytest.approx(1, abs=0.0025)  # four numbers rounded to 0.1%
        assert set(row.tiers) == set(TIERS)
        assert min(row.tiers.values()) <= row.gamut <= max(row.tiers.values())
        assert row.text_only is None or row.gamut + 0.07 <= row.text_only <= row.gamut + 0.24


def test_some_published_figures():
    by_name = {row.model: row for row in PUBLISHED}
    first, last = by_name["Gemini 3.1 Pro"], by_name["Llama 3.2 11B"]
    assert (first.gamut, first.text_only, first.tiers[Tier.ANSWER_CRITICAL]) == (0.587, 0.741, 0.639)
    assert (last.gamut, last.text_only, last.verdicts[Verdict.CONTRADICTS]) == (0.051, 0.227, 0.083)
    assert by_name["Claude Opus 4.8"].verdicts[Verdict.CONTRADICTS] == 0.026
    assert sum(row.text_only is None for row in PUBLISHED) == 9


def test_own_rows_are_marked_and_stand_by_their_score(source):
    tabulated = TABLE.build(source, Wanted())
    (table,) = tabulated.tables
    rows = [dict(zip([column.title for column in table.columns], row, strict=True)) for row in table.rows]
    assert len(rows) == 16
    assert [row["From"] for row in rows] == ["paper"] * 14 + ["own"] * 2
    a, b = rows[-2:]
    assert (a["Model"], a["Judge"], a["Gamut"], a["Gamut, text only"]) == ("a", "j", None, 0.5)
    assert (b["Model"], b["Gamut, text only"]) == ("b", None)
    assert "only when the official checks, judge model and judge prompt are used" in plain(table.caution)


def test_a_paper_s_caption_has_the_caution_and_what_is_to_be_known_of_the_judges(source):
    noted = replace(source, judges={"j": {"settings": {}, "note": "Simulated."}})
    text = latex([("t", table) for table in TABLE.build(noted, Wanted()).tables])
    (caption,) = [line for line in text.splitlines() if line.startswith(r"\caption")]
    assert "Scores compare with published ones only when the official checks" in caption
    assert caption.endswith("Simulated.}")


def test_no_own_row_is_bold_or_ranked_among_the_published(source_of, question, answer):
    image = {"image": {"path": "a.jpg"}}
    verdicts = [("q", model, "c0", "j", verdict) for model, verdict in (("a", "meets"), ("b", "missing"))]
    rows = [(*row, {"variant": "image"}) for row in verdicts]
    answers = [answer("q", "a", variant="image"), answer("q", "b", variant="image")]
    (table,) = TABLE.build(source_of([question("q", ["valuable"], **image)], answers, rows), Wanted()).tables
    parts = latex([("t", table)]).split(r"\midrule")[1:]
    assert [part.count("\n") - 1 for part in parts] == [2 + 0, 14 + 3]
    own, paper = parts
    assert r"a & own & j & \textbf{100.0}" in own
    assert r"Gemini 3.1 Pro & paper & Gemini 3.1 Pro & \textbf{58.7}" in paper


def test_the_data_names_its_source(source):
    data = TABLE.build(source, Wanted()).data
    assert "arXiv:2607.19322" in data["paper"]
    assert data["published"][3]["text_only"] is None
    assert data["published"][0]["verdicts"] == dict(
        zip((verdict.value for verdict in VERDICTS), (0.552, 0.115, 0.292, 0.041), strict=True)
    )
    assert [(own["model"], own["text_only"], own["n_questions"]) for own in data["own"]] == [
        ("a", 0.5, {"image": 0, "text_only": 1}),
        ("b", None, {"image": 0, "text_only": 0}),
    ]


def test_the_report_has_it_only_where_it_was_asked_for(source):
    assert REPORT.build(source) is None
    section = REPORT.build(replace(source, published=True))
    note, table = section.blocks
    assert note.tone == "warning"
    assert len(table.rows) == 16
