"""Estimate how close to an equilibrium team members can come without coordination.

    python -m tools.floors [--starts 200] [--seed 0]

In a zero-sum game of two teams NashConv of independent policies is at least v - w. Here v is the value with
coordination, from an exact linear program, and w the team-maxmin value: the most that independent members can guarantee
their team, the optimum of a multilinear program. From many starts (random policies and results of CRD) members are
improved in turn by exact linear programs while their team mates stay fixed, until nobody improves. Every result is a
policy, so w can only be underestimated, and the floor v - w overestimated.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import numpy as np

import gamebench as gb
from gamebench.analysis.exact.zero_sum import minimax_policy
from gamebench.core.arrays import FloatArray
from gamebench.games.game import Game
from gamebench.games.transforms import realisation

GAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("MCCKuhn-A", {}),
    ("MCCKuhn-B", {}),
    ("MCCGoofspiel", {}),
    ("kuhn_poker(players=3)", {"teams": [[1, 2], [0]]}),
)
ENOUGH = 1e-13


def duel(game: Game, member: int, opponent: int, policy: FloatArray) -> Game:
    """Return the zero-sum game between a member and the opponent; the other members play ``policy``."""
    form = game.sequence_form
    x = realisation(form, policy)
    chance = form.chance.copy()
    for player in range(form.num_players):
        if player not in (member, opponent):
            chance *= x[form.last_sequences[player]]
    return replace(game, name="duel", sequence_form=form._replace(chance=chance))


def improve(game: Game, team: tuple[int, ...], opponent: int, policy: FloatArray) -> tuple[float, FloatArray]:
    """Improve the members in turn; return what the resulting policy guarantees, and the policy."""
    guaranteed = -np.inf
    while True:
        for member in team:
            pair = two_players(duel(game, member, opponent, policy), [member, opponent])
            answer = minimax_policy(pair, "highs-ds")
            own = game.sequence_form.sequences_of(member)
            policy = policy.copy()
            policy[own] = answer[: own.stop - own.start]
        response = gb.best_response(game, gb.Policy(game, policy), opponent)
        value = float(gb.expected_values(game, response.policy)[team[0]])
        if value <= guaranteed + ENOUGH:
            return max(value, guaranteed), policy
        guaranteed = value


def two_players(game: Game, order: list[int]) -> Game:
    """Return the game of two of the players; the policies of the others become chance."""
    form = game.sequence_form
    blocks = [range(form.player_blocks[player], form.player_blocks[player + 1]) for player in order]
    points = np.concatenate([np.array(block, dtype=np.int64) for block in blocks])
    counts = np.diff(form.first_sequences)[points]
    sequences = np.concatenate([np.arange(form.num_sequences)[form.sequences_of(player)] for player in order])
    new = np.full(form.num_sequences + form.num_players, -1)
    new[sequences] = np.arange(len(sequences))
    for place, player in enumerate(order):
        new[form.num_sequences + player] = len(sequences) + place
    return replace(
        game,
        name="two players",
        sequence_form=gb.games.sequence_form.SequenceForm(
            player_blocks=np.array([0, len(blocks[0]), len(points)]),
            first_sequences=np.concatenate([[0], np.cumsum(counts)]),
            parent_sequences=new[form.parent_sequences[points]],
            chance=form.chance,
            payoffs=form.payoffs[order],
            last_sequences=new[form.last_sequences[order]],
        ),
        labels=gb.games.game.Labels(
            tuple(game.labels.information_states[point] for point in points),
            tuple(game.labels.actions[s] for s in sequences),
            tuple(game.labels.action_ids[s] for s in sequences),
        ),
        teams=(),
    )


def main() -> None:
    """Print the floors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"{'game':40} {'with coordination':>18} {'without':>14} {'floor':>14} {'starts at the best':>20}")
    for name, arguments in GAMES:
        game = gb.load_game(name, **arguments)
        [team] = [members for members in game.teams if len(members) > 1]
        [[opponent]] = [members for members in game.teams if len(members) == 1]
        coordinated = gb.solve_exactly(gb.load_game(name, **arguments, coordinated=True))
        value = float(coordinated.payoffs[game.teams.index(team)])
        generator = np.random.default_rng(options.seed)
        starts = [gb.random_policy(game, generator).probabilities for _ in range(options.starts)]
        starts += [gb.solve(game, "CRD", 5000, seed=seed, measures=[]).policy.probabilities for seed in range(5)]
        found = np.array([improve(game, team, opponent, np.array(start))[0] for start in starts])
        best = found.max()
        share = f"{(found > best - 1e-9).sum()} of {len(found)}"
        print(f"{game.name:40} {value:18.12f} {best:14.10f} {max(value - best, 0.0):14.10f} {share:>20}", flush=True)


if __name__ == "__main__":
    main()
