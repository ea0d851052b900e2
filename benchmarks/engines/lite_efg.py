"""LiteEFG's baselines, if it is installed."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from typing import Any
from unittest.mock import patch

import gamebench as gb
from benchmarks.engines.open_spiel import as_table
from gamebench.games.loading.openspiel import original_game

AVERAGES = {"CFR": "avg-iterate", "CFRplus": "linear-avg-iterate", "PCFR": "linear-avg-iterate"}
"""The average that a baseline reports; others report the current policy."""


@cache
def is_installed() -> bool:
    """Return whether LiteEFG is installed; if not, print a hint once."""
    if find_spec("LiteEFG") is None:
        print('LiteEFG is not compared with: pip install "gamebench[bench]"', file=sys.stderr)
        return False
    import_module("LiteEFG").set_threads(1)
    return True


@cache
def _home() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@contextmanager
def contained() -> Iterator[None]:
    """Hide LiteEFG's output, and let it write to a temporary home folder."""
    with patch.dict(os.environ, HOME=_home().name), redirect_stdout(StringIO()):
        yield


class LiteSolver:
    """A baseline of LiteEFG, by module name; like ours, it averages policies before the update."""

    def __init__(self, game: gb.Game, baseline: str, **settings: float) -> None:
        module = import_module(f"LiteEFG.baselines.{baseline}")
        self.game, self.average = game, AVERAGES.get(baseline)
        with contained():
            self.graph = module.graph(**settings)
            self.environment = load(original_game(game.source))
        self.environment.set_graph(self.graph)

    def run(self, iterations: int) -> None:
        """Do ``iterations`` more iterations."""
        graph, environment = self.graph, self.environment
        for _ in range(iterations):
            if self.average:
                environment.update_strategy(graph.current_strategy())
            graph.update_graph(environment)

    def nash_conv(self) -> float:
        """Return NashConv of the policy that the baseline reports, by LiteEFG's best responses."""
        return sum(self.environment.exploitability(self.graph.current_strategy(), self.average or "default"))

    def expected_values(self) -> list[float]:
        """Return the expected values of the policy that the baseline reports."""
        return self.environment.utility(self.graph.current_strategy(), self.average or "default")

    def play(self, policy: gb.Policy) -> None:
        """Replace the current policy."""
        table, node = as_table(policy), self.graph.current_strategy()
        for player in range(1, self.game.num_players + 1):
            states = [state for state, _ in self.environment.get_value(player, node)]
            self.environment.set_value(player, node, [[share for _, share in table[state]] for state in states])


def load(original: Any) -> Any:
    """Return LiteEFG's form of an OpenSpiel game."""
    return import_module("LiteEFG").OpenSpielEnv(original)
