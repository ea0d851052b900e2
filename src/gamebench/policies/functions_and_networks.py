"""Agents: functions of a decision point, an OpenSpiel state or a batch of information-state tensors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np
import numpy.typing as npt

from gamebench.core.arrays import FloatArray
from gamebench.core.errors import FAILURES, PolicyError, brief, kind_and_text, where
from gamebench.core.settings import checked, yes_or_no
from gamebench.games.game import DecisionPoint, Game
from gamebench.policies.agent_answers import as_array, asked, is_action, is_table, located, row_of, without_array

Reads: TypeAlias = Literal["point", "state", "tensor"]
ABOUT_LOGITS = " If these are logits, apply a softmax over the legal actions; mask=True passes those to the function."
ASKED_TWICE = 20
"""Number of decision points at which a function that returns an action is called twice, to detect random play."""


@dataclass(frozen=True)
class Agent:
    """A function that plays, and the kind of argument it takes; made by :func:`agent`.

    Examples:
        >>> import gamebench as gb
        >>> caller = gb.agent(lambda state: 1, of="state")
        >>> round(gb.evaluate("kuhn_poker", caller, "NashConv"), 4)
        0.6667
    """

    function: Callable[..., Any]
    of: Reads = "point"
    batch: bool = False
    mask: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise PolicyError(
                f"An agent must be a function of decision points, states or tensors, not {brief(self.function)}."
            )
        if not isinstance(self.of, str) or self.of not in get_args(Reads):
            known = ", ".join(map(repr, get_args(Reads)))
            raise PolicyError(f"of= must be one of {known}, not {brief(self.of)}.")
        checked("batch", self.batch, yes_or_no, PolicyError)
        checked("mask", self.mask, yes_or_no, PolicyError)
        if self.mask and self.of != "tensor":
            raise PolicyError("mask= is only for functions of tensors; points and states list the legal actions.")

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        return self.function(*arguments)

    @property
    def name(self) -> str:
        """The function's name, for messages."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))


@overload
def agent(
    function: Callable[..., Any], /, *, of: Reads | None = None, batch: bool | None = None, mask: bool | None = None
) -> Agent: ...
@overload
def agent(
    *, of: Reads | None = None, batch: bool | None = None, mask: bool | None = None
) -> Callable[[Callable[..., Any]], Agent]: ...


def agent(
    function: Callable[..., Any] | None = None,
    /,
    *,
    of: Reads | None = None,
    batch: bool | None = None,
    mask: bool | None = None,
) -> Agent | Callable[[Callable[..., Any]], Agent]:
    """Declare what kind of argument a function that plays takes; also works as a decorator.

    Args:
        function: returns a mapping from actions to probabilities, a list of such pairs, a single action (played with
            certainty), or an array with one probability per action of the point. A function of states or tensors may
            instead return one probability per OpenSpiel action id. Actions are names or OpenSpiel ids. A function that
            returns random actions is refused; use :func:`estimate_policy` to sample it. If ``function`` is already an
            :class:`Agent`, only the arguments given here change.
        of: ``"point"`` for a :class:`DecisionPoint`; ``"state"`` for an OpenSpiel state (turn-based if moves are
            simultaneous); ``"tensor"`` for OpenSpiel's information-state tensors in single precision, from which it
            returns probabilities, not logits. By default, PyTorch networks take tensors and all other functions points.
        batch: whether the function takes all points, all states or all tensors ``(D, K)`` at once and returns one
            answer for each. By default, only functions of tensors do.
        mask: whether a function of tensors also takes the legal actions as a boolean array ``(D, A)``.

    Examples:
        >>> import gamebench as gb
        >>> @gb.agent(of="tensor", mask=True)
        ... def uniform(tensors, legal):
        ...     return legal / legal.sum(axis=1, keepdims=True)
        >>> gb.evaluate("Leduc", uniform, "NashConv") == gb.evaluate("Leduc", gb.uniform_policy("Leduc"), "NashConv")
        True
    """
    if function is None:
        return partial(agent, of=of, batch=batch, mask=mask)
    if isinstance(function, Agent):
        given: dict[str, Any] = {"of": of, "batch": batch, "mask": mask}
        return replace(function, **{name: value for name, value in given.items() if value is not None})
    if of is None:
        of = "tensor" if is_network(function) else "point"
    return Agent(function, of, of == "tensor" if batch is None else batch, False if mask is None else mask)


def is_network(value: object) -> bool:
    """Return whether a value is a PyTorch network, without importing PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def read_points(game: Game, player: Agent, players: Collection[int]) -> FloatArray:
    """Return the probabilities ``(S,)`` that a function of decision points assigns to these players' actions."""
    points = [point for point in game.decision_points if point.player in players]
    return _read(game, player, points, [(point,) for point in points], None)


def read_states(game: Game, player: Agent, players: Collection[int]) -> FloatArray:
    """Return the probabilities ``(S,)`` that a function of states or tensors assigns in a full game."""
    from gamebench.games.loading.openspiel import decision_states, information_tensors, original_game

    width = int(original_game(game.source).num_distinct_actions())
    found = [(point, state) for point, _, state in decision_states(game) if point.player in players]
    points = [point for point, _ in found]
    if player.of == "state":
        return _read(game, player, points, [(state,) for _, state in found], width)
    tensor_of = information_tensors(game)
    tensors = np.array([tensor_of(state, point.player) for point, state in found], dtype=np.float32)
    legal = np.zeros((len(points), width), dtype=np.bool_)
    for row, point in zip(legal, points, strict=True):
        row[list(game.labels.action_ids[point.sequences])] = True
    given = (tensors, legal) if player.mask else (tensors,)
    return _read(game, player, points, list(zip(*given, strict=True)), width, given)


def _read(
    game: Game,
    player: Agent,
    points: Sequence[DecisionPoint],
    arguments: list[tuple[Any, ...]],
    width: int | None,
    together: tuple[npt.NDArray[Any], ...] | None = None,
) -> FloatArray:
    """Call the agent for every point, one by one or in one batch."""
    probabilities = np.zeros(game.num_sequences)
    answers: Iterable[Any]
    if player.batch:
        answers = _all_at_once(game, player, points, together or ([given for (given,) in arguments],))
    else:
        answers = _one_by_one(game, player, points, arguments, width)
    advice = ABOUT_LOGITS if player.of == "tensor" else ""
    for point, answer in zip(points, answers, strict=True):
        row = probabilities[point.sequences] = row_of(game, point, answer, width, advice)
        if player.of == "tensor" and not abs(row.sum() - 1.0) < 1e-3:
            raise PolicyError(
                f"The probabilities of the legal actions {', '.join(point.actions)} are {row.round(4).tolist()} "
                f"{located(game, point)}; they must sum to 1.{advice}"
            )
    return probabilities


def _one_by_one(
    game: Game, player: Agent, points: Sequence[DecisionPoint], arguments: Iterable[tuple[Any, ...]], width: int | None
) -> Iterable[Any]:
    """Yield the answer at each point; at the first few that are answered with an action, ask twice."""
    failure, ask = f"{player.name} gives no probabilities", _asking(player)
    to_repeat = ASKED_TWICE
    for point, given in zip(points, arguments, strict=True):
        answer = asked(game, point, failure, ask, *given)
        if to_repeat and len(point.actions) > 1 and is_action(answer):
            to_repeat -= 1
            again = asked(game, point, failure, ask, *given)
            if (row_of(game, point, answer, width) != row_of(game, point, again, width)).any():
                raise PolicyError(
                    f"{player.name} plays at random: asked twice {located(game, point)}, it answers "
                    f"{brief(without_array(answer))} and {brief(without_array(again))}; return probabilities, or "
                    f"sample it with gb.estimate_policy(game, f, samples=...)."
                )
        yield answer


def _asking(player: Agent) -> Callable[..., Any]:
    """Return the function to call; states are copied first, because the agent may change them."""
    if is_network(player.function):
        return _on_network(player.function)
    if player.of == "state" and player.batch:
        return lambda states: player.function([state.clone() for state in states])
    if player.of == "state":
        return lambda state: player.function(state.clone())
    return player.function


def _all_at_once(game: Game, player: Agent, points: Sequence[DecisionPoint], given: tuple[Any, ...]) -> Iterable[Any]:
    """Call a function once for all points; return one answer for each."""
    if not points:
        return ()
    try:
        answers = _asking(player)(*given)
        if is_table(answers):
            raise TypeError("it must return a list or an array in the order of the points")
        answers = list(as_array(answers) if hasattr(answers, "shape") else answers)
    except FAILURES as error:
        raise PolicyError(
            f"{player.name} gives no probabilities for the {len(points)} decision points of {game.name!r}: "
            f"{kind_and_text(error)}{where(error)}."
        ) from error
    if len(answers) != len(points):
        raise PolicyError(
            f"{player.name} must return one answer for each of the {len(points)} decision points of {game.name!r}, not "
            f"{len(answers)} answers."
        )
    return answers


def _on_network(network: Any) -> Callable[..., Any]:
    """Return a function of arrays that evaluates a PyTorch network on its own device, without gradients."""
    torch = sys.modules["torch"]

    def evaluate_network(*arrays: Any) -> Any:
        own = next(iter(network.parameters()), None)
        place = {} if own is None else {"dtype": own.dtype, "device": own.device}
        tensors, *legal = arrays
        with torch.no_grad():
            masks = [torch.as_tensor(mask, device=place.get("device")) for mask in legal]
            return network(torch.as_tensor(tensors, **place), *masks)

    return evaluate_network
