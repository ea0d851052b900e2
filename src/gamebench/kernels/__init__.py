"""Every compiled loop: arrays in, arrays out, and nothing else.

Conventions: ``tree`` is a :class:`gamebench.games.tree.Tree`, ``endings`` the
:class:`gamebench.games.endings.Endings` of the same game; ``x`` is a realisation plan of length ``S + N`` (empty
sequences last), ``g`` a vector of the same length that belongs to all players at once; a batch is a leading axis.
Arguments that a kernel writes to stand last, and its docstring says "modified in place".
"""

from gamebench.kernels.compiling import num_threads, set_threads
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
    value_from_gradient,
)
from gamebench.kernels.psi import (
    ENTROPY,
    EXPONENTIAL,
    LOGARITHM,
    POWER,
    ROOT,
    SQUARE,
    TABLE,
    derivative,
    inverse,
)
from gamebench.kernels.regret import cfr_steps
from gamebench.kernels.teams import search_team, team_deviations, team_weights

__all__ = [
    "ENTROPY",
    "EXPONENTIAL",
    "LOGARITHM",
    "POWER",
    "ROOT",
    "SQUARE",
    "TABLE",
    "action_values",
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
    "team_deviations",
    "team_weights",
    "value_from_gradient",
]
