"""Exact solutions by linear programs, with certificates computed by best responses of our own."""

from gamebench.exact.solution import ExactSolution, solve_exactly

__all__ = ["ExactSolution", "solve_exactly"]
