"""The report as one HTML page."""

from __future__ import annotations

from gamut_eval.reports.source import Source


def render_page(source: Source) -> str:
    """The whole report as one self-contained page."""
    return f"<!doctype html><title>gamut</title><p>{len(source.questions)} questions"
