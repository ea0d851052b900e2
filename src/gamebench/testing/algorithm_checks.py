"""What everything that is registered as an algorithm does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gamebench.algorithms import Algorithm, State, pack_state, unpack_state
from gamebench.errors import GameBenchError
from gamebench.games.game import Game
from gamebench.policy import Policy
from gamebench.testing.check import ConformanceError, check_settings, require
from gamebench.testing.known import sample_games

ITERATIONS = 23
"""Of each run; CMD moves its weights twice in as many."""


def starts_at_a_policy(algorithm: type[Algorithm]) -> None:
    """Its state is a State, at iteration 0, with a policy."""
    for game, made in _on_games(algorithm):
        state = made.start(game, 0)
        require(isinstance(state, State), f"start() must return a gb.State, not {type(state).__name__}.")
        require(state.iteration == 0, f"start() must be before iteration 1, and the state is at {state.iteration}.")
        _check_policy(game, made.policy(game, state))


def stays_a_policy(algorithm: type[Algorithm]) -> None:
    """Its answer is a policy, and the iterations are counted, whenever one looks."""
    for game, made in _on_games(algorithm):
        state = made.start(game, 0)
        for count in (1, 1, 3, ITERATIONS - 5):
            before = state.iteration
            made.advance(game, state, count)
            require(
                state.iteration == before + count,
                f"advance() was to do {count} iterations and to count them in its state, which went from {before} to "
                f"{state.iteration}.",
            )
            _check_policy(game, made.policy(game, state))


def same_seed_same_bits(algorithm: type[Algorithm]) -> None:
    """The same seed gives the same bits."""
    for game, made in _on_games(algorithm):
        _check_same(game, made, _run(game, made), _run(game, made), "twice with the same seed")


def no_seed_matters(algorithm: type[Algorithm]) -> None:
    """As it says that it has no randomness, another seed changes nothing."""
    for game, made in _on_games(algorithm):
        _check_same(game, made, _run(game, made), _run(game, made, 1), "with another seed, uses_seed being False,")


def pieces_do_not_matter(algorithm: Callable[[], Algorithm]) -> None:
    """In one go or step by step: the same bits."""
    for game, made in _on_games(algorithm):
        steps = made.start(game, 0)
        for _ in range(ITERATIONS):
            made.advance(game, steps, 1)
        _check_same(game, made, _run(game, made), steps, "step by step")


def resumes(algorithm: Callable[[], Algorithm]) -> None:
    """Packed, written, read and unpacked in the middle, it goes on bit for bit."""
    for game, made in _on_games(algorithm):
        for middle in (0, 1, ITERATIONS // 2):
            begun = made.start(game, 0)
            made.advance(game, begun, middle)
            metadata, arrays = pack_state(begun)
            copies = {name: array.copy() for name, array in arrays.items()}
            resumed = unpack_state(game, made, json.loads(_as_json(metadata)), copies)
            made.advance(game, resumed, ITERATIONS - middle)
            _check_same(game, made, _run(game, made), resumed, f"after going on from iteration {middle}")


def is_data(algorithm: type[Algorithm]) -> None:
    """Its hyper-parameters become JSON and come back as the same algorithm."""
    for game, made in _on_games(algorithm):
        described = made.description()
        again = algorithm(**json.loads(json.dumps(described))).configured(game, ITERATIONS)
        require(again.description() == described, f"{described} comes back as {again.description()}.")


def refuses_bad_settings(algorithm: type[Algorithm]) -> None:
    """Bad hyper-parameters are refused in a sentence."""
    check_settings(algorithm)


def _on_games(algorithm: Callable[[], Algorithm]) -> Iterator[tuple[Game, Algorithm]]:
    """The sample games that it takes; refusing some in a sentence is its right."""
    taken = 0
    for game in sample_games():
        try:
            made = algorithm().configured(game, ITERATIONS)
            made.start(game, 0)
        except GameBenchError:
            continue
        taken += 1
        yield game, made
    require(taken, "it refuses all of the sample games.")


def _as_json(metadata: dict[str, Any]) -> str:
    try:
        return json.dumps(metadata)
    except TypeError as error:
        raise ConformanceError(
            f"a field of its state is neither an array nor a number nor a text ({error}), so that it cannot be kept."
        ) from error


def _run(game: Game, algorithm: Algorithm, seed: int = 0) -> State:
    state: State = algorithm.start(game, seed)
    algorithm.advance(game, state, ITERATIONS)
    return state


def _check_same(game: Game, algorithm: Algorithm, first: State, second: State, how: str) -> None:
    same = np.array_equal(algorithm.policy(game, first), algorithm.policy(game, second))
    require(same, f"run {how} on {game.name!r} it ends with another policy.")
    require(first.evaluated == second.evaluated, f"run {how} on {game.name!r} it evaluates more or fewer policies.")


def _check_policy(game: Game, probabilities: Any) -> None:
    shape = np.shape(probabilities)
    require(shape == (game.num_sequences,), f"its policy has the shape {shape}, not ({game.num_sequences},).")
    Policy(game, probabilities)  # raises a sentence unless it is one


def questions(algorithm: type[Algorithm]) -> list[Callable[[type[Algorithm]], None]]:
    """What to ask it."""
    always: list[Callable[[type[Algorithm]], None]] = [
        starts_at_a_policy,
        stays_a_policy,
        same_seed_same_bits,
        pieces_do_not_matter,
        resumes,
        is_data,
        refuses_bad_settings,
    ]
    return always if algorithm.uses_seed else [*always, no_seed_matters]
