"""K-QA: patients' questions with the facts that physicians want in an answer (Manes et al., 2024).

Must-have facts become answer-critical checks, nice-to-have ones valuable checks (our choice).
"""

from __future__ import annotations

from gamut_eval.benchmark.benchmark import Benchmark
from gamut_eval.benchmark.importing.checks import Line
from gamut_eval.benchmark.importing.fields import Fields, tables, texts_of
from gamut_eval.benchmark.importing.source import Ledger, Request, Source
from gamut_eval.benchmark.importing.table import text_of
from gamut_eval.benchmark.importing.writing import Draft, Drafts, refuse_output, safe_id, write_benchmark
from gamut_eval.rubric.fields import Tier

# The second name of each is that of the original release.
_NAMES = {
    "id": ("id",),
    "question": ("question", "Question"),
    "must_have": ("must_have", "Must_have"),
    "nice_to_have": ("nice_to_have", "Nice_to_have"),
}
_TIERS = {"must_have": Tier.ANSWER_CRITICAL, "nice_to_have": Tier.VALUABLE}


def _run(request: Request, ledger: Ledger) -> str:
    refuse_output(request, [request.file])
    fields, drafts = Fields(_NAMES, request), Drafts(ledger)
    for table in tables(request):
        for ours in ("question", "must_have"):
            fields.need(table, ours)
        for place, row in table.rows():
            name = safe_id(fields.of(row, "id")) or f"kqa-{place.line:03}"
            lines = [
                Line(tier, text)
                for ours, tier in _TIERS.items()
                for text in texts_of(fields.of(row, ours), place, ours)
            ]
            more = {"domain": "medicine"}
            drafts.add(name, Draft(name, text_of(fields.of(row, "question")), place, lines, more))
        if unused := fields.unused(table):
            ledger.note(f"{table.file}: columns not taken over: {', '.join(unused)}")
    description = "Imported from K-QA. Its facts are for research on answers; they are no medical advice."
    return write_benchmark(request, Benchmark("kqa", drafts.questions(), license="MIT", description=description))


SOURCE = Source(
    summary="K-QA: must_have and nice_to_have facts of medical questions.",
    run=_run,
    columns=tuple(_NAMES),
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
