"""With image against text only."""

import pytest

from gamut_eval.analysis.variants import variant_shifts

M, P, S, C = "meets", "partially_meets", "missing", "contradicts"
BOTH = {
    ("a", "image"): [M, P, S, S],
    ("a", "text_only"): [M, M, P, S],
    ("b", "image"): [P, P, S, S],
    ("b", "text_only"): [M, M, M, M],
}


@pytest.fixture
def asked(source_of, question, answer):
    def make(of, *, imageless=(), **options):
        names = [f"q{place}" for place in range(len(next(iter(of.values()))))]
        image = {"path": "a.jpg"}
        questions = [
            question(
                q, ["answer_critical"], image=image | {"path": f"{q}.jpg"}, text_only=None if q in imageless else q
            )
            for q in names
        ]
        cells = [(q, m, v, given) for (m, v), row in of.items() for q, given in zip(names, row, strict=True)]
        answers = [answer(q, m, variant=v) for q, m, v, given in cells if given != ""]
        rows = [(q, m, "c0", "j", given, {"variant": v}) for q, m, v, given in cells if given != ""]
        return source_of(questions, answers, rows, **options)

    return make


def test_the_difference_is_text_only_less_image_over_shared_questions(asked):
    (found,) = variant_shifts(asked(BOTH))
    assert [shift.model for shift in found.shifts] == ["a", "b"]
    a, b = found.shifts
    assert (a.image.gamut, a.text_only.gamut) == (0.375, 0.625)
    assert a.difference.differences.tolist() == [0.0, 0.5, 0.5, 0.0]
    assert (a.difference.one, a.difference.other) == ("text_only", "image")
    assert (a.difference.interval.estimate, b.difference.interval.estimate) == (0.25, 0.75)
    # all 2^4 patterns of signs: of a's, 0.25 or more is reached by 8 of 16; of b's by 2 of 16
    assert (a.difference.p_permutation, b.difference.p_permutation) == (0.5, 0.125)
    assert (a.difference.p_holm, b.difference.p_holm) == (0.5, 0.25)


def test_ranks_in_both_and_how_far_they_are_alike(asked):
    (found,) = variant_shifts(asked(BOTH))
    assert [shift.ranks for shift in found.shifts] == [(1, 2), (2, 1)]
    assert found.ranking.kendall_tau_b == pytest.approx(-1.0)


def test_a_question_that_cannot_be_asked_without_its_image_is_left_out_of_the_difference(asked):
    of = {("a", "image"): [M, S, S], ("a", "text_only"): ["", M, S]}
    (found,) = variant_shifts(asked(of, imageless=("q0",)))
    (shift,) = found.shifts
    assert (shift.image.gamut, shift.text_only.gamut) == (pytest.approx(1 / 3), 0.5)
    assert shift.difference.shared == ("q1", "q2")
    assert shift.difference.interval.estimate == 0.5
    assert found.ranking.why == "fewer than two models have a score by both"


def test_a_model_without_a_score_has_no_difference(asked):
    (found,) = variant_shifts(asked(BOTH | {("b", "image"): [P, None, S, S]}))
    assert [(s.model, s.difference is None, s.ranks) for s in found.shifts] == [
        ("a", False, (1, 2)),
        ("b", True, (None, 1)),
    ]


def test_one_variant_is_not_compared(asked):
    assert variant_shifts(asked({("a", "image"): [M, S]})) == ()
