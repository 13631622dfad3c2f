"""Measured reproductions, each with the command that made it."""
