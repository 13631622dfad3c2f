"""Stages, cache, run folders: the corridor that knows files and no mathematics."""
