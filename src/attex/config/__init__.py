"""Jsonnet → a validated, typed experiment, through the rooms' registries."""
