"""Meister et al. 2021: the sparsity sweep, measured."""
