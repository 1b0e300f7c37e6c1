"""Models side by side: intervals, ranks and tests of the leaderboard's own numbers."""

import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from gamut_eval.analysis.inference import Inference
from gamut_eval.analysis.source import Source
from gamut_eval.api import as_benchmark
from gamut_eval.benchmark.settings import ScoringSettings
from gamut_eval.records import VERDICTS
from gamut_eval.rubric.fields import TIERS
from gamut_eval.scoring.score import Scores
from gamut_eval.stats.bootstrap import bootstrap_mean


@pytest.fixture
def scored(question):
    """A source from scores by model and question; None is incomplete. ``more`` are fields of questions by id."""

    def make(columns, more=None, *, allow_incomplete=False, **inference):
        ids = dict.fromkeys(name for own in columns.values() for name in own)
        questions = [question(name, ["valuable"], **(more or {}).get(name, {})) for name in ids]
        rows = [
            {"question_id": name, "model": model, "variant": "text_only", "judge": "j", "gamut": score}
            | {"low": -1.0 if score is None else score, "high": 1.0 if score is None else score}
            | {tier.value: score for tier in TIERS}
            | {verdict.value: 1.0 for verdict in VERDICTS}
            | {"complete": score is not None}
            for model, own in columns.items()
            for name, score in own.items()
        ]
        frame = pl.DataFrame(rows, schema_overrides={"gamut": pl.Float64})
        scores = Scores.of(ScoringSettings(), "ask", frame, allow_incomplete=allow_incomplete)
        asked = [(model, "text_only", "j", 1) for model in columns]
        about = {"name": None, "version": None, "hash": None}
        questions = as_benchmark(questions).questions
        how = Inference(**{"replicates": 2000} | inference)
        return Source(about, questions, [], [], {}, asked, pl.DataFrame(), scores, inference=how)

    return make


def drawn(n, *means, noise=0.1, seed=0):
    """Scores of models a, b … of n questions that are hard or easy for all."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, 0.3, n)
    columns = {name: ease + mean + rng.normal(0, noise, n) for name, mean in zip("abcdef", means, strict=False)}
    return {name: dict(zip(names(n), map(float, own), strict=True)) for name, own in columns.items()}


def names(n):
    return [f"q{place:03}" for place in range(n)]


def only(source):
    (contest,) = source.contests
    return contest


def without(monkeypatch, *packages):
    for package in packages:
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, package, None)


# --- the interval is that of the number beside it ------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"allow_incomplete": True}, {"subset": True}, {"composite": "derive"}])
def test_an_interval_is_around_the_score_of_its_row(mixed, options):
    contests = mixed(**options).contests
    assert [contest.judge for contest in contests] == ["x/large", "x/small", "panel", "consensus"]
    for contest in contests:
        for standing in contest.standings:
            assert standing.interval.estimate == pytest.approx(standing.row.gamut)
            assert standing.interval.n_questions == (0 if standing.row.gamut is None else standing.row.n_questions)
            assert (standing.interval.why is None) == (standing.interval.low is not None)


def test_an_incomplete_row_has_no_interval_and_says_why(mixed):
    standings = {standing.model: standing for standing in mixed().contests[1].standings}
    assert [name for name, standing in standings.items() if standing.row.gamut is None] == ["c", "b"]
    assert standings["b"].interval.why == "a question lacks an answer or a verdict, so there is no mean"
    assert (standings["b"].rank.rank, standings["b"].letters) == (None, ())


def test_with_incomplete_questions_allowed_models_are_compared_on_those_complete_for_all(scored):
    columns = {"a": {"q1": 0.1, "q2": 0.3, "q3": 0.9}, "b": {"q1": 0.2, "q2": 0.6, "q3": None}}
    contest = only(scored(columns, allow_incomplete=True))
    assert {s.model: (s.row.gamut, s.interval.estimate) for s in contest.standings} == {
        "a": (pytest.approx(0.2), pytest.approx(0.2)),
        "b": (pytest.approx(0.4), pytest.approx(0.4)),
    }
    assert contest.pairs[0].shared == ("q1", "q2")
    assert contest.left_out == ("q3",)
    assert contest.ranking.n_questions == 2


def test_in_a_subset_run_each_model_is_measured_on_what_was_asked(source_of, question, answer):
    answers = [answer(q, m) for q in ("q1", "q2") for m in "ab"]
    verdicts = [(q, m, "c0", "j", "meets" if q + m != "q2b" else "missing") for q in ("q1", "q2") for m in "ab"]
    source = source_of([question(q, ["valuable"]) for q in ("q1", "q2", "q3")], answers, verdicts, subset=True)
    contest = only(source)
    assert [(s.model, s.row.gamut, s.interval.estimate, s.interval.n_questions) for s in contest.standings] == [
        ("a", 1.0, 1.0, 2),
        ("b", 0.5, 0.5, 2),
    ]


def test_numbers_are_those_of_the_statistics(scored):
    columns = drawn(40, 0.3, 0.1)
    standing = only(scored(columns, seed=7, level=0.9)).standings[0]
    alone = bootstrap_mean(sorted(columns["a"].values()), level=0.9, replicates=2000, seed=7)
    assert (standing.interval.level, standing.interval.seed, standing.interval.replicates) == (0.9, 7, 2000)
    assert standing.interval.estimate == pytest.approx(alone.estimate)
    assert (standing.interval.low, standing.interval.high) == pytest.approx((alone.low, alone.high), abs=0.01)


# --- clusters ------------------------------------------------------------------------------------


def test_questions_that_share_a_passage_are_resampled_together(scored):
    # Case B33: 10 passages of 10 questions with the same score within one: the error is √10 times the naive one.
    rng = np.random.default_rng(3)
    own = {name: float(score) for name, score in zip(names(100), np.repeat(rng.normal(0, 0.4, 10), 10), strict=True)}
    groups = {name: {"group": f"passage {place // 10}"} for place, name in enumerate(own)}
    naive, clustered = (only(scored({"a": own}, more)).standings[0].interval for more in ({}, groups))
    assert (naive.n_clusters, clustered.n_clusters) == (100, 10)
    assert clustered.n_questions == naive.n_questions == 100
    assert clustered.estimate == pytest.approx(naive.estimate)
    assert clustered.standard_error / naive.standard_error == pytest.approx(10**0.5, rel=0.1)
    assert "only 10 clusters" in clustered.notes[0]


def test_questions_are_joined_by_image_and_by_group(scored):
    one, other = ({"image": {"package": "p", "path": "x.png", "sha256": digit * 64}} for digit in "12")
    more = {"q000": one, "q001": one | {"group": "g"}, "q002": other | {"group": "g"}, "q003": other, "q004": {}}
    assert only(scored(drawn(6, 0.1), more)).standings[0].interval.n_clusters == 3


# --- pairs ---------------------------------------------------------------------------------------


def test_models_are_joined_by_question_and_what_one_lacks_is_listed(scored):
    # Case B35: the same 50 items, the other's rows shuffled and 3 missing, with a small difference.
    rng = np.random.default_rng(2)
    one = {name: float(score) for name, score in zip(names(50), rng.normal(0, 0.5, 50), strict=True)}
    absent = {"q007", "q011", "q042"}
    shuffled = [name for name in rng.permutation(names(50)).tolist() if name not in absent]
    other = {name: one[name] + 0.05 + float(rng.normal(0, 0.01)) for name in shuffled}
    contest = only(scored({"a": one, "b": other}))
    pair = contest.pair("a", "b")
    assert pair is contest.pair("b", "a")
    assert len(pair.shared) == pair.interval.n_questions == 47
    better = pair.one
    assert absent == set(pair.only_other if better == "b" else pair.only_one)
    sign = 1 if better == "b" else -1
    assert sign * pair.interval.estimate == pytest.approx(0.05, abs=0.01)
    apart = [standing.interval.high - standing.interval.low for standing in contest.standings]
    assert pair.interval.high - pair.interval.low < min(apart) / 20
    assert pair.p_holm < 0.001
    assert contest.ranking.left_out == ("q007", "q011", "q042")


def test_pairs_have_the_better_one_first_and_letters_tell_who_differs(scored):
    contest = only(scored(drawn(200, 0.1, 0.5, 0.11)))
    assert [standing.model for standing in contest.standings] == ["b", "c", "a"]
    assert [(pair.one, pair.other) for pair in contest.pairs] == [("b", "c"), ("b", "a"), ("c", "a")]
    assert {s.model: s.letters for s in contest.standings} == {"b": ("a",), "c": ("b",), "a": ("b",)}
    assert {s.model: (s.rank.rank, s.rank.low, s.rank.high) for s in contest.standings}["b"] == (1, 1, 1)
    ps = sorted(pair.p_permutation for pair in contest.pairs)
    by_hand = np.minimum(1, np.maximum.accumulate([3 * ps[0], 2 * ps[1], ps[2]]))
    assert sorted(pair.p_holm for pair in contest.pairs) == pytest.approx(by_hand.tolist())


def test_the_order_of_rows_changes_nothing(scored):
    columns = drawn(30, 0.1, 0.2, 0.15)
    back = {name: dict(reversed(own.items())) for name, own in reversed(columns.items())}
    there, again = only(scored(columns)), only(scored(back))
    for one, other in zip(there.standings, again.standings, strict=True):
        assert (one.interval, one.rank, one.letters) == (other.interval, other.rank, other.letters)
    assert [p.p_holm for p in there.pairs] == [p.p_holm for p in again.pairs]


# --- undefined is undefined ----------------------------------------------------------------------


def test_one_question_has_a_score_and_no_interval(scored):
    contest = only(scored({"a": {"q1": 0.5}, "b": {"q1": 0.25}}))
    assert [(s.interval.estimate, s.interval.low, s.rank.rank, s.rank.low) for s in contest.standings] == [
        (0.5, None, 1, None),
        (0.25, None, 2, None),
    ]
    assert contest.standings[0].interval.why == "one question: there is nothing to resample"
    pair = contest.pairs[0]
    assert (pair.interval.estimate, pair.interval.low, pair.p_permutation, pair.p_holm) == (0.25, None, None, None)
    assert contest.groups is None
    assert contest.untested == "one question: there is nothing to resample"
    assert contest.ranking.why == "one question, or one cluster of them: there is nothing to resample"


def test_identical_values_have_no_interval_and_identical_models_no_test(scored):
    same = dict.fromkeys(names(10), 0.5)
    contest = only(scored({"a": same, "b": same}))
    assert [(s.interval.estimate, s.interval.low, s.interval.why) for s in contest.standings] == [
        (0.5, None, "every question has the same score")
    ] * 2
    assert contest.untested == contest.pairs[0].why == "both have the same score on every shared question"
    assert [s.rank.rank for s in contest.standings] == [1, 1]


def test_a_constant_lead_has_a_test_but_no_interval(scored):
    one = drawn(12, 0.1)["a"]
    contest = only(scored({"a": {name: score + 0.125 for name, score in one.items()}, "b": one}))
    pair = contest.pairs[0]
    assert (pair.interval.estimate, pair.interval.low) == (pytest.approx(0.125), None)
    assert pair.interval.why.startswith("the difference is the same on every shared question")
    assert pair.p_holm == pair.p_permutation == 2 / 2**12
    assert [s.letters for s in contest.standings] == [("a",), ("b",)]


def test_one_model_is_compared_with_nobody(scored):
    contest = only(scored(drawn(10, 0.1)))
    assert (contest.pairs, contest.groups, contest.untested) == ((), None, "fewer than two models have a score")
    assert contest.standings[0].interval.low is not None
    assert contest.ranking.why == "fewer than two models have a score"


def test_without_any_score_everything_is_undefined_and_nothing_fails(scored):
    contest = only(scored({"a": {"q1": None, "q2": 0.5}, "b": {"q1": None, "q2": 0.25}}))
    assert [(s.row.gamut, s.interval.estimate, s.rank.rank, s.letters) for s in contest.standings] == [
        (None, None, None, ())
    ] * 2
    assert contest.untested == "fewer than two models have a score"
    assert contest.ranking.why == "fewer than two models have a score"


# --- optional packages ---------------------------------------------------------------------------


def test_without_statsmodels_the_tests_say_what_to_install_and_the_rest_stands(scored, monkeypatch):
    columns = drawn(20, 0.1, 0.4)
    whole = only(scored(columns))
    without(monkeypatch, "scipy", "statsmodels")
    less = only(scored(columns))
    assert whole.untested is None
    assert 'pip install "gamut-eval[stats]"' in less.untested
    assert less.groups is None
    assert [(s.interval, s.rank) for s in less.standings] == [(s.interval, s.rank) for s in whole.standings]
    assert [(p.p_permutation, p.interval, p.p_holm) for p in less.pairs] == [
        (p.p_permutation, p.interval, None) for p in whole.pairs
    ]


def test_bca_is_the_intervals_method_where_it_is_wanted(scored):
    columns = {"a": dict(zip(names(25), np.random.default_rng(1).exponential(0.3, 25).tolist(), strict=True))}
    source = scored(columns)
    bca = replace(source, inference=replace(source.inference, method="BCa"))
    percentile, corrected = (only(one).standings[0].interval for one in (source, bca))
    assert corrected.method == "BCa"
    assert corrected.low > percentile.low  # of a mean of values with a long upper tail both limits move up
    assert corrected.high > percentile.high


@pytest.mark.parametrize(("level", "alpha"), [(0.95, 0.05), (0.9, 0.1), (0.99, 0.01)])
def test_a_p_of_exactly_alpha_is_significant(level, alpha):
    assert Inference(level=level).alpha == alpha


def test_with_too_few_questions_for_so_many_models_there_are_no_groups_but_a_reason(scored):
    # 6 questions: the smallest p is 1/32; of 3 pairs it is adjusted to 0.094, of a single one it stays 0.031.
    three = only(scored(drawn(6, 0.9, 0.5, 0.1, noise=0.0)))
    assert three.groups is None
    assert three.untested.startswith("6 questions (or clusters of them) are too few to tell 3 pairs apart at p ≤ 0.05")
    assert all(standing.letters == () for standing in three.standings)
    two = only(scored(drawn(6, 0.9, 0.1)))
    assert two.groups.letters == {"a": ("a",), "b": ("b",)}


def test_many_models_get_letters_of_their_own_whatever_the_replicates(scored):
    ease = np.random.default_rng(2).normal(0, 0.1, 50)
    columns = {
        f"m{place:02}": dict(zip(names(50), map(float, 0.1 * ease * place + place / 34), strict=True))
        for place in range(34)
    }
    contest = only(scored(columns, replicates=100))
    assert {len(standing.letters) for standing in contest.standings} == {1}
    assert len({standing.letters for standing in contest.standings}) == 34
