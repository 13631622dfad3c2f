"""Lays results out as a page; computes nothing."""
