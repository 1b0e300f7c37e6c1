"""Agreement of raters, against R, SAS and Krippendorff's own example."""

import pytest

from gamut_eval.stats.agreement import (
    VERDICT_ORDER,
    VERDICTS_APART,
    agreement,
    confusion,
    krippendorff_alpha,
    weighted_kappa,
)
from gamut_eval.stats.kappa import cohen_kappa

# R, package irr: anxiety[, 2:3], 20 subjects rated from 1 to 6 by its second and third rater.
RATER_2 = [3, 6, 4, 6, 2, 4, 2, 4, 3, 3, 2, 3, 3, 3, 2, 2, 1, 3, 3, 4]
RATER_3 = [2, 1, 4, 4, 3, 2, 1, 6, 1, 1, 1, 2, 3, 3, 1, 1, 3, 3, 2, 2]
SCALE = [1, 2, 3, 4, 6]  # irr drops 5, which neither gave

# SAS, as printed in statsmodels' tests: a table of 3 labels.
SAS = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]

# Krippendorff (2011), section E: 4 observers, 12 units, values 1 to 5, some missing.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def from_table(table):
    cells = [(a, b) for a, row in enumerate(table) for b, n in enumerate(row) for _ in range(n)]
    return [a for a, _ in cells], [b for _, b in cells]


@pytest.mark.parametrize(("weights", "value"), [("linear", 0.1459075), ("quadratic", 0.2520325)])
def test_weighted_kappa_is_that_of_irr(weights, value):
    # kappa2(anxiety[, 2:3], "equal") and "squared".
    places = {label: place for place, label in enumerate(SCALE)}
    one, other = ([places[label] for label in rater] for rater in (RATER_2, RATER_3))
    found = weighted_kappa(one, other, order=range(5), apart=(), weights=weights)
    assert (found.value, found.n) == (pytest.approx(value, abs=1e-7), 20)


def test_kappas_are_those_of_irr_and_sas():
    assert cohen_kappa(RATER_2, RATER_3) == pytest.approx(-0.006289308)  # kappa2(anxiety[, 2:3])
    one, other = from_table(SAS)
    assert cohen_kappa(one, other) == pytest.approx(0.4842, abs=5e-5)
    assert weighted_kappa(one, other, order=range(3), apart=()).value == pytest.approx(0.4701, abs=5e-5)


@pytest.mark.parametrize(("order", "value"), [(None, 0.743), ((1, 2, 3, 4, 5), 0.815)])
def test_krippendorffs_own_example(order, value):
    found = krippendorff_alpha(OBSERVERS, order=order)
    assert (found.value, found.n) == (pytest.approx(value, abs=5e-4), 11)


def test_a_contradiction_is_as_far_from_missing_as_from_meets():
    base = ["meets"] * 10 + ["missing"] * 10 + ["partially_meets"] * 10 + ["contradicts"] * 10
    against = {label: [label, *base[1:]] for label in ("missing", "partially_meets", "contradicts")}
    near, far = (weighted_kappa(base, against[label]).value for label in ("partially_meets", "missing"))
    assert near > far
    one = ["contradicts", "missing", "meets"]
    swapped = weighted_kappa(one, ["missing", "contradicts", "meets"])
    mirrored = weighted_kappa(["contradicts", "meets", "missing"], ["meets", "contradicts", "missing"])
    assert swapped.value == pytest.approx(mirrored.value)


def test_without_contradictions_they_change_nothing():
    one = ["meets", "missing", "partially_meets", "meets", "missing"]
    other = ["meets", "partially_meets", "partially_meets", "missing", "missing"]
    assert weighted_kappa(one, other).value == pytest.approx(weighted_kappa(one, other, apart=()).value)


def test_alpha_with_labels_apart_lies_between_what_it_is_made_of():
    one = ["meets", "missing", "partially_meets", "contradicts", "missing", "meets"]
    other = ["partially_meets", "missing", "meets", "contradicts", "partially_meets", "meets"]
    near = krippendorff_alpha([one, other], order=VERDICT_ORDER, apart=VERDICTS_APART).value
    assert near > krippendorff_alpha([one, other]).value
    assert krippendorff_alpha([one, one], order=VERDICT_ORDER, apart=VERDICTS_APART).value == 1


def test_the_order_of_raters_and_of_things_does_not_matter():
    straight = krippendorff_alpha(OBSERVERS).value
    assert krippendorff_alpha(OBSERVERS[::-1]).value == pytest.approx(straight)
    assert krippendorff_alpha([rater[::-1] for rater in OBSERVERS]).value == pytest.approx(straight)
    assert weighted_kappa(RATER_2, RATER_3, order=range(1, 7), apart=()).value == pytest.approx(
        weighted_kappa(RATER_3, RATER_2, order=range(1, 7), apart=()).value
    )


def test_all_of_two_raters_with_labels_missing():
    found = agreement(["move", "keep", None, "move"], ["move", "move", "keep", None])
    assert found.confusion.labels == ("move", "keep")
    assert found.confusion.counts.tolist() == [[1, 0], [1, 0]]
    assert (found.confusion.n, found.confusion.n_left_out, found.same.value) == (2, 2, 0.5)
    assert (found.kappa.value, found.weighted_kappa) == (0, None)
    ordered = agreement(["meets", "missing"], ["meets", "partially_meets"], order=VERDICT_ORDER, apart=VERDICTS_APART)
    assert ordered.confusion.labels == (*VERDICT_ORDER, *VERDICTS_APART)
    assert ordered.weighted_kappa.value is not None


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ([], [], "nothing was labelled by both"),
        (["meets", None], [None, "meets"], "nothing was labelled by both"),
        (["meets"] * 4, ["meets"] * 4, "both gave one same label throughout"),
    ],
)
def test_kappas_that_are_undefined_are_none_with_a_reason(one, other, why):
    found = agreement(one, other, order=VERDICT_ORDER)
    assert (found.kappa.value, found.kappa.why) == (None, why)
    assert (found.weighted_kappa.value, found.weighted_kappa.why) == (None, why)


@pytest.mark.parametrize(
    ("ratings", "why"),
    [
        ([], "nothing has two labels"),
        (["ab"], "nothing has two labels"),
        ([["a", None], [None, "b"]], "nothing has two labels"),
        (["aaa", "aaa"], "one same label was given throughout"),
    ],
)
def test_alphas_that_are_undefined_are_none_with_a_reason(ratings, why):
    found = krippendorff_alpha(ratings)
    assert (found.value, found.why) == (None, why)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="3 and 2 labels"):
        weighted_kappa(["meets"] * 3, ["meets"] * 2)
    with pytest.raises(ValueError, match="unknown label 'maybe'; known are 'missing'"):
        weighted_kappa(["maybe"], ["meets"])
    with pytest.raises(ValueError, match="2, 1 labels"):
        krippendorff_alpha(["ab", "a"])
    with pytest.raises(ValueError, match="unknown weights"):
        weighted_kappa(["meets"], ["meets"], weights="cubic")
    with pytest.raises(ValueError, match="unknown label"):
        confusion("a", "b", "a")
