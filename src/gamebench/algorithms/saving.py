"""States in files: arrays and JSON with a checksum, no code; what is loaded goes on bit for bit."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from gamebench.algorithms.algorithm import Algorithm, State
from gamebench.errors import StateError, brief
from gamebench.files import DamagedFileError, load_arrays, save_arrays
from gamebench.games.game import Game

FORMAT = "gamebench state 1"
MAX = 1e300
"""Whatever is counted stays below this."""


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
    """The state that :func:`pack_state` packed; ``ValueError`` with what is wrong if this is none of the algorithm.

    A state at its start says what belongs to it: which arrays, of what shape and type, and which numbers and texts.
    """
    state = algorithm.start(game, seed=0)
    start, start_arrays = pack_state(state)
    _check_names(arrays, start_arrays, "array")
    for name, own in start_arrays.items():
        _check_array(name, arrays[name], own)
    counters = metadata.get("counters")
    if not isinstance(counters, dict):
        raise ValueError("no counters")
    _check_names(counters, start["counters"], "counter")
    is_ours = type(state).__module__.startswith("gamebench.")
    for name, own in start["counters"].items():
        _check_counter(name, counters[name], own, is_ours)
    if (arrays["counts"] < 0).any():
        raise ValueError(f"negative counts ({brief(arrays['counts'].tolist())})")
    for name, own in start_arrays.items():
        own[...] = arrays[name]
    for name, counter in counters.items():
        setattr(state, name, counter)
    _restore(state.generator, metadata.get("generator"))
    return state


def _check_names(found: Mapping[str, Any], expected: Mapping[str, Any], kind: str) -> None:
    for name in expected:
        if name not in found:
            raise ValueError(f"no {kind} {name!r}")
    for name in found:
        if name not in expected:
            raise ValueError(f"an unknown {kind} {brief(name)}")


def _check_array(name: str, array: np.ndarray[Any, Any], own: np.ndarray[Any, Any]) -> None:
    """Of the shape and type of the start's; and without NaN or infinities, unless the algorithm begins with such."""
    if array.shape != own.shape:
        raise ValueError(f"an array {name!r} of shape {array.shape} instead of {own.shape}")
    if array.dtype != own.dtype:
        raise ValueError(f"an array {name!r} of type {array.dtype} instead of {own.dtype}")
    if own.dtype.kind in "fc" and np.isfinite(own).all() and not np.isfinite(array).all():
        raise ValueError(f"NaN or infinity in the array {name!r}")


def _check_counter(name: str, value: Any, own: Any, is_ours: bool) -> None:
    """Of the start's kind; what begins as ``None`` may be anything, and users may count down, too."""
    kinds = (int, float) if type(own) in (int, float) and name != "seed" else (type(own),)
    is_wrong = own is not None and type(value) not in kinds
    if not is_wrong and type(value) in (int, float) and type(own) in (int, float) and abs(own) < math.inf:
        lowest = 0 if is_ours or name in ("seed", "seconds") else -MAX
        is_wrong = not lowest <= value <= MAX
    if is_wrong:
        raise ValueError(f"{brief(value)} as {name}")


def _restore(generator: np.random.Generator, state: Any) -> None:
    """Give a generator a state that is one of its kind."""
    bits = generator.bit_generator
    try:
        bits.state = state
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        raise ValueError("no state of the random generator") from error
    if bits.state != state or not state["state"]["inc"] % 2 or state["has_uint32"] not in (0, 1):
        raise ValueError("a state of the random generator that it cannot have")


def check_same(game: Game, algorithm: Algorithm, other_game: Game, other_algorithm: Algorithm) -> None:
    """Raise unless a state of the first game and algorithm means the same for the others."""
    _check_identity(_identity(game, algorithm), _identity(other_game, other_algorithm))


def _check_identity(found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    for name, value in expected.items():
        if found.get(name) != value:
            raise StateError(f"The state is of another {name}: {brief(found.get(name))}, not {brief(value)}.")


def _identity(game: Game, algorithm: Algorithm) -> dict[str, Any]:
    """What must be the same for a state to mean anything."""
    return {"format": FORMAT, "game": game.fingerprint, "algorithm": algorithm.name, **algorithm.description()}
