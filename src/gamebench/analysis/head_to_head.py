"""Head-to-head contests: exact expected payoffs of agents in every seating."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from gamebench import kernels
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import PolicyError, brief
from gamebench.games.formats.gambit import distinct_names
from gamebench.games.game import Game
from gamebench.games.names import as_game
from gamebench.policies import AnyPolicy, Policy, as_policy
from gamebench.policies.agent_answers import without_array

if TYPE_CHECKING:
    import pandas

MOST_SEATINGS = 100_000
"""Maximum number of seatings."""
MEANS = "Mean over all seats and other agents"
"""Title of the table of scores."""
AT_ONCE = 10_000_000
"""Number of probabilities in one batch: 80 megabytes."""


def _rounded(payoff: float) -> str:
    return f"{round(payoff, 4) + 0.0:.4f}"  # without -0.0000


@dataclass(frozen=True, eq=False)
class HeadToHead:
    """Expected payoffs of agents in every seating; made by :func:`head_to_head`.

    Examples:
        >>> import gamebench as gb
        >>> kuhn = gb.load_game("kuhn_poker")
        >>> contest = gb.head_to_head(kuhn, {"CFR+": gb.solve(kuhn, "CFR+", 1000), "uniform": "uniform"})
        >>> contest
        HeadToHead in 'kuhn_poker': payoff of the row against the column, mean over seats
                   CFR+  uniform
        CFR+     0.0000   0.1472
        uniform -0.1472   0.0000
        >>> contest.scores.round(4).to_dict()
        {'CFR+': 0.1472, 'uniform': -0.1472}
    """

    game: Game
    names: tuple[str, ...]
    payoffs: FloatArray
    """``(K, ..., K, N)``: each player's payoff if agent ``a_t`` plays for team ``t``, as ``payoffs[a_0, a_1, player]``.
    Without teams, every player is a team of its own."""

    @cached_property
    def seatings(self) -> pandas.DataFrame:
        """One row per seating: the agents by seat, and each player's payoff."""
        import pandas

        players = distinct_names(map(self.game.player_name, range(self.game.num_players)))
        seats = [" and ".join(players[member] for member in team) for team in self.game.teams]
        rows = [
            [*agents, *values]
            for agents, values in zip(
                product(self.names, repeat=len(seats)), self.payoffs.reshape(-1, self.game.num_players), strict=True
            )
        ]
        return pandas.DataFrame(rows, columns=[*seats, *(f"payoff {player}" for player in range(len(players)))])

    @cached_property
    def matrix(self) -> pandas.DataFrame:
        """Payoff of the row's agent against the column's, averaged over both seats; only for two players or teams."""
        import pandas

        if len(self.game.teams) != 2:
            raise PolicyError(
                f"A matrix needs two seats, and {self.game.name!r} has {len(self.game.teams)}; use .seatings or "
                f".scores."
            )
        first, second = (self.payoffs[..., team[0]] for team in self.game.teams)
        return pandas.DataFrame((first + second.T) / 2, index=self.names, columns=self.names)

    @cached_property
    def scores(self) -> pandas.Series[float]:
        """Mean payoff of each agent, the best first; seatings in which it meets only itself are left out."""
        import pandas

        seatings = np.array(list(product(range(len(self.names)), repeat=len(self.game.teams))))
        counts = (seatings != seatings[:, :1]).any(axis=1)
        if not counts.any():  # one agent, or one seat
            counts[:] = True
        values = self.payoffs.reshape(-1, self.game.num_players)
        own = [
            [values[counts & (seatings[:, seat] == agent), team[0]].mean() for agent in range(len(self.names))]
            for seat, team in enumerate(self.game.teams)
        ]
        scores = pandas.Series(np.mean(own, axis=0), index=self.names, name="mean payoff")
        return scores.sort_values(ascending=False, kind="stable")

    def __repr__(self) -> str:
        return "\n\n".join(
            f"{title}\n{table.to_string(index=is_named, float_format=_rounded)}"
            for title, table, is_named in self._shown()
        )

    def _repr_html_(self) -> str:
        return "".join(
            f"<p>{title}</p>{table.to_html(index=is_named, float_format=_rounded)}"
            for title, table, is_named in self._shown()
        )

    def _shown(self) -> list[tuple[str, pandas.DataFrame, bool]]:
        """Return the tables to show: title, content, and whether to show the index with the agents' names."""
        what = f"HeadToHead in {self.game.name!r}"
        if len(self.game.teams) == 2:
            return [(f"{what}: payoff of the row against the column, mean over seats", self.matrix, True)]
        means = self.scores.to_frame()
        return [(f"{what}: payoffs of every seating", self.seatings, False), (MEANS, means, True)]


def head_to_head(game: Game | str, agents: Mapping[str, AnyPolicy] | Iterable[AnyPolicy]) -> HeadToHead:
    """Let agents play each other in every seating and return their exact expected payoffs.

    In each seat, an agent plays that player's part of its policy. A team is one seat.

    Args:
        game: the game, or its name.
        agents: a dictionary from names to policies in any form that :func:`evaluate` takes, or a list of such policies,
            which are named by their position.

    Examples:
        >>> import gamebench as gb
        >>> def caller(point):
        ...     return "Bet"
        >>> contest = gb.head_to_head("kuhn_poker", {"caller": caller, "uniform": "uniform"})
        >>> round(float(contest.matrix.loc["caller", "uniform"]), 4)
        0.375
        >>> contest.payoffs.shape  # agent of player 0, agent of player 1, player
        (2, 2, 2)
    """
    game = as_game(game)
    named: dict[str, AnyPolicy] = {}
    agents = without_array(agents)
    if isinstance(agents, Iterable) and not isinstance(agents, Policy | str):
        named = dict(agents) if isinstance(agents, Mapping) else {f"agent {k}": each for k, each in enumerate(agents)}
    if not named:
        raise PolicyError("head_to_head() takes a dictionary from names to policies, or a list of policies.")
    if wrong := [name for name in named if not isinstance(name, str)]:
        raise PolicyError(f"The names of agents must be strings, not {brief(wrong[0])}.")
    seatings = len(named) ** len(game.teams)
    if seatings > MOST_SEATINGS:
        raise PolicyError(
            f"{len(named)} agents have {seatings:,} seatings in {game.name!r}, more than {MOST_SEATINGS:,}; use fewer."
        )
    policies = np.stack([as_policy(game, source).probabilities for source in named.values()])
    return HeadToHead(game, tuple(named), _payoffs(game, policies).reshape(*[len(named)] * len(game.teams), -1))


def _payoffs(game: Game, policies: FloatArray) -> FloatArray:
    """Return the payoffs ``(seatings, N)`` of policies ``(K, S)``, the last seat changing fastest."""
    seats = np.empty(game.num_sequences, dtype=np.intp)
    for seat, team in enumerate(game.teams):
        for member in team:
            seats[game.sequence_form.sequences_of(member)] = seat
    columns = np.arange(game.num_sequences)
    seatings = np.array(list(product(range(len(policies)), repeat=len(game.teams))), dtype=np.intp)
    size = max(AT_ONCE // max(game.num_sequences, 1), 1)
    parts = [seatings[start : start + size] for start in range(0, len(seatings), size)]
    batches = (policies[part[:, seats], columns] for part in parts)
    return np.concatenate(
        [kernels.expected_values(tuple(game.sequence_form), np.ascontiguousarray(batch)) for batch in batches]
    )
