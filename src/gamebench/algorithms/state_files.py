"""State files: arrays and JSON with a checksum, and no code. A loaded state continues bit for bit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gamebench.algorithms.algorithm import Algorithm, S, State
from gamebench.core.choices import ITERATES
from gamebench.core.errors import StateError, brief, file_errors_as, one_line
from gamebench.core.settings import checked, file_path
from gamebench.games.game import Game
from gamebench.games.names import as_game
from gamebench.system.files import DamagedFileError, load_arrays, save_arrays

FORMAT = "gamebench state 2"


def save_state(path: str | os.PathLike[str], game: Game | str, algorithm: Algorithm, state: State) -> None:
    """Write a state to a file.

    ``algorithm`` must be the one that made the state, as configured for the game, such as ``result.algorithm``.

    Examples:
        >>> import gamebench as gb, tempfile
        >>> result = gb.solve("Kuhn", "CFR+", 10)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     gb.save_state(f"{folder}/kuhn.npz", result.game, result.algorithm, result.state)
        ...     gb.load_state(f"{folder}/kuhn.npz", result.game, result.algorithm).iteration
        10
    """
    file, game = _checked(path, game, algorithm)
    if not isinstance(state, State):
        raise StateError(f"state must be the state of an algorithm, such as result.state, not {type(state).__name__}.")
    metadata, arrays = pack_state(state)
    with file_errors_as(StateError, f"The state cannot be written to {str(path)!r}"):
        save_arrays(file, {**state_identity(game, algorithm), **metadata}, arrays)


def load_state(path: str | os.PathLike[str], game: Game | str, algorithm: Algorithm[S]) -> S:
    """Read a state that :func:`save_state` wrote for the same game and algorithm; see there for an example."""
    file, game = _checked(path, game, algorithm)
    try:
        with file_errors_as(StateError, f"The state file {str(path)!r} cannot be read"):
            metadata, arrays = load_arrays(file)
    except DamagedFileError as error:
        raise StateError(f"The state cannot be loaded: {error}.") from error
    check_same(metadata, game, algorithm)
    try:
        return unpack_state(game, algorithm, metadata, arrays)
    except (ArithmeticError, ValueError, TypeError, LookupError) as error:
        what = f"The state in {str(path)!r} does not fit {algorithm.name}"
        raise StateError(f"{what}: {one_line(error)}.") from error


def _checked(path: object, game: Game | str, algorithm: object) -> tuple[Path, Game]:
    """Return the file and the game of a state; raise an error if an argument has the wrong type."""
    if not isinstance(algorithm, Algorithm):
        given = algorithm.__name__ if isinstance(algorithm, type) else brief(algorithm)
        raise StateError(f"algorithm must be the one that made the state, such as result.algorithm, not {given}.")
    return checked("path", path, file_path, StateError), as_game(game)


def pack_state(state: State) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """Return a state as JSON and arrays."""
    values = {name: getattr(holder, attribute) for name, holder, attribute in _leaves(state)}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    counters = {name: value for name, value in values.items() if name not in arrays}
    return {"generator": state.generator.bit_generator.state, "counters": counters, "iterates": state.kept}, arrays


def _leaves(part: Any, prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    """Yield the name and the place of each array and counter; nested ones have names such as ``main.regrets``."""
    for one in fields(part):
        value = getattr(part, one.name, None)
        if is_dataclass(value):
            yield from _leaves(value, f"{prefix}{one.name}.")
        elif one.name != "generator":
            yield f"{prefix}{one.name}", part, one.name


def unpack_state(
    game: Game, algorithm: Algorithm[S], metadata: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]
) -> S:
    """Return the state that :func:`pack_state` packed; raise an error if it does not fit the algorithm.

    The algorithm's initial state defines the expected arrays, with shape and type, and the expected counters.
    """
    iterates, counters = metadata["iterates"], metadata["counters"]
    if not {*iterates} <= {*ITERATES}:
        raise ValueError(f"it has unknown iterates ({brief(iterates)})")
    without: Any = {"iterate": None}  # the state may keep other iterates than the one reported
    state = replace(algorithm, **without).begin(game, 0, iterates)
    start, start_arrays = pack_state(state)
    _check_names(counters, start["counters"], "counter")
    _check_names(arrays, start_arrays, "array")
    for name, own in start_arrays.items():
        given = arrays[name]
        if (given.shape, given.dtype) != (own.shape, own.dtype):
            found, wanted = (f"shape {array.shape} and type {array.dtype}" for array in (given, own))
            raise ValueError(f"its array {name!r} has {found} instead of {wanted}")
        own[...] = given
    for name, holder, attribute in _leaves(state):
        if name in counters:
            setattr(holder, attribute, counters[name])
    state.generator.bit_generator.state = metadata["generator"]
    return state


def _check_names(given: Mapping[str, Any], expected: Mapping[str, Any], kind: str) -> None:
    for name in {**expected, **given}:
        if name not in given:
            raise ValueError(f"it has no {kind} {name!r}")
        if name not in expected:
            raise ValueError(f"it has an unknown {kind} {brief(name)}")


def check_same(given: Mapping[str, Any], game: Game, algorithm: Algorithm) -> None:
    """Raise unless ``given``, the :func:`state_identity` of a state, fits the game and the algorithm.

    It omits quiet settings at their defaults. If one of the two has no objective, it does not look for the best policy;
    objectives are then compared only if the algorithm itself uses one.
    """
    quiet = {setting.name: setting.default for setting in algorithm.settings() if setting.metadata["quiet"]}
    del quiet["iterate"]
    for name, value in {**quiet, **state_identity(game, algorithm)}.items():
        before = given.get(name, quiet.get(name))
        is_unused = name == "objective" and not algorithm.uses_objective and None in (before, value)
        if before != value and not is_unused:
            raise StateError(f"The state has another {name}: {brief(before)}, not {brief(value)}.")


def state_identity(game: Game, algorithm: Algorithm) -> dict[str, Any]:
    """Return everything that must match for a state to be usable; the iterate that is reported may differ."""
    settings = {name: value for name, value in algorithm.description().items() if name != "iterate"}
    return {"format": FORMAT, "game": game.fingerprint, "algorithm": algorithm.name, **settings}
