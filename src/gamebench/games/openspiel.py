"""OpenSpiel: the only module that imports it. Loads its games, and takes policies there and back."""

from __future__ import annotations

import os
import sys
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
    NoInformationStatesError,
    PolicyError,
    UnknownNameError,
    one_line,
    shortened,
)
from gamebench.games.game import Game, Source
from gamebench.games.tree import FloatArray

if TYPE_CHECKING:
    import pyspiel
    from open_spiel.python.policy import TabularPolicy


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


def is_game(thing: object) -> bool:
    """Whether this is a game of OpenSpiel's, found out without importing it for anything else."""
    return hasattr(thing, "new_initial_state") and hasattr(thing, "get_type")


def registered_games() -> list[str]:
    """Short names of the games that OpenSpiel knows."""
    import pyspiel

    return list(pyspiel.registered_names())


def original_game(source: Source) -> pyspiel.Game:
    """OpenSpiel's own game, turn-based."""
    import pyspiel

    if source.kind == "efg":
        game = _load_efg(source.text)
    elif source.payoffs is not None:
        game = pyspiel.create_tensor_game(list(np.moveaxis(source.payoffs, -1, 0)))
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
    if "(" in text and not text.rstrip().endswith(")"):
        raise GameError(f"The game string {text!r} does not end with the bracket that closes its parameters.")
    try:
        with _quiet():
            return pyspiel.load_game(text)
    except Exception as error:  # pyspiel raises whatever the game's constructor does
        raise GameError(f"OpenSpiel cannot load the game {text!r}: {one_line(error)}.") from error


def _load_efg(text: str) -> pyspiel.Game:
    import pyspiel

    try:
        with _quiet():
            return pyspiel.load_efg_game(text)
    except Exception as error:
        raise GameFileError(f"OpenSpiel cannot read it as an extensive-form game: {one_line(error)}.") from error


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
            f"{name!r} does not say what its players know: it has no information state strings and cannot be loaded."
        )
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(game)
    return game


def ingredients(game: pyspiel.Game) -> list[str] | None:
    """All that could change the game beside OpenSpiel's version, or ``None`` where that cannot be known.

    A game written in Python may change without notice. A parameter may name a file, whose content counts.
    """
    import pyspiel

    if type(game).__module__ != "pyspiel":
        return None
    found = [str(game)]
    for value in game.get_parameters().values():
        try:
            if isinstance(value, str) and os.path.isfile(value):  # noqa: PTH113  (Path.is_file fails on long texts)
                found.append(Path(value).read_bytes().hex())
            elif isinstance(value, dict):  # a game inside a game
                inner = dict(value)
                with _quiet():
                    parts = ingredients(pyspiel.load_game(inner.pop("name"), inner))
                if parts is None:
                    return None
                found += parts
        except (OSError, pyspiel.SpielError):  # a file or a game that cannot be had again
            return None
    return found


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

    if not game.num_decision_points:
        raise PolicyError(f"Nobody has a choice in {game.name!r}, so OpenSpiel has no policy for it.")
    if shared := [key for key, points in game.points_by_information_state.items() if len(points) > 1]:
        raise PolicyError(
            f"Several players of {game.name!r} have the information state {shortened(shared[0])}, which OpenSpiel's "
            f"TabularPolicy cannot tell apart."
        )
    original = original_game(game.source)
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
    original = original_game(game.source)
    find = _point_finder(game)
    probabilities = np.zeros(game.num_sequences)
    for player, key, state in _decision_states(original):
        if only is not None and player != only:
            continue
        point = game.decision_points[find(player, key)]
        try:
            chosen = {int(action): float(p) for action, p in dict(_ask(policy, state, player)).items()}
        except Exception as error:  # the policy is the user's own code
            raise PolicyError(
                f"The policy gives no probabilities at the information state {shortened(key)} of {game.name!r}: "
                f"{type(error).__name__} {one_line(error)}."
            ) from error
        ids = game.labels.action_ids[point.sequences]
        extra = [action for action in chosen if action not in ids and chosen[action] != 0]
        if extra:
            raise PolicyError(
                f"The policy plays the illegal action {extra[0]} at the information state {shortened(key)}."
            )
        probabilities[point.sequences] = [chosen.get(action, 0.0) for action in ids]
    return probabilities


def nash_conv_by_open_spiel(game: Game, policy: TabularPolicy) -> float:
    """OpenSpiel's own NashConv of a policy, to compare with."""
    from open_spiel.python.algorithms.exploitability import nash_conv

    return float(nash_conv(original_game(game.source), policy))


def values_by_open_spiel(game: Game, policy: TabularPolicy) -> FloatArray:
    """``(N,)`` OpenSpiel's own expected payoffs of a policy, to compare with."""
    from open_spiel.python.algorithms.expected_game_score import policy_value

    state = original_game(game.source).new_initial_state()
    return np.array(policy_value(state, [policy] * game.num_players))
