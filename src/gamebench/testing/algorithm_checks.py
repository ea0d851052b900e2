"""Questions to every registered algorithm."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gamebench.algorithms import Algorithm, State, pack_state, unpack_state
from gamebench.errors import GameBenchError
from gamebench.games.game import Game
from gamebench.policy import Policy
from gamebench.testing.conformance import ConformanceError, refuses_bad_settings, require, sample_games

ITERATIONS = 23
"""Length of each run; CMD updates its weights twice in it."""


def starts_at_a_policy(algorithm: type[Algorithm]) -> None:
    """Its initial state is at iteration 0 and has a valid policy."""
    for game, configured in _on_games(algorithm):
        state = configured.start(game, 0)
        require(isinstance(state, State), f"start() must return a gb.State, not {type(state).__name__}.")
        require(state.iteration == 0, f"start() must return a state at iteration 0, not {state.iteration}.")
        _check_policy(game, configured.policy(game, state))


def stays_a_policy(algorithm: type[Algorithm]) -> None:
    """Its policy stays valid, and its state counts the iterations."""
    for game, configured in _on_games(algorithm):
        state = configured.start(game, 0)
        for count in (1, 1, 3, ITERATIONS - 5):
            before = state.iteration
            configured.advance(game, state, count)
            counted = f"which went from {before} to {state.iteration}"
            message = f"advance() was to do {count} iterations and to count them in its state, {counted}."
            require(state.iteration == before + count, message)
            _check_policy(game, configured.policy(game, state))


def same_seed_same_bits(algorithm: type[Algorithm]) -> None:
    """The same seed gives the same bits."""
    for game, configured in _on_games(algorithm):
        _check_same(game, configured, _run(game, configured), "twice with the same seed")


def no_seed_matters(algorithm: type[Algorithm]) -> None:
    """It has no randomness, as it says, so the seed changes nothing."""
    for game, configured in _on_games(algorithm):
        _check_same(game, configured, _run(game, configured, 1), "with another seed, uses_seed being False,")


def pieces_do_not_matter(algorithm: Callable[[], Algorithm]) -> None:
    """All at once or step by step, it computes the same bits."""
    for game, configured in _on_games(algorithm):
        steps = configured.start(game, 0)
        for _ in range(ITERATIONS):
            configured.advance(game, steps, 1)
        _check_same(game, configured, steps, "step by step")


def resumes(algorithm: Callable[[], Algorithm]) -> None:
    """Saved and loaded in the middle, it continues bit for bit."""
    for game, configured in _on_games(algorithm):
        for middle in (0, 1, ITERATIONS // 2):
            begun = configured.start(game, 0)
            configured.advance(game, begun, middle)
            metadata, arrays = pack_state(begun)
            copies = {name: array.copy() for name, array in arrays.items()}
            resumed = unpack_state(game, configured, json.loads(_as_json(metadata)), copies)
            configured.advance(game, resumed, ITERATIONS - middle)
            _check_same(game, configured, resumed, f"after going on from iteration {middle}")


def is_data(algorithm: type[Algorithm]) -> None:
    """Its hyper-parameters survive a round trip through JSON."""
    for game, configured in _on_games(algorithm):
        described = configured.description()
        again = algorithm(**json.loads(json.dumps(described))).configured(game, ITERATIONS)
        require(again.description() == described, f"{described} comes back as {again.description()}.")


def _on_games(algorithm: Callable[[], Algorithm]) -> Iterator[tuple[Game, Algorithm]]:
    """Yield the sample games that the algorithm accepts; it may refuse some with a :class:`GameBenchError`."""
    is_accepted = False
    for game in sample_games():
        try:
            configured = algorithm().configured(game, ITERATIONS)
            configured.start(game, 0)
        except GameBenchError:
            continue
        is_accepted = True
        yield game, configured
    require(is_accepted, "it refuses all of the sample games.")


def _as_json(metadata: dict[str, Any]) -> str:
    try:
        return json.dumps(metadata)
    except TypeError as error:
        message = f"a field of its state is neither an array nor a number nor a text ({error}), so it cannot be saved."
        raise ConformanceError(message) from error


def _run(game: Game, algorithm: Algorithm, seed: int = 0) -> State:
    state: State = algorithm.start(game, seed)
    algorithm.advance(game, state, ITERATIONS)
    return state


def _check_same(game: Game, algorithm: Algorithm, state: State, how: str) -> None:
    """Require that ``state`` equals that of a plain run; ``how`` says how it was reached."""
    plain = _run(game, algorithm)
    same = np.array_equal(algorithm.policy(game, plain), algorithm.policy(game, state))
    require(same, f"run {how} on {game.name!r} it ends with another policy.")
    require(plain.evaluated == state.evaluated, f"run {how} on {game.name!r} it evaluates more or fewer policies.")


def _check_policy(game: Game, probabilities: Any) -> None:
    shape = np.shape(probabilities)
    require(shape == (game.num_sequences,), f"its policy has the shape {shape}, not ({game.num_sequences},).")
    Policy(game, probabilities)  # raises a PolicyError unless it is valid


def questions(algorithm: type[Algorithm]) -> list[Callable[[type[Algorithm]], None]]:
    """Return the questions to ``algorithm``."""
    return [
        starts_at_a_policy,
        stays_a_policy,
        same_seed_same_bits,
        pieces_do_not_matter,
        resumes,
        is_data,
        refuses_bad_settings,
        *([] if algorithm.uses_seed else [no_seed_matters]),
    ]
