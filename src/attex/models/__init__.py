"""Embed → encode → attend → decode, each step callable on its own."""
