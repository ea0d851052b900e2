"""Experiments: runs as data, a store of plain files, sweeps that can be killed at any moment and resumed."""
