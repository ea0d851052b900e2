"""The exact response of a team of two, against the mixed-integer program."""

from __future__ import annotations

from collections.abc import Iterator

import gamebench as gb
from benchmarks.timing import Result, seconds


def results() -> Iterator[Result]:
    """The three mixed games, the mean over ten random policies."""
    for name in ("MCCKuhn-A", "MCCKuhn-B", "MCCGoofspiel"):
        game = gb.load_game(name)
        team = max(game.teams, key=len)
        policies = [gb.random_policy(game, seed) for seed in range(10)]

        def respond(method: str, game=game, team=team, policies=policies) -> None:
            for policy in policies:
                gb.best_response(game, policy, team, method=method)

        ours = seconds(lambda respond=respond: respond("search")) / len(policies)
        theirs = seconds(lambda respond=respond: respond("milp"), repeats=1) / len(policies)
        yield Result("exact team response", name, ours, "mixed-integer program (HiGHS)", theirs, 10)
