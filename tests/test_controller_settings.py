"""What hyper-parameters controllers accept, how they are written as formulas, and schedules at their ends."""

import numpy as np
import pytest

import gamebench as gb
from gamebench.controllers import DRS, GLD, controller_class, scheduled_weights
from gamebench.settings import real, setting

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


@pytest.mark.parametrize(("name", "value", "message"), REFUSED)
def test_just_outside_the_bounds(name, value, message):
    with pytest.raises(gb.SettingError, match=message):
        DRS(**{name: value})


@pytest.mark.parametrize(("name", "value"), ACCEPTED)
def test_just_inside_the_bounds(name, value):
    assert getattr(DRS(**{name: value}), name) == value


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


class Tilted(gb.Controller):
    name = "Tilted(test)"
    tilt: float = setting(real(0, 1), "how much", default=0.5)
    bend: float = setting(real(0, 1), "how much more", default=0.25)

    def update(self, weights, losses, current_loss, generator):
        return self.clip(self.tilt * weights)


def test_a_formula_has_what_is_a_controller_s_own_and_not_at_its_default():
    assert DRS(radius=0.3, candidates=2).formula == "DRS"  # these are CMD's, too
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
    with pytest.raises(gb.SettingError, match=r"^The controller 'Named\(0\.75\)' must be a name, or a name with keyw"):
        controller_class("Named(0.75)")
    with pytest.raises(
        gb.SettingError, match=r"^radius is a hyper-parameter of CMD, too: .* not in 'Named\(radius=1\)'"
    ):
        controller_class("Named(radius=1)")
    with pytest.raises(gb.UnknownNameError, match="hyper-parameter of Named called 'tlit'; did you mean 'tilt'"):
        controller_class("Named(tlit=1)")
    with pytest.raises(gb.UnknownNameError, match="no controller called 'Nmaed'; did you mean 'Named'"):
        controller_class("Nmaed(tilt=1)")
    with pytest.raises(gb.GameBenchError, match="The name of the controller must be a text, not int"):
        controller_class(3)


def test_scheduled_weights():
    assert scheduled_weights("uniform", 1, 2, 10, 4).tolist() == [[0.25] * 4] * 2
    assert scheduled_weights("inverse square root", 4, 1, 10, 3).tolist() == [[0.5] * 3]
    found = scheduled_weights("linear decay", 9, 4, 10, 2)
    assert found == pytest.approx(np.array([[0.109] * 2, [0.01] * 2, [0.01] * 2, [0.01] * 2]), abs=1e-15)
