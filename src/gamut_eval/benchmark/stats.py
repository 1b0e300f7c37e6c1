"""What a benchmark is made of, in the paper's figures (paper, "The benchmark").

Structure is that of the meta-rubrics, also where imported checks are graded in their place. What
cannot be said (the steps of no process, say) is None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from statistics import fmean, median
from typing import Any, TypeVar, get_args

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.question import Question
from gamut_eval.records import VARIANTS
from gamut_eval.rubric.check import Check
from gamut_eval.rubric.fields import TIERS
from gamut_eval.rubric.item import Item
from gamut_eval.rubric.items.flexible_list import FlexibleList
from gamut_eval.rubric.items.process import Process
from gamut_eval.rubric.items.relationship import Relationship
from gamut_eval.rubric.items.simple import Simple
from gamut_eval.rubric.items.strict_list import StrictList
from gamut_eval.rubric.meta import Evidence, Review

I = TypeVar("I", bound=Item)  # noqa: E741 (an item)
N_OPENINGS = 10
_LONG_LIST = 7
_PAIR = 2
_REVIEWERS: tuple[str, ...] = get_args(Review.model_fields["kind"].annotation)

PAPER: dict[str, Any] = {
    "questions": {"n": 1813, "image": 1813, "text_only": 1806, "median_words": 23, "share_beyond_simple": 0.98},
    "checks": {
        "per_question": {"mean": 15.2, "median": 15, "max": 41},
        "tiers": {
            "answer_critical": {"per_question": {"mean": 5.9}},
            "valuable": {"per_question": {"mean": 5.8}},
            "context": {"per_question": {"mean": 3.5}},
        },
    },
    "flexible_lists": {"median_options": 4, "share_over_7": 0.12},
    "strict_lists": {"median_options": 2},
    "processes": {"median_steps": 4, "share_mixed": 0.57},
    "relationships": {"median_entities": 2, "share_multi_entity": 0.52},
    "insights": {"n": 295, "share_of_questions": 0.13},
    "evidence": {"per_question": {"mean": 10}, "distinct_pages": 9400},
    "domains": {
        "n": 10,
        "questions": {
            "plants and gardening": 300,
            "local": 290,
            "vehicle": 258,
            "food": 244,
            "everyday objects": 196,
        },
    },
}
"""The figures that the paper states of its own benchmark, in the shape of `statistics`.

The evidence is "about 10" a question, on "over" 9,400 pages. The paper's "multi-entity" is not
defined there; with a median of two entities, 52% cannot have more than two.
"""


def statistics(benchmark: Benchmark) -> dict[str, Any]:
    """The figures of a benchmark, as plain data; docs/stats.md says what each one counts.

    Shares are fractions in [0, 1]. None is undefined: a mean, median or share of nothing.

    Raises
    ------
    InputError
        A rubric does not compile.
    """
    questions = benchmark.questions
    items = [item for question in questions for item in question.rubric.items]
    return {
        "benchmark": benchmark.identity,
        "questions": _questions(questions),
        "checks": _checks(list(benchmark.checks.values())),
        **_structure(items),
        "insights": _insights(questions),
        "evidence": _evidence([question.rubric.evidence for question in questions]),
        "domains": _domains(questions),
        "splits": _splits(questions),
        "openings": _openings(questions),
    }


def _questions(questions: Sequence[Question]) -> dict[str, Any]:
    with_items = [question.rubric.items for question in questions if question.rubric.items]
    return {
        "n": len(questions),
        **{variant: sum(variant in question.variants for question in questions) for variant in VARIANTS},
        "median_words": _median([len(question.question.split()) for question in questions]),
        "share_beyond_simple": _share(any(not isinstance(item, Simple) for item in items) for items in with_items),
    }


def _checks(rubrics: Sequence[Collection[Check]]) -> dict[str, Any]:
    total = sum(map(len, rubrics))
    tiers = {}
    for tier in TIERS:
        counts = [sum(check.tier == tier for check in checks) for checks in rubrics]
        tiers[tier.value] = {"per_question": _spread(counts), "share": sum(counts) / total if total else None}
    return {"n": total, "per_question": _spread([len(checks) for checks in rubrics]), "tiers": tiers}


def _structure(items: Sequence[Item]) -> dict[str, Any]:
    flexible = [len(item.options) for item in _of(FlexibleList, items)]
    strict = [len(item.options) for item in _of(StrictList, items)]
    processes = _of(Process, items)
    entities = [len(item.entities) for item in _of(Relationship, items)]
    return {
        "items": dict(Counter(str(getattr(item, "type", "")) for item in items).most_common()),
        "flexible_lists": {
            "n": len(flexible),
            "median_options": _median(flexible),
            "share_over_7": _share(n > _LONG_LIST for n in flexible),
        },
        "strict_lists": {"n": len(strict), "median_options": _median(strict)},
        "processes": {
            "n": len(processes),
            "median_steps": _median([len(item.steps) for item in processes]),
            "share_mixed": _share(0 < len(item.required) < len(item.steps) for item in processes),
        },
        "relationships": {
            "n": len(entities),
            "median_entities": _median(entities),
            "share_multi_entity": _share(n > _PAIR for n in entities),
        },
    }


def _insights(questions: Sequence[Question]) -> dict[str, Any]:
    counts = [len(question.rubric.insights) for question in questions]
    return {"n": sum(counts), "share_of_questions": _share(n > 0 for n in counts)}


def _evidence(rubrics: Sequence[Sequence[Evidence]]) -> dict[str, Any]:
    entries = [entry for evidence in rubrics for entry in evidence]
    pages = [{_page(entry) for entry in evidence} for evidence in rubrics]
    return {
        "n": len(entries),
        "per_question": _spread([len(evidence) for evidence in rubrics]),
        "pages_per_question": _spread([len(several) for several in pages]),
        "distinct_pages": len(set().union(*pages)),
        "reviewed": {
            kind: _share(any(review.kind == kind for review in entry.reviews) for entry in entries)
            for kind in _REVIEWERS
        },
    }


def _page(entry: Evidence) -> str:
    """The address of the page, without the place in it."""
    return entry.url.partition("#")[0]


def _domains(questions: Sequence[Question]) -> dict[str, Any]:
    counts = _most_first(question.domain for question in questions)
    return {"n": len(counts), "questions": counts}


def _splits(questions: Sequence[Question]) -> dict[str, Any]:
    counts = _most_first(question.split for question in questions if question.split is not None)
    return {"n": len(counts), "questions": counts, "without": len(questions) - sum(counts.values())}


def _openings(questions: Sequence[Question]) -> list[dict[str, Any]]:
    counts = _most_first(_opening(question.question) for question in questions)
    return [{"words": words, "n": n} for words, n in list(counts.items())[:N_OPENINGS]]


def _opening(text: str) -> str:
    words = (word.strip(".,:;!?¿¡\"'“”‘’«»()") for word in text.casefold().split())
    return " ".join([word for word in words if word][:2])


def _most_first(names: Iterable[str]) -> dict[str, int]:
    """Names with their counts; of two that come equally often the one that sorts first."""
    return dict(sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0])))


def _of(kind: type[I], items: Iterable[Item]) -> list[I]:
    return [item for item in items if isinstance(item, kind)]


def _spread(counts: Sequence[int]) -> dict[str, float | None]:
    return {"mean": fmean(counts) if counts else None, "median": _median(counts), "max": max(counts, default=None)}


def _median(counts: Sequence[int]) -> float | None:
    return float(median(counts)) if counts else None


def _share(answers: Iterable[bool]) -> float | None:
    known = [*answers]
    return sum(known) / len(known) if known else None
