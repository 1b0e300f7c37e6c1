"""Score and length within groups, against Bland and Altman's example and a regression."""

import numpy as np
import pytest

from gamut_eval.stats.length import partial_correlation

# Bland and Altman (1995), table I: intramural pH and PaCO2 of eight subjects.
SUBJECTS = {
    1: "6.68 3.97 6.53 4.12 6.43 4.09 6.33 3.97",
    2: "6.85 5.27 7.06 5.37 7.13 5.41 7.17 5.44",
    3: "7.40 5.67 7.42 3.64 7.41 4.32 7.37 4.73 7.34 4.96 7.35 5.04 7.28 5.22 7.30 4.82 7.34 5.07",
    4: "7.36 5.67 7.33 5.10 7.29 5.53 7.30 4.75 7.35 5.51",
    5: "7.35 4.28 7.30 4.44 7.30 4.32 7.37 3.23 7.27 4.46 7.28 4.72 7.32 4.75 7.32 4.99",
    6: "7.38 4.78 7.30 4.73 7.29 5.12 7.33 4.93 7.31 5.03 7.33 4.93",
    7: "6.86 6.85 6.94 6.44 6.92 6.52",
    8: "7.19 5.28 7.29 4.56 7.21 4.34 7.25 4.32 7.20 4.41 7.19 3.69 6.77 6.09 6.82 5.58",
}


def crossed(n_questions=80, n_models=6, slope=0.5, seed=0):
    """Scores, lengths, questions, models: better models write more, and harder questions get longer answers."""
    rng = np.random.default_rng(seed)
    question, model = (own.ravel() for own in np.indices((n_questions, n_models)))
    length = rng.normal(0, 1, question.size) + rng.normal(0, 2, n_questions)[question] + model
    score = slope * length + rng.normal(0, 1, question.size) - rng.normal(0, 3, n_questions)[question]
    return score, length, question.tolist(), model.tolist()


def by_question(scores, lengths, question, **options):
    return partial_correlation(scores, lengths, question, clusters=question, **options)


def test_bland_and_altmans_example():
    # They print r = −0.51. R, rmcorr: −0.5067697 with 38 degrees of freedom, 47 − 8 − 1.
    rows = [(subject, *pair) for subject, text in SUBJECTS.items() for pair in np.reshape(text.split(), (-1, 2))]
    subject, ph, pressure = zip(*rows, strict=True)
    found = partial_correlation([float(x) for x in ph], [float(x) for x in pressure], subject, clusters=subject)
    assert found.value == pytest.approx(-0.5067697, abs=1e-7)
    assert (found.n, found.n_groups) == (47, 8)


def test_it_is_the_correlation_of_what_a_regression_on_the_groups_leaves():
    score, length, question, _ = crossed()
    dummies = np.eye(80)[question]
    left = [own - dummies @ np.linalg.lstsq(dummies, own, rcond=None)[0] for own in (score, length)]
    assert by_question(score, length, question).value == pytest.approx(np.corrcoef(*left)[0, 1])


def test_what_differs_between_groups_only_does_not_count():
    score, length, question, _ = crossed()
    hard = np.random.default_rng(1).normal(0, 50, 80)[question]
    found = by_question(score, length, question)
    assert by_question(score + hard, length - hard, question).value == pytest.approx(found.value)


def test_the_order_of_answers_does_not_matter():
    score, length, question, _ = crossed()
    places = np.argsort(np.random.default_rng(0).random((80, 6)), axis=1) + 6 * np.arange(80)[:, None]
    shuffled = by_question(score[places.ravel()], length[places.ravel()], question)
    straight = by_question(score, length, question)
    assert (shuffled.value, shuffled.low) == (pytest.approx(straight.value), pytest.approx(straight.low))


def test_bootstrap_and_fisher_agree_where_answers_are_independent():
    score, length, question, _ = crossed(200)
    drawn = by_question(score, length, question)
    reach = 1.959964 / np.sqrt(200 * 6 - 200 - 1 - 1)  # Fisher's transformation has √(degrees of freedom − 1)
    fisher = np.tanh(np.arctanh(drawn.value) + np.array([-reach, reach]))
    assert (drawn.low, drawn.high) == pytest.approx(tuple(fisher), abs=0.02)


def test_given_the_model_answers_to_one_question_are_resampled_together():
    score, length, question, model = crossed()
    alone = partial_correlation(score, length, model, clusters=range(len(score)))
    drawn = partial_correlation(score, length, model, clusters=question)
    assert drawn.value == alone.value
    assert drawn.high - drawn.low > 1.3 * (alone.high - alone.low)


def test_groups_are_centred_anew_in_each_replicate():
    """Two ways to the same numbers: groups that lie within clusters need no centring, and with it nothing changes."""
    score, length, question, _ = crossed(12)
    drawn = by_question(score, length, question, replicates=300)
    split = [*question[:-6], *[question[-1]] * 6]
    assert partial_correlation(score, length, split, clusters=question, replicates=300) == drawn


@pytest.mark.parametrize(
    ("scores", "lengths", "given", "why"),
    [
        ([], [], [], "too few answers: no degrees of freedom are left"),
        ([1, 2], [3, 4], ["a", "a"], "too few answers: no degrees of freedom are left"),
        ([1, 2, 3, None], [3, 4, 5, 6], list("abcd"), "too few answers: no degrees of freedom are left"),
        ([1, 2, 3], [5, 5, 5], list("aaa"), "lengths do not differ within any group"),
        ([1, 1, 1], [5, 6, 7], list("aaa"), "scores do not differ within any group"),
    ],
)
def test_what_is_undefined_is_none_with_a_reason(scores, lengths, given, why):
    found = by_question(scores, lengths, given)
    assert (found.value, found.low, found.high, found.why) == (None, None, None, why)


def test_a_perfect_correlation_has_no_interval():
    found = by_question([1, 2, 3, 6], [2, 4, 6, 12], list("aabb"))
    assert (found.value, found.low, found.high) == (pytest.approx(1), None, None)
    assert found.why.startswith("the correlation is perfect")


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="2 scores, 1 lengths, 2 labels, 2 clusters"):
        by_question([1, 2], [1], ["a", "a"])
    with pytest.raises(ValueError, match="2 scores, 2 lengths, 2 labels, 3 clusters"):
        partial_correlation([1, 2], [1, 2], ["a", "a"], clusters=[1, 2, 3])
