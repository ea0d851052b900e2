"""OpenSpiel: the only module that imports it. Loads its games, and takes policies there and back."""

from __future__ import annotations

import os
import re
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
from gamebench.games.knowledge import OpenGame, RememberingPlayers, ViewedState, is_converted
from gamebench.games.tree import FloatArray
from gamebench.games.trial import try_in_a_process

if TYPE_CHECKING:
    import pyspiel
    from open_spiel.python.policy import TabularPolicy

MOST_USUAL = 1000
"""Whole numbers above this are tried in a process of their own: with a million of anything some games fill memory."""


def open_spiel_version() -> str:
    """The version of the installed OpenSpiel, without importing it."""
    return version("open_spiel")


@contextmanager
def quiet() -> Iterator[None]:
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


@contextmanager
def being_played(name: str) -> Iterator[None]:
    """Turn whatever a game's own code raises while it is played into a sentence."""
    try:
        yield
    except (GameError, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
        raise GameError(f"OpenSpiel failed while {name!r} was played: {one_line(error)}.") from error


def is_game(thing: object) -> bool:
    """Whether this is a game object of OpenSpiel's, found out without importing it for anything else."""
    return "pyspiel" in sys.modules and isinstance(thing, sys.modules["pyspiel"].Game)


def registered_games() -> list[str]:
    """Short names of the games that OpenSpiel knows."""
    import pyspiel

    return list(pyspiel.registered_names())


def original_game(source: Source) -> pyspiel.Game:
    """OpenSpiel's own game, turn-based."""
    import pyspiel

    if source.kind == "object":
        if source.original is None:
            raise GameError(
                f"OpenSpiel's game object {source.text!r} is not part of a copy or a pickle of the game that was "
                f"loaded from it; load the object again where OpenSpiel is needed."
            )
        game = source.original
    elif source.kind == "efg":
        game = _load_efg(source.text)
    elif source.payoffs is not None:
        game = pyspiel.create_tensor_game(list(np.moveaxis(source.payoffs, -1, 0)))
    else:
        game = _load_string(source.text)
    return _turn_based(game, source)


def string_of(game: pyspiel.Game) -> str | None:
    """The game string that makes this game object again, or ``None`` unless that is certain.

    ``str(game)`` may be another game's: it rounds numbers, and leaves out whatever is not a parameter (a file's text,
    payoffs, a Python object's attributes).
    """
    import pyspiel

    text = str(game)
    try:
        inside = _games_inside(game)
        if any(_is_python(one) or _files_named_by(one) for one in inside):
            return None
        with quiet():
            again = pyspiel.load_game(text)
    except Exception:  # whatever the constructor of another game says to this one's parameters
        return None
    if again.get_parameters() != game.get_parameters():
        return None
    if isinstance(game, pyspiel.NormalFormGame):
        same = type(again) is type(game) and _strategies(again) == _strategies(game)
        return text if same and np.array_equal(_payoffs(again), _payoffs(game)) else None
    return None if any(isinstance(one, pyspiel.NormalFormGame) for one in inside) else text


def payoffs_and_strategies(game: pyspiel.Game) -> tuple[FloatArray, list[list[str]]] | None:
    """The ``(A_1, ..., A_N, N)`` payoffs and the actions' names of a normal-form game object; ``None`` for others."""
    import pyspiel

    if not isinstance(game, pyspiel.MatrixGame | pyspiel.TensorGame):
        return None
    return _payoffs(game), _strategies(game)


def _payoffs(game: pyspiel.NormalFormGame) -> FloatArray:
    return np.stack([np.array(game.player_utilities(player)) for player in range(game.num_players())], axis=-1)


def _strategies(game: pyspiel.NormalFormGame) -> list[list[str]]:
    """The names of every player's actions, numbered where they are not unique."""
    import pyspiel

    if isinstance(game, pyspiel.MatrixGame):
        names = [
            [game.row_action_name(action) for action in range(game.num_rows())],
            [game.col_action_name(action) for action in range(game.num_cols())],
        ]
    else:
        names = [[game.action_name(i, action) for action in range(count)] for i, count in enumerate(game.shape())]
    return [
        own if len(set(own)) == len(own) else [f"{name} ({action})" for action, name in enumerate(own)] for own in names
    ]


def with_right_types(text: str) -> str:
    """A game string with numbers of the types that OpenSpiel insists on: ``discount=1.0``, ``players=2``.

    Only whole numbers that are written as the other type change; everything else is left for OpenSpiel to judge, except
    negative numbers in place of positive ones, and games without players: some write beyond their memory then.
    """
    name, bracket, rest = text.partition("(")
    defaults = _default_parameters(name.strip())
    if defaults is None or not rest.endswith(")"):
        return text
    parameters = []
    for parameter in _split_at_commas(rest[:-1]):
        key, equals, value = parameter.partition("=")
        usual = defaults.get(key)
        if isinstance(usual, float) and re.fullmatch(r"[+-]?\d+", value):
            value = f"{value}.0"
        elif type(usual) is int and re.fullmatch(r"[+-]?\d+\.0*", value):
            value = value.partition(".")[0]
        elif isinstance(usual, dict):  # a game inside a game
            value = with_right_types(value)
        if type(usual) is int and usual > 0 and re.fullmatch(r"-0*[1-9]\d*", value):
            raise GameError(f"{key!r} of the game {name.strip()!r} cannot be negative; it is {usual} unless given.")
        if type(usual) is int and "players" in key.casefold() and re.fullmatch(r"[+-]?0+", value):
            raise GameError(f"The game {name.strip()!r} cannot be played without players: {key} is 0.")
        parameters.append(f"{key}{equals}{value}")
    return f"{name}{bracket}{','.join(parameters)})"


def _has_unusual_numbers(text: str) -> bool:
    """Whether a game string has a whole number that OpenSpiel's games are seldom given, and so may not check."""
    name, _, rest = text.partition("(")
    defaults = _default_parameters(name.strip()) or {}
    for parameter in _split_at_commas(rest.strip()[:-1]):
        key, _, value = parameter.partition("=")
        usual = defaults.get(key)
        if isinstance(usual, dict):
            if _has_unusual_numbers(value):
                return True
        elif type(usual) is int and re.fullmatch(r"[+-]?\d{1,4000}", value):
            number, fewest = int(value), 2 if "players" in key.casefold() else 1
            is_default = number == usual and usual  # zero is what OpenSpiel says of a parameter without a default
            if not is_default and not fewest <= number <= MOST_USUAL:
                return True
    return False


def _default_parameters(name: str) -> dict[str, Any] | None:
    import pyspiel

    _register_python_games(name)
    return next((kind.parameter_specification for kind in pyspiel.registered_games() if kind.short_name == name), None)


def _split_at_commas(text: str) -> list[str]:
    """The parts of a text between commas that are not inside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _register_python_games(name: str) -> None:
    """Import OpenSpiel's games in Python, if the name is that of one."""
    import pyspiel

    if name.startswith("python_") and name not in pyspiel.registered_names():
        with quiet():
            import_module("open_spiel.python.games")


def _load_string(text: str) -> pyspiel.Game:
    import pyspiel

    name = text.split("(")[0].strip()
    _register_python_games(name)
    if name not in pyspiel.registered_names():
        raise UnknownNameError("game", name, pyspiel.registered_names())
    if "(" in text and not text.rstrip().endswith(")"):
        raise GameError(f"The game string {text!r} does not end with the bracket that closes its parameters.")
    if _has_unusual_numbers(text):
        try_in_a_process(text)
    try:
        with quiet():
            return pyspiel.load_game(text)
    except Exception as error:  # pyspiel raises whatever the game's constructor does
        raise GameError(f"OpenSpiel cannot load the game {text!r}: {one_line(error)}.") from error


def _load_efg(text: str) -> pyspiel.Game:
    import pyspiel

    try:
        with quiet():
            return pyspiel.load_efg_game(text)
    except Exception as error:
        raise GameFileError(f"OpenSpiel cannot read it as an extensive-form game: {one_line(error)}.") from error


def _turn_based(game: pyspiel.Game, source: Source) -> pyspiel.Game:
    import pyspiel

    kind = game.get_type()
    name = source.text if source.kind in ("open_spiel", "object") else source.kind
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise GameError(f"{name!r} is a mean-field game; only games with finitely many players can be loaded.")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise GameError(f"{name!r} samples its chance events and cannot list them; such games cannot be loaded.")
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(game)
    return game


def with_information_states(original: pyspiel.Game, name: str) -> Any:
    """A turn-based game as its players see it: OpenSpiel's own, or a view of it that has information states."""
    import pyspiel

    kind = original.get_type()
    if kind.provides_information_state_string:
        return original
    with being_played(name):
        information = _type_before_conversion(original).information
    if information == pyspiel.GameType.Information.PERFECT_INFORMATION:
        return OpenGame(original)
    if kind.provides_observation_string:
        return RememberingPlayers(original)
    raise NoInformationStatesError(
        f"{name!r} does not say what its players know: it has neither information state strings nor observation "
        f"strings, and its information is not perfect."
    )


def _type_before_conversion(original: pyspiel.Game) -> pyspiel.GameType:
    """The type of the simultaneous game that was made turn-based; the conversion calls all information imperfect."""
    state = original.new_initial_state()
    return state.simultaneous_game_state().get_game().get_type() if is_converted(state) else original.get_type()


def ingredients(game: pyspiel.Game) -> list[str] | None:
    """All that could change the game beside OpenSpiel's version, or ``None`` where that cannot be known.

    A game written in Python may change without notice. A parameter may name a file, whose content counts.
    """
    import pyspiel

    try:
        found = []
        for one in _games_inside(game):
            if _is_python(one):
                return None
            found += [str(one), *(file.read_bytes().hex() for file in _files_named_by(one))]
        return found
    except (OSError, pyspiel.SpielError):  # a file or a game that cannot be had again
        return None


def _games_inside(game: pyspiel.Game) -> list[pyspiel.Game]:
    """The game, and the games that are its parameters, loaded once more."""
    import pyspiel

    found = [game]
    for value in game.get_parameters().values():
        if isinstance(value, dict):
            inner = dict(value)
            with quiet():
                found += _games_inside(pyspiel.load_game(inner.pop("name"), inner))
    return found


def _is_python(game: pyspiel.Game) -> bool:
    return type(game).__module__ != "pyspiel"


def _files_named_by(game: pyspiel.Game) -> list[Path]:
    """The files that parameters of a game name."""
    texts = [value for value in game.get_parameters().values() if isinstance(value, str)]
    return [Path(text) for text in texts if os.path.isfile(text)]  # noqa: PTH113  (Path.is_file fails on long texts)


def _decision_states(game: Game, original: pyspiel.Game) -> Iterator[tuple[int, str, Any]]:
    """Player, information state and one of OpenSpiel's states of every decision point."""
    seen: set[tuple[int, str]] = set()
    stack = [with_information_states(original, game.name).new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            key = (state.current_player(), state.information_state_string())
            if key not in seen:
                seen.add(key)
                yield (*key, state.original if isinstance(state, ViewedState) else state)
        stack += [state.child(action) for action in reversed(state.legal_actions())]


def _point_finder(game: Game) -> Callable[[int, str], int]:
    """From OpenSpiel's player and information state to our decision point; ``game`` must be a full game."""
    if game.source.kind == "payoffs":  # one decision point per player, which we name more briefly than OpenSpiel
        return lambda player, _: player
    owners = game.tree.players_of_decision_points().tolist()
    table = {key: index for index, key in enumerate(zip(owners, game.labels.information_states, strict=True))}
    return lambda player, key: table[player, key]


def has_information_states(game: Game) -> bool:
    """Whether OpenSpiel says itself what the players of the game know; its policies go by observations otherwise."""
    return bool(original_game(game.source).get_type().provides_information_state_string)


def export_policy(game: Game, probabilities: FloatArray) -> TabularPolicy:
    """OpenSpiel's ``TabularPolicy`` on the original game of the full game ``game``."""
    from open_spiel.python.policy import TabularPolicy

    if not game.num_decision_points:
        raise PolicyError(f"Nobody has a choice in {game.name!r}, so OpenSpiel has no policy for it.")
    original = original_game(game.source)
    shared = [key for key, points in game.points_by_information_state.items() if len(points) > 1]
    if shared and has_information_states(game):
        raise PolicyError(
            f"Several players of {game.name!r} have the information state {shortened(shared[0])}, which OpenSpiel's "
            f"TabularPolicy cannot tell apart."
        )
    table = TabularPolicy(original)
    find = _point_finder(game)
    told: dict[int, str] = {}
    for player, key, state in _decision_states(game, original):
        point = game.decision_points[find(player, key)]
        row = np.zeros(original.num_distinct_actions())
        row[list(game.labels.action_ids[point.sequences])] = probabilities[point.sequences]
        index = table.state_index(state)
        if index in told and not np.array_equal(row, table.action_probability_array[index]):
            raise PolicyError(
                f"{game.name!r} has no information states in OpenSpiel, whose TabularPolicy goes by the present "
                f"observation and cannot tell apart {shortened(told[index])} and {shortened(key)}, where this policy "
                f"differs."
            )
        told[index] = key
        table.action_probability_array[index] = row
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
    for player, key, state in _decision_states(game, original):
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
