"""From a run's scores and verdicts to what people read."""
