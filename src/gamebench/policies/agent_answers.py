"""Conversion of an agent's answer at a decision point into probabilities of the point's actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from gamebench.core.arrays import FloatArray
from gamebench.core.errors import FAILURES, PolicyError, brief, kind_and_text, shortened, where
from gamebench.games.game import DecisionPoint, Game
from gamebench.policies.policy import TOLERANCE


def located(game: Game, point: DecisionPoint) -> str:
    """Return the location of an error, for use in a message."""
    return f"at the information state {shortened(point.information_state)} of player {point.player} in {game.name!r}"


def asked(game: Game, point: DecisionPoint, failure: str, ask: Callable[..., Any], *arguments: Any) -> Any:
    """Ask a user's code for its answer at a decision point; anything it raises becomes a :class:`PolicyError`.

    ``failure`` begins the message, for example "The agent failed to act".
    """
    try:
        return ask(*arguments)
    except FAILURES as error:
        is_of_state = isinstance(error, AttributeError) and isinstance(error.obj, DecisionPoint)
        hint = '; if f takes an OpenSpiel state, wrap it as gb.agent(f, of="state")' if is_of_state else ""
        raise PolicyError(f"{failure} {located(game, point)}: {kind_and_text(error)}{where(error)}{hint}.") from error


def row_of(game: Game, point: DecisionPoint, answer: Any, width: int | None = None, advice: str = "") -> FloatArray:
    """Return the probabilities ``(A,)`` of the point's actions; whether they sum to 1 is checked later.

    Args:
        game: the game.
        point: where the answer was given.
        answer: a mapping, or a list of pairs, from actions to probabilities (missing actions have probability 0); a
            single action, played with certainty; or an array with one probability for each action of the point, or for
            each of ``width`` OpenSpiel action ids. Actions are names or OpenSpiel ids.
        width: the number of OpenSpiel action ids, if an answer may be an array indexed by them.
        advice: a sentence to add if an illegal action has a positive probability.
    """
    ids = game.labels.action_ids[point.sequences]
    values = None if is_table(answer) else as_numbers(answer)
    if values is not None and np.isnan(values).any():
        raise PolicyError(f"The probabilities contain NaN {located(game, point)}: {brief(values.tolist())}.")
    if values is not None and values.shape == (len(ids),):
        return values.astype(np.float64)
    indices: dict[Any, int] = {
        action: index for index, pair in enumerate(zip(point.actions, ids, strict=True)) for action in pair
    }
    row, named = np.zeros(len(ids)), set[int]()
    pairs = enumerate(values) if values is not None and values.shape == (width,) else _pairs(game, point, answer)
    for action, probability in pairs:
        index = indices.get(action) if isinstance(action, str | Real) else None
        value = as_numbers(probability)
        if value is None or value.size != 1:
            raise PolicyError(
                f"The probability of {brief(action)} must be a number, not {brief(probability)}, "
                f"{located(game, point)}."
            )
        if np.isnan(value.item()):
            raise PolicyError(f"The probability of {brief(action)} is NaN {located(game, point)}.")
        if index in named:
            raise PolicyError(f"The action {brief(action)} has two probabilities {located(game, point)}.")
        if index is not None:
            row[index] = value.item()
            named.add(index)
        elif not abs(value.item()) <= TOLERANCE:  # a softmax may leave tiny weights on masked actions
            legal = ", ".join(f"{name!r} ({each})" for name, each in zip(point.actions, ids, strict=True))
            raise PolicyError(
                f"The illegal action {brief(action)} has probability {value.item():g} {located(game, point)}; the "
                f"legal actions are {legal}.{advice}"
            )
    return row


def _pairs(game: Game, point: DecisionPoint, answer: Any) -> Iterable[tuple[Any, Any]]:
    """Return the (action, probability) pairs of an answer that names its actions."""
    if is_action(answer):
        return [(without_array(answer), 1.0)]
    if is_table(answer):
        return [(without_array(action), probability) for action, probability in answer.items()]
    if isinstance(answer, list | tuple) and any(isinstance(pair, list | tuple) for pair in answer):
        if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in answer):
            raise PolicyError(f"Expected (action, probability) pairs {located(game, point)}, got {brief(answer)}.")
        return [(without_array(action), probability) for action, probability in answer]
    raise PolicyError(
        f"Expected probabilities of {', '.join(point.actions)} {located(game, point)}, got {brief(answer)}."
    )


def is_action(answer: object) -> bool:
    """Return whether an answer is a single action, by name or OpenSpiel id."""
    answer = without_array(answer)
    return isinstance(answer, str | int) and not isinstance(answer, bool)


def is_table(value: object) -> bool:
    """Return whether a value is keyed (a mapping or a pandas Series), so that its order does not matter."""
    has_keys = callable(getattr(value, "keys", None)) and callable(getattr(value, "items", None))
    return has_keys and not isinstance(value, type)


def without_array(value: Any) -> Any:
    """Return the content of a zero-dimensional array or tensor, such as ``np.array(1)``; other values unchanged."""
    return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value


def as_array(values: Any) -> npt.NDArray[Any]:
    """Convert a list, or a NumPy, PyTorch or JAX array, to a NumPy array."""
    for method in ("detach", "cpu", "numpy"):  # PyTorch: tensors may need gradients or be on a GPU
        values = getattr(values, method)() if hasattr(values, method) else values
    return np.asarray(values)


def as_numbers(values: Any) -> npt.NDArray[Any] | None:
    """Convert real numbers (NumPy, PyTorch, JAX or plain Python) to an array; ``None`` for anything else."""
    try:
        numbers = as_array(values)
        if numbers.dtype.kind in "biuf":
            return numbers
        return numbers.astype(np.float64) if all(isinstance(number, Real) for number in numbers.flat) else None
    except FAILURES:  # some tensors cannot be converted
        return None
