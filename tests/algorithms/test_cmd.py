"""Configurable mirror descent: its updates, its objectives, and what the paper found with it, on short runs."""

import numpy as np
import pytest

import gamebench as gb
from tests.algorithms.helpers import policies

SOLVED = [
    "Kuhn-A", "Kuhn-B", "Goofspiel-S", "TinyHanabi-A", "TinyHanabi-B", "TinyHanabi-C", "Goofspiel", "TradeComm",
    "Battleship", "Bargaining",
]  # fmt: skip


@pytest.mark.parametrize("name", SOLVED)
def test_the_paper_solves_these_within_two_thousand_iterations(name):
    result = gb.solve(name, iterations=2000, checkpoints=100)
    assert result.curve[gb.main_measure(result.game)].min() < 1e-6


def test_on_leduc_it_takes_the_controller_and_a_history():
    stalled, short, solved = (
        gb.solve("Leduc", algorithm, 4096).curve["NashConv"][-1]
        for algorithm in (gb.GMD(), gb.CMD(history=1), gb.CMD(history=3))
    )
    assert stalled > 0.5
    assert short > 0.5
    assert solved < 0.1


def test_an_update_is_what_the_method_says():
    """Twenty iterations of one controller written out with the public parts."""
    game = gb.load_game("Kuhn")
    algorithm = gb.CMD(history=2, controller="GLD").configured(game, 20)
    state = algorithm.start(game, seed=5)
    algorithm.advance(game, state, 9)
    assert state.alpha == pytest.approx([1 / 3] * 3)
    generator = np.random.Generator(np.random.PCG64(5))
    lengths = generator.uniform(0.01, 0.05, size=(5, 1))
    normal = generator.standard_normal((5, 3))
    candidates = 1 / 3 + lengths * normal / np.linalg.norm(normal, axis=1, keepdims=True)
    plain = gb.GMD(history=2).configured(game, 20)
    losses = []
    for alpha in candidates:
        copied = plain.start(game, seed=0)
        plain.advance(game, copied, 9)
        fixed = gb.GMD(history=2, weights=alpha).configured(game, 20)
        fixed.advance(game, copied, 1)
        losses.append(gb.evaluate(game, gb.Policy(game, copied.policy), "NashConv"))
    algorithm.advance(game, state, 1)
    assert state.alpha == pytest.approx(candidates[int(np.argmin(losses))], abs=1e-12)
    assert state.evaluated == 10 + 5


def test_weights_move_every_interval_once_there_are_enough_policies():
    curve = gb.solve("Kuhn", iterations=60, history=25, interval=10, checkpoints=1).curve
    moves = np.flatnonzero(np.diff(curve["alpha_1"])) + 1
    assert moves[moves > 25].tolist() == [30, 40, 50, 60]


@pytest.mark.parametrize(("controller", "count"), [("DRS", 10), ("RS", 10), ("GLD", 5), ("GLDS", 6), ("DGLDS", 6)])
def test_policies_evaluated_are_counted(controller, count):
    curve = gb.solve("Kuhn-A", iterations=50, controller=controller, measures=[]).curve
    assert curve["policies_evaluated"][-1] == 50 + 5 * count


@pytest.mark.parametrize(
    ("name", "objective"),
    [("Kuhn-A", "OptGap"), ("TinyHanabi-A", "OptGap"), ("Leduc", "NashConv"), ("MCCKuhn-A", "NashConv(approximate)")],
)
def test_the_objective_suits_the_game(name, objective):
    assert gb.CMD().configured(gb.load_game(name), 1).objective.name == objective


def test_a_better_welfare_for_those_who_ask_for_it():
    """What is higher-is-better is turned round, so that the same controller climbs it."""
    game = gb.load_game("Bargaining")
    asked, not_asked = (
        gb.solve(game, iterations=200, objective=objective, measures=["SocialWelfare"]).curve["SocialWelfare"][-1]
        for objective in ("SocialWelfare", gb.own_measure(lambda g, p: gb.evaluate(g, p, "SocialWelfare"), "spite"))
    )
    assert asked >= not_asked


def test_a_function_of_ones_own_as_objective():
    calls = []

    def distance_from_half(game, policy):
        calls.append(1)
        return float(np.abs(policy.probabilities - 0.5).sum())

    result = gb.solve("Kuhn", iterations=30, history=1, objective=distance_from_half, measures=[])
    assert len(calls) == 3 * 10
    assert result.algorithm.objective.name == "distance_from_half"


def test_a_controller_of_ones_own():
    class Half(gb.Controller):
        name = "half"

        def update(self, weights, losses, current_loss, generator):
            assert losses(np.array([weights, weights])) == pytest.approx([losses(weights[None])[0]] * 2)
            return self.clip(weights / 2)

    for controller in (Half, Half()):
        result = gb.solve("Kuhn", iterations=20, history=1, controller=controller)
        assert result.state.alpha == pytest.approx([1 / 8] * 2)


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    game = gb.load_game("Kuhn")
    first, again, other = (list(policies(game, gb.CMD(), 60, seed)) for seed in (1, 1, 2))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert (first[-1] != other[-1]).any()


USERS = {"radius": "DRS, RS", "radius_range": "GLD, GLDS, DGLDS"}


@pytest.mark.parametrize(
    ("controller", "name", "value"),
    [
        ("GLD", "radius", 0.3),
        ("GLDS", "radius", 0.3),
        ("DGLDS", "radius", 0.3),
        ("DRS", "radius_range", (0.1, 0.2)),
        ("RS", "radius_range", (0.1, 0.2)),
    ],
)
def test_hyper_parameters_that_the_controller_does_not_use_are_refused(controller, name, value):
    """A sweep over them would give the same result again and again, each under a name of its own."""
    game, made = gb.load_game("Kuhn"), gb.CONTROLLERS[controller]
    sentence = rf"^{name}=.* has no effect with the controller {controller}; it is for {USERS[name]}\.$"
    for algorithm in (
        gb.CMD(controller=controller, **{name: value}),
        gb.CMD(controller=made, **{name: value}),
        gb.CMD(controller=made(**{name: value})),
    ):
        with pytest.raises(gb.SettingError, match=sentence):
            algorithm.configured(game, 10)
    other = gb.CMD(controller="DRS" if name == "radius" else "GLD", **{name: value}).configured(game, 10)
    assert getattr(other, name) == value


@pytest.mark.parametrize("controller", ["DRS", "RS", "GLD", "GLDS", "DGLDS"])
def test_what_was_chosen_for_a_game_can_be_given_again(controller):
    """Runs are stored with all of their hyper-parameters, and worker processes start from these."""
    kuhn, leduc = gb.load_game("Kuhn"), gb.load_game("Leduc")
    chosen = gb.CMD(controller=controller).configured(kuhn, 10)
    assert chosen.radius == 0.01  # the paper's for Kuhn
    again = gb.CMD(**chosen.description()).configured(kuhn, 10)
    assert again.description() == chosen.description()
    for game in (kuhn, leduc):
        assert chosen.configured(game, 10).description() == chosen.description()


@pytest.mark.parametrize("name", ["candidates", "radius", "radius_range", "weight_floor"])
@pytest.mark.parametrize("controller", ["DRS", "RS", "GLD", "GLDS", "DGLDS"])
def test_controllers_say_which_hyper_parameters_make_no_difference(controller, name):
    made = gb.CONTROLLERS[controller]
    other = {"candidates": 3, "radius": 0.4, "radius_range": (0.3, 0.6), "weight_floor": 0.45}[name]

    def updated(settings):
        def losses(alphas):
            return ((alphas - [0.0, 0.9, 0.3]) ** 2).sum(axis=1)

        weights = np.array([0.01, 0.5, 0.5])
        return made(**settings).update(weights, losses, lambda: 0.5, np.random.default_rng(0)).tolist()

    assert (updated({}) == updated({name: other})) == (name in made.unused)


@pytest.mark.parametrize("magnet", ["none", "initial"])
@pytest.mark.parametrize("algorithm", [gb.CMD, gb.GMD])
def test_a_rate_for_a_magnet_that_does_not_move_is_refused(algorithm, magnet):
    game = gb.load_game("Kuhn")
    with pytest.raises(
        gb.SettingError, match=rf"^magnet_rate=0\.1 has no effect with magnet='{magnet}'; only a moving"
    ):
        algorithm(magnet=magnet, magnet_rate=0.1).configured(game, 10)
    described = algorithm(magnet=magnet).configured(game, 10).description()
    assert algorithm(**described).configured(game, 10).description() == described
