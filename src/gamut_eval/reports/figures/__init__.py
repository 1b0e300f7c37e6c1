"""Figures as Altair charts; their colours are the page's own, by name."""
