"""From a run, or several, to what can be said of its models: numbers, how sure they are, and why."""
