"""Scores of several models on the same questions, joined by the questions' ids."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Questions by columns; a column is a model, or a model as one judge sees it.

    Parameters
    ----------
    scores
        Shape (n, m), finite; NaN where a column has no score of a question.
    questions
        Ids, shape (n,), unique.
    columns
        Names, shape (m,), unique.
    clusters
        Shape (n,), from 0 without gaps: questions of one number are resampled together.

    Raises
    ------
    ValueError
        The shapes do not fit, a name comes twice, a score is infinite, or the numbers of clusters have gaps.

    See Also
    --------
    ScoreTable.joined : the same from a mapping for each column.
    """

    scores: Floats
    questions: tuple[str, ...]
    columns: tuple[str, ...]
    clusters: Ints

    def __post_init__(self) -> None:
        n, m = len(self.questions), len(self.columns)
        if self.scores.shape != (n, m) or self.clusters.shape != (n,):
            raise ValueError(
                f"{n} questions and {m} columns, but scores of shape {self.scores.shape} "
                f"and clusters of shape {self.clusters.shape}"
            )
        if len(set(self.questions)) != n or len(set(self.columns)) != m:
            raise ValueError("a question or a column comes twice; join scores by unique ids")
        if np.isinf(self.scores).any():
            raise ValueError("a score is infinite")
        if n and not np.array_equal(np.unique(self.clusters), np.arange(self.clusters.max() + 1)):
            raise ValueError("clusters are numbered from 0 without gaps; see cluster_numbers")

    @classmethod
    def joined(
        cls,
        columns: Mapping[str, Mapping[str, float | None]],
        clusters: Mapping[str, Sequence[Hashable | None]] | None = None,
    ) -> ScoreTable:
        """Columns joined by question id, sorted by it, so that the order in which scores come changes nothing.

        Parameters
        ----------
        columns
            For each column its scores by question id; None and NaN are no score.
        clusters
            For each question what it may share with others, such as its image and its group, always in this
            order; None is shared with nobody. Without, each question stands alone.

        Examples
        --------
        >>> table = ScoreTable.joined({"a": {"q2": 0.5, "q1": 1.0}, "b": {"q1": 0.0, "q3": None}})
        >>> table.questions, table.scores.tolist()
        (('q1', 'q2', 'q3'), [[1.0, 0.0], [0.5, nan], [nan, nan]])
        """
        questions = tuple(sorted({question for scores in columns.values() for question in scores}))
        scores = np.array(
            [[_number(own.get(question)) for own in columns.values()] for question in questions], dtype=np.float64
        )
        keys = [clusters.get(question, ()) for question in questions] if clusters else [()] * len(questions)
        return cls(scores.reshape(len(questions), len(columns)), questions, tuple(columns), cluster_numbers(keys))

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return int(self.clusters.max()) + 1 if len(self.clusters) else 0

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which scores there are, shape (n, m)."""
        return ~np.isnan(self.scores)

    def complete_only(self) -> ScoreTable:
        """The same questions and clusters, with scores only where every column has one."""
        complete = np.logical_and.reduce(self.present, axis=1)
        return ScoreTable(np.where(complete[:, None], self.scores, np.nan), self.questions, self.columns, self.clusters)

    def column(self, name: str) -> int:
        """A column's place.

        Raises
        ------
        ValueError
            There is none of that name.
        """
        if name not in self.columns:
            raise ValueError(f"no column {name!r}; there are {', '.join(map(repr, self.columns))}")
        return self.columns.index(name)


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)


def cluster_numbers(keys: Sequence[Sequence[Hashable | None]]) -> Ints:
    """Number the clusters of things that share a key, directly or through others.

    Parameters
    ----------
    keys
        For each thing its keys; the first of one is compared with the first of another, and so on. None is no key.

    Returns
    -------
    Shape (n,), from 0 in the order of first appearance.

    Examples
    --------
    Image and group of four questions:

    >>> cluster_numbers([("photo-1", None), ("photo-2", "g"), ("photo-1", "g"), (None, None)]).tolist()
    [0, 0, 0, 1]
    """
    parent = list(range(len(keys)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    first: dict[tuple[int, Hashable], int] = {}
    for place, own in enumerate(keys):
        for kind, key in enumerate(own):
            if key is not None:
                one, other = root(place), root(first.setdefault((kind, key), place))
                parent[max(one, other)] = min(one, other)
    return labels_as_numbers([root(place) for place in range(len(keys))])


def clusters_of_labels(labels: ArrayLike | None, n: int) -> Ints:
    """Numbers of clusters by one label a thing, shape (n,); None stands alone, as all do without labels.

    Raises
    ------
    ValueError
        There are not n labels.

    Examples
    --------
    >>> clusters_of_labels(["photo", None, "photo", None], 4).tolist()
    [0, 1, 0, 2]
    """
    if labels is None:
        return np.arange(n, dtype=np.int64)
    given = np.asarray(labels, dtype=None if isinstance(labels, np.ndarray) else object)
    if given.shape != (n,):
        raise ValueError(f"{n} values, but clusters of shape {given.shape}")
    return cluster_numbers([(label,) for label in given.tolist()])


def labels_as_numbers(labels: Sequence[Hashable] | NDArray[np.generic]) -> Ints:
    """Numbers from 0, in the order in which labels first appear, shape (n,).

    >>> labels_as_numbers("baab").tolist()
    [0, 1, 1, 0]
    """
    listed = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    numbers = {label: place for place, label in enumerate(dict.fromkeys(listed))}
    return np.array([numbers[label] for label in listed], dtype=np.int64)


def as_vector(values: ArrayLike, what: str = "values") -> Floats:
    """Floats of shape (n,), NaN for None.

    Raises
    ------
    ValueError
        They have another shape, or one is infinite.
    """
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"{what} have shape {vector.shape}; (n,) is needed")
    if np.isinf(vector).any():
        raise ValueError(f"{what}: one is infinite")
    return vector


def check_level(level: float) -> None:
    """Refuse a confidence level, or a significance level, that is not between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"the level is {level}; it lies between 0 and 1, such as 0.95")
