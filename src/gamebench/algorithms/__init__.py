"""Algorithms: CFR and its descendants, dilated optimistic methods, and mirror descents up to CMD."""

from gamebench.algorithms.algorithm import ALGORITHMS as ALGORITHMS
from gamebench.algorithms.algorithm import Algorithm as Algorithm
from gamebench.algorithms.algorithm import AnyAlgorithm as AnyAlgorithm
from gamebench.algorithms.algorithm import State as State
from gamebench.algorithms.algorithm import as_algorithm as as_algorithm
from gamebench.algorithms.algorithm import register_algorithm as register_algorithm
from gamebench.algorithms.cfr import CFR as CFR
from gamebench.algorithms.cfr import DCFR as DCFR
from gamebench.algorithms.cfr import LCFR as LCFR
from gamebench.algorithms.cfr import APCFRPlus as APCFRPlus
from gamebench.algorithms.cfr import CFRPlus as CFRPlus
from gamebench.algorithms.cfr import DCFRPlus as DCFRPlus
from gamebench.algorithms.cfr import PCFRPlus as PCFRPlus
from gamebench.algorithms.cfr import PDCFRPlus as PDCFRPlus
from gamebench.algorithms.cfr import SAPCFRPlus as SAPCFRPlus
from gamebench.algorithms.cmd import CMD as CMD
from gamebench.algorithms.cmd import CMDSuccessRule as CMDSuccessRule
from gamebench.algorithms.crd.preset import CRD as CRD
from gamebench.algorithms.dilated import DOGDA as DOGDA
from gamebench.algorithms.dilated import DOMWU as DOMWU
from gamebench.algorithms.mirror_descent import GMD as GMD
from gamebench.algorithms.mirror_descent import MD as MD
from gamebench.algorithms.mirror_descent import GMDInverseSquareRoot as GMDInverseSquareRoot
from gamebench.algorithms.mirror_descent import GMDLinearDecay as GMDLinearDecay
from gamebench.algorithms.mmd import MMDEU as MMDEU
from gamebench.algorithms.mmd import MMDKL as MMDKL
from gamebench.algorithms.regret_minimiser import RegretMinimiser as RegretMinimiser
from gamebench.algorithms.rtcfr import RTCFRPlus as RTCFRPlus
from gamebench.algorithms.state_files import check_same as check_same
from gamebench.algorithms.state_files import load_state as load_state
from gamebench.algorithms.state_files import pack_state as pack_state
from gamebench.algorithms.state_files import save_state as save_state
from gamebench.algorithms.state_files import state_identity as state_identity
from gamebench.algorithms.state_files import unpack_state as unpack_state

for _algorithm in (
    *(CRD, CMD, CMDSuccessRule, GMD, GMDLinearDecay, GMDInverseSquareRoot, MD, MMDKL, MMDEU),
    *(CFR, CFRPlus, LCFR, DCFR, DCFRPlus, PCFRPlus, SAPCFRPlus, APCFRPlus, PDCFRPlus, RTCFRPlus, DOMWU, DOGDA),
):
    register_algorithm(_algorithm)
