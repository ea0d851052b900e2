"""Benchmarks against other engines in the same run: ``python -m benchmarks --help``."""
