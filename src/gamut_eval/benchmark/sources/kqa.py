"""K-QA: patients' questions with the facts that physicians want in an answer (Manes et al., 2024).

Must-have facts become answer-critical checks, nice-to-have ones valuable checks (our choice).

Some rows also have ``judged``: models' answers, with three physicians' labels for each fact. Those
are not always the facts of the gold lists, nor all of them. So where they are asked for
(``--judged``), the questions are those with a judged answer, and their checks the judged facts.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.importing.checks import Line
from gamut_eval.benchmark.importing.fields import Fields, texts_of
from gamut_eval.benchmark.importing.judged import (
    RESPONSES,
    VERDICTS,
    Answer,
    judged_lines,
    read_answers,
    write_judged,
)
from gamut_eval.benchmark.importing.source import Ledger, Request, Source
from gamut_eval.benchmark.importing.table import text_of
from gamut_eval.benchmark.importing.writing import (
    Draft,
    Drafts,
    counted,
    next_step,
    refuse_output,
    safe_id,
    write_benchmark,
)
from gamut_eval.benchmark.write import refuse_taken
from gamut_eval.rubric.fields import Tier

# The second name of each is that of the original release.
_NAMES = {
    "id": ("id",),
    "question": ("question", "Question"),
    "must_have": ("must_have", "Must_have"),
    "nice_to_have": ("nice_to_have", "Nice_to_have"),
    "judged": ("judged",),
}
_TIERS = {"must_have": Tier.ANSWER_CRITICAL, "nice_to_have": Tier.VALUABLE}


def _run(request: Request, ledger: Ledger) -> str:
    refuse_output(request, [request.file])
    judged = request.options.get("judged")
    if judged:
        refuse_taken(Path(judged))
    fields, drafts, answers = Fields(_NAMES, request), Drafts(ledger), dict[str, list[Answer]]()
    passed_over = 0
    for place, row in fields.rows(("question", "must_have", *(["judged"] if judged else [])), ledger):
        name = safe_id(fields.of(row, "id")) or f"kqa-{place.line:03}"
        lines = [
            Line(tier, text) for ours, tier in _TIERS.items() for text in texts_of(fields.of(row, ours), place, ours)
        ]
        found = read_answers(fields.of(row, "judged"), _TIERS, place)
        if judged and not found:
            passed_over += 1
            continue
        answers.setdefault(name, found)
        lines = judged_lines(found) if judged else lines
        more = {"domain": "medicine"}
        drafts.add(name, Draft(name, text_of(fields.of(row, "question")), place, lines, more))
    n_answers = sum(map(len, answers.values()))
    if n_answers and not judged:
        ledger.note(
            f"{counted(n_answers, 'judged answer')} not taken over: --judged DIR takes these in place of the rest"
        )
    if judged:
        ledger.note(f"{counted(passed_over, 'question')} without a judged answer: not taken over")
    description = "Imported from K-QA. Its facts are for research on answers; they are no medical advice."
    questions = tuple(sorted(drafts.questions(), key=lambda question: question.id))
    benchmark = Benchmark("kqa", questions, license="MIT", description=description)
    written = write_benchmark(request, benchmark)
    if not judged:
        return written
    write_judged(Path(judged), benchmark, answers, ledger)
    responses, verdicts = f"{judged.rstrip('/')}/{RESPONSES}", f"recorded:{judged.rstrip('/')}/{VERDICTS}"
    return (
        f"{written}\nWrote {counted(n_answers, 'judged answer')} to {judged}."
        + next_step("To test a judge", "gamut judge", request.output, "--responses", responses)
        + f" --judge {shlex.quote(verdicts)} --judge JUDGE --subset --run DIR"
    )


SOURCE = Source(
    summary="K-QA: must_have and nice_to_have facts of medical questions.",
    run=_run,
    columns=tuple(_NAMES),
    options=("judged",),
    example=(
        {
            "id": "kqa-1",
            "question": "How long should I boil an egg?",
            "must_have": ["A soft egg takes about four minutes."],
            "nice_to_have": ["A hard egg takes about ten minutes."],
        },
        {"id": "kqa-2", "question": "Is raw egg safe?", "must_have": ["Raw egg may hold salmonella."], "sources": []},
    ),
)
