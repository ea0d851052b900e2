"""Random small games: extensive-form games with perfect recall, random policies for them, and normal-form games.

`pyspiel.load_efg_game(text)` reads the extensive-form games, which are Gambit .efg text. `random_efg` and
`random_policy` are plain seeded functions; `efg_games` and `policies` wrap them as hypothesis strategies whose sizes
shrink. The normal-form games at the end are general-sum and have several equilibria.
"""

import math
import random
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

Past: TypeAlias = tuple[tuple[int, int], ...]  # A player's own (information set number, action index) pairs so far.
DecisionPoints: TypeAlias = dict[tuple[int, str], list[int]]
Policy: TypeAlias = dict[tuple[int, str], dict[int, float]]
PayoffArray: TypeAlias = npt.NDArray[np.float64]

MIN_NODES = 7  # A root with three children, the first of which has three children.
ACTION_COUNTS, ACTION_COUNT_WEIGHTS = (1, 2, 3), (1, 5, 4)
CHANCE_WEIGHTS = (1, 1, 2, 3, 5, 7, 997)
ROW_KINDS = ("uniform", "dense", "zeros", "near pure", "pure")


class _Infoset(NamedTuple):
    """An information set: its player, its number (from 1 for each player), its action count and its player's past."""

    player: int
    number: int
    actions: int
    past: Past


@dataclass
class _Node:
    """A node of the growing tree, with each player's past. It is terminal unless it is given a line of text."""

    depth: int
    pasts: list[Past]
    line: str = ""
    children: list["_Node"] = field(default_factory=list)


def random_efg(
    seed: int,
    players: int = 2,
    max_depth: int = 5,
    max_nodes: int = 60,
    chance_rate: float = 0.2,
    join_rate: float = 0.7,
    stop_rate: float = 0.1,
    shared_names: bool = False,
) -> str:
    """A random game in .efg format with at least one decision and at most `max_nodes` nodes, terminals included.

    A decision node joins, with probability `join_rate`, an existing information set whose player went through the same
    own past, if there is any; this keeps perfect recall and never puts two nodes of a path into one information set.
    With `shared_names` all information sets use the same action names (so they share OpenSpiel's action ids),
    otherwise every action of every information set has a name of its own.
    """
    if max_nodes < MIN_NODES or max_depth < 1 or players < 1:
        raise ValueError(f"need players >= 1, max_depth >= 1 and max_nodes >= {MIN_NODES}")
    rng = random.Random(seed)
    movers = list(range(players))
    if players > 1 and rng.random() < 0.2:
        movers.remove(rng.choice(movers))
    infosets: list[_Infoset] = []
    chance_nodes = 0

    root = _Node(0, [()] * players)
    frontier = [root]
    nodes = 1
    while frontier:
        node = frontier.pop(rng.randrange(len(frontier)))
        is_root = node is root
        must_decide = not infosets and (not is_root or max_depth == 1)
        may_stop = not (is_root or must_decide)
        if node.depth == max_depth or (may_stop and rng.random() < stop_rate):
            continue

        actions = rng.choices(ACTION_COUNTS, ACTION_COUNT_WEIGHTS)[0]
        if not must_decide and rng.random() < chance_rate:
            if nodes + actions > max_nodes:
                continue
            chance_nodes += 1
            node.line = _chance_line(rng, chance_nodes, actions, shared_names)
            node.children = [_Node(node.depth + 1, node.pasts) for _ in range(actions)]
        else:
            joinable = [infoset for infoset in infosets if node.pasts[infoset.player] == infoset.past]
            if joinable and rng.random() < join_rate:
                infoset = rng.choice(joinable)
            else:
                player = rng.choice(movers)
                number = 1 + sum(infoset.player == player for infoset in infosets)
                infoset = _Infoset(player, number, actions, node.pasts[player])
            if nodes + infoset.actions > max_nodes:
                continue
            if infoset not in infosets:
                infosets.append(infoset)
            node.line = _player_line(infoset, shared_names)
            for action in range(infoset.actions):
                pasts = list(node.pasts)
                pasts[infoset.player] = (*infoset.past, (infoset.number, action))
                node.children.append(_Node(node.depth + 1, pasts))
        nodes += len(node.children)
        frontier.extend(node.children)

    names = " ".join(f'"P{player + 1}"' for player in range(players))
    lines = [f'EFG 2 R "random game {seed}" {{ {names} }}']
    payoffs = [0.0]
    _write(root, rng, players, payoffs, lines)
    return "\n".join(lines) + "\n"


def random_policy(decision_points: DecisionPoints, rng: random.Random, kinds: tuple[str, ...] = ROW_KINDS) -> Policy:
    """A policy with a row for every decision point, each of a kind picked at random from `kinds`.

    Rows are uniform, dense (random and positive), dense except for some exact zeros, nearly pure (all but one action
    have probabilities from 1e-10 to 1e-3) or pure.
    """
    return {point: _random_row(actions, rng, rng.choice(kinds)) for point, actions in decision_points.items()}


@st.composite
def efg_games(
    draw: st.DrawFn, min_players: int = 2, max_players: int = 4, max_depth: int = 5, max_nodes: int = 60
) -> str:
    """Strategy of random games with perfect recall in .efg format; see `random_efg`."""
    return random_efg(
        players=draw(st.sampled_from(range(min_players, max_players + 1))),
        max_depth=draw(_limits(1, max_depth)),
        max_nodes=draw(_limits(MIN_NODES, max_nodes)),
        chance_rate=draw(st.sampled_from([0.0, 0.2, 0.3, 0.4])),
        join_rate=draw(st.sampled_from([0.0, 0.5, 0.7, 0.9])),
        stop_rate=draw(st.sampled_from([0.0, 0.15])),
        shared_names=draw(st.booleans()),
        seed=draw(st.integers(0, 2**32 - 1)),
    )


@st.composite
def policies(draw: st.DrawFn, decision_points: DecisionPoints) -> Policy:
    """Strategy of policies for the given decision points; shrinks towards the uniform policy. See `random_policy`."""
    kinds = ROW_KINDS[: draw(st.integers(1, len(ROW_KINDS)))]
    return random_policy(decision_points, random.Random(draw(st.integers(0, 2**32 - 1))), kinds)


def _limits(low: int, high: int) -> st.SearchStrategy[int]:
    """Integers from low to high, about half of them high; sampled, because st.integers prefers small numbers."""
    return st.sampled_from([*range(low, high), *[high] * max(1, high - low)])


def _chance_line(rng: random.Random, number: int, outcomes: int, shared_names: bool) -> str:
    """A chance node whose probabilities are small fractions, written as fractions or as full-precision decimals."""
    weights = [rng.choice(CHANCE_WEIGHTS) for _ in range(outcomes)]
    total = sum(weights)
    as_fractions = rng.random() < 0.5
    prefix = "c" if shared_names else f"c{number}."
    entries = " ".join(
        f'"{prefix}{i}" {f"{weight}/{total}" if as_fractions else repr(weight / total)}'
        for i, weight in enumerate(weights)
    )
    return f'c "" {number} "chance {number}" {{ {entries} }} 0'


def _player_line(infoset: _Infoset, shared_names: bool) -> str:
    """A decision node. Nodes of one information set get the same text."""
    player, number = infoset.player + 1, infoset.number
    prefix = "a" if shared_names else f"p{player}.{number}."
    entries = " ".join(f'"{prefix}{i}"' for i in range(infoset.actions))
    return f'p "" {player} {number} "P{player} set {number}" {{ {entries} }} 0'


def _write(node: _Node, rng: random.Random, players: int, payoffs: list[float], lines: list[str]) -> None:
    """Append the lines of a subtree in depth-first order; `payoffs` collects all payoffs so far, starting with 0."""
    if node.line:
        lines.append(node.line)
        for child in node.children:
            _write(child, rng, players, payoffs, lines)
        return
    outcome = (len(payoffs) - 1) // players + 1
    own = [_random_payoff(rng, payoffs) for _ in range(players)]
    payoffs.extend(own)
    lines.append(f't "" {outcome} "outcome {outcome}" {{ {" ".join(map(repr, own))} }}')


def _random_payoff(rng: random.Random, earlier: list[float]) -> float:
    """A float of either sign, a small whole number (0 included), or a payoff that occurred before."""
    kind = rng.random()
    if kind < 0.5:
        return rng.uniform(-10.0, 10.0)
    if kind < 0.75:
        return float(rng.randint(-2, 2))
    return rng.choice(earlier)


def _random_row(actions: list[int], rng: random.Random, kind: str) -> dict[int, float]:
    """A probability for each action; the kinds are those of `random_policy`."""
    if kind == "uniform":
        return {action: 1.0 / len(actions) for action in actions}
    favourite = rng.choice(actions)
    if kind == "pure":
        return {action: 1.0 if action == favourite else 0.0 for action in actions}
    if kind == "near pure":
        row = {a: rng.choice((1e-10, 10.0 ** rng.uniform(-10.0, -3.0))) for a in actions if a != favourite}
        row[favourite] = 1.0 - sum(row.values())
        return {action: row[action] for action in actions}
    weights = {action: rng.uniform(0.01, 1.0) for action in actions}
    if kind == "zeros":
        weights = {a: 0.0 if a != favourite and rng.random() < 0.6 else w for a, w in weights.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


# ------------------------------------------------------------------------------------ normal form, general-sum
# Payoff arrays of shape (A_1, ..., A_N, N) with whole numbers, for `gb.Game.from_payoffs`.


def stag_hunt(seed: int) -> PayoffArray:
    """Two players hunt a stag together, or each a hare alone. Hunting hares is safe, and the stag pays both more.

    Three equilibria: stag, hare, and a mixed one. The stag is best for both, whatever the seed.
    """
    alone, hare, stag = _ascending(seed, 3)
    return _bimatrix([[stag, alone], [hare, hare]], [[stag, hare], [alone, hare]])


def battle_of_the_sexes(seed: int) -> PayoffArray:
    """Both players want to meet, each at its own favourite place. Three equilibria; the mixed one pays both least."""
    rng = random.Random(seed)
    (low, high), (lower, higher) = ((rng.randint(1, 9), rng.randint(10, 20)) for _ in range(2))
    return _bimatrix([[high, 0], [0, low]], [[lower, 0], [0, higher]])


def chicken(seed: int) -> PayoffArray:
    """Swerve or drive on; if both drive on, they crash. Three equilibria: one of the two swerves, or both mix."""
    crash, swerve, both_swerve, drive_on = _ascending(seed, 4)
    first = [[both_swerve, swerve], [drive_on, crash]]
    return _bimatrix(first, np.transpose(first).tolist())


def random_coordination(seed: int, actions: int = 3, players: int = 2) -> PayoffArray:
    """All get 0 unless they choose the same action, and then 1 to 20 each, so every action gives an equilibrium."""
    rng = random.Random(seed)
    table = np.zeros((*[actions] * players, players))
    for action in range(actions):
        table[(action,) * players] = [rng.randint(1, 20) for _ in range(players)]
    return table


def random_payoffs(seed: int, *counts: int, largest: int = 20) -> PayoffArray:
    """Independent whole numbers from -largest to largest; a small range makes ties and degenerate games likely."""
    rng = random.Random(seed)
    shape = (*counts, len(counts))
    return np.array([rng.randint(-largest, largest) for _ in range(math.prod(shape))], np.float64).reshape(shape)


def _ascending(seed: int, count: int) -> list[int]:
    return sorted(random.Random(seed).sample(range(1, 21), count))


def _bimatrix(first: list[list[int]], second: list[list[int]]) -> PayoffArray:
    return np.stack([first, second], axis=-1).astype(np.float64)
