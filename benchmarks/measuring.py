"""Measuring a random policy: NashConv, a best response and expected values, against all engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import best_response, expected_game_score, exploitability

import gamebench as gb
from benchmarks.agreement import Agreement
from benchmarks.engines import lite_efg
from benchmarks.engines.open_spiel import as_python_policy, as_table
from benchmarks.result import Engine, Result
from benchmarks.solving import GAMES, LARGE
from benchmarks.timing import in_turns, times
from gamebench.games.loading.openspiel import original_game

TARGETS = {"Leduc": 500, "liars_dice": 1000}
"""Promised speed-up of NashConv over the C++ code."""
Way = tuple[Engine, str, Callable[[], Any]]
"""An engine, the name of its function, and a call of it."""


def ways_to_measure(game: gb.Game, policy: gb.Policy) -> Iterator[tuple[str, Callable[[], Any], list[Way]]]:
    """Yield each task, our function, and those of the other engines."""
    original, table = original_game(game.source), as_table(policy)
    cpp, root = pyspiel.TabularPolicy(table), original.new_initial_state()
    responses, values, conv = "pyspiel.TabularBestResponse", "pyspiel.expected_returns", "pyspiel.nash_conv"
    nash_conv: list[Way] = [(Engine.CPP, conv, lambda: pyspiel.nash_conv(original, cpp))]
    respond: list[Way] = [
        (Engine.CPP, responses, lambda: pyspiel.TabularBestResponse(original, 0, table).value_from_state(root))
    ]
    expect: list[Way] = [(Engine.CPP, values, lambda: pyspiel.expected_returns(root, cpp, -1, True)[0])]
    if game.num_histories < LARGE:
        python = as_python_policy(policy, original)
        everyone = [python] * game.num_players
        nash_conv.append(
            (Engine.PYTHON, "exploitability.nash_conv", lambda: exploitability.nash_conv(original, python))
        )
        respond.append(
            (
                Engine.PYTHON,
                "best_response.BestResponsePolicy",
                lambda: best_response.BestResponsePolicy(original, 0, python).value(root),
            )
        )
        expect.append(
            (
                Engine.PYTHON,
                "expected_game_score.policy_value",
                lambda: expected_game_score.policy_value(root, everyone)[0],
            )
        )
    if lite_efg.is_installed():
        lite = lite_efg.LiteSolver(game, "MMD")
        lite.play(policy)
        nash_conv.append((Engine.LITE_EFG, "exploitability", lite.nash_conv))
        expect.append((Engine.LITE_EFG, "utility", lambda: lite.expected_values()[0]))
    yield "NashConv", lambda: gb.evaluate(game, policy, "NashConv"), nash_conv
    yield "best response of a player", lambda: gb.best_response(game, policy, 0).value, respond
    yield "expected values", lambda: gb.expected_values(game, policy)[0], expect


def results(games: Sequence[str] = GAMES) -> Iterator[Result]:
    """Yield the results for one random policy of each game; the engines' numbers are compared first."""
    for name in games:
        game = gb.load_game(name)
        for what, ours, others in ways_to_measure(game, gb.random_policy(game, 0)):
            numbers = [float(np.asarray(way())) for way in (ours, *(way for _, _, way in others))]
            mine, *theirs = in_turns([times(way) for way in (ours, *(way for _, _, way in others))])
            for (engine, called, _), value, taken in zip(others, numbers[1:], theirs, strict=True):
                check = Agreement(what, numbers[0], value)
                target = TARGETS.get(name) if (what, engine) == ("NashConv", Engine.CPP) else None
                about = {"note": str(check), "within_limits": check.same}
                yield Result(what, game.name, mine, engine, called, taken, target, **about)
