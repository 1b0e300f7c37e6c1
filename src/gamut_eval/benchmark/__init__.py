"""A benchmark and its files."""
