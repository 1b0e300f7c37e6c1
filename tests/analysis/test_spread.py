"""The spread of a model's scores by its sources."""

import pytest

from gamut_eval.analysis.spread import spreads
from gamut_eval.stats.variance import COMPONENTS, variance_split

M, P, S, C = "meets", "partially_meets", "missing", "contradicts"


@pytest.fixture
def judged(source_of, question, answer):
    def make(of, **options):
        names = dict.fromkeys(q for q, _ in of)
        rows = [(q, "a", "c0", j, v) for (q, j), v in of.items()]
        return source_of([question(q, ["valuable"]) for q in names], [answer(q, "a") for q in names], rows, **options)

    return make


def component(split, name):
    return split.components[COMPONENTS.index(name)]


GIVEN = {("q", "x"): M, ("q", "y"): P, ("r", "x"): S, ("r", "y"): C, ("s", "x"): P, ("s", "y"): P}


def test_it_splits_the_scores_by_question_and_judge(judged):
    (found,) = spreads(judged(GIVEN))
    scores = {M: 1.0, P: 0.5, S: 0.0, C: -1.0}
    expected = variance_split([scores[v] for v in GIVEN.values()], [q for q, _ in GIVEN], judge=[j for _, j in GIVEN])
    assert found.split.mean == pytest.approx(0.25)
    for name in ("question", "judge", "question × judge"):
        assert component(found.split, name).variance == pytest.approx(component(expected, name).variance)
    assert component(found.split, "question").variance > component(found.split, "judge").variance


def test_repeats_are_their_own_source(source_of, question, answer):
    rows = [
        (q, "a", "c0", "x", v, {"repeat": n}) for q, two in (("q", (M, P)), ("r", (S, S))) for n, v in enumerate(two)
    ]
    questions = [question(q, ["valuable"]) for q in ("q", "r")]
    (found,) = spreads(source_of(questions, [answer("q", "a"), answer("r", "a")], rows, repeats=2))
    # within: ((1 − 0.75)² + (0.5 − 0.75)²) / 2 degrees of freedom
    assert component(found.split, "repeat").variance == pytest.approx(0.0625)


def test_an_open_score_is_left_out_and_counted(judged):
    (found,) = spreads(judged(GIVEN | {("s", "y"): None}))
    assert (found.n_open, found.split.n) == (1, 5)


def test_one_judge_one_sample_one_repeat_is_nothing_to_split(judged):
    assert spreads(judged({("q", "x"): M, ("r", "x"): S})) == ()


def test_identical_scores_have_no_split_but_a_reason(judged):
    (found,) = spreads(judged({(q, j): M for q in "qr" for j in "xy"}))
    assert found.split.why == "every score is the same"
