"""Measure whether a long answer says everything it should: the GAMUT method.

`evaluate` judges responses to a benchmark, `score` scores one response; `aevaluate` and `ascore` do
the same in asynchronous code. `compare` compares the models of runs. Everything is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from gamut_eval.analysis.inference import Inference
    from gamut_eval.answering.answerer import Answer, Answerer, Asking
    from gamut_eval.answering.models import AnswerOptions
    from gamut_eval.api import Budget, GradedCheck, Score, aevaluate, ascore, evaluate, score
    from gamut_eval.benchmark.benchmark import Benchmark
    from gamut_eval.benchmark.load import load_benchmark
    from gamut_eval.benchmark.question import Question
    from gamut_eval.benchmark.settings import ScoringSettings
    from gamut_eval.comparing import compare
    from gamut_eval.errors import BudgetError, EndpointError, GamutError, InputError, RunError
    from gamut_eval.judging.judge import Ask, Judge
    from gamut_eval.judging.models import JudgeOptions
    from gamut_eval.llm.endpoint import CallOptions
    from gamut_eval.records import Failure, Judgement, Response, Verdict, VerdictRow
    from gamut_eval.reports.compared import ComparedRuns
    from gamut_eval.rubric.check import Check
    from gamut_eval.rubric.fields import Tier
    from gamut_eval.rubric.meta import MetaRubric
    from gamut_eval.run import Run

_HOMES = {
    "Answer": "answering.answerer",
    "AnswerOptions": "answering.models",
    "Answerer": "answering.answerer",
    "Ask": "judging.judge",
    "Asking": "answering.answerer",
    "Benchmark": "benchmark.benchmark",
    "Budget": "api",
    "BudgetError": "errors",
    "CallOptions": "llm.endpoint",
    "Check": "rubric.check",
    "ComparedRuns": "reports.compared",
    "EndpointError": "errors",
    "Failure": "records",
    "GamutError": "errors",
    "GradedCheck": "api",
    "Inference": "analysis.inference",
    "InputError": "errors",
    "Judge": "judging.judge",
    "JudgeOptions": "judging.models",
    "Judgement": "records",
    "MetaRubric": "rubric.meta",
    "Question": "benchmark.question",
    "Response": "records",
    "Run": "run",
    "RunError": "errors",
    "Score": "api",
    "ScoringSettings": "benchmark.settings",
    "Tier": "rubric.fields",
    "Verdict": "records",
    "VerdictRow": "records",
    "aevaluate": "api",
    "ascore": "api",
    "compare": "comparing",
    "evaluate": "api",
    "load_benchmark": "benchmark.load",
    "score": "api",
}

__all__ = [
    "Answer",
    "AnswerOptions",
    "Answerer",
    "Ask",
    "Asking",
    "Benchmark",
    "Budget",
    "BudgetError",
    "CallOptions",
    "Check",
    "ComparedRuns",
    "EndpointError",
    "Failure",
    "GamutError",
    "GradedCheck",
    "Inference",
    "InputError",
    "Judge",
    "JudgeOptions",
    "Judgement",
    "MetaRubric",
    "Question",
    "Response",
    "Run",
    "RunError",
    "Score",
    "ScoringSettings",
    "Tier",
    "Verdict",
    "VerdictRow",
    "aevaluate",
    "ascore",
    "compare",
    "evaluate",
    "load_benchmark",
    "score",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
