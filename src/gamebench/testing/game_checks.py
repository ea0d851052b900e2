"""Questions to every game, which is given by a name that :func:`gamebench.load_game` accepts."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gamebench import kernels
from gamebench.errors import GameBenchError
from gamebench.games.openspiel import has_information_states, values_by_open_spiel
from gamebench.load import OWN_GAMES, load_game
from gamebench.measures import evaluate, main_measure
from gamebench.policy import Policy, expected_values, random_policy, uniform_policy
from gamebench.solving import solve
from gamebench.testing.conformance import refused, require

TOLERANCE = 1e-9
OPEN_SPIEL_HISTORIES = 20_000
"""Larger games are not compared with OpenSpiel, which would take seconds to walk their trees."""


def loads_as_the_same(name: str) -> None:
    """Loaded twice, it is the same game: same arrays, same names."""
    first, second = load_game(name), load_game(name)
    require(first.name == second.name, f"loaded twice it is called {first.name!r} and {second.name!r}.")
    fingerprints = f"{first.fingerprint} and {second.fingerprint}"
    is_same = first.fingerprint == second.fingerprint
    require(is_same, f"loaded twice it has the fingerprints {fingerprints}: is it drawn at random?")


def names_are_unique(name: str) -> None:
    """Its decision points have distinct information states, and the actions at each have distinct names."""
    points = load_game(name).decision_points
    keys = [(point.player, point.information_state) for point in points]
    require(len(set(keys)) == len(keys), "two decision points of a player have the same information state.")
    for point in points:
        require(len(set(point.actions)) == len(point.actions), f"actions at {point.information_state!r} share a name.")


def reaches_sum_to_one(name: str) -> None:
    """The probabilities of its terminals sum to 1 under every policy: sum_z c(z) prod_i x(s_i(z)) = 1."""
    game = load_game(name)
    for seed in range(3):
        plan = np.empty(game.num_sequences + game.num_players)
        kernels.realise(game.tree, np.array(random_policy(game, seed).probabilities), plan)
        total = float((game.tree.chance * plan[game.tree.last_sequences].prod(axis=0)).sum())
        require(abs(total - 1.0) <= TOLERANCE, f"the probabilities of its terminals sum to {total!r}.")


def values_are_open_spiels(name: str) -> None:
    """Its expected payoffs are those that OpenSpiel computes on the original game."""
    game = load_game(name)
    policy = random_policy(game, 0)
    error = np.abs(expected_values(game, policy) - values_by_open_spiel(game, policy.to_open_spiel())).max()
    require(error <= TOLERANCE * (1 + game.max_abs_payoff), f"its values differ from OpenSpiel's by {error:.3g}.")


def can_be_measured(name: str) -> None:
    """Its main measure is finite and not negative for the uniform policy and a random one."""
    game = load_game(name)
    for policy in (uniform_policy(game), random_policy(game, 0)):
        value, lowest = evaluate(game, policy, main_measure(game)), -TOLERANCE * (1 + game.max_abs_payoff)
        require(value >= lowest, f"{main_measure(game)} is {value!r}, which is negative.")


def policies_are_kept(name: str) -> None:
    """A policy saved to a file loads unchanged."""
    game = load_game(name)
    policy = random_policy(game, 0)
    with tempfile.TemporaryDirectory() as folder:
        policy.save(Path(folder) / "policy.npz")
        again = Policy.load(Path(folder) / "policy.npz", game)
    require(np.array_equal(policy.probabilities, again.probabilities), "a saved policy comes back changed.")


def can_be_solved(name: str) -> None:
    """CMD runs on it."""
    solve(load_game(name), "CMD", 12, measures=[])


def refuses_bad_parameters(name: str) -> None:
    """It refuses unknown parameters with a clear error."""
    with refused("A parameter that does not exist"):
        load_game(f"{name.partition('(')[0]}(no_such_parameter=1)")


def _has_original(name: str) -> bool:
    """Return whether the game is a small game of OpenSpiel with the same players, payoffs and information states."""
    try:
        game = load_game(name)
    except GameBenchError:
        return False  # the other checks report this
    has_teams = any(len(team) > 1 for team in game.teams)
    if game.focus is not None or has_teams or game.num_histories > OPEN_SPIEL_HISTORIES:
        return False
    return has_information_states(game)


def questions(name: str) -> list[Callable[[str], None]]:
    """Return the questions to the game."""
    always = [
        loads_as_the_same,
        names_are_unique,
        reaches_sum_to_one,
        can_be_measured,
        policies_are_kept,
        can_be_solved,
    ]
    original = [values_are_open_spiels] if _has_original(name) else []
    own = [refuses_bad_parameters] if name.partition("(")[0] in OWN_GAMES else []
    return [*always, *original, *own]
