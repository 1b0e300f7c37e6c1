import itertools
import math
import random
from statistics import fmean

import polars as pl
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from gamut_eval.benchmark.settings import ScoringSettings, TierWeights
from gamut_eval.errors import InputError
from gamut_eval.scoring.counts import Graded
from gamut_eval.scoring.score import score_checks, score_graded

AC, VAL, CTX = TIERS = ("answer_critical", "valuable", "context")
MEETS, PARTIAL, MISSING, CONTRADICTS = VERDICTS = ("meets", "partially_meets", "missing", "contradicts")
PAPER = ScoringSettings()
UNIT = {"question_id": pl.String, "model": pl.String, "variant": pl.String, "sample": pl.Int64}
JUDGED = UNIT | {"judge": pl.String, "repeat": pl.Int64, "check_id": pl.String, "verdict": pl.String}


def frame(columns, rows):
    return pl.DataFrame(list(rows), schema=columns, orient="row")


def study(rubrics, said, *, shuffle=None):
    """rubrics: {question: {check: tier}}; said: {(model, judge): {(question, sample, repeat): {check: verdict}}}."""
    units = [(model, judge, *unit) for (model, judge), units in said.items() for unit in units]
    repeats = {pair: 1 + max((unit[2] for unit in units), default=0) for pair, units in said.items()}
    frames = [
        frame(
            {"question_id": pl.String, "check_id": pl.String, "tier": pl.String, "threshold": pl.Int64}
            | {"parts": pl.List(pl.String)},
            [(q, check, tier, None, []) for q, rubric in rubrics.items() for check, tier in rubric.items()],
        ),
        frame(UNIT, dict.fromkeys((q, model, "text_only", sample) for model, _, q, sample, _ in units)),
        frame(
            {"model": pl.String, "variant": pl.String, "judge": pl.String, "repeats": pl.Int64},
            [(model, "text_only", judge, n) for (model, judge), n in repeats.items()],
        ),
        frame({"variant": pl.String, "question_id": pl.String}, [("text_only", q) for q in rubrics]),
        frame(
            JUDGED,
            [
                (q, model, "text_only", sample, judge, repeat, check, verdict)
                for model, judge, q, sample, repeat in units
                for check, verdict in said[model, judge][q, sample, repeat].items()
            ],
        ),
    ]
    if shuffle is not None:
        frames = [some.sample(fraction=1, shuffle=True, seed=shuffle) for some in frames]
    return Graded(*frames)


def leaderboard(rubrics, said, settings=PAPER, **options):
    scores = score_graded(study(rubrics, said, shuffle=options.pop("shuffle", None)), settings, **options)
    return {(row.model, row.judge): row for row in scores.rows}


def one(rubrics, units, settings=PAPER, **options):
    return leaderboard(rubrics, {("m", "j"): units}, settings, **options)["m", "j"]


# --- the same in plain Python --------------------------------------------------------------------


def plain_tier(verdicts, settings):
    m, p, s, c = (verdicts.count(verdict) for verdict in VERDICTS)
    total = m + p + s - settings.mu * c
    return (m + settings.lambda_ * p + settings.mu * c) / total if total else None


def plain_unit(rubric, verdicts, settings):
    tiers = [plain_tier([verdicts[c] for c in rubric if rubric[c] == tier], settings) for tier in TIERS]
    present = [(w, score) for w, score in zip(settings.weights.as_tuple(), tiers, strict=True) if score is not None]
    return sum(w * score for w, score in present) / sum(w for w, _ in present)


def plain_question(rubric, units, repeats, settings):
    """None where something is open. Units: {(sample, repeat): {check: verdict}}."""
    samples = []
    for sample in {sample for sample, _ in units} or {0}:
        said = [units.get((sample, repeat), {}) for repeat in range(repeats)]
        if any(verdicts.get(check) is None for verdicts in said for check in rubric):
            return None
        samples.append(fmean(plain_unit(rubric, verdicts, settings) for verdicts in said))
    return fmean(samples)


def plain_model(rubrics, units, settings):
    repeats = 1 + max((repeat for _, _, repeat in units), default=0)
    per_question = []
    for q, rubric in rubrics.items():
        own = {(sample, repeat): said for (name, sample, repeat), said in units.items() if name == q}
        per_question.append(plain_question(rubric, own, repeats, settings))
    return per_question


# --- hand-computed -------------------------------------------------------------------------------

THREE = {"q": {"a1": AC, "a2": AC, "v1": VAL, "c1": CTX}}


@pytest.mark.parametrize(
    ("verdicts", "gamut", "tiers"),
    [
        ([MEETS, MEETS, MEETS, MEETS], 1.0, [1.0, 1.0, 1.0]),
        ([MISSING] * 4, 0.0, [0.0, 0.0, 0.0]),
        ([CONTRADICTS] * 4, -1.0, [-1.0, -1.0, -1.0]),
        ([MEETS, MISSING, PARTIAL, MEETS], 0.55, [0.5, 0.5, 1.0]),
        ([MEETS, CONTRADICTS, MEETS, MISSING], 0.1, [-1 / 3, 1.0, 0.0]),
    ],
)
def test_a_benchmark_of_one_question(verdicts, gamut, tiers):
    row = one(THREE, {("q", 0, 0): dict(zip(THREE["q"], verdicts, strict=True))})
    assert row.gamut == pytest.approx(gamut)
    assert list(row.tiers.values()) == pytest.approx(tiers)
    assert row.bounds == pytest.approx((gamut, gamut))
    assert (row.n_questions, row.n_incomplete) == (1, 0)


def test_a_cautious_answer_outranks_a_confidently_wrong_one():
    said = {
        ("cautious", "j"): {("q", 0, 0): dict.fromkeys(THREE["q"], MISSING)},
        ("wrong", "j"): {("q", 0, 0): dict.fromkeys(THREE["q"], MISSING) | {"a1": CONTRADICTS}},
    }
    rows = leaderboard(THREE, said)
    assert rows["cautious", "j"].gamut > rows["wrong", "j"].gamut


def test_tier_columns_are_over_the_questions_that_have_the_tier_and_shares_over_all_checks():
    rubrics = {"p": {"a": AC, "v": VAL}, "q": {"a": AC, "b": AC}}
    row = one(rubrics, {("p", 0, 0): {"a": MEETS, "v": PARTIAL}, ("q", 0, 0): {"a": MISSING, "b": MISSING}})
    assert row.tiers == {AC: 0.5, VAL: 0.5, CTX: None}
    assert row.gamut == pytest.approx((0.75 / 0.9 + 0) / 2)
    assert row.verdicts == {MEETS: 0.25, PARTIAL: 0.25, MISSING: 0.5, CONTRADICTS: 0.0}


def test_with_one_tier_the_tier_and_the_total_are_the_same_whatever_the_weights():
    settings = ScoringSettings(weights=TierWeights(answer_critical=3, valuable=1, context=0))
    scores = score_graded(
        study({"q": {"a": VAL, "b": VAL}}, {("m", "j"): {("q", 0, 0): {"a": MEETS, "b": MISSING}}}), settings
    )
    (row,), (question,) = scores.rows, scores.question_rows()
    assert [row.gamut, row.tiers[VAL], question["gamut"], question["tiers"][VAL]] == [0.5] * 4


def test_weights_3_and_1_make_a_met_and_a_missing_tier_three_quarters():
    settings = ScoringSettings(weights=TierWeights(answer_critical=3, valuable=1, context=0))
    row = one({"q": {"a": AC, "b": VAL}}, {("q", 0, 0): {"a": MEETS, "b": MISSING}}, settings)
    assert row.gamut == 0.75


def test_repeats_are_averaged_as_scores_then_samples():
    rubric = {"q": {"a": AC, "b": AC}}
    units = {
        ("q", 0, 0): {"a": MEETS, "b": CONTRADICTS},  # -1/3
        ("q", 0, 1): {"a": MEETS, "b": MEETS},  # 1
        ("q", 1, 0): {"a": MISSING, "b": MISSING},  # 0
        ("q", 1, 1): {"a": MEETS, "b": MISSING},  # 1/2
    }
    row = one(rubric, units)
    assert row.gamut == pytest.approx(((-1 / 3 + 1) / 2 + 0.25) / 2)
    assert row.verdicts == {MEETS: 0.5, PARTIAL: 0.0, MISSING: 0.375, CONTRADICTS: 0.125}


def test_a_question_asked_more_often_weighs_no_more():
    units = {("p", sample, 0): {"a": MEETS} for sample in range(5)} | {("q", 0, 0): {"a": MISSING}}
    assert one({"p": {"a": AC}, "q": {"a": AC}}, units).gamut == 0.5


def test_an_open_verdict_leaves_no_headline_but_bounds():
    rubrics = {"p": {"a": AC}, "q": {"a": AC, "v": VAL}}
    row = one(rubrics, {("p", 0, 0): {"a": MEETS}, ("q", 0, 0): {"a": MEETS, "v": None}})
    assert (row.gamut, row.n_questions, row.n_incomplete) == (None, 1, 1)
    assert row.tiers == dict.fromkeys(TIERS)
    assert row.verdicts == dict.fromkeys(VERDICTS)
    assert row.bounds == pytest.approx(((1 + (0.6 - 0.3) / 0.9) / 2, 1.0))


def test_half_a_broken_run_shows_no_clean_score():
    rubrics = {f"q{n}": {"a": AC} for n in range(10)}
    units = {(f"q{n}", 0, 0): {"a": MEETS if n < 5 else None} for n in range(10)}
    row = one(rubrics, units)
    assert (row.gamut, row.bounds, row.n_questions, row.n_incomplete) == (None, (0.0, 1.0), 5, 5)
    allowed = one(rubrics, units, allow_incomplete=True)
    assert (allowed.gamut, allowed.bounds, allowed.n_questions, allowed.n_incomplete) == (1.0, (0.0, 1.0), 5, 5)


def test_a_question_without_a_response_is_incomplete_from_worst_to_best():
    row = one({"p": {"a": AC}, "q": {"a": AC, "v": VAL}}, {("p", 0, 0): {"a": MEETS}})
    assert (row.gamut, row.n_incomplete, row.bounds) == (None, 1, (0.0, 1.0))


@pytest.mark.parametrize("open_unit", [("q", 0, 1), ("q", 1, 0)])
def test_one_open_repeat_or_sample_makes_the_question_incomplete(open_unit):
    units = {("q", sample, repeat): {"a": MEETS} for sample in (0, 1) for repeat in (0, 1)} | {open_unit: {"a": None}}
    row = one({"q": {"a": AC}}, units)
    assert (row.gamut, row.bounds) == (None, (0.5, 1.0))


def test_allowing_incomplete_ones_compares_models_on_what_is_complete_for_all():
    rubrics = {q: {"a": AC} for q in "pqr"}
    said = {
        ("x", "j"): {("p", 0, 0): {"a": MEETS}, ("q", 0, 0): {"a": MISSING}, ("r", 0, 0): {"a": None}},
        ("y", "j"): {("p", 0, 0): {"a": PARTIAL}, ("q", 0, 0): {"a": None}, ("r", 0, 0): {"a": MEETS}},
    }
    rows = leaderboard(rubrics, said, allow_incomplete=True)
    assert [(rows[model, "j"].gamut, rows[model, "j"].n_questions) for model in "xy"] == [(1.0, 1), (0.5, 1)]
    assert [rows[model, "j"].n_incomplete for model in "xy"] == [2, 2]


def test_allowing_incomplete_ones_gives_no_score_where_no_question_is_complete():
    row = one({"q": {"a": AC}}, {("q", 0, 0): {"a": None}}, allow_incomplete=True)
    assert (row.gamut, row.n_questions, row.verdicts) == (None, 0, dict.fromkeys(VERDICTS))


def test_the_panel_is_the_mean_of_the_judges_and_the_consensus_what_most_of_them_said():
    rubric = {"q": {"a": AC, "b": AC}}
    said = {
        ("m", "j"): {("q", 0, 0): {"a": MEETS, "b": MEETS}},  # 1
        ("m", "k"): {("q", 0, 0): {"a": MEETS, "b": CONTRADICTS}},  # -1/3
        ("m", "l"): {("q", 0, 0): {"a": MISSING, "b": MEETS}},  # 1/2
    }
    rows = leaderboard(rubric, said)
    assert list(rows) == [("m", judge) for judge in ("j", "k", "l", "panel", "consensus")]
    assert rows["m", "panel"].gamut == pytest.approx((1 - 1 / 3 + 0.5) / 3)
    assert rows["m", "consensus"].gamut == 1.0


def test_the_panel_needs_every_judge_of_a_question():
    said = {("m", "j"): {("q", 0, 0): {"a": MEETS}}, ("m", "k"): {("q", 0, 0): {"a": None}}}
    scores = score_graded(study({"q": {"a": AC}}, said), PAPER)
    gamuts = {row.judge: (row.gamut, row.bounds) for row in scores.rows}
    assert gamuts["j"] == (1.0, (1.0, 1.0))
    assert gamuts["panel"] == (None, (0.0, 1.0))
    assert scores.incomplete


def test_an_undecided_consensus_makes_only_its_own_row_incomplete():
    said = {("m", "j"): {("q", 0, 0): {"a": MEETS}}, ("m", "k"): {("q", 0, 0): {"a": MISSING}}}
    scores = score_graded(study({"q": {"a": AC}}, said), PAPER)
    assert {row.judge: row.n_incomplete for row in scores.rows} == {"j": 0, "k": 0, "panel": 0, "consensus": 1}
    assert not scores.incomplete


def test_one_judge_makes_no_panel():
    assert list(leaderboard({"q": {"a": AC}}, {("m", "j"): {("q", 0, 0): {"a": MEETS}}})) == [("m", "j")]


def test_a_question_whose_tiers_all_weigh_nothing_is_refused_by_name():
    settings = ScoringSettings(weights=TierWeights(answer_critical=1, valuable=0, context=0))
    with pytest.raises(InputError, match="'q'"):
        one({"q": {"a": CTX}}, {("q", 0, 0): {"a": MEETS}}, settings)


# --- properties ----------------------------------------------------------------------------------

SETTINGS = st.builds(
    ScoringSettings,
    lambda_=st.floats(0, 1),
    mu=st.floats(-20, -0.5),
    weights=st.builds(TierWeights, **dict.fromkeys(TIERS, st.floats(0.01, 10))),
)
RUBRIC = st.lists(st.sampled_from(TIERS), min_size=1, max_size=6)
SAID = st.sampled_from([*VERDICTS, *VERDICTS, None])


@st.composite
def studies(draw):
    """Two models, two judges, up to three questions, samples and repeats; some of it open or absent."""
    rubrics = {
        f"q{n}": {f"c{at}": tier for at, tier in enumerate(draw(RUBRIC))} for n in range(draw(st.integers(1, 3)))
    }
    repeats, samples = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    answered = draw(st.sets(st.sampled_from(list(itertools.product("xy", rubrics, range(samples)))), min_size=1))
    said = {(model, judge): {} for model in sorted({model for model, _, _ in answered}) for judge in "jk"}
    for (model, q, sample), judge, repeat in itertools.product(sorted(answered), "jk", range(repeats)):
        said[model, judge][q, sample, repeat] = {check: draw(SAID) for check in rubrics[q]}
    return rubrics, said


@examples(max_examples=60, deadline=None)
@given(studies(), SETTINGS)
def test_scores_agree_with_plain_python(drawn, settings):
    rubrics, said = drawn
    rows = leaderboard(rubrics, said, settings)
    for (model, judge), units in said.items():
        expected = plain_model(rubrics, units, settings)
        row = rows[model, judge]
        assert row.n_incomplete == expected.count(None)
        if None in expected:
            assert row.gamut is None
        else:
            assert row.gamut == pytest.approx(fmean(expected), abs=1e-12)
        assert -1 - 1e-12 <= row.bounds[0] <= row.bounds[1] <= 1 + 1e-12


@examples(max_examples=30, deadline=None)
@given(studies(), SETTINGS, st.integers(0, 2**20))
def test_the_order_of_rows_judges_models_and_questions_does_not_matter(drawn, settings, seed):
    rubrics, said = drawn
    chance = random.Random(seed)
    shuffled = dict(chance.sample(list(said.items()), len(said)))
    turned = dict(chance.sample(list(rubrics.items()), len(rubrics)))
    first, second = leaderboard(rubrics, said, settings), leaderboard(turned, shuffled, settings, shuffle=seed)
    assert first.keys() == second.keys()
    for key, row in first.items():
        other = second[key]
        assert (row.n_questions, row.n_incomplete) == (other.n_questions, other.n_incomplete)
        numbers = [(r.gamut, *r.bounds, *r.tiers.values(), *r.verdicts.values()) for r in (row, other)]
        assert [n is None for n in numbers[0]] == [n is None for n in numbers[1]]
        assert [n or 0 for n in numbers[0]] == pytest.approx([n or 0 for n in numbers[1]], abs=1e-12)


@examples(max_examples=60, deadline=None)
@given(RUBRIC, st.data(), SETTINGS)
def test_bounds_are_reached_and_enclose_every_completion_of_the_open_verdicts(tiers, data, settings):
    verdicts = data.draw(st.lists(SAID, min_size=len(tiers), max_size=len(tiers)))
    rubric = {str(at): tier for at, tier in enumerate(tiers)}
    gamut, (low, high), _ = score_checks(tiers, verdicts, settings)
    assert (gamut is None) == (None in verdicts)
    options = [VERDICTS if verdict is None else [verdict] for verdict in verdicts]
    if math.prod(map(len, options)) > 1024:
        options = [(MEETS, CONTRADICTS) if len(some) > 1 else some for some in options]
    reached = [
        plain_unit(rubric, dict(zip(rubric, completion, strict=True)), settings)
        for completion in itertools.product(*options)
    ]
    assert (min(reached), max(reached)) == pytest.approx((low, high), abs=1e-12)


@examples(max_examples=100, deadline=None)
@given(RUBRIC, st.data(), SETTINGS)
def test_replacing_a_verdict_by_a_better_one_never_lowers_the_question_s_score(tiers, data, settings):
    verdicts = data.draw(st.lists(st.sampled_from(VERDICTS), min_size=len(tiers), max_size=len(tiers)))
    at = data.draw(st.integers(0, len(tiers) - 1))
    better = data.draw(st.sampled_from(VERDICTS[: VERDICTS.index(verdicts[at]) + 1]))
    before, _, _ = score_checks(tiers, verdicts, settings)
    after, _, _ = score_checks(tiers, [*verdicts[:at], better, *verdicts[at + 1 :]], settings)
    assert after >= before - 1e-12
