"""What everything that is registered as a controller does: on losses that are known, and within CMD."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gamebench.algorithms import CMD
from gamebench.controllers import Controller
from gamebench.games.tree import FloatArray
from gamebench.testing import algorithm_checks
from gamebench.testing.check import check_settings, require

SIZES = (1, 2, 4)
UPDATES = 200


class Bowl:
    """The loss 20 |alpha - target|^2, the least in the middle of the weights' range; counts nothing, keeps nothing."""

    def __init__(self, size: int) -> None:
        self.target = np.linspace(0.2, 0.7, size)

    def losses(self, weights: FloatArray) -> FloatArray:
        """``(B,)`` of candidates ``(B, n)``, after a look at them."""
        expected = f"candidates must be an array of shape (B, {self.target.size})"
        require(
            np.ndim(weights) == 2 and np.shape(weights)[1] == self.target.size, f"{expected}, not {np.shape(weights)}."
        )
        return self.at(weights)

    def at(self, weights: FloatArray) -> FloatArray:
        """The loss, along the last axis."""
        return np.asarray(20.0 * ((weights - self.target) ** 2).sum(axis=-1))

    def descend(self, controller: Controller, updates: int) -> FloatArray:
        """``(n,)`` the weights after so many updates, which are checked one by one."""
        weights, generator = np.full(self.target.size, 1.0 / self.target.size), np.random.default_rng(0)
        for _ in range(updates):
            given = weights.copy()
            new = controller.update(given, self.losses, lambda: float(self.at(weights)), generator)  # noqa: B023  (it is called now)
            require(
                np.array_equal(given, weights),
                "update() changes the weights that it is given; it must return new ones.",
            )
            require(np.shape(new) == weights.shape, f"update() must return weights of shape {weights.shape}.")
            weights = np.asarray(new, dtype=np.float64)
            low = controller.weight_floor
            require(
                ((weights >= low) & (weights <= 1.0)).all(),
                f"weights must stay from {low:g} to 1; clip() sees to that.",
            )
        return weights


def stays_within_bounds(controller: type[Controller]) -> None:
    """It returns weights of the right shape, within their bounds, and leaves those given as they are."""
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
        require(
            after < before, f"of {size} weights, {UPDATES} updates bring the loss from {before:.3g} to {after:.3g}."
        )


def cmd_resumes(controller: type[Controller]) -> None:
    """CMD with it can be cut up, stopped and resumed bit for bit."""
    algorithm_checks.pieces_do_not_matter(lambda: CMD(controller=controller))
    algorithm_checks.resumes(lambda: CMD(controller=controller))


def refuses_bad_settings(controller: type[Controller]) -> None:
    """Bad hyper-parameters are refused in a sentence."""
    check_settings(controller)


def questions(_: type[Controller]) -> list[Callable[[type[Controller]], None]]:
    """What to ask it."""
    return [stays_within_bounds, same_generator_same_bits, descends, cmd_resumes, refuses_bad_settings]
