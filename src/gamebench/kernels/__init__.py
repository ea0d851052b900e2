"""Every compiled loop: arrays in, arrays out, and nothing else.

Conventions: ``tree`` is a :class:`~gamebench.kernels.arguments.Tree`, ``endings`` the
:class:`~gamebench.kernels.arguments.Endings` of the same game; ``x`` is a realisation plan of length ``S + N`` (empty
sequences last), ``g`` a vector of the same length that belongs to all players at once; a batch is a leading axis.
Arguments that a kernel writes to stand last, and its docstring says "modified in place".
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from gamebench.kernels.kinds import ENTROPY, EXPONENTIAL, LOGARITHM, POWER, ROOT, SQUARE, TABLE

if TYPE_CHECKING:
    from gamebench.kernels.compiling import announced_with, num_threads, set_threads
    from gamebench.kernels.magnetic import mmd_eu_steps, mmd_kl_steps
    from gamebench.kernels.mirror import mirror_steps, project_all
    from gamebench.kernels.passes import (
        action_values,
        back_up_best,
        best_actions,
        differentiate_all,
        differentiate_player,
        expected_values,
        own_deviations,
        realise,
        sums_over_players,
        value_from_gradient,
    )
    from gamebench.kernels.psi import derivative, inverse
    from gamebench.kernels.regret import cfr_steps
    from gamebench.kernels.teams import search_team, team_deviations, team_weights

_MODULE_OF = {
    "announced_with": "compiling",
    "action_values": "passes",
    "back_up_best": "passes",
    "best_actions": "passes",
    "cfr_steps": "regret",
    "derivative": "psi",
    "differentiate_all": "passes",
    "differentiate_player": "passes",
    "expected_values": "passes",
    "inverse": "psi",
    "mirror_steps": "mirror",
    "mmd_eu_steps": "magnetic",
    "mmd_kl_steps": "magnetic",
    "num_threads": "compiling",
    "own_deviations": "passes",
    "project_all": "mirror",
    "realise": "passes",
    "search_team": "teams",
    "set_threads": "compiling",
    "sums_over_players": "passes",
    "team_deviations": "teams",
    "team_weights": "teams",
    "value_from_gradient": "passes",
}


def __getattr__(name: str) -> object:
    """Load a kernel when it is first asked for: much can be said of games and runs without Numba."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'gamebench.kernels' has no attribute {name!r}")
    found = getattr(import_module(f"gamebench.kernels.{_MODULE_OF[name]}"), name)
    globals()[name] = found
    return found


__all__ = [
    "ENTROPY",
    "EXPONENTIAL",
    "LOGARITHM",
    "POWER",
    "ROOT",
    "SQUARE",
    "TABLE",
    "action_values",
    "announced_with",
    "back_up_best",
    "best_actions",
    "cfr_steps",
    "derivative",
    "differentiate_all",
    "differentiate_player",
    "expected_values",
    "inverse",
    "mirror_steps",
    "mmd_eu_steps",
    "mmd_kl_steps",
    "num_threads",
    "own_deviations",
    "project_all",
    "realise",
    "search_team",
    "set_threads",
    "sums_over_players",
    "team_deviations",
    "team_weights",
    "value_from_gradient",
]
