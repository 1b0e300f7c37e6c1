"""Answerers that are no model of a provider, one a file."""
