"""Embed → encode → attend → decode, each step callable on its own."""

from attex.models import projections

__all__ = ["projections"]
