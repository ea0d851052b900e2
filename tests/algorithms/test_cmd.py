"""Configurable mirror descent: its updates, its objectives, and what the paper found with it, on short runs."""

from itertools import product

import numpy as np
import pytest

import gamebench as gb

SOLVED = [
    "Kuhn-A", "Kuhn-B", "Goofspiel-S", "TinyHanabi-A", "TinyHanabi-B", "TinyHanabi-C", "Goofspiel", "TradeComm",
    "Battleship", "Bargaining",
]  # fmt: skip


def test_the_paper_solves_these_within_two_thousand_iterations():
    for name in SOLVED:
        game = gb.load_game(name)
        result = gb.solve(game, "CMD", 2000, checkpoints=100, until=f"{gb.main_measure(game)}=1e-6")
        assert result.curve[gb.main_measure(game)].min() <= 1e-6, name


def test_on_leduc_it_takes_the_controller_and_a_history():
    ends = [
        gb.solve("Leduc", algorithm, 2048).curve.last["NashConv"]
        for algorithm in (gb.algorithms.GMD(), gb.algorithms.CMD(history=1))
    ]
    assert min(ends) > 0.5
    assert gb.solve("Leduc", gb.algorithms.CMD(history=3), 4096, until="NashConv=0.1").curve.last["NashConv"] <= 0.1


def test_an_update_is_what_the_method_says():
    """Twenty iterations of one controller written out with the public parts."""
    game = gb.load_game("Kuhn")
    algorithm = gb.algorithms.CMD(history=2, controller="GLD").configured(game, 20)
    state = algorithm.start(game, seed=5)
    algorithm.advance(game, state, 9)
    assert state.alpha == pytest.approx([1 / 3] * 3)
    generator = np.random.Generator(np.random.PCG64(5))
    lengths = generator.uniform(0.01, 0.05, size=(5, 1))
    normal = generator.standard_normal((5, 3))
    candidates = 1 / 3 + lengths * normal / np.linalg.norm(normal, axis=1, keepdims=True)
    plain = gb.algorithms.GMD(history=2).configured(game, 20)
    losses = []
    for alpha in candidates:
        copied = plain.start(game, seed=0)
        plain.advance(game, copied, 9)
        fixed = gb.algorithms.GMD(history=2, weights=alpha).configured(game, 20)
        fixed.advance(game, copied, 1)
        losses.append(gb.evaluate(game, gb.Policy(game, copied.policy), "NashConv"))
    algorithm.advance(game, state, 1)
    assert state.alpha == pytest.approx(candidates[int(np.argmin(losses))], abs=1e-12)
    assert state.evaluated == 10 + 5


def test_weights_move_every_interval_once_there_are_enough_policies():
    curve = gb.solve("Kuhn", iterations=60, history=25, interval=10, checkpoints=1).curve
    moves = np.flatnonzero(np.diff(curve["alpha_1"])) + 1
    assert moves[moves > 25].tolist() == [30, 40, 50, 60]


def test_policies_evaluated_are_counted():
    counts = {"DRS": 10, "RS": 10, "GLD": 5, "GLDS": 6, "DGLDS": 6, "SuccessRule": 1}
    for controller, count in counts.items():
        curve = gb.solve("Kuhn-A", iterations=50, controller=controller, measures=[]).curve
        assert curve["policies_evaluated"][-1] == 50 + 5 * count


def test_a_function_of_ones_own_as_objective():
    calls = []

    def distance_from_half(game, policy):
        calls.append(1)
        return float(np.abs(policy.probabilities - 0.5).sum())

    result = gb.solve("Kuhn", iterations=30, history=1, objective=distance_from_half, measures=[])
    assert len(calls) == 3 * 10
    assert result.algorithm.objective.name == "distance_from_half"


def test_a_controller_of_ones_own():
    class Half(gb.controllers.Controller):
        name = "half"

        def update(self, weights, losses, current_loss, generator):
            assert losses(np.array([weights, weights])) == pytest.approx([losses(weights[None])[0]] * 2)
            return self.clip(weights / 2)

    for controller in (Half, Half()):
        result = gb.solve("Kuhn", iterations=20, history=1, controller=controller)
        assert result.state.alpha == pytest.approx([1 / 8] * 2)


USERS = {"radius": "DRS, RS", "radius_range": "GLD, GLDS, DGLDS", "candidates": "DRS, RS, GLD, GLDS, DGLDS"}


UNUSED = [
    *((controller, "radius", 0.3) for controller in ("GLD", "GLDS", "DGLDS", "SuccessRule")),
    *((controller, "radius_range", (0.1, 0.2)) for controller in ("DRS", "RS", "SuccessRule")),
    ("SuccessRule", "candidates", 3),
]


def test_hyper_parameters_that_the_controller_does_not_use_are_refused():
    """A sweep over them would give the same result again and again, each under another name."""
    game = gb.load_game("Kuhn")
    for controller, name, value in UNUSED:
        made = gb.controllers.CONTROLLERS[controller]
        sentence = rf"^{name}=.* has no effect with the controller {controller}; it is for {USERS[name]}[^;]*\.$"
        for algorithm in (
            gb.algorithms.CMD(controller=controller, **{name: value}),
            gb.algorithms.CMD(controller=made, **{name: value}),
            gb.algorithms.CMD(controller=made(**{name: value})),
        ):
            with pytest.raises(gb.errors.SettingError, match=sentence):
                algorithm.configured(game, 10)
        other = gb.algorithms.CMD(controller="GLD" if name == "radius_range" else "DRS", **{name: value}).configured(
            game, 10
        )
        assert getattr(other, name) == value


def test_what_was_chosen_for_a_game_can_be_given_again():
    """Runs are stored with all hyper-parameters, from which worker processes start."""
    kuhn, leduc = gb.load_game("Kuhn"), gb.load_game("Leduc")
    for controller in ("DRS", "RS", "GLD", "GLDS", "DGLDS"):
        chosen = gb.algorithms.CMD(controller=controller).configured(kuhn, 10)
        assert chosen.radius == 0.01  # the paper's for Kuhn
        again = gb.algorithms.CMD(**chosen.description()).configured(kuhn, 10)
        assert again.description() == chosen.description()
        for game in (kuhn, leduc):
            assert chosen.configured(game, 10).description() == chosen.description()


def test_controllers_say_which_hyper_parameters_make_no_difference():
    others = {"candidates": 3, "radius": 0.4, "radius_range": (0.3, 0.6), "weight_floor": 0.45}

    def updated(made, settings):
        def losses(alphas):
            return ((alphas - [0.0, 0.9, 0.3]) ** 2).sum(axis=1)

        weights = np.array([0.01, 0.5, 0.5])
        return made(**settings).update(weights, losses, lambda: 0.5, np.random.default_rng(0)).tolist()

    for made in gb.controllers.CONTROLLERS.values():
        for name, other in others.items():
            assert (updated(made, {}) == updated(made, {name: other})) == (name in made.unused), (made, name)


def test_a_rate_for_a_magnet_that_does_not_move_is_refused():
    game = gb.load_game("Kuhn")
    for algorithm, magnet in product((gb.algorithms.CMD, gb.algorithms.GMD), ("none", "initial")):
        sentence = rf"^magnet_rate=0\.1 has no effect with magnet='{magnet}'; only a moving"
        with pytest.raises(gb.errors.SettingError, match=sentence):
            algorithm(magnet=magnet, magnet_rate=0.1).configured(game, 10)
        described = algorithm(magnet=magnet).configured(game, 10).description()
        assert algorithm(**described).configured(game, 10).description() == described


# --- A controller with a memory ---------------------------------------------------------------------------------------
class Diary(gb.controllers.Controller):
    """Plays the mean of the weights it has had, with some noise."""

    name = "Diary"

    def memory(self, size):
        return np.zeros((2, size))

    def update(self, weights, losses, current_loss, generator, memory=None):
        memory[0] += weights
        memory[1] += 1
        return self.clip(memory[0] / memory[1] * generator.uniform(0.9, 1.1, len(weights)))


def test_a_memory_is_part_of_the_state(tmp_path):
    game, path = gb.load_game("Kuhn"), tmp_path / "state.npz"
    through = gb.solve(game, "CMD", 80, controller=Diary, history=2, seed=4)
    half = gb.solve(game, "CMD", 43, controller=Diary, history=2, seed=4)
    half.save_state(path)
    resumed = gb.solve(game, "CMD", 80, controller=Diary, history=2, seed=4, state=path)
    assert (through.state.memory == resumed.state.memory).all()
    assert (through.policy.probabilities == resumed.policy.probabilities).all()
    assert half.state.memory[1].tolist() == [4.0] * 3
    assert through.state.memory[1].tolist() == [8.0] * 3


def test_a_failed_update_leaves_no_trace_in_the_memory():
    class Fails(Diary):
        name = "Fails"

        def update(self, weights, losses, current_loss, generator, memory=None):
            super().update(weights, losses, current_loss, generator, memory)
            return -weights if memory[1, 0] == 3 else weights

    game = gb.load_game("Kuhn")
    algorithm = gb.algorithms.CMD(controller=Fails, history=2).configured(game, 50)
    state = algorithm.start(game, 0)
    with pytest.raises(gb.errors.SettingError, match="must return 3 finite weights above 0"):
        algorithm.advance(game, state, 50)
    assert state.iteration == 29
    assert state.memory[1].tolist() == [2.0] * 3


# --- CMD(SR) ----------------------------------------------------------------------------------------------------------
def test_cmd_sr_written_out_with_gmd():
    """Thirty-five iterations with the public parts: GMD with these weights, and the best policy that was measured."""
    game = gb.load_game("Kuhn")
    algorithm = gb.algorithms.CMDSuccessRule().configured(game, 35)
    state = algorithm.start(game, 0)
    algorithm.advance(game, state, 35)
    made = {"history": 1, "magnet_rate": 0.005, "epsilon": 1e-16, "alternating": True}
    plain = gb.algorithms.GMD(**made).configured(game, 35)
    copied, alpha, last, best = plain.start(game, 0), np.array([4.0, 4.0]), np.inf, None
    for j, count in ((1, 9), (2, 10), (3, 10), (4, 6)):
        gb.algorithms.GMD(weights=alpha, **made).configured(game, 35).advance(game, copied, count)
        if j < 4:
            loss = gb.evaluate(game, gb.Policy(game, copied.policy), "NashConv")
            if best is None or loss < gb.evaluate(game, gb.Policy(game, best), "NashConv"):
                best = copied.policy.copy()
            alpha = alpha * (np.exp(-1 / j) if loss < last else np.exp(2 / j)) * [j / (j + 1), 1]
            last = loss
    assert state.alpha == pytest.approx(alpha, rel=1e-12)
    assert state.policy == pytest.approx(copied.policy, abs=1e-12)
    assert algorithm.policy(game, state) == pytest.approx(best, abs=1e-12)
    assert state.evaluated == 35 + 3


def test_cmd_sr_does_not_depend_on_the_unit_of_payoffs():
    """With a power of two not even rounding differs."""
    for name in ("Kuhn", "TradeComm", "MCCKuhn-B"):
        plain, scaled = (gb.solve(gb.load_game(name, payoff_scale=scale), "CMD(SR)", 200) for scale in (1, 8))
        assert (plain.policy.probabilities == scaled.policy.probabilities).all()
        assert scaled.state.alpha == pytest.approx(8 * plain.state.alpha, rel=1e-14)


def test_cmd_sr_reports_the_best_that_it_has_measured():
    game = gb.load_game("MCCKuhn-B")
    result = gb.solve(game, "CMD(SR)", 1000, checkpoints=10, iterates=["current"])
    assert result.algorithm.objective.name == "NashConv"
    reported, current = result.curve["NashConv"][3:], result.curve["NashConv [current]"]
    assert (np.diff(reported) <= 1e-15).all()
    assert reported[-1] < current[-1]
    assert reported[-1] == pytest.approx(result.state.least_loss[0], abs=1e-12)


def test_cmd_sr_needs_its_magnet():
    for algorithm in (
        gb.algorithms.CMDSuccessRule(magnet="none"),
        gb.algorithms.CMD(controller="SuccessRule", magnet="none"),
    ):
        with pytest.raises(
            gb.errors.SettingError, match=r"^The controller SuccessRule needs a magnet, but magnet is 'none'"
        ):
            algorithm.configured(gb.load_game("Kuhn"), 10)


SOLVED_BY_A_HUNDRED = [*SOLVED[:8], "MCCGoofspiel"]


def test_cmd_sr_solves_these_with_a_hundred_joint_policies():
    for name in SOLVED_BY_A_HUNDRED:
        result = gb.solve(name, "CMD(SR)", 91)
        assert result.state.evaluated == 100
        assert abs(result.curve.last[gb.main_measure(result.game)]) < 1e-9


def test_whether_the_seed_matters_depends_on_the_controller():
    assert gb.algorithms.CMD().uses_seed
    assert gb.algorithms.CMDSuccessRule(controller="DRS").uses_seed
    for controller in (
        "SuccessRule",
        "SuccessRule(rise=3)",
        gb.controllers.SuccessRule,
        gb.controllers.SuccessRule(rise=3),
    ):
        assert not gb.algorithms.CMD(controller=controller).uses_seed
    for controller, matters in (("SuccessRule", False), ("DRS", True)):
        runs = [gb.solve("Kuhn", "CMD", 50, controller=controller, seed=seed) for seed in (1, 2)]
        assert (runs[0].policy.probabilities != runs[1].policy.probabilities).any() == matters
