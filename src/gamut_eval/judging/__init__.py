"""Judges: one check at a time, one of four verdicts."""
