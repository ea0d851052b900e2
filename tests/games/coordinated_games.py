"""Random team games with their coordinators, policies of all kinds for them, and games given in full."""

import random
import warnings
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

import gamebench as gb
from gamebench.games.teams.beliefs import moves_to
from tests.helpers import game_of
from tests.oracles.coordinated_teams import random_team_game
from tests.oracles.random_games import ROW_KINDS, random_policy

PAIRS = [[[0, 1], [2]], [[0], [1, 2]], [[0, 2], [1]], [[0, 1], [2, 3]]]
TRIOS = [[[0, 1, 2], [3]], [[1], [0, 2, 3]], [[0, 1, 2], [3, 4]]]
THREE_TEAMS = [[[0, 1], [2], [3]], [[0, 2], [1, 3], [4]]]
ALL_TOGETHER = [[[0, 1]], [[0, 1, 2]]]
TEAMS = [*PAIRS, *TRIOS, *THREE_TEAMS, *ALL_TOGETHER]
MCC_VALUES = {"MCCKuhn-A": -1 / 48, "MCCKuhn-B": 7 / 528, "MCCGoofspiel": 1 / 4}
"""What the first team gets if both coordinate."""


def coordinated(game: gb.Game, **options: int) -> gb.Game:
    """The game between coordinators, with no warning if there are more than two."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gb.with_coordination(game, **options)


def by_number(form, tuples):
    """Decision points ordered by number, which is also correct but makes large graphs."""
    return np.unique(np.concatenate([form.decision_points_of_sequences()[moves_to(form, last)[1]] for last in tuples]))


def policy_of_kinds(game: gb.Game, seed: int, kinds: tuple[str, ...] = ROW_KINDS) -> gb.Policy:
    """A policy whose rows are uniform, dense, pure, nearly pure or have zeros."""
    points = {(point.player, str(point.index)): list(range(len(point.actions))) for point in game.decision_points}
    rows = random_policy(points, random.Random(seed), kinds)
    return gb.Policy(game, np.array([p for row in rows.values() for p in row.values()]))


@st.composite
def team_games(draw: st.DrawFn, teams: list[list[list[int]]] = TEAMS, max_nodes: int = 100) -> gb.Game:
    """Random games between teams, with and without chance, and with large and small information sets."""
    seed, partition = draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from(teams))
    game = random_team_game(
        seed,
        partition,
        constant=draw(st.sampled_from([0.0, 3.0])),
        max_nodes=draw(st.sampled_from([20, max_nodes, 40, max_nodes])),
        chance_rate=draw(st.sampled_from([0.1, 0.0, 0.3])),
        join_rate=draw(st.sampled_from([0.95, 0.7, 0.3])),
    )
    if len(partition) > 1:
        return game
    common = np.random.default_rng(seed).uniform(
        -10, 10, len(game.sequence_form.chance)
    )  # a constant sum would leave nothing
    payoffs = np.repeat(common[None], game.num_players, axis=0)
    return replace(
        game, sequence_form=game.sequence_form._replace(payoffs=payoffs), max_abs_payoff=float(np.abs(common).max())
    )


def hands(actions: list[int], teams: list[list[int]]) -> gb.Game:
    """Chance deals player 0 a hand; hand ``i`` has ``actions[i]`` actions. Player 1 moves blindly, player 2 never."""
    lines = ['EFG 2 R "hands" { "A" "B" "C" }']
    shares = " ".join(f'"{hand}" 1/{len(actions)}' for hand in range(len(actions)))
    lines.append(f'c "" 1 "deal" {{ {shares} }} 0')
    outcome = 0
    for hand, count in enumerate(actions):
        names = " ".join(f'"{action}"' for action in range(count))
        lines.append(f'p "" 1 {hand + 1} "hand {hand}" {{ {names} }} 0')
        for action in range(count):
            lines.append('p "" 2 1 "blind" { "left" "right" } 0')
            for side in (0, 1):
                outcome += 1
                worth = (action + hand + side) % 3
                lines.append(f't "" {outcome} "" {{ {worth} {worth} {-2 * worth} }}')
    return gb.with_teams(game_of("\n".join(lines) + "\n"), teams)
