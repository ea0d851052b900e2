"""Everything that needs OpenSpiel: loading its games, and converting policies to its format and back.

This is the only module that imports ``pyspiel``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from importlib import import_module
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from gamebench.core.arrays import FloatArray
from gamebench.core.errors import (
    GameError,
    GameFileError,
    NoInformationStatesError,
    PolicyError,
    UnknownNameError,
    one_line,
    shortened,
)
from gamebench.core.plugins import OTHER_REGISTRIES
from gamebench.games.game import DecisionPoint, Game, Source
from gamebench.games.loading.observations import ObservationView, PerfectInformationView, ViewedState, is_converted
from gamebench.games.loading.trial_load import try_in_a_process
from gamebench.games.names import told_apart
from gamebench.system.files import silenced

if TYPE_CHECKING:
    from open_spiel.python.policy import TabularPolicy

_SIMULTANEOUS = pyspiel.GameType.Dynamics.SIMULTANEOUS
MOST_USUAL = 1000
"""Games with larger whole numbers among their parameters are first tried in a separate process."""
MADE_WHEN_VISITED = {"add_noise"}
"""Games that draw a payoff when its terminal is first visited, so that it depends on the order of visits."""


@cache
def open_spiel_version() -> str:
    """Return the version of the installed OpenSpiel; reading it takes as long as loading a small game."""
    return version("open_spiel")


def quiet() -> AbstractContextManager[None]:
    """Silence stderr, where OpenSpiel also prints exceptions; users already see those as GameBench errors."""
    return silenced(2)


@contextmanager
def being_played(name: str) -> Iterator[None]:
    """Turn whatever a game's own code raises during play into a :class:`GameError`."""
    try:
        yield
    except (GameError, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
        raise GameError(f"OpenSpiel failed while {name!r} was played: {one_line(error)}.") from error


@contextmanager
def _loading(kind: type[GameError], problem: str) -> Iterator[None]:
    """Turn whatever a game's constructor raises into an error of this kind."""
    try:
        with quiet():
            yield
    except Exception as error:
        raise kind(f"{problem}: {one_line(error)}.") from error


def is_game(value: object) -> bool:
    """Return whether a value is an OpenSpiel game object."""
    return isinstance(value, pyspiel.Game)


def is_built_in(value: object) -> bool:
    """Return whether a game, a state or a bot is written in C++ and part of OpenSpiel, not written in Python."""
    return type(value).__module__.partition(".")[0] == "pyspiel"


def own_class(source: Source) -> type[Any] | None:
    """Return the class of a game that the user wrote in Python; ``None`` for OpenSpiel's games and for files."""
    if source.kind != "open_spiel" or not any(map(_is_own, _classes_below(pyspiel.Game))):
        return None  # without loading the game, which can take long
    return next((type(game) for game in _games_inside(_as_loaded(source)) if _is_own(type(game))), None)


def _is_own(kind: type[Any]) -> bool:
    return kind.__module__.partition(".")[0] not in ("pyspiel", "open_spiel", "gamebench")


def _classes_below(kind: type[Any]) -> Iterator[type[Any]]:
    for below in kind.__subclasses__():
        yield below
        yield from _classes_below(below)


def registered_games() -> list[str]:
    """Return the short names of OpenSpiel's games."""
    return list(pyspiel.registered_names())


OTHER_REGISTRIES.append(lambda: (("game", name) for name in registered_games()))


def original_game(source: Source) -> pyspiel.Game:
    """Return OpenSpiel's game for a source, in turn-based form."""
    game = _as_loaded(source)
    return pyspiel.convert_to_turn_based(game) if game.get_type().dynamics == _SIMULTANEOUS else game


def _as_loaded(source: Source) -> pyspiel.Game:
    """Return OpenSpiel's game for a source; raise if it is of a kind that cannot be flattened."""
    if source.kind == "object":
        if source.original is None:
            raise GameError(
                f"A copied or pickled game no longer has the OpenSpiel object {source.text!r}, from which it was "
                f"loaded and which is needed here; load the game from the object again."
            )
        game = source.original
    elif source.kind == "efg":
        with _loading(GameFileError, "OpenSpiel cannot read it as an extensive-form game"):
            game = pyspiel.load_efg_game(source.text)
    elif source.payoffs is not None:
        game = pyspiel.create_tensor_game(list(np.moveaxis(source.payoffs, -1, 0)))
    else:
        game = _load_string(source.text)
    kind = game.get_type()
    name = source.text if source.kind in ("open_spiel", "object") else source.kind
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise GameError(f"{name!r} is a mean-field game; only games with finitely many players can be loaded.")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise GameError(f"{name!r} samples its chance events instead of listing them; such games cannot be loaded.")
    return game


def string_of(game: pyspiel.Game) -> str | None:
    """Return the game string that certainly reproduces this game object, or ``None`` if there is none.

    ``str(game)`` may describe another game: it rounds numbers, and omits everything that is not a parameter (the text
    of a file, payoffs, a Python object's attributes).
    """
    text = str(game)
    try:
        inside = _games_inside(game)
        if any(not is_built_in(part) or _files_named_by(part) for part in inside):
            return None
        with quiet():
            again = pyspiel.load_game(text)
    except Exception:  # whatever the game's constructor raises for these parameters
        return None
    if type(again) is not type(game) or again.get_parameters() != game.get_parameters():
        return None
    ours, theirs = payoffs_and_strategies(game), payoffs_and_strategies(again)
    if ours is not None and theirs is not None:
        return text if np.array_equal(ours[0], theirs[0]) and ours[1] == theirs[1] else None
    return None if any(isinstance(part, pyspiel.NormalFormGame) for part in inside) else text


def payoffs_and_strategies(game: pyspiel.Game) -> tuple[FloatArray, list[list[str]]] | None:
    """Return payoffs ``(A_1, ..., A_N, N)`` and action names of a normal-form game object; ``None`` for other games.

    Numbers are appended to a player's action names if they are not unique.
    """
    if isinstance(game, pyspiel.MatrixGame):
        names = [
            [game.row_action_name(action) for action in range(game.num_rows())],
            [game.col_action_name(action) for action in range(game.num_cols())],
        ]
    elif isinstance(game, pyspiel.TensorGame):
        names = [[game.action_name(i, action) for action in range(count)] for i, count in enumerate(game.shape())]
    else:
        return None
    payoffs = np.stack([np.array(game.player_utilities(player)) for player in range(game.num_players())], axis=-1)
    return payoffs, [list(told_apart(own)) for own in names]


def with_right_types(text: str) -> str:
    """Return a game string whose numbers have the types that OpenSpiel requires: ``discount=1.0``, ``players=2``.

    Only whole numbers written as the other type are changed. Negative values of positive parameters and games without
    players are refused, since some games would write out of bounds. OpenSpiel checks everything else.
    """
    name, bracket, rest = text.partition("(")
    if not rest.endswith(")"):
        return text
    parameters = []
    for key, equals, value, usual in _parameters(name, rest[:-1]):
        if isinstance(usual, float) and re.fullmatch(r"[+-]?\d+", value):
            value = f"{value}.0"
        elif type(usual) is int and re.fullmatch(r"[+-]?\d+\.0*", value):
            value = value.partition(".")[0]
        elif isinstance(usual, dict):  # the parameter is a game
            value = with_right_types(value)
        if type(usual) is int and usual > 0 and re.fullmatch(r"-0*[1-9]\d*", value):
            raise GameError(f"{key!r} of the game {name.strip()!r} cannot be negative; its default is {usual}.")
        if type(usual) is int and "players" in key.casefold() and re.fullmatch(r"[+-]?0+", value):
            raise GameError(f"The game {name.strip()!r} cannot be played without players: {key} is 0.")
        parameters.append(f"{key}{equals}{value}")
    return f"{name}{bracket}{','.join(parameters)})"


def _has_unusual_numbers(text: str) -> bool:
    """Return whether a game string has an unusual whole number, which OpenSpiel may fail to check."""
    name, _, rest = text.partition("(")
    for key, _, value, usual in _parameters(name, rest.strip()[:-1]):
        if isinstance(usual, dict):
            if _has_unusual_numbers(value):
                return True
        elif type(usual) is int and re.fullmatch(r"[+-]?\d{1,4000}", value):
            number, fewest = int(value), 2 if "players" in key.casefold() else 1
            is_default = number == usual and usual  # OpenSpiel gives 0 as the default of required parameters
            if not is_default and not fewest <= number <= MOST_USUAL:
                return True
    return False


def _parameters(name: str, text: str) -> Iterator[tuple[str, str, str, Any]]:
    """Yield key, equals sign, value and default value of each parameter in the brackets of a game string."""
    name = name.strip()
    _register_python_games(name)
    kinds = (kind for kind in pyspiel.registered_games() if kind.short_name == name)
    defaults: dict[str, Any] = next((kind.parameter_specification for kind in kinds), {})
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    for key, equals, value in (part.partition("=") for part in parts):
        yield key, equals, value, defaults.get(key)


def _register_python_games(name: str) -> None:
    """Import OpenSpiel's games in Python if this is the name of one of them."""
    if name.startswith("python_") and name not in pyspiel.registered_names():
        with quiet():
            import_module("open_spiel.python.games")


def _load_string(text: str) -> pyspiel.Game:
    name = text.split("(")[0].strip()
    _register_python_games(name)
    if name not in pyspiel.registered_names():
        raise UnknownNameError("game", name, pyspiel.registered_names())
    if "(" in text and not text.rstrip().endswith(")"):
        raise GameError(f"The game string {text!r} does not end with the bracket that closes its parameters.")
    if _has_unusual_numbers(text):
        try_in_a_process(text)
    with _loading(GameError, f"OpenSpiel cannot load the game {text!r}"):
        return pyspiel.load_game(text)


def with_information_states(original: pyspiel.Game, name: str) -> Any:
    """Return a turn-based game with information states: OpenSpiel's own, or a view that derives them."""
    kind = original.get_type()
    if kind.provides_information_state_string:
        return original
    with being_played(name):
        information = _type_before_conversion(original).information
    if information == pyspiel.GameType.Information.PERFECT_INFORMATION:
        return PerfectInformationView(original)
    if kind.provides_observation_string:
        return ObservationView(original)
    raise NoInformationStatesError(
        f"{name!r} does not say what its players know: it has neither information state strings nor observation "
        f"strings, and its information is not perfect."
    )


def _type_before_conversion(original: pyspiel.Game) -> pyspiel.GameType:
    """Return the type of the original simultaneous game; its turn-based form never has perfect information."""
    state = original.new_initial_state()
    return state.simultaneous_game_state().get_game().get_type() if is_converted(state) else original.get_type()


def can_be_loaded_again(game: Any, source: Source) -> bool:
    """Return whether another process can rebuild this game, or the view of it, from the text of its source.

    Its payoffs must not depend on the order in which terminals are visited.
    """
    original = game.original if isinstance(game, ObservationView) else game
    if not is_game(original) or source.payoffs is not None or ingredients(original, source) is None:
        return False
    return not any(part.get_type().short_name in MADE_WHEN_VISITED for part in _games_inside(original))


def ingredients(game: pyspiel.Game, source: Source) -> list[str] | None:
    """Return all that determines the game of a source, as parts of a cache key, or ``None`` if that is unknown.

    A game written in Python may change without notice. The content of a file counts if a parameter names it.
    """
    if source.kind == "object":
        return None
    try:
        inside = _games_inside(game)
        if not all(map(is_built_in, inside)):
            return None
        parts = [[str(part), *(file.read_bytes().hex() for file in _files_named_by(part))] for part in inside]
        return [open_spiel_version(), source.kind, source.text, *chain(*parts)]
    except (OSError, pyspiel.SpielError):  # a file or a game that cannot be loaded again
        return None


def _games_inside(game: pyspiel.Game) -> list[pyspiel.Game]:
    """Return the game and, loaded again, the games among its parameters."""
    games = [game]
    for value in game.get_parameters().values():
        if isinstance(value, dict):
            inner = dict(value)
            with quiet():
                games += _games_inside(pyspiel.load_game(inner.pop("name"), inner))
    return games


def _files_named_by(game: pyspiel.Game) -> list[Path]:
    """Return the files named by parameters of a game."""
    texts = [value for value in game.get_parameters().values() if isinstance(value, str)]
    return [Path(text) for text in texts if os.path.isfile(text)]  # noqa: PTH113  (Path.is_file fails on long texts)


def decision_states(game: Game) -> Iterator[tuple[DecisionPoint, str, Any]]:
    """Yield each decision point of a full game with OpenSpiel's information state and one of its states there."""
    points = {(point.player, point.information_state): point for point in game.decision_points}
    seen: set[tuple[int, str]] = set()
    stack = [with_information_states(original_game(game.source), game.name).new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            player, text = key = (state.current_player(), state.information_state_string())
            if key not in seen:
                seen.add(key)
                # In normal-form games a player has one decision point, with a shorter name than in OpenSpiel.
                point = game.decision_points[player] if game.source.kind == "payoffs" else points[key]
                yield point, text, state.original if isinstance(state, ViewedState) else state
        stack += [state.child(action) for action in reversed(state.legal_actions())]


def has_information_states(game: Game) -> bool:
    """Return whether OpenSpiel has information states for the game; its policies use observations otherwise."""
    return bool(original_game(game.source).get_type().provides_information_state_string)


def export_policy(game: Game, probabilities: FloatArray) -> TabularPolicy:
    """Return OpenSpiel's ``TabularPolicy`` on the original game of the full game ``game``."""
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
    sources: dict[int, str] = {}
    for point, key, state in decision_states(game):
        row = np.zeros(original.num_distinct_actions())
        row[list(game.labels.action_ids[point.sequences])] = probabilities[point.sequences]
        index = table.state_index(state)
        if index in sources and not np.array_equal(row, table.action_probability_array[index]):
            raise PolicyError(
                f"{game.name!r} has no information states in OpenSpiel, so its TabularPolicy depends on the current "
                f"observation; it cannot tell apart {shortened(sources[index])} and {shortened(key)}, where this "
                f"policy differs."
            )
        sources[index] = key
        table.action_probability_array[index] = row
    return table


def is_simultaneous(game: Game) -> bool:
    """Return whether OpenSpiel's game, as it was loaded, has simultaneous moves."""
    return bool(_as_loaded(game.source).get_type().dynamics == _SIMULTANEOUS)


def is_bot(value: object) -> bool:
    """Return whether a value is an OpenSpiel bot."""
    return isinstance(value, pyspiel.Bot)


def bot_policy(bot: Any, state: Any) -> Any:
    """Restart a bot at a state and return its (action, probability) pairs; ``None`` if it only acts.

    Bots in Python have ``step_with_policy`` or ``get_policy``.
    """
    _restart(bot, state)
    speaks = type(bot).step_with_policy is not pyspiel.Bot.step_with_policy
    if speaks and type(bot).get_policy is pyspiel.Bot.get_policy:
        return bot.step_with_policy(state)[0]
    return bot.get_policy(state) if bot.provides_policy() else None


def bot_action(bot: Any, state: Any) -> int:
    """Restart a bot at a state and return its action."""
    _restart(bot, state)
    if is_built_in(bot) and bot.provides_policy() and not bot.get_policy(state):  # its step would end the process
        raise ValueError("the bot has no action at this state, perhaps because it plays for another player")
    return int(bot.step(state))


def _restart(bot: Any, state: Any) -> None:
    """Tell a bot that play begins at a state; bots without a memory need not implement this."""
    if type(bot).restart_at is not pyspiel.Bot.restart_at:
        bot.restart_at(state)
    elif is_built_in(bot):
        with suppress(pyspiel.SpielError), quiet():
            bot.restart_at(state)


def players_without(policy: Any) -> set[int]:
    """Return the players of an OpenSpiel policy's own game whom the policy does not cover."""
    own_game = getattr(policy, "game", None)
    if not isinstance(own_game, pyspiel.Game) or not hasattr(policy, "player_ids"):
        return set()
    return set(range(own_game.num_players())).difference(policy.player_ids)


def policy_at(policy: Any, state: Any, player: int) -> Any:
    """Return an OpenSpiel policy's probabilities at a turn-based state, even if it is for the simultaneous game."""
    own_game = getattr(policy, "game", None)
    if isinstance(own_game, pyspiel.Game) and own_game.get_type().dynamics == _SIMULTANEOUS:
        return policy.action_probabilities(state.simultaneous_game_state(), player)
    return policy.action_probabilities(state)


def information_tensors(game: Game) -> Callable[[Any, int], list[float]]:
    """Return a function from a state of the turn-based game and the acting player to the information-state tensor.

    The tensors are those of the game as it was loaded, even if its moves are simultaneous.
    """
    original = _as_loaded(game.source)
    if not original.get_type().provides_information_state_tensor:
        raise PolicyError(
            f"OpenSpiel has no information-state tensors for {game.name!r}; use a function of the point or the state."
        )
    if original.get_type().dynamics == _SIMULTANEOUS:
        return lambda state, player: state.simultaneous_game_state().information_state_tensor(player)
    return lambda state, player: state.information_state_tensor(player)


def nash_conv_by_open_spiel(game: Game, policy: TabularPolicy) -> float:
    """Return NashConv of a policy as OpenSpiel computes it, in the units of ``game``, for comparison."""
    from open_spiel.python.algorithms.exploitability import nash_conv

    return game.payoff_scale * float(nash_conv(original_game(game.source), policy))


def values_by_open_spiel(game: Game, policy: TabularPolicy) -> FloatArray:
    """Return expected payoffs ``(N,)`` of a policy as OpenSpiel computes them, in the units of ``game``."""
    from open_spiel.python.algorithms.expected_game_score import policy_value

    state = original_game(game.source).new_initial_state()
    return game.payoff_scale * np.array(policy_value(state, [policy] * game.num_players))
