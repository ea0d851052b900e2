"""Meta-controllers on losses that are known: they know no game, so they need none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamebench as gb

EVALUATIONS = {"DRS": 10, "RS": 10, "GLD": 5, "GLDS": 6, "DGLDS": 6}


class Bowl:
    """|alpha - target|^2, with a count of the evaluations and a check of what is asked for."""

    def __init__(self, target, floor=1e-6, scale=1.0):
        self.target, self.floor, self.scale = np.asarray(target), floor, scale
        self.evaluations = 0

    def value(self, weights):
        return self.scale * ((weights - self.target) ** 2).sum(axis=-1)

    def losses(self, candidates):
        assert candidates.ndim == 2
        assert (candidates >= self.floor).all()
        assert (candidates <= 1.0).all()
        self.evaluations += len(candidates)
        return self.value(candidates)


def descend(controller, bowl, start, updates, seed=0):
    weights, generator = np.array(start, dtype=float), np.random.default_rng(seed)
    for _ in range(updates):

        def current_loss(weights=weights):
            bowl.evaluations += 1
            return float(bowl.value(weights))

        weights = controller.update(weights, bowl.losses, current_loss, generator)
        assert (weights >= controller.weight_floor).all()
        assert (weights <= 1.0).all()
    return weights


@pytest.mark.parametrize("name", gb.CONTROLLERS)
@pytest.mark.parametrize("size", [1, 2, 4, 6])
def test_every_controller_lowers_a_smooth_loss(name, size):
    start = np.full(size, 1.0 / size)
    bowl = Bowl(np.linspace(0.2, 0.7, size) if size > 1 else [0.2], scale=20.0)
    end = descend(gb.CONTROLLERS[name](), bowl, start, 200)
    assert bowl.value(end) < 0.25 * bowl.value(start)


@pytest.mark.parametrize("name", ["DRS", "GLD", "DGLDS"])
def test_the_size_of_the_loss_does_not_matter_to_those_that_look_at_signs_or_order(name):
    ends = [descend(gb.CONTROLLERS[name](), Bowl([0.3, 0.6], scale=scale), [0.5, 0.5], 50) for scale in (1.0, 2.0**-30)]
    assert (ends[0] == ends[1]).all()


@pytest.mark.parametrize("name", ["RS", "GLDS"])
def test_the_others_step_in_proportion_to_it(name):
    start = np.array([0.5, 0.5])
    steps = [descend(gb.CONTROLLERS[name](), Bowl([0.3, 0.6], scale=scale), start, 1) - start for scale in (1.0, 0.5)]
    assert steps[0] == pytest.approx(2.0 * steps[1], rel=1e-9)


@pytest.mark.parametrize(("name", "count"), EVALUATIONS.items())
def test_the_number_of_evaluations_is_exact(name, count):
    bowl = Bowl([0.3, 0.3, 0.3])
    descend(gb.CONTROLLERS[name](), bowl, [0.25] * 3, 7)
    assert bowl.evaluations == 7 * count
    bowl = Bowl([0.3, 0.3, 0.3])
    descend(gb.CONTROLLERS[name](candidates=2), bowl, [0.25] * 3, 1)
    assert bowl.evaluations == {"DRS": 4, "RS": 4, "GLD": 2, "GLDS": 3, "DGLDS": 3}[name]


@given(st.sampled_from(list(gb.CONTROLLERS)), st.integers(1, 6), st.integers(0, 2**32), st.floats(1e-3, 1.0))
def test_weights_never_leave_their_bounds(name, size, seed, radius):
    controller = gb.CONTROLLERS[name](radius=radius, radius_range=(radius / 2, radius), weight_floor=1e-3)
    target = np.where(np.arange(size) % 2, 5.0, -5.0)  # far beyond both bounds
    descend(controller, Bowl(target, floor=1e-3), np.full(size, 0.5), 10, seed)


def test_formulas_written_out():
    """One update of each on a loss for which everything can be computed by hand."""
    weights, target = np.array([0.4, 0.5]), np.array([0.1, 0.9])

    def loss(alpha):
        return float(((np.clip(alpha, 1e-6, 1) - target) ** 2).sum())

    def directions(controller, in_shell):
        generator = np.random.default_rng(3)
        lengths = generator.uniform(*controller.radius_range, size=(5, 1)) if in_shell else controller.radius
        normal = generator.standard_normal((5, 2))
        return lengths * normal / np.linalg.norm(normal, axis=1, keepdims=True)

    for name in gb.CONTROLLERS:
        controller = gb.CONTROLLERS[name]()
        u = directions(controller, in_shell="GLD" in name)
        plus, minus = ([loss(weights + sign * one) for one in u] for sign in (1, -1))
        now = loss(weights)
        expected = weights.copy()
        for j in range(5):
            if name == "DRS":
                expected -= np.sign(plus[j] - minus[j]) * u[j]
            elif name == "RS":
                expected -= (plus[j] - minus[j]) * u[j]
            elif name == "GLDS":
                expected -= (plus[j] - now) * u[j]
            elif name == "DGLDS":
                expected -= np.sign(plus[j] - now) * u[j]
        if name == "GLD":
            expected += u[int(np.argmin(plus))]
        found = descend(controller, Bowl(target), weights, 1, seed=3)
        assert found == pytest.approx(np.clip(expected, 1e-6, 1), abs=1e-15)


def test_schedules():
    k = np.array([1, 4, 100])
    assert gb.SCHEDULES["uniform"](k, 100, 4) == pytest.approx([0.25] * 3)
    assert gb.SCHEDULES["linear decay"](k, 100, 4) == pytest.approx([0.9901, 0.9604, 0.01])
    assert gb.SCHEDULES["inverse square root"](k, 100, 4) == pytest.approx([1, 0.5, 0.1])
