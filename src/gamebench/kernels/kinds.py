"""The kinds of convex functions that kernels know, by number."""

ENTROPY, SQUARE, POWER, ROOT, EXPONENTIAL, LOGARITHM, TABLE = range(7)
