"""The lint rules, one file a family; each file has `RULES`, a tuple of rules."""
