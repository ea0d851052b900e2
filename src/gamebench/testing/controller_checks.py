"""Questions to every registered controller: on a known loss, and within CMD."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gamebench.algorithms import CMD
from gamebench.controllers import Controller
from gamebench.games.tree import FloatArray
from gamebench.testing import algorithm_checks
from gamebench.testing.conformance import refuses_bad_settings, require

SIZES = (1, 2, 4)
UPDATES = 200


class Bowl:
    """The loss 20 |alpha - target|^2, whose minimum is in the middle of the weights' range."""

    def __init__(self, size: int) -> None:
        self.target = np.linspace(0.2, 0.7, size)

    def losses(self, weights: FloatArray) -> FloatArray:
        """Return the losses ``(B,)`` of candidates ``(B, n)``, whose shape is checked."""
        shape, size = np.shape(weights), self.target.size
        require(len(shape) == 2 and shape[1] == size, f"candidates must be an array of shape (B, {size}), not {shape}.")
        return self.at(weights)

    def at(self, weights: FloatArray) -> FloatArray:
        """Return the loss along the last axis."""
        return np.asarray(20.0 * ((weights - self.target) ** 2).sum(axis=-1))

    def descend(self, controller: Controller, updates: int) -> FloatArray:
        """Return the weights ``(n,)`` after ``updates`` updates, each of which is checked."""
        weights, generator = np.full(self.target.size, 1.0 / self.target.size), np.random.default_rng(0)
        low = controller.weight_floor
        for _ in range(updates):
            given = weights.copy()
            new = controller.update(given, self.losses, lambda: float(self.at(weights)), generator)  # noqa: B023  (it is called now)
            is_unchanged = np.array_equal(given, weights)
            require(is_unchanged, "update() changes the weights that it is given; it must return new ones.")
            require(np.shape(new) == weights.shape, f"update() must return weights of shape {weights.shape}.")
            weights = np.asarray(new, dtype=np.float64)
            is_within = ((weights >= low) & (weights <= 1.0)).all()
            require(is_within, f"weights must stay from {low:g} to 1; clip() sees to that.")
        return weights


def stays_within_bounds(controller: type[Controller]) -> None:
    """It returns weights of the right shape, within bounds, and does not modify those that it is given."""
    for size in SIZES:
        Bowl(size).descend(controller(), 10)


def same_generator_same_bits(controller: type[Controller]) -> None:
    """All of its randomness comes from the generator."""
    for size in SIZES:
        first, second = (Bowl(size).descend(controller(), 5) for _ in range(2))
        require(np.array_equal(first, second), "with the same generator it ends with other weights.")


def descends(controller: type[Controller]) -> None:
    """It lowers a smooth loss."""
    for size in SIZES:
        bowl = Bowl(size)
        before, after = (float(bowl.at(bowl.descend(controller(), updates))) for updates in (0, UPDATES))
        message = f"of {size} weights, {UPDATES} updates bring the loss from {before:.3g} to {after:.3g}."
        require(after < before, message)


def cmd_resumes(controller: type[Controller]) -> None:
    """CMD with it can be divided, stopped and resumed bit for bit."""
    algorithm_checks.pieces_do_not_matter(lambda: CMD(controller=controller))
    algorithm_checks.resumes(lambda: CMD(controller=controller))


def questions(_: type[Controller]) -> list[Callable[[type[Controller]], None]]:
    """Return the questions to a controller."""
    return [stays_within_bounds, same_generator_same_bits, descends, cmd_resumes, refuses_bad_settings]
