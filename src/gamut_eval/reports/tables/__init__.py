"""Tables of what a run, or several, say of their models: a file a table."""
