"""NashConv of a random policy, against OpenSpiel's C++."""

from __future__ import annotations

from collections.abc import Iterator

import pyspiel

import gamebench as gb
from benchmarks.timing import Result, seconds, seconds_once
from gamebench.games.openspiel import original_game


def results() -> Iterator[Result]:
    """Leduc and liar's dice."""
    for name, target, clock in (("Leduc", 500, seconds), ("liars_dice", 1000, seconds_once)):
        game = gb.load_game(name)
        policy = gb.random_policy(game, 0)
        original = original_game(game.source)
        table = pyspiel.TabularPolicy(
            {
                point.information_state: list(
                    zip(
                        game.labels.action_ids[point.sequences],
                        policy.probabilities[point.sequences].tolist(),
                        strict=True,
                    )
                )
                for point in game.decision_points
            }
        )
        theirs = clock(lambda original=original, table=table: pyspiel.nash_conv(original, table))
        ours = seconds(lambda game=game, policy=policy: gb.evaluate(game, policy, "NashConv"))
        yield Result("NashConv", name, ours, "pyspiel.nash_conv", theirs, target)
