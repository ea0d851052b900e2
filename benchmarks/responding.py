"""The exact response of a team of two, against a mixed-integer program."""

from __future__ import annotations

from collections.abc import Iterator

import gamebench as gb
from benchmarks.agreement import Agreement
from benchmarks.result import Engine, Result
from benchmarks.timing import in_turns, times

POLICIES, TARGET = 10, 10


def results() -> Iterator[Result]:
    """Yield the results for the three mixed games, as means over ten random policies."""
    for name in ("MCCKuhn-A", "MCCKuhn-B", "MCCGoofspiel"):
        game = gb.load_game(name)
        team = max(game.teams, key=len)
        policies = [gb.random_policy(game, seed) for seed in range(POLICIES)]

        def respond(method: str, game=game, team=team, policies=policies) -> float:
            return sum(gb.best_response(game, policy, team, method=method).value for policy in policies)

        ways = [lambda respond=respond, method=method: respond(method) for method in ("search", "milp")]
        check = Agreement(f"values of {POLICIES} responses, summed", *(way() for way in ways))
        ours, theirs = (taken / POLICIES for taken in in_turns([times(way) for way in ways]))
        about = {"note": str(check), "within_limits": check.same}
        program = Engine.HIGHS, "mixed-integer program"
        yield Result("exact team response", name, ours, *program, theirs, TARGET, **about)
