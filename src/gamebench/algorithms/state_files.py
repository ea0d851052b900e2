"""Files of states: arrays and JSON with a checksum and no code; a loaded state continues bit for bit."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gamebench.algorithms.algorithm import Algorithm, S, State
from gamebench.choices import ITERATES
from gamebench.errors import StateError, brief, file_errors_as
from gamebench.files import DamagedFileError, arrays_as_bytes, load_arrays, write_atomically
from gamebench.games.game import Game

FORMAT = "gamebench state 1"
MAX = 1e300
"""Upper bound of every counter."""


def save_state(path: str | os.PathLike[str], game: Game, algorithm: Algorithm, state: State) -> None:
    """Write a state to a file.

    ``algorithm`` must be the one that made the state, as configured for the game.

    Examples:
        >>> import gamebench as gb, tempfile
        >>> result = gb.solve("Kuhn", "CFR+", 10)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     gb.save_state(f"{folder}/kuhn.npz", result.game, result.algorithm, result.state)
        ...     gb.load_state(f"{folder}/kuhn.npz", result.game, result.algorithm).iteration
        10
    """
    metadata, arrays = pack_state(state)
    content = arrays_as_bytes({**state_identity(game, algorithm), **metadata}, arrays)
    with file_errors_as(StateError, f"The state cannot be written to {os.fspath(path)!r}"):
        write_atomically(Path(path), content)


def load_state(path: str | os.PathLike[str], game: Game, algorithm: Algorithm[S]) -> S:
    """Read a state that :func:`save_state` wrote for the same game and algorithm; see there for an example."""
    try:
        metadata, arrays = load_arrays(Path(path))
    except OSError as error:
        raise StateError(f"The state file {os.fspath(path)!r} cannot be read: {error.strerror}.") from error
    except DamagedFileError as error:
        raise StateError(f"The state cannot be loaded: {error}.") from error
    check_same(metadata, game, algorithm)
    try:
        return unpack_state(game, algorithm, metadata, arrays)
    except ValueError as error:
        raise StateError(f"The state in {os.fspath(path)!r} has {error}.") from error


def pack_state(state: State) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """Return a state as JSON and arrays."""
    values = {name: getattr(holder, attribute) for name, holder, attribute in _leaves(state)}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    counters = {name: value for name, value in values.items() if name not in arrays}
    return {"generator": state.generator.bit_generator.state, "counters": counters, "iterates": state.kept}, arrays


def _leaves(part: Any, prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    """Yield the name and the place of each array and counter; those of a part have names such as ``main.regrets``."""
    for one in fields(part):
        value = getattr(part, one.name, None)
        if is_dataclass(value):
            yield from _leaves(value, f"{prefix}{one.name}.")
        elif one.name != "generator":
            yield f"{prefix}{one.name}", part, one.name


def unpack_state(
    game: Game, algorithm: Algorithm[S], metadata: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]
) -> S:
    """Return the state that :func:`pack_state` packed; raise ``ValueError`` if it does not fit the algorithm.

    The algorithm's initial state defines the expected arrays, with shape and type, and the expected counters.
    """
    iterates = metadata.get("iterates")
    if not isinstance(iterates, list) or not {*map(str, iterates)} <= {*ITERATES}:
        raise ValueError(f"unknown iterates ({brief(iterates)})")
    without: Any = {"iterate": None}  # the state may keep another one than the algorithm reports
    state = replace(algorithm, **without).begin(game, 0, iterates)
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
    for name, holder, attribute in _leaves(state):
        if name in counters:
            setattr(holder, attribute, counters[name])
    _restore(state.generator, metadata.get("generator"))
    return state


def _check_names(given: Mapping[str, Any], expected: Mapping[str, Any], kind: str) -> None:
    for name in {**expected, **given}:
        if name not in given:
            raise ValueError(f"no {kind} {name!r}")
        if name not in expected:
            raise ValueError(f"an unknown {kind} {brief(name)}")


def _check_array(name: str, array: np.ndarray[Any, Any], own: np.ndarray[Any, Any]) -> None:
    """Check shape and type, and that all numbers are finite, unless the initial state has NaN or infinities itself."""
    if array.shape != own.shape:
        raise ValueError(f"an array {name!r} of shape {array.shape} instead of {own.shape}")
    if array.dtype != own.dtype:
        raise ValueError(f"an array {name!r} of type {array.dtype} instead of {own.dtype}")
    if own.dtype.kind in "fc" and np.isfinite(own).all() and not np.isfinite(array).all():
        raise ValueError(f"NaN or infinity in the array {name!r}")


def _check_counter(name: str, value: Any, own: Any, is_ours: bool) -> None:
    """Check the type and range of a counter; ``None`` may become anything, and users' counters may be negative."""
    kinds = (int, float) if type(own) in (int, float) and name != "seed" else (type(own),)
    is_wrong = own is not None and type(value) not in kinds
    if not is_wrong and type(value) in (int, float) and type(own) in (int, float) and abs(own) < math.inf:
        lowest = 0 if is_ours or name in ("seed", "seconds") else -MAX
        is_wrong = not lowest <= value <= MAX
    if is_wrong:
        raise ValueError(f"{brief(value)} as {name}")


def _restore(generator: np.random.Generator, state: Any) -> None:
    """Set the state of a generator after checking that it can have that state."""
    bits = generator.bit_generator
    try:
        bits.state = state
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        raise ValueError("no state of the random generator") from error
    if bits.state != state or not state["state"]["inc"] % 2 or state["has_uint32"] not in (0, 1):
        raise ValueError("a state of the random generator that it cannot have")


def check_same(given: Mapping[str, Any], game: Game, algorithm: Algorithm) -> None:
    """Raise unless a state with the given identity is one of the game and the algorithm.

    Identities leave out quiet settings that have their defaults. A side without an objective does not look for the best
    policy, so that there is nothing to compare, unless the algorithm itself uses the objective.
    """
    quiet = {setting.name: setting.default for setting in algorithm.settings() if setting.metadata["quiet"]}
    del quiet["iterate"]
    for name, value in {**quiet, **state_identity(game, algorithm)}.items():
        before = given.get(name, quiet.get(name))
        is_unused = name == "objective" and not algorithm.uses_objective and None in (before, value)
        if before != value and not is_unused:
            raise StateError(f"The state is of another {name}: {brief(before)}, not {brief(value)}.")


def state_identity(game: Game, algorithm: Algorithm) -> dict[str, Any]:
    """Return everything that must be equal for a state to be usable; any iterate that it keeps may be reported."""
    settings = {name: value for name, value in algorithm.description().items() if name != "iterate"}
    return {"format": FORMAT, "game": game.fingerprint, "algorithm": algorithm.name, **settings}
