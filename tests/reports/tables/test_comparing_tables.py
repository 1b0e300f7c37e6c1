"""The tables of `gamut compare` that put models, judges and variants side by side: contract, numbers, and readings."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from gamut_eval.analysis.inference import Inference
from gamut_eval.errors import UnknownNameError
from gamut_eval.reports.shapes import plain
from gamut_eval.reports.table_kind import REGISTRY, Wanted
from gamut_eval.reports.terminal import print_table
from gamut_eval.reports.writers.csv import csv_text

M, P, S, C = "meets", "partially_meets", "missing", "contradicts"
NAMES = ("main", "pairs", "variants", "judges", "by", "sensitivity", "spread")
FAST = Inference(replicates=500)


@pytest.fixture
def judged(source_of, question, answer):
    """Questions with one check each; verdicts by (judge, model) or (judge, model, variant)."""

    def make(of, tier="answer_critical", **options):
        names = [f"q{place:02}" for place in range(len(next(iter(of.values()))))]
        full = {(*key, "text_only")[:3]: given for key, given in of.items()}
        seen = any(variant == "image" for *_, variant in full)
        more = {"image": {"path": "a.jpg"}, "text_only": "What?"} if seen else {}
        questions = [
            question(q, [tier], **({"image": {"path": f"{q}.jpg"}, "text_only": "What?"} if more else {}))
            for q in names
        ]
        answers = [answer(q, m, variant=v) for m, v in dict.fromkeys((m, v) for _, m, v in full) for q in names]
        rows = [
            (q, m, "c0", j, verdict, {"variant": v})
            for (j, m, v), given in full.items()
            for q, verdict in zip(names, given, strict=True)
        ]
        return replace(source_of(questions, answers, rows, **options), inference=FAST)

    return make


def built(source, name, **wanted):
    return REGISTRY.get(name).build(source, Wanted(**wanted))


def cells(table, title):
    place = [column.title for column in table.columns].index(title)
    return [row[place] for row in table.rows]


FAR = {("j", "a"): [M] * 12, ("j", "b"): [S, P] * 6, ("j", "c"): [S] * 11 + [P]}
CLOSE = {("j", "a"): [M, S] * 6, ("j", "b"): [S, M] * 5 + [S, P]}


def test_main_has_the_leaderboard_s_numbers_with_intervals_of_the_same(judged):
    source = judged(FAR)
    (table,) = built(source, "main").tables
    assert [row[0] for row in table.rows] == ["a", "b", "c"]
    assert cells(table, "Gamut") == [1.0, 0.25, pytest.approx(0.5 / 12)]
    low, high = cells(table, "95% interval")[1]
    assert low < 0.25 < high
    assert cells(table, "95% interval")[0] is None
    assert cells(table, "Alike") == ["a", "b", "b"]
    assert cells(table, "Rank")[0] == (1, 1)
    assert cells(table, "Answer-Critical")[1] == 0.25
    assert cells(table, "Valuable") == [None, None, None]
    assert cells(table, "Meets") == [1.0, 0.0, 0.0]
    assert cells(table, "Questions") == [(12, 12)] * 3


def test_main_says_who_leads_and_who_cannot_be_told_apart(judged):
    far, close = (plain(built(judged(of), "main").tables[0].note) for of in (FAR, CLOSE))
    assert far.startswith("a is first with 100.0. a can be told apart from every other model (p ≤ 0.05 after Holm’s")
    assert "for 3 pairs" in far
    assert "Where the interval is n/a: every question has the same score. " in far
    assert close.startswith("a is first with 50.0 (95% interval ")
    assert "b cannot be told apart from a (p > 0.05). " in close
    assert (
        "Mean over the 12 questions. Intervals: 95% percentile bootstrap, 500 resamples of questions, seed 0." in close
    )


def test_models_with_the_same_score_share_the_first_place(judged):
    level = {("j", model): FAR["j", of] for model, of in (("a", "a"), ("b", "a"), ("c", "c"))}
    note = plain(built(judged(level), "main").tables[0].note)
    assert note.startswith("a and b share the first place with 100.0. a can be told apart from every model below (p ≤")
    alike = plain(built(judged({("j", "a"): FAR["j", "b"], ("j", "b"): FAR["j", "b"]}), "main").tables[0].note)
    assert alike.startswith("a and b share the first place with 25.0. Mean over")


def test_what_the_paper_does_not_have_is_marked(judged):
    (table,) = built(judged(FAR), "main").tables
    assert [c.title for c in table.columns if c.beyond_paper] == [
        "95% interval",
        "Alike",
        "Rank",
        "P(best), %",
        "Questions",
    ]


def test_main_of_an_incomplete_run_has_bounds_and_the_reason(judged):
    (table,) = built(judged({("j", "a"): [M, S], ("j", "b"): [P, None]}), "main").tables
    assert cells(table, "Gamut") == [0.5, None]
    assert cells(table, "Bounds (all questions)")[1] == (pytest.approx(-0.25), pytest.approx(0.75))
    assert cells(table, "Questions")[1] == (1, 2)
    note = plain(table.note)
    assert note.startswith("a scores 50.0 (95% interval")
    assert "b has no score: 1 of 2 questions lack" in note


def test_main_allowed_to_be_incomplete_has_intervals_over_the_same_questions(judged):
    of = {("j", "a"): [M, S, P, M], ("j", "b"): [P, M, S, None]}
    tabulated = built(judged(of, allow_incomplete=True), "main")
    for model in tabulated.data["contests"][0]["models"]:
        assert model["gamut"] == pytest.approx(0.5)
        assert model["interval"]["estimate"] == pytest.approx(model["gamut"])
        assert model["interval"]["n_questions"] == model["n_questions"] == 3
    assert "These are the questions that are complete for every model. " in plain(tabulated.tables[0].note)


def test_a_consensus_without_majorities_says_so(judged):
    source = judged({("x", "a"): [M, S], ("y", "a"): [S, S], ("x", "b"): [M, S], ("y", "b"): [M, S]})
    *_, consensus = built(source, "main").tables
    assert "a has no score: 1 of 2 questions lacks a verdict of more than half of the judges." in plain(consensus.note)


def test_a_consensus_without_any_score_is_said_once_and_not_shown(judged):
    source = judged({("x", "a"): [M, S], ("y", "a"): [S, S]})
    tabulated = built(source, "main")
    assert [plain(table.of) for table in tabulated.tables] == [
        f"text only, judged by {name}" for name in ("x", "y", "panel")
    ]
    told = [table for table in tabulated.tables if "by consensus" in plain(table.note)]
    assert plain(told[0].note).endswith(
        "No model has a score by consensus (1 of 2 questions lacks a verdict of more than half of the judges), so it "
        "is left out; '--judge consensus' shows its bounds. "
    )
    assert told == [tabulated.tables[-1]]
    assert [contest["judge"] for contest in tabulated.data["contests"]] == ["x", "y", "panel", "consensus"]


def test_fewer_questions_than_the_benchmark_has_are_explained(source_of, question, answer):
    image = {"image": {"path": "a.jpg"}}
    questions = [question("q0", ["context"]), question("q1", ["context"], **image), question("q2", ["context"])]
    rows = [("q0", "a", "c0", "j", M)]
    source = replace(source_of(questions, [answer("q0", "a")], rows, subset=True), inference=FAST)
    (table,) = built(source, "main").tables
    note = plain(table.note)
    assert "1 question cannot be asked without its image and 1 question was not put to the models. " in note


def test_questions_that_share_an_image_are_counted_as_clusters(source_of, question, answer):
    image = {"image": {"path": "one.jpg"}, "text_only": "What?"}
    questions = [question(q, ["context"], **(image if q != "q2" else {})) for q in ("q0", "q1", "q2")]
    rows = [(q, "a", "c0", "j", v) for q, v in (("q0", M), ("q1", S), ("q2", P))]
    source = replace(source_of(questions, [answer(q, "a") for q in ("q0", "q1", "q2")], rows), inference=FAST)
    assert "Mean over the 3 questions, in 2 clusters (questions that share an image" in plain(
        built(source, "main").tables[0].note
    )


def test_pairs_have_every_two_models_with_wins_and_what_is_left_out(judged):
    tabulated = built(judged(FAR), "pairs")
    (table,) = tabulated.tables
    assert [row[:2] for row in table.rows] == [("b", "c"), ("a", "b"), ("a", "c")]
    assert [row[-5:] for row in table.rows] == [(5, 7, 0, 12, 0), (12, 0, 0, 12, 0), (12, 0, 0, 12, 0)]
    first, _, last = tabulated.data["contests"][0]["pairs"]
    assert first["difference"]["estimate"] == 0.75
    assert first["p_permutation"] == pytest.approx(2 / 2**12)
    assert last["p_permutation"] == pytest.approx(2 / 2**5)
    assert plain(table.note).startswith(
        "2 of 3 pairs can be told apart (p ≤ 0.05 after Holm’s correction); not b and c, apart by 20.8 points. "
    )


def test_of_many_pairs_the_nearest_are_shown_and_a_program_gets_all(judged):
    tabulated = built(judged(FAR), "pairs", most=1)
    (table,) = tabulated.tables
    assert "The first 1 of 3 pairs, the nearest first. " in plain(table.note)
    stream = io.StringIO()
    print_table(table, Console(file=stream, width=200))
    assert sum(line.startswith(("a ", "b ")) for line in stream.getvalue().splitlines()) == 1
    assert len(csv_text(table).splitlines()) == 1 + 3
    assert len(tabulated.data["contests"][0]["pairs"]) == 3
    assert "The first" not in plain(built(judged(FAR), "pairs", most=3).tables[0].note)


def test_pairs_of_equal_models_have_no_p_and_say_why(judged):
    (table,) = built(judged({("j", "a"): [M, S], ("j", "b"): [M, S]}), "pairs").tables
    assert cells(table, "p") == [None]
    assert "both have the same score on every shared question" in plain(table.note)


def test_variants_put_both_scores_the_difference_and_ranks_in_a_line(judged):
    of = {("j", "a", "image"): [M, S, S, S], ("j", "a", "text_only"): [M, M, S, S]}
    of |= {("j", "b", "image"): [S, S, S, P], ("j", "b", "text_only"): [P, P, P, S]}
    (table,) = built(judged(of), "variants").tables
    assert [row[:4] for row in table.rows] == [("a", 0.25, 0.5, 0.25), ("b", 0.125, 0.375, 0.25)]
    assert [row[-2:] for row in table.rows] == [(1, 1), (2, 2)]
    assert [column.title for column in table.columns if not column.beyond_paper] == [
        "Model", "With image", "Text only", "Difference",
    ]  # fmt: skip
    note = plain(table.note)
    assert note.startswith("Text only raises the score of the 2 models by 25.0 points; for 0 of 2 that is no chance")
    assert "The ranking is the same in both (Kendall’s tau 1.00). " in note


def test_judges_have_a_score_and_rank_each_and_the_terminal_names_them(judged):
    of = {("x", "a"): [M, S, P], ("x", "b"): [S, S, S], ("y", "a"): [M, P, P], ("y", "b"): [M, M, P]}
    scores, agreement = built(judged(of), "judges").tables
    assert scores.rows == (
        ("a", 0.5, 1, pytest.approx(2 / 3), 2),
        ("b", 0.0, 2, pytest.approx(2.5 / 3), 1),
    )
    assert plain(scores.note) == "The two judges do not rank the models in the same order: Kendall’s tau -1.00. "
    assert agreement.rows[0][:4] == ("x", "y", 6, pytest.approx(2 / 6))
    assert plain(agreement.note).startswith("y scores 50.0 points higher (95% interval ")
    stream = io.StringIO()
    print_table(scores, Console(file=stream, width=80))
    assert stream.getvalue().count("x:") == stream.getvalue().count("y:") == 2


def test_a_judge_of_its_own_answers_is_shown_plainly(judged):
    of = {("x", "x"): [M, M], ("x", "b"): [P, P], ("y", "x"): [P, S], ("y", "b"): [P, S]}
    *_, own = built(judged(of), "judges").tables
    (row,) = own.rows
    assert row[:4] == ("x", 1.0, 0.25, pytest.approx(0.75))
    assert "x gives its own answers 50.0 points more" in plain(own.note)


def test_by_refuses_an_unknown_grouping_and_says_where_there_is_nothing(judged):
    source = judged(FAR)
    with pytest.raises(UnknownNameError, match="did you mean 'domain'"):
        built(source, "by", by=("domian",))
    (table,) = built(source, "by", by=("group",)).tables
    assert (table.rows, plain(table.note)) == ((), "Nothing to break down: no question says its group.")


def test_by_has_an_overview_and_intervals(source_of, question, answer):
    domains = {"q0": "food", "q1": "food", "q2": "animal"}
    rows = [(q, "a", "c0", "j", v) for q, v in zip(domains, (M, P, S), strict=True)]
    questions = [question(q, ["context"], domain=domain) for q, domain in domains.items()]
    source = replace(source_of(questions, [answer(q, "a") for q in domains], rows), inference=FAST)
    overview, details = built(source, "by", by=("domain",)).tables
    assert ([c.title for c in overview.columns], overview.rows) == (["Model", "animal", "food"], (("a", 0.0, 0.75),))
    assert plain(overview.note) == (
        "a: highest for food (75.0, 2 questions), lowest for animal (0.0, 1 question). A score here is of 1 to 2 "
        "questions and about ±25.0 points (95% interval): small differences between groups, and ranks within one, may "
        "be chance. "
    )
    assert details.rows == (("animal", "a", 1, 0.0, None), ("food", "a", 2, 0.75, (0.5, 1.0)))


def test_sensitivity_says_whether_the_order_holds(source_of, question, answer):
    rows = [("q", "a", f"c{n}", "j", P) for n in range(3)] + [
        ("q", "b", f"c{n}", "j", v) for n, v in enumerate((M, C, S))
    ]
    source = source_of([question("q")], [answer("q", "a"), answer("q", "b")], rows)
    models, settings, swaps = built(source, "sensitivity").tables
    assert models.rows[0] == ("a", pytest.approx(0.5), (0.0, 1.0), 1, (1, 2))
    assert plain(models.note).startswith("Places change between a and b (under 28 of 80). Rescored ")
    assert settings.rows[0][:4] == ("λ 0", pytest.approx(-1.0), 1, "b")
    assert len(settings.rows) == 4 + 3 + 3
    assert swaps.rows[0][:2] == ("a", "b")


def test_sensitivity_of_an_order_that_nothing_changes(judged):
    models, settings = built(judged({("j", "a"): [M], ("j", "b"): [S], ("j", "c"): [C]}), "sensitivity").tables
    assert plain(models.note).startswith("The order of all 3 models is the same under all 80 settings. Rescored")
    assert {row[2] for row in settings.rows} == {0}


def test_sensitivity_of_models_that_are_level_under_some_settings(judged):
    models, _ = built(judged({("j", "a"): [P], ("j", "b"): [S]}), "sensitivity").tables
    assert plain(models.note).startswith("a is first under all 80 settings; under some of them models are level. ")


def test_spread_shows_shares_and_what_cannot_be_told(judged):
    of = {("x", "a"): [M, S, P], ("y", "a"): [P, C, P]}
    (table,) = built(judged(of), "spread").tables
    assert table.rows[0][:3] == ("a", 6, pytest.approx(0.25))
    assert sum(share for share in table.rows[0][4:] if share is not None) == pytest.approx(1.0)
    assert "sample: cannot be told from question, which includes it. " in plain(table.note)


SOURCES = {
    "one model, one question": {("j", "a"): [M]},
    "one question": {("x", "a"): [M], ("x", "b"): [S], ("y", "a"): [P], ("y", "b"): [None]},
    "nothing judged": {("j", "a"): [None], ("j", "b"): [None]},
    "identical": {(j, m): [P, P] for j in "xy" for m in "ab"},
    "both variants, one open": {
        ("j", m, v): [M, None] if (m, v) == ("a", "image") else [S, M] for m in "ab" for v in ("image", "text_only")
    },
    "hostile": {("<i>\x1b[31m", m): [M, S] for m in ("=a|*b*", "[red]")}
    | {("y", "=a|*b*"): [S, S], ("y", "[red]"): [M, P]},
}


@pytest.mark.parametrize("allow_incomplete", [False, True])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", SOURCES)
def test_each_table_takes_any_run_and_is_shown(judged, case, name, allow_incomplete):
    tabulated = built(judged(SOURCES[case], allow_incomplete=allow_incomplete), name, by=("domain", "kind", "length"))
    if tabulated is None:
        assert name not in ("main", "by")
        return
    json.dumps(tabulated.data, allow_nan=False)
    for table in tabulated.tables:
        assert plain(table.title)
        assert plain(table.note)
        assert all(len(row) == len(table.columns) for row in table.rows)
        stream = io.StringIO()
        print_table(table, Console(file=stream, width=80))
        assert "nan" not in stream.getvalue()
        assert "\x1b" not in stream.getvalue()


@pytest.mark.parametrize("name", NAMES)
def test_without_the_extra_every_table_says_what_to_install_or_does_without(judged, name, monkeypatch):
    import sys

    said = {("x", "a"): [M, S] * 6, ("x", "b"): [P, S] * 6, ("y", "a"): [P, S] * 6, ("y", "b"): [S, P] * 6}
    if name == "variants":
        said = {(*key, variant): given for key, given in said.items() for variant in ("image", "text_only")}
    with_it = built(judged(said), name)
    for module in ("scipy", "scipy.stats", "scipy.special", "krippendorff", "statsmodels", "statsmodels.stats"):
        monkeypatch.setitem(sys.modules, module, None)
    for module in ("statsmodels.stats.multitest", "statsmodels.stats.inter_rater"):
        monkeypatch.setitem(sys.modules, module, None)
    without = built(judged(said), name)
    if name in ("by", "spread"):
        assert without == with_it
    elif name == "sensitivity":
        assert without.tables[0] == with_it.tables[0]
        assert cells(without.tables[1], "Kendall’s tau") == [None] * len(without.tables[1].rows)
    else:
        assert "gamut-eval[stats]" in " ".join(plain(table.note) for table in without.tables)


@pytest.mark.parametrize("name", ["judges", "pairs", "spread"])
def test_one_model_of_one_judge_leaves_nothing_to_show(judged, name):
    assert built(judged({("j", "a"): [M, S]}), name) is None


def test_a_constant_changed_is_not_parted_from_its_number(judged):
    models, *_ = built(judged({("j", "a"): [M, C], ("j", "b"): [P, P]}), "sensitivity").tables
    for width in range(30, 90):
        stream = io.StringIO()
        print_table(models, Console(file=stream, width=width))
        assert not [line for line in stream.getvalue().splitlines() if line.endswith(("λ", "μ", " -", "μ -"))]
