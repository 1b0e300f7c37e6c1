"""Does `gamut gaps` find what was taken out of a rubric, and how much of what it lists is covered after all?

Usage: gaps_recall.py [FOLDER] [--threshold 0.2] [--covered 0.6]

FOLDER has ``kqa.jsonl``, an extract of K-QA: physicians' answers, a model's, and which facts the model's states by the
majority of three. Without it, only the bundled benchmark is used: the answers of three small models and a written one,
the readers' verdicts with the words they quote.

One item (gamut_mini) or fact (K-QA) is taken out at a time, of those that two answers state. It is found where a listed
gap has the sentence that states it: the one that the readers quote (gamut_mini), the one nearest to the fact by shared
words, in either answer (K-QA). False alarms are counted with the whole rubric: gaps with a sentence that the reference
verdicts quote, where these were kept from `gamut gaps`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl
from rapidfuzz.fuzz import token_set_ratio

import gamut_eval
from gamut_eval.analysis.gaps import ALIKE, LIKE_A_CHECK, Gap, GapFinder, quoted_in, statements
from gamut_eval.analysis.source import Source
from gamut_eval.records import Response, read_responses

MINI = files("gamut_eval") / "data" / "gamut_mini"
STATED = ["meets", "partially_meets"]
QUOTED = [*STATED, "contradicts"]


@dataclass
class Recall:
    """At which place of the list what was taken out was found; None where it was not."""

    places: list[int | None] = field(default_factory=list)

    def __str__(self) -> str:
        n = len(self.places)
        found = [sum(place is not None and place < k for place in self.places) for k in (1, 3, 10_000)]
        return f"{n} taken out; found first {found[0]}, among the first three {found[1]}, anywhere {found[2]}"


def mini() -> Source:
    """The bundled benchmark with all its answers and the reference verdicts."""
    rows = [row for path in sorted(Path(str(MINI), "responses").iterdir()) for row in read_responses([path])]
    with gamut_eval.evaluate(str(MINI), rows, f"recorded:{MINI / 'verdicts' / 'reference.jsonl'}") as run:
        return replace(run.source(run.scores(allow_incomplete=True)), responses=run.responses())


def without(source: Source, question: str, item: str) -> Source:
    """The same without an item, its checks and the verdicts on them."""
    gone = {check.id for check in source.checks if (check.question_id, check.item_id) == (question, item)}

    def kept(of: Any) -> Any:
        if of.id != question:
            return of
        items = tuple(one for one in of.rubric.items if one.id != item)
        insights = tuple(one for one in of.rubric.insights if one.id != item)
        return of.model_copy(update={"rubric": of.rubric.model_copy(update={"items": items, "insights": insights})})

    outside = ~((pl.col("question_id") == question) & pl.col("check_id").is_in(sorted(gone)))
    return replace(
        source,
        questions=[kept(one) for one in source.questions],
        checks=[check for check in source.checks if check.question_id != question or check.id not in gone],
        verdicts=source.verdicts.filter(outside),
    )


def quotes(source: Source, question: str, verdicts: Sequence[str], item: str | None = None) -> dict[str, list[str]]:
    """By model: what the verdicts on a question, or on one of its items, quote."""
    ids = [c.id for c in source.checks if c.question_id == question and item in (None, c.item_id)]
    own = source.verdicts.filter(
        pl.col("question_id") == question, pl.col("check_id").is_in(ids), pl.col("verdict").is_in(list(verdicts))
    )
    found: dict[str, list[str]] = {}
    for model, quote in own.drop_nulls("quote").select("model", "quote").iter_rows():
        found.setdefault(model, []).append(quote)
    return found


def quoted(gap: Gap, source: Source, said: dict[str, list[str]]) -> bool:
    """Whether any sentence of a gap is quoted, at least by half."""
    texts = {(wording.model, wording.text) for wording in gap.wordings}
    answers = [response for response in source.responses if response.question_id == gap.question_id]
    every = [s for answer in answers for s in statements(answer) if (answer.model, s.text) in texts]
    return any(quoted_in(s, said.get(s.response.model, ())) for s in every)


def mini_recall(source: Source, options: dict[str, float]) -> Recall:
    """One item at a time, of those that the answers of two models state a check of."""
    recall = Recall()
    for question, item in sorted({(c.question_id, c.item_id) for c in source.checks}, key=str):
        stated = source.verdicts.filter(
            pl.col("question_id") == question,
            pl.col("check_id").is_in([c.id for c in source.checks if (c.question_id, c.item_id) == (question, item)]),
            pl.col("verdict").is_in(STATED),
        )
        by_check = stated.group_by("check_id").agg(pl.col("model").n_unique())["model"]
        if by_check.is_empty() or by_check.max() < 2:
            continue
        listed = GapFinder(without(source, question, item), **options).of(question)
        said = quotes(source, question, QUOTED, item)
        recall.places.append(next((n for n, gap in enumerate(listed) if quoted(gap, source, said)), None))
    return recall


def false_alarms(source: Source, seen: Source, options: dict[str, float]) -> tuple[int, int]:
    """How many gaps are listed with the whole rubric, and how many of these the reference verdicts quote.

    ``seen`` is what `gamut gaps` sees: the same answers, with other verdicts or none.
    """
    finder = GapFinder(seen, **options)
    listed = [gap for question in source.questions for gap in finder.of(question.id)]
    return len(listed), sum(quoted(gap, source, quotes(source, gap.question_id, QUOTED)) for gap in listed)


def kqa(path: Path) -> Iterator[tuple[Source, list[str]]]:
    """A question each: the source, and the facts that the model states."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not row["gold_answer"]:
            continue
        for judged in row["judged"]:
            facts = [(check["fact"], check["majority"]) for check in judged["checks"]]
            yield kqa_source(row, judged, [fact for fact, _ in facts]), [f for f, m in facts if m == "Entailment"]


def kqa_source(row: Any, judged: Any, facts: Sequence[str]) -> Source:
    checks = [{"id": f"c{n}", "tier": "valuable", "text": fact} for n, fact in enumerate(facts)]
    question = {"id": row["id"], "domain": "medicine", "question": row["question"], "rubric": {"checks": checks}}
    answers = [
        {"question_id": row["id"], "model": model, "variant": "text_only", "response": text}
        for model, text in (("physicians", row["gold_answer"]), (judged["model"], judged["answer"]))
    ]
    with gamut_eval.evaluate([question], answers, "lexical") as run:
        source = replace(run.source(run.scores()), responses=run.responses())
    return replace(source, verdicts=source.verdicts.clear())


def together(sources: Sequence[Source]) -> Source:
    """All questions in one source, so that document frequencies are those of all answers."""
    first = sources[0]
    return replace(
        first,
        questions=[question for source in sources for question in source.questions],
        checks=[check for source in sources for check in source.checks],
        responses=[response for source in sources for response in source.responses],
    )


def kqa_recall(cases: list[tuple[Source, list[str]]], options: dict[str, float]) -> Recall:
    recall, every = Recall(), together([source for source, _ in cases])
    for source, stated in cases:
        name = source.questions[0].id
        for fact in stated:
            cut = replace(every, checks=[c for c in every.checks if c.question_id != name or c.text != fact])
            listed = GapFinder(cut, **options).of(name)
            said = {(r.model, nearest(r, fact)) for r in source.responses}
            hits = (any((w.model, w.text) in said for w in gap.wordings) for gap in listed)
            recall.places.append(next((n for n, hit in enumerate(hits) if hit), None))
    return recall


def nearest(response: Response, fact: str) -> str:
    return max((s.text for s in statements(response)), key=lambda text: token_set_ratio(text, fact), default="")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--threshold", type=float, action="append")
    parser.add_argument("--covered", type=float, action="append")
    given = parser.parse_args()
    source = mini()
    with gamut_eval.evaluate(str(MINI), [r.to_dict() for r in source.responses], "lexical") as run:
        lexical = replace(source, verdicts=run.verdicts())
    cases = list(kqa(given.folder / "kqa.jsonl")) if given.folder else []
    for threshold in given.threshold or [ALIKE]:
        for covered in given.covered or [LIKE_A_CHECK]:
            options = {"threshold": threshold, "covered": covered}
            print(f"threshold {threshold}, covered {covered}")
            print(f"  gamut_mini: {mini_recall(source, options)}")
            for name, seen in (("none", replace(source, verdicts=source.verdicts.clear())), ("lexical", lexical)):
                n, wrong = false_alarms(source, seen, options)
                print(f"  gamut_mini, verdicts seen: {name}: {n} gaps listed, {wrong} of them quoted by the readers")
            n, _ = false_alarms(source, source, options)
            print(f"  gamut_mini, the readers' verdicts seen: {n} gaps listed")
            if cases:
                print(f"  K-QA: {kqa_recall(cases, options)}")
                every = together([case for case, _ in cases])
                finder = GapFinder(every, **options)
                print(f"  K-QA, whole rubric: {sum(len(finder.of(q.id)) for q in every.questions)} gaps listed")


if __name__ == "__main__":
    main()
