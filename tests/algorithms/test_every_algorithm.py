"""What holds for whatever is registered as an algorithm, on every kind of game."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gamebench as gb
from gamebench.choices import ITERATES
from tests.patience import HANG

ROOT = Path(__file__).parents[2]
ODD_GAMES = {
    "one action each": gb.Game.from_payoffs(np.zeros((1, 1, 2))),
    "a single player": gb.Game.from_payoffs(np.array([[1.0], [2.0], [0.5]])),
    "five players": gb.Game.from_payoffs(np.random.default_rng(0).normal(size=(2,) * 5 + (5,))),
    "someone never moves": gb.load_game("kuhn_poker", focal=0),
    "many actions": gb.Game.from_payoffs(np.random.default_rng(1).normal(size=(100, 3, 2))),
    "huge payoffs": gb.Game.from_payoffs(1e6 * np.random.default_rng(2).normal(size=(3, 3, 2))),
}


@pytest.mark.parametrize("algorithm", gb.ALGORITHMS)
def test_it_runs_on_the_fifteen_games(algorithm):
    for name in gb.CATALOG:
        result = gb.solve(name, algorithm, 12)
        curve, measure = result.curve, gb.main_measure(result.game)
        assert curve["iteration"].tolist() == [0, 1, 2, 4, 8, 12]
        assert np.isfinite(curve[measure]).all()
        start = gb.evaluate(result.game, gb.uniform_policy(result.game), measure)
        assert curve[measure][0] == pytest.approx(start, abs=1e-12)


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize("algorithm", gb.ALGORITHMS)
def test_every_iterate_is_a_policy_on_odd_games(algorithm, alternating):
    settings = {"objective": "SocialWelfare", "iterates": ITERATES, "iterate": "best", "alternating": alternating}
    for kind, game in ODD_GAMES.items():
        result = gb.solve(game, algorithm, 30, measures=["SocialWelfare"], **settings)
        assert np.isfinite(list(result.curve.last.values())).all(), kind
        for iterate in (None, *ITERATES):
            gb.Policy(game, result.algorithm.policy(game, result.state, iterate))  # raises unless it is a policy


SOME_POLICIES = """
import sys
import numpy as np
import gamebench as gb
policies = {}
for name in gb.ALGORITHMS:
    for alternating in (True, False):
        result = gb.solve("kuhn_poker", name, 12, alternating=alternating, iterates=["linear"])
        policies[f"{name} {alternating}"] = [
            result.algorithm.policy(result.game, result.state, name) for name in (None, "current", "linear")
        ]
"""


def test_compiled_code_computes_what_python_computes(tmp_path):
    """The kernels are Python, too; without the compiler they give the same policies."""
    compiled, path = {}, tmp_path / "policies.npz"
    exec(SOME_POLICIES, compiled)
    command = [sys.executable, "-c", f"{SOME_POLICIES}np.savez(sys.argv[1], **policies)", path]
    subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True, timeout=HANG)
    with np.load(path) as interpreted:
        assert len(interpreted) == 2 * len(gb.ALGORITHMS)
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
    with pytest.raises(gb.StateError, match="another algorithm: 'CFR', not 'CFR\\+'"):
        gb.solve("Kuhn", "CFR+", 5, state=path)
    with pytest.raises(gb.StateError, match="another game"):
        gb.solve("Leduc", "CFR", 5, state=path)
    with pytest.raises(gb.StateError, match=r"is of another alternating: True, not False"):
        gb.solve("Kuhn", "CFR", 5, state=path, alternating=False)
    with pytest.raises(gb.SettingError, match="at iteration 5, beyond the last one, 3"):
        gb.solve("Kuhn", "CFR", 3, state=path)
    with pytest.raises(gb.StateError, match="cannot be read: No such file"):
        gb.solve("Kuhn", "CFR", 5, state=tmp_path / "none.npz")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(gb.StateError, match="damaged"):
        gb.solve("Kuhn", "CFR", 5, state=path)
    with pytest.raises(gb.StateError, match="cannot be written"):
        gb.solve("Kuhn", "CFR", 1).save_state(tmp_path / "no folder" / "state.npz")


def test_a_state_cannot_take_the_name_of_a_field_that_every_state_has():
    with pytest.raises(gb.SettingError, match="Every state has a field 'sums'; Totals must call its own another way"):

        class Totals(gb.State):
            sums: np.ndarray


OWN_ALGORITHMS = """
import gamebench as gb
from gamebench.settings import real, setting

class Mine(gb.State):
    total: float = 0.0

@gb.register_algorithm
class Plain(gb.Algorithm):
    name = "Plain"
    rate: float = setting(real(0), "how fast it learns", default=0.2)
    def start(self, game: gb.Game, seed: int) -> Mine:
        return Mine(seed=seed, policy=gb.uniform_policy(game).probabilities)
    def advance(self, game: gb.Game, state: Mine, iterations: int) -> None:
        state.total += iterations

class WithItsState(gb.Algorithm[Mine]):
    name = "WithItsState"
    def start(self, game: gb.Game, seed: int) -> Mine:
        return Mine(seed=seed, policy=gb.uniform_policy(game).probabilities)
    def advance(self, game: gb.Game, state: Mine, iterations: int) -> None:
        state.total += iterations

game = gb.load_game("Kuhn")
total: float = WithItsState().start(game, 0).total
gb.solve(game, Plain(rate=0.5), 10)
gb.CFR().advance(game, WithItsState().start(game, 0), 1)  # the only mistake
"""


@pytest.mark.slow
def test_a_type_checker_knows_the_state_of_an_algorithm(tmp_path, monkeypatch):
    """With the cache of ``make check``, which has seen everything but this file."""
    from mypy import api

    monkeypatch.chdir(ROOT)

    file = tmp_path / "own.py"
    file.write_text(OWN_ALGORITHMS)
    found, _, _ = api.run(["--strict", str(file)])
    [mistake, summary] = found.splitlines()
    assert 'has incompatible type "Mine"; expected "RegretState"' in mistake
    assert summary.startswith("Found 1 error")
