"""Jain & Wallace 2019: the classification grid, measured."""
