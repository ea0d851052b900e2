"""GameBench: one way to load, solve and measure every kind of decision problem.

>>> import gamebench as gb
>>> game = gb.load_game("Kuhn")
>>> gb.evaluate(game, gb.uniform_policy(game), "NashConv")
2.0625

Everything here is loaded when it is first used, so that ``import gamebench`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_MODULE_OF = {
    "sweep": "experiments.sweeping",
    "baselines": "paper.comparing",
    "load_results": "experiments.results",
    "load_plugin": "plugins",
    "register_experiment": "experiments.library",
    "Outcome": "experiments.sweeping",
    "RunSpec": "experiments.spec",
    "Store": "experiments.store",
    "StoredRun": "experiments.store",
    "SweepSpec": "experiments.spec",
    "solve": "solving",
    "Result": "solving",
    "Curve": "curve",
    "ALGORITHMS": "algorithms",
    "CFR": "algorithms",
    "CMD": "algorithms",
    "GMD": "algorithms",
    "MD": "algorithms",
    "MMDEU": "algorithms",
    "MMDKL": "algorithms",
    "Algorithm": "algorithms",
    "CFRPlus": "algorithms",
    "GMDInverseSquareRoot": "algorithms",
    "GMDLinearDecay": "algorithms",
    "State": "algorithms",
    "load_state": "algorithms",
    "register_algorithm": "algorithms",
    "save_state": "algorithms",
    "CONTROLLERS": "controllers",
    "DGLDS": "controllers",
    "DRS": "controllers",
    "GLD": "controllers",
    "GLDS": "controllers",
    "RS": "controllers",
    "SCHEDULES": "controllers",
    "Controller": "controllers",
    "register_controller": "controllers",
    "set_threads": "kernels",
    "mirror_step": "mirror",
    "CONVEX_FUNCTIONS": "convex",
    "ConvexFunction": "convex",
    "own_convex": "convex",
    "register_convex": "convex",
    "OWN_GAMES": "load",
    "load_game": "load",
    "register_game": "load",
    "with_focal": "transforms",
    "with_teams": "transforms",
    "CATALOG": "games.catalog",
    "Category": "games.game",
    "DecisionPoint": "games.game",
    "Game": "games.game",
    "Mixture": "policy",
    "Policy": "policy",
    "random_policy": "policy",
    "uniform_policy": "policy",
    "action_values": "values",
    "expected_values": "values",
    "AveragePlay": "responses",
    "BestResponse": "responses",
    "best_response": "responses",
    "improvements": "responses",
    "MEASURES": "measures",
    "Direction": "measures",
    "Measure": "measures",
    "Solution": "measures",
    "evaluate": "measures",
    "main_measure": "measures",
    "optimal_value": "measures",
    "own_measure": "measures",
    "register_measure": "measures",
    "FocalError": "errors",
    "GameBenchError": "errors",
    "GameError": "errors",
    "GameFileError": "errors",
    "GameTooLargeError": "errors",
    "ImperfectRecallError": "errors",
    "MeasureError": "errors",
    "NoInformationStatesError": "errors",
    "PolicyError": "errors",
    "PolicyMismatchError": "errors",
    "ResponseLimitError": "errors",
    "TeamsError": "errors",
    "UnknownNameError": "errors",
    "ConvexError": "errors",
    "RunError": "errors",
    "RunInterrupted": "errors",
    "SettingError": "errors",
    "StateError": "errors",
    "DiskError": "errors",
    "ExecutorError": "errors",
    "PluginError": "errors",
    "SpecError": "errors",
    "StoreError": "errors",
}

if TYPE_CHECKING:
    from gamebench.algorithms import (
        ALGORITHMS,
        CFR,
        CMD,
        GMD,
        MD,
        MMDEU,
        MMDKL,
        Algorithm,
        CFRPlus,
        GMDInverseSquareRoot,
        GMDLinearDecay,
        State,
        load_state,
        register_algorithm,
        save_state,
    )
    from gamebench.controllers import CONTROLLERS, DGLDS, DRS, GLD, GLDS, RS, SCHEDULES, Controller, register_controller
    from gamebench.convex import CONVEX_FUNCTIONS, ConvexFunction, own_convex, register_convex
    from gamebench.curve import Curve
    from gamebench.errors import (
        ConvexError,
        DiskError,
        ExecutorError,
        FocalError,
        GameBenchError,
        GameError,
        GameFileError,
        GameTooLargeError,
        ImperfectRecallError,
        MeasureError,
        NoInformationStatesError,
        PluginError,
        PolicyError,
        PolicyMismatchError,
        ResponseLimitError,
        RunError,
        RunInterrupted,
        SettingError,
        SpecError,
        StateError,
        StoreError,
        TeamsError,
        UnknownNameError,
    )
    from gamebench.experiments.library import register_experiment
    from gamebench.experiments.results import load_results
    from gamebench.experiments.spec import RunSpec, SweepSpec
    from gamebench.experiments.store import Store, StoredRun
    from gamebench.experiments.sweeping import Outcome, sweep
    from gamebench.games.catalog import CATALOG
    from gamebench.games.game import Category, DecisionPoint, Game
    from gamebench.kernels import set_threads
    from gamebench.load import OWN_GAMES, load_game, register_game
    from gamebench.measures import (
        MEASURES,
        Direction,
        Measure,
        Solution,
        evaluate,
        main_measure,
        optimal_value,
        own_measure,
        register_measure,
    )
    from gamebench.mirror import mirror_step
    from gamebench.paper.comparing import baselines
    from gamebench.plugins import load_plugin
    from gamebench.policy import Mixture, Policy, random_policy, uniform_policy
    from gamebench.responses import AveragePlay, BestResponse, best_response, improvements
    from gamebench.solving import Result, solve
    from gamebench.transforms import with_focal, with_teams
    from gamebench.values import action_values, expected_values

__all__ = [
    "ALGORITHMS",
    "CATALOG",
    "CFR",
    "CMD",
    "CONTROLLERS",
    "CONVEX_FUNCTIONS",
    "DGLDS",
    "DRS",
    "GLD",
    "GLDS",
    "GMD",
    "MD",
    "MEASURES",
    "MMDEU",
    "MMDKL",
    "OWN_GAMES",
    "RS",
    "SCHEDULES",
    "Algorithm",
    "AveragePlay",
    "BestResponse",
    "CFRPlus",
    "Category",
    "Controller",
    "ConvexError",
    "ConvexFunction",
    "Curve",
    "DecisionPoint",
    "Direction",
    "DiskError",
    "ExecutorError",
    "FocalError",
    "GMDInverseSquareRoot",
    "GMDLinearDecay",
    "Game",
    "GameBenchError",
    "GameError",
    "GameFileError",
    "GameTooLargeError",
    "ImperfectRecallError",
    "Measure",
    "MeasureError",
    "Mixture",
    "NoInformationStatesError",
    "Outcome",
    "PluginError",
    "Policy",
    "PolicyError",
    "PolicyMismatchError",
    "ResponseLimitError",
    "Result",
    "RunError",
    "RunInterrupted",
    "RunSpec",
    "SettingError",
    "Solution",
    "SpecError",
    "State",
    "StateError",
    "Store",
    "StoreError",
    "StoredRun",
    "SweepSpec",
    "TeamsError",
    "UnknownNameError",
    "action_values",
    "baselines",
    "best_response",
    "evaluate",
    "expected_values",
    "improvements",
    "load_game",
    "load_plugin",
    "load_results",
    "load_state",
    "main_measure",
    "mirror_step",
    "optimal_value",
    "own_convex",
    "own_measure",
    "random_policy",
    "register_algorithm",
    "register_controller",
    "register_convex",
    "register_experiment",
    "register_game",
    "register_measure",
    "save_state",
    "set_threads",
    "solve",
    "sweep",
    "uniform_policy",
    "with_focal",
    "with_teams",
]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'gamebench' has no attribute {name!r}")
    found = getattr(import_module(f"gamebench.{_MODULE_OF[name]}"), name)
    globals()[name] = found  # so that this function is not asked again, which takes longer than evaluating a small game
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
