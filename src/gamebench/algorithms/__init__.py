"""Algorithms: CFR and CFR+, magnetic mirror descent, generalised mirror descent and configurable mirror descent."""

from gamebench.algorithms.algorithm import ALGORITHMS, Algorithm, AnyAlgorithm, State, as_algorithm, register_algorithm
from gamebench.algorithms.cfr import CFR, CFRPlus
from gamebench.algorithms.cmd import CMD
from gamebench.algorithms.mirror_descent import GMD, MD, GMDInverseSquareRoot, GMDLinearDecay
from gamebench.algorithms.mmd import MMDEU, MMDKL
from gamebench.algorithms.state_files import check_same, load_state, pack_state, save_state, unpack_state

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
    "load_state",
    "pack_state",
    "register_algorithm",
    "save_state",
    "unpack_state",
]
