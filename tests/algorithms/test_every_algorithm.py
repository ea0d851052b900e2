"""What holds for every registered algorithm, on every kind of game."""

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

import gamebench as gb
from gamebench.core.choices import ITERATES
from tests.patience import HANG

ODD_GAMES = {
    "one action each": gb.Game.from_payoffs(np.zeros((1, 1, 2))),
    "a single player": gb.Game.from_payoffs(np.array([[1.0], [2.0], [0.5]])),
    "five players": gb.Game.from_payoffs(np.random.default_rng(0).normal(size=(2,) * 5 + (5,))),
    "someone never moves": gb.load_game("kuhn_poker", focal=0),
    "many actions": gb.Game.from_payoffs(np.random.default_rng(1).normal(size=(100, 3, 2))),
    "huge payoffs": gb.Game.from_payoffs(1e6 * np.random.default_rng(2).normal(size=(3, 3, 2))),
}


def test_each_begins_with_the_uniform_policy_and_runs_on_the_fifteen_games():
    for name in gb.catalogue.PAPER_GAMES:
        game = gb.load_game(name)
        measure = gb.main_measure(game)
        start = gb.evaluate(game, gb.uniform_policy(game), measure)
        for algorithm in gb.algorithms.ALGORITHMS:
            curve = gb.solve(game, algorithm, 6).curve
            assert curve["iteration"].tolist() == [0, 1, 2, 4, 6]
            assert np.isfinite(curve[measure]).all()
            assert curve[measure][0] == pytest.approx(start, abs=1e-12), (name, algorithm)


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
def test_every_iterate_is_a_policy_on_odd_games(alternating):
    settings = {"objective": "SocialWelfare", "iterates": ITERATES, "iterate": "best", "alternating": alternating}
    for (kind, game), algorithm in product(ODD_GAMES.items(), gb.algorithms.ALGORITHMS):
        result = gb.solve(game, algorithm, 15, measures=["SocialWelfare"], **settings)
        assert np.isfinite(list(result.curve.last.values())).all(), (kind, algorithm)
        for iterate in (None, *ITERATES):
            gb.Policy(game, result.algorithm.policy(game, result.state, iterate))  # raises unless it is a policy


SOME_POLICIES = """
import sys
import numpy as np
import gamebench as gb
policies = {}
for name in gb.algorithms.ALGORITHMS:
    for alternating in (True, False):
        result = gb.solve("kuhn_poker", name, 6, alternating=alternating, iterates=["linear"])
        policies[f"{name} {alternating}"] = [
            result.algorithm.policy(result.game, result.state, name) for name in (None, "current", "linear")
        ]
"""


def test_compiled_code_computes_what_python_computes(tmp_path):
    """Kernels are Python functions; without the compiler they give the same policies."""
    compiled, path = {}, tmp_path / "policies.npz"
    exec(SOME_POLICIES, compiled)
    command = [sys.executable, "-c", f"{SOME_POLICIES}np.savez(sys.argv[1], **policies)", path]
    subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True, timeout=HANG)
    with np.load(path) as interpreted:
        assert len(interpreted) == 2 * len(gb.algorithms.ALGORITHMS)
        for title, policies in interpreted.items():
            assert np.abs(policies - compiled["policies"][title]).max() <= 1e-12, title


def test_every_convex_function_resumes_bit_for_bit():
    for formula in ("x^2", "-x^0.1", "e^x", "-ln x", "x^3", "x^1.5"):
        through, half = (gb.solve("Kuhn", "CMD", last, convex=formula) for last in (60, 33))
        resumed = gb.solve("Kuhn", "CMD", 60, convex=formula, state=half)
        assert (resumed.policy.probabilities == through.policy.probabilities).all()


def test_a_state_of_something_else_is_refused(tmp_path):
    path = tmp_path / "state.npz"
    gb.solve("Kuhn", "CFR", 5).save_state(path)
    for game, algorithm, iterations, settings, sentence in (
        ("Kuhn", "CFR+", 5, {}, "another algorithm: 'CFR', not 'CFR\\+'"),
        ("Leduc", "CFR", 5, {}, "another game"),
        ("Kuhn", "CFR", 5, {"alternating": False}, "has another alternating: True, not False"),
        ("Kuhn", "CFR", 3, {}, "at iteration 5 already, but the run ends at 3"),
        ("Kuhn", "CFR", 5, {"state": tmp_path / "none.npz"}, "cannot be read: No such file"),
    ):
        with pytest.raises(gb.errors.GameBenchError, match=sentence):
            gb.solve(game, algorithm, iterations, **{"state": path, **settings})
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(gb.errors.StateError, match="damaged"):
        gb.solve("Kuhn", "CFR", 5, state=path)
    with pytest.raises(gb.errors.StateError, match="cannot be written"):
        gb.solve("Kuhn", "CFR", 1).save_state(tmp_path / "no folder" / "state.npz")


def test_a_state_cannot_take_the_name_of_a_field_that_every_state_has():
    with pytest.raises(
        gb.errors.SettingError, match="Every state already has a field 'sums'; Totals must use another name"
    ):

        class Totals(gb.algorithms.State):
            sums: np.ndarray
