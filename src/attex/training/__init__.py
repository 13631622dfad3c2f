"""Fit a model to a corpus."""
