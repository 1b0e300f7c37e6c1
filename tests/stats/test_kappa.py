import pytest

from gamut_eval.stats.kappa import cohen_kappa


def test_a_published_example():
    # Two readers of 50 grant proposals: 20 both yes, 15 both no, 5 and 10 split (Wikipedia, "Cohen's kappa").
    one = ["yes"] * 25 + ["no"] * 25
    other = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa(one, other) == pytest.approx(0.4)


def test_the_raters_order_does_not_matter_and_full_agreement_is_1():
    one, other = "abcabcaab", "abbabcacb"
    assert cohen_kappa(one, other) == pytest.approx(cohen_kappa(other, one))
    assert cohen_kappa(one, one) == 1


def test_worse_than_chance_is_negative():
    assert cohen_kappa("abab", "baba") == -1


def test_what_is_undefined_is_none():
    assert cohen_kappa([], []) is None
    assert cohen_kappa("aaa", "aaa") is None


def test_labels_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match="3 and 2"):
        cohen_kappa("aaa", "aa")
