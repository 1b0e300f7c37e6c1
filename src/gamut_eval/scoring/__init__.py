"""From verdicts to scores of responses, questions and benchmarks."""
