"""Components of variance, against lme4's and simulated ones."""

import numpy as np
import pytest

from gamut_eval.stats.variance import COMPONENTS, variance_split

# R, package lme4: Penicillin, 24 plates of 6 samples, the diameter of a zone in mm.
PENICILLIN = """
27 23 26 23 23 21  27 23 26 23 23 21  25 21 25 24 24 20  26 23 25 23 23 20  25 22 26 22 23 20  24 22 25 23 22 19
24 20 23 21 22 19  26 22 26 24 24 21  24 21 24 22 22 20  24 21 24 23 22 19  26 23 26 24 24 21  25 22 26 24 24 20
26 24 26 24 25 22  26 23 26 23 23 20  26 23 25 24 24 22  25 22 25 23 23 20  25 21 24 23 23 20  25 22 24 23 23 19
24 21 23 21 21 19  26 23 26 24 24 21  25 21 24 22 22 18  25 22 25 22 22 20  24 21 24 22 24 19  24 21 24 22 21 18
"""
# R, package lme4: Dyestuff and Dyestuff2, 6 batches of 5.
DYESTUFF = """
1545 1440 1440 1520 1580  1540 1555 1490 1560 1495  1595 1550 1605 1510 1560
1445 1440 1595 1465 1545  1595 1630 1515 1635 1625  1520 1455 1450 1480 1445
"""
DYESTUFF_2 = """
7.298 3.846 2.434 9.566 7.990  5.220 6.556 0.608 11.788 -0.892  0.110 10.386 13.434 5.510 8.166
2.212 4.852 7.092 9.288 4.980  0.282 9.014 4.458 9.446 7.198  1.722 4.782 8.106 0.758 3.758
"""


def numbers(text):
    return [float(word) for word in text.split()]


def variances(split):
    return {part.name: part.variance for part in split.components if part.variance is not None}


def component(split, name):
    return split.components[COMPONENTS.index(name)]


def design(n_questions, n_samples, n_judges, n_repeats):
    """Labels of a balanced design: question, sample, judge."""
    places = np.indices((n_questions, n_samples, n_judges, n_repeats)).reshape(4, -1)
    return [own.tolist() for own in places[:3]]


def simulated(question, sample, judge, deviations, seed):
    rng = np.random.default_rng(seed)
    cells = {
        "question": question,
        "judge": judge,
        "question × judge": list(zip(question, judge, strict=True)),
        "sample": list(zip(question, sample, strict=True)),
        "sample × judge": list(zip(question, sample, judge, strict=True)),
        "repeat": range(len(question)),
    }
    scores = np.zeros(len(question))
    for name, deviation in deviations.items():
        effects = {}
        scores += [effects.setdefault(cell, rng.normal(0, deviation)) for cell in cells[name]]
    return scores


def test_crossed_effects_are_those_of_lme4():
    # lmer(diameter ~ 1 + (1 | plate) + (1 | sample), Penicillin): 0.7169, 3.731, 0.3024; REML, which in a balanced
    # design is the analysis of variance.
    plates, samples = np.repeat(np.arange(24), 6).tolist(), np.tile(np.arange(6), 24).tolist()
    split = variance_split(numbers(PENICILLIN), plates, judge=samples)
    found = variances(split)
    assert found["question"] == pytest.approx(0.7169, abs=5e-5)
    assert found["judge"] == pytest.approx(3.731, abs=5e-4)
    assert found["question × judge"] == pytest.approx(0.3024, abs=5e-5)
    assert set(found) == {"question", "judge", "question × judge"}
    assert component(split, "repeat").note == "cannot be told from question × judge, which includes it"


def test_repeats_within_questions_are_those_of_lme4():
    # lmer(Yield ~ 1 + (1 | Batch), Dyestuff): 1764.05 and 2451.25, the mean 1527.5 with a standard error of 19.38.
    split = variance_split(numbers(DYESTUFF), np.repeat(np.arange(6), 5).tolist())
    assert variances(split) == {"question": pytest.approx(1764.05), "repeat": pytest.approx(2451.25)}
    assert (split.mean, split.standard_error) == (pytest.approx(1527.5), pytest.approx(19.38, abs=0.005))
    assert sum(part.share for part in split.components if part.share is not None) == pytest.approx(1)


def test_a_negative_estimate_is_0_with_a_note():
    # lmer gives Dyestuff2's batches 0, and its mean as 5.6656.
    split = variance_split(numbers(DYESTUFF_2), np.repeat(np.arange(6), 5).tolist())
    question = component(split, "question")
    assert split.mean == pytest.approx(5.6656)
    assert (question.variance, question.share, question.of_mean) == (0, 0, 0)
    assert question.note.startswith("the estimate is -")
    assert "shown as 0" in question.note


DEVIATIONS = dict(zip(COMPONENTS, [0.5, 0.3, 0.2, 0.3, 0.15, 0.1], strict=True))


def test_all_components_of_a_large_design_are_found():
    labels = design(400, 3, 12, 2)
    split = variance_split(simulated(*labels, DEVIATIONS, 0), labels[0], sample=labels[1], judge=labels[2])
    for name, deviation in DEVIATIONS.items():
        part = component(split, name)
        # A component's estimate has about √(2/levels) relative error: that of 12 judges is large.
        assert part.variance == pytest.approx(deviation**2, rel=4 * np.sqrt(2 / part.n_levels))
        assert part.note is None


def test_estimates_are_right_on_average_though_cells_are_missing():
    labels = np.array(design(40, 2, 5, 2))
    found = []
    for seed in range(60):
        kept = np.random.default_rng(seed).random(labels.shape[1]) < 0.7
        question, sample, judge = labels[:, kept].tolist()
        scores = simulated(question, sample, judge, DEVIATIONS, seed)
        split = variance_split(scores, question, sample=sample, judge=judge)
        found.append([part.variance for part in split.components])
    means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(60)
    expected = np.array([deviation**2 for deviation in DEVIATIONS.values()])
    assert (np.abs(means - expected) < 4 * errors).all()


def test_the_order_of_scores_does_not_matter_nor_a_shift():
    labels = np.array(design(10, 2, 3, 2))
    scores = simulated(*labels.tolist(), DEVIATIONS, 1)
    places = np.random.default_rng(0).permutation(len(scores))
    straight, shuffled = (
        variance_split(
            scores[order] + shift, *labels[:1, order].tolist(), sample=labels[1, order], judge=labels[2, order]
        )
        for order, shift in ((np.arange(len(scores)), 0), (places, 0.7))
    )
    assert variances(shuffled) == pytest.approx(variances(straight))
    assert shuffled.standard_error == pytest.approx(straight.standard_error)


def test_one_score_a_question_is_all_question():
    split = variance_split([0.1, 0.4, 0.9], [1, 2, 3])
    assert variances(split) == {"question": pytest.approx(np.var([0.1, 0.4, 0.9], ddof=1))}
    assert component(split, "question").note == "includes sample and repeat, which the design cannot tell from it"
    assert split.standard_error == pytest.approx(np.std([0.1, 0.4, 0.9], ddof=1) / np.sqrt(3))


@pytest.mark.parametrize(
    ("scores", "question", "why"),
    [
        ([], [], "fewer than two scores"),
        ([0.5, None], [1, 2], "fewer than two scores"),
        ([0.5, 0.5], [1, 2], "every score is the same"),
        ([0.5, 0.6], [1, 1], "one question"),
    ],
)
def test_what_is_undefined_is_none_with_a_reason(scores, question, why):
    split = variance_split(scores, question)
    assert (split.why, split.standard_error, variances(split)) == (why, None, {})


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="2 scores, but 1 labels of judge"):
        variance_split([0.1, 0.2], [1, 2], judge=[1])
