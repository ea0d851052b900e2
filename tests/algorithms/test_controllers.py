"""Meta-controllers on known losses, their hyper-parameters and formulas, and fixed schedules."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.algorithms.descent.controllers import DRS, GLD, controller_class, scheduled_weights
from gamebench.core.settings import real, setting
from tests.helpers import refuses

EVALUATIONS = {"DRS": 10, "RS": 10, "GLD": 5, "GLDS": 6, "DGLDS": 6, "SuccessRule": 1}
PAPERS = ("DRS", "RS", "GLD", "GLDS", "DGLDS")
"""Those that try candidates; the others judge the weights that were played."""


class Bowl:
    """|alpha - target|^2, which counts evaluations and checks its input."""

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
    memory = controller.memory(len(weights))
    remembered = {"memory": memory} if memory.size else {}
    for _ in range(updates):

        def current_loss(weights=weights):
            bowl.evaluations += 1
            return float(bowl.value(weights))

        weights = controller.update(weights, bowl.losses, current_loss, generator, **remembered)
        assert (weights >= controller.weight_floor).all()
        assert (weights <= controller.weight_ceiling).all()
    return weights


def test_the_size_of_the_loss_does_not_matter_to_those_that_look_at_signs_or_order():
    for name in ["DRS", "GLD", "DGLDS", "SuccessRule"]:
        ends = [
            descend(gb.controllers.CONTROLLERS[name](), Bowl([0.3, 0.6], scale=scale), [0.5, 0.5], 50)
            for scale in (1.0, 2.0**-30)
        ]
        assert (ends[0] == ends[1]).all(), name


def test_the_others_step_in_proportion_to_it():
    for name in ["RS", "GLDS"]:
        start = np.array([0.5, 0.5])
        steps = [
            descend(gb.controllers.CONTROLLERS[name](), Bowl([0.3, 0.6], scale=scale), start, 1) - start
            for scale in (1.0, 0.5)
        ]
        assert steps[0] == pytest.approx(2.0 * steps[1], rel=1e-9), name


def test_the_number_of_evaluations_is_exact():
    for name, count in EVALUATIONS.items():
        bowl = Bowl([0.3, 0.3, 0.3])
        descend(gb.controllers.CONTROLLERS[name](), bowl, [0.25] * 3, 7)
        assert bowl.evaluations == 7 * count, name
        bowl = Bowl([0.3, 0.3, 0.3])
        descend(gb.controllers.CONTROLLERS[name](candidates=2), bowl, [0.25] * 3, 1)
        assert bowl.evaluations == {"DRS": 4, "RS": 4, "GLD": 2, "GLDS": 3, "DGLDS": 3, "SuccessRule": 1}[name], name


@settings(max_examples=50)
@given(
    st.sampled_from(list(gb.controllers.CONTROLLERS)), st.integers(1, 6), st.integers(0, 2**32), st.floats(1e-3, 1.0)
)
def test_weights_never_leave_their_bounds(name, size, seed, radius):
    controller = gb.controllers.CONTROLLERS[name](radius=radius, radius_range=(radius / 2, radius), weight_floor=1e-3)
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

    for name in PAPERS:
        controller = gb.controllers.CONTROLLERS[name]()
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


def test_the_success_rule_written_out():
    """Losses that fall, rise, stay the same and fall again, in plain arithmetic."""
    losses, controller = [5.0, 4.0, 6.0, 6.0, -1.0], gb.controllers.SuccessRule(fall=0.5, rise=1.5)
    weights, memory = np.array([2.0, 3.0, 4.0]), controller.memory(3)
    scale, found = 1.0, weights
    for j, loss in enumerate(losses, start=1):
        has_fallen = j == 1 or loss < losses[j - 2]
        scale *= math.exp(-0.5 / j) if has_fallen else math.exp(1.5 / j)
        given = found.copy()
        found = controller.update(given, None, lambda loss=loss: loss, None, memory)
        assert found == pytest.approx([2.0 * scale / (j + 1), 3.0 * scale, 4.0 * scale], rel=1e-14)
        assert memory.tolist() == [j, loss]
    assert controller.formula == "SuccessRule(fall=0.5, rise=1.5)"
    assert controller.update(weights, None, lambda: 7.0, None) == pytest.approx(
        weights * np.exp(-0.5) * [0.5, 1, 1], rel=1e-14
    )  # without a memory it is the first update
    assert gb.controllers.SuccessRule(weight_floor=0.1).clip(np.array([1e-3, 5.0, 1e10])).tolist() == [0.1, 5.0, 1e9]


def test_schedules():
    k = np.array([1, 4, 100])
    assert gb.controllers.SCHEDULES["uniform"](k, 100, 4) == pytest.approx([0.25] * 3)
    assert gb.controllers.SCHEDULES["linear decay"](k, 100, 4) == pytest.approx([0.9901, 0.9604, 0.01])
    assert gb.controllers.SCHEDULES["inverse square root"](k, 100, 4) == pytest.approx([1, 0.5, 0.1])


RANGE = "radius_range must be two numbers above 0 and at most 1, the smaller first"
REFUSED = [
    ("candidates", 0, "candidates must be a whole number from 1 to 10000"),
    ("radius", 0.0, "radius must be a number above 0 and at most 1"),
    ("radius", 1.0001, "radius must be a number above 0 and at most 1"),
    ("radius_range", (0.0, 0.5), RANGE),
    ("radius_range", (0.5, 1.0001), RANGE),
    ("radius_range", (0.5, 0.4), RANGE),
    ("radius_range", (0.1, 0.2, 0.3), RANGE),
    ("radius_range", (0.1,), RANGE),
    ("weight_floor", 0.0, "weight_floor must be a number above 0 and at most 0.5"),
    ("weight_floor", 0.5001, "weight_floor must be a number above 0 and at most 0.5"),
]
ACCEPTED = [
    *(("candidates", 1), ("radius", 1e-9), ("radius", 1.0), ("radius_range", (1e-9, 1.0))),
    *(("radius_range", (0.3, 0.3)), ("weight_floor", 1e-12), ("weight_floor", 0.5)),
]


def test_just_outside_the_bounds():
    for name, value, message in REFUSED:
        refuses(gb.errors.SettingError, message, DRS, **{name: value})


def test_just_inside_the_bounds():
    for name, value in ACCEPTED:
        assert getattr(DRS(**{name: value}), name) == value, name


def test_the_paper_s_hyper_parameters_are_the_defaults():
    controller = DRS()
    assert (controller.candidates, controller.radius, controller.radius_range) == (5, 0.05, (0.01, 0.05))
    assert controller.weight_floor == 1e-6


def test_weights_are_cut_at_both_bounds():
    assert DRS(weight_floor=0.25).clip(np.array([-3.0, 0.1, 0.25, 0.7, 1.0, 1.5])).tolist() == [
        *(0.25, 0.25, 0.25, 0.7, 1.0, 1.0)
    ]


def test_lengths_of_directions():
    generator = np.random.default_rng(1)
    sphere = DRS(candidates=200, radius=0.3).on_sphere(4, generator)
    assert sphere.shape == (200, 4)
    assert np.linalg.norm(sphere, axis=1) == pytest.approx(np.full(200, 0.3), abs=1e-15)
    shell = GLD(candidates=2000, radius_range=(0.2, 0.6)).in_shell(3, generator)
    lengths = np.linalg.norm(shell, axis=1)
    assert shell.shape == (2000, 3)
    assert lengths.min() >= 0.2
    assert lengths.max() <= 0.6
    assert lengths.mean() == pytest.approx(0.4, abs=0.01)  # uniform: four standard errors


class Tilted(gb.controllers.Controller):
    name = "Tilted(test)"
    tilt: float = setting(real(0, 1), "how much", default=0.5)
    bend: float = setting(real(0, 1), "how much more", default=0.25)

    def update(self, weights, losses, current_loss, generator):
        return self.clip(self.tilt * weights)


def test_a_formula_has_what_is_a_controller_s_own_and_not_at_its_default():
    assert DRS(radius=0.3, candidates=2).formula == "DRS"  # these are also CMD's
    assert Tilted().formula == "Tilted(test)"
    assert Tilted(tilt=0.75, radius=0.3).formula == "Tilted(test)(tilt=0.75)"
    assert Tilted(bend=0.75, tilt=0.125).formula == "Tilted(test)(tilt=0.125, bend=0.75)"


@pytest.mark.usefixtures("own_names")
def test_a_controller_by_its_formula():
    class Named(Tilted):
        name = "Named"

    gb.register_controller(Named)
    assert controller_class("DRS") == (DRS, {})
    assert controller_class("drs") == (DRS, {})
    assert controller_class("named(tilt=0.75)") == (Named, {"tilt": 0.75})
    with pytest.raises(
        gb.errors.SettingError, match=r"^The controller 'Named\(0\.75\)' must be a name, or a name with keyw"
    ):
        controller_class("Named(0.75)")
    complaint = r"^radius is also a hyper-parameter of CMD: .* not in 'Named\(radius=1\)'"
    refuses(gb.errors.SettingError, complaint, controller_class, "Named(radius=1)")
    with pytest.raises(gb.errors.UnknownNameError, match="hyper-parameter of Named called 'tlit'; did you mean 'tilt'"):
        controller_class("Named(tlit=1)")
    with pytest.raises(gb.errors.UnknownNameError, match="no controller called 'Nmaed'; did you mean 'Named'"):
        controller_class("Nmaed(tilt=1)")
    refuses(gb.errors.GameBenchError, "The name of the controller must be a string, not int", controller_class, 3)


def test_scheduled_weights():
    assert scheduled_weights("uniform", 1, 2, 10, 4).tolist() == [[0.25] * 4] * 2
    assert scheduled_weights("inverse square root", 4, 1, 10, 3).tolist() == [[0.5] * 3]
    found = scheduled_weights("linear decay", 9, 4, 10, 2)
    assert found == pytest.approx(np.array([[0.109] * 2, [0.01] * 2, [0.01] * 2, [0.01] * 2]), abs=1e-15)
