"""Conversion of anything that plays a game into a policy for it.

``as_policy`` reads a joint policy, ``read`` the probabilities of some of the players, and ``combine`` joins parts from
several sources.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from gamebench.core.arrays import FloatArray
from gamebench.core.errors import PolicyError, brief, shortened
from gamebench.games.game import DecisionPoint, Game
from gamebench.games.names import as_game, no_player, players_called
from gamebench.games.teams.coordination import lifted
from gamebench.policies.agent_answers import as_numbers, asked, located, row_of
from gamebench.policies.files import UNIFORM, read_file
from gamebench.policies.functions_and_networks import agent, read_points, read_states
from gamebench.policies.gambit_profiles import is_profile, read_profile
from gamebench.policies.keys import point_at, points_at, unclear
from gamebench.policies.mixture import Mixture
from gamebench.policies.policy import Policy, rescaled
from gamebench.policies.simple import uniform_policy

AnyPolicy: TypeAlias = Any
"""Anything that :func:`as_policy` accepts."""
Players: TypeAlias = Collection[int]
DEEPEST = 20
"""Maximum nesting of files and lists; deeper nesting means that one of them contains itself."""


def as_policy(game: Game | str, source: AnyPolicy, free: Players = ()) -> Policy:
    """Return the joint policy of anything that plays a game.

    Args:
        game: the game, or its name.
        source: a :class:`Policy`; an object with a ``policy``, such as a :class:`Result`; ``"uniform"``; the path of a
            file; an OpenSpiel policy; a list, or a dictionary by player, of policies, bots and other sources (if an
            information set and a player have the same name, the key refers to the information set); a function
            (:func:`agent`) or a PyTorch network; a dictionary from information states to actions and probabilities; an
            array ``(S,)``; or a pygambit profile.
        free: players whose policies do not matter; the source may omit them, and they play uniformly.
    """
    game = as_game(game)
    if isinstance(source, Policy):
        source.check_plays(game)
        return source
    needed = [player for player in range(game.num_players) if player not in free]
    probabilities = rescaled(game, read(game, source, needed))
    for player in set(range(game.num_players)).difference(needed):
        own = game.sequence_form.sequences_of(player)
        probabilities[own] = uniform_policy(game).probabilities[own]
    return Policy(game, probabilities)


def policy_for(game: Game, policy: AnyPolicy, free: Players = ()) -> Policy:
    """Return a policy for ``game``, as :func:`as_policy` does; ``None`` stands for the uniform policy."""
    return uniform_policy(game) if policy is None else as_policy(game, policy, free)


def combine(parts: Mapping[Any, AnyPolicy], game: Game | str | None = None, others: AnyPolicy = None) -> Policy:
    """Join policies of single players into a joint policy.

    Args:
        parts: maps a player (number or name) or a tuple of players to a policy in any form that :func:`evaluate` takes.
            Only these players' part of it is read.
        game: the game, or its name; may be omitted if one of the parts is a :class:`Policy`.
        others: the policy of players who are not in ``parts``; without it, every player must be there.

    Examples:
        >>> import gamebench as gb
        >>> cautious = {state: "Pass" for state in ("0", "1", "2", "0pb", "1pb", "2pb")}
        >>> policy = gb.combine({0: cautious, 1: gb.uniform_policy("kuhn_poker")})
        >>> gb.expected_values("kuhn_poker", policy).round(4).tolist()
        [-0.5, 0.5]
        >>> gb.best_response("kuhn_poker", {0: cautious}, 1).value  # the other player's policy is not needed
        1.0
    """
    if not isinstance(parts, Mapping) or isinstance(parts, Policy):
        raise PolicyError(f"combine() takes a dictionary from players to policies, not {brief(parts)}.")
    if game is None:
        known = (each.game for part in (*parts.values(), others) if (each := policy_in(part)) is not None)
        game = next(known, None)
        if game is None:
            raise PolicyError("None of the parts says which game it is for; pass game= to combine().")
    game = as_game(game)
    table = _by_player(game, parts)
    if others is not None:
        table = dict.fromkeys(range(game.num_players), others) | table
    return as_policy(game, table)


def read(game: Game, source: AnyPolicy, players: Players, depth: int = 0) -> FloatArray:
    """Return probabilities ``(S,)``; only those of the ``players`` are meaningful."""
    if depth > DEEPEST:
        raise PolicyError(f"Policies for {game.name!r} are nested more than {DEEPEST} deep; does one contain itself?")
    inner = policy_in(source)
    if isinstance(inner, Mixture):
        raise PolicyError("A mixture is not a single joint policy; measure it with CCEGap, for example.")
    if inner is not None:
        inner.check_plays(game)
        return np.array(inner.probabilities)
    if isinstance(source, str) and source == UNIFORM:
        return np.array(uniform_policy(game).probabilities)
    if isinstance(source, str | os.PathLike):
        return read(game, read_file(game, source), players, depth + 1)
    if callable(getattr(source, "action_probabilities", None)):
        return _read_open_spiel(game, source, players)
    from gamebench.games.loading.openspiel import is_bot

    if is_bot(source):
        return _read_bot(game, source, players)
    if is_profile(source):
        return read_profile(game, source)
    parts = parts_of(game, source)
    if parts is not None:
        return _read_parts(game, parts, players, depth + 1)
    if isinstance(source, Mapping):
        return read_table(game, source, players)
    if callable(source):
        player = agent(source)
        if player.of == "point":
            return read_points(game, player, players)
        return _in_full_game(game, players, lambda full, members: read_states(full, player, members))
    numbers = as_numbers(source)
    if numbers is None or not numbers.shape:
        if callable(getattr(source, "average_policy", None)):
            raise PolicyError(f"{type(source).__name__} is a solver, not a policy; pass its average_policy().")
        raise PolicyError(
            f"Expected a policy, an agent, a table, an array or the path of a file for {game.name!r}, got "
            f"{brief(source)}."
        )
    return np.array(Policy(game, numbers).probabilities)


def policy_in(source: object) -> Policy | Mixture | None:
    """Return a policy or a mixture itself, or the one inside a result, a best response or an exact solution."""
    inner = source if isinstance(source, Policy | Mixture) else getattr(source, "policy", None)
    return inner if isinstance(inner, Policy | Mixture) else None


def parts_of(game: Game, source: AnyPolicy) -> dict[int, AnyPolicy] | None:
    """Return a list or a dictionary by player as a dictionary; ``None`` for all other sources."""
    if isinstance(source, Mapping):
        return _by_player(game, source) if _is_by_player(game, source) else None
    if not isinstance(source, list | tuple) or all(isinstance(part, Real) for part in source):
        return None
    if len(source) != game.num_players:
        raise PolicyError(
            f"A list of policies must have one for each of the {game.num_players} players of {game.name!r}, not "
            f"{len(source)}; to give only some of them, use gb.combine({{0: ...}}, others=...)."
        )
    return dict(enumerate(source))


def _is_by_player(game: Game, table: Mapping[Any, Any]) -> bool:
    """Return whether some keys of a table are players or tuples of players, and none is a decision point.

    Any integer counts as a player, so that a wrong number raises the error about players.
    """
    names = {game.player_name(player) for player in range(game.num_players)}

    def is_player(key: object) -> bool:
        return key in names if isinstance(key, str) else isinstance(key, int | np.integer) and not isinstance(key, bool)

    are_players = (all(map(is_player, key if isinstance(key, tuple) else (key,))) for key in table)
    return any(are_players) and not any(points_at(game, key) for key in table)


def _by_player(game: Game, parts: Mapping[Any, AnyPolicy]) -> dict[int, AnyPolicy]:
    """Return the parts by single player; raise for unknown players and for players with two parts."""
    table: dict[int, AnyPolicy] = {}
    for key, part in parts.items():
        for player in key if isinstance(key, tuple) else (key,):
            numbers = players_called(game, player)
            if len(numbers) != 1:
                raise PolicyError(no_player(game, player))
            if numbers[0] in table:
                raise PolicyError(f"Player {numbers[0]} has two policies; give each player one.")
            table[numbers[0]] = part
    return table


def _read_parts(game: Game, parts: Mapping[int, AnyPolicy], players: Players, depth: int) -> FloatArray:
    """Read each player's part; a part shared by several players is read once."""
    missing = [player for player in players if player not in parts]
    if missing:
        raise incomplete(game, missing)
    owners: dict[int, list[int]] = {}
    for player in players:
        owners.setdefault(id(parts[player]), []).append(player)
    probabilities = np.zeros(game.num_sequences)
    for members in owners.values():
        rows = read(game, parts[members[0]], members, depth)
        for player in members:
            own = game.sequence_form.sequences_of(player)
            probabilities[own] = rows[own]
    return probabilities


def incomplete(game: Game, missing: Iterable[int]) -> PolicyError:
    """Return the error for players without a policy."""
    who = " and ".join(map(game.player_name, missing))
    return PolicyError(
        f"There is no policy for {who} of {game.name!r}; add it with gb.combine(..., others=...); "
        f"best_response() needs no policy of the players who respond."
    )


def one_seat_only(game: Game) -> PolicyError:
    """Return the error for a single bot in several seats."""
    return PolicyError(
        f"A bot plays for one player, and {game.name!r} has {game.num_players}; pass a list with one bot per player."
    )


def _in_full_game(game: Game, players: Players, read_full: Callable[[Game, Players], FloatArray]) -> FloatArray:
    """Read probabilities for the full game, which OpenSpiel plays, and convert them to ``game``, derived from it."""
    if game.coordination is not None:
        full = game.coordination.full_game
        return lifted(game, read_full(full, [member for team in players for member in full.teams[team]]))
    if game.focus is not None:
        full, player = game.focus.full_game, game.focus.player
        return read_full(full, [player])[full.sequence_form.sequences_of(player)]
    return read_full(game, players)


def _read_open_spiel(game: Game, policy: Any, players: Players) -> FloatArray:
    """Read an object with ``action_probabilities(state)``."""
    from gamebench.games.loading.openspiel import decision_states, players_without, policy_at

    def read_full(full: Game, members: Players) -> FloatArray:
        if missing := set(members) & players_without(policy):
            raise incomplete(full, sorted(missing))
        probabilities = np.zeros(full.num_sequences)
        for point, _, state in decision_states(full):
            if point.player in members:
                answer = asked(full, point, "The policy gives no probabilities", policy_at, policy, state, point.player)
                probabilities[point.sequences] = row_of(full, point, answer)
        return probabilities

    return _in_full_game(game, players, read_full)


def _read_bot(game: Game, bot: Any, players: Players) -> FloatArray:
    """Read the bot of one player; it plays the original game."""
    from gamebench.games.loading.openspiel import bot_policy, decision_states, is_simultaneous

    def read_full(full: Game, members: Players) -> FloatArray:
        if len(members) > 1:
            raise one_seat_only(full)
        probabilities, is_converted = np.zeros(full.num_sequences), is_simultaneous(full)
        for point, _, state in decision_states(full):
            if point.player not in members:
                continue
            seen = state.simultaneous_game_state() if is_converted else state.clone()
            answer = asked(full, point, "The bot gives no probabilities", bot_policy, bot, seen)
            if answer is None:
                raise PolicyError(
                    "The bot returns only actions, not probabilities; sample it with gb.estimate_policy(game, bot, "
                    "samples=...)."
                )
            probabilities[point.sequences] = row_of(full, point, answer)
        return probabilities

    return _in_full_game(game, players, read_full)


def read_table(game: Game, table: Mapping[Any, Any], players: Players, default: AnyPolicy = None) -> FloatArray:
    """Read a table keyed by information state, name of an information set, (player, either of these) or decision point.

    The keys may also be OpenSpiel's. Points missing from the table use ``default``. A table for the members of teams is
    lifted to their coordinators; the default is then for the members as well.
    """
    if game.coordination is not None and not all(points_at(game, key) for key in table):
        return _in_full_game(game, players, lambda full, members: read_table(full, table, members, default))
    answers = _answers(game, table)
    probabilities = np.zeros(game.num_sequences) if default is None else read(game, default, players)
    missing: list[DecisionPoint] = []
    for point in game.decision_points:
        if point.player in players and point in answers:
            probabilities[point.sequences] = row_of(game, point, answers[point])
        elif point.player in players:
            missing.append(point)
    if missing and default is None:
        raise _gap(game, missing, table)
    return probabilities


def _answers(game: Game, table: Mapping[Any, Any]) -> dict[DecisionPoint, Any]:
    """Return the answers of a table by decision point."""
    answers: dict[DecisionPoint, Any] = {}
    for key, points in _points_of_keys(game, table).items():
        for point in points:
            if point in answers:
                raise PolicyError(f"The table has two entries {located(game, point)}.")
            answers[point] = table[key]
    return answers


def _points_of_keys(game: Game, table: Mapping[Any, Any]) -> dict[Any, list[DecisionPoint]]:
    """Return the decision points of each key of a table; all are GameBench's, or all are OpenSpiel's.

    A table for a focal player may be for the full game; the other players' keys are then ignored.
    """
    unknown = [key for key in table if not points_at(game, key)]
    if unknown and game.focus is not None:
        full, player = game.focus.full_game, game.focus.player
        first = int(full.sequence_form.player_blocks[player])
        return {
            key: [game.decision_points[point.index - first] for point in points if point.player == player]
            for key, points in _points_of_keys(full, table).items()
        }
    if unknown:
        from gamebench.games.loading.openspiel import has_information_states
    if not unknown or (game.source.kind != "payoffs" and has_information_states(game)):  # named as in OpenSpiel
        return {key: [point_at(game, key)] for key in table}
    theirs = _open_spiel_keys(game)
    if all(key in theirs for key in table):
        return {key: theirs[key] for key in table}
    wrong = [key for key in unknown if key not in theirs]
    if not wrong:
        raise PolicyError(
            f"Some keys of the table are OpenSpiel's, such as {shortened(unknown[0])} in {game.name!r}, and others are "
            f"GameBench's; use keys of one kind."
        )
    raise unclear(game, wrong[0], theirs)


def _gap(game: Game, missing: list[DecisionPoint], table: Mapping[Any, Any]) -> PolicyError:
    """Return the error for a table that lacks some or all decision points of a player."""
    lacking, sizes = Counter(point.player for point in missing), np.diff(game.sequence_form.player_blocks)
    absent = [player for player, count in sorted(lacking.items()) if count == sizes[player]]
    if absent and table:
        return incomplete(game, absent)
    more = f" and at {len(missing) - 1} others" if len(missing) > 1 else ""
    return PolicyError(
        f"The table has no probabilities {located(game, missing[0])}{more}; Policy.from_dict() fills gaps with "
        f"default=."
    )


def _open_spiel_keys(game: Game) -> dict[str, list[DecisionPoint]]:
    """Return the decision points of each key of OpenSpiel's ``TabularPolicy``; several may share an observation."""
    from gamebench.games.loading.openspiel import decision_states, original_game

    kind = original_game(game.source).get_type()
    keys: dict[str, list[DecisionPoint]] = {}
    for point, _, state in decision_states(game):
        if kind.provides_information_state_string:
            key = state.information_state_string()
        else:
            key = state.observation_string() if kind.provides_observation_string else str(state)
        keys.setdefault(key, []).append(point)
    return keys
