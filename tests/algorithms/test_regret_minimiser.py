"""Regret minimisers that users write as three functions: equal to ours, with one sentence for each mistake."""

import inspect
import json
import os
import pickle
import random
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from numba import njit
from numpy.random import normal

import gamebench as gb
from gamebench.core.settings import real, setting, whole, yes_or_no
from gamebench.testing import ConformanceError, checks_of
from tests.algorithms.helpers import RANDOM, load
from tests.games.coordinated_games import coordinated
from tests.oracles.coordinated_teams import random_team_game
from tests.patience import HANG


class Own(gb.RegretMinimiser):
    """CFR, CFR+ and PCFR+, written as in the documentation."""

    name = "Own"
    plus: bool = setting(yes_or_no, "whether regrets are cut at 0", default=False)
    scale: float = setting(real(0, 10, or_equal=True), "how much of the latest regrets is expected again", default=0.0)
    power: int = setting(whole(0, 5), "iteration t counts t to this power", default=0)

    def accumulate(self, t, latest, regrets):
        for a in range(len(regrets)):
            regrets[a] += latest[a]
            if self.plus and regrets[a] < 0.0:
                regrets[a] = 0.0

    def recommend(self, t, latest, regrets, policy):
        for a in range(len(policy)):
            policy[a] = regrets[a] + self.scale * latest[a]

    def average(self, t):
        return float(t) ** self.power


OURS = [
    (gb.algorithms.CFR, {}, {}),
    (gb.algorithms.CFRPlus, {}, {"plus": True, "power": 1}),
    (gb.algorithms.PCFRPlus, {}, {"plus": True, "scale": 1.0, "power": 2}),
    (gb.algorithms.SAPCFRPlus, {"gamma": 3}, {"plus": True, "scale": 1 / 3, "power": 3}),
]


def test_three_functions_make_a_known_algorithm():
    """For each of thirty iterations, in games whose regrets do not tie."""
    games = map(load, ("kuhn_poker", "liars_dice(numdice=1,dice_sides=2)", RANDOM))
    for game, (ours, given, settings), alternating in product(games, OURS, (True, False)):
        known, own = ours(alternating=alternating, **given), Own(alternating=alternating, **settings)
        expected, state = known.begin(game, 0, ["quadratic"]), own.begin(game, 0, ["quadratic"])
        for t in range(1, 31):
            known.proceed(game, expected, 1)
            own.proceed(game, state, 1)
            assert np.abs(state.policy - expected.policy).max() <= 1e-12, t
            for iterate in (None, "quadratic"):
                mine, theirs = own.policy(game, state, iterate), known.policy(game, expected, iterate)
                assert np.abs(mine - theirs).max() <= 1e-12, t


def test_ties_stay_ties_and_values_go_to_all_parents():
    """Rounding errors count as zero before the user's functions see them, so that ours and theirs also agree here."""
    graph = coordinated(random_team_game(39, ((0, 1), (2,)), max_nodes=200, max_depth=7))
    for game in (*map(gb.load_game, ("Goofspiel", "Battleship", "dark_hex(board_size=2)")), graph):
        known, own = gb.algorithms.CFRPlus(), Own(plus=True, power=1)
        expected, state = known.start(game, 0), own.start(game, 0)
        for _ in range(3):
            known.advance(game, expected, 1)
            own.advance(game, state, 1)
            assert np.abs(state.policy - expected.policy).max() <= 1e-12


def test_it_conforms():
    for check in checks_of(Own):
        check()


# --- Arrays of its own ------------------------------------------------------------------------------------------------


class Remembering(gb.RegretMinimiser):
    """PCFR+ that keeps the sum of all regrets, which it could compute, and how often a decision point was updated."""

    name = "Remembering"
    arrays = ("total", "updates")

    def accumulate(self, t, latest, regrets, total, updates):
        for a in range(len(regrets)):
            regrets[a] = max(regrets[a] + latest[a], 0.0)
            total[a] += latest[a]
            updates[a] += 1.0

    def recommend(self, t, latest, regrets, policy, total, updates):
        for a in range(len(policy)):
            policy[a] = regrets[a] + latest[a] if updates[a] == t else -1.0

    def average(self, t):
        return float(t) ** 2


class Momentum(Remembering):
    """Uses what it keeps, starts with something in it, and has a hyper-parameter."""

    name = "Momentum"
    arrays = ("momentum",)
    share: float = setting(real(0, 1), "how much of the momentum is kept", default=0.5)
    is_broken: bool = setting(yes_or_no, "whether iteration 30 fails", default=False)

    def start(self, game, seed):
        state = super().start(game, seed)
        state.momentum[:] = 0.01
        return state

    def accumulate(self, t, latest, regrets, momentum):
        for a in range(len(regrets)):
            momentum[a] = self.share * momentum[a] + latest[a]
            regrets[a] = max(regrets[a] + momentum[a], 0.0)

    def recommend(self, t, latest, regrets, policy, momentum):
        for a in range(len(policy)):
            policy[a] = regrets[a] + momentum[a]

    def average(self, t):
        return -1e6 if self.is_broken and t == 30 else 1.0


@pytest.mark.slow
def test_arrays_of_its_own_go_with_the_regrets():
    """The sum of regrets is that of CFR with the policies of PCFR+, and nothing else changes, to the last bit."""
    graph = coordinated(random_team_game(39, ((0, 1), (2,)), max_nodes=200, max_depth=7))
    for game, alternating in product((load("kuhn_poker"), graph), (True, False)):
        plain, keeping = (
            Own(plus=True, scale=1.0, power=2, alternating=alternating),
            Remembering(alternating=alternating),
        )
        expected, state = plain.start(game, 0), keeping.start(game, 0)
        plain.advance(game, expected, 30)
        keeping.advance(game, state, 30)
        for name in ("regrets", "total_play", "policy"):
            assert (getattr(state, name) == getattr(expected, name)).all(), name
        assert (state.updates == 30).all()
        assert (state.total <= state.regrets + 1e-12).all()
        assert (state.total < 0).any()


@pytest.mark.slow
def test_arrays_of_its_own_are_part_of_the_state(tmp_path):
    whole_run = gb.solve("Kuhn", Momentum(), 40)
    half = gb.solve("Kuhn", Momentum(), 13)
    assert (half.state.momentum != whole_run.state.momentum).any()
    half.save_state(tmp_path / "half.npz")
    for state in (half, tmp_path / "half.npz"):
        resumed = gb.solve("Kuhn", Momentum(), 40, state=state)
        for name in ("momentum", "regrets", "policy"):
            assert (getattr(resumed.state, name) == getattr(whole_run.state, name)).all()
    assert (pickle.loads(pickle.dumps(half)).state.momentum == half.state.momentum).all()
    for check in checks_of(Momentum):
        check()


def test_a_mistake_leaves_arrays_of_its_own_as_they_were():
    game = gb.load_game("Kuhn")
    algorithm, good = Momentum(is_broken=True), Momentum()
    state, expected = algorithm.start(game, 0), good.start(game, 0)
    algorithm.advance(game, state, 20)
    with pytest.raises(gb.errors.SettingError):
        algorithm.advance(game, state, 20)
    good.advance(game, expected, 20)
    assert (state.momentum == expected.momentum).all()


MISDECLARED = {
    "declares 'mean' without a value. To keep an array, write arrays = ('mean',)": {
        "__annotations__": {"mean": np.ndarray}
    },
    "arrays of Wrong must be a tuple of names such as ('momentum',), not 'momentum'.": {"arrays": "momentum"},
    "cannot be called 'policy': every state already uses that name.": {"arrays": ["policy"]},
    "must take (self, t, latest, regrets, momentum), not (self, t, latest, regrets)": {
        "arrays": ("momentum",),
        "accumulate": Own.accumulate,
    },
    "must take (self, t, latest, regrets, policy), not (self, t, latest, regrets, policy, momentum)": {
        "recommend": Momentum.recommend
    },
    "must take (self, t, latest, regrets, updates, total), not (self, t, latest, regrets, total, updates)": {
        "arrays": ("updates", "total"),
        "accumulate": Remembering.accumulate,
    },
}


@pytest.mark.parametrize("sentence", MISDECLARED)
def test_misdeclared_arrays_are_refused(sentence):
    with pytest.raises(gb.errors.SettingError) as refusal:
        type("Wrong", (gb.RegretMinimiser,), {"name": "Wrong", **MISDECLARED[sentence]})
    assert sentence in str(refusal.value)


# --- Randomness -------------------------------------------------------------------------------------------------------


@njit
def compiled_noise():
    return normal()  # noqa: NPY002


def helper():
    return compiled_noise()


def noisy(noise):
    """Return a regret minimiser that calls ``noise``."""

    class Noisy(Own):
        name = "Noisy"

        def accumulate(self, t, latest, regrets):
            for a in range(len(regrets)):
                regrets[a] += latest[a] + noise()

    return Noisy


class NoisyAverage(Own):
    name = "NoisyAverage"

    def average(self, t):
        return np.random.random()  # noqa: NPY002


NOISES = {
    noisy(random.random): "accumulate() of Noisy draws random numbers",
    noisy(helper): "compiled_noise() of Noisy draws random numbers",
    noisy(lambda: np.random.rand()): "<lambda>() of Noisy draws random numbers",  # noqa: NPY002
    NoisyAverage: "average() of NoisyAverage draws random numbers",
}


@pytest.mark.parametrize("algorithm", NOISES)
def test_randomness_is_refused(algorithm):
    """Before anything is compiled, and also by classes that have a ``configured`` of their own."""
    calm = type("Calm", (algorithm,), {"configured": lambda self, game, iterations: self})
    for kind in (algorithm, calm):
        with pytest.raises(gb.errors.GameBenchError) as refusal:
            gb.solve("Kuhn", kind(), 10)
        assert NOISES[algorithm] in str(refusal.value)
    check = next(iter(checks_of(algorithm)))
    with pytest.raises(ConformanceError) as failure:
        check()
    assert NOISES[algorithm] in str(failure.value)


# --- What is wrong in the user's functions ----------------------------------------------------------------------------


class Faulty(gb.RegretMinimiser):
    """Works for twenty-nine iterations, longer than the rehearsal that compiles it."""

    name = "Faulty"
    fault: int = setting(whole(0, 5), "which mistake is made in iteration 30", default=0)

    def accumulate(self, t, latest, regrets):
        if t == 30 and self.fault == 1:
            raise ValueError("thirty")
        for a in range(len(regrets)):
            regrets[a] += latest[a]
            if t == 30 and self.fault == 2:
                regrets[a] = np.inf

    def recommend(self, t, latest, regrets, policy):
        for a in range(len(policy)):
            policy[a] = regrets[a]
            if t == 30 and self.fault == 3:
                policy[a] = np.nan
            if t == 30 and self.fault == 4:
                policy[a] = 1e308

    def average(self, t):
        return -1e6 if t == 30 and self.fault == 5 else 1.0


FAULTS = {
    1: "ValueError: thirty",
    2: "recommend() of Faulty must write numbers whose sum is finite.",  # regrets are what it writes
    3: "recommend() of Faulty must write numbers whose sum is finite.",
    4: "recommend() of Faulty must write numbers whose sum is finite.",
    5: "average() of Faulty must return finite numbers of at least 0.",
}


def test_a_mistake_stops_the_run_and_nothing_is_lost():
    """The state is as before the failed call, so the progress can be used."""
    for fault, sentence in FAULTS.items():
        with pytest.raises(gb.errors.RunError) as stopped:
            gb.solve("Kuhn", Faulty(fault=fault), 64)
        result = stopped.value.result
        at = result.state.iteration
        assert 0 < at < 30
        assert str(stopped.value).startswith(f"Faulty on 'Kuhn' stopped after iteration {at}: {sentence}")
        assert "\n" not in str(stopped.value)
        good = gb.solve("Kuhn", Faulty(), at)
        assert (result.policy.probabilities == good.policy.probabilities).all()
        assert (result.state.policy == good.state.policy).all()


class Careful(Own):
    """Uses a statement that Numba does not support."""

    name = "Careful"

    def recommend(self, t, latest, regrets, policy):
        with np.errstate(all="raise") as kept:
            policy[0] = len(kept)


class Formatting(Own):
    """Uses an expression that Numba does not support."""

    name = "Formatting"

    def recommend(self, t, latest, regrets, policy):
        policy[0] = len(f"{t:.3f}")


class Asking(Own):
    """Uses a hyper-parameter that it does not have."""

    name = "Asking"

    def recommend(self, t, latest, regrets, policy):
        policy[0] = self.temperature


UNCOMPILABLE = [
    (Asking, "Unknown attribute 'temperature' of type Numbers(", " (test_regret_minimiser.py, line "),
    (Formatting, "format spec in f-strings not supported yet", " (test_regret_minimiser.py, line "),
    (Careful, "The 'with (context manager) as (variable):' construct is not supported", ""),
]


def test_what_cannot_be_compiled_is_told_in_a_sentence():
    for algorithm, reason, place in UNCOMPILABLE:
        with pytest.raises(gb.errors.RunError) as refusal:
            gb.solve("Kuhn", algorithm(), 10)
        sentence = str(refusal.value)
        begin = f"{algorithm.name} on 'Kuhn' stopped after iteration 0: {algorithm.name} cannot be compiled: {reason}"
        assert sentence.startswith(begin)
        assert place in sentence
        assert sentence.endswith("." if not place else ").")
        assert "\n" not in sentence
        assert "nopython" not in sentence
        assert refusal.value.result.state.iteration == 0


# --- Elsewhere --------------------------------------------------------------------------------------------------------

INTERPRETED = f"""
import json
import gamebench as gb
from gamebench.core.settings import real, setting, whole, yes_or_no

{inspect.getsource(Own)}

game = gb.load_game("kuhn_poker")
result = gb.solve(game, Own(plus=True, scale=0.5, power=2), 6, iterates=["linear"])
print(json.dumps([result.policy.probabilities.tolist(), result.state.policy.tolist(), result.curve.last]))
"""


def test_it_works_with_the_compiler_switched_off():
    """Users can then set breakpoints."""
    command = [sys.executable, "-c", INTERPRETED]
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=HANG)
    assert done.returncode == 0, done.stderr
    average, current, last = json.loads(done.stdout)
    expected = gb.solve("kuhn_poker", "PCFR+", 6, scale=0.5, iterates=["linear"])
    assert np.abs(expected.policy.probabilities - average).max() <= 1e-12
    assert np.abs(expected.state.policy - current).max() <= 1e-12
    assert last["NashConv [linear]"] == pytest.approx(expected.curve.last["NashConv [linear]"], abs=1e-12)
