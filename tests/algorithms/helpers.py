"""Running algorithms one iteration at a time, their games as the naive oracles see them, and algorithms in Python."""

from collections.abc import Iterator
from functools import cache

import numpy as np
from hypothesis import strategies as st

import gamebench as gb
from gamebench.core.settings import real, setting
from gamebench.games.loading.openspiel import original_game
from tests.helpers import game_of
from tests.oracles.naive_learning import LearningGame
from tests.oracles.random_games import efg_games, random_efg

RANDOM = "a random game of three players"


@cache
def load(name: str) -> gb.Game:
    """A game by its name, which may be ``RANDOM``."""
    if name == RANDOM:
        return game_of(random_efg(1, players=3, max_depth=8, max_nodes=150), RANDOM)
    return gb.load_game(name)


def policies(game: gb.Game, algorithm: gb.Algorithm, iterations: int, seed: int = 0) -> Iterator[np.ndarray]:
    """The reported policy after each iteration."""
    algorithm = algorithm.configured(game, iterations)
    state = algorithm.start(game, seed)
    for _ in range(iterations):
        algorithm.advance(game, state, 1)
        yield algorithm.policy(game, state).copy()


def begun(
    game: gb.Game | str, iterations: int = 0, **hyperparameters
) -> tuple[gb.algorithms.CRD, gb.Game, gb.algorithms.State]:
    """CRD after some iterations of a run."""
    game = gb.load_game(game) if isinstance(game, str) else game
    algorithm = gb.algorithms.CRD(**hyperparameters).configured(game, 1000)
    state = algorithm.begin(game, 0)
    algorithm.proceed(game, state, iterations)
    return algorithm, game, state


def learning_game(name: str) -> tuple[gb.Game, LearningGame]:
    """One of the fifteen, and the same for the oracle."""
    entry = gb.catalogue.PAPER_GAMES[name]
    game = gb.load_game(name)
    plain = game.focus.full_game if game.focus is not None else game
    return game, LearningGame(original_game(plain.source), entry.focal, entry.teams)


@st.composite
def random_games(draw, **shape) -> tuple[gb.Game, LearningGame]:
    """A small random game, and the same for the oracle."""
    game = game_of(draw(efg_games(**shape)))
    return game, LearningGame(original_game(game.source))


def as_row(game: gb.Game, table, focal: int | None = None) -> np.ndarray:
    """An oracle's policy as an array in our order."""
    values = np.empty(game.num_sequences)
    for point in game.decision_points:
        row = table[point.player if focal is None else focal, point.information_state]
        ids = game.labels.action_ids[point.sequences]
        values[point.sequences] = [float(row[action]) for action in ids]
    return values


class Hedge(gb.Algorithm):
    """Multiplicative weights in Python, which keeps no averages itself."""

    name = "Hedge"
    uses_seed = False
    rate: float = setting(real(0), "how fast it learns", default=1.0)

    def start(self, game, seed):
        return gb.algorithms.State(seed=seed, policy=np.array(gb.uniform_policy(game).probabilities))

    def advance(self, game, state, iterations):
        firsts = game.sequence_form.first_sequences
        for _ in range(iterations):
            q, _ = gb.action_values(game, gb.Policy(game, state.policy))
            weights = state.policy * np.exp(self.rate * q)
            state.policy[:] = weights / np.repeat(np.add.reduceat(weights, firsts[:-1]), np.diff(firsts))
            state.count(1)


class AveragingState(gb.algorithms.State):
    total: np.ndarray


class Averaging(Hedge):
    """Reports its own kind of average, which has no name."""

    name = "Averaging"

    def start(self, game, seed):
        policy = np.array(gb.uniform_policy(game).probabilities)
        return AveragingState(seed=seed, policy=policy, total=policy.copy())

    def advance(self, game, state, iterations):
        for _ in range(iterations):
            super().advance(game, state, 1)
            state.total += state.policy

    def published(self, game, state):
        return state.total / (1 + state.iteration)
