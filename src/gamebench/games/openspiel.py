"""OpenSpiel: the only module that imports it. Loads its games, walks their trees into arrays, exports policies.

The tree is walked once, depth first. On the way every decision point gets a number when it is first seen, and two
assumptions of the sequence form are checked at every later visit: that the player did the same things before
(perfect recall) and that the same actions are legal.
"""

from __future__ import annotations

import math
import os
import random
import re
import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gamebench.errors import (
    GameError,
    GameFileError,
    GameTooLargeError,
    ImperfectRecallError,
    NoInformationStatesError,
    PolicyError,
    UnknownNameError,
)
from gamebench.games.game import Game, Labels, Source, each_alone
from gamebench.games.tree import FloatArray, Tree

if TYPE_CHECKING:
    import pyspiel
    from open_spiel.python.policy import TabularPolicy

Progress = Callable[[int, float], None]
"""Called now and then with the number of histories walked and an estimate of how many there are."""

LOOK_EVERY = 16_384
"""Histories walked between two reports of progress."""
HOPELESS = 10
"""A game that seems to be this many times larger than the budget is refused without a walk."""
LONGEST_PROBE = 1_000
"""Moves after which a random walk is given up."""
LARGEST_TEXT = 1 << 30
"""Characters of information states that a game may have before it counts as too large."""


def open_spiel_version() -> str:
    """The version of the installed OpenSpiel, without importing it."""
    return version("open_spiel")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep OpenSpiel from printing its exceptions to stderr: they reach the user as ours."""
    sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # no stderr at all
        yield
        return
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(silence)


def _one_line(error: Exception) -> str:
    """OpenSpiel's message without the path of its C++ file and without line breaks."""
    text = re.sub(r"^\S*open_spiel/\S+:\d+\s*", "", str(error).strip())
    return " ".join(text.split())[:200].rstrip(".")


def _shortened(information_state: str) -> str:
    """An information state for an error message: some fill a page."""
    return repr(information_state if len(information_state) <= 80 else f"{information_state[:80]}...")


def registered_games() -> list[str]:
    """Short names of the games that OpenSpiel knows."""
    import pyspiel

    return list(pyspiel.registered_names())


def original_game(source: Source, payoffs: FloatArray | None = None) -> pyspiel.Game:
    """OpenSpiel's own game, turn-based; ``payoffs`` of shape ``(A_1, ..., A_N, N)`` for a source of that kind."""
    import pyspiel

    if source.kind == "efg":
        game = _load_efg(source.text)
    elif source.kind == "payoffs":
        assert payoffs is not None
        game = pyspiel.create_tensor_game(list(np.moveaxis(payoffs, -1, 0)))
    else:
        game = _load_string(source.text)
    return _turn_based(game, source)


def _load_string(text: str) -> pyspiel.Game:
    import pyspiel

    name = text.split("(")[0].strip()
    if name.startswith("python_") and name not in pyspiel.registered_names():
        with _quiet():
            import_module("open_spiel.python.games")
    if name not in pyspiel.registered_names():
        raise UnknownNameError("game", name, pyspiel.registered_names())
    try:
        with _quiet():
            return pyspiel.load_game(text)
    except Exception as error:  # pyspiel raises whatever the game's constructor does
        raise GameError(f"OpenSpiel cannot load the game {text!r}: {_one_line(error)}.") from error


def _load_efg(text: str) -> pyspiel.Game:
    import pyspiel

    try:
        with _quiet():
            return pyspiel.load_efg_game(text)
    except Exception as error:
        raise GameFileError(f"OpenSpiel cannot read it as an extensive-form game: {_one_line(error)}.") from error


def _turn_based(game: pyspiel.Game, source: Source) -> pyspiel.Game:
    import pyspiel

    kind = game.get_type()
    name = source.text if source.kind == "open_spiel" else source.kind
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise GameError(f"{name!r} is a mean-field game; only games with finitely many players can be loaded.")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise GameError(f"{name!r} samples its chance events and cannot list them; such games cannot be loaded.")
    if not kind.provides_information_state_string:
        raise NoInformationStatesError(
            f"{name!r} has no information state strings, so what its players know cannot be told; load a game that has."
        )
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(game)
    return game


def ingredients(game: pyspiel.Game) -> list[str] | None:
    """All that could change the game beside OpenSpiel's version, or ``None`` where that cannot be known.

    A game written in Python may change without notice. A parameter may name a file, whose content counts.
    """
    import pyspiel

    if type(game) is not pyspiel.Game:
        return None
    found = [str(game)]
    for value in game.get_parameters().values():
        if isinstance(value, str) and Path(value).is_file():
            found.append(Path(value).read_bytes().hex())
        elif isinstance(value, dict):  # a game inside a game
            inner = dict(value)
            parts = ingredients(pyspiel.load_game(inner.pop("name"), inner))
            if parts is None:
                return None
            found += parts
    return found


def estimate_histories(original: pyspiel.Game, enough: float = math.inf, probes: int = 100) -> float:
    """Knuth's estimate of the size of a tree: the mean over random walks of 1 + b_1 + b_1 b_2 + ...

    Stops as soon as the mean of all probes is sure to exceed ``enough``.
    """
    rng = random.Random(0)
    total = 0.0
    for probe in range(1, probes + 1):
        state, product = original.new_initial_state(), 1.0
        for _ in range(LONGEST_PROBE):
            total += product
            if state.is_terminal():
                break
            actions = state.legal_actions()
            product *= len(actions)
            state.apply_action(rng.choice(actions))
        if total > enough * probes:
            return total / probe
    return total / probes


class _Player:
    """Decision points of one player in the order of discovery, sequences numbered within the player."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}
        self.parents: list[int] = []
        self.firsts: list[int] = [0]
        self.actions: list[list[int]] = []
        self.action_names: list[str] = []

    def add(self, key: str, parent: int, actions: list[int], names: list[str]) -> int:
        self.index[key] = point = len(self.parents)
        self.parents.append(parent)
        self.actions.append(actions)
        self.firsts.append(self.firsts[-1] + len(actions))
        if len(set(names)) < len(names):
            names = [f"{name} ({action})" for name, action in zip(names, actions, strict=True)]
        self.action_names += [sys.intern(name) for name in names]
        return point

    def names(self, point: int) -> list[str]:
        return self.action_names[self.firsts[point] : self.firsts[point + 1]]


def _names(state: Any, actions: list[int]) -> list[str]:
    return [state.action_to_string(action) for action in actions]


def flatten(
    original: pyspiel.Game, name: str, source: Source, max_histories: int, progress: Progress | None = None
) -> Game:
    """Walk the whole tree of a turn-based OpenSpiel game and return it as arrays."""
    players = [_Player() for _ in range(original.num_players())]
    chance, returns, last = array("d"), array("d"), array("i")
    try:
        histories = _walk(original, name, players, chance, returns, last, max_histories, progress)
    except (GameError, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:  # whatever the game's own code does while it is played
        raise GameError(f"OpenSpiel failed while {name!r} was played: {_one_line(error)}.") from error
    return _assemble(name, source, players, chance, returns, last, histories)


def _walk(
    original: pyspiel.Game,
    name: str,
    players: list[_Player],
    chance: array[float],
    returns: array[float],
    last: array[int],
    max_histories: int,
    progress: Progress | None,
) -> int:
    """Depth-first walk; fills ``players`` and the three arrays of terminals and returns the number of histories.

    ``-1`` stands for the empty sequence. This loop is the whole cost of loading a game: it avoids every call that
    it can.
    """
    expected = estimate_histories(original, enough=HOPELESS * max_histories)
    if expected > HOPELESS * max_histories:
        raise too_large(name, expected, max_histories)
    # OpenSpiel's reader of .efg files sorts the numbers of a node's actions but not their names, so that there only the
    # names tell whether two histories have the same actions.
    by_name = original.get_type().short_name == "efg_game"
    histories, next_look, text = 0, min(LOOK_EVERY, max_histories), 0
    stack: list[tuple[Any, tuple[int, ...], float]] = [(original.new_initial_state(), (-1,) * len(players), 1.0)]
    while stack:
        state, sequences, reach = stack.pop()
        histories += 1
        player = state.current_player()
        if player >= 0:
            key = state.information_state_string()
            actions = state.legal_actions()
            owner = players[player]
            point = owner.index.get(key)
            if point is None:
                if not actions or len(set(actions)) < len(actions):
                    raise GameError(
                        f"{name!r} lists no actions, or one twice, at the information state {_shortened(key)}."
                    )
                point = owner.add(key, sequences[player], actions, _names(state, actions))
                text += len(key)
            elif owner.parents[point] != sequences[player]:
                raise ImperfectRecallError(
                    f"{name!r} lacks perfect recall: player {player} can come to the information state "
                    f"{_shortened(key)} by different courses of what it knew and did. Load a version of the game in "
                    f"which players forget nothing."
                )
            elif owner.actions[point] != actions or (by_name and owner.names(point) != _names(state, actions)):
                raise GameError(
                    f"{name!r} has different legal actions at two histories that look alike, {_shortened(key)}."
                )
            before, after = sequences[:player], sequences[player + 1 :]
            sequence = owner.firsts[point + 1]
            for action in reversed(actions):
                sequence -= 1
                stack.append((state.child(action), (*before, sequence, *after), reach))
        elif state.is_terminal():
            chance.append(reach)
            returns.extend(state.returns())
            last.extend(sequences)
        else:
            for action, probability in reversed(state.chance_outcomes()):
                stack.append((state.child(action), sequences, reach * probability))
        if histories >= next_look:
            if text > LARGEST_TEXT or (stack and histories >= max_histories):
                raise too_large(name, max(expected, histories + len(stack)), max_histories)
            if progress is not None:
                if histories == LOOK_EVERY:  # the walk turns out to be long: worth a better estimate
                    expected = estimate_histories(original, probes=2000)
                progress(histories, max(expected, histories))
            next_look = max(histories + 1, min(histories + LOOK_EVERY, max_histories))
    return histories


def too_large(name: str, histories: float, budget: int) -> GameTooLargeError:
    """The error for a game beyond its size budget."""
    size = f"about {histories:.2g}" if histories < math.inf else "more than 1e+300"
    return GameTooLargeError(
        f"{name!r} has {size} histories, beyond the budget of {budget:,}; choose smaller parameters "
        f"or raise the budget with max_histories=."
    )


def _assemble(
    name: str,
    source: Source,
    players: list[_Player],
    chance: array[float],
    returns: array[float],
    last: array[int],
    histories: int,
) -> Game:
    """Number the sequences of all players in one range and build the game."""
    count = len(players)
    ends = np.cumsum([owner.firsts[-1] for owner in players])
    starts, total = np.concatenate([[0], ends[:-1]]), int(ends[-1])

    def globally(local: np.ndarray[Any, Any], player: int) -> np.ndarray[Any, Any]:
        return np.where(local < 0, total + player, local + starts[player])

    terminal_sequences = np.frombuffer(last, dtype=np.intc).reshape(-1, count).T
    payoffs = np.frombuffer(returns).reshape(-1, count).T
    tree = Tree(
        player_blocks=np.cumsum([0] + [len(owner.parents) for owner in players]),
        first_sequences=np.concatenate(
            [start + np.array(owner.firsts[:-1], int) for start, owner in zip(starts, players, strict=True)] + [[total]]
        ),
        parent_sequences=np.concatenate(
            [globally(np.array(owner.parents, int), player) for player, owner in enumerate(players)]
        ),
        chance=np.frombuffer(chance),
        payoffs=payoffs,
        last_sequences=np.stack([globally(terminal_sequences[player], player) for player in range(count)]),
    )
    labels = Labels(
        information_states=tuple(key for owner in players for key in owner.index),
        actions=tuple(text for owner in players for text in owner.action_names),
        action_ids=tuple(action for owner in players for actions in owner.actions for action in actions),
    )
    return Game(
        name=name,
        tree=tree,
        labels=labels,
        source=source,
        teams=each_alone(count),
        num_histories=histories,
        num_terminals=len(chance),
        max_abs_payoff=float(np.abs(payoffs).max()),
    )


def normal_form_payoffs(game: Game) -> FloatArray | None:
    """``(A_1, ..., A_N, N)`` for a game made from payoffs, whose terminals stand in the order of that array."""
    if game.source.kind != "payoffs":
        return None
    return game.tree.payoffs.T.reshape(*np.diff(game.tree.first_sequences), game.num_players)


def _decision_states(original: pyspiel.Game) -> Iterator[tuple[int, str, Any]]:
    """Player, information state and one history of every decision point of a turn-based game."""
    seen: set[tuple[int, str]] = set()
    stack = [original.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            key = (state.current_player(), state.information_state_string())
            if key not in seen:
                seen.add(key)
                yield (*key, state)
        stack += [state.child(action) for action in reversed(state.legal_actions())]


def _point_finder(game: Game) -> Callable[[int, str], int]:
    """From OpenSpiel's player and information state to our decision point; ``game`` must be a full game."""
    if game.source.kind == "payoffs":  # one decision point per player, which we name more briefly than OpenSpiel
        return lambda player, _: player
    owners = game.tree.players_of_decision_points().tolist()
    table = {key: index for index, key in enumerate(zip(owners, game.labels.information_states, strict=True))}
    return lambda player, key: table[player, key]


def export_policy(game: Game, probabilities: FloatArray) -> TabularPolicy:
    """OpenSpiel's ``TabularPolicy`` on the original game of the full game ``game``."""
    from open_spiel.python.policy import TabularPolicy

    original = original_game(game.source, normal_form_payoffs(game))
    table = TabularPolicy(original)
    find = _point_finder(game)
    for player, key, _ in _decision_states(original):
        point = game.decision_points[find(player, key)]
        row = table.policy_for_key(key)
        row[:] = 0.0
        row[list(game.labels.action_ids[point.sequences])] = probabilities[point.sequences]
    return table


def _ask(policy: Any, state: Any, player: int) -> Any:
    """What a policy plays at a state of the turn-based game; a policy of the simultaneous game is asked about that."""
    import pyspiel

    simultaneous = pyspiel.GameType.Dynamics.SIMULTANEOUS
    game = getattr(policy, "game", None)
    if isinstance(game, pyspiel.Game) and game.get_type().dynamics == simultaneous:
        return policy.action_probabilities(state.simultaneous_game_state(), player)
    return policy.action_probabilities(state)


def import_policy(game: Game, policy: Any, only: int | None = None) -> FloatArray:
    """``(S,)`` the probabilities of anything with ``action_probabilities(state)`` on the full game ``game``.

    With ``only`` just that player is asked for, and the others' probabilities are left 0.
    """
    if not callable(getattr(policy, "action_probabilities", None)):
        raise PolicyError(
            f"An OpenSpiel policy with a method action_probabilities(state) is needed, not {type(policy).__name__}."
        )
    original = original_game(game.source, normal_form_payoffs(game))
    find = _point_finder(game)
    probabilities = np.zeros(game.num_sequences)
    for player, key, state in _decision_states(original):
        if only is not None and player != only:
            continue
        point = game.decision_points[find(player, key)]
        try:
            chosen = dict(_ask(policy, state, player))
        except Exception as error:  # the policy is the user's own code
            raise PolicyError(
                f"The policy gives no probabilities at the information state {key!r} of {game.name!r}: "
                f"{type(error).__name__} {_one_line(error)}."
            ) from error
        ids = game.labels.action_ids[point.sequences]
        extra = [action for action in chosen if action not in ids and chosen[action] != 0]
        if extra:
            raise PolicyError(f"The policy plays the illegal action {extra[0]} at the information state {key!r}.")
        probabilities[point.sequences] = [chosen.get(action, 0.0) for action in ids]
    return probabilities
