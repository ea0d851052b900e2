"""The algorithms, one file each."""

from gamebench.algorithms.algorithm import (
    ALGORITHMS,
    Algorithm,
    AnyAlgorithm,
    State,
    as_algorithm,
    register_algorithm,
)
from gamebench.algorithms.cfr import CFR
from gamebench.algorithms.cfr_plus import CFRPlus
from gamebench.algorithms.cmd import CMD, default_objective
from gamebench.algorithms.gmd import GMD
from gamebench.algorithms.gmd_inverse_square_root import GMDInverseSquareRoot
from gamebench.algorithms.gmd_linear_decay import GMDLinearDecay
from gamebench.algorithms.md import MD
from gamebench.algorithms.mmd_eu import MMDEU
from gamebench.algorithms.mmd_kl import MMDKL
from gamebench.algorithms.saving import check_same, load_state, pack_state, save_state, unpack_state

for _algorithm in (CMD, GMD, GMDLinearDecay, GMDInverseSquareRoot, MD, MMDKL, MMDEU, CFR, CFRPlus):
    register_algorithm(_algorithm)

__all__ = [
    "ALGORITHMS",
    "CFR",
    "CMD",
    "GMD",
    "MD",
    "MMDEU",
    "MMDKL",
    "Algorithm",
    "AnyAlgorithm",
    "CFRPlus",
    "GMDInverseSquareRoot",
    "GMDLinearDecay",
    "State",
    "as_algorithm",
    "check_same",
    "default_objective",
    "load_state",
    "pack_state",
    "register_algorithm",
    "save_state",
    "unpack_state",
]
