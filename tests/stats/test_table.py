import numpy as np
import pytest

from gamut_eval.stats.table import ScoreTable, cluster_numbers


def test_columns_are_joined_by_id_whatever_their_order():
    one = ScoreTable.joined({"a": {"q1": 1.0, "q2": 0.5}, "b": {"q2": 0.1, "q1": 0.2}})
    other = ScoreTable.joined({"a": {"q2": 0.5, "q1": 1.0}, "b": {"q1": 0.2, "q2": 0.1}})
    assert one.questions == other.questions == ("q1", "q2")
    assert one.scores.tolist() == other.scores.tolist() == [[1.0, 0.2], [0.5, 0.1]]


def test_an_image_or_a_group_that_is_shared_makes_a_cluster():
    keys = [("photo", None), (None, "g"), ("photo", "g"), ("other", None), (None, None), (None, None)]
    assert cluster_numbers(keys).tolist() == [0, 0, 0, 1, 2, 3]


def test_an_image_and_a_group_of_the_same_name_are_not_the_same():
    assert cluster_numbers([("x", None), (None, "x")]).tolist() == [0, 1]


def test_clusters_come_with_the_questions():
    scores = {f"q{k}": 0.5 for k in range(4)}
    table = ScoreTable.joined({"a": scores}, {"q0": ("photo-1",), "q2": ("photo-1",), "q3": (None,)})
    assert table.clusters.tolist() == [0, 1, 0, 2]
    assert table.n_clusters == 3


def test_only_complete_questions_keep_their_scores():
    table = ScoreTable.joined({"a": {"q1": 1.0, "q2": 0.5}, "b": {"q1": 0.2, "q2": None}}).complete_only()
    assert table.present.tolist() == [[True, True], [False, False]]


@pytest.mark.parametrize(
    ("scores", "questions", "clusters", "message"),
    [
        ([[1.0]], ("q1", "q2"), [0, 1], "shape"),
        ([[1.0], [2.0]], ("q1", "q1"), [0, 1], "twice"),
        ([[np.inf], [2.0]], ("q1", "q2"), [0, 1], "infinite"),
        ([[1.0], [2.0]], ("q1", "q2"), [0, 2], "gaps"),
    ],
)
def test_what_does_not_fit_is_refused(scores, questions, clusters, message):
    with pytest.raises(ValueError, match=message):
        ScoreTable(np.array(scores), questions, ("a",), np.array(clusters))


def test_an_unknown_column_is_named():
    with pytest.raises(ValueError, match="no column 'c'; there are 'a'"):
        ScoreTable.joined({"a": {"q": 1.0}}).column("c")


def test_an_empty_table_is_a_table():
    table = ScoreTable.joined({"a": {}, "b": {}})
    assert (table.scores.shape, table.n_clusters) == ((0, 2), 0)
