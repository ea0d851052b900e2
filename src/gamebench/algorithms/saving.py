"""States in files: arrays and JSON with a checksum, no code; what is loaded goes on bit for bit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from gamebench.algorithms.algorithm import Algorithm, State
from gamebench.errors import StateError
from gamebench.files import DamagedFileError, load_arrays, save_arrays
from gamebench.games.game import Game

FORMAT = "gamebench state 1"


def save_state(path: str | os.PathLike[str], game: Game, algorithm: Algorithm, state: State) -> None:
    """Write a state; ``algorithm`` must be the one that it belongs to, as configured for the game."""
    metadata, arrays = pack_state(state)
    try:
        save_arrays(Path(path), {**_identity(game, algorithm), **metadata}, arrays)
    except OSError as error:
        raise StateError(f"The state cannot be written to {os.fspath(path)!r}: {error.strerror}.") from error


def load_state(path: str | os.PathLike[str], game: Game, algorithm: Algorithm) -> State:
    """Read what :func:`save_state` wrote for the same game and algorithm."""
    try:
        metadata, arrays = load_arrays(Path(path))
    except OSError as error:
        raise StateError(f"The state file {os.fspath(path)!r} cannot be read: {error.strerror}.") from error
    except DamagedFileError as error:
        raise StateError(f"The state cannot be loaded: {error}.") from error
    _check_identity(metadata, _identity(game, algorithm))
    try:
        return unpack_state(game, algorithm, metadata, arrays)
    except ValueError as error:
        raise StateError(f"The state in {os.fspath(path)!r} has {error}.") from error


def pack_state(state: State) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """A state as JSON and arrays."""
    values = {one.name: getattr(state, one.name) for one in fields(state) if one.name != "generator"}
    metadata = {
        "generator": state.generator.bit_generator.state,
        "counters": {name: value for name, value in values.items() if not isinstance(value, np.ndarray)},
    }
    return metadata, {name: value for name, value in values.items() if isinstance(value, np.ndarray)}


def unpack_state(
    game: Game, algorithm: Algorithm, metadata: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]
) -> State:
    """The state that :func:`pack_state` packed; ``ValueError`` with what is wrong if the arrays do not fit."""
    state = algorithm.start(game, seed=0)
    for name, array in arrays.items():
        if getattr(getattr(state, name, None), "shape", None) != array.shape:
            raise ValueError(f"an array {name!r} of shape {array.shape}")
        getattr(state, name)[...] = array
    for name, counter in metadata["counters"].items():
        setattr(state, name, counter)
    state.generator.bit_generator.state = metadata["generator"]
    return state


def check_same(game: Game, algorithm: Algorithm, other_game: Game, other_algorithm: Algorithm) -> None:
    """Raise unless a state of the first game and algorithm means the same for the others."""
    _check_identity(_identity(game, algorithm), _identity(other_game, other_algorithm))


def _check_identity(found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    for name, value in expected.items():
        if found.get(name) != value:
            raise StateError(f"The state is of another {name}: {found.get(name)!r}, not {value!r}.")


def _identity(game: Game, algorithm: Algorithm) -> dict[str, Any]:
    """What must be the same for a state to mean anything."""
    return {"format": FORMAT, "game": game.fingerprint, "algorithm": algorithm.name, **algorithm.description()}
