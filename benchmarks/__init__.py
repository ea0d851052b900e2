"""Benchmarks against other engines, as ratios measured in one run: ``python -m benchmarks --help``."""
