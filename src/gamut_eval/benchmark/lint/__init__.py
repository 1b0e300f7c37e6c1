"""The rubric linter: what is allowed and still looks wrong, a rule a code. It runs in `gamut validate` only."""

from gamut_eval.benchmark.lint.catalogue import explain, rules
from gamut_eval.benchmark.lint.linting import inspect_and_lint, lint
from gamut_eval.benchmark.lint.rule import BenchmarkRule, FileRule, Hit, QuestionRule, Rule

__all__ = ["BenchmarkRule", "FileRule", "Hit", "QuestionRule", "Rule", "explain", "inspect_and_lint", "lint", "rules"]
