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
    algorithm = gb.CMD(history=2, radius=0.1, controller="GLD").configured(game, 20)
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
    moves = np.flatnonzero(np.diff(curve["alpha_0"])) + 1
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
